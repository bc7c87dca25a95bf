package privacy

import (
	"io/fs"
	"syscall"
)

// changeTime is the moment of the last change of a file's content or of what
// is known of it, in nanoseconds.
func changeTime(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano()
	}
	return 0
}
