package evidence

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// IsAbsent reports whether an error of the file system says that nothing is
// there, rather than that it could not be looked at.
func IsAbsent(err error) bool { return err != nil && notExist(err) }

// ReadRegular reads a file of an open directory that no artifact path leads
// to, such as one met on a walk: at most maxBytes, without following a link at
// the last component, without blocking on a FIFO, and nothing else than what
// lay there when it was looked at. rel uses /. The error is a *[FileError], or
// one for which [IsAbsent] holds.
func ReadRegular(dir *os.Root, rel string, maxBytes int64) ([]byte, fs.FileInfo, error) {
	name := filepath.FromSlash(rel)
	info, err := dir.Lstat(name)
	if err != nil {
		switch {
		case notExist(err):
			return nil, nil, err
		case escapes(err):
			return nil, nil, &FileError{rel, NotRegular, "a parent directory links outside the root"}
		}
		return nil, nil, &FileError{rel, Trouble, osReason(err)}
	}
	if !info.Mode().IsRegular() {
		return nil, info, &FileError{rel, NotRegular, "not a regular file"}
	}
	if info.Size() > maxBytes {
		return nil, info, tooLarge(rel, info.Size(), maxBytes)
	}
	h, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if notExist(err) {
			return nil, info, &FileError{rel, Changed, "the file was removed while it was verified"}
		}
		return nil, info, &FileError{rel, Trouble, osReason(err)}
	}
	defer h.Close()
	if now, err := h.Stat(); err != nil || !os.SameFile(now, info) || !now.Mode().IsRegular() {
		return nil, info, &FileError{rel, Changed, "the file was replaced while it was verified"}
	}
	data, err := readBounded(h, info.Size(), maxBytes)
	if err != nil {
		return nil, info, &FileError{rel, Trouble, osReason(err)}
	}
	if int64(len(data)) > maxBytes {
		return nil, info, tooLarge(rel, int64(len(data)), maxBytes)
	}
	return data, info, nil
}

// escapes reports whether an [os.Root] refused to leave its directory, for
// which it has no error to compare with.
func escapes(err error) bool { return strings.Contains(err.Error(), "path escapes from parent") }
