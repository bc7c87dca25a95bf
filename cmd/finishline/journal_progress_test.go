package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// A screen is a terminal that remembers.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// A large input shows how far reading is, and leaves nothing on the screen; a
// small one, a quiet command and no terminal show nothing.
func TestBar(t *testing.T) {
	terminal := &screen{}
	s := &session{terminal: terminal}
	b := s.bar(128<<20, false)
	b.set(64 << 20)
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(terminal.String(), "50% of 128 MiB") && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	b.stop()
	if text := terminal.String(); !strings.Contains(text, "[###############...............] 50% of 128 MiB") || !strings.HasSuffix(text, eraseLine) {
		t.Errorf("shown: %q", text)
	}
	b.set(200 << 20) // more than there was when it began
	if got := b.text(); !strings.Contains(got, "] 100% of 128 MiB") {
		t.Errorf("beyond the end: %q", got)
	}
	silent := &screen{}
	for _, b := range []*bar{(&session{terminal: silent}).bar(progressFrom-1, false), (&session{terminal: silent}).bar(1<<30, true), (&session{}).bar(1<<30, false)} {
		b.set(1 << 20)
		b.stop()
	}
	if silent.String() != "" {
		t.Errorf("shown although it should not be: %q", silent.String())
	}
}
