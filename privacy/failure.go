package privacy

import (
	"errors"
	"io/fs"

	"finishline/internal/git"
	"finishline/verify"
)

// A GateError replaces the whole report (10 §10): nothing else of the scan is
// told, since nothing of it can be relied on.
type GateError struct {
	Rule string
	// Path is what it is about, relative to the root; "" when it is about the
	// scan as a whole.
	Path string
	// Reason is for people. It holds nothing that was read.
	Reason string
	err    error
}

func (e *GateError) Error() string {
	text := e.Rule + ": " + e.Reason
	if e.Path != "" {
		text += ": " + verify.Quote(e.Path)
	}
	return text
}

func (e *GateError) Unwrap() error { return e.err }

func refuse(rule, path, reason string) *GateError {
	return &GateError{Rule: rule, Path: path, Reason: reason}
}

// unreadable is a gate error of the operating system.
func unreadable(rule, path string, err error) *GateError {
	return &GateError{Rule: rule, Path: path, Reason: osReason(err), err: err}
}

// osReason is the system's words without a path. Those of Git can hold absolute
// paths, so only what it was about is kept.
func osReason(err error) string {
	var pe *fs.PathError
	var ge *git.Error
	switch {
	case errors.As(err, &pe):
		return pe.Err.Error()
	case errors.As(err, &ge) && ge.Kind == git.NotWorktree:
		return ge.Op + ": not inside a work tree"
	case errors.As(err, &ge):
		return ge.Op + ": " + string(ge.Reason)
	}
	return err.Error()
}
