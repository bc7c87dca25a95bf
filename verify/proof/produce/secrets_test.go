//go:build unix

package produce

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/privacy/secret"
	"finishline/verify/proof"
	"finishline/verify/source"
)

// Secrets in every shape that is recognised, put together so that this file
// discloses none.
var shaped = map[string]string{
	"access token":  "gh" + "p_" + strings.Repeat("Ab3", 12),
	"provider key":  "s" + "k-" + strings.Repeat("Cd4", 10),
	"web token":     "ey" + "JhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
	"cloud key":     "AK" + "IA" + "QWERTYUIOPASDFGH",
	"bearer":        "Bear" + "er Zx9Zx9Zx9Zx9",
	"assignment":    "pass" + "word=swordfish-9",
	"connection":    "postgres" + "://user:letmein9@db/prod",
	"private key":   "-----BEGIN " + "PRIVATE KEY-----\nTUlJRXZn\n-----END " + "PRIVATE KEY-----",
	"encrypted key": "-----BEGIN " + "ENCRYPTED PRIVATE KEY-----\nTUlJRnZn\n",
}

// revealing are the parts of them that nobody may see.
var revealing = []string{
	strings.Repeat("Ab3", 4), strings.Repeat("Cd4", 4), "c2lnbmF0dXJl", "QWERTYUIOP", "Zx9Zx9", "swordfish", "letmein9", "TUlJRXZn", "TUlJRnZn",
}

// written are the contents of all files of a directory, without its .git.
func written(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			all.Write(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func noneOf(t *testing.T, where, text string, values []string) {
	t.Helper()
	for _, v := range values {
		if strings.Contains(text, v) {
			t.Errorf("%s shows %q", where, v)
		}
	}
}

// A command prints secrets of every kind, a byte at a time on both streams, and
// has some in its arguments; none is in the proof, the report or elsewhere. The
// same text without them is there, so the test looks at the right place.
func TestSecretsNeverReachTheFile(t *testing.T) {
	b := newBench(t, "")
	known := []string{"zebra crossing 42", "velvet\u00e9underpass", "passed-value-7", "named-value-8", "flag-value-9", "flag-value-10"}
	b.env("API_TOKEN="+known[0], "db_url="+known[1], "PASSED="+known[2], "NAMED="+known[3], "HOME=/home/ines", "PLAIN=plain-value")
	b.opts.PassEnv, b.opts.RedactEnv = []string{"passed"}, []string{"NAMED"}
	text := "hello plain-value\n" + strings.Join(known, "\n") + "\n/home/ines/x \\home\\ines\\x\n"
	for _, s := range shaped {
		if !strings.Contains(s, "ENCRYPTED") {
			text += s + "\n"
		}
	}
	text += "goodbye\n" + shaped["encrypted key"]
	file := filepath.Join(t.TempDir(), "said")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	argv := append(call(t, "spell", file), "--token", known[4], "--webhook-secret="+known[5], shaped["assignment"], "x "+known[0]+" "+known[4])
	p := b.proof(proof.Passed, argv...)

	hidden := append(append([]string{"/home/ines", `\home\ines`}, known...), revealing...)
	noneOf(t, "the target", written(t, b.dir), hidden)
	for _, a := range attempts(p) {
		for _, stream := range []string{"stdout", "stderr"} {
			got := a.Get(stream).Get("text").Text()
			if !strings.HasPrefix(got, "hello plain-value\n[REDACTED]\n[REDACTED]\n") || !strings.Contains(got, "goodbye\n") {
				t.Errorf("%s: %q", stream, got)
			}
		}
	}
	args := p.Argv()
	want := []string{"--token", "[REDACTED]", "--webhook-secret=[REDACTED]", "pass" + "word=[REDACTED]", "x [REDACTED] [REDACTED]"}
	if got := args[len(args)-5:]; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("argv %q", got)
	}
	in := p.Value().Get("command").Get("executionInputs")
	if in.Get("opaqueArgv").Len() != 2 || in.Get("passedEnvironmentNames").Len() != 1 || p.CausalIdentity() {
		t.Errorf("%s", canon.Canonical(in))
	}
}

// The command itself gets what was asked for, unredacted.
func TestTheCommandGetsTheRealValues(t *testing.T) {
	b := newBench(t, "")
	b.env("API_TOKEN=zebra crossing 42", "LANG=C", "home=lower")
	b.opts.PassEnv = []string{"api_token"}
	var got Command
	b.sys.Exec = func(_ context.Context, c Command) (Execution, error) { got = c; return Execution{Exited: true}, nil }
	b.proof(proof.Passed, "tool", "--token", "real-value")
	if strings.Join(got.Argv, " ") != "tool --token real-value" || got.Dir != b.dir || got.Timeout != b.opts.timeout() {
		t.Errorf("%+v", got)
	}
	want := append(append([]string{}, b.sys.Environ...)[:2:2], "API_TOKEN=zebra crossing 42", "LANG=C", "home=lower")
	if strings.Join(got.Env, "|") != strings.Join(want, "|") {
		t.Errorf("%q", got.Env)
	}
}

func TestMessagesShowNoSecret(t *testing.T) {
	b := newBench(t, "")
	b.env("API_TOKEN=hunter2", "HOME=/home/ines", "LONG_SECRET=long-enough-value")
	b.opts.CausalInputs = []string{"no/hunter2/here"}
	_, err := b.run("true")
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "[REDACTED]") {
		t.Errorf("%v", err)
	}
	b.opts.CausalInputs = nil
	b.sys.Dir = "/home/ines/nowhere"
	if _, err := b.run("true"); err == nil || strings.Contains(err.Error(), "ines") {
		t.Errorf("%v", err)
	}
	b.sys.Dir = b.dir
	for option, change := range map[string]func(*Options){
		"--run-id":       func(o *Options) { o.RunID = "run-long-enough-value" },
		"--environment":  func(o *Options) { o.Environment = "long-enough-value" },
		"--output":       func(o *Options) { o.Output = "proof/long-enough-value.json" },
		"--causal-input": func(o *Options) { o.CausalInputs = []string{"long-enough-value"} },
	} {
		opts := b.opts
		change(&b.opts)
		b.refused(option+" holds the value of a secret", "true")
		b.opts = opts
	}
}

// Wherever a stream is cut by its limit or by the end of the command, no part of
// a secret that began before the cut is left.
func TestCutsShowNoHalfSecrets(t *testing.T) {
	const known = "zebra crossing 42, upper road"
	r := redactor{known: []string{known}}
	for name, s := range map[string]string{"known value": known, "access token": shaped["access token"], "web token": shaped["web token"],
		"private key": shaped["private key"], "bearer": shaped["bearer"], "connection": shaped["connection"], "cloud key": shaped["cloud key"]} {
		said := "before " + s + " after\n"
		for limit := range len(said) {
			flood := &capture{limit: limit}
			flood.Write([]byte(said))
			stopped := &capture{limit: len(said)}
			stopped.Write([]byte(said[:limit]))
			for how, got := range map[string]stream{"limit": r.bound(flood, false, 256), "end": r.bound(stopped, true, 256)} {
				noneOf(t, name+" cut by its "+how, got.text, append(revealing, "zebra", "Ab3Ab3", "eyJhbGci", "QWERT", "user:", "Zx9"))
				if how == "limit" && got.observed <= len(got.text) {
					t.Errorf("%s: %d bytes of %d, not truncated", name, len(got.text), got.observed)
				}
			}
		}
	}
}

// UTF-8 that a bound splits is cut before the character, and what the text says
// about itself is true.
func TestBoundsSplitNoCharacter(t *testing.T) {
	r := redactor{}
	for max := 256; max < 262; max++ {
		for _, unit := range []string{"a", "é", "€", "\U0001F30A"} {
			c := &capture{limit: 1 << 20}
			c.Write([]byte(strings.Repeat(unit, 300)))
			s := r.bound(c, false, max)
			if !utf8.ValidString(s.text) || strings.ContainsRune(s.text, utf8.RuneError) || len(s.text) > max || len(s.text) <= max-len(unit) || s.observed != 300*len(unit) {
				t.Errorf("%q to %d: %d bytes of %d", unit, max, len(s.text), s.observed)
			}
		}
	}
	c := &capture{limit: 1 << 20}
	c.Write([]byte("ill-formed \xff\xe2\x82 text"))
	if s := r.bound(c, false, 256); s.text != "ill-formed \uFFFD\uFFFD text" || s.observed != len(s.text) {
		t.Errorf("%+v", s)
	}
}

// snapshots are two states of a target, for documents without a repository.
func snapshots() (before, after snapshot) {
	state := func(kind source.Kind) *source.State {
		return &source.State{Kind: kind, Commit: strings.Repeat("c", 40), TargetPath: ".", Tree: strings.Repeat("d", 40),
			StatusSHA256: canon.TextDigest(""), DiffSHA256: canon.TextDigest(""), UntrackedSHA256: canon.TextDigest("[]"), ValidatorSHA256: validator}
	}
	s := snapshot{tracked: state(source.TrackedState), application: state(source.ApplicationState)}
	return s, s
}

// documentOf is the proof of one attempt, as Run would write it.
func documentOf(e Execution, stdout, stderr stream, argv []string, r redactor) error {
	opts := validOptions()
	opts.Commit, opts.TimeoutMs = strings.Repeat("c", 40), 1000
	opts.MaxOutputBytes = 1 << 20
	opts.Argv = argv
	sys := System{Now: fixedNow, Host: Host{Platform: "linux", Arch: "x64", Producer: "test"}}
	before, after := snapshots()
	command, _, err := sys.command(opts, nil, r)
	if err != nil {
		return err
	}
	_, err = checked(sys.document(opts, command, []canon.Value{attempt(1, e, 0, stdout, stderr)}, before, after), "proof/portable.json")
	return err
}

var genEnd = rapid.Custom(func(t *rapid.T) Execution {
	e := Execution{Exited: true, Code: rapid.IntRange(0, 255).Draw(t, "code")}
	switch rapid.IntRange(0, 4).Draw(t, "end") {
	case 0:
		e = Execution{Signal: "SIGSEGV"}
	case 1:
		e = Execution{Signal: "SIGKILL", TimedOut: true, Failure: "ETIMEDOUT: no end within 5 ms", Cut: true}
	case 2:
		e = Execution{Failure: "ENOENT: no such file or directory"}
	case 3:
		e.Failure, e.Cut = "ENOBUFS: more output", true
	}
	return e
})

var genSaid = rapid.Custom(func(t *rapid.T) string {
	pieces := []string{" ", "\n", "a", "é", "\U0001F30A", "\xff", "\x00", "\"", "=", ":", "token", "tok" + "en=", "known-value", "known", "-value",
		"[REDACTED]", "[REDAC", "gh" + "p_", "0123456789", "AK" + "IA", "ABCDEFGHIJKLMNOP"}
	for _, s := range shaped {
		pieces = append(pieces, s)
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
})

// Whatever a command prints and however it ends, the proof passes at strict
// level and shows no known value.
func TestEveryRunGivesAValidProof(t *testing.T) {
	r := redactor{known: []string{"known-value"}}
	rapid.Check(t, func(t *rapid.T) {
		e := genEnd.Draw(t, "end")
		bounded := func(name string) stream {
			said := genSaid.Draw(t, name)
			c := &capture{limit: rapid.IntRange(0, len(said)+1).Draw(t, name+" limit")}
			c.Write([]byte(said))
			return r.bound(c, e.Cut, rapid.IntRange(0, 300).Draw(t, name+" bound"))
		}
		stdout, stderr := bounded("stdout"), bounded("stderr")
		argv := []string{"tool"}
		for _, arg := range rapid.SliceOfN(rapid.SampledFrom([]string{"run", "--token=known-value", "--api-key\x01x", "-v", "x known-value", "tok" + "en=a b",
			shaped["cloud key"], shaped["connection"], "--db-url\x01" + shaped["connection"], "--no=" + shaped["access token"], "[REDACTED]"}), 0, 5).Draw(t, "argv") {
			argv = append(argv, strings.Split(arg, "\x01")...)
		}
		if err := documentOf(e, stdout, stderr, argv, r); err != nil {
			t.Fatalf("%v: stdout %q stderr %q argv %q", err, stdout.text, stderr.text, argv)
		}
		for _, s := range []stream{stdout, stderr} {
			if strings.Contains(s.text, "known-value") {
				t.Fatalf("%q", s.text)
			}
		}
	})
}

// FuzzBound: whatever bytes a stream has and wherever it is cut, what is kept
// fits, is UTF-8, discloses nothing and makes a valid proof.
func FuzzBound(f *testing.F) {
	for _, s := range shaped {
		f.Add([]byte("before "+s+" after"), 20, 256)
	}
	f.Add([]byte("\xf0\x9f\x8c token=[REDACTED] known-value"), 100, 256)
	r := redactor{known: []string{"known-value", "e"}}
	f.Fuzz(func(t *testing.T, data []byte, limit, max int) {
		if limit < 0 || max < 0 || max > 1<<20 {
			t.Skip("no caller has such bounds")
		}
		c := &capture{limit: limit}
		n, err := c.Write(data)
		if (err != nil) != (n < len(data)) || len(c.data) > limit {
			t.Fatalf("%d, %v", n, err)
		}
		s := r.bound(c, c.over, max)
		switch {
		case len(s.text) > max || s.observed < len(s.text) || !utf8.ValidString(s.text):
			t.Fatalf("%+v for %q", s, data)
		case secret.Settle(s.text) != s.text || strings.Contains(s.text, "known-value"):
			t.Fatalf("%q discloses something", s.text)
		}
		if err := documentOf(Execution{Exited: true}, s, s, []string{"tool"}, r); err != nil {
			t.Fatal(err)
		}
	})
}
