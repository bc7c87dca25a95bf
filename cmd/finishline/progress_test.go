package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"finishline/verify/proof/produce"
)

func TestProgressIsShownOnATerminalOnly(t *testing.T) {
	at := time.Date(2026, 4, 7, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name     string
		terminal bool
		quiet    bool
		want     string
	}{
		{"terminal", true, false, eraseLine + "attempt 2 of 5, 12 s" + eraseLine},
		{"quiet", true, true, ""},
		{"pipe", false, false, ""},
	} {
		var terminal bytes.Buffer
		s := &session{stderr: &terminal, now: func() time.Time { return at }}
		if c.terminal {
			s.terminal = &terminal
		}
		m := s.meter("attempt", c.quiet)
		at = at.Add(12 * time.Second)
		m.watch(produce.Progress{Number: 2, Of: 5})
		m.stop()
		if got := terminal.String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if strings.HasSuffix(terminal.String(), "s") {
			t.Errorf("%s: the line is left there", c.name)
		}
		at = at.Add(-12 * time.Second)
	}
}
