package privacy

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"finishline/internal/git"
	"finishline/internal/vectors"
	"finishline/verify"
)

// A scanCase is one scan-*.json (testdata/vectors/privacy/README.md).
type scanCase struct {
	Args struct {
		Mode    string
		Include []string
		Release []string `json:"releaseArtifact"`
	}
	Tree []struct {
		Path      string
		PathParts []string
		Text      string
		Parts     []string
		Base64    string
		Symlink   *string
		FIFO, Dir bool
	}
	Git *struct{ Track, Remove []string }

	Expect struct {
		Valid    bool
		Gate     string
		Rules    []string
		Scope    *scopeCase
		Counts   map[string]int
		Findings []findingCase
	}
	ExpectStrict *vectors.Expect
}

type scopeCase struct {
	Mode  string
	Paths []string
}

type findingCase struct {
	Rule, Category, Path string
	Line, Column         int
	Redacted             string
	Fingerprint          string
}

func TestVectorsScan(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(vectors.Dir(t, "privacy"), "scan-*.json"))
	tally := vectors.NewTally(t, "privacy (scan)")
	for _, file := range files {
		tally.Case(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			var c scanCase
			vectors.Read(t, file, &c)
			root := t.TempDir()
			c.build(t, root)
			for _, level := range []verify.Level{verify.Base, verify.Strict} {
				c.check(t, root, level)
			}
		})
	}
}

func (c *scanCase) build(t *testing.T, root string) {
	t.Helper()
	for _, e := range c.Tree {
		path := filepath.Join(root, e.Path, strings.Join(e.PathParts, ""))
		data := e.Text + strings.Join(e.Parts, "")
		if e.Base64 != "" {
			raw, err := base64.StdEncoding.DecodeString(e.Base64)
			must(t, err)
			data = string(raw)
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		switch {
		case e.Symlink != nil:
			must(t, os.Symlink(*e.Symlink, path))
		case e.FIFO:
			must(t, syscall.Mkfifo(path, 0o600))
		case e.Dir:
			must(t, os.MkdirAll(path, 0o755))
		default:
			must(t, os.WriteFile(path, []byte(data), 0o644))
		}
	}
	if c.Git != nil {
		runGit(t, root, "init", "-q")
		runGit(t, root, append([]string{"add", "-f", "--"}, c.Git.Track...)...)
		for _, path := range c.Git.Remove {
			must(t, os.Remove(filepath.Join(root, path)))
		}
	}
}

func runGit(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func findGit(t testing.TB) git.Program {
	t.Helper()
	prog, err := git.Find(os.Getenv("PATH"))
	must(t, err)
	return prog
}

func (c *scanCase) check(t *testing.T, root string, level verify.Level) {
	t.Helper()
	mode, ok := map[string]Mode{"repository": Repository, "include": Include, "release": Release}[c.Args.Mode]
	if !ok {
		t.Fatalf("mode %q", c.Args.Mode)
	}
	opt := Options{
		Mode: mode, Include: c.Args.Include, Release: c.Args.Release, Level: level, GitErr: errors.New("no git"), Key: []byte("0123456789abcdef"),
	}
	if c.Git != nil {
		opt.Git, opt.GitErr = findGit(t), nil
	}
	r, err := Scan(t.Context(), root, opt)
	must(t, err)
	var got struct {
		OK       bool
		Gate     string
		Scope    *scopeCase
		Findings []findingCase
	}
	must(t, json.Unmarshal(canonical(r), &got))
	rules := ids(r.Findings)
	if r.Error != nil {
		rules = []string{r.Error.Rule}
	}
	if level == verify.Strict {
		c.checkStrict(t, r, rules)
		return
	}
	if got.OK != c.Expect.Valid || r.OK() != c.Expect.Valid || got.Gate != c.Expect.Gate || !vectors.SameRules(rules, c.Expect.Rules) {
		t.Errorf("got %v %v %v, want %v %v %v", got.OK, got.Gate, rules, c.Expect.Valid, c.Expect.Gate, c.Expect.Rules)
	}
	if d := cmp.Diff(c.Expect.Scope, got.Scope); d != "" {
		t.Errorf("scope: %s", d)
	}
	if d := cmp.Diff(c.Expect.Findings, got.Findings); d != "" {
		t.Errorf("findings: %s", d)
	}
	if len(r.Hardening) > 0 {
		t.Errorf("hardening at base level: %v", r.Hardening)
	}
	if c.Expect.Counts != nil {
		counts := map[string]int{}
		for _, m := range r.countMembers() {
			n, _ := m.Value.Integer()
			counts[m.Name] = int(n)
		}
		if d := cmp.Diff(c.Expect.Counts, counts); d != "" {
			t.Errorf("counts: %s", d)
		}
	}
}

func (c *scanCase) checkStrict(t *testing.T, r *Result, rules []string) {
	t.Helper()
	rules = append(rules, ids(r.Hardening)...)
	want := vectors.Expect{Valid: c.Expect.Valid, Rules: c.Expect.Rules}
	if c.ExpectStrict != nil {
		want = *c.ExpectStrict
	}
	if r.StrictOK() != want.Valid {
		t.Errorf("strict: got %v (%v), want %v", r.StrictOK(), rules, want.Valid)
	}
	for _, id := range append(want.Rules, c.Expect.Rules...) {
		if !slices.Contains(rules, id) {
			t.Errorf("strict: %s was not reported: %v", id, rules)
		}
	}
}

func ids(findings []Finding) (list []string) {
	for _, f := range findings {
		list = append(list, f.Rule)
	}
	return list
}
