package git_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"finishline/internal/git"
	"finishline/internal/gittest"
)

func open(t *testing.T, repo *gittest.Repo, target string) *git.Repo {
	t.Helper()
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := git.Open(t.Context(), prog, repo.Path(target))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func commit(repo *gittest.Repo, message string) string {
	repo.Git("add", "-A")
	return repo.Commit(message, "--allow-empty")
}

const body = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"

func history(t *testing.T) (repo *gittest.Repo, first, second string) {
	repo = gittest.New(t, gittest.Options{Config: []string{"diff.renames=false", "diff.ignoreSubmodules=all"}})
	repo.Write("svc/old.txt", []byte(body), 0o644)
	repo.Write("svc/keep.txt", []byte("keep\n"), 0o644)
	repo.Write("top.txt", []byte("top\n"), 0o644)
	first = commit(repo, "first")
	repo.Remove("svc/old.txt")
	repo.Write("svc/new.txt", []byte(body+"nine\n"), 0o644)
	repo.Write("svc/*.txt", []byte("star\n"), 0o644)
	repo.Write("top.txt", []byte("changed\n"), 0o644)
	return repo, first, commit(repo, "second")
}

func TestChangedNames(t *testing.T) {
	repo, first, second := history(t)
	for _, c := range []struct {
		target, prefix string
		want           []string
	}{
		{".", "", []string{"svc/*.txt", "svc/new.txt", "top.txt"}}, // the rename's new name only, whatever is configured
		{"svc", "svc/", []string{"svc/*.txt", "svc/new.txt"}},
		{".", "svc/*.txt", []string{"svc/*.txt"}}, // literal
		{".", "none", nil},
	} {
		r := open(t, repo, c.target)
		got, err := r.ChangedNames(t.Context(), first, strings.ToUpper(second), c.prefix, 1<<20)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("below %q: %q, %v; want %q", c.prefix, got, err, c.want)
		}
	}
	r := open(t, repo, ".")
	var gitErr *git.Error
	if _, err := r.ChangedNames(t.Context(), first, second, "", 10); !errors.As(err, &gitErr) || gitErr.Reason != git.TooLarge {
		t.Errorf("output beyond the bound: %v", err)
	}
	for _, name := range []string{"HEAD", "--output=x", "", strings.Repeat("a", 40)} {
		if _, err := r.ChangedNames(t.Context(), name, second, "", 1<<20); !errors.As(err, &gitErr) {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

// Every object that the listing rests on is re-hashed: the trees on the way and the files that are compared for renames.
func TestReadChangedFindsForgery(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	for _, name := range []string{"HEAD:svc", "HEAD~1:svc", "HEAD:", "HEAD~1:svc/old.txt", "HEAD:svc/new.txt"} {
		repo, first, second := history(t)
		r := open(t, repo, ".")
		if forged, err := r.ReadChanged(t.Context(), first, second, ""); err != nil || len(forged) != 0 {
			t.Fatalf("honest repository: %v, forged %q", err, forged)
		}
		id := repo.Git("rev-parse", name)
		typ := repo.Git("cat-file", "-t", id)
		content, err := repo.TryGit("cat-file", typ, id)
		if err != nil {
			t.Fatal(err)
		}
		if typ == "tree" {
			content = "" // still a well-formed tree
		} else {
			content += "forged\n"
		}
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		fmt.Fprintf(w, "%s %d\x00%s", typ, len(content), content)
		w.Close()
		repo.Write(".git/objects/"+id[:2]+"/"+id[2:], z.Bytes(), 0o644)
		r = open(t, repo, ".")
		if forged, err := r.ReadChanged(t.Context(), first, second, ""); err != nil || !slices.Equal(forged, []string{id}) {
			t.Errorf("%s swapped: %v, forged %q, want %s", name, err, forged, id)
		}
	}
}

func TestReadChangedBelow(t *testing.T) {
	repo, first, second := history(t)
	r := open(t, repo, "svc")
	for _, prefix := range []string{"svc/", "svc", "none", "top.txt"} {
		if _, err := r.ReadChanged(t.Context(), first, second, prefix); err != nil {
			t.Errorf("%q: %v", prefix, err)
		}
	}
	if _, err := r.ReadChanged(t.Context(), strings.Repeat("a", 40), second, ""); !errors.Is(err, git.ErrNotFound) {
		t.Errorf("unknown commit: %v", err)
	}
}

func TestIsAncestor(t *testing.T) {
	repo := gittest.New(t, gittest.Options{})
	root := commit(repo, "root")
	left := commit(repo, "left")
	repo.Git("checkout", "-q", "-b", "side", root)
	right := commit(repo, "right")
	repo.Git("merge", "-q", "--no-ff", "-m", "merge", left)
	merge := repo.Head()
	r := open(t, repo, ".")
	for _, c := range []struct {
		old, new string
		want     bool
	}{
		{root, merge, true}, {left, merge, true}, {right, merge, true}, {merge, merge, true}, {strings.ToUpper(left), merge, true},
		{left, right, false}, {merge, left, false}, {strings.Repeat("a", 40), merge, false},
	} {
		if got, err := r.IsAncestor(t.Context(), c.old, c.new); err != nil || got != c.want {
			t.Errorf("%s in %s: %t, %v", c.old, c.new, got, err)
		}
	}
}

// A graft claims a parent that the commit does not have. Git believes it (the positive control), this package does not.
func TestIsAncestorIgnoresGrafts(t *testing.T) {
	repo := gittest.New(t, gittest.Options{})
	first := commit(repo, "first")
	repo.Git("checkout", "-q", "--orphan", "other")
	second := commit(repo, "second")
	repo.Write(".git/info/grafts", []byte(second+" "+first+"\n"), 0o644)
	if _, err := repo.TryGit("merge-base", "--is-ancestor", first, second); err != nil {
		t.Skipf("this Git does not read grafts: %v", err)
	}
	if got, err := open(t, repo, ".").IsAncestor(t.Context(), first, second); got || err != nil {
		t.Errorf("ancestor by a graft: %t, %v", got, err)
	}
}

func TestIsAncestorOfShallowHistory(t *testing.T) {
	repo := gittest.New(t, gittest.Options{})
	first := commit(repo, "first")
	second := commit(repo, "second")
	third := commit(repo, "third")
	if err := os.Remove(repo.Path(".git/objects/" + second[:2] + "/" + second[2:])); err != nil {
		t.Fatal(err)
	}
	var gitErr *git.Error
	if got, err := open(t, repo, ".").IsAncestor(t.Context(), first, third); got || !errors.As(err, &gitErr) {
		t.Errorf("history that is cut off: %t, %v", got, err)
	}
}
