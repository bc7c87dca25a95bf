package mailbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"finishline/verify"
	"finishline/verify/journal/lines"
)

const (
	walSuffix     = "-wal"
	journalSuffix = "-journal"
)

// MaxStore bounds a store and its write-ahead log together.
const MaxStore = 1 << 30

// copyAttempts is how often a store is copied that changes meanwhile.
const copyAttempts = 3

// A private is a copy of a store in a directory of its own.
type private struct {
	dir       string
	path      string // of the database
	size      int64
	artifacts []verify.Artifact
	// header are the first bytes of the database.
	header []byte
	// journal says that a rollback journal lies beside the original.
	journal bool
}

func (p *private) remove() { os.RemoveAll(p.dir) }

// copyStore copies a store and its log.
func copyStore(ctx context.Context, in Input) (*private, error) {
	real, err := filepath.EvalSymlinks(in.Path) // where SQLite keeps the log
	if err != nil {
		return nil, err
	}
	for range copyAttempts {
		p, stable, err := tryCopy(ctx, in, real)
		if err != nil {
			return nil, err
		}
		if stable {
			return p, nil
		}
		p.remove()
	}
	return nil, &BusyError{in.Path}
}

// tryCopy makes one copy and says whether the files stayed what they were
// meanwhile: only then do the database and its log belong together.
func tryCopy(ctx context.Context, in Input, real string) (_ *private, stable bool, err error) {
	before, err := stateOf(real)
	if err != nil {
		return nil, false, err
	}
	if before[0].size+before[1].size > MaxStore {
		return nil, false, &LimitError{Path: in.Path, What: "bytes with its write-ahead log", Most: MaxStore}
	}
	dir, err := os.MkdirTemp(in.TempDir, "finishline-mailbox-")
	if err != nil {
		return nil, false, err
	}
	p := &private{dir: dir, path: filepath.Join(dir, "mailbox.db")}
	defer func() {
		if err != nil {
			p.remove()
		}
	}()
	c := copier{ctx: ctx, p: p, in: in}
	for i, suffix := range []string{"", walSuffix} {
		if i > 0 && before[i] == (fileState{}) {
			break // no log
		}
		err := c.file(real+suffix, in.Path+suffix, p.path+suffix, before[i].size)
		if err != nil && !(i > 0 && errors.Is(err, fs.ErrNotExist)) { // then it is gone, and after tells
			return nil, false, err
		}
	}
	after, err := stateOf(real)
	if err != nil {
		return nil, false, err
	}
	if _, err := os.Lstat(real + journalSuffix); err == nil {
		p.journal = true
	}
	return p, before == after, nil
}

// fileState tells whether a file was written to.
type fileState struct {
	size int64
	time time.Time
}

// stateOf is the state of a database and its log; that of a log which is not
// there is zero.
func stateOf(db string) (state [2]fileState, err error) {
	for i, path := range []string{db, db + walSuffix} {
		info, err := os.Stat(path)
		switch {
		case i == 1 && errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return state, err
		default:
			state[i] = fileState{info.Size(), info.ModTime()}
		}
	}
	return state, nil
}

// copier copies files.
type copier struct {
	ctx context.Context
	in  Input
	p   *private
}

// file copies as many bytes as the file had when its state was taken: of a file
// that grows, the end may never come.
func (c copier) file(from, name, to string, size int64) error {
	src, _, err := lines.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	digest := sha256.New()
	head := &prefix{}
	err = c.bytes(io.MultiWriter(dst, digest, head), io.LimitReader(src, size))
	if closeErr := dst.Close(); err == nil {
		err = closeErr
	}
	if len(c.p.artifacts) == 0 {
		c.p.header = head.kept
	}
	c.p.artifacts = append(c.p.artifacts, verify.Artifact{Path: name, SHA256: hex.EncodeToString(digest.Sum(nil))})
	return err
}

const copyBuffer = 1 << 20

func (c copier) bytes(dst io.Writer, src io.Reader) error {
	buffer := make([]byte, copyBuffer)
	for {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		n, err := src.Read(buffer)
		c.p.size += int64(n)
		if _, err := dst.Write(buffer[:n]); err != nil {
			return err
		}
		if c.in.Progress != nil {
			c.in.Progress(c.p.size)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// headerSize is the length of the header of a SQLite database.
const headerSize = 100

// prefix keeps the first bytes that are written to it.
type prefix struct{ kept []byte }

func (p *prefix) Write(b []byte) (int, error) {
	if room := headerSize - len(p.kept); room > 0 {
		p.kept = append(p.kept, b[:min(room, len(b))]...)
	}
	return len(b), nil
}
