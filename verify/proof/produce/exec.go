package produce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// An Executor runs one command to its end. The error is that of the context;
// what becomes of the command is in the [Execution].
type Executor func(ctx context.Context, c Command) (Execution, error)

// A Command is a program to run. It gets an empty standard input.
type Command struct {
	Argv    []string // the program is looked up on the PATH of Env, unless it has a directory
	Dir     string   // absolute
	Env     []string // all of it
	Timeout time.Duration
	// Stdout and Stderr get what the command prints, each from one goroutine.
	// One that answers [ErrEnough] ends the command.
	Stdout, Stderr io.Writer
	// line is the command line as the program itself splits it (Windows).
	line string
}

// ErrEnough is what a Command's writer answers when it takes no more.
var ErrEnough = errors.New("more output than is taken")

// An Execution is how a command ended.
type Execution struct {
	Exited   bool   // by itself, with Code
	Code     int    // of an exit
	Signal   string // that ended it, such as SIGTERM; "" for none
	TimedOut bool
	// Failure says what kept the command from being run or from going on, as
	// "CODE: message"; "" when nothing did.
	Failure string
	// Cut is set when the output may end in the middle of something: the
	// command was ended, or another process still holds a pipe of its.
	Cut bool
}

const (
	// KillGrace is how long a command may take to end after SIGTERM.
	KillGrace = 2 * time.Second
	// drainWait is how long output of a command that has ended is waited for.
	drainWait = time.Second
)

// Exec runs a command in a process group of its own (03 D.2). At the time limit,
// when a writer has enough and when the context ends, the group gets SIGTERM and
// after a short grace SIGKILL. What is left of the group when the command itself
// has ended is killed as well.
func Exec(ctx context.Context, c Command) (Execution, error) {
	if err := ctx.Err(); err != nil {
		return Execution{}, err
	}
	program, err := find(c)
	if err != nil {
		return Execution{Failure: failure(err)}, nil
	}
	cmd := &exec.Cmd{Path: program, Args: c.Argv, Dir: c.Dir, Env: append([]string{}, c.Env...)} // nil would mean all of ours
	prepare(cmd, c.line)
	streams, err := pipes(cmd, c)
	if err != nil {
		return Execution{}, fmt.Errorf("run the command: %w", err)
	}
	defer streams.finish()
	err = cmd.Start()
	streams.started()
	if err != nil {
		return Execution{Failure: failure(err)}, nil
	}
	return watch(ctx, c, newChild(cmd), streams)
}

// failure names an error of starting a program as spawnError does.
func failure(err error) string {
	code, message := errorCode(err)
	return code + ": " + message
}

// watch waits for the end of a command and brings it about when it must.
func watch(ctx context.Context, c Command, p child, s *streams) (Execution, error) {
	exited := make(chan struct{})
	go func() { p.await(); close(exited) }()
	var e Execution
	var limit <-chan time.Time // never
	if c.Timeout > 0 {
		timer := time.NewTimer(c.Timeout)
		defer timer.Stop()
		limit = timer.C
	}
	select {
	case <-exited:
	case <-limit:
		e.TimedOut = true
		e.Failure = fmt.Sprintf("ETIMEDOUT: no end within %d ms", c.Timeout.Milliseconds())
	case <-s.enough:
	case <-ctx.Done():
	}
	quiet := make(chan struct{}) // the command has ended and so has its output
	go func() { <-exited; <-s.done; close(quiet) }()
	rest := drainWait
	if !isClosed(exited) {
		e.Cut = true
		p.signal(terminate)
		rest = KillGrace
	}
	if !wait(quiet, rest) {
		e.Cut = true
	}
	p.signal(kill)
	<-exited
	wait(s.done, drainWait/4) // what the killed ones left in the pipes
	s.finish()
	if isClosed(s.enough) {
		e.Cut = true
		if !e.TimedOut {
			e.Failure = "ENOBUFS: a stream has more output than is captured"
		}
	}
	e.describe(p.reap())
	return e, ctx.Err()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// wait waits for a channel to be closed, for some time.
func wait(c <-chan struct{}, most time.Duration) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-c:
		return true
	case <-timer.C:
		return isClosed(c)
	}
}

// streams are the pipes of a command.
type streams struct {
	read, write []*os.File
	enough      chan struct{} // closed when a writer has enough
	done        chan struct{} // closed when both streams have ended
	closing     sync.Once
}

// pipes connects a command with its writers.
func pipes(cmd *exec.Cmd, c Command) (*streams, error) {
	s := &streams{enough: make(chan struct{}), done: make(chan struct{})}
	var copying sync.WaitGroup
	var enough sync.Once
	for _, end := range []struct {
		child *io.Writer
		to    io.Writer
	}{{&cmd.Stdout, c.Stdout}, {&cmd.Stderr, c.Stderr}} {
		r, w, err := os.Pipe()
		if err != nil {
			s.close()
			s.started()
			return nil, err
		}
		s.read, s.write = append(s.read, r), append(s.write, w)
		*end.child = w
		copying.Go(func() {
			if _, err := io.Copy(end.to, r); errors.Is(err, ErrEnough) {
				enough.Do(func() { close(s.enough) })
				io.Copy(io.Discard, r) // so that the command sees no broken pipe instead of its signal
			}
		})
	}
	go func() { copying.Wait(); close(s.done) }()
	return s, nil
}

// started closes the ends that only the command should hold.
func (s *streams) started() {
	for _, w := range s.write {
		w.Close()
	}
}

// finish ends the copying and returns when nothing writes to the command's
// writers any more.
func (s *streams) finish() {
	s.close()
	<-s.done
}

// close ends the copying, whoever else holds the pipes.
func (s *streams) close() {
	s.closing.Do(func() {
		for _, r := range s.read {
			r.Close()
		}
	})
}
