package pack

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify/evidence"
)

// Bounds of a live walk. A pack that reaches one is refused as not having its
// committed inventory: no pack in use comes near.
const (
	maxLiveEntries = 200_000 // files, directories and others below one walked directory
	maxLiveDepth   = 128     // directories below the walked one
	// maxLiveFile is twice what Git hands over of one blob: no working-tree
	// form of a readable blob is longer, so a longer file is another one.
	maxLiveFile = 2 * git.MaxOutputBytes
)

// A liveFile is what was seen of a live file at one moment.
type liveFile struct {
	content
	data []byte // kept only where a later rule parses it
	err  error  // why there is no content: *evidence.FileError, or absent
}

// A survey is what one walk of live directories saw. Paths are relative to the
// pack root.
type survey struct {
	files map[string]bool // regular files, whether read or not
	read  map[string]liveFile
	links []string // symbolic links met, in the order of the walk
	// trouble is why the walk is not complete: a bound, or the operating
	// system's error. The files seen are then not the inventory.
	trouble *walkError
	// dir is the walked directory, relative to the pack root; missing says
	// that it is not there.
	dir     string
	missing bool
	dirs    map[string]bool // directories directly below it
}

// below is the part of a walk that concerns a directory directly below the
// walked one.
func (s *survey) below(dir string) *survey {
	part := &survey{dir: dir, missing: !s.dirs[dir], trouble: s.trouble, files: map[string]bool{}, read: s.read}
	for rel := range s.files {
		if strings.HasPrefix(rel, dir+"/") {
			part.files[rel] = true
		}
	}
	return part
}

// A walkError says why a walk ended early.
type walkError struct {
	path   string
	reason string
	// system marks the operating system's refusal: not looked at.
	system bool
}

// walker looks at live directories through open handles, so that no parent can
// be exchanged for a link under it.
type walker struct {
	survey
	wanted func(rel string) bool // the files whose bytes are needed
	keep   func(rel string) bool // those whose bytes are kept
	left   int                   // entries that may still be met
}

// walk surveys the directory dir below root; rel is its name relative to the
// pack root, "" for the pack root itself.
func walk(root *os.Root, dir, rel string, wanted, keep func(string) bool) *survey {
	return (&walker{wanted: wanted, keep: keep, left: maxLiveEntries}).walk(root, dir, rel)
}

func (w *walker) walk(root *os.Root, dir, rel string) *survey {
	w.survey = survey{
		dir: rel, files: map[string]bool{}, read: map[string]liveFile{}, dirs: map[string]bool{}}
	info, err := root.Lstat(dir)
	switch {
	case evidence.IsAbsent(err):
		w.missing = true
	case err != nil:
		w.fail(rel, err)
	case info.Mode()&fs.ModeSymlink != 0:
		w.links = append(w.links, rel)
	case !info.IsDir():
		w.missing = true // something, but no directory to walk
	default:
		w.enter(root, dir, rel, info, 0)
	}
	slices.SortFunc(w.links, canon.CompareUTF16)
	return &w.survey
}

// enter opens the directory that info describes and surveys it.
func (w *walker) enter(parent *os.Root, name, rel string, info fs.FileInfo, depth int) {
	if depth > maxLiveDepth {
		w.stop(rel, fmt.Sprintf("directories deeper than %d", maxLiveDepth))
		return
	}
	dir, err := parent.OpenRoot(name)
	if err != nil {
		w.fail(rel, err)
		return
	}
	defer dir.Close()
	if now, err := dir.Stat("."); err != nil || !os.SameFile(now, info) {
		w.stop(rel, "a directory that was replaced during the walk")
		return
	}
	for _, e := range w.list(dir, rel) {
		if w.trouble != nil {
			return
		}
		w.visit(dir, e.Name(), rel, depth)
	}
}

// list reads a directory in pieces, so that its length is noticed before it is
// in memory, and sorts it.
func (w *walker) list(dir *os.Root, rel string) []fs.DirEntry {
	const piece = 1024
	h, err := dir.Open(".")
	if err != nil {
		w.fail(rel, err)
		return nil
	}
	defer h.Close()
	var list []fs.DirEntry
	for {
		some, err := h.ReadDir(piece)
		list = append(list, some...)
		if w.left -= len(some); w.left < 0 {
			w.stop(rel, fmt.Sprintf("more than %d entries in all directories", maxLiveEntries))
			return nil
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			w.fail(rel, err)
			return nil
		}
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

func (w *walker) visit(dir *os.Root, name, parent string, depth int) {
	rel := join(parent, name)
	info, err := dir.Lstat(name)
	switch {
	case err != nil && evidence.IsAbsent(err):
		// Gone since it was listed: not there.
	case err != nil:
		w.fail(rel, err)
	case info.Mode()&fs.ModeSymlink != 0:
		w.links = append(w.links, rel)
	case info.IsDir():
		if depth == 0 {
			w.dirs[rel] = true
		}
		w.enter(dir, name, rel, info, depth+1)
	case info.Mode().IsRegular():
		w.files[rel] = true
		if w.wanted(rel) {
			keep := digestOnly
			if w.keep(rel) {
				keep = keepBytes
			}
			w.read[rel] = readLive(dir, name, keep)
		}
	}
}

func (w *walker) stop(rel, reason string) {
	if w.trouble == nil {
		w.trouble = &walkError{path: rel, reason: reason}
	}
}

func (w *walker) fail(rel string, err error) {
	if w.trouble == nil {
		w.trouble = &walkError{path: rel, reason: reasonOf(err), system: true}
	}
}

// retention says whether the bytes of a live file stay in memory.
type retention int

const (
	digestOnly retention = iota
	keepBytes
)

// readLive reads one live file.
func readLive(dir *os.Root, name string, keep retention) liveFile {
	data, _, err := evidence.ReadRegular(dir, name, maxLiveFile)
	if err != nil {
		return liveFile{err: err}
	}
	f := liveFile{content: contentOf(data)}
	if keep == keepBytes {
		f.data = data
	}
	return f
}

// reasonOf is an error's cause without the path, which the finding has.
func reasonOf(err error) string {
	var fe *evidence.FileError
	if errors.As(err, &fe) {
		return fe.Reason
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
