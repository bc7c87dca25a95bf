package produce

import (
	"errors"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// A child is a started command. As long as it has not been reaped its process
// id, which is also that of its group, belongs to nobody else.
type child struct{ cmd *exec.Cmd }

func newChild(cmd *exec.Cmd) child { return child{cmd} }

// await returns when the command has ended, without reaping it.
func (p child) await() {
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// reap returns how the command ended.
func (p child) reap() *os.ProcessState {
	p.cmd.Wait() // its error only says what the state says
	return p.cmd.ProcessState
}
