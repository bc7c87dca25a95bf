package main

import (
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"finishline/canon"
)

// scriptDigestOf sets a variable to the SHA-256 of a file.
func scriptDigestOf(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: digest-of NAME FILE")
	}
	ts.Setenv(args[0], canon.SHA256([]byte(ts.ReadFile(args[1]))))
}

// scriptNow sets a variable to the time, as a person would write it into a
// document.
func scriptNow(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv(only(ts, args), time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
}
