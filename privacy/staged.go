package privacy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"finishline/canon"
	"finishline/internal/git"
)

// scanStaged scans the entries of the index that HEAD does not have as they
// are: what a commit would add. The content comes from the object database; the
// work tree is not looked at.
func scanStaged(ctx context.Context, t *tree, opt Options, r *Result) (*Result, error) {
	if opt.GitErr != nil {
		return r.failed(unreadable("privacy.tracked.unreadable", "", opt.GitErr)), nil
	}
	repo, err := git.Open(ctx, opt.Git, t.dir)
	if err != nil {
		return r.failed(unreadable("privacy.tracked.unreadable", "", err)), nil
	}
	defer repo.Close()
	objects, failed := t.staged(ctx, repo)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if failed != nil {
		return r.failed(failed), nil
	}
	if failed := t.tooMany(opt.Level); failed != nil {
		return r.failed(failed), nil
	}
	s := newScanner(opt, func(e entry) (source, error) { return openObject(ctx, repo, objects[e.path]) })
	files := sorted(t.files)
	results, failed := s.all(ctx, files)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if failed != nil {
		return r.failed(failed), nil
	}
	r.collect(s, sorted(t.links), files, results)
	return r.settle(s), nil
}

// staged collects the entries below the root that a commit would change, and
// the ids of their content by path. Where HEAD cannot be read, as before the
// first commit, that is every entry.
func (t *tree) staged(ctx context.Context, repo *git.Repo) (map[string]string, *GateError) {
	index, err := repo.Index(ctx)
	if err != nil {
		return nil, unreadable("privacy.tracked.unreadable", "", err)
	}
	defer index.Close()
	committed := map[string]git.TreeEntry{}
	if head, err := repo.Head(ctx); err == nil {
		entries, err := repo.TreeEntries(ctx, head.ID, repo.Prefix())
		if err != nil {
			return nil, unreadable("privacy.tracked.unreadable", "", err)
		}
		for _, e := range entries {
			committed[e.Path] = e
		}
	}
	objects := map[string]string{}
	for _, e := range index.Entries(git.Below()) {
		if e.Mode == git.ModeGitlink || committed[e.Path].ID == e.ID && committed[e.Path].Mode == e.Mode {
			continue
		}
		path := strings.TrimPrefix(e.Path, repo.Place().RawPrefix)
		if !utf8.ValidString(path) {
			return nil, refuse("privacy.read.name", "", "the name of a staged file is no valid UTF-8")
		}
		if e.Stage != 0 {
			return nil, refuse("privacy.tracked.unreadable", path, "the path is unmerged, so what a commit would hold is open")
		}
		objects[path] = e.ID
		if e.Mode == git.ModeSymlink {
			t.links[path] = entry{path, path}
		} else {
			t.files[path] = entry{path, path}
		}
	}
	return objects, nil
}

var errForged = errors.New("the object does not hash to its id")

// openObject gives the content of a staged file.
func openObject(ctx context.Context, repo *git.Repo, id string) (source, error) {
	o, err := repo.Object(ctx, id)
	switch {
	case err != nil:
		return source{}, err
	case o.Type != git.TypeBlob || !o.Genuine:
		return source{}, errForged
	}
	return source{ReadCloser: io.NopCloser(bytes.NewReader(o.Data)), size: int64(len(o.Data))}, nil
}

func unique(paths []string) []string {
	paths = slices.Clone(paths)
	slices.SortFunc(paths, canon.CompareUTF16)
	return slices.Compact(paths)
}
