package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestRoomFor(t *testing.T) {
	const limit = memoryGoal
	for live, want := range map[int64]int64{
		0: limit, limit / 2: limit, limit - limit/8 - 1: limit, limit - limit/8: (limit - limit/8) * 5 / 4, limit: limit * 5 / 4, 4 * limit: 5 * limit,
	} {
		if got := roomFor(live, limit); got != want {
			t.Errorf("%d bytes in use: limit %d, want %d", live, got, want)
		}
	}
	for live, at := int64(0), int64(limit); live < 100*limit; live += limit / 50 { // it ends
		if at = roomFor(live, at); live > at-at/8 {
			t.Fatalf("no room for %d below %d", live, at)
		}
	}
}

// The goal gives way to what is in use, and is gone when the work is done.
func TestMemoryGoalGivesWay(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	end := boundMemory()
	used := make([][]byte, 0, 120)
	for range cap(used) {
		used = append(used, make([]byte, 1<<20))
	}
	debug.FreeOSMemory() // a collection, so that the use is known
	for wait := time.Now().Add(10 * time.Second); debug.SetMemoryLimit(-1) < int64(len(used))<<20 && time.Now().Before(wait); {
		time.Sleep(10 * time.Millisecond)
	}
	if limit := debug.SetMemoryLimit(-1); limit < int64(len(used))<<20 {
		t.Errorf("%d MiB are in use, the limit is %d MiB", len(used), limit>>20)
	}
	runtime.KeepAlive(used)
	end()
	if after := debug.SetMemoryLimit(-1); after != before {
		t.Errorf("the limit was %d and is %d", before, after)
	}
}
