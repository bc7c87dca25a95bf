package rca_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
	"finishline/verify"
	"finishline/verify/rca"
)

// A bench is one built scenario whose document can be replaced.
type bench struct {
	t      testing.TB
	target string
	good   canon.Value
	inputs map[verify.Level]rca.Input
}

func newBench(t testing.TB, name string) *bench {
	t.Helper()
	for _, s := range loadScenarios(t) {
		if s.name != name {
			continue
		}
		b := &bench{t: t, good: s.value.Get("document"), inputs: map[verify.Level]rca.Input{}}
		b.target = buildOnce(t, s)
		for _, level := range levels {
			b.inputs[level] = input(t, b.target, level)
		}
		return b
	}
	t.Fatalf("no scenario %q", name)
	return nil
}

func buildOnce(t testing.TB, s scenario) string {
	t.Helper()
	return builder{}.build(t, t, s)
}

// verify judges a document in place of the good one.
func (b *bench) verify(document []byte, level verify.Level) *rca.Outcome {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.target, rca.DefaultPath), document, 0o644); err != nil {
		b.t.Fatal(err)
	}
	in := b.inputs[level]
	in.Root = in.Root.Fresh()
	o, err := rca.Verify(context.Background(), in)
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

func (b *bench) rules(document canon.Value, level verify.Level) []string {
	b.t.Helper()
	return verify.RuleIDs(b.verify(canon.Compact(document), level).Findings.List(), verify.Error)
}

// pointers lists the pointers of every value below v.
func pointers(v canon.Value, at string) []string {
	var list []string
	for _, m := range v.Members() {
		p := at + "/" + canon.EscapePointer(m.Name)
		list = append(list, p)
		list = append(list, pointers(m.Value, p)...)
	}
	n := canon.Node{Value: v, Pointer: at}
	for _, item := range n.Items() {
		list = append(list, item.Pointer)
		list = append(list, pointers(item.Value, item.Pointer)...)
	}
	return list
}

// Every member of an accepted analysis matters: without it, and with null in its
// place, the analysis is refused at both levels. The good document is the
// positive control.
func TestEveryMemberMatters(t *testing.T) {
	vectors.Long(t)
	b := newBench(t, "valid-documentation-fix")
	for _, level := range levels {
		if got := b.rules(b.good, level); got != nil {
			t.Fatalf("%s: the good analysis fails %q", level, got)
		}
	}
	for _, pointer := range pointers(b.good, "") {
		for _, verb := range []string{"remove", "replace"} {
			bad, err := casefile.Edit(b.good, verb, pointer, canon.NewNull())
			if err != nil {
				t.Fatal(err)
			}
			base := b.rules(bad, verify.Base)
			if base == nil {
				t.Errorf("%s %s passes at base level", verb, pointer)
			}
			if missing := without(base, b.rules(bad, verify.Strict)); len(missing) > 0 {
				t.Errorf("%s %s: strict lacks %q", verb, pointer, missing)
			}
		}
	}
}

// A digest, commit or id of something else fails, by the rule that binds it.
func TestBindings(t *testing.T) {
	b := newBench(t, "valid-documentation-fix")
	other := canon.NewString(strings.Repeat("ab", 32))
	for pointer, rule := range map[string]string{
		"/regression/commandSha256":                "rca.proof.command",
		"/regression/causalInputs/0/preFixSha256":  "rca.causal.pre-binding",
		"/regression/causalInputs/0/postFixSha256": "rca.causal.post-binding",
		"/regression/preFixCommit":                 "rca.git.pre-missing",
		"/regression/postFixCommit":                "rca.git.head",
		"/regression/id":                           "rca.proof.regression-id",
		"/evidence/0/sha256":                       "rca.evidence.digest",
		"/evidence/0/proofBindingSha256":           "rca.proof.binding",
		"/evidence/0/symptomId":                    "rca.evidence.symptom",
		"/evidence/0/regressionId":                 "rca.proof.regression-id",
		"/runId":                                   "rca.proof.subject",
		"/environment":                             "rca.proof.subject",
		"/commit":                                  "rca.commits.not-subject",
		"/symptom/evidenceIds/0":                   "rca.refs.unknown",
		"/fix/changedPaths/0":                      "rca.fix.path-not-changed",
		"/rootCause/affectedPaths/0":               "rca.paths.no-overlap",
		"/regression/failureSignature":             "rca.closure.signature",
		"/regression/causalInputs/0/path":          "rca.causal.not-causal-path",
	} {
		bad, err := casefile.Edit(b.good, "replace", pointer, other)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.rules(bad, verify.Base); !slices.Contains(got, rule) {
			t.Errorf("%s of something else: %q lacks %s", pointer, got, rule)
		}
	}
}

// Without Git nothing is known about the commits: the verdict is incomplete,
// and says why.
func TestWithoutGit(t *testing.T) {
	b := newBench(t, "valid-source-fix")
	in := b.inputs[verify.Strict]
	in.Root = in.Root.Fresh()
	in.Repo, in.GitError = nil, &git.Error{Kind: git.Unavailable, Reason: git.NoProgram, Op: "find git"}
	o, err := rca.Verify(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if o.Verdict() != verify.Incomplete {
		t.Errorf("verdict %s", o.Verdict())
	}
	for _, f := range o.Findings.List() {
		if f.Severity == verify.Error && (len(f.Causes) != 1 || f.Causes[0].Rule != "source.git-unavailable") {
			t.Errorf("%s has the causes %v", f.Rule, f.Causes)
		}
	}
	in.Repo, in.GitError = nil, nil
	if o, err = rca.Verify(t.Context(), in); err != nil || o.Verdict() != verify.Incomplete {
		t.Errorf("no repository and no reason: %v, %v", o, err)
	}
}

func TestUnreadable(t *testing.T) {
	b := newBench(t, "valid-source-fix")
	file := filepath.Join(b.target, rca.DefaultPath)
	in := b.inputs[verify.Strict]
	for _, step := range []struct {
		name string
		make func() error
		rule string
	}{
		{"missing", func() error { return os.Remove(file) }, "path.missing"},
		{"directory", func() error { return os.Mkdir(file, 0o755) }, "rca.document"},
		{"link", func() error { os.Remove(file); return os.Symlink("../proof/red.json", file) }, "path.symlink"},
		{"not JSON", func() error { os.Remove(file); return os.WriteFile(file, []byte("{} {}"), 0o644) }, "json.syntax"},
		{"too large", func() error { return os.Truncate(file, canon.MaxDocument+1) }, "json.size"},
	} {
		if err := step.make(); err != nil {
			t.Fatal(err)
		}
		in.Root = in.Root.Fresh()
		o, err := rca.Verify(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if got := verify.RuleIDs(o.Findings.List(), verify.Error); !slices.Contains(got, step.rule) || o.Verdict() != verify.Fail {
			t.Errorf("%s: %q, verdict %s; want %s", step.name, got, o.Verdict(), step.rule)
		}
	}
}

func TestNoOutcome(t *testing.T) {
	b := newBench(t, "valid-source-fix")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if o, err := rca.Verify(ctx, b.inputs[verify.Strict]); err == nil || o != nil {
		t.Errorf("a context that ended gives %v, %v", o, err)
	}
	if o, err := rca.Verify(t.Context(), rca.Input{}); err == nil || o != nil {
		t.Errorf("no target gives %v, %v", o, err)
	}
}

// Every rule of the table is known by one id, and says what to do.
func TestRuleTexts(t *testing.T) {
	for _, r := range rca.Table.Rules() {
		for what, text := range map[string]string{"Fails": r.Fails, "Why": r.Why, "Do": r.Do, "Contract": r.Contract} {
			if text == "" || strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s %q", r.ID, what, text)
			}
		}
	}
}

// FuzzVerify looks at each document without Git, which is fast, and with it
// when nothing else is wrong.
func FuzzVerify(f *testing.F) {
	b := newBench(f, "valid-documentation-fix")
	withGit := b.inputs
	b.inputs = map[verify.Level]rca.Input{}
	for level, in := range withGit {
		in.Repo, in.GitError = nil, &git.Error{Kind: git.Unavailable, Reason: git.NoProgram, Op: "find git"}
		b.inputs[level] = in
	}
	full := &bench{target: b.target, inputs: withGit}
	for _, s := range loadScenarios(f) {
		f.Add(canon.Compact(s.value.Get("document")))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		b.t, full.t = t, t
		base, strict := b.verify(document, verify.Base), b.verify(document, verify.Strict)
		compareLevels(t, base, strict)
		if strict.Verdict() == verify.Fail {
			return
		}
		base, strict = full.verify(document, verify.Base), full.verify(document, verify.Strict)
		compareLevels(t, base, strict)
		if base.Verdict() == verify.Pass && !base.Document.Get("status").Is("confirmed") {
			t.Error("an analysis that is not confirmed passes")
		}
	})
}

func compareLevels(t *testing.T, base, strict *rca.Outcome) {
	t.Helper()
	got := verify.RuleIDs(strict.Findings.List(), verify.Error)
	if missing := without(verify.RuleIDs(base.Findings.List(), verify.Error), got); len(missing) > 0 {
		t.Errorf("strict lacks %q of base", missing)
	}
	for _, o := range []*rca.Outcome{base, strict} {
		for _, x := range o.Findings.List() {
			if _, known := rca.Table.Lookup(x.Rule); !known {
				t.Errorf("finding of an unregistered rule %q", x.Rule)
			}
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	bench := newBench(b, "valid-documentation-fix")
	document := canon.Compact(bench.good)
	b.ReportAllocs()
	for b.Loop() {
		if o := bench.verify(document, verify.Strict); o.Verdict() != verify.Pass {
			b.Fatal(o.Verdict())
		}
	}
}
