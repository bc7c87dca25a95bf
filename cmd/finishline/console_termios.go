//go:build linux || solaris || aix

package main

import "golang.org/x/sys/unix"

// The requests that read and set the state of a terminal.
const getTermios, setTermios = unix.TCGETS, unix.TCSETS
