//go:build !unix

package git

import "os/exec"

// ownGroup does nothing where there are no process groups; the read-only commands of this package start no others.
func ownGroup(*exec.Cmd) {}

func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }

const openNonblock = 0
