package evidence

import (
	"os"
	"path/filepath"
)

// Exists reports whether something is there under a path of the contract's own
// (relative, with /), whatever it is. Links are followed, so a dangling one
// leads to nothing; one that leaves the root counts as something, so that the
// rule that reads it refuses it. Nothing is opened. An error is the operating
// system's: it could not be looked at.
func (r *Root) Exists(rel string) (bool, error) {
	if _, ok := r.proposed[rel]; ok {
		return true, nil
	}
	_, err := os.Stat(filepath.Join(r.dir, filepath.FromSlash(rel)))
	switch {
	case err == nil:
		return true, nil
	case notExist(err):
		return false, nil
	}
	return false, err
}
