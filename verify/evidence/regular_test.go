package evidence

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What lies at a name decides how reading it ends; nothing blocks and nothing
// outside the directory is opened.
func TestReadRegular(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, "file"), []byte("12345"), 0o644),
		os.WriteFile(filepath.Join(outside, "file"), []byte("secret"), 0o644),
		os.Mkdir(filepath.Join(dir, "dir"), 0o755),
		os.Symlink("file", filepath.Join(dir, "link")),
		os.Symlink(outside, filepath.Join(dir, "out")),
		syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, c := range map[string]struct {
		max  int64
		kind FileErrorKind
	}{
		"dir": {5, NotRegular}, "link": {5, NotRegular}, "fifo": {5, NotRegular}, "out/file": {9, NotRegular}, "file": {4, TooLarge},
	} {
		var fe *FileError
		if data, _, err := ReadRegular(root, name, c.max); !errors.As(err, &fe) || fe.Kind != c.kind || data != nil {
			t.Errorf("%s: %q, %v, want kind %v", name, data, err, c.kind)
		}
	}
	for _, name := range []string{"none", "none/file", "file/x"} {
		if _, _, err := ReadRegular(root, name, 5); !IsAbsent(err) {
			t.Errorf("%s: %v, want absent", name, err)
		}
	}
	if data, info, err := ReadRegular(root, "file", 5); err != nil || string(data) != "12345" || info.Size() != 5 {
		t.Errorf("file: %q, %v", data, err)
	}
}
