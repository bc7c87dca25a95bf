package produce

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// A ending is how a command is ended: here there is one way only.
type ending int

const (
	terminate ending = iota
	kill
)

var errBatch = errors.New("a batch file can only be run by a shell")

// find looks a program up as the platform does. Batch files are refused: the
// platform would hand them to a shell.
func find(c Command) (string, error) {
	program, err := exec.LookPath(c.Argv[0])
	if err != nil {
		return "", err
	}
	switch strings.ToLower(filepath.Ext(program)) {
	case ".bat", ".cmd":
		return "", errBatch
	}
	return program, nil
}

// prepare hands over a command line that the program splits itself.
func prepare(cmd *exec.Cmd, line string) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, CmdLine: line}
}

// signal ends the command. What it started itself goes on.
func (p child) signal(ending) { p.cmd.Process.Kill() }

func errorCode(err error) (code, message string) {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return "ENOENT", "no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "EACCES", "permission denied"
	case errors.Is(err, errBatch):
		return "EINVAL", err.Error()
	}
	return "EUNKNOWN", err.Error()
}

func (e *Execution) describe(state *os.ProcessState) { e.Exited, e.Code = true, state.ExitCode() }

// shell is a command line for the platform's shell (03 A).
func shell(line string, env []variable) Command {
	program := "cmd.exe"
	for _, v := range env {
		if strings.EqualFold(v.name, "COMSPEC") && v.value != "" {
			program = v.value
		}
	}
	return Command{Argv: []string{program}, line: `"` + program + `" /d /s /c "` + line + `"`}
}
