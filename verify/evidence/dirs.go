package evidence

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"sync"
)

// maxOpenDirs bounds the directories that one look keeps open; what lies in
// others is reached from the root each time.
const maxOpenDirs = 128

// openDirs keeps directories open that were reached through no link, so that a
// file in one is looked at and opened by its name alone: hundreds of evidence
// files lie in few directories. For as long as the look lasts they are the
// directories that were found first, wherever somebody moves them meanwhile.
type openDirs struct {
	mu   sync.Mutex
	open map[string]*os.Root // by path relative to the root
}

// of gives the directory at rel, cleaned and with /; nil when it is no
// directory, lies behind a link, or is one too many. The caller then goes the
// long way, which has the words for what is wrong.
func (d *openDirs) of(root *os.Root, rel string) *os.Root {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reach(root, rel)
}

func (d *openDirs) reach(root *os.Root, rel string) *os.Root {
	if rel == "." {
		return root
	}
	if dir := d.open[rel]; dir != nil {
		return dir
	}
	parent := d.reach(root, path.Dir(rel))
	if parent == nil || len(d.open) >= maxOpenDirs {
		return nil
	}
	name := path.Base(rel)
	info, err := parent.Lstat(name)
	if err != nil || !info.IsDir() {
		return nil
	}
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return nil
	}
	// Opening follows a link that was put there since.
	if now, err := dir.Lstat("."); err != nil || !os.SameFile(info, now) {
		dir.Close()
		return nil
	}
	if d.open == nil {
		d.open = map[string]*os.Root{}
	}
	d.open[rel] = dir
	return dir
}

// Close closes them; the look goes on the long way.
func (d *openDirs) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, dir := range d.open {
		errs = append(errs, dir.Close())
	}
	d.open = nil
	return errors.Join(errs...)
}

// straight resolves a cleaned path, relative to the root and with /, that leads
// to something without any link: what nearly every path of a run does.
// Everything else is for the caller to find out.
func (r *Root) straight(rel string) (Resolved, bool) {
	if rel == "." || !filepath.IsLocal(rel) {
		return Resolved{}, false
	}
	dir := r.dirs.of(r.root, path.Dir(rel))
	if dir == nil {
		return Resolved{}, false
	}
	info, err := dir.Lstat(path.Base(rel))
	if err != nil || info.Mode()&os.ModeSymlink != 0 {
		return Resolved{}, false
	}
	return Resolved{Rel: rel, Exists: true, Regular: info.Mode().IsRegular(), real: rel, info: info, dir: dir}, true
}
