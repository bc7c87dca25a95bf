package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"finishline/internal/atomicfile"
	"finishline/internal/git"
)

// How finishline speaks. Messages are lower case, without a full stop. They
// say what was found, what was expected and, in a hint on the next line, what
// to do. They never hold a secret. Success is one line. What the verifiers find
// is said by their rules; this file holds what the command line says itself.

const descriptionHelp = `Verify, offline, the evidence of agent-run software work, and say whether a run may cross the finish line.

Exit status: 0 pass, 1 fail (the evidence is bad), 2 incomplete, usage or input trouble.`

// trouble is the text of an error that ends a command without a verdict.
func trouble(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted before there was a verdict"
	case errors.Is(err, context.DeadlineExceeded):
		return "out of time before there was a verdict"
	}
	var pe *fs.PathError
	if errors.As(err, &pe) && strings.HasPrefix(strings.TrimPrefix(err.Error(), "open evidence root: "), pe.Op) {
		return pe.Path + ": " + pe.Err.Error()
	}
	if pe != nil && strings.HasPrefix(filepath.Base(pe.Path), ".finishline-") { // the temporary name is another each time
		return strings.TrimSuffix(err.Error(), pe.Error()) + pe.Err.Error()
	}
	if errors.Is(err, atomicfile.ErrExists) { // the cause that it wraps says it a second time
		return strings.TrimSuffix(err.Error(), ": "+fs.ErrExist.Error())
	}
	return err.Error()
}

// troubleHint is what to do about it, where more can be said than the error
// says.
func troubleHint(err error) string {
	var ge *git.Error
	var advised interface{ Hint() string }
	switch {
	case errors.As(err, &advised):
		return advised.Hint()
	case errors.As(err, new(usageError)):
		return "finishline --help shows the commands, and --help after a command its options, which follow it"
	case errors.Is(err, fs.ErrExist):
		return "nothing was written; look at what is there, and remove it yourself if it may go"
	case errors.Is(err, fs.ErrNotExist):
		return "check the path, and that its directory is there; it is relative to where the command runs"
	case errors.Is(err, fs.ErrPermission):
		return "this user may not read it, or may not write there"
	case strings.HasSuffix(err.Error(), ": not a directory"):
		return "name the run's directory, not a file in it; --help shows how to name a file"
	case errors.As(err, &ge):
		return "git must be installed and able to read the repository"
	}
	return ""
}
