package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"finishline/verify/proof/produce"
)

// A meter shows on a terminal how far a producer is: "attempt 2 of 5, 12 s". On
// anything but a terminal it shows nothing.
type meter struct {
	out   io.Writer
	what  string
	now   func() time.Time
	start time.Time

	mu   sync.Mutex
	at   produce.Progress
	done chan struct{}
	idle sync.WaitGroup
}

// eraseLine goes to the start of the line and clears it.
const eraseLine = "\r\x1b[K"

// meter starts one. Its owner stops it before anything else is printed.
func (s *session) meter(what string, quiet bool) *meter {
	m := &meter{out: s.terminal, what: what, now: s.now, start: s.now(), done: make(chan struct{})}
	if quiet {
		m.out = nil
	}
	if m.out == nil {
		return m
	}
	m.idle.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.show()
			case <-m.done:
				fmt.Fprint(m.out, eraseLine)
				return
			}
		}
	})
	return m
}

// watch is told of every attempt.
func (m *meter) watch(p produce.Progress) {
	m.mu.Lock()
	m.at = p
	m.mu.Unlock()
	m.show()
}

func (m *meter) show() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.out != nil && m.at.Of > 0 {
		fmt.Fprintf(m.out, "%s%s %d of %d, %d s", eraseLine, m.what, m.at.Number, m.at.Of, int(m.now().Sub(m.start).Seconds()))
	}
}

func (m *meter) stop() {
	close(m.done)
	m.idle.Wait()
}
