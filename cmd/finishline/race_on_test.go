//go:build race

package main

// raceDetector says that the tests, and the program that they start, run under
// the race detector, whose shadow memory counts as theirs.
const raceDetector = true
