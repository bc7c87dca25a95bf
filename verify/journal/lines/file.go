package lines

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// A NotRegularError says that a path names something that is no file of bytes:
// a directory, a FIFO, a device.
type NotRegularError struct {
	Path string
	Mode fs.FileMode
}

func (e *NotRegularError) Error() string {
	return fmt.Sprintf("%s: not a regular file (%s)", e.Path, e.Mode.Type())
}

// Open opens a journal that was named on a command line. Links are followed, as
// the person who typed the path expects; a FIFO or a device is refused with a
// *[NotRegularError] and never waited for. The size is the one at this moment:
// a journal that is still written may grow.
func Open(path string) (file *os.File, size int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, &NotRegularError{path, info.Mode()}
	}
	file, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	now, err := file.Stat()
	switch {
	case err != nil:
	case !now.Mode().IsRegular():
		err = &NotRegularError{path, now.Mode()}
	case !os.SameFile(now, info):
		err = fmt.Errorf("%s: replaced while it was opened", path)
	default:
		return file, now.Size(), nil
	}
	file.Close()
	return nil, 0, err
}
