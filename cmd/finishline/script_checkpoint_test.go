package main

import (
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCapture sets a variable to what the last command printed where an
// expression has its group.
func scriptCapture(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: capture VARIABLE EXPRESSION")
	}
	m := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(m) != 2 {
		ts.Fatalf("standard output does not match %s", args[1])
	}
	ts.Setenv(args[0], m[1])
}
