//go:build bench

package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// How much faster than gitleaks, with its default rules on the same tree, a
// scan with the extended rules must be.
const leastFactor = 3

// What a person waits for who scans a large source tree: the Go tree of the
// machine, with base and with extended rules, beside grep for one expression
// and, where the module proxy has it, gitleaks; in turns, so that all see the
// same machine.
func TestBenchPrivacy(t *testing.T) {
	binary, err := filepath.Abs("../../bin/finishline")
	if err != nil {
		t.Fatal(err)
	}
	root := goEnv(t, "GOROOT")
	size, files := treeSize(t, root)
	fmt.Printf("%s: %d files, %.1f MB\n\n", root, files, float64(size)/1e6)
	contenders := []contender{
		{"grep -rE, one expression", quickTurns, []string{"grep", "-rE", `gh[pousr]_[A-Za-z0-9]{36,251}`, root}},
		{"base rules", quickTurns, []string{binary, "privacy", "scan", root, "--base", "--quiet"}},
		{"base and extended rules", quickTurns, []string{binary, "privacy", "scan", root, "--base", "--extended", "--quiet"}},
	}
	if gitleaks := buildGitleaks(t); gitleaks != "" {
		contenders = append(contenders, contender{"gitleaks dir", slowTurns, []string{gitleaks, "dir", "--no-banner", "--redact", "--log-level", "error", "--exit-code", "0", root}})
		if rules := gitleaksRules(t); rules != "" {
			contenders = append(contenders, contender{"base and gitleaks rules", slowTurns, []string{binary, "privacy", "scan", root, "--base", "--rules", rules, "--quiet"}})
		}
	}
	measured := make([][]measured, len(contenders))
	for turn := range quickTurns {
		for i, c := range contenders {
			if turn < c.turns {
				measured[i] = append(measured[i], measure(t, "", nil, c.args, 1))
			}
		}
	}
	report(t, contenders, measured, size)
}

// How often a command runs: those that take minutes, once.
const (
	quickTurns = 5
	slowTurns  = 1
)

// A contender is a command that searches the tree.
type contender struct {
	name  string
	turns int
	args  []string
}

func report(t *testing.T, contenders []contender, measured [][]measured, size int64) {
	t.Helper()
	wall := make([]float64, len(contenders))
	cpu := make([]float64, len(contenders))
	fmt.Printf("%-26s %8s %8s %8s %8s %10s\n", "", "wall", "CPU", "MB/s", "memory", "to grep")
	for i, c := range contenders {
		var walls, cpus []float64
		peak := int64(0)
		for _, m := range measured[i] {
			walls, cpus, peak = append(walls, m.Wall.Seconds()), append(cpus, m.Work.Seconds()), max(peak, m.Memory)
		}
		wall[i], cpu[i] = median(walls), median(cpus)
		fmt.Printf("%-26s %7.2fs %7.2fs %8.1f %4.0f MiB %9.2fx\n", c.name, wall[i], cpu[i], float64(size)/1e6/wall[i], float64(peak)/(1<<20), wall[i]/wall[0])
	}
	for i, c := range contenders {
		if c.name != "gitleaks dir" {
			continue
		}
		const extended = 2
		factor := wall[i] / wall[extended]
		fmt.Printf("\nextended rules are %.1f times as fast as gitleaks by the clock, %.1f times by CPU time (at least %d)\n", factor, cpu[i]/cpu[extended], leastFactor)
		if factor < leastFactor {
			t.Error("below the bound")
		}
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func treeSize(t *testing.T, root string) (size int64, files int) {
	t.Helper()
	err := filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size, files = size+info.Size(), files+1
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size, files
}

// The release of gitleaks that is compared with.
const gitleaksModule = "github.com/zricethezav/gitleaks/v8@v8.30.1"

// buildGitleaks builds gitleaks in a temporary folder, from the module proxy;
// "" says that it is not to be had.
func buildGitleaks(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "install", gitleaksModule)
	cmd.Dir = dir // outside of this module
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Printf("gitleaks cannot be built here: %v\n%s\n", err, out)
		return ""
	}
	return filepath.Join(dir, "gitleaks")
}

// gitleaksRules is the default configuration of that release, in the module
// cache.
func gitleaksRules(t *testing.T) string {
	t.Helper()
	path := filepath.Join(goEnv(t, "GOMODCACHE"), filepath.FromSlash(gitleaksModule), "config", "gitleaks.toml")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}
