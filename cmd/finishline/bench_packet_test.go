//go:build bench

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"finishline/internal/git"
	"finishline/internal/runtest"
	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/finish"
)

// What a person waits for: the whole process of packet verify on a run with an
// inventory of 512 files and 50 MB, beside git status and sha256sum of the same
// files, in turns, so that both see the same machine.
const (
	inventoryFiles = 495 // and the run's own evidence: 512
	inventoryBytes = 50_000_000
	mostMemory     = 128 << 20
)

func TestBenchPacket(t *testing.T) {
	run := buildRun(t, runtest.Plan{Inventory: files("qa/logs", inventoryFiles, inventoryBytes)})
	allocations(t, run, func(r finish.Run) (*verify.Report, error) {
		report, _, err := finish.Packet(context.Background(), r, finish.PacketOptions{})
		return report, err
	})
	compareWithPlain(t, run, 3, mostMemory, "packet", "verify")
}

// The same for the whole finish line, on a run with every document and 300
// further evidence files.
func TestBenchVerify(t *testing.T) {
	plan, err := runtest.Complete(os.DirFS(filepath.Join(vectors.Dir(t, "gates"), "_fixtures")))
	if err != nil {
		t.Fatal(err)
	}
	plan.Inventory = files("qa/logs", 300, 15_000_000)
	run := buildRun(t, plan)
	now, err := time.Parse(time.RFC3339, runtest.CompleteNow)
	if err != nil {
		t.Fatal(err)
	}
	allocations(t, run, func(r finish.Run) (*verify.Report, error) {
		report, _, err := finish.Line(context.Background(), r, finish.LineOptions{Now: now})
		return report, err
	})
	compareWithPlain(t, run, 4, 256<<20, "verify", "--now", runtest.CompleteNow)
}

// allocations tells what one verification allocates, measured in this process.
func allocations(t *testing.T, run *runtest.Run, verification func(finish.Run) (*verify.Report, error)) {
	t.Helper()
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	report, err := verification(finish.Run{Dir: run.Dir, Git: prog, Pin: run.Pin, Level: verify.Strict})
	runtime.ReadMemStats(&after)
	if err != nil || report.Verdict() != verify.Pass {
		t.Fatalf("%v, %v", report, err)
	}
	fmt.Printf("allocations            %6d thousand, %d MiB in all\n", (after.Mallocs-before.Mallocs)/1000, (after.TotalAlloc-before.TotalAlloc)>>20)
}

func buildRun(t *testing.T, plan runtest.Plan) *runtest.Run {
	t.Helper()
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := runtest.Build(context.Background(), prog, t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

const rounds = 7

// compareWithPlain compares a command on a run with git status and sha256sum of the same
// files, in time and peak memory.
func compareWithPlain(t *testing.T, run *runtest.Run, mostRatio float64, mostBytes int64, command ...string) {
	t.Helper()
	binary, err := filepath.Abs("../../bin/finishline")
	if err != nil {
		t.Fatal(err)
	}
	plain := []string{"/bin/sh", "-c", "git status --porcelain >/dev/null && find . -path ./.git -prune -o -type f -print0 | xargs -0 sha256sum >/dev/null"}
	var ratios, ours, theirs []float64
	peak := int64(0)
	for range rounds {
		a := measure(t, run.Dir, nil, plain)
		b := measure(t, run.Dir, []string{envPin + "=" + run.Pin}, append([]string{binary}, command...))
		ratios, ours, theirs = append(ratios, b.Wall.Seconds()/a.Wall.Seconds()), append(ours, b.Wall.Seconds()), append(theirs, a.Wall.Seconds())
		peak = max(peak, b.Memory)
	}
	name, _, _ := strings.Cut(strings.Join(command, " "), " --")
	fmt.Printf("%-22s %6.0f ms (median of %d)\n", name, 1000*median(ours), rounds)
	fmt.Printf("git status + sha256sum %6.0f ms\n", 1000*median(theirs))
	fmt.Printf("ratio                  %6.2f (at most %.0f)\n", median(ratios), mostRatio)
	fmt.Printf("peak memory            %6.0f MiB (at most %d)\n", float64(peak)/(1<<20), mostBytes>>20)
	if median(ratios) > mostRatio || peak > mostBytes {
		t.Error("over the bound")
	}
}

// files makes evidence files of random letters below a directory.
func files(dir string, count, bytes int) map[string][]byte {
	rng := rand.New(rand.NewPCG(50, 512))
	made := map[string][]byte{}
	for i := range count {
		data := make([]byte, bytes/count)
		for j := range data {
			data[j] = byte('a' + rng.IntN(26))
		}
		made[fmt.Sprintf("%s/%03d.log", dir, i)] = data
	}
	return made
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
