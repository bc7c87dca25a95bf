package pack_test

import (
	"os"
	"path/filepath"
	"testing"

	"finishline/packet/pack"
	"finishline/verify/evidence"
)

// The pack root is .valdris-harness as soon as anything of that name exists,
// so that no target is judged under scripts planted at its root.
func TestSelect(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(dir string) error
		named   string
		want    string // below the target
		present bool
	}{
		"nothing":       {func(string) error { return nil }, "", ".", false},
		"registry":      {func(d string) error { return writeFile(d, "skills/registry.json") }, "", ".", true},
		"skills a file": {func(d string) error { return writeFile(d, "skills") }, "", ".", false},
		"directory":     {func(d string) error { return os.Mkdir(filepath.Join(d, ".valdris-harness"), 0o755) }, "", ".valdris-harness", true},
		"file":          {func(d string) error { return writeFile(d, ".valdris-harness") }, "", ".valdris-harness", true},
		"dangling link": {func(d string) error { return os.Symlink("nowhere", filepath.Join(d, ".valdris-harness")) }, "", ".valdris-harness", true},
		"both":          {func(d string) error { return writeFile(d, "scripts/a.mjs", ".valdris-harness/x") }, "", ".valdris-harness", true},
		"named":         {func(d string) error { return writeFile(d, ".valdris-harness/x") }, ".", ".", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := c.prepare(dir); err != nil {
				t.Fatal(err)
			}
			root, err := evidence.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			named := c.named
			if named != "" {
				named = filepath.Join(dir, named) + "/"
			}
			got, err := pack.Select(root, named)
			if want := filepath.Join(root.Dir(), c.want); err != nil || got.Dir != want || got.Present != c.present || got.Named != (named != "") {
				t.Errorf("selected %+v, %v, want %s, present %v", got, err, want, c.present)
			}
		})
	}
}

func writeFile(dir string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			return err
		}
	}
	return nil
}
