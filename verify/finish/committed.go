package finish

import (
	"context"
	"errors"
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

func (c committedPack) CommittedSHA256(path string) (sha256 string, ok bool, err error) {
	blob, err := c.repo.BlobAt(c.ctx, c.head, c.prefix+path)
	switch {
	case errors.Is(err, git.ErrNotFound):
		return "", false, nil
	case err != nil:
		return "", false, err
	}
	return canon.SHA256(blob.Data), true, nil
}
