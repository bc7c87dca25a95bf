package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"

	"finishline/internal/gittest"
)

func program(t testing.TB) Program {
	t.Helper()
	p, err := Find(os.Getenv("PATH"))
	must(t, err)
	return p
}

func open(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Open(context.Background(), program(t), dir)
	must(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantReason checks that err is an *Error of the kind Unavailable with the reason.
func wantReason(t testing.TB, err error, reason Reason) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != Unavailable || e.Reason != reason {
		t.Fatalf("error %v, want unavailable for reason %q", err, reason)
	}
	return e
}

// sample is a repository with one commit of a few files, on a branch of its own name.
func sample(t testing.TB) *gittest.Repo {
	t.Helper()
	r := gittest.New(t, gittest.Options{})
	r.Write("a.txt", []byte("one\ntwo\n"), 0o644)
	r.Write("dir/b.txt", []byte("b\n"), 0o644)
	r.Write("dir/sub/c.txt", []byte("c\n"), 0o755)
	r.Symlink("link", "a.txt")
	r.Git("add", "-A")
	r.Commit("first")
	return r
}

// look gives status and diff of everything below the target, on a fresh private index.
func look(t testing.TB, repo *Repo) (status, diff string) {
	t.Helper()
	ctx := context.Background()
	ix, err := repo.Index(ctx)
	must(t, err)
	defer ix.Close()
	var s, d bytes.Buffer
	must(t, ix.Status(ctx, Below(), &s))
	must(t, ix.Diff(ctx, "HEAD", Below(), &d))
	return s.String(), d.String()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
