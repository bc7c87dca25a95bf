//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// openConsole opens the controlling terminal of the process.
func openConsole() (console, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return console{}, errNoConsole
	}
	return console{f}, nil
}

// noEcho stops the terminal from showing what is typed, until restore.
func (c console) noEcho() (restore func(), err error) {
	fd := int(c.Fd())
	state, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	hidden := *state
	hidden.Lflag &^= unix.ECHO
	hidden.Lflag |= unix.ICANON | unix.ISIG
	if err := unix.IoctlSetTermios(fd, setTermios, &hidden); err != nil {
		return nil, err
	}
	return func() { unix.IoctlSetTermios(fd, setTermios, state) }, nil
}
