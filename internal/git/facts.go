package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// maxExcludeBytes bounds info/exclude.
const maxExcludeBytes = 4 << 20

// HasGrafts tells whether the file info/grafts exists, in whatever form: it changes the parents of commits.
func (r *Repo) HasGrafts() bool {
	_, err := os.Lstat(r.paths[pathGrafts])
	return !errors.Is(err, fs.ErrNotExist)
}

// HasReplacements tells whether refs/replace holds a reference: replacement objects, which this package ignores and the
// user's own Git does not. The error is an [*Error].
func (r *Repo) HasReplacements(ctx context.Context) (bool, error) {
	out, err := r.run.output(ctx, invocation{dir: r.dir,
		args: []string{"for-each-ref", "--count=1", "--format=%(objectname)", "refs/replace/"}})
	return len(out) > 0, err
}

// InfoExclude is the content of info/exclude, ignore rules that no commit holds; empty when there is no such file. The
// error is an [*Error].
func (r *Repo) InfoExclude() ([]byte, error) {
	data, _, err := readRegular(r.paths[pathExclude], maxExcludeBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &Error{Kind: Unavailable, Reason: Failed, Op: "read info/exclude", Detail: printable(err.Error()), Err: err}
	}
	return data, nil
}

// RedirectedTop tells whether the configuration sets core.worktree and the top level it leads to has no .git of its own: the
// work tree is somewhere else than where the repository is.
func (r *Repo) RedirectedTop() bool {
	if _, ok := r.Config("core.worktree"); !ok {
		return false
	}
	_, err := os.Lstat(filepath.Join(r.place.Top, ".git"))
	return err != nil
}
