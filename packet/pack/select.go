package pack

import (
	"fmt"
	"path/filepath"

	"finishline/verify/evidence"
)

// A Pack is the pack root R of a target (06 §1).
type Pack struct {
	Dir   string // absolute, cleaned
	Named bool   // chosen by the caller
	// Present says that there is a pack to take catalogs and the registry
	// from (09b §3): the caller named it, the target has a commissioned
	// directory, or the root holds a skill registry.
	Present bool
}

// Select finds the pack root of a target. The caller's choice, a directory
// relative to the working directory, wins; otherwise it is .valdris-harness
// below the target when an entry of that name exists, whatever its type, else
// the target itself. It never comes from a packet, so that a commissioned
// target cannot be judged again under scripts planted at its root. The error
// is the operating system's: what cannot be looked at selects nothing.
func Select(target *evidence.Root, named string) (Pack, error) {
	if named != "" {
		dir, err := filepath.Abs(named)
		if err != nil {
			return Pack{}, fmt.Errorf("select pack root: %w", err)
		}
		return Pack{Dir: dir, Named: true, Present: true}, nil
	}
	// Not [evidence.Root.Exists], which follows links: a dangling one of this
	// name is an entry too.
	_, err := target.FS().Lstat(commissionedDir)
	switch {
	case err == nil:
		return Pack{Dir: filepath.Join(target.Dir(), commissionedDir), Present: true}, nil
	case !evidence.IsAbsent(err):
		return Pack{}, fmt.Errorf("select pack root: %w", err)
	}
	registry, err := target.Exists(registryPath)
	if err != nil {
		return Pack{}, fmt.Errorf("select pack root: %w", err)
	}
	return Pack{Dir: target.Dir(), Present: registry}, nil
}
