package pack_test

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/vectors"
	"finishline/internal/vectors/runrepo"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
)

var levels = []verify.Level{verify.Base, verify.Strict}

func TestVectorsRuntime(t *testing.T) {
	tally := vectors.NewTally(t, "runtime")
	bases := runrepo.Load(t, "runtime")
	for _, file := range cases(t, "runtime") {
		c := runrepo.Read(t, file)
		tally.Case(c.Get("case").Text(), func(t *testing.T) {
			switch kind := c.Get("kind").Text(); kind {
			case "runtime-binding":
				bindingCase(t, bases, c)
			case "discovery-loader":
				loaderCase(t, c)
			default:
				t.Fatalf("unknown kind %q", kind)
			}
		})
	}
}

func cases(t testing.TB, area string) []string { return glob(t, vectors.Dir(t, area)) }

func glob(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func bindingCase(t *testing.T, bases *runrepo.Bases, c canon.Value) {
	run := bases.Build(t, c)
	lab := open(t, run)
	for _, level := range levels {
		want := c.Get("expect")
		if strict := c.Get("expect_strict"); level == verify.Strict && strict.Present() {
			want = strict
		}
		commit, given := c.Get("commit").Str()
		if !given {
			commit = run.Repo.Head()
		}
		bound, out := lab.bind(level, commit, run.Env[review.PinVariable])
		checkRules(t, level, out, want)
		if valid := want.Get("valid").IsBool(true); valid != (bound != nil && out.Errors() == 0) {
			t.Errorf("%v: bound %v, valid %v", level, bound != nil, valid)
		}
		if binding := want.Get("binding"); binding.Present() && bound != nil && !canon.Equal(binding, bound.Value()) {
			t.Errorf("%v: binding\n%s\nwant\n%s", level, canon.Canonical(bound.Value()), canon.Canonical(binding))
		}
	}
}

func checkRules(t *testing.T, level verify.Level, out *verify.Findings, want canon.Value) {
	t.Helper()
	var rules []string
	for _, r := range want.Get("rules").Elems() {
		rules = append(rules, r.Text())
	}
	if got := verify.RuleIDs(out.List(), verify.Error); !vectors.SameRules(got, rules) {
		t.Errorf("%v: rules %v, want %v", level, got, rules)
		for _, f := range out.List() {
			t.Logf("  %+v", f)
		}
	}
}

func loaderCase(t *testing.T, c canon.Value) {
	data := []byte(c.Get("text").Text())
	if b, ok := c.Get("base64").Str(); ok {
		var err error
		if data, err = base64.StdEncoding.DecodeString(b); err != nil {
			t.Fatal(err)
		}
	}
	var got, want []string
	if bad := pack.CheckLoader(c.Get("fileName").Text(), data); bad != nil {
		got = append(got, bad.Rule)
	}
	for _, r := range c.Get("expect").Get("rules").Elems() {
		want = append(want, r.Text())
	}
	if !vectors.SameRules(got, want) || c.Get("expect").Get("valid").IsBool(true) != (len(got) == 0) {
		t.Errorf("rules %v, want %v", got, want)
	}
}

// lab is a target that is looked at.
type lab struct {
	t    testing.TB
	root *evidence.Root
	repo *git.Repo
	err  error
	pack pack.Pack
}

func open(t testing.TB, run *runrepo.Run) *lab { return openDirs(t, run.TargetDir(), run.RuntimeDir()) }

// openDirs opens a target; runtime "" selects the pack root.
func openDirs(t testing.TB, target, runtime string) *lab {
	t.Helper()
	root, err := evidence.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	l := &lab{t: t, root: root}
	if l.pack, err = pack.Select(root, runtime); err != nil {
		t.Fatal(err)
	}
	program, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	if l.repo, l.err = git.Open(context.Background(), program, target); l.err == nil {
		t.Cleanup(func() { l.repo.Close() })
	}
	return l
}

func (l *lab) bind(level verify.Level, commit, pin string) (*pack.Binding, *verify.Findings) {
	return pack.Bind(context.Background(), pack.Input{
		Target: l.root, Pack: l.pack, Repo: l.repo, RepoErr: l.err, Commit: commit, Pin: review.ParsePin(pin), Level: level})
}

func texts(out *verify.Findings) string {
	var lines []string
	for _, f := range out.List() {
		lines = append(lines, f.Artifact+": "+f.Found+" / "+f.Expected+" ("+f.Rule+") "+f.Hint)
	}
	return strings.Join(lines, "\n")
}

// The runtime's part of the packet vectors: what a packet declares, held
// against the pack at HEAD or against history. Their expectations list all ids
// of the two families.
func TestVectorsPacketRuntime(t *testing.T) {
	tally := vectors.NewTally(t, "packet (runtime rules)")
	bases := runrepo.Load(t, "packet")
	for _, file := range cases(t, "packet") {
		c := runrepo.Read(t, file)
		if !c.Get("kind").Is("run-packet") || !aboutRuntime(c.Get("expect")) {
			continue
		}
		tally.Case(c.Get("case").Text(), func(t *testing.T) {
			run := bases.Build(t, c)
			lab := open(t, run)
			for _, level := range levels {
				declarationCase(t, lab, run, c, level)
			}
		})
	}
}

// aboutRuntime selects the cases that this package decides: those that a rule
// of its families refuses, and history. The others are the packet's.
func aboutRuntime(expect canon.Value) bool {
	for _, r := range expect.Get("rules").Elems() {
		if ours(r.Text()) {
			return true
		}
	}
	return expect.Get("historical").IsBool(true)
}

func declarationCase(t *testing.T, l *lab, run *runrepo.Run, c canon.Value, level verify.Level) {
	path := "run/packet.json"
	if p, ok := c.Get("packet").Str(); ok {
		path = p
	}
	data, err := os.ReadFile(filepath.Join(run.TargetDir(), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	packet, pin := doc.Node(), run.Env[review.PinVariable]
	declared := pack.Declared{Artifact: path, Runtime: packet.At("validationRuntime"), Level: level}
	var out *verify.Findings
	if packet.Get("schema").Is("valdris.run-packet.v2") || !packet.Get("commit").Is(run.Repo.Head()) {
		out = pack.Historical(context.Background(), pack.History{
			Declared: declared, Commit: packet.At("commit"), Repo: l.repo, RepoErr: l.err, Pin: review.ParsePin(pin)})
	} else {
		bound, found := l.bind(level, packet.Get("commit").Text(), pin)
		out = pack.Compare(declared, bound, found)
		checkCauses(t, out, c.Get("expect").Get("causes"))
	}
	var got []string
	for _, id := range verify.RuleIDs(out.List(), verify.Error) {
		if ours(id) {
			got = append(got, id)
		}
	}
	var want []string
	expect := c.Get("expect")
	if strict := c.Get("expect_strict"); strict.Present() && level == verify.Strict {
		expect = strict
	}
	for _, r := range expect.Get("rules").Elems() {
		if ours(r.Text()) {
			want = append(want, r.Text())
		}
	}
	if !vectors.SameRules(got, want) {
		t.Errorf("%v: rules %v, want %v\n%s", level, got, want, texts(out))
	}
	if len(want) == 0 && out.Errors() != 0 {
		t.Errorf("%v: %s", level, texts(out))
	}
}

func ours(id string) bool {
	for _, family := range []string{"runtime.declared.", "runtime.historical.", "strict.runtime."} {
		if strings.HasPrefix(id, family) {
			return true
		}
	}
	return false
}

func checkCauses(t *testing.T, out *verify.Findings, want canon.Value) {
	t.Helper()
	if !want.Present() {
		return
	}
	var causes []string
	for _, f := range out.List() {
		causes = append(causes, verify.RuleIDs(f.Causes, verify.Error)...)
	}
	for _, r := range want.Elems() {
		if strings.HasPrefix(r.Text(), "runtime.") && !vectors.SameRules(causes, []string{r.Text()}) {
			t.Errorf("causes %v, want %v", causes, r.Text())
		}
	}
}
