package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// An advisedError is trouble of the command line itself, with a hint.
type advisedError struct{ reason, advice string }

func (e *advisedError) Error() string { return e.reason }
func (e *advisedError) Hint() string  { return e.advice }

// errNoConsole says that nobody can be asked.
var errNoConsole = errors.New("there is no terminal")

// A console is the terminal of the person who runs the command, wherever
// standard input and output lead: questions go there and answers come from
// there, and standard input stays what the command reads.
type console struct{ *os.File }

// maxAnswer bounds a line that is typed or comes from a file descriptor, in
// bytes.
const maxAnswer = 1 << 10

// ask asks for a line of text. An end of input is an empty answer.
func (c console) ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(c, question)
	line, err := readLine(ctx, c)
	return strings.TrimSpace(string(line)), err
}

// askSecret asks for a line that is not shown while it is typed.
func (c console) askSecret(ctx context.Context, question string) ([]byte, error) {
	restore, err := c.noEcho()
	if err != nil {
		return nil, fmt.Errorf("hide what is typed: %w", err)
	}
	defer restore()
	fmt.Fprint(c, question)
	line, err := readLine(ctx, c)
	fmt.Fprintln(c)
	return line, err
}

// readLine reads up to a line feed or the end, byte by byte, so that nothing
// beyond the line is taken away. When the context ends it returns at once; the
// read is left behind, as the program is about to end.
func readLine(ctx context.Context, r io.Reader) ([]byte, error) {
	type answer struct {
		line []byte
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		line := make([]byte, 0, maxAnswer) // of its full size at once: growing would leave copies behind
		one := make([]byte, 1)
		for {
			n, err := r.Read(one)
			switch {
			case n == 1 && one[0] == '\n', errors.Is(err, io.EOF):
				if n := len(line); n > 0 && line[n-1] == '\r' {
					line = line[:n-1]
				}
				done <- answer{line, nil}
				return
			case err != nil:
				clear(line)
				done <- answer{nil, err}
				return
			case len(line) == maxAnswer:
				clear(line)
				done <- answer{nil, fmt.Errorf("a line of more than %d bytes", maxAnswer)}
				return
			case n == 1:
				line = append(line, one[0])
			}
		}
	}()
	select {
	case a := <-done:
		return a.line, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// askFlags are the flags of a command that asks before it acts.
type askFlags struct {
	Yes bool `help:"Do not ask; show on standard error what is done."`
	outputFlags
}

// confirm shows what is about to be done and asks whether it may. Without
// anybody to ask it is refused.
func (f askFlags) confirm(s *session, show func(w io.Writer), question string) error {
	if f.Yes {
		if !f.Quiet {
			show(s.stderr)
		}
		return nil
	}
	c, err := openConsole()
	if err != nil {
		return &advisedError{"nobody can be asked: " + err.Error(), "look at what is signed, then give --yes"}
	}
	defer c.Close()
	show(c)
	answer, err := c.ask(s.ctx, question+" [y/N] ")
	if err != nil {
		return err
	}
	if answer != "y" && answer != "Y" && answer != "yes" {
		return &advisedError{"not confirmed; nothing was signed", "answer y to sign"}
	}
	return nil
}
