package git

import (
	"context"
	"fmt"
	"strings"
)

// EntryAt finds the entry at path in the tree-ish treeish (an object id; see [Repo.Peel]): a file, symbolic link or
// gitlink, whose content is not read. The error wraps [ErrNotFound] when there is no such path or it is a directory, else
// it is an [*Error].
func (r *Repo) EntryAt(ctx context.Context, treeish, path string) (TreeEntry, error) {
	entries, err := r.EntriesAt(ctx, treeish, []string{path})
	if err != nil {
		return TreeEntry{}, err
	}
	e, ok := entries[path]
	if !ok {
		return TreeEntry{}, notFound(path)
	}
	return e, nil
}

// EntriesAt finds the entries at many paths, by path; one that is missing from the answer does not exist or is a
// directory. Every tree is parsed once, whatever the number of paths, which may be hostile: a path that is not made of
// plain names finds nothing. The error is an [*Error], or wraps [ErrNotFound] when treeish or a tree on the way is not
// there.
func (r *Repo) EntriesAt(ctx context.Context, treeish string, paths []string) (map[string]TreeEntry, error) {
	p, err := r.Peel(ctx, treeish)
	if err != nil {
		return nil, err
	}
	l := treeLookup{repo: r, entries: make(map[string]TreeEntry, len(paths))}
	return l.entries, l.descend(ctx, p.Tree, "", paths)
}

type treeLookup struct {
	repo    *Repo
	entries map[string]TreeEntry
}

// descend looks up paths, which are relative to the tree id; base is where that lies, "" or with a final "/".
func (l *treeLookup) descend(ctx context.Context, id, base string, paths []string) error {
	const op = "look up paths"
	if strings.Count(base, "/") >= maxTreeDepth {
		return &Error{Kind: Unavailable, Reason: TooLarge, Op: op, Detail: fmt.Sprintf("deeper than %d", maxTreeDepth)}
	}
	if ctx.Err() != nil {
		return failure(ctx, op, "", ctx.Err())
	}
	here, below := map[string]bool{}, map[string][]string{}
	for _, p := range paths {
		if name, rest, deeper := strings.Cut(p, "/"); deeper {
			below[name] = append(below[name], rest)
		} else {
			here[p] = true
		}
	}
	entries, _, err := l.repo.tree(ctx, id)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch path := base + e.name; {
		case e.mode == modeTree:
			if rest := below[e.name]; rest != nil {
				delete(below, e.name) // a forged tree may name it twice
				if err := l.descend(ctx, e.id, path+"/", rest); err != nil {
					return err
				}
			}
		case here[e.name]:
			delete(here, e.name)
			l.entries[path] = entryOf(e, path)
		}
	}
	return nil
}

func entryOf(e treeEntry, path string) TreeEntry {
	typ := TypeBlob
	if e.mode == ModeGitlink {
		typ = TypeCommit
	}
	return TreeEntry{Mode: e.mode, Type: typ, ID: e.id, Path: path}
}
