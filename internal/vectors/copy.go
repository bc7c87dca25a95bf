package vectors

import (
	"io/fs"
	"os"
	"path/filepath"
)

// CopyPrivate copies a directory of plain files so that only its owner has
// access, as those have it who keep what the vectors stand for.
func CopyPrivate(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
}
