package evidence

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func openRoot(t *testing.T, dir string) *Root {
	t.Helper()
	root, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestMoreDirectoriesThanStayOpen(t *testing.T) {
	dir := t.TempDir()
	const many = 3 * maxOpenDirs
	for i := range many {
		writeFile(t, fmt.Sprintf("%s/logs/%03d/deep/er/a.log", dir, i), fmt.Sprint(i))
	}
	root := openRoot(t, dir)
	for i := range many {
		path := fmt.Sprintf("logs/%03d/deep/er/a.log", i)
		a, err := root.Read(path, 10)
		if err != nil || string(a.Data) != fmt.Sprint(i) {
			t.Fatalf("%s: %v, %v", path, a, err)
		}
	}
	if open := len(root.dirs.open); open != maxOpenDirs {
		t.Errorf("%d directories are open, expected %d", open, maxOpenDirs)
	}
}

// A look goes on in the directories that it found; the next one sees what has
// taken their place, by the same rules as ever.
func TestDirectoryMovedBetweenLooks(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir+"/logs/a.log", "first")
	writeFile(t, dir+"/logs/b.log", "first")
	root := openRoot(t, dir)
	if _, err := root.Read("logs/a.log", 10); err != nil {
		t.Fatal(err)
	}

	outside := t.TempDir()
	writeFile(t, outside+"/b.log", "other")
	if err := os.Rename(dir+"/logs", dir+"/moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, dir+"/logs"); err != nil {
		t.Fatal(err)
	}
	if a, err := root.Read("logs/b.log", 10); err != nil || string(a.Data) != "first" {
		t.Errorf("in the same look: %v, %v", a, err)
	}
	fresh := root.Fresh()
	defer fresh.Close()
	if _, err := fresh.Resolve("logs/b.log", MustExist); err == nil || err.Rule != "path.resolves-outside" {
		t.Errorf("in the next look: %v", err)
	}

	if err := os.Remove(dir + "/logs"); err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir+"/logs/b.log", "third")
	if err := os.Symlink("moved", dir+"/linked"); err != nil {
		t.Fatal(err)
	}
	again := root.Fresh()
	defer again.Close()
	if a, err := again.Read("logs/b.log", 10); err != nil || string(a.Data) != "third" {
		t.Errorf("after it was replaced: %v, %v", a, err)
	}
	// A link inside the root is followed, and known to be one.
	res, refused := again.Resolve("linked/b.log", MustExist)
	if refused != nil || res.Straight() || res.Rel != "linked/b.log" {
		t.Errorf("through a link: %+v, %v", res, refused)
	}
	if _, err := again.PlainFile("linked/b.log"); err == nil {
		t.Error("a plain file through a link")
	}
}

// Closing a look leaves its origin usable.
func TestCloseOfALook(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir+"/logs/a.log", "text")
	root := openRoot(t, dir)
	for range 3 {
		fresh := root.Fresh()
		if _, err := fresh.Digest("logs/a.log"); err != nil {
			t.Fatal(err)
		}
		if err := fresh.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := root.Digest("logs/a.log"); err != nil {
		t.Fatal(err)
	}
}
