package produce

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"finishline/internal/atomicfile"
	"finishline/verify/evidence"
)

// A destination is where a document is going to be: a path below a directory.
type destination struct {
	dir  string // absolute, links resolved
	path string // relative to it, with /
}

// openOutput resolves the path of a document that must not exist yet (03 D.1).
func openOutput(dir, artifact string) (destination, error) {
	root, err := evidence.Open(dir)
	if err != nil {
		return destination{}, err
	}
	defer root.Close()
	rel, err := vacant(root, artifact)
	return destination{dir: root.Dir(), path: rel}, err
}

// vacant resolves a path at which nothing is.
func vacant(root *evidence.Root, artifact string) (rel string, err error) {
	res, pathErr := root.Resolve(artifact, evidence.MayBeAbsent)
	if pathErr != nil {
		return "", fmt.Errorf("--output %s: %s (%s)", artifact, pathErr.Reason, pathErr.Rule)
	}
	if res.Exists {
		return "", exists(res.Rel)
	}
	if pathErr := evidence.StrictPath(res.Rel); pathErr != nil {
		return "", fmt.Errorf("--output %s: %s (%s)", res.Rel, pathErr.Reason, pathErr.Rule)
	}
	return res.Rel, nil
}

func exists(path string) error {
	return &Refusal{Reason: path + ": " + atomicfile.ErrExists.Error(), Advice: "choose another path, or move the file away if it is of no use"}
}

// create writes the document. The directory is looked at again: a command that
// just ran may have changed it.
func (d destination) create(data []byte) error {
	root, err := evidence.Open(d.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if parent := path.Dir(d.path); parent != "." {
		if err := root.FS().MkdirAll(filepath.FromSlash(parent), 0o755); err != nil {
			return err
		}
	}
	if _, err := vacant(root, d.path); err != nil {
		return err
	}
	err = atomicfile.Create(filepath.Join(d.dir, filepath.FromSlash(d.path)), data)
	if errors.Is(err, atomicfile.ErrExists) {
		return exists(d.path)
	}
	return err
}
