package pack_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
)

// No script of the pack is executed. The positive control runs the same file.
func TestScriptsNeverRun(t *testing.T) {
	s := newScratch(t, commissioned, 0)
	const canary = "canary"
	script := "#!/bin/sh\ntouch '" + s.Path(canary) + "'\n"
	for _, name := range []string{"enterprise-ai-gate-all", "rca-gate", "review-gate", "run-packet-gate", "authoritative-assurance-gate"} {
		s.Write(s.prefix+"scripts/"+name+".mjs", []byte(script), 0o755)
	}
	s.recommit()
	s.accepts()
	if _, err := os.Lstat(s.Path(canary)); err == nil {
		t.Fatal("a pack script was executed")
	}
	if err := exec.Command(s.Path(s.prefix + "scripts/rca-gate.mjs")).Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(s.Path(canary)); err != nil {
		t.Fatal("the canary does not work:", err)
	}
}

// A content filter that applies to a bound path is refused and does not run;
// one that applies elsewhere is no obstacle.
func TestContentFilter(t *testing.T) {
	s := newScratch(t, plain, 0)
	s.Git("config", "filter.lab.clean", "touch '"+s.Path("canary")+"'; cat")
	s.Write(".gitattributes", []byte("app/* filter=lab\n"), 0o644)
	s.Write("app/main.txt", []byte("a change, so that Git has to read the file to commit it\n"), 0o644)
	s.recommit()
	s.Remove("canary") // committing ran it: the positive control
	s.accepts()
	s.Write(".gitattributes", []byte("app/* filter=lab\ncontrols/** filter=lab\n"), 0o644)
	f := s.refuses("runtime.git.unavailable")
	if len(f.Causes) != 1 || f.Causes[0].Rule != "source.content-filter" || !strings.Contains(f.Found, "controls/review-trust.v1.json") {
		t.Errorf("finding %+v", f)
	}
	if _, err := os.Lstat(s.Path("canary")); err == nil {
		t.Error("the filter ran")
	}
}

// What Git cannot answer and what the operator did not give is not looked at,
// so the verdict is incomplete.
func TestNotEvaluated(t *testing.T) {
	s := newScratch(t, plain, 0)
	s.pin = ""
	s.refuses("runtime.trust.pin-missing")
	if _, out := s.bind(verify.Strict); out.Verdict() != verify.Incomplete {
		t.Errorf("without a pin: %v", out.Verdict())
	}
	lab := openDirs(t, t.TempDir(), "")
	if lab.err == nil {
		t.Fatal("a repository where there is none")
	}
	bound, out := lab.bind(verify.Strict, s.commit, s.pin)
	if bound != nil || !out.Has("runtime.git.unavailable") || out.Verdict() != verify.Incomplete {
		t.Errorf("without a repository: %v\n%s", out.Verdict(), texts(out))
	}
	declared := pack.Declared{Artifact: "run/packet.json", Runtime: read(t, `{}`), Level: verify.Strict}
	if out := pack.Compare(declared, bound, out); out.Verdict() != verify.Incomplete || !out.Has("runtime.declared.untrusted") {
		t.Errorf("declared: %v\n%s", out.Verdict(), texts(out))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	lab = openDirs(t, s.Dir, "")
	bound, out = pack.Bind(ctx, pack.Input{Target: lab.root, Pack: lab.pack, Repo: lab.repo, Commit: s.commit, Pin: review.ParsePin(storePin(t, trustStore))})
	if bound != nil || out.Verdict() != verify.Incomplete {
		t.Errorf("cancelled: bound %v, %v", bound != nil, out.Verdict())
	}
}

// FIFOs answer at once: one more is not listed, one in a file's place is no
// file.
func TestFIFO(t *testing.T) {
	fifo := func(s *scratch, rel string) {
		if err := syscall.Mkfifo(s.Path(rel), 0o644); err != nil {
			t.Skip("no FIFOs here:", err)
		}
	}
	done := time.AfterFunc(time.Minute, func() { panic("a FIFO blocks") })
	defer done.Stop()
	s := newScratch(t, plain, 0)
	fifo(s, "scripts/pipe")
	fifo(s, "controls/pipe.json")
	s.accepts()
	s.Remove("skills/registry.json")
	fifo(s, "skills/registry.json")
	s.refuses("runtime.file.not-regular")
	s.Remove("scripts/rca-gate.mjs")
	fifo(s, "scripts/rca-gate.mjs")
	s.refuses("runtime.inventory.scripts-mismatch")
	c := newScratch(t, commissioned, 0)
	c.Remove("AGENTS.md")
	fifo(c, "AGENTS.md")
	c.refuses("runtime.loader.not-regular")
}

// Large files are their own rule at strict level, and no obstacle below it.
func TestTooLarge(t *testing.T) {
	vectors.Long(t)
	for name, sizes := range map[string][]int{"one blob": {17 << 20}, "all together": {14 << 20, 14 << 20, 14 << 20, 14 << 20, 14 << 20}} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t, commissioned, 0)
			for i, size := range sizes {
				s.Write(fmt.Sprintf("%sdocs/%d.txt", s.prefix, i), bytes.Repeat([]byte{byte('a' + i)}, size), 0o644)
			}
			s.recommit()
			if bound, out := s.bind(verify.Base); bound == nil {
				t.Errorf("base: %s", texts(out))
			}
			bound, out := s.bind(verify.Strict)
			if ids := verify.RuleIDs(out.List(), verify.Error); bound == nil || len(ids) != 1 || ids[0] != "strict.runtime.too-large" {
				t.Errorf("strict: bound %v\n%s", bound != nil, texts(out))
			}
		})
	}
}

// A checkout made under core.autocrlf is refused with a hint; so is a mode.
func TestHints(t *testing.T) {
	s := newScratch(t, commissioned, 20)
	s.Git("config", "core.autocrlf", "true")
	s.Git("rm", "-q", "-r", "--cached", ".")
	s.Git("reset", "-q", "--hard")
	if !bytes.Contains(s.Read(s.prefix+"docs/readme.txt"), []byte("\r\n")) {
		t.Fatal("the checkout has no CRLF")
	}
	f := s.refuses("runtime.worktree.dirty")
	if !strings.Contains(f.Found, "line ends only") || !strings.Contains(f.Found, "more") || !strings.Contains(f.Hint, ".gitattributes") {
		t.Errorf("finding %+v", f)
	}
	s = newScratch(t, plain, 0)
	s.Chmod("scripts/rca-gate.mjs", 0o755)
	if f := s.refuses("runtime.worktree.dirty"); !strings.Contains(f.Found, "file mode only") || f.Artifact != "scripts/rca-gate.mjs" {
		t.Errorf("finding %+v", f)
	}
}

// Findings of a mismatch name the first files and count the others.
func TestFindingsTellWhich(t *testing.T) {
	s := newScratch(t, plain, 0)
	for i := range 5 {
		s.Write(fmt.Sprintf("scripts/x%d.mjs", i), nil, 0o644)
	}
	s.Remove("scripts/rca-gate.mjs")
	want := `not committed: "scripts/x0.mjs", "scripts/x1.mjs", "scripts/x2.mjs" and 2 more; missing: "scripts/rca-gate.mjs"`
	if f := s.refuses("runtime.inventory.scripts-mismatch"); f.Found != want || f.Artifact != "scripts/x0.mjs" {
		t.Errorf("found %s in %s, want %s", f.Found, f.Artifact, want)
	}
	c := newScratch(t, commissioned, 0)
	c.put("controls/review-trust.v1.json", "{}")
	if f := c.refuses("runtime.file.dirty"); f.Artifact != ".valdris-harness/controls/review-trust.v1.json" {
		t.Errorf("finding %+v", f)
	}
	c.Write("AGENTS.md", []byte("a\n"+strings.Replace(pack.LoaderBlock("AGENTS.md"), "discovery", "discovering", 1)), 0o644)
	c.put("controls/review-trust.v1.json", trustStore)
	if f := c.refuses("runtime.loader.block-mismatch"); f.Line != 3 || f.Artifact != "AGENTS.md" {
		t.Errorf("finding %+v", f)
	}
	s = newScratch(t, plain, 0)
	s.pin = canon.SHA256([]byte(trustStore))
	if f := s.refuses("runtime.trust.committed-pin-mismatch"); !strings.Contains(f.Hint, "JSON meaning") {
		t.Errorf("finding %+v", f)
	}
	s.pin = "sk-" + "notapin" // a secret in the wrong variable
	if f := s.refuses("runtime.trust.pin-malformed"); strings.Contains(fmt.Sprint(f), s.pin) {
		t.Errorf("finding %+v", f)
	}
}

// A swapped blob is served by Git under the right id, and no status notices:
// base level computes with it, strict level says so.
func TestForgedObject(t *testing.T) {
	s := newScratch(t, commissioned, 0)
	honest := s.accepts()
	s.forge(s.Git("rev-parse", "HEAD:.valdris-harness/docs/readme.txt"), "blob", []byte("forged\n"))
	if bound, out := s.bind(verify.Base); bound == nil || bound.RuntimeSHA256 == honest.RuntimeSHA256 {
		t.Errorf("base: bound %v\n%s", bound != nil, texts(out))
	}
	if _, out := s.bind(verify.Strict); !out.Has("strict.source.object-identity") || out.Verdict() != verify.Fail {
		t.Errorf("strict: %v\n%s", out.Verdict(), texts(out))
	}
}

// forge replaces a loose object by other content under the same id.
func (s *scratch) forge(id, kind string, content []byte) {
	path := s.Path(".git/objects/" + id[:2] + "/" + id[2:])
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	fmt.Fprintf(w, "%s %d\x00%s", kind, len(content), content)
	w.Close()
	if err := os.Remove(path); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o444); err != nil {
		s.t.Fatal(err)
	}
}

// Whatever is exchanged while a binding is computed, the answer is the honest
// binding or a refusal.
func TestSwapsDuringBinding(t *testing.T) {
	for name, swap := range map[string]func(s *scratch, turn bool) error{
		"directory for a link": func(s *scratch, turn bool) error {
			return swapNames(s.Path(".valdris-harness/scripts"), s.Path("link"))
		},
		"file for another": func(s *scratch, turn bool) error {
			return swapNames(s.Path(".valdris-harness/scripts/rca-gate.mjs"), s.Path("evil.mjs"))
		},
		"loader for a link": func(s *scratch, turn bool) error {
			return swapNames(s.Path("AGENTS.md"), s.Path("loader-link"))
		},
		"HEAD": func(s *scratch, turn bool) error {
			ref := "refs/heads/main"
			if turn {
				ref = "refs/heads/other"
			}
			return os.WriteFile(s.Path(".git/HEAD"), []byte("ref: "+ref+"\n"), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t, commissioned, 0)
			honest := s.accepts()
			s.Git("branch", "other")
			s.Git("symbolic-ref", "HEAD", "refs/heads/other")
			s.Commit("empty", "--allow-empty")
			s.Git("symbolic-ref", "HEAD", "refs/heads/main")
			s.Symlink("link", "../evil")
			s.Write("evil/rca-gate.mjs", []byte("evil\n"), 0o644)
			s.Write("evil.mjs", []byte("evil\n"), 0o644)
			s.Symlink("loader-link", "evil.mjs")
			stopped := make(chan struct{})
			var wg sync.WaitGroup
			wg.Go(func() {
				for turn := true; ; turn = !turn {
					select {
					case <-stopped:
						return
					default:
						if err := swap(s, turn); err != nil {
							t.Error(err)
							return
						}
					}
				}
			})
			lab := openDirs(t, s.Dir, "")
			for range 8 {
				bound, out := lab.bind(verify.Base, s.commit, s.pin)
				switch ids := baseErrors(out); {
				case bound != nil && bound.SetSHA256 != honest.SetSHA256:
					t.Fatal("bound to something else")
				case bound == nil && (len(ids) != 1 || !strings.HasPrefix(ids[0], "runtime.")):
					t.Fatalf("rules %v\n%s", ids, texts(out))
				}
			}
			close(stopped)
			wg.Wait()
		})
	}
}

// swapNames exchanges two names through a third.
func swapNames(a, b string) error {
	third := a + ".swap"
	for _, step := range [][2]string{{a, third}, {b, a}, {third, b}} {
		if err := os.Rename(step[0], step[1]); err != nil {
			return err
		}
	}
	return nil
}
