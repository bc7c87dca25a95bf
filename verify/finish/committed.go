package finish

import (
	"context"
	"path/filepath"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify/gate"
)

// committedPack tells what is committed of a pack at HEAD, for the warning
// strict.pack.committed of 09b §5.
type committedPack struct {
	ctx    context.Context
	repo   *git.Repo
	head   string // the commit's id
	prefix string // of the pack's directory in the work tree: "" or "sub/dir/"
}

// committedPackOf is nil, and the warning is not given, where there is no
// commit to compare with: without a repository, or when the pack lies outside
// the work tree.
func committedPackOf(ctx context.Context, repo *git.Repo, head, packDir string) gate.CommittedFiles {
	if repo == nil || head == "" {
		return nil
	}
	real, err := filepath.EvalSymlinks(packDir)
	if err != nil {
		return nil
	}
	rel, err := filepath.Rel(repo.Top(), real)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	c := committedPack{ctx: ctx, repo: repo, head: head}
	if rel != "." {
		c.prefix = filepath.ToSlash(rel) + "/"
	}
	return c
}

func (c committedPack) CommittedSHA256(paths []string) (map[string]string, error) {
	full := make([]string, len(paths))
	for i, p := range paths {
		full[i] = c.prefix + p
	}
	entries, err := c.repo.EntriesAt(c.ctx, c.head, full)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for i, p := range paths {
		e, ok := entries[full[i]]
		if !ok || e.Type != git.TypeBlob {
			continue
		}
		object, err := c.repo.Object(c.ctx, e.ID)
		if err != nil {
			return nil, err
		}
		sums[p] = canon.SHA256(object.Data)
	}
	return sums, nil
}
