package runtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"finishline/canon"
)

// namespaces are the evidence directories of a run that Build writes to.
var namespaces = []string{"evals", "goal", "proof", "qa", "run", "trajectory"}

// inventoryList lists every evidence file there is so far, sorted: packet and
// review are not yet.
func (b *builder) inventoryList() (canon.Value, error) {
	var paths []string
	for _, dir := range namespaces {
		err := filepath.WalkDir(filepath.Join(b.dir, dir), func(path string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(b.dir, path)
			paths = append(paths, filepath.ToSlash(rel))
			return err
		})
		if err != nil {
			return canon.Value{}, err
		}
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
