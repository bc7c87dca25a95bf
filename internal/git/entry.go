package git

import (
	"context"
	"errors"
)

// EntryAt finds the entry at path in the tree-ish treeish (an object id; see [Repo.Peel]): a file, symbolic link or
// gitlink, whose content is not read. The error wraps [ErrNotFound] when there is no such path or it is a directory, else
// it is an [*Error].
func (r *Repo) EntryAt(ctx context.Context, treeish, path string) (TreeEntry, error) {
	p, err := r.Peel(ctx, treeish)
	if err != nil {
		return TreeEntry{}, err
	}
	e, err := r.lookup(ctx, p.Tree, path)
	if err != nil && !errors.Is(err, errNoEntry) {
		return TreeEntry{}, err
	}
	if err != nil || e.mode == modeTree {
		return TreeEntry{}, notFound(path)
	}
	typ := TypeBlob
	if e.mode == ModeGitlink {
		typ = TypeCommit
	}
	return TreeEntry{Mode: e.mode, Type: typ, ID: e.id, Path: path}, nil
}
