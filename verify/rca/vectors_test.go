package rca_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/gittest"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/rca"
)

var levels = []verify.Level{verify.Base, verify.Strict}

// A scenario is the subject of a case after its bases were resolved.
type scenario struct {
	name   string
	value  canon.Value
	raw    *string // document_raw
	base   vectors.Expect
	strict *vectors.Expect
}

func loadScenarios(t testing.TB) []scenario {
	t.Helper()
	dir := vectors.Dir(t, "rca")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	fields := map[string]canon.Value{}
	var list []scenario
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := canon.Read(data, canon.MaxSubject)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		fields[name] = doc.Root
		list = append(list, scenario{name: name})
	}
	for i := range list {
		s := &list[i]
		f := fields[s.name]
		s.value = resolve(t, fields, s.name)
		s.base = expectOf(f.Get("expect"))
		if f.Has("expect_strict") {
			e := expectOf(f.Get("expect_strict"))
			s.strict = &e
		}
		if raw, ok := f.Get("document_raw").Str(); ok {
			s.raw = &raw
		}
	}
	return list
}

func resolve(t testing.TB, fields map[string]canon.Value, name string) canon.Value {
	t.Helper()
	f, ok := fields[name]
	if !ok {
		t.Fatalf("no case %q", name)
	}
	v := f.Get("scenario")
	if base, ok := f.Get("base").Str(); ok {
		v = resolve(t, fields, base)
	}
	v, err := casefile.Patch(v, f.Get("patch"))
	if err != nil {
		t.Fatalf("case %s: %v", name, err)
	}
	return v
}

func expectOf(v canon.Value) vectors.Expect {
	e := vectors.Expect{Valid: v.Get("valid").IsBool(true)}
	for _, r := range v.Get("rules").Elems() {
		e.Rules = append(e.Rules, r.Text())
	}
	return e
}

// A builder makes the repositories of scenarios; equal ones are built once and
// copied.
type builder map[string]*gittest.Repo

// build returns the target directory.
func (b builder) build(t, parent testing.TB, s scenario) string {
	t.Helper()
	text := canon.Compact(canon.Pick(s.value, "repo", "commitIds", "after"))
	if !s.value.Has("after") {
		text = canon.Compact(canon.Pick(s.value, "repo", "commitIds"))
	}
	key := canon.SHA256(text)
	if b[key] == nil {
		var sc gittest.Scenario
		if err := json.Unmarshal(text, &sc); err != nil {
			t.Fatal(err)
		}
		b[key] = sc.Build(parent)
	}
	repo := b[key].Copy(t)
	target := repo.Path(s.value.Get("target").Text())
	for _, m := range s.value.Get("files").Members() {
		write(t, target, m.Name, m.Value.Text())
	}
	document := string(canon.Compact(s.value.Get("document")))
	if s.raw != nil {
		document = *s.raw
	}
	write(t, target, rca.DefaultPath, document)
	return target
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(canon.UTF8(text)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// input opens what an analysis is verified against.
func input(t testing.TB, target string, level verify.Level) rca.Input {
	t.Helper()
	root, err := evidence.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	in := rca.Input{Root: root, Level: level}
	in.Repo, in.GitError = git.Open(t.Context(), prog, target)
	if in.Repo != nil {
		t.Cleanup(func() { in.Repo.Close() })
	}
	return in
}

func verifyAt(t testing.TB, target string, level verify.Level) *rca.Outcome {
	t.Helper()
	o, err := rca.Verify(t.Context(), input(t, target, level))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestVectorsRCA(t *testing.T) {
	tally, parent := vectors.NewTally(t, "rca"), t
	repos := builder{}
	for _, s := range loadScenarios(t) {
		tally.Case(s.name, func(t *testing.T) {
			target := repos.build(t, parent, s)
			for _, level := range levels {
				o := verifyAt(t, target, level)
				got := verify.RuleIDs(o.Findings.List(), verify.Error)
				want := s.base
				switch {
				case level == verify.Base:
				case s.strict != nil:
					want = *s.strict
				case !s.base.Valid:
					// The strict set of a refused case is not given: it holds
					// the base set.
					if missing := without(s.base.Rules, got); len(missing) > 0 {
						t.Errorf("strict lacks %q of base", missing)
					}
					want = vectors.Expect{Rules: got}
				}
				if !vectors.SameRules(got, want.Rules) {
					t.Errorf("%s: rules %q, want %q", level, got, want.Rules)
				}
				if valid := o.Verdict() == verify.Pass; valid != want.Valid {
					t.Errorf("%s: valid %t, want %t", level, valid, want.Valid)
				}
			}
		})
	}
}

// without returns the elements of a that b does not have.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return slices.Contains(b, x) })
}
