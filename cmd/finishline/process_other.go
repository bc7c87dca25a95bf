//go:build !unix

package main

import "os"

// processAlive reports whether there is a process of that id.
func processAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	p.Release()
	return true
}
