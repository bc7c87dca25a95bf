//go:build unix

package produce

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/proof"
)

// writer is a directory to write bridge proofs in. No repository is needed.
func writer(t testing.TB) System {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return System{Dir: dir, Environ: []string{"PATH=" + os.Getenv("PATH"), "MARK=from the caller"}, Exec: Exec, Now: time.Now}
}

func bridge(t testing.TB, sys System, commands ...string) (canon.Value, *Written, []verify.Finding) {
	t.Helper()
	written, err := Write(context.Background(), sys, WriteOptions{RunID: "docs-7", Output: "proof/proof.json", Commands: commands})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(sys.Dir, filepath.FromSlash(written.Artifact)))
	if err != nil {
		t.Fatal(err)
	}
	u, found := proof.ReadUASH(data, written.Artifact, verify.Strict, proof.Options{RunID: "docs-7"})
	return u.Value(), written, found.List()
}

func outputDigest(stdout, stderr string) string {
	sum := sha256.Sum256([]byte(stdout + "\n--- STDERR ---\n" + stderr))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func TestBridgeProof(t *testing.T) {
	sys := writer(t)
	doc, written, found := bridge(t, sys, "echo one; echo two >&2", `printf '\377%s' "$MARK"; cat; pwd`)
	if len(found) > 0 || !written.Passed() || written.Commands != 2 {
		t.Errorf("%+v, %+v", written, found)
	}
	if !doc.Get("status").Is("passed") || !doc.Get("summary").Is("2 of 2 commands passed") || !doc.Get("runId").Is("docs-7") {
		t.Errorf("%s", canon.Canonical(doc))
	}
	results := doc.Get("commands").Elems()
	first, second := results[0], results[1]
	if !first.Get("stdoutTail").Is("one\n") || !first.Get("stderrTail").Is("two\n") || !first.Get("outputDigest").Is(outputDigest("one\n", "two\n")) {
		t.Errorf("%s", canon.Canonical(first))
	}
	raw := "\xfffrom the caller" + sys.Dir + "\n"
	if !second.Get("outputDigest").Is(outputDigest(raw, "")) || !second.Get("stdoutTail").Is("\uFFFDfrom the caller"+sys.Dir+"\n") {
		t.Errorf("%s", canon.Canonical(second))
	}
}

// A failing command stops nothing, the file is written, and it is no proof for
// these reasons and no other.
func TestBridgeProofOfFailures(t *testing.T) {
	for _, c := range []struct {
		line string
		exit canon.Value
		rule string
	}{
		{"exit 3", canon.NewNumber(3), "uash-proof.command.nonzero"},
		{"kill -9 $$", canon.NewNull(), "uash-proof.command.exit-code"},
	} {
		doc, written, found := bridge(t, writer(t), "echo before", c.line, "echo after")
		want := []string{c.rule, "uash-proof.status"}
		if got := verify.RuleIDs(found, verify.Error); !slices.Equal(got, want) || written.Passed() || written.Failed != 1 {
			t.Errorf("%s: %q, %+v", c.line, got, written)
		}
		results := doc.Get("commands").Elems()
		if len(results) != 3 || !canon.Same(results[1].Get("exitCode"), c.exit) || !results[2].Get("stdoutTail").Is("after\n") {
			t.Errorf("%s: %s", c.line, canon.Canonical(doc))
		}
		if !doc.Get("status").Is("failed") || !doc.Get("summary").Is("2 of 3 commands passed") {
			t.Errorf("%s: %s", c.line, canon.Canonical(doc))
		}
	}
}

// The tails are redacted, the digest is that of the unchanged output.
func TestBridgeProofShowsNoSecret(t *testing.T) {
	sys := writer(t)
	sys.Environ = append(sys.Environ, "API_TOKEN=zebra crossing 42")
	said := "start\nzebra crossing 42\n" + shaped["access token"] + "\n" + shaped["private key"] + "\n" + shaped["cloud key"] + "\nend\n"
	file := filepath.Join(t.TempDir(), "said")
	if err := os.WriteFile(file, []byte(said), 0o600); err != nil {
		t.Fatal(err)
	}
	spell := strings.Join(call(t, "spell", file), " ")
	doc, _, found := bridge(t, sys, spell, "true "+shaped["assignment"]+"; true zebra crossing 42")
	if len(found) > 0 {
		t.Errorf("%+v", found)
	}
	noneOf(t, "the file", written(t, sys.Dir), append([]string{"zebra crossing 42"}, revealing...))
	first := doc.Get("commands").Elems()[0]
	if !first.Get("outputDigest").Is(outputDigest(said, said)) {
		t.Errorf("digest %s", first.Get("outputDigest").Text())
	}
	if tail := first.Get("stdoutTail").Text(); !strings.HasPrefix(tail, "start\n[REDACTED]\n") || !strings.HasSuffix(tail, "\nend\n") {
		t.Errorf("%q", tail)
	}
}

// A tail has the last 6000 UTF-16 units, and no half of a pair.
func TestBridgeTails(t *testing.T) {
	for _, unit := range []string{"ab\n", "\U0001F30A", "x\U0001F30A"} {
		said := strings.Repeat(unit, 5000)
		sys := writer(t)
		sys.Exec = func(_ context.Context, cmd Command) (Execution, error) {
			cmd.Stdout.Write([]byte(said))
			cmd.Stderr.Write([]byte(said + "!"))
			return Execution{Exited: true}, nil
		}
		doc, _, _ := bridge(t, sys, "true")
		result := doc.Get("commands").Elems()[0]
		for name, whole := range map[string]string{"stdoutTail": said, "stderrTail": said + "!"} {
			tail := result.Get(name).Text()
			if n := canon.UTF16Len(tail); n > 6000 || n < 5999 || !strings.HasSuffix(whole, tail) {
				t.Errorf("%s of %q: %d units", name, unit, n)
			}
		}
		if !result.Get("outputDigest").Is(outputDigest(said, said+"!")) {
			t.Errorf("%q: another digest", unit)
		}
	}
}

// What precedes the part of a long output that is looked at may hide where a
// secret began.
func TestBridgeTailsOfLongOutput(t *testing.T) {
	key := "-----BEGIN " + "PRIVATE KEY-----\n" + strings.Repeat(strings.Repeat("TUlJRXZn", 8)+"\n", tailWindow/60) + "-----END " + "PRIVATE KEY-----\n"
	long := strings.Repeat("zebra crossing 42 ", tailWindow/10)
	for _, said := range []string{strings.Repeat("x\n", 100) + key + "end\n", long + "end\n", long[1:] + "end\n", long[7:] + "end\n"} {
		sys := writer(t)
		sys.Environ = append(sys.Environ, "API_TOKEN=zebra crossing 42")
		sys.Exec = func(_ context.Context, cmd Command) (Execution, error) {
			for rest := []byte(said); len(rest) > 0; rest = rest[min(len(rest), 32768):] {
				cmd.Stdout.Write(rest[:min(len(rest), 32768)])
			}
			cmd.Stderr.Write([]byte(said))
			return Execution{Exited: true}, nil
		}
		doc, _, found := bridge(t, sys, "true")
		result := doc.Get("commands").Elems()[0]
		for _, name := range []string{"stdoutTail", "stderrTail"} {
			tail := result.Get(name).Text()
			noneOf(t, name, tail, []string{"TUlJRXZn", "zebra", "crossing"})
			if !strings.HasSuffix(tail, "end\n") {
				t.Errorf("%s: %.60q", name, tail)
			}
		}
		if len(found) > 0 || !result.Get("outputDigest").Is(outputDigest(said, said)) {
			t.Errorf("%+v", found)
		}
	}
}

// A command that prints without end is ended and has failed, even if it claims
// success then.
func TestBridgeProofOfAFlood(t *testing.T) {
	sys := writer(t)
	sys.Exec = func(_ context.Context, cmd Command) (Execution, error) {
		block := make([]byte, 1<<20)
		for {
			if _, err := cmd.Stdout.Write(block); err != nil {
				if !errors.Is(err, ErrEnough) {
					t.Fatal(err)
				}
				return Execution{Exited: true, Failure: "ENOBUFS: more", Cut: true}, nil
			}
		}
	}
	doc, written, _ := bridge(t, sys, "true")
	if written.Passed() || !doc.Get("commands").Elems()[0].Get("exitCode").IsNull() {
		t.Errorf("%s", canon.Canonical(doc.Get("status")))
	}
	stderr := &capture{limit: 10}
	if n, err := stderr.Write(make([]byte, 11)); n != 10 || !errors.Is(err, ErrEnough) {
		t.Errorf("%d, %v", n, err)
	}
}

func TestBridgeProofsAreNotOverwritten(t *testing.T) {
	sys := writer(t)
	opts := WriteOptions{Output: "proof/proof.json", Commands: []string{"echo x >> ran"}}
	if _, err := Write(context.Background(), sys, opts); err != nil {
		t.Fatal(err)
	}
	_, err := Write(context.Background(), sys, opts)
	if err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("%v", err)
	}
	if ran, _ := os.ReadFile(filepath.Join(sys.Dir, "ran")); string(ran) != "x\n" {
		t.Errorf("the command ran for nothing: %q", ran)
	}
}

// The times of a document are in order although the clock is not.
func TestTheClockGoesBack(t *testing.T) {
	sys := writer(t)
	at := fixedNow()
	sys.Now = func() time.Time { at = at.Add(-time.Hour); return at }
	sys.Exec = func(context.Context, Command) (Execution, error) { return Execution{Exited: true}, nil }
	if _, err := Write(context.Background(), sys, WriteOptions{Output: "p.json", Commands: []string{"a", "b"}}); err != nil {
		t.Error(err)
	}
}

func TestBridgeProofOptions(t *testing.T) {
	sys := writer(t)
	sys.Environ = append(sys.Environ, "API_TOKEN=long-enough-value")
	for _, opts := range []WriteOptions{
		{Output: "long-enough-value.json", Commands: []string{"true"}},
		{Output: "p.json", RunID: "long-enough-value", Commands: []string{"true"}},
	} {
		if _, err := Write(context.Background(), sys, opts); err == nil || strings.Contains(err.Error(), "long-enough") {
			t.Errorf("%v", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Write(ctx, sys, WriteOptions{Output: "p.json", Commands: []string{"true"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(sys.Dir, "p.json")); err == nil {
		t.Error("written all the same")
	}
}
