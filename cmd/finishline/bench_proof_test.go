//go:build bench

package main

import (
	"fmt"

	"path/filepath"
	"strings"
	"testing"

	"finishline/internal/gittest"
)

// What proof run adds to a command: the whole process of proof run -- true
// beside what a careful person would type, git status before, the command, and
// git status after. In turns, so that both see the same machine. Git status
// trusts the file times that it noted; proof run must not (03 E.3) and compares
// the content of every file, four times at most, which is what the ratio grows
// with.
const (
	proofRounds    = 15
	mostProofRatio = 12.0
)

func TestBenchProof(t *testing.T) {
	binary, err := filepath.Abs("../../bin/finishline")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		files int
		dirty bool
	}{{"10 files", 10, false}, {"10 files, one changed, one untracked", 10, true}, {"2000 files of 4 kB", 2000, false}} {
		repo := gittest.New(t, gittest.Options{})
		for i := range c.files {
			repo.Write(fmt.Sprintf("src/%02d/%04d.txt", i%50, i), []byte(strings.Repeat(fmt.Sprintf("line of %d\n", i), 350)), 0o644)
		}
		repo.Git("add", "-A")
		commit := repo.Commit("first")
		if c.dirty {
			repo.Write("src/00/0000.txt", []byte("changed\n"), 0o644)
			repo.Write("run/notes.txt", []byte("untracked\n"), 0o644)
		}
		prove := []string{binary, "proof", "run", "--run-id", "r", "--environment", "local", "--commit", commit, "--output", "proof/portable.json", "--", "true"}
		plain := []string{"/bin/sh", "-c", "git status --porcelain >/dev/null && true && git status --porcelain >/dev/null"}
		var ratios, ours, theirs []float64
		for range proofRounds {
			a, b := measure(t, repo.Dir, nil, plain), measure(t, repo.Dir, nil, prove)
			repo.Remove("proof/portable.json")
			ratios, ours, theirs = append(ratios, b.Wall.Seconds()/a.Wall.Seconds()), append(ours, b.Wall.Seconds()), append(theirs, a.Wall.Seconds())
		}
		fmt.Printf("%s\n", c.name)
		fmt.Printf("  proof run -- true       %6.0f ms (median of %d)\n", 1000*median(ours), proofRounds)
		fmt.Printf("  git status twice, true  %6.0f ms\n", 1000*median(theirs))
		fmt.Printf("  ratio                   %6.2f (at most %.0f)\n", median(ratios), mostProofRatio)
		if median(ratios) > mostProofRatio {
			t.Errorf("%s: over the bound", c.name)
		}
	}
}
