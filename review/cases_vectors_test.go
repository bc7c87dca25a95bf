package review

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"finishline/internal/git"
	"finishline/internal/gittest"
	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/evidence"
)

// reviewCase is a file of vectors/review/cases; the README beside them says
// what the members mean.
type reviewCase struct {
	expectation
	Env  map[string]string `json:"env"`
	Args struct {
		Target     string `json:"target"`
		Review     string `json:"review"`
		TrustStore string `json:"trust_store"`
	} `json:"args"`
	Git struct {
		Init           bool              `json:"init"`
		CommitFiles    map[string]string `json:"commit_files"`
		CommitSymlinks map[string]string `json:"commit_symlinks"`
		Branches       []string          `json:"branches"`
		Commit         string            `json:"commit"`
	} `json:"git"`
	Files       map[string]*string `json:"files"`
	Symlinks    map[string]string  `json:"symlinks"`
	Directories []string           `json:"directories"`
}

func loadCases(t testing.TB) map[string]reviewCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(vectors.Dir(t, "review"), "cases", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no review case found (%v)", err)
	}
	cases := map[string]reviewCase{}
	for _, file := range files {
		var c reviewCase
		vectors.Read(t, file, &c)
		cases[c.Case] = c
	}
	return cases
}

// builder rebuilds cases. Cases that share a commit share the repository it is
// copied from.
type builder struct {
	bases map[string]*gittest.Repo
	root  testing.TB // outlives the cases
}

func newBuilder(t testing.TB) *builder { return &builder{map[string]*gittest.Repo{}, t} }

// build does steps 1 to 4 of the README.
func (b *builder) build(t testing.TB, c reviewCase) *gittest.Repo {
	t.Helper()
	repo := gittest.Plain(t)
	if c.Git.Init {
		repo = b.base(t, c).Copy(t)
	}
	for _, path := range slices.Sorted(maps.Keys(c.Files)) {
		switch text := c.Files[path]; {
		case text != nil:
			repo.Write(path, []byte(*text), 0o644)
		default:
			repo.Remove(path)
		}
	}
	for _, dir := range c.Directories {
		repo.Mkdir(dir)
	}
	for path, target := range c.Symlinks {
		repo.Symlink(path, target)
	}
	return repo
}

func (b *builder) base(t testing.TB, c reviewCase) *gittest.Repo {
	t.Helper()
	key := fmt.Sprint(c.Git.Commit, c.Git.Branches)
	if repo := b.bases[key]; repo != nil {
		return repo
	}
	repo := gittest.New(b.root, gittest.Options{
		Author: gittest.Identity{Name: "Vector Author", Email: "vectors@example.test"},
		Date:   "2026-02-03T04:05:06+00:00", Config: []string{"core.autocrlf=false"},
	})
	for path, text := range c.Git.CommitFiles {
		repo.Write(path, []byte(text), 0o644)
	}
	for path, target := range c.Git.CommitSymlinks {
		repo.Symlink(path, target)
	}
	repo.Git("add", "-A", "-f")
	if id := repo.Commit("vector", "--allow-empty"); id != c.Git.Commit {
		t.Fatalf("the rebuild deviates: commit %s, want %s", id, c.Git.Commit)
	}
	for _, name := range c.Git.Branches {
		repo.Git("branch", name)
	}
	b.bases[key] = repo
	return repo
}

// verifyBoth verifies the review of a rebuilt case at both levels.
func verifyBoth(t testing.TB, repo *gittest.Repo, c reviewCase) (base, strict *Result) {
	t.Helper()
	in := inputFor(t, repo.Path(c.Args.Target), verify.Base)
	in.ReviewPath, in.TrustStorePath, in.Pin = c.Args.Review, c.Args.TrustStore, ParsePin(c.Env[PinVariable])
	base, err1 := Verify(context.Background(), in)
	in.Level, in.Root = verify.Strict, in.Root.Fresh()
	strict, err2 := Verify(context.Background(), in)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return base, strict
}

func inputFor(t testing.TB, target string, level verify.Level) Input {
	t.Helper()
	root, err := evidence.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	in := Input{Root: root, ReviewPath: DefaultPath, Level: level}
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	if in.Repo, in.GitErr = git.Open(context.Background(), prog, target); in.GitErr == nil {
		t.Cleanup(func() { in.Repo.Close() })
	} else {
		in.Repo = nil
	}
	return in
}

func TestVectorsReviews(t *testing.T) {
	b := newBuilder(t)
	tally := vectors.NewTally(t, "review/cases")
	cases := loadCases(t)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		tally.Case(name, func(t *testing.T) {
			repo := b.build(t, c)
			base, strict := verifyBoth(t, repo, c)
			c.check(t, base.Findings.List(), strict.Findings.List())
			if base.Verdict() == verify.Pass != c.Expect.Valid {
				t.Errorf("verdict %v", base.Verdict())
			}
			if c.Expect.Valid && len(base.Keys) != 1 {
				t.Errorf("a valid review was verified under %d keys", len(base.Keys))
			}
		})
	}
}

// plainCase is the simplest valid case, for tests that change it.
func plainCase(t testing.TB) reviewCase {
	t.Helper()
	c, ok := loadCases(t)["valid-plain"]
	if !ok {
		t.Fatal("the vectors have no case valid-plain")
	}
	return c
}
