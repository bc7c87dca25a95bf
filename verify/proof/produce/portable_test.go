//go:build unix

package produce

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"finishline/canon"
	"finishline/verify/proof"
	"finishline/verify/source"
)

func TestAPassingRun(t *testing.T) {
	for _, sub := range []string{"", "apps/web"} {
		b := newBench(t, sub)
		b.opts.CausalInputs = []string{"guide.md"}
		b.opts.Repeat = 2
		p := b.proof(proof.Passed, call(t, "pieces", "one ", "two\n")...)
		if found := b.current(p); len(found) > 0 {
			t.Errorf("%q: not the repository's: %+v", sub, found)
		}
		if got := stdouts(p); len(got) != 2 || got[0] != "one two\n" || got[1] != got[0] {
			t.Errorf("%q: %q", sub, got)
		}
		s := p.Source()
		wantTarget := sub
		if sub == "" {
			wantTarget = "."
		}
		if s.GitHead != b.commit || s.TargetPath != wantTarget || s.Validator != validator || !p.Clean() || !p.CausalIdentity() {
			t.Errorf("%q: %+v", sub, s)
		}
		in := p.CausalInputs()
		if want := canon.SHA256(b.read("guide.md")); len(in) != 1 || in[0] != (proof.CausalInput{Path: "guide.md", Before: want, After: want}) {
			t.Errorf("%q: %+v", sub, in)
		}
		if run := p.Run(); run != (proof.Run{ID: "docs-7", Commit: b.commit, Environment: "local"}) {
			t.Errorf("%q: %+v", sub, run)
		}
		if data := string(b.read("proof/portable.json")); !strings.HasPrefix(data, "{\n  \"schema\"") || !strings.HasSuffix(data, "\n}\n") {
			t.Errorf("%q: not pretty: %.40q", sub, data)
		}
	}
}

func TestOutcomes(t *testing.T) {
	b := newBench(t, "")
	counter := filepath.Join(t.TempDir(), "count")
	for i, c := range []struct {
		status proof.Status
		change func(*Options)
		argv   []string
	}{
		{proof.Failed, nil, call(t, "exit", "3")},
		{proof.Failed, nil, call(t, "die", "9")},
		{proof.TimedOut, func(o *Options) { o.TimeoutMs = 300 }, call(t, "polite", counter+".pid")},
		{proof.SpawnFailed, nil, []string{"no-such-program-anywhere"}},
		{proof.Flaky, func(o *Options) { o.Repeat = 3 }, call(t, "count", counter)},
		{proof.RedConfirmed, func(o *Options) { o.Mode, o.Repeat = proof.ModeRedBaseline, 2 }, call(t, "exit", "1")},
		{proof.UnexpectedGreen, func(o *Options) { o.Mode = proof.ModeRedBaseline }, call(t, "exit", "0")},
		{proof.UnexpectedGreen, func(o *Options) { o.Mode = proof.ModeRedBaseline }, call(t, "die", "9")},
		{proof.SourceMutated, nil, call(t, "write", "made.txt", "made by the command")},
	} {
		opts := b.opts
		b.opts.Output = filepath.ToSlash(filepath.Join("proof", string(c.status)+string(rune('a'+i))+".json"))
		if c.change != nil {
			c.change(&b.opts)
		}
		p := b.proof(c.status, c.argv...)
		if got := len(attempts(p)); got != b.opts.Repeat {
			t.Errorf("%s: %d attempts", c.status, got)
		}
		b.opts = opts
	}
}

func TestAttemptsOfEndedCommands(t *testing.T) {
	b := newBench(t, "")
	b.opts.TimeoutMs = 3000
	b.opts.Output = "proof/late.json"
	late := attempts(b.proof(proof.TimedOut, call(t, "family", filepath.Join(t.TempDir(), "pid"))...))[0]
	if !late.Get("timedOut").IsBool(true) || !late.Get("exitCode").IsNull() || !late.Get("signal").Is("SIGTERM") ||
		!late.Get("spawnError").Is("ETIMEDOUT: no end within 3000 ms") || !late.Get("stdout").Get("text").Is("left\n") {
		t.Errorf("%s", canon.Canonical(late))
	}
	b.opts.TimeoutMs, b.opts.Output = 20_000, "proof/flood.json"
	flood := attempts(b.proof(proof.SpawnFailed, call(t, "flood", "stdout")...))[0]
	text, out := flood.Get("stdout").Get("text").Text(), flood.Get("stdout")
	observed, _ := out.Get("observedBytes").Integer()
	if !strings.HasPrefix(flood.Get("spawnError").Text(), "ENOBUFS") || len(text) != DefaultMaxOutputBytes || observed <= 1<<20 || !out.Get("truncated").IsBool(true) {
		t.Errorf("%d bytes of %v, %s", len(text), observed, canon.Canonical(flood.Get("spawnError")))
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	b := newBench(t, "")
	b.repo.Write("proof/portable.json", []byte("mine"), 0o644)
	b.refused("already exists and is never overwritten", call(t, "write", "ran.txt", "x")...)
	if _, err := os.Stat(filepath.Join(b.dir, "ran.txt")); err == nil {
		t.Error("the command ran although there was no place for its proof")
	}
	// One that appears while the command runs.
	b.opts.Output = "proof/second.json"
	b.refused("already exists and is never overwritten", call(t, "write", "proof/second.json", "the command's own")...)
	if got := string(b.read("proof/second.json")); got != "the command's own" {
		t.Errorf("%q", got)
	}
	// A dangling link is not written through.
	b.opts.Output = "proof/link.json"
	b.repo.Symlink("proof/link.json", "../elsewhere.json")
	if _, err := b.run(call(t, "exit", "0")...); err == nil {
		t.Error("written over a link")
	}
	if _, err := os.Stat(filepath.Join(b.dir, "elsewhere.json")); err == nil {
		t.Error("written through a link")
	}
}

// A command that replaces the directory of its proof by a link out of the target
// gets no proof, there or elsewhere.
func TestTheDirectoryIsLookedAtAgain(t *testing.T) {
	b := newBench(t, "")
	outside := t.TempDir()
	b.sys.Exec = func(context.Context, Command) (Execution, error) {
		return Execution{Exited: true}, os.Symlink(outside, filepath.Join(b.dir, "proof"))
	}
	if _, err := b.run("true"); err == nil {
		t.Error("not refused")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("written outside: %v", left)
	}
}

func TestOutputPaths(t *testing.T) {
	b := newBench(t, "apps/web")
	b.repo.Write(".git/info/exclude", []byte("/apps/web/out\n"), 0o644)
	b.repo.Symlink("apps/web/out", os.TempDir())
	b.repo.Write("apps/web/file", nil, 0o644)
	for path, words := range map[string]string{
		"../x.json": "path.parent-traversal", "aux.json": "path.reserved-device-name", "out/x.json": "path.parent-resolves-outside",
		os.TempDir() + "/x.json": "path.escapes-root", ".git/x.json": "strict.path.git-directory", ".": "path.trailing-dot", "a:b": "path.colon",
		"file": "already exists",
	} {
		b.opts.Output = path
		b.refused(words, call(t, "exit", "0")...)
	}
	for _, path := range []string{"deep/er/x.json", filepath.Join(b.dir, "absolute.json")} {
		b.opts.Output = path
		result, err := b.run(call(t, "exit", "0")...)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if strings.HasPrefix(result.Artifact, "/") {
			t.Errorf("artifact %s", result.Artifact)
		}
	}
}

func TestCausalInputs(t *testing.T) {
	b := newBench(t, "")
	b.repo.Write("z.txt", []byte("z"), 0o644)
	b.repo.Write("\U0001F30A.txt", []byte("wave"), 0o644)
	b.repo.Write("\uFFFC.txt", []byte("later"), 0o644)
	b.repo.Symlink("link.txt", "z.txt")
	b.repo.Symlink("linked", ".")
	for path, words := range map[string]string{
		"missing.txt": "--causal-input missing.txt", "link.txt": "link", "linked/z.txt": "link", "proof": "--causal-input",
		"./z.txt": "path.not-canonical", "/etc/passwd": "path.not-relative", "": "path.empty",
	} {
		b.opts.CausalInputs = []string{path}
		b.refused(words, call(t, "exit", "0")...)
	}
	b.opts.CausalInputs = []string{"z.txt", "z.txt"}
	b.refused("names a file twice", call(t, "exit", "0")...)
	os.Remove(filepath.Join(b.dir, "link.txt"))
	os.Remove(filepath.Join(b.dir, "linked"))
	b.opts.CausalInputs = []string{"\uFFFC.txt", "z.txt", "\U0001F30A.txt"} // sorted by UTF-16 units
	var got []string
	for _, in := range b.proof(proof.Passed, call(t, "exit", "0")...).CausalInputs() {
		got = append(got, in.Path)
	}
	if strings.Join(got, " ") != "z.txt \U0001F30A.txt \uFFFC.txt" {
		t.Errorf("%q", got)
	}
}

// An ignored file is invisible to the source state, but not as a causal input.
func TestAChangedCausalInputIsNoSuccess(t *testing.T) {
	b := newBench(t, "")
	b.repo.Write(".git/info/exclude", []byte("/cache\n"), 0o644)
	b.repo.Write("cache", []byte("old"), 0o644)
	b.opts.CausalInputs = []string{"cache"}
	b.refused("strict.proof.causal-mutated", call(t, "write", "cache", "new")...)
	b.nothingWritten()
	b.refused("--causal-input cache", "rm", "cache")
	b.nothingWritten()
}

func TestWhatTheSourceStateRefuses(t *testing.T) {
	b := newBench(t, "")
	b.opts.Commit = strings.Repeat("0", 40)
	b.refused("source.head-mismatch", call(t, "exit", "0")...)
	b.opts.Commit = strings.ToUpper(b.commit)
	b.refused("source.head-mismatch", call(t, "exit", "0")...)
	b.opts.Commit = b.commit
	b.repo.Symlink("loose", "guide.md")
	b.refused("source.untracked.symlink", call(t, "exit", "0")...)
	os.Remove(filepath.Join(b.dir, "loose"))
	b.sys.Dir = t.TempDir()
	b.refused("source.git-unavailable", call(t, "exit", "0")...)
	b.sys.Dir = filepath.Join(b.dir, "nowhere")
	b.refused("no such file", call(t, "exit", "0")...)
	b.nothingWritten()
}

func TestAnInterruptedRunWritesNothing(t *testing.T) {
	b := newBench(t, "")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.sys.Watch = func(Progress) { time.AfterFunc(300*time.Millisecond, cancel) }
	b.opts.Argv = call(t, "family", filepath.Join(t.TempDir(), "pid"))
	_, err := Run(ctx, b.sys, b.opts)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	b.nothingWritten()
}

func TestProgress(t *testing.T) {
	b := newBench(t, "")
	var seen []Progress
	b.sys.Watch = func(p Progress) { seen = append(seen, p) }
	b.opts.Repeat = 2
	b.proof(proof.Passed, call(t, "exit", "0")...)
	if len(seen) != 2 || seen[0] != (Progress{1, 2}) || seen[1] != (Progress{2, 2}) {
		t.Errorf("%+v", seen)
	}
}

// The report has the four members of D.5, with the path relative to the target.
func TestReport(t *testing.T) {
	b := newBench(t, "")
	result, err := b.run(call(t, "exit", "0")...)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range result.Value().Members() {
		names = append(names, m.Name)
	}
	v := result.Value()
	if strings.Join(names, " ") != "ok status artifact bindings" || !v.Get("ok").IsBool(true) || !v.Get("artifact").Is("proof/portable.json") || v.Get("bindings").Len() != 10 {
		t.Errorf("%s", canon.Canonical(v))
	}
}

// A proof that nobody could read is refused rather than written.
func TestATooLargeProofIsRefused(t *testing.T) {
	b := newBench(t, "")
	b.opts.Repeat, b.opts.MaxOutputBytes = proof.MaxRepeat, proof.MaxOutputBytes
	control := []byte(strings.Repeat("\x01", proof.MaxOutputBytes)) // six bytes each in JSON
	ran := 0
	b.sys.Exec = func(_ context.Context, c Command) (Execution, error) {
		ran++
		c.Stdout.Write(control)
		return Execution{Exited: true}, nil
	}
	b.refused("json.size", "true")
	b.nothingWritten()
	if ran > 11 {
		t.Errorf("ran %d times for nothing", ran)
	}
}

func TestTargetsThatMoveAreRefused(t *testing.T) {
	state := func(path string) *source.State { return &source.State{TargetPath: path} }
	if err := sameTarget(snapshot{tracked: state("a"), application: state("a")}, snapshot{tracked: state("a"), application: state("a")}); err != nil {
		t.Error(err)
	}
	for i := range 3 {
		paths := []string{"a", "a", "a"}
		paths[i] = "b"
		if err := sameTarget(snapshot{tracked: state("a"), application: state(paths[0])}, snapshot{tracked: state(paths[1]), application: state(paths[2])}); err == nil {
			t.Errorf("%q passed", paths)
		}
	}
}

func TestJSONSize(t *testing.T) {
	var all []byte
	for c := range 0x80 {
		all = append(all, byte(c))
	}
	text := string(all) + "é€\U0001F30A"
	if got, want := (stream{text: text}).jsonSize(), len(canon.Compact(canon.NewString(text)))-2; got != want {
		t.Errorf("%d, want %d", got, want)
	}
}
