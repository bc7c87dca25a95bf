//go:build unix

package produce

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// execute runs a helper and returns how it ended and what it printed.
func execute(t *testing.T, timeout time.Duration, argv []string) (Execution, string, time.Duration) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	begin := time.Now()
	e, err := Exec(context.Background(), Command{
		Argv: argv, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, Timeout: timeout, Stdout: &stdout, Stderr: &stderr,
	})
	if err != nil {
		t.Fatal(err)
	}
	return e, stdout.String() + stderr.String(), time.Since(begin)
}

func TestHowACommandEnds(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name string
		argv []string
		want Execution
	}{
		{"success", call(t, "exit", "0"), Execution{Exited: true}},
		{"status", call(t, "exit", "7"), Execution{Exited: true, Code: 7}},
		{"signal", call(t, "die", "9"), Execution{Signal: "SIGKILL"}},
		{"no program", []string{"no-such-program-anywhere"}, Execution{Failure: "ENOENT: no such file or directory"}},
		{"no file", []string{"./missing"}, Execution{Failure: "ENOENT: no such file or directory"}},
		{"directory", []string{dir}, Execution{Failure: "EACCES: permission denied"}},
		{"no program file", []string{write("text", "echo a shell ran this\n", 0o755)}, Execution{Failure: "ENOEXEC: exec format error"}},
		{"not executable", []string{write("data", "#!/bin/sh\n", 0o644)}, Execution{Failure: "EACCES: permission denied"}},
	} {
		if e, out, _ := execute(t, time.Minute, c.argv); e != c.want || out != "" {
			t.Errorf("%s: %+v, %q, want %+v", c.name, e, out, c.want)
		}
	}
}

// A program is looked up on the PATH of the command, not on that of the test.
func TestPrograms(t *testing.T) {
	dir, target := t.TempDir(), t.TempDir()
	for path, mode := range map[string]os.FileMode{
		filepath.Join(dir, "tool"): 0o755, filepath.Join(dir, "plain"): 0o644, filepath.Join(target, "local"): 0o755,
	} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 0\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ path, name, want string }{
		{"PATH=" + dir, "tool", filepath.Join(dir, "tool")},
		{"PATH=/nowhere:" + dir, "tool", filepath.Join(dir, "tool")},
		{"PATH=/nowhere", "tool", "no such file or directory"},
		{"PATH=" + dir, "plain", "permission denied"},
		{"PATH=" + dir + ":.", "local", filepath.Join(target, "local")},
		{"PATH=" + dir + ":", "local", filepath.Join(target, "local")},
		{"PATH=" + dir, "./local", "./local"},
		{"OTHER=x", "sh", "/bin/sh"},
	} {
		got, err := find(Command{Argv: []string{c.name}, Dir: target, Env: []string{c.path}})
		if err != nil {
			got = err.Error()
		}
		if got != c.want && got != "/usr"+c.want {
			t.Errorf("%s on %s: %s, want %s", c.name, c.path, got, c.want)
		}
	}
}

func TestACommandGetsNoInputAndRunsInItsDirectory(t *testing.T) {
	var out bytes.Buffer
	dir := t.TempDir()
	_, err := Exec(context.Background(), Command{Argv: call(t, "stdin"), Dir: dir, Stdout: &out, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if want := "0 <nil> " + dir + "\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// Nothing of the parent's environment is passed unless it is listed, not even
// when nothing is.
func TestACommandGetsOnlyItsEnvironment(t *testing.T) {
	t.Setenv("PRODUCE_TEST_CANARY", "seen")
	var out bytes.Buffer
	if _, err := Exec(context.Background(), Command{Argv: call(t, "environ"), Dir: t.TempDir(), Stdout: &out, Stderr: io.Discard}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "CANARY") {
		t.Errorf("%q", out.String())
	}
}

// enoughToStart is a time limit within which every helper has started, also on a
// slow machine, and slack what such a machine may add to a time.
const (
	enoughToStart = 3 * time.Second
	slack         = 20 * time.Second
)

func TestTheTimeLimitEndsTheWholeGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	e, out, took := execute(t, enoughToStart, call(t, "family", file))
	if !e.TimedOut || !e.Cut || e.Signal != "SIGTERM" || e.Failure != "ETIMEDOUT: no end within 3000 ms" {
		t.Errorf("%+v", e)
	}
	if took > enoughToStart+KillGrace+slack {
		t.Errorf("took %v", took)
	}
	if out != "left\n" {
		t.Errorf("%q", out)
	}
	waitGone(t, file)
}

func TestSIGTERMIsFollowedBySIGKILL(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	e, _, took := execute(t, enoughToStart, call(t, "stubborn", file))
	if !e.TimedOut || e.Signal != "SIGKILL" || took < KillGrace || took > enoughToStart+KillGrace+slack {
		t.Errorf("%+v in %v", e, took)
	}
	waitGone(t, file)
}

// A command may end cleanly on the signal of the time limit.
func TestACleanEndAtTheTimeLimit(t *testing.T) {
	e, _, took := execute(t, enoughToStart, call(t, "polite", filepath.Join(t.TempDir(), "pid")))
	if !e.TimedOut || !e.Exited || e.Code != 0 || took > enoughToStart+KillGrace {
		t.Errorf("%+v in %v", e, took)
	}
}

// Whoever keeps the pipes open is not waited for; in the command's own group it
// is ended as well.
func TestLeftOverProcesses(t *testing.T) {
	for _, how := range []string{"leave", "daemon"} {
		file := filepath.Join(t.TempDir(), "pid")
		e, out, took := execute(t, time.Minute, call(t, how, file))
		if !e.Exited || e.Code != 0 || e.Failure != "" || !e.Cut || out != "left\n" {
			t.Errorf("%s: %+v, %q", how, e, out)
		}
		if took > drainWait+slack {
			t.Errorf("%s: took %v", how, took)
		}
		if how == "leave" {
			waitGone(t, file)
			continue
		}
		endDaemon(t, file)
	}
}

// endDaemon ends the one process that Exec is not to end.
func endDaemon(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	for _, c := range data {
		pid = 10*pid + int(c-'0')
	}
	if !alive(pid) {
		t.Errorf("a process in a session of its own was ended")
	}
	if self, err := os.FindProcess(pid); err == nil {
		self.Kill()
	}
}

func TestTheEndOfTheContextEndsTheCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	file := filepath.Join(t.TempDir(), "pid")
	time.AfterFunc(enoughToStart, cancel)
	var out bytes.Buffer
	_, err := Exec(ctx, Command{Argv: call(t, "family", file), Dir: t.TempDir(), Stdout: &out, Stderr: io.Discard})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	waitGone(t, file)
	if _, err := Exec(ctx, Command{Argv: call(t, "exit", "0")}); !errors.Is(err, context.Canceled) {
		t.Errorf("a command was started after the end: %v", err)
	}
}

// A gigabyte is not waited for, and not kept.
func TestAFloodIsCutOff(t *testing.T) {
	for _, name := range []string{"stdout", "stderr"} {
		streams := map[string]*capture{"stdout": {limit: 1 << 20}, "stderr": {limit: 1 << 20}}
		begin := time.Now()
		e, err := Exec(context.Background(), Command{
			Argv: call(t, "flood", name), Dir: t.TempDir(), Timeout: time.Minute, Stdout: streams["stdout"], Stderr: streams["stderr"],
		})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(e.Failure, "ENOBUFS: ") || !e.Cut || e.Signal != "SIGTERM" {
			t.Errorf("%s: %+v", name, e)
		}
		if c := streams[name]; len(c.data) != 1<<20 || cap(c.data) > 4<<20 || !c.over {
			t.Errorf("%s: %d bytes kept in %d", name, len(c.data), cap(c.data))
		}
		if took := time.Since(begin); took > 30*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}
