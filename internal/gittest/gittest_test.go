package gittest_test

import (
	"testing"

	"finishline/internal/gittest"
)

// The id is a function of everything the package pins; it must be the same on every host.
func TestReproducible(t *testing.T) {
	build := func(opts gittest.Options) *gittest.Repo {
		r := gittest.New(t, opts)
		r.Write("a/b.txt", []byte("hello\r\n"), 0o644)
		r.Write("run.sh", []byte("#!/bin/sh\n"), 0o755)
		r.Symlink("link", "run.sh")
		r.Git("add", "-A", "-f")
		r.Commit("first")
		return r
	}
	const want = "96c0b8cefb4ddf91c1d24ddf7d25cc8dc55f446c"
	if got := build(gittest.Options{}).Head(); got != want {
		t.Errorf("sha1 HEAD = %s, want %s", got, want)
	}
	if got := build(gittest.Options{ObjectFormat: "sha256"}).Head(); len(got) != 64 {
		t.Errorf("sha256 HEAD = %s, want 64 digits", got)
	}
}

func TestCopy(t *testing.T) {
	r := gittest.New(t, gittest.Options{})
	r.Write("run.sh", []byte("#!/bin/sh\n"), 0o755)
	r.Symlink("link", "run.sh")
	r.Git("add", "-A")
	r.Commit("first")
	c := r.Copy(t)
	c.Write("run.sh", []byte("changed\n"), 0o755)
	if got := c.Git("status", "--porcelain"); got != " M run.sh" {
		t.Errorf("status of the copy = %q", got)
	}
	if got := r.Git("status", "--porcelain"); got != "" {
		t.Errorf("status of the original = %q", got)
	}
}

func TestWriteReplacesLink(t *testing.T) {
	r := gittest.Plain(t)
	r.Write("target", []byte("kept"), 0o600)
	r.Symlink("link", "target")
	r.Write("link", []byte("new"), 0o644)
	if got := string(r.Read("target")); got != "kept" {
		t.Errorf("wrote through the link: %q", got)
	}
	if _, err := r.TryGit("rev-parse", "HEAD"); err == nil {
		t.Error("a plain directory has a HEAD")
	}
}
