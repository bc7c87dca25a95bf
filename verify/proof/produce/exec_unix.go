//go:build unix

package produce

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	terminate = syscall.SIGTERM
	kill      = syscall.SIGKILL
)

// defaultPath is where programs are looked up without a PATH.
const defaultPath = "/usr/bin:/bin"

// find looks a program up as execvp does: a name with a slash is a path relative
// to the directory of the command, and so are empty and relative entries of the
// command's PATH. Unlike execvp it never falls back to a shell.
func find(c Command) (string, error) {
	name := c.Argv[0]
	if strings.Contains(name, "/") {
		return name, nil
	}
	path := defaultPath
	for _, entry := range c.Env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value
		}
	}
	var denied error
	for _, dir := range strings.Split(path, ":") {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(c.Dir, dir)
		}
		program := filepath.Join(dir, name)
		info, err := os.Stat(program)
		switch {
		case err == nil && info.Mode().IsRegular() && unix.Access(program, unix.X_OK) == nil:
			return program, nil
		case err == nil || errors.Is(err, fs.ErrPermission):
			denied = syscall.EACCES
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", syscall.ENOENT
}

// prepare gives the command a process group of its own.
func prepare(cmd *exec.Cmd, _ string) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signal sends a signal to the whole group. That nobody is left is no error.
func (p child) signal(sig syscall.Signal) { syscall.Kill(-p.cmd.Process.Pid, sig) }

func errorCode(err error) (code, message string) {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return "EUNKNOWN", err.Error()
	}
	if code = unix.ErrnoName(errno); code == "" {
		code = "EUNKNOWN"
	}
	return code, errno.Error()
}

func (e *Execution) describe(state *os.ProcessState) {
	status, ok := state.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled():
		e.Signal = unix.SignalName(status.Signal())
		if e.Signal == "" {
			e.Signal = status.Signal().String()
		}
	default:
		e.Exited, e.Code = true, state.ExitCode()
	}
}

// shell is a command line for the platform's shell (03 A).
func shell(line string, _ []variable) Command { return Command{Argv: []string{"/bin/sh", "-c", line}} }
