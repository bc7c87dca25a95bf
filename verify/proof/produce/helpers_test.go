//go:build unix

package produce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/gittest"
	"finishline/verify"
	"finishline/verify/proof"
	"finishline/verify/source"
)

// The test program is also the command that the tests run: its first argument
// says what it does then. The environment cannot say it, commands do not get it.
const helper = "produce-test-helper:"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if name, ok := strings.CutPrefix(os.Args[1], helper); ok {
			os.Exit(helpers[name](os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}

var helpers = map[string]func(args []string) int{
	// Writes each argument to standard output on its own, with a pause.
	"pieces": func(args []string) int {
		for _, piece := range args {
			os.Stdout.WriteString(piece)
			time.Sleep(5 * time.Millisecond)
		}
		return 0
	},
	// Writes a file to both streams, a byte at a time.
	"spell": func(args []string) int {
		data, err := os.ReadFile(args[0])
		if err != nil {
			return 1
		}
		for i := range data {
			os.Stdout.Write(data[i : i+1])
			os.Stderr.Write(data[i : i+1])
		}
		return 0
	},
	// Prints the environment.
	"environ": func([]string) int {
		fmt.Println(strings.Join(os.Environ(), "\n"))
		return 0
	},
	// Prints how many bytes standard input has, and the directory.
	"stdin": func([]string) int {
		data, err := io.ReadAll(os.Stdin)
		dir, _ := os.Getwd()
		fmt.Println(len(data), err, dir)
		return 0
	},
	// Prints a gigabyte on the stream named.
	"flood": func(args []string) int {
		out := os.Stdout
		if args[0] == "stderr" {
			out = os.Stderr
		}
		line := []byte(strings.Repeat("0123456789abcde\n", 4096))
		for n := 0; n < 1<<30; n += len(line) {
			if _, err := out.Write(line); err != nil {
				return 3
			}
		}
		return 0
	},
	// Ignores SIGTERM, tells its process id in a file and stays.
	"stubborn": func(args []string) int {
		signal.Ignore(syscall.SIGTERM)
		tell(args[0])
		time.Sleep(time.Minute)
		return 0
	},
	// Starts a stubborn process that keeps the pipes, in this group, and ends.
	"leave": func(args []string) int { return start(args[0], &syscall.SysProcAttr{}) },
	// The same in a session of its own.
	"daemon": func(args []string) int { return start(args[0], &syscall.SysProcAttr{Setsid: true}) },
	// Starts a stubborn process in this group and stays, too.
	"family": func(args []string) int {
		start(args[0], &syscall.SysProcAttr{})
		time.Sleep(time.Minute)
		return 0
	},
	// Ends with the given status, or by the given signal.
	"exit": func(args []string) int {
		status, _ := strconv.Atoi(args[0])
		return status
	},
	"die": func(args []string) int {
		number, _ := strconv.Atoi(args[0])
		self, _ := os.FindProcess(os.Getpid())
		self.Signal(syscall.Signal(number))
		time.Sleep(time.Minute)
		return 0
	},
	// Succeeds at SIGTERM.
	"polite": func(args []string) int {
		end := make(chan os.Signal, 1)
		signal.Notify(end, syscall.SIGTERM)
		tell(args[0])
		<-end
		return 0
	},
	// Prints how often it was run, which it counts in a file.
	"count": func(args []string) int {
		data, _ := os.ReadFile(args[0])
		os.WriteFile(args[0], append(data, '.'), 0o644)
		fmt.Println(len(data))
		return 0
	},
	// Writes a file.
	"write": func(args []string) int {
		if err := os.WriteFile(args[0], []byte(args[1]), 0o644); err != nil {
			return 1
		}
		return 0
	},
}

func tell(file string) { os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o644) }

func start(file string, attr *syscall.SysProcAttr) int {
	self, _ := os.Executable()
	cmd := exec.Command(self, helper+"stubborn", file)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, attr
	if cmd.Start() != nil {
		return 1
	}
	for range 500 { // until it ignores SIGTERM
		if data, _ := os.ReadFile(file); len(data) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println("left")
	return 0
}

// call is the argv that runs a helper.
func call(t testing.TB, name string, args ...string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil || helpers[name] == nil {
		t.Fatalf("helper %s: %v", name, err)
	}
	return append([]string{self, helper + name}, args...)
}

// waitGone fails when the process whose id is in a file goes on.
func waitGone(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(data))
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if !alive(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d goes on", pid)
}

// alive is false for a process that has ended but that nobody has asked about.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, os.ErrNotExist) {
		return syscall.Kill(pid, 0) == nil && !onLinux()
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func onLinux() bool { _, err := os.Stat("/proc/self"); return err == nil }

// A bench is a target to produce proofs in.
type bench struct {
	t      testing.TB
	repo   *gittest.Repo
	dir    string
	commit string
	sys    System
	opts   Options
}

func fixedNow() time.Time { return time.Date(2026, 4, 7, 9, 0, 0, 0, time.UTC) }

const validator = "ab00000000000000000000000000000000000000000000000000000000000000"

// newBench makes a repository with a commit. sub is the target below its top, ""
// for the top itself.
func newBench(t testing.TB, sub string) *bench {
	t.Helper()
	repo := gittest.New(t, gittest.Options{})
	repo.Write(filepath.ToSlash(filepath.Join(sub, "guide.md")), []byte("# Guide\n"), 0o644)
	repo.Write("other.txt", []byte("other\n"), 0o644)
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	repo.Git("add", "-A")
	b := &bench{t: t, repo: repo, dir: filepath.Join(repo.Dir, sub), commit: repo.Commit("first")}
	b.sys = System{
		Dir: b.dir, Environ: []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, Exec: Exec, Git: prog, Validator: validator,
		Now:  time.Now,
		Host: Host{Platform: "linux", Arch: "x64", Producer: "produce test"},
	}
	b.opts = Options{
		RunID: "docs-7", Environment: "local", Commit: b.commit, Output: "proof/portable.json",
		TimeoutMs: 20_000, Repeat: 1, MaxOutputBytes: DefaultMaxOutputBytes, Mode: proof.ModeGreen,
	}
	return b
}

func (b *bench) run(argv ...string) (*Result, error) {
	b.t.Helper()
	b.opts.Argv = argv
	return Run(context.Background(), b.sys, b.opts)
}

// proof runs a command that must give a proof with a status, and returns the
// proof, which both levels of the verifier and the comparison with the
// repository accept without a warning.
func (b *bench) proof(status proof.Status, argv ...string) *proof.Portable {
	b.t.Helper()
	result, err := b.run(argv...)
	if err != nil {
		b.t.Fatalf("%q: %v", argv, err)
	}
	if result.Outcome.Status != status || result.Outcome.Successful != (status == proof.Passed || status == proof.RedConfirmed) {
		b.t.Fatalf("%q: outcome %+v, want %s", argv, result.Outcome, status)
	}
	data := b.read(result.Artifact)
	p, found := proof.ReadPortable(data, result.Artifact, verify.Strict)
	if list := found.List(); len(list) > 0 || !p.Valid() {
		b.t.Fatalf("%q: %+v", argv, list)
	}
	if p.Outcome() != result.Outcome || p.Bindings() != result.Bindings {
		b.t.Errorf("%q: the report says %+v, the proof %+v", argv, result, p.Outcome())
	}
	return p
}

// current compares a proof with the repository as it is.
func (b *bench) current(p *proof.Portable) []verify.Finding {
	b.t.Helper()
	repo, err := git.Open(context.Background(), b.sys.Git, b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	defer repo.Close()
	out := source.Table.Collect(verify.Strict)
	source.CheckProof(context.Background(), out, source.Target{Repo: repo}, "proof/portable.json", canon.Node{Value: p.Value()})
	return out.List()
}

func (b *bench) read(path string) []byte {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(path)))
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

// nothingWritten fails when there is a file where the proof should not be, or
// half of one.
func (b *bench) nothingWritten() {
	b.t.Helper()
	left, err := filepath.Glob(filepath.Join(b.dir, "proof", "*"))
	hidden, _ := filepath.Glob(filepath.Join(b.dir, "proof", ".*"))
	if left = append(left, hidden...); err != nil || len(left) > 0 {
		b.t.Errorf("left behind: %q, %v", left, err)
	}
}

// attempts are those of a proof.
func attempts(p *proof.Portable) []canon.Value {
	return p.Value().Get("execution").Get("attempts").Elems()
}

// stdouts are what the attempts printed.
func stdouts(p *proof.Portable) []string {
	var texts []string
	for stdout := range p.Output() {
		texts = append(texts, stdout)
	}
	return texts
}

// env adds variables to the parent's environment.
func (b *bench) env(entries ...string) {
	b.sys.Environ = append(slices.Clone(b.sys.Environ), entries...)
}

// refused is a run that must be refused with these words, and leave nothing.
func (b *bench) refused(words string, argv ...string) {
	b.t.Helper()
	result, err := b.run(argv...)
	if err == nil || result != nil {
		b.t.Fatalf("%q was not refused (%s)", argv, words)
	}
	if !strings.Contains(err.Error(), words) {
		b.t.Errorf("%q was refused with %q, want %q", argv, err, words)
	}
}
