package source_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/gittest"
	"finishline/internal/vectors"
	"finishline/verify/source"
)

// sameAsAlone compares both states with each computed by itself. TestVectorsSourceState does it for every vector.
func sameAsAlone(t *testing.T, dir, commit, validator string) {
	t.Helper()
	ctx := context.Background()
	repo, err := git.Open(ctx, program(t), dir)
	if err != nil {
		return
	}
	defer repo.Close()
	target := source.Target{Repo: repo}
	tracked, application, err := source.Both(ctx, target, commit, validator)
	wantTracked, trackedErr := source.Tracked(ctx, target, commit, validator)
	wantApplication, applicationErr := source.Application(ctx, target, commit)
	if err != nil {
		var e *source.Error
		if trackedErr == nil && applicationErr == nil || !errors.As(err, &e) {
			t.Errorf("%v, but alone %v and %v", err, trackedErr, applicationErr)
		}
		return
	}
	if trackedErr != nil || applicationErr != nil {
		t.Fatalf("no error, but alone %v and %v", trackedErr, applicationErr)
	}
	for _, pair := range [][2]*source.State{{wantTracked, tracked}, {wantApplication, application}} {
		want, got := pair[0], pair[1]
		if diff := cmp.Diff(string(canon.Canonical(want.Object())), string(canon.Canonical(got.Object()))); diff != "" || got.Kind != want.Kind || got.Tree != want.Tree {
			t.Errorf("state (-alone +both):\n%s", diff)
		}
		if got.Signs.Status != want.Signs.Status {
			t.Errorf("signs %+v, want %+v", got.Signs, want.Signs)
		}
	}
}

// What stands in the place of an excluded path, or names one in a rename.
func TestBothWhereExcludedPathsAreOdd(t *testing.T) {
	vectors.Long(t)
	for name, change := range map[string]func(*gittest.Repo){
		"nothing":              func(*gittest.Repo) {},
		"untracked":            func(r *gittest.Repo) { r.Write("run/packet.json", []byte("x"), 0o644) },
		"beside":               func(r *gittest.Repo) { r.Write("run/other.json", []byte("x"), 0o644) },
		"similar":              func(r *gittest.Repo) { r.Write("bulletproof", []byte("x"), 0o644) },
		"deeper":               func(r *gittest.Repo) { r.Write("sub/rca/rca.json", []byte("x"), 0o644) },
		"below":                func(r *gittest.Repo) { r.Write("review/review.json/x", []byte("x"), 0o644) },
		"tracked and changed":  func(r *gittest.Repo) { r.Write("proof/portable.json", []byte("changed\n"), 0o644) },
		"tracked and removed":  func(r *gittest.Repo) { r.Remove("proof/portable.json") },
		"renamed away":         func(r *gittest.Repo) { r.Git("mv", "proof/portable.json", "kept.json") },
		"renamed to it":        func(r *gittest.Repo) { r.Git("mv", "-f", "guide.md", "proof/portable.json") },
		"copied":               func(r *gittest.Repo) { r.Write("copy.json", []byte(portable), 0o644); r.Git("add", "copy.json") },
		"a repository inside":  func(r *gittest.Repo) { r.Mkdir("rca"); r.Git("init", "-q", "rca"); commitIn(r, "rca") },
		"another file renamed": func(r *gittest.Repo) { r.Git("mv", "guide.md", "manual.md") },
		"staged only":          func(r *gittest.Repo) { r.Write("proof/portable.json", []byte("y\n"), 0o644); r.Git("add", "proof") },
		"a submodule in place": func(r *gittest.Repo) {
			r.Git("init", "-q", "run")
			commitIn(r, "run")
			r.Git("add", "run")
			commitIn(r, "run")
		},
	} {
		t.Run(name, func(t *testing.T) {
			repo := gittest.New(t, gittest.Options{})
			repo.Write("guide.md", []byte("# Guide\nwith some\nlines to\nrecognise it by\n"), 0o644)
			repo.Write("proof/portable.json", []byte(portable), 0o644)
			repo.Git("add", "-A")
			commit := repo.Commit("first")
			change(repo)
			sameAsAlone(t, repo.Dir, commit, "ab"+commit)
		})
	}
}

const portable = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n"

// commitIn makes a commit in a repository inside.
func commitIn(r *gittest.Repo, dir string) {
	r.Git("-C", dir, "commit", "-q", "--allow-empty", "--no-gpg-sign", "-m", "inside")
}
