package main

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// memoryGoal is what verifying a journal of any ordinary size should stay
// below. A collector that lets garbage double what is in use would not.
const memoryGoal = 88 << 20

// boundMemory has the collector work harder near memoryGoal; what is in use is
// kept, whatever it takes. The function it returns ends that.
func boundMemory() func() {
	before := debug.SetMemoryLimit(memoryGoal)
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { giveWay(done) })
	return func() {
		close(done)
		watch.Wait()
		debug.SetMemoryLimit(before)
	}
}

// giveWay raises the limit when what is in use leaves too little room below it:
// the collector would run without end, which takes as long again as the
// verification, and free nothing.
func giveWay(done <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}} // after the last collection
	limit := int64(memoryGoal)
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		metrics.Read(live)
		if next := roomFor(int64(live[0].Value.Uint64()), limit); next != limit {
			limit = next
			debug.SetMemoryLimit(limit)
		}
	}
}

// roomFor is the limit for so many bytes in use: the one there is while an
// eighth of it is free, else a quarter more than what is in use.
func roomFor(live, limit int64) int64 {
	if live < limit-limit/8 {
		return limit
	}
	return live + live/4
}
