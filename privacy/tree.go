package privacy

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"finishline/canon"
)

// An entry is a file or link that is part of a scan.
type entry struct {
	path string // relative to the root, as the report names it
	real string // the same without links in its parents, to open it by
}

// A tree is what enumeration collects (10 §3).
type tree struct {
	root  *os.Root
	dir   string // the real root, absolute
	walk  walk
	files map[string]entry
	links map[string]entry
	// parents are the real paths of folders that were asked for by name.
	parents map[string]string

	special  []string // neither folder, file nor link; passed over
	linked   []string // include paths below a link
	excluded []entry  // of release mode: passed over by name
	skipped  int      // entries that release mode left out
	noGit    string   // why tracked files could not be listed, "" when they were
}

// A walk says what is passed over on the way.
type walk int

const (
	walkSources walk = iota // repository and include
	walkRelease
)

func openTree(dir string, w walk) (*tree, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	return &tree{root: root, dir: abs, walk: w, files: map[string]entry{}, links: map[string]entry{}, parents: map[string]string{}}, nil
}

func (t *tree) close() { t.root.Close() }

// ignoredFolders are never entered (10 §3).
var ignoredFolders = map[string]bool{
	".git": true, ".gitnexus": true, ".next": true, ".nuxt": true, ".output": true, ".cache": true, ".turbo": true,
	".parcel-cache": true, ".vite": true, ".pytest_cache": true, ".mypy_cache": true, ".ruff_cache": true, ".venv": true,
	"node_modules": true, "vendor": true, "coverage": true, "__pycache__": true, "venv": true,
}

const buildInfo = ".tsbuildinfo"

// namesAtOnce is how many names of a folder are read at once.
const namesAtOnce = 1024

// descend collects what lies below a folder. Folders wait in a list, not on the
// stack, and one is open at a time, so that no depth exhausts anything.
func (t *tree) descend(top entry) *GateError {
	waiting := []entry{top}
	for len(waiting) > 0 {
		at := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		below, err := t.list(at, top)
		if err != nil {
			return err
		}
		waiting = append(waiting, below...)
	}
	return nil
}

// list reads one folder and returns those below it.
func (t *tree) list(at, top entry) (folders []entry, failed *GateError) {
	name := at.real
	if name == "" {
		name = "."
	}
	d, err := t.root.Open(name)
	if err != nil {
		return nil, unreadable("privacy.read.failed", at.path, err)
	}
	defer d.Close()
	for {
		entries, err := d.ReadDir(namesAtOnce)
		for _, e := range entries {
			child, failed := t.child(at, e.Name())
			if failed != nil {
				return nil, failed
			}
			kind, err := t.kind(child, e)
			if err != nil {
				return nil, unreadable("privacy.read.failed", child.path, err)
			}
			if kind == fs.ModeDir {
				if t.enters(child, top) {
					folders = append(folders, child)
				}
				continue
			}
			t.collect(child, kind)
		}
		if errors.Is(err, io.EOF) {
			return folders, nil
		}
		if err != nil {
			return nil, unreadable("privacy.read.failed", at.path, err)
		}
	}
}

// child is the entry of a name in a folder.
func (t *tree) child(at entry, name string) (entry, *GateError) {
	if !utf8.ValidString(name) {
		return entry{}, refuse("privacy.read.name", at.path, "a name in this folder is no valid UTF-8")
	}
	c := entry{path: join(at.path, name), real: join(at.real, name)}
	if len(c.path) > MaxPath {
		return entry{}, refuse("privacy.read.failed", at.path, "a path below this folder is longer than 4096 bytes")
	}
	return c, nil
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// kind is the type of a folder's entry. Some file systems do not tell it with
// the name.
func (t *tree) kind(e entry, d fs.DirEntry) (fs.FileMode, error) {
	kind := d.Type()
	if kind&fs.ModeIrregular == 0 {
		return kind, nil
	}
	info, err := t.root.Lstat(e.real)
	if err != nil {
		return 0, err
	}
	return info.Mode().Type(), nil
}

// enters decides whether the walk goes into a folder.
func (t *tree) enters(folder, top entry) bool {
	if t.walk != walkRelease {
		return !ignoredFolders[base(folder.path)]
	}
	inside := strings.TrimPrefix(folder.path, top.path+"/")
	switch inside {
	case "cache", "dev", "diagnostics", "types", "standalone/node_modules":
		t.skipped++
		return false
	}
	if parent, ok := strings.CutSuffix(folder.path, "/cache"); ok && base(parent) == ".next" {
		t.skipped++
		return false
	}
	return true
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// collect takes a link, file or other kind of entry.
func (t *tree) collect(e entry, kind fs.FileMode) {
	name := base(e.path)
	generated := t.walk == walkRelease && generatedName(name)
	if generated {
		t.skipped++
		t.excluded = append(t.excluded, e)
	}
	switch {
	case kind != 0 && kind != fs.ModeSymlink:
		t.special = append(t.special, e.path)
	case generated:
	case kind == fs.ModeSymlink:
		t.links[e.path] = e
	case t.walk == walkSources && strings.HasSuffix(name, buildInfo):
	default:
		t.files[e.path] = e
	}
}

// generatedName reports whether release mode passes over what has this name.
func generatedName(name string) bool {
	low := canon.LowerASCII(name)
	return low == "trace" || strings.HasPrefix(low, "trace-") || strings.HasSuffix(low, ".nft.json") || strings.HasSuffix(low, buildInfo)
}

// sorted returns entries in UTF-16 order of their whole path.
func sorted(entries map[string]entry) []entry {
	list := make([]entry, 0, len(entries))
	for _, e := range entries {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b entry) int { return canon.CompareUTF16(a.path, b.path) })
	return list
}

// lstat inspects a path below the root without following its last component.
// Parents may link to places inside the root. The error is errOutside, beside
// what is there, when they lead outside; nothing is read there.
func (t *tree) lstat(path string) (entry, fs.FileInfo, error) {
	real := t.realOf(path)
	if real == "" {
		info, err := os.Lstat(filepath.Join(t.dir, filepath.FromSlash(path)))
		if err == nil {
			err = errOutside
		}
		return entry{}, info, err
	}
	info, err := t.root.Lstat(real)
	return entry{path, real}, info, err
}

var errOutside = errors.New("a link on the way leads outside the root")

// realOf resolves the links in the parents of a path, "" when that leads
// outside or nowhere.
func (t *tree) realOf(path string) string {
	dir, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, name = path[:i], path[i+1:]
	}
	rel, known := t.parents[dir]
	if !known {
		rel = outside
		if real, err := filepath.EvalSymlinks(filepath.Join(t.dir, filepath.FromSlash(dir))); err == nil {
			if r, inside := below(t.dir, real); inside {
				rel = r
			}
		}
		t.parents[dir] = rel
	}
	if rel == outside {
		return ""
	}
	return join(rel, name)
}

// outside stands for the real path of a folder that is not below the root.
const outside = ".."

// below gives target relative to dir, with /, "" for dir itself.
func below(dir, target string) (rel string, inside bool) {
	if target == dir {
		return "", true
	}
	rel, inside = strings.CutPrefix(target, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
	return filepath.ToSlash(rel), inside
}

// missing reports whether an error says that nothing is there.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG)
}
