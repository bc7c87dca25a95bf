// Command finishline verifies, offline, the evidence that agent-run software
// work leaves behind, and says whether a run may cross the finish line.
//
// This package is the only place that reads the environment, the clock and the
// terminal; it hands them to the verifiers, which get everything else from
// bytes. Every group of commands has its file; how messages sound is decided
// in messages.go, what a report looks like in internal/render, and the exit
// status in verify.Verdict.ExitCode.
package main

import (
	"context"
	"crypto/rand"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &session{
		ctx:    ctx,
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		getenv: os.Getenv,
		now:    time.Now,
		color:  colorWanted(os.Stdout, os.Getenv),

		environ: os.Environ,
		random:  rand.Reader,
	}
	s.executable, _ = os.Executable() // whoever needs it says so when it is not there
	if isTerminal(os.Stderr) {
		s.terminal = os.Stderr
	}
	return s.main(os.Args[1:])
}

// colorWanted is true for a terminal whose user did not ask for plain text
// (NO_COLOR, TERM=dumb).
func colorWanted(out *os.File, getenv func(string) string) bool {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" || getenv("TERM") == "" {
		return false
	}
	return isTerminal(out)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
