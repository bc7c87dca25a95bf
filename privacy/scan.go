package privacy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sync/errgroup"

	"finishline/canon"
	"finishline/verify"
)

// Scan reads what the options name below a directory and reports what may not
// be published (10 §2 to §10). Whatever goes wrong on the way is in the result
// as its gate error, which leaves nothing else in it; the error is only that of
// a context that ended, or of a directory that cannot be opened.
func Scan(ctx context.Context, dir string, opt Options) (*Result, error) {
	r := newResult(opt)
	if failed := opt.arguments(); failed != nil {
		return r.failed(failed), nil
	}
	w := walkSources
	if opt.Mode == Release {
		w = walkRelease
	}
	t, err := openTree(dir, w)
	if err != nil {
		return nil, fmt.Errorf("open the folder to scan: %w", err)
	}
	defer t.close()
	if opt.Mode == Staged {
		return scanStaged(ctx, t, opt, r)
	}
	paths, failed := t.enumerate(ctx, opt)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if failed != nil {
		return r.failed(failed), nil
	}
	r.Paths = paths
	s := newScanner(opt, func(e entry) (source, error) { return openFile(t.root, e) })
	files := sorted(t.files)
	results, failed := s.all(ctx, files)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if failed != nil {
		return r.failed(failed), nil
	}
	r.collect(s, sorted(t.links), files, results)
	r.Counts.Excluded = t.skipped
	if t.noGit != "" && (opt.Level == verify.Base || !t.hasGit()) { // else a finding says it
		r.Notes = append(r.Notes, t.untracked())
	}
	if opt.Level == verify.Strict {
		if failed := r.harden(ctx, t, s); failed != nil {
			return r.failed(failed), ctx.Err()
		}
	}
	return r.settle(s), nil
}

// A source is an open file, as it was when it was inspected and when it was
// opened.
type source struct {
	io.ReadCloser
	inspected, opened fs.FileInfo // nil for what is no file
	size              int64
}

// openFile opens a regular file without following a link, without waiting on
// what is none.
func openFile(root *os.Root, e entry) (source, error) {
	inspected, err := root.Lstat(e.real)
	if err != nil {
		return source{}, err
	}
	if !inspected.Mode().IsRegular() {
		return source{}, errNotRegular
	}
	f, err := root.OpenFile(e.real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return source{}, err
	}
	opened, err := f.Stat()
	if err == nil && (!opened.Mode().IsRegular() || !os.SameFile(inspected, opened)) {
		err = errReplaced
	}
	if err != nil {
		f.Close()
		return source{}, err
	}
	return source{f, inspected, opened, opened.Size()}, nil
}

var (
	errNotRegular = errors.New("no regular file any more")
	errReplaced   = errors.New("replaced while it was scanned")
)

// changed reports whether the file is another one than when it was inspected
// (privacy.strict.changed-while-reading).
func (s source) changed() bool {
	f, isFile := s.ReadCloser.(*os.File)
	if !isFile {
		return false
	}
	now, err := f.Stat()
	if err != nil {
		return true
	}
	same := func(a, b fs.FileInfo) bool {
		return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && changeTime(a) == changeTime(b)
	}
	return !same(s.inspected, s.opened) || !same(s.opened, now)
}

// A scanner reads files side by side within the bounds of a level.
type scanner struct {
	opt    Options
	bounds bounds
	active mask
	open   func(entry) (source, error)
	total  atomic.Int64 // bytes of all files
	budget budget
	key    fingerprints
}

// A budget counts findings down.
type budget struct{ left atomic.Int64 }

func (b *budget) take() bool { return b.left.Add(-1) >= 0 }

func newScanner(opt Options, open func(entry) (source, error)) *scanner {
	s := &scanner{opt: opt, bounds: boundsOf(opt.Level), open: open, key: fingerprints{opt.Level, opt.Key}}
	s.budget.left.Store(int64(s.bounds.findings))
	for d := range detectorID(len(detectors)) {
		if opt.Mode != Release || d < releaseDetectors {
			s.active |= d.mask()
		}
	}
	return s
}

// A scanned file is what reading one gave.
type scanned struct {
	content
	changed bool // while it was read
	opaque  bool // a compressed source map: nothing was looked at
	failed  *GateError
}

// maxGrowth is how much longer than it was a file may get while it is read, in
// bytes; one that grows faster than it is read has no end.
const maxGrowth = 64 << 20

// all reads files, the results in their order. Several failures come to the
// same one every time: a bound of the whole scan, else the first file's.
func (s *scanner) all(ctx context.Context, files []entry) ([]scanned, *GateError) {
	workers := s.opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	results := make([]scanned, len(files))
	var next atomic.Int64
	var whole sync.Once
	var exceeded *GateError
	group, gctx := errgroup.WithContext(ctx)
	for range min(workers, len(files)) {
		group.Go(func() error {
			buf := make([]byte, blockSize)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return nil
				}
				results[i] = s.file(gctx, files[i], buf)
				if failed := results[i].failed; failed != nil && errors.Is(failed, errWhole) {
					whole.Do(func() { exceeded = failed })
					return errWhole
				}
				if err := gctx.Err(); err != nil {
					return err
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return nil, exceeded
	}
	for i := range results {
		if results[i].failed != nil {
			return nil, results[i].failed
		}
	}
	return results, nil
}

// errWhole marks a gate error that is about the scan as a whole.
var errWhole = errors.New("the scan exceeds a bound")

// file reads one file.
func (s *scanner) file(ctx context.Context, e entry, buf []byte) scanned {
	src, err := s.open(e)
	if err != nil {
		return scanned{failed: unreadable("privacy.read.failed", e.path, err)}
	}
	defer src.Close()
	if src.size > s.bounds.file {
		return scanned{failed: refuse(s.bounds.rule, e.path, "a file of more than "+binaryUnit(s.bounds.file))}
	}
	if s.total.Add(src.size) > s.bounds.bytes {
		return scanned{failed: s.whole("more than " + binaryUnit(s.bounds.bytes) + " in all files")}
	}
	r := s.reader(e.path)
	r.maxSize = min(s.bounds.file, src.size+maxGrowth)
	out := scanned{opaque: s.opt.Mode == Release && compressedMap(e.path)}
	if out.opaque {
		r.active, r.scan = 0, nil
	}
	out.content, err = r.read(ctx, src, buf)
	switch {
	case errors.Is(err, errManyFindings):
		out.failed = s.manyFindings()
	case errors.Is(err, errLongLine) && !out.opaque:
		out.failed = refuse(s.bounds.rule, e.path, "a line of more than "+binaryUnit(s.bounds.line))
	case errors.Is(err, errLargeFile):
		out.failed = refuse(s.bounds.rule, e.path, "the file grew beyond all bounds while it was read")
	case err != nil && !errors.Is(err, errLongLine):
		out.failed = unreadable("privacy.read.failed", e.path, err)
	}
	out.changed = src.changed()
	return out
}

func (s *scanner) whole(reason string) *GateError {
	return &GateError{Rule: s.bounds.rule, Reason: reason, err: errWhole}
}

func (s *scanner) manyFindings() *GateError {
	return s.whole(fmt.Sprintf("more than %d findings", s.bounds.findings))
}

// reader prepares the reading of a file of that name.
func (s *scanner) reader(path string) *reader {
	r := &reader{
		judge: newJudge(path, s.opt.Mode, s.opt.Level), active: s.active, maxLine: s.bounds.line, budget: &s.budget,
		mark: func(d detectorID, line int, value string) string {
			return s.key.of(detectors[d].category, d.rule(), path, line, value)
		},
	}
	if s.opt.Extended != nil {
		r.scan = s.opt.Extended.open(path, s.opt.Key, s.bounds.findings)
	}
	return r
}

// binaryUnit writes a bound of whole mebibytes.
func binaryUnit(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

func compressedMap(name string) bool {
	low := canon.LowerASCII(name)
	return strings.HasSuffix(low, ".map.br") || strings.HasSuffix(low, ".map.gz") || strings.HasSuffix(low, ".map.zip")
}

// assetExtensions are the extensions of binary files that a bundle may hold
// (10 §4).
var assetExtensions = []string{
	".avif", ".br", ".eot", ".gif", ".gz", ".ico", ".jpeg", ".jpg", ".mp3", ".mp4", ".ogg", ".otf", ".pdf", ".png", ".ttf",
	".wasm", ".webm", ".webp", ".woff", ".woff2", ".zip",
}

func isAsset(name string) bool {
	name = canon.LowerASCII(base(name))
	ext := path.Ext(name)
	return ext != name && slices.Contains(assetExtensions, ext)
}

// isOperational reports whether a path is where runs leave raw logs (10 §4).
func isOperational(name string) bool {
	const template = "runs/_run-template/README.md"
	low := canon.LowerASCII(name)
	return (strings.HasPrefix(low, "runs/") || strings.HasPrefix(low, "logs/")) && name != template
}
