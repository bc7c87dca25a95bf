package runtest

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/packet"
)

// inventoryList lists every evidence file there is so far, sorted: packet and
// review are not yet.
func (b *builder) inventoryList() (canon.Value, error) {
	var paths []string
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		rel, err := filepath.Rel(b.dir, path)
		if rel = filepath.ToSlash(rel); err == nil && strings.Contains(rel, "/") && packet.InNamespace(rel) {
			paths = append(paths, rel)
		}
		return err
	})
	if err != nil {
		return canon.Value{}, err
	}
	slices.SortFunc(paths, canon.CompareUTF16)
	list := make([]canon.Value, len(paths))
	for i, path := range paths {
		sha, size, err := b.digest(path)
		if err != nil {
			return canon.Value{}, err
		}
		list[i] = obj("path", path, "sha256", sha, "size", size)
	}
	return canon.NewArray(list...), nil
}
