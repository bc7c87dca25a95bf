//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// processAlive reports whether there is a process of that id: a signal that
// does nothing reaches it, or may not be sent to it.
func processAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}
