//go:build !linux

package produce

import (
	"os"
	"os/exec"
)

// A child is a started command. Here there is no waiting without reaping, so a
// signal to a group whose members have all ended meets nobody or, if its id was
// given away within the moment, another group of this user.
type child struct{ cmd *exec.Cmd }

func newChild(cmd *exec.Cmd) child { return child{cmd} }

// await returns when the command has ended.
func (p child) await() { p.cmd.Wait() }

// reap returns how the command ended.
func (p child) reap() *os.ProcessState { return p.cmd.ProcessState }
