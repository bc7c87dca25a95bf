package evidence

import (
	"os"
	"path/filepath"
	"testing"
)

func TestExists(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "root")
	for _, d := range []string{dir, filepath.Join(dir, "sub"), filepath.Join(base, "outside")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{filepath.Join(dir, "sub", "f"), filepath.Join(base, "outside", "f")} {
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"inside": "sub/f", "out": "../outside", "dangling": "nowhere", "loop": "loop",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for rel, want := range map[string]bool{
		"sub": true, "sub/f": true, "inside": true, "out": true, "out/f": true,
		"none": false, "sub/f/x": false, "dangling": false, "loop": false, "out/none": false,
	} {
		if got, err := root.Exists(rel); got != want || err != nil {
			t.Errorf("%s: %v, %v; want %v", rel, got, err, want)
		}
	}
}
