package harness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"finishline/canon"
	"finishline/verify"
)

// A runDir is the directory that a run's journal, prompts and replies lie in
// (contract 20, section 7). Nothing outside it is ever opened.
type runDir struct {
	root *os.Root
	// dirs are the directory's absolute names: as it was given, and without
	// links.
	dirs [2]string
	buf  []byte
	ctx  context.Context
	// sums are the files that were hashed: a journal may name one again and
	// again, and under many names.
	sums map[likeness][]hashed
}

// likeness is what two names of one file have in common.
type likeness struct {
	size int64
	time time.Time
}

type hashed struct {
	info fs.FileInfo
	sum  string
}

// maxAlike is how many files of one likeness are remembered.
const maxAlike = 64

func openRunDir(ctx context.Context, dir string) (*runDir, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	return &runDir{root: root, dirs: [2]string{abs, real}, buf: make([]byte, 64<<10), ctx: ctx, sums: map[likeness][]hashed{}}, nil
}

func (d *runDir) close() { d.root.Close() }

// check applies the rules of section 7 to a record.
func (d *runDir) check(s *state, r *record) {
	switch r.kind {
	case attemptPrompt:
		d.checkFile(s, r, nPromptPath)
	case attemptReply:
		d.checkFile(s, r, nReplyPath)
	}
}

func (d *runDir) checkFile(s *state, r *record, n name) {
	path := canon.UTF8(string(r.textOf(n)))
	told := names[n] + " " + quote(r.textOf(n))
	const inside = "a regular file of the run directory"
	rel, where := d.locate(path)
	switch where {
	case leaves:
		s.fire("harness.files.path-escape", r, told+" leaves the run directory", inside)
		return
	case elsewhere:
		s.fire("harness.files.path-outside", r, told+" is outside the run directory", "a path in the run directory")
		return
	}
	rel, info, err := d.find(rel)
	switch {
	case err == nil && !info.Mode().IsRegular():
		s.fire("harness.files.path-escape", r, told+" is no regular file", inside)
	case missing(err):
		s.fire("harness.files.missing", r, told+" names no file", inside)
	case err != nil && !outside(err):
		s.trouble(fileRule[n], r, told, err)
	case err != nil:
		s.fire("harness.files.path-escape", r, told+" leads out of the run directory through a link", inside)
	case n == nPromptPath:
		d.digest(s, r, rel, told, info)
	}
}

// fileRule is what cannot be said of a file that could not be read.
var fileRule = map[name]string{nPromptPath: "harness.files.prompt-digest", nReplyPath: "harness.files.path-escape"}

// find looks a path up below the run directory. An [os.Root] follows no link
// with an absolute target, and takes one that leads nowhere for one that leads
// out: such a path is read link by link first, by name only.
func (d *runDir) find(rel string) (found string, info fs.FileInfo, err error) {
	info, err = d.root.Stat(rel)
	if err == nil || !outside(err) {
		return rel, info, err
	}
	real, failed := filepath.EvalSymlinks(filepath.Join(d.dirs[1], rel))
	switch {
	case missing(failed):
		return rel, nil, failed
	case failed != nil:
		return rel, nil, err
	}
	within, failed := filepath.Rel(d.dirs[1], real)
	if failed != nil || !filepath.IsLocal(within) {
		return rel, nil, err
	}
	info, err = d.root.Stat(within)
	return within, info, err
}

// digest compares the prompt file with promptSha.
func (d *runDir) digest(s *state, r *record, rel, told string, info fs.FileInfo) {
	sum, err := d.sum(rel, info)
	if err != nil {
		s.trouble("harness.files.prompt-digest", r, told, err)
		return
	}
	if want := string(r.textOf(nPromptSha)); sum != want {
		s.fire("harness.files.prompt-digest", r, told+" has SHA-256 "+sum, want+", the promptSha")
	}
}

// sum is the SHA-256 of a file, each read once.
func (d *runDir) sum(rel string, info fs.FileInfo) (string, error) {
	like := likeness{info.Size(), info.ModTime()}
	for _, h := range d.sums[like] {
		if os.SameFile(h.info, info) {
			return h.sum, nil
		}
	}
	sum, err := d.hash(rel, info)
	if err == nil && len(d.sums[like]) < maxAlike {
		d.sums[like] = append(d.sums[like], hashed{info, sum})
	}
	return sum, err
}

// An interruptible is a file whose reading ends with a context.
type interruptible struct {
	io.Reader
	ctx context.Context
}

func (r interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

var errReplaced = errors.New("the file was replaced while it was verified")

func (d *runDir) hash(rel string, info fs.FileInfo) (string, error) {
	f, err := d.root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() || !os.SameFile(now, info) || now.Size() != info.Size() {
		return "", errReplaced
	}
	h := sha256.New()
	if _, err := io.CopyBuffer(h, interruptible{io.LimitReader(f, info.Size()), d.ctx}, d.buf); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A reach says where a path leads.
type reach uint8

const (
	within    reach = iota
	leaves          // relative, and out of the run directory
	elsewhere       // absolute, and not in the run directory
)

// locate reads a path as text.
func (d *runDir) locate(path string) (rel string, where reach) {
	if filepath.IsAbs(path) {
		for _, dir := range d.dirs {
			rel, err := filepath.Rel(dir, filepath.Clean(path))
			if err == nil && filepath.IsLocal(rel) {
				return rel, within
			}
		}
		return "", elsewhere
	}
	rel = filepath.Clean(filepath.FromSlash(path))
	if !filepath.IsLocal(rel) {
		return "", leaves
	}
	return rel, within
}

// missing reports whether a path names no file. Links that lead to one another
// name none either.
func missing(err error) bool {
	for _, names := range [...]error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.EINVAL, syscall.ELOOP} {
		if errors.Is(err, names) {
			return true
		}
	}
	return false
}

// outside reports whether an [os.Root] refused to leave its directory, for
// which it has no error to compare with.
func outside(err error) bool { return strings.Contains(err.Error(), "path escapes from parent") }

// trouble reports a file that the operating system did not let be read: not
// evaluated, so no pass.
func (s *state) trouble(rule string, r *record, told string, err error) {
	s.out.Add(rule, verify.AtLine(s.cfg.Path, r.line), verify.What{
		Found: subject(r) + ": " + told + " could not be read: " + reason(err), Expected: "a file that can be read",
		Hint: "run as a user who may read the run directory", Unevaluated: true})
}

func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}
