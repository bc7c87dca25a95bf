package main

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"
)

// progressFrom is how large an input is before its progress is shown.
const progressFrom = 64 << 20

// A bar shows on a terminal how much of a large input was read. On anything but
// a terminal, and for an input that is soon read, it shows nothing.
type bar struct {
	out   io.Writer
	total int64
	read  atomic.Int64
	done  chan struct{}
	ended chan struct{}
}

// bar starts one for an input of so many bytes. Its owner stops it before
// anything else is printed.
func (s *session) bar(total int64, quiet bool) *bar {
	b := &bar{out: s.terminal, total: total, done: make(chan struct{}), ended: make(chan struct{})}
	if quiet || total < progressFrom || s.terminal == nil {
		close(b.ended)
		return b
	}
	go func() {
		defer close(b.ended)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprint(b.out, eraseLine+b.text())
			case <-b.done:
				fmt.Fprint(b.out, eraseLine)
				return
			}
		}
	}()
	return b
}

// set is told how many bytes were read so far.
func (b *bar) set(n int64) { b.read.Store(n) }

func (b *bar) stop() {
	close(b.done)
	<-b.ended
}

// barWidth is how many marks a full bar has.
const barWidth = 30

func (b *bar) text() string {
	n := min(b.read.Load(), b.total)
	marks := int(n * barWidth / b.total)
	return fmt.Sprintf("[%s%s] %d%% of %d MiB", strings.Repeat("#", marks), strings.Repeat(".", barWidth-marks), n*100/b.total, b.total>>20)
}
