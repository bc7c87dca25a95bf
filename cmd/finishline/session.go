package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"finishline/canon"
	"finishline/internal/render"
	"finishline/privacy/secret"
	"finishline/verify"
)

// A session is one invocation: what it may read from the outside, and where it
// writes. Commands get it as their only argument.
type session struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
	now    func() time.Time
	color  bool

	// For the producers: the whole environment, the path of this program's
	// file, standard error where it is a terminal (else nil), and randomness for
	// keys.
	environ    func() []string
	executable string
	terminal   io.Writer
	random     io.Reader

	exit int
}

// envPin is the one place the operator's trust pin comes from (01 §7.2). There
// is no flag for it.
const envPin = "UASH_REVIEW_TRUST_SHA256"

func (s *session) pin() string { return s.getenv(envPin) }

// A usageError is a mistake in the invocation, not in the evidence.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// main parses the command line, runs the command, and returns the exit status.
func (s *session) main(args []string) int {
	finished := -1
	parser, err := kong.New(grammarFor(args),
		kong.Name("finishline"),
		kong.Description(descriptionHelp),
		kong.Writers(s.stdout, s.stderr),
		kong.Exit(func(code int) { finished = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 96}),
		kong.Vars{"formats": formatNames(), "env_pin": envPin, "env_key": envIntegrityKey, "storeHelp": storeArgHelp},
		kong.UsageOnError(),
	)
	if err != nil {
		return s.fail(err)
	}
	parser.Model.HelpFlag.Help = "Show this help."
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if args, err = proofRunArgs(parser.Model, args); err != nil {
		return s.fail(usageError{err})
	}
	ctx, err := parser.Parse(args)
	if finished >= 0 { // --help was printed
		return finished
	}
	if err != nil {
		return s.fail(usageError{err})
	}
	if err := ctx.Run(s); err != nil {
		return s.fail(err)
	}
	if s.ctx.Err() != nil {
		return s.fail(s.ctx.Err())
	}
	return s.exit
}

// fail prints trouble and returns its exit status: 2 whatever it was, because
// a verdict is never given by an error.
func (s *session) fail(err error) int {
	fmt.Fprintf(s.stderr, "finishline: %s\n", calm(trouble(err)))
	if hint := troubleHint(err); hint != "" {
		fmt.Fprintf(s.stderr, "  hint: %s\n", calm(hint))
	}
	return verify.ExitTrouble
}

// maxTroubleLine is the most bytes of one line of trouble: long paths twice.
const maxTroubleLine = 10 << 10

// calm makes trouble fit for a terminal. An error may name a file of a hostile
// repository, or say what Git said, in more lines than one.
func calm(message string) string {
	lines := strings.Split(secret.Mask(message), "\n")
	for i, line := range lines {
		lines[i] = verify.Print(line, maxTroubleLine)
	}
	return strings.Join(lines, "\n")
}

func formatNames() string {
	var names []string
	for _, f := range render.Formats() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ",")
}

// outputFlags are the flags of every command.
type outputFlags struct {
	Format string `help:"How to print the answer: ${enum}." enum:"${formats}" default:"text" placeholder:"FORMAT"`
	Quiet  bool   `short:"q" help:"Print nothing; the exit status is the answer."`
}

// levelFlags are the flags of every command that gives a verdict.
type levelFlags struct {
	Base bool `help:"Give the format's own verdict, without the strict rules."`
}

func (f levelFlags) level() verify.Level {
	if f.Base {
		return verify.Base
	}
	return verify.Strict
}

// report prints a verdict and sets the exit status from it.
func (s *session) report(flags outputFlags, r *verify.Report) error {
	if err := s.ctx.Err(); err != nil {
		return err // an interrupted run has no report
	}
	r.Tool = verify.Tool{Name: "finishline", Version: version}
	masked(r)
	s.exit = r.Verdict().ExitCode()
	if flags.Quiet {
		return nil
	}
	format, err := render.Lookup(flags.Format)
	if err != nil {
		return usageError{err}
	}
	return format.Write(s.stdout, r, render.Style{Color: s.color})
}

// print gives an answer that is no verdict: as text, or the value as canonical
// JSON.
func (s *session) print(flags outputFlags, value canon.Value, text func(w io.Writer)) error {
	if flags.Quiet {
		return nil
	}
	var b bytes.Buffer
	if flags.Format == "json" {
		b.Write(canon.Canonical(value))
		b.WriteByte('\n')
	} else {
		text(&b)
	}
	_, err := s.stdout.Write(b.Bytes())
	return err
}

// maxInput bounds a file or standard input that is given as an argument. The
// bound of the document's kind, which is smaller, is its reader's.
const maxInput = canon.MaxSubject

// directory refuses what is no directory before anything below it is tried:
// that error would name a file which nobody gave.
func directory(dir, advice string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &advisedError{dir + ": not a directory", advice}
	}
	return nil
}

// readInput reads a file, or standard input for "-". A pipe or a terminal may
// never say anything: an interrupt ends the wait, and the reader with the
// process.
func (s *session) readInput(path string) ([]byte, error) {
	type answer struct {
		data []byte
		err  error
	}
	read := make(chan answer, 1)
	go func() {
		data, err := readAll(path, s.stdin)
		read <- answer{data, err}
	}()
	select {
	case a := <-read:
		return a.data, a.err
	case <-s.ctx.Done():
		return nil, s.ctx.Err()
	}
}

func readAll(path string, in io.Reader) ([]byte, error) {
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a directory, not a file", path)
		}
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxInput {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxInput)
	}
	return data, nil
}

// readDocument reads a JSON argument. Bytes that are no JSON are trouble for
// the commands that give no verdict.
func (s *session) readDocument(path string, maxBytes int) (*canon.Document, error) {
	data, err := s.readInput(path)
	if err != nil {
		return nil, err
	}
	doc, err := canon.Read(data, maxBytes)
	if err != nil {
		var re *canon.ReadError
		if errors.As(err, &re) {
			return nil, &advisedError{path + ": " + err.Error(), "name a JSON document of the kind that --help tells"}
		}
		return nil, err
	}
	return doc, nil
}
