//go:build bench

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"finishline/internal/git"
	"finishline/internal/runtest"
)

// What a person waits for: the whole process of packet verify on a run with an
// inventory of 512 files and 50 MB, beside git status and sha256sum of the same
// files, in turns, so that both see the same machine.
const (
	inventoryFiles = 504 // and the run's own evidence: 512
	inventoryBytes = 50_000_000
	rounds         = 7
	mostRatio      = 3.0
	mostMemory     = 128 << 20
)

func TestBenchPacket(t *testing.T) {
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run, err := runtest.Build(context.Background(), prog, dir, runtest.Plan{Inventory: bigInventory()})
	if err != nil {
		t.Fatal(err)
	}
	binary, err := filepath.Abs("../../bin/finishline")
	if err != nil {
		t.Fatal(err)
	}
	verify := []string{binary, "packet", "verify", dir}
	plain := []string{"/bin/sh", "-c", "git -C . status --porcelain >/dev/null && find . -path ./.git -prune -o -type f -print0 | xargs -0 sha256sum >/dev/null"}
	var ratios, ours, theirs []float64
	peak := int64(0)
	for range rounds {
		a, _ := timed(t, dir, run.Pin, plain)
		b, memory := timed(t, dir, run.Pin, verify)
		ratios, ours, theirs = append(ratios, b.Seconds()/a.Seconds()), append(ours, b.Seconds()), append(theirs, a.Seconds())
		peak = max(peak, memory)
	}
	fmt.Printf("packet verify          %6.0f ms (median of %d)\n", 1000*median(ours), rounds)
	fmt.Printf("git status + sha256sum %6.0f ms\n", 1000*median(theirs))
	fmt.Printf("ratio                  %6.2f (at most %.0f)\n", median(ratios), mostRatio)
	fmt.Printf("peak memory            %6.0f MiB (at most %d)\n", float64(peak)/(1<<20), mostMemory>>20)
	if median(ratios) > mostRatio || peak > mostMemory {
		t.Error("over the bound")
	}
}

func bigInventory() map[string][]byte {
	rng := rand.New(rand.NewPCG(50, 512))
	files := map[string][]byte{}
	for i := range inventoryFiles {
		data := make([]byte, inventoryBytes/inventoryFiles)
		for j := range data {
			data[j] = byte('a' + rng.IntN(26))
		}
		files[fmt.Sprintf("qa/logs/%03d.log", i)] = data
	}
	return files
}

// timed runs a command to its end and gives its wall time and peak memory.
func timed(t *testing.T, dir, pin string, args []string) (time.Duration, int64) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), envPin+"="+pin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out.Bytes())
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return wall, usage.Maxrss << 10
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
