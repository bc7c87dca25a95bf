package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"finishline/internal/git"
	"finishline/internal/gittest"
)

// A target is a repository in which the whole program makes proofs.
type proofTarget struct {
	repo   *gittest.Repo
	commit string
	n      int
}

func newProofTarget(t testing.TB) *proofTarget {
	t.Helper()
	if _, err := git.Find(os.Getenv("PATH")); err != nil {
		t.Fatal(err)
	}
	repo := gittest.New(t, gittest.Options{})
	repo.Write("guide.md", []byte("# Guide\n"), 0o644)
	repo.Git("add", "-A")
	return &proofTarget{repo: repo, commit: repo.Commit("first")}
}

// run is an invocation of proof run, which makes a new proof each time.
func (p *proofTarget) run(t testing.TB, options []string, argv ...string) (cmd *exec.Cmd, output string) {
	t.Helper()
	program, err := exec.LookPath("finishline")
	if err != nil {
		t.Fatal(err)
	}
	p.n++
	output = "out/" + strconv.Itoa(p.n) + ".json"
	args := append([]string{"proof", "run", "--run-id", "r", "--environment", "local", "--commit", p.commit, "--output", output}, options...)
	cmd = exec.Command(program, append(append(args, "--"), argv...)...)
	cmd.Dir = p.repo.Dir
	return cmd, filepath.Join(p.repo.Dir, output)
}

// mostProofMemory is what making a proof may take, whatever the command prints.
const mostProofMemory = 128 << 20

// A command prints a gigabyte on each stream; the memory of the program stays
// within its bound, for both formats.
func TestAGigabyteOfOutputTakesBoundedMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the program is this test binary: the race detector's own memory would be measured; the bound is that of the plain program, which the plain run of this test measures")
	}
	p := newProofTarget(t)
	const flood = "yes 'a line of output' | head -c 1073741824 & yes 'a line of output' | head -c 1073741824 >&2; wait"
	run, _ := p.run(t, []string{"--max-output-bytes", "1048576"}, "sh", "-c", flood)
	write := exec.Command(run.Path, "proof", "write", "--output", "out/bridge.json", flood)
	write.Dir = p.repo.Dir
	for _, cmd := range []*exec.Cmd{run, write} {
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != 1 {
			t.Errorf("%q ended with %d: %s", cmd.Args, code, out.Bytes())
		}
		if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10; peak > mostProofMemory {
			t.Errorf("%s: %d MiB", cmd.Args[2], peak>>20)
		} else {
			t.Logf("%s: %d MiB", cmd.Args[2], peak>>20)
		}
	}
}

// An interrupt ends the command's whole group, writes nothing, and says so with
// status 2.
func TestAnInterruptEndsTheCommand(t *testing.T) {
	p := newProofTarget(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	cmd, output := p.run(t, nil, "sh", "-c", `sleep 300 & echo $! > "$0.part" && mv "$0.part" "$0"; wait`, pidFile)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := awaitPID(t, pidFile)
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("status %d, %q, %q", code, stdout.Bytes(), stderr.Bytes())
	}
	if _, err := os.Stat(output); err == nil {
		t.Error("a proof was written")
	}
	for range 200 {
		if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d goes on", pid)
}

func awaitPID(t *testing.T, file string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if data, err := os.ReadFile(file); err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the command did not start")
	return 0
}
