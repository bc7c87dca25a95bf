package git_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"finishline/internal/git"
	"finishline/internal/gittest"
)

// Looking paths up gives what listing the tree gives, and nothing for anything else.
func TestEntriesAt(t *testing.T) {
	r := gittest.New(t, gittest.Options{})
	r.Write("a/b/c.txt", []byte("c"), 0o644)
	r.Write("a/b.txt", []byte("b"), 0o755)
	r.Write("top", []byte("t"), 0o644)
	r.Symlink("a/link", "b.txt")
	r.Git("add", "-A")
	commit := r.Commit("first")
	program, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	repo, err := git.Open(t.Context(), program, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	listed, err := repo.TreeEntries(t.Context(), commit, "")
	if err != nil || len(listed) != 4 {
		t.Fatalf("listed %v, %v", listed, err)
	}
	nothing := []string{"", "a", "a/", "a/b", "/top", "top/", "top/x", "a//b.txt", "a/./b.txt", "../top", "a/b/c.txt/", "A/b.txt", "a/x\x00"}
	paths := slices.Clone(nothing)
	for _, e := range listed {
		paths = append(paths, e.Path, e.Path)
	}
	found, err := repo.EntriesAt(t.Context(), commit, paths)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range listed {
		if found[e.Path] != e {
			t.Errorf("%q: found %v, want %v", e.Path, found[e.Path], e)
		}
		if one, err := repo.EntryAt(t.Context(), commit, e.Path); err != nil || one != e {
			t.Errorf("EntryAt(%q) = %v, %v", e.Path, one, err)
		}
	}
	if len(found) != len(listed) {
		t.Errorf("found %d entries, want %d: %v", len(found), len(listed), found)
	}
	for _, p := range nothing {
		if e, err := repo.EntryAt(context.Background(), commit, p); !errors.Is(err, git.ErrNotFound) {
			t.Errorf("EntryAt(%q) = %v, %v, want not found", p, e, err)
		}
	}
}
