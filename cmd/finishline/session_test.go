package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"finishline/verify"
)

// Standard input that never ends does not hold up an interrupt.
func TestInterruptEndsTheWaitForInput(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close() // after the check: nothing was ever written
	ctx, interrupt := context.WithCancel(context.Background())
	var stdout, stderr bytes.Buffer
	s := &session{ctx: ctx, stdin: in, stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }}
	exit := make(chan int, 1)
	go func() { exit <- s.main([]string{"canon", "-"}) }()
	interrupt()
	if got := <-exit; got != verify.ExitTrouble {
		t.Errorf("exit status %d, expected %d", got, verify.ExitTrouble)
	}
	if stdout.Len() > 0 || !strings.Contains(stderr.String(), "interrupted before there was a verdict") {
		t.Errorf("stdout %q, stderr %q", &stdout, &stderr)
	}
}

// What an error quotes cannot steer a terminal, nor show a secret of several lines.
func TestTroubleIsCalm(t *testing.T) {
	var stderr bytes.Buffer
	s := &session{ctx: t.Context(), stderr: &stderr, getenv: func(string) string { return "" }}
	key := "-----BEGIN PRIVATE " + "KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n-----END PRIVATE " + "KEY-----"
	s.fail(errors.New("notes\x1b[2J\r.md: git said\n  fatal: " + key))
	const want = "finishline: notes\\x1b[2J\\r.md: git said\n  fatal: [REDACTED PRIVATE KEY]\n"
	if stderr.String() != want {
		t.Errorf("%q, expected %q", &stderr, want)
	}
}
