//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the command in a process group of its own, so that kill reaches whatever it started.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the command's whole process group.
func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// openNonblock lets the opening of a FIFO return at once.
const openNonblock = syscall.O_NONBLOCK
