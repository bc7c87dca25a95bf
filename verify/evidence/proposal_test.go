package evidence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/verify"
)

// Every way in which a verifier reaches a file by path must lead to the
// proposed bytes, and the disk must not know of them.
func TestWithShowsTheProposedBytes(t *testing.T) {
	root, dir := proposalRoot(t)
	if err := os.WriteFile(filepath.Join(dir, "run", "old.json"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"run/new.json", "run/old.json", "fresh/dir/new.json"} {
		data := []byte(`{"proposed":"` + path + `"}`)
		with, refErr := root.With(path, data)
		if refErr != nil {
			t.Fatalf("%s: %v", path, refErr)
		}
		for name, seen := range map[string]*Root{"with": with, "fresh": with.Fresh()} {
			for _, level := range []verify.Level{verify.Strict, verify.Base} {
				for how, access := range map[string]Access{"safe": (*Root).SafeFile, "own": (*Root).OwnFile} {
					artifact, doc, docErr := seen.ReadDocument(path, level, access, canon.MaxDocument)
					if docErr != nil || string(artifact.Data) != string(data) || !doc.Root.Get("proposed").Is(path) {
						t.Errorf("%s %s %s %s: %v", path, name, level, how, docErr)
					}
				}
			}
			for _, spelling := range []string{path, strings.Replace(path, "/", "//", 1), filepath.Join(seen.Dir(), path)} {
				res, perr := seen.Resolve(spelling, MustExist)
				if perr != nil || res.Rel != path || !res.Regular || res.Size() != int64(len(data)) {
					t.Errorf("%s: %s resolves to %+v, %v", name, spelling, res, perr)
				}
			}
			sum, err := seen.Digest(path)
			if err != nil || sum.SHA256 != canon.SHA256(data) || sum.Size != int64(len(data)) {
				t.Errorf("%s: digest of %s is %v, %v", name, path, sum, err)
			}
			if there, err := seen.Exists(path); !there || err != nil {
				t.Errorf("%s: %s does not exist (%v)", name, path, err)
			}
			if _, err := seen.Read(path, 3); err == nil {
				t.Errorf("%s: the bound of %s does not hold", name, path)
			}
		}
		got, _ := os.ReadFile(filepath.Join(dir, path))
		if string(got) == string(data) {
			t.Errorf("%s was written", path)
		}
		if sum, err := root.Digest(path); err == nil && sum.SHA256 == canon.SHA256(data) {
			t.Errorf("%s shows in the root it was derived from", path)
		}
	}
}

func TestWithKeepsEarlierProposals(t *testing.T) {
	root, _ := proposalRoot(t)
	first, err := root.With("run/a.json", []byte("1"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := first.With("run/b.json", []byte("22"))
	if err != nil {
		t.Fatal(err)
	}
	for path, size := range map[string]int64{"run/a.json": 1, "run/b.json": 2} {
		if d, err := second.Digest(path); err != nil || d.Size != size {
			t.Errorf("%s: %v, %v", path, d, err)
		}
	}
	if there, _ := first.Exists("run/b.json"); there {
		t.Error("a later proposal shows in the earlier root")
	}
}

// A proposal must be a file that could be written where it says: a link on the
// way would make the verified path and the written one two places.
func TestWithRefusesPlacesThatAreNone(t *testing.T) {
	root, dir := proposalRoot(t)
	outside := t.TempDir()
	for _, err := range []error{
		os.Symlink(outside, filepath.Join(dir, "linked")),
		os.Symlink("nowhere", filepath.Join(dir, "run", "dangling.json")),
		os.WriteFile(filepath.Join(dir, "file"), nil, 0o644),
		os.Mkdir(filepath.Join(dir, "run", "dir.json"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{
		"", "/run/x.json", "../x.json", "run/../x.json", "run//x.json", "./run/x.json", `run\x.json`, "run/x.json ",
		"linked/x.json", "run/dangling.json", "file/x.json", "run/dir.json",
	} {
		if _, err := root.With(path, []byte("x")); err == nil {
			t.Errorf("%q was accepted", path)
		}
	}
}

func proposalRoot(t *testing.T) (root *Root, dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}
