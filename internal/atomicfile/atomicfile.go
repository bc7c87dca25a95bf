// Package atomicfile writes files so that whoever looks, also after a crash,
// finds the target absent, as it was, or complete, never in part.
//
// [Create] makes a file that must not exist yet, as the contracts demand of
// evidence that is immutable, and [CreatePrivate] one that holds a secret;
// [Replace] puts a new content in the place of an old one. All write to a
// temporary name in the same directory, sync it, give it its name in one step,
// and sync the directory.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Perm is the permission of the files that are written, PermPrivate that of
// files with secrets.
const (
	Perm        fs.FileMode = 0o644
	PermPrivate fs.FileMode = 0o600
)

// ErrExists says that Create found something at the target. It wraps
// fs.ErrExist.
var ErrExists = fmt.Errorf("already exists and is never overwritten: %w", fs.ErrExist)

// Create writes a new file. The error wraps [ErrExists] when something is
// there, also when it appeared meanwhile.
func Create(path string, data []byte) error { return write(path, data, Perm, link, nil) }

// CreatePrivate is Create for a file that nobody but its owner may read, at any
// moment.
func CreatePrivate(path string, data []byte) error {
	return write(path, data, PermPrivate, link, nil)
}

// Replace writes a file, over an existing one if there is one.
func Replace(path string, data []byte) error { return write(path, data, Perm, os.Rename, nil) }

// A step is a point at which a crash may happen; tests stop there.
type step int

const (
	stepCreated step = iota // the temporary file is there, empty
	stepWritten             // its content is written
	stepSynced              // and on disk
	stepNamed               // the target has it
	stepDone                // and the directory is on disk
)

func write(path string, data []byte, perm fs.FileMode, name func(from, to string) error, reached func(step)) (err error) {
	at := func(s step) {
		if reached != nil {
			reached(s)
		}
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".finishline-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		f.Close()
		os.Remove(f.Name()) // gone after a rename, a second name after a link
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	at(stepCreated)
	if _, err := f.Write(data); err != nil {
		return err
	}
	at(stepWritten)
	if err := f.Chmod(perm); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	at(stepSynced)
	if err := name(f.Name(), path); err != nil {
		return err
	}
	at(stepNamed)
	if err := syncDir(dir); err != nil {
		return err
	}
	at(stepDone)
	return nil
}

// link names the file without ever replacing another one.
func link(from, to string) error {
	err := os.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	return err
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
