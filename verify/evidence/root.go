package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"finishline/canon"
	"finishline/verify"
)

// A Root is the directory below which a run's artifacts lie. It may be used by
// several goroutines.
type Root struct {
	dir  string // absolute, links resolved
	root *os.Root
	dirs *openDirs
	own  []io.Closer // of these, what Close closes; the rest is an origin's

	proposed map[string]proposal // files that are not written yet, by cleaned path

	mu    sync.Mutex
	files map[string]*file // by path with all links resolved, relative to dir
}

type file struct {
	mu   sync.Mutex
	path string // the path it was first asked for
	sum  string // "" until read
	size int64
	data *Artifact // nil until loaded
	err  error
}

// An Artifact is a file that was read once into memory.
type Artifact struct {
	Path   string // relative to the root, with /
	SHA256 string // D1, lower-case hex
	Data   []byte

	parse sync.Once
	doc   *canon.Document
	err   error
}

// JSON parses the artifact, once. The bound is that of the document's kind, of
// the first caller; the error is a *canon.ReadError.
func (a *Artifact) JSON(maxBytes int) (*canon.Document, error) {
	a.parse.Do(func() { a.doc, a.err = canon.Read(a.Data, maxBytes) })
	return a.doc, a.err
}

// A Digest is what hashing a file gives.
type Digest struct {
	SHA256 string // D1, lower-case hex
	Size   int64  // bytes
}

// Open opens the directory as a root. A root that is reached through a
// symbolic link is resolved first (01 §5.3).
func Open(dir string) (*Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open evidence root: %w", err)
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, fmt.Errorf("open evidence root: %w", err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open evidence root: %w", err)
	}
	dirs := &openDirs{}
	return &Root{dir: abs, root: root, dirs: dirs, own: []io.Closer{dirs, root}, files: map[string]*file{}}, nil
}

// Close releases the directory. Artifacts that were read stay usable.
func (r *Root) Close() error {
	var errs []error
	for _, c := range r.own {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Dir is the absolute path of the root with all links resolved.
func (r *Root) Dir() string { return r.dir }

// FS is the open directory, for walks. It cannot reach outside the root.
func (r *Root) FS() *os.Root { return r.root }

// Fresh returns the same directory with nothing read yet: the second look of
// the closing integrity barrier (05 §10). It is closed before its origin, whose
// open directory it shares.
func (r *Root) Fresh() *Root {
	dirs := &openDirs{}
	fresh := &Root{dir: r.dir, root: r.root, dirs: dirs, own: []io.Closer{dirs}, files: map[string]*file{}}
	fresh.propose(r.proposals()...)
	return fresh
}

// Existence says whether a path must exist to be resolved.
type Existence int

// MustExist refuses a path that leads nowhere, MayBeAbsent does not.
const (
	MustExist Existence = iota
	MayBeAbsent
)

// A Resolved path is what [Root.Resolve] made of one.
type Resolved struct {
	// Rel is the path relative to the root, cleaned, with /; links in parents
	// are not resolved. "." is the root itself. An artifact path is
	// "canonical for the root" when it equals Rel.
	Rel string
	// Exists is false only with MayBeAbsent.
	Exists bool
	// Regular reports whether it is a regular file.
	Regular bool

	real string // relative to the root, all links resolved
	info fs.FileInfo
	dir  *os.Root // that real lies directly in; nil for the long way from the root
}

// Resolve resolves an artifact path against the root (01 §5.3).
func (r *Root) Resolve(path string, need Existence) (Resolved, *PathError) {
	if err := Portable(path); err != nil {
		return Resolved{}, err
	}
	refuse := func(rule, reason string) (Resolved, *PathError) {
		return Resolved{}, &PathError{Rule: "path." + rule, Path: path, Reason: reason}
	}
	target := filepath.Clean(canon.UTF8(path))
	if !filepath.IsAbs(target) {
		target = filepath.Join(r.dir, target)
	}
	rel, inside := below(r.dir, target)
	if !inside {
		return refuse("escapes-root", "a path outside the root")
	}
	if res, ok := r.resolveProposed(rel); ok {
		return res, nil
	}
	if res, ok := r.straight(rel); ok {
		return res, nil
	}
	real, err := filepath.EvalSymlinks(target)
	if err != nil && !notExist(err) {
		return Resolved{}, &PathError{Rule: "path.missing", Path: path, Reason: osReason(err), Unevaluated: true}
	}
	if err != nil {
		return r.resolveAbsent(path, rel, target, need)
	}
	if info, err := os.Lstat(target); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return refuse("symlink", "a symbolic link")
	}
	realRel, inside := below(r.dir, real)
	if !inside {
		return refuse("resolves-outside", "a parent directory links outside the root")
	}
	info, err := r.root.Lstat(realRel)
	if err != nil {
		return Resolved{}, &PathError{Rule: "path.missing", Path: path, Reason: osReason(err), Unevaluated: !notExist(err)}
	}
	return Resolved{Rel: rel, Exists: true, Regular: info.Mode().IsRegular(), real: realRel, info: info}, nil
}

func (r *Root) resolveAbsent(path, rel, target string, need Existence) (Resolved, *PathError) {
	if need == MustExist {
		return Resolved{}, &PathError{Rule: "path.missing", Path: path, Reason: "no such file"}
	}
	for parent := filepath.Dir(target); ; parent = filepath.Dir(parent) {
		real, err := filepath.EvalSymlinks(parent)
		if err != nil && notExist(err) && parent != filepath.Dir(parent) {
			continue
		}
		if err != nil {
			return Resolved{}, &PathError{Rule: "path.parent-resolves-outside", Path: path, Reason: osReason(err), Unevaluated: true}
		}
		if _, inside := below(r.dir, real); !inside {
			return Resolved{}, &PathError{Rule: "path.parent-resolves-outside", Path: path, Reason: "a parent directory links outside the root"}
		}
		return Resolved{Rel: rel}, nil
	}
}

// StrictResolved checks what strict level adds for what a path led to:
// strict.path.symlink-component and strict.path.not-regular-file.
func (r *Root) StrictResolved(path string, res Resolved) []*PathError {
	var list []*PathError
	if r.throughLink(res) {
		list = append(list, &PathError{Rule: "strict.path.symlink-component", Path: path, Reason: "a component is a symbolic link"})
	}
	if res.Exists && !res.Regular {
		list = append(list, &PathError{Rule: "strict.path.not-regular-file", Path: path, Reason: "not a regular file"})
	}
	return list
}

// throughLink reports whether a component below the root is a link. A path
// that leads nowhere may still do so through one.
func (r *Root) throughLink(res Resolved) bool {
	if res.Exists {
		return !res.Straight()
	}
	for i := 0; i <= len(res.Rel); i++ {
		if i < len(res.Rel) && res.Rel[i] != '/' {
			continue
		}
		info, err := r.root.Lstat(res.Rel[:i])
		if err != nil {
			return false
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// below gives target relative to dir, with /, when it is dir or below it.
func below(dir, target string) (rel string, inside bool) {
	if target == dir {
		return ".", true
	}
	prefix := strings.TrimSuffix(dir, "/") + "/"
	rel, inside = strings.CutPrefix(target, prefix)
	return rel, inside
}

// notExist covers the ways in which the system says that nothing is there: no
// entry, a parent that is a file, a dangling or circular link, a name that no
// file can have.
func notExist(err error) bool {
	for _, e := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL} {
		if errors.Is(err, e) {
			return true
		}
	}
	return strings.Contains(err.Error(), "too many links")
}

// osReason is the system's words without the path, which the finding has.
func osReason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// A FileError says why a file that resolved could not be read as one.
type FileError struct {
	Path   string
	Kind   FileErrorKind
	Reason string
}

// A FileErrorKind tells the ways apart in which reading fails.
type FileErrorKind int

const (
	// NotRegular: a directory, FIFO, socket or device.
	NotRegular FileErrorKind = iota
	// TooLarge: longer than the caller's bound (json.size for documents).
	TooLarge
	// Changed: the file was replaced or edited while it was read.
	Changed
	// Trouble: the operating system refused; nothing is known of the content.
	Trouble
)

func (e *FileError) Error() string { return fmt.Sprintf("%q: %s", e.Path, e.Reason) }

// Read resolves a path, which must exist, and loads the file, at most maxBytes
// long. Further calls give the same Artifact. The error is a *PathError or a
// *FileError.
func (r *Root) Read(path string, maxBytes int64) (*Artifact, error) {
	res, perr := r.Resolve(path, MustExist)
	if perr != nil {
		return nil, perr
	}
	return r.ReadResolved(res, maxBytes)
}

// ReadResolved is [Root.Read] of a path that was resolved before.
func (r *Root) ReadResolved(res Resolved, maxBytes int64) (*Artifact, error) {
	f := r.entry(res)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, f.err
	}
	if f.data != nil {
		if int64(len(f.data.Data)) > maxBytes {
			return nil, tooLarge(res.Rel, int64(len(f.data.Data)), maxBytes)
		}
		return f.data, nil
	}
	if res.Regular && res.info.Size() > maxBytes {
		return nil, tooLarge(res.Rel, res.info.Size(), maxBytes)
	}
	h, err := r.open(res)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	data, err := readBounded(h, res.info.Size(), maxBytes)
	if err != nil {
		return nil, &FileError{res.Rel, Trouble, osReason(err)}
	}
	if int64(len(data)) > maxBytes {
		return nil, tooLarge(res.Rel, int64(len(data)), maxBytes)
	}
	sum := canon.SHA256(data)
	if f.sum != "" && f.sum != sum {
		f.err = &FileError{res.Rel, Changed, "the file changed while it was verified"}
		return nil, f.err
	}
	f.sum, f.size = sum, int64(len(data))
	f.data = &Artifact{Path: res.Rel, SHA256: sum, Data: data}
	return f.data, nil
}

// Digest resolves a path, which must exist, and hashes the file without
// keeping its bytes. A file that was read before is not read again. The error
// is a *PathError or a *FileError.
func (r *Root) Digest(path string) (Digest, error) {
	res, perr := r.Resolve(path, MustExist)
	if perr != nil {
		return Digest{}, perr
	}
	return r.DigestResolved(res)
}

// DigestResolved is [Root.Digest] of a path that was resolved before.
func (r *Root) DigestResolved(res Resolved) (Digest, error) {
	f := r.entry(res)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return Digest{}, f.err
	}
	if f.sum != "" {
		return Digest{f.sum, f.size}, nil
	}
	h, err := r.open(res)
	if err != nil {
		return Digest{}, err
	}
	defer h.Close()
	if f.sum, f.size, err = hash(h); err != nil {
		return Digest{}, &FileError{res.Rel, Trouble, osReason(err)}
	}
	return Digest{f.sum, f.size}, nil
}

// hashBuffers are used again by the next file: a run has hundreds.
var hashBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// hash is D1 of what is left to read, and its length; "" with an error.
func hash(from io.Reader) (sum string, size int64, err error) {
	buf := hashBuffers.Get().(*[64 << 10]byte)
	defer hashBuffers.Put(buf)
	h := sha256.New()
	// Behind no more than a Reader, a file cannot bring a buffer of its own.
	if size, err = io.CopyBuffer(h, struct{ io.Reader }{from}, buf[:]); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// Straight reports whether the path leads there without any link.
func (res Resolved) Straight() bool { return res.Exists && res.real == res.Rel }

// Size is the size of the resolved file in bytes, as the directory says.
func (res Resolved) Size() int64 {
	if res.info == nil {
		return 0
	}
	return res.info.Size()
}

func (r *Root) entry(res Resolved) *file {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.files[res.real]
	if f == nil {
		f = &file{path: res.Rel}
		r.files[res.real] = f
	}
	return f
}

// open opens what Resolve looked at, and nothing else: without blocking on a
// FIFO, and refused when something else was put in its place.
func (r *Root) open(res Resolved) (*os.File, error) {
	if !res.Regular {
		return nil, &FileError{res.Rel, NotRegular, "not a regular file"}
	}
	dir, name := r.root, res.real
	if res.dir != nil {
		dir, name = res.dir, path.Base(res.real)
	}
	h, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		kind := Trouble
		if notExist(err) {
			kind = Changed
		}
		return nil, &FileError{res.Rel, kind, osReason(err)}
	}
	info, err := h.Stat()
	if err != nil || !os.SameFile(info, res.info) || !info.Mode().IsRegular() {
		h.Close()
		return nil, &FileError{res.Rel, Changed, "the file was replaced while it was verified"}
	}
	return h, nil
}

// readBounded reads at most one byte more than the bound, so that a file that
// grows meanwhile is noticed.
func readBounded(h io.Reader, size, maxBytes int64) ([]byte, error) {
	buf := make([]byte, 0, min(size, maxBytes)+1)
	for int64(len(buf)) <= maxBytes {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, 1+len(buf)/4)
		}
		n, err := h.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return buf, nil
}

func tooLarge(path string, size, bound int64) *FileError {
	return &FileError{path, TooLarge, fmt.Sprintf("%d bytes; at most %d are read", size, bound)}
}

// Artifacts lists what was read so far, sorted by path, for a report.
func (r *Root) Artifacts() []verify.Artifact {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []verify.Artifact
	for _, f := range r.files {
		f.mu.Lock()
		if f.sum != "" {
			list = append(list, verify.Artifact{Path: f.path, SHA256: f.sum})
		}
		f.mu.Unlock()
	}
	slices.SortFunc(list, func(a, b verify.Artifact) int { return strings.Compare(a.Path, b.Path) })
	return list
}
