package runtest

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"finishline/internal/example"
	"finishline/internal/git"
	"finishline/internal/vectors"
	"finishline/packet"
)

var update = flag.Bool("update", false, "write the evidence of the embedded example")

// The embedded example is what Build makes of the zero plan. With -update the
// files are written anew; without, they must be those already.
func TestExampleIsWhatBuildMakes(t *testing.T) {
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run, err := Build(context.Background(), prog, dir, Plan{})
	if err != nil {
		t.Fatal(err)
	}
	evidence := filepath.Join(vectors.ProjectRoot(), "internal", "example", "files", "evidence")
	if *update {
		if err := os.RemoveAll(evidence); err != nil {
			t.Fatal(err)
		}
		for _, name := range evidenceFiles(t, dir) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			target := filepath.Join(evidence, name)
			if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(target, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		t.Skip("the example was written; run the test again without -update")
	}
	shown := t.TempDir()
	got, err := example.Materialise(context.Background(), prog, shown)
	if err != nil {
		t.Fatal(err)
	}
	if got.Commit != run.Commit || got.Pin != run.Pin {
		t.Errorf("the example has commit %s and pin %s, Build makes %s and %s", got.Commit, got.Pin, run.Commit, run.Pin)
	}
	for _, name := range evidenceFiles(t, dir) {
		want, _ := os.ReadFile(filepath.Join(dir, name))
		have, err := os.ReadFile(filepath.Join(shown, name))
		if err != nil || string(have) != string(want) {
			t.Errorf("%s is not what Build makes; run go test ./internal/runtest -update (%v)", name, err)
		}
	}
}

// evidenceFiles are the files of a run that are no part of the product: all
// uncommitted ones, and the trust store.
func evidenceFiles(t *testing.T, dir string) []string {
	t.Helper()
	names := []string{"controls/review-trust.v1.json"}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(path, "/") && packet.InNamespace(path) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
