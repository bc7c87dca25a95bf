//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package main

import "golang.org/x/sys/unix"

// The requests that read and set the state of a terminal.
const getTermios, setTermios = unix.TIOCGETA, unix.TIOCSETA
