package git

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Kind separates the two ways in which contract 03 C.3 lets Git be unusable.
type Kind string

const (
	// Unavailable: Git is missing, a command failed, took too long, printed too much or was refused
	// (rule source.git-unavailable).
	Unavailable Kind = "git-unavailable"
	// NotWorktree: Git works, but the directory is in a bare repository or below .git (rule source.not-worktree).
	NotWorktree Kind = "not-worktree"
)

// Reason says why Git is unavailable.
type Reason string

const (
	NoProgram        Reason = "no git program"        // nothing usable on the operator's PATH
	NoDirectory      Reason = "no directory"          // the target cannot be opened as a directory
	Failed           Reason = "command failed"        // Git ended with an error
	Timeout          Reason = "time limit"            // longer than CommandTimeout
	TooLarge         Reason = "size limit"            // more than MaxOutputBytes, or another named bound of this package
	Canceled         Reason = "canceled"              // the caller's context ended
	DubiousOwnership Reason = "dubious ownership"     // the repository belongs to another user and is not trusted
	Malformed        Reason = "malformed data"        // Git's output, an object or the index is not well-formed
	Unsafe           Reason = "cannot be used safely" // using it would run or write what the repository chose
)

// Error is the failure of an operation on the repository. Callers act on Kind and Reason; the text is for people.
type Error struct {
	Kind   Kind
	Reason Reason
	Op     string // what was attempted, such as "git status"
	Detail string // bounded, printable ASCII; Git's own words where there are any
	Path   string // DubiousOwnership: the path that an operator would have to trust, as Git names it
	Err    error  // the cause, if there is one
}

// Error gives operation, reason and detail on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	b.WriteString(": ")
	if e.Kind == NotWorktree {
		b.WriteString("not inside a work tree")
	} else {
		b.WriteString(string(e.Reason))
	}
	if e.Detail != "" {
		b.WriteString(": ")
		b.WriteString(e.Detail)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrNotFound is wrapped by every error that says: Git works, but there is no such object, name or path.
var ErrNotFound = errors.New("not found in the repository")

func notFound(what string) error {
	return fmt.Errorf("%s: %w", printable(what), ErrNotFound)
}

func malformed(op, format string, args ...any) *Error {
	return &Error{Kind: Unavailable, Reason: Malformed, Op: op, Detail: printable(fmt.Sprintf(format, args...))}
}

// maxDetailBytes bounds the text that is taken from Git's standard error or from names.
const maxDetailBytes = 300

// printable makes untrusted text safe to show: bounded, one line, ASCII, controls escaped.
func printable(s string) string {
	s = strings.TrimSpace(s)
	cut := len(s) > maxDetailBytes
	if cut {
		s = s[:maxDetailBytes]
	}
	q := strconv.QuoteToASCII(s)
	q = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
	if cut {
		q += "..."
	}
	return q
}
