package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Ceilings of section 2.1.
const (
	MaxEvents     = 2048
	MaxRecord     = 17408 // bytes of a decoded line without its terminator
	MaxConfig     = 524288
	MaxSnapshot   = canon.MaxSubject // 64 MiB
	MaxEntries    = 10000            // of the data directory
	maxLease      = 64 << 10         // a lease is a line; ours, the format has no bound
	maxRunEntries = 1000             // names in a run directory that are looked at
)

// Names of the state files.
const (
	ConfigFile   = "run-config.json"
	JournalFile  = "events.jsonl"
	SnapshotFile = "run.json"
)

var stateFiles = []string{ConfigFile, JournalFile, SnapshotFile}

// presence says what a path leads to, links followed.
type presence int

const (
	absent presence = iota // nothing, or a link to nothing
	notRegular
	tooLarge
	unread // the operating system would not tell
	present
)

// A changedError says that a file changed while it was read.
type changedError struct{ name string }

func (e *changedError) Error() string { return e.name + " changed while it was read" }

// An openFile is a regular file open for reading, and what it was when it was
// opened.
type openFile struct {
	*os.File
	name string // as messages give it
	info fs.FileInfo
}

// open opens a state file if it is a regular file of at most maxBytes. Nothing
// else is opened: a FIFO would block for ever.
func open(path, name string, maxBytes int64) (*openFile, presence, error) {
	info, err := os.Stat(path)
	switch {
	case evidence.IsAbsent(err):
		return nil, absent, nil
	case err != nil:
		return nil, unread, trouble(name, err)
	case !info.Mode().IsRegular():
		return nil, notRegular, nil
	case info.Size() > maxBytes:
		return nil, tooLarge, fmt.Errorf("%d bytes", info.Size())
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, unread, trouble(name, err)
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(now, info) {
		f.Close()
		return nil, unread, &changedError{name}
	}
	return &openFile{f, name, info}, present, nil
}

// unchanged reports a [*changedError] if the file is not what it was.
func (f *openFile) unchanged() error {
	now, err := f.Stat()
	if err != nil || now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime()) {
		return &changedError{f.name}
	}
	return nil
}

// all reads the whole file.
func (f *openFile) all() ([]byte, error) {
	data := make([]byte, f.info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, &changedError{f.name}
		}
		return nil, trouble(f.name, err)
	}
	return data, f.unchanged()
}

// trouble words an error of the operating system with the name that messages
// use, not the path on this machine.
func trouble(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s could not be read: %w", name, err)
}

// isLink reports whether a path is a symbolic link.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// exists reports whether there is anything at a path, be it a link to nothing.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsRunDirectory reports whether a directory holds a state file, which makes it
// the directory of a run.
func IsRunDirectory(dir string) bool {
	is, err := looksLikeRun(dir)
	return is || err != nil // one that cannot be looked at is for the verifier to tell
}

// looksLikeRun reports whether a directory holds a state file. The error says
// that nobody can tell.
func looksLikeRun(dir string) (bool, error) {
	for _, name := range stateFiles {
		_, err := os.Lstat(filepath.Join(dir, name))
		switch {
		case err == nil:
			return true, nil
		case !evidence.IsAbsent(err):
			return false, trouble("the directory "+verify.Quote(filepath.Base(dir)), err)
		}
	}
	return false, nil
}

// IsStateFile reports whether a file of that name belongs to a run.
func IsStateFile(name string) bool { return slices.Contains(stateFiles, name) }
