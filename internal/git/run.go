package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"
)

const (
	// maxStderrBytes of Git's diagnostics are kept.
	maxStderrBytes = 4 << 10
	// waitDelay is how long a killed command's pipes are waited for.
	waitDelay = time.Second
)

// runner starts Git. It is the only constructor of a Git command line.
type runner struct {
	program string
	limits  limits
	env     []string // the whole environment of contract 03 E.2
	private string   // directory of ours, removed by Close
}

// invocation is one command.
type invocation struct {
	dir    string   // working directory
	config []string // further "-c" arguments; they win over the pins
	env    []string // added to the environment
	args   []string // subcommand and its arguments, preceded by global options if any
	stdin  io.Reader
	stdout io.Writer
	bare   bool // without the pins: for reading what is configured
}

func (r *runner) command(ctx context.Context, v invocation) *exec.Cmd {
	args := []string{"--no-pager"}
	if !v.bare {
		args = append(args, pins()...)
	}
	args = append(args, v.config...)
	args = append(args, v.args...)
	cmd := exec.CommandContext(ctx, r.program, args...)
	cmd.Dir = v.dir
	cmd.Env = append(append(make([]string, 0, len(r.env)+len(v.env)), r.env...), v.env...)
	cmd.Stdin = v.stdin
	cmd.WaitDelay = waitDelay
	ownGroup(cmd)
	cmd.Cancel = func() error { return kill(cmd) }
	return cmd
}

// run executes one command to its end, within the bounds of contract 03 C.3. The error is an *Error.
func (r *runner) run(ctx context.Context, v invocation) error {
	ctx, cancel := context.WithTimeoutCause(ctx, r.limits.timeout, errTimeout)
	defer cancel()
	cmd := r.command(ctx, v)
	out := &boundedWriter{w: v.stdout, left: r.limits.output, exceeded: cancel}
	var stderr headBuffer
	cmd.Stdout, cmd.Stderr = out, &stderr
	err := cmd.Run()
	switch {
	case out.over:
		return &Error{Kind: Unavailable, Reason: TooLarge, Op: v.op(), Detail: "printed more than the limit", Err: err}
	case out.err != nil:
		return &Error{Kind: Unavailable, Reason: Failed, Op: v.op(), Detail: printable(out.err.Error()), Err: out.err}
	case err != nil:
		return failure(ctx, v.op(), string(stderr.kept), err)
	}
	return nil
}

// output is run with the standard output kept.
func (r *runner) output(ctx context.Context, v invocation) ([]byte, error) {
	var buf bytes.Buffer
	v.stdout = &buf
	err := r.run(ctx, v)
	return buf.Bytes(), err
}

// op names the invocation for people: "git" and its subcommand.
func (v invocation) op() string {
	for _, a := range v.args {
		if !strings.HasPrefix(a, "-") {
			return "git " + a
		}
	}
	return "git"
}

var errTimeout = errors.New("time limit")

// failure classifies a command that did not end well.
func failure(ctx context.Context, op, stderr string, err error) *Error {
	e := &Error{Kind: Unavailable, Reason: Failed, Op: op, Detail: printable(stderr), Err: err}
	var exit *exec.ExitError
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeout):
		e.Reason, e.Detail, e.Err = Timeout, "took longer than the limit", cause
	case cause != nil:
		e.Reason, e.Detail, e.Err = Canceled, printable(cause.Error()), cause
	case !errors.As(err, &exit):
		e.Detail = printable(err.Error())
	default:
		if path, ok := dubiousPath(stderr); ok {
			e.Reason, e.Path = DubiousOwnership, path
			e.Detail = "repository " + printable(path) + " belongs to another user"
		}
	}
	return e
}

// dubiousPath finds the path in Git's refusal of a repository that belongs to another user ("detected dubious ownership
// in repository at '...'"; Git before 2.37.2 said "unsafe repository ('...' is owned by someone else)").
func dubiousPath(stderr string) (string, bool) {
	for _, m := range [][2]string{
		{"detected dubious ownership in repository at '", "'\n"},
		{"unsafe repository ('", "' is owned by someone else"},
	} {
		if _, rest, ok := strings.Cut(stderr, m[0]); ok {
			if path, _, ok := strings.Cut(rest, m[1]); ok {
				return path, true
			}
		}
	}
	return "", false
}

// boundedWriter passes at most left bytes on and ends the command at the first one more.
type boundedWriter struct {
	w        io.Writer
	left     int64
	over     bool
	err      error
	exceeded func()
}

func (b *boundedWriter) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		b.over = true
		b.exceeded()
		return 0, errors.New("output limit")
	}
	b.left -= int64(len(p))
	if b.w == nil {
		return len(p), nil
	}
	n, err := b.w.Write(p)
	if err != nil {
		b.err = err
		b.exceeded()
	}
	return n, err
}

// headBuffer keeps the first maxStderrBytes written to it.
type headBuffer struct{ kept []byte }

func (h *headBuffer) Write(p []byte) (int, error) {
	if room := maxStderrBytes - len(h.kept); room > 0 {
		h.kept = append(h.kept, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
