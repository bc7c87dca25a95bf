package main

import (
	"bytes"
	"context"
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
