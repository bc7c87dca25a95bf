package pack_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
)

func read(t testing.TB, text string) canon.Node {
	t.Helper()
	doc, err := canon.Read([]byte(text), canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Node()
}

// with replaces or adds one member; without removes it.
func with(v canon.Value, name string, value canon.Value) canon.Value {
	return canon.Build(append(slices.Clone(v.Members()), canon.Member{Name: name, Value: value})...)
}

func without(v canon.Value, name string) canon.Value {
	return canon.Build(slices.DeleteFunc(slices.Clone(v.Members()), func(m canon.Member) bool { return m.Name == name })...)
}

func node(v canon.Value) canon.Node { return canon.Node{Value: v} }

// For each member, a value that is right in form but of something else is
// refused by exactly the rule of that member, and so is its absence.
func TestCompare(t *testing.T) {
	s := newScratch(t, commissioned, 0)
	bound, found := s.bind(verify.Strict)
	other := newScratch(t, commissioned, 20).accepts().Value()
	honest := bound.Value()
	rules := func(v canon.Value) []string {
		t.Helper()
		out := pack.Compare(pack.Declared{Artifact: "run/packet.json", Runtime: node(v), Level: verify.Strict}, bound, found)
		for _, f := range out.List() {
			if f.Found == "" || f.Expected == "" || f.Hint == "" || f.Artifact != "run/packet.json" {
				t.Errorf("a finding that does not tell: %+v", f)
			}
		}
		return verify.RuleIDs(out.List(), verify.Error)
	}
	if got := rules(honest); got != nil {
		t.Errorf("honest: %v", got)
	}
	if got := rules(with(honest, "extra", canon.NewBool(true))); got != nil {
		t.Errorf("an unknown member is not hashed: %v", got)
	}
	for member, want := range map[string][]string{
		"schema":            {"runtime.declared.schema"},
		"source":            {"runtime.declared.source"},
		"files":             {"runtime.declared.files"},
		"runtimeSha256":     {"runtime.declared.runtime-digest"},
		"reviewTrustSha256": {"runtime.declared.trust-digest"},
		"setSha256":         {"runtime.declared.set-digest"},
	} {
		foreign := other.Get(member)
		switch member {
		case "schema":
			foreign = canon.NewString("valdris.run-packet-runtime.v2")
		case "reviewTrustSha256":
			foreign = honest.Get("setSha256")
		}
		if got := rules(with(honest, member, foreign)); !vectors.SameRules(got, want) {
			t.Errorf("%s of something else: %v, want %v", member, got, want)
		}
		if member == "files" {
			want = append(want, "runtime.declared.files-not-array")
		}
		for _, v := range []canon.Value{without(honest, member), with(honest, member, canon.NewNull()), with(honest, member, canon.NewNumber(1))} {
			if got := rules(v); !vectors.SameRules(got, want) {
				t.Errorf("%s absent or of the wrong type: %v, want %v", member, got, want)
			}
		}
		upper := canon.NewString(strings.ToUpper(honest.Get(member).Text()))
		if strings.HasSuffix(member, "Sha256") {
			if got := rules(with(honest, member, upper)); !vectors.SameRules(got, want) {
				t.Errorf("%s in upper case: %v, want %v", member, got, want)
			}
		}
	}
	source := honest.Get("source")
	for _, v := range []canon.Value{with(source, "branch", canon.NewString("x")), without(source, "tree"), with(source, "targetPath", canon.NewString(""))} {
		if got := rules(with(honest, "source", v)); !vectors.SameRules(got, []string{"runtime.declared.source"}) {
			t.Errorf("source %s: %v", canon.Canonical(v), got)
		}
	}
	files := honest.Get("files").Elems()
	for name, list := range map[string][]canon.Value{
		"reversed": reversed(files), "one less": files[1:], "one more": append(slices.Clone(files), files[0]), "empty": nil,
	} {
		if got := rules(with(honest, "files", canon.NewArray(list...))); !vectors.SameRules(got, []string{"runtime.declared.files"}) {
			t.Errorf("files %s: %v", name, got)
		}
	}
	for _, v := range []canon.Value{{}, canon.NewNull(), canon.NewArray(), canon.NewString("x")} {
		if got := rules(v); !vectors.SameRules(got, []string{"runtime.declared.missing"}) {
			t.Errorf("a runtime that is no object: %v", got)
		}
	}
}

func reversed(list []canon.Value) []canon.Value {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// A binding that could not be computed is never matched, whatever is declared.
func TestCompareWithoutBinding(t *testing.T) {
	s := newScratch(t, plain, 0)
	honest := s.accepts().Value()
	s.put("scripts/rca-gate.mjs", "// edited\n")
	bound, found := s.bind(verify.Base)
	out := pack.Compare(pack.Declared{Runtime: node(honest), Level: verify.Base}, bound, found)
	list := out.List()
	if len(list) != 1 || list[0].Rule != "runtime.declared.untrusted" || list[0].Causes[0].Rule != "runtime.file.dirty" || out.Verdict() != verify.Fail {
		t.Errorf("%s", texts(out))
	}
}

// A declared document passes only when the six members are the computed ones.
func FuzzCompare(f *testing.F) {
	digest := func(of string) string { return canon.SHA256([]byte(of)) }
	bound := &pack.Binding{
		Commit: digest("commit")[:40], Tree: digest("tree")[:40], TargetPath: "apps/ledger", RuntimePath: "apps/ledger/.valdris-harness",
		Files:         []pack.File{{Kind: pack.KindLoader, Path: "AGENTS.md", SHA256: digest("a")}, {Kind: pack.KindScript, Path: "scripts/a.mjs", SHA256: digest("b")}},
		RuntimeSHA256: digest("runtime"), ReviewTrustSHA256: digest("trust"), SetSHA256: digest("set"),
	}
	found := pack.Table.Collect(verify.Strict)
	honest := bound.Value()
	f.Add(canon.Canonical(honest))
	f.Add(canon.Canonical(with(honest, "source", canon.NewArray())))
	f.Add([]byte(`{"files":[{"path":1},null,[]],"source":{"commit":{}},"schema":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := canon.Read(data, canon.MaxDocument)
		if err != nil {
			return
		}
		out := pack.Compare(pack.Declared{Runtime: doc.Node(), Level: verify.Strict}, bound, found)
		equal := true
		for _, m := range honest.Members() {
			equal = equal && canon.Equal(doc.Root.Get(m.Name), m.Value)
		}
		if passed := out.Errors() == 0; passed != equal {
			t.Fatalf("passed %v, equal %v: %s", passed, equal, texts(out))
		}
	})
}

// history judges a declaration about the scratch's first commit.
func (s *scratch) history(l *lab, v canon.Value, level verify.Level) *verify.Findings {
	return pack.Historical(context.Background(), pack.History{
		Declared: pack.Declared{Artifact: "run/packet.json", Runtime: node(v), Level: level},
		Commit:   node(canon.NewString(s.commit)), Repo: l.repo, Pin: review.ParsePin(s.pin)})
}

// An honest declaration about an older commit is accepted, whatever the live
// pack looks like; one of another pack, pin or place is not.
func TestHistorical(t *testing.T) {
	for name, as := range shapes {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t, as, 14)
			honest := s.accepts().Value()
			s.Remove(s.prefix + "scripts")
			s.Write("app/main.txt", []byte("later\n"), 0o644)
			s.Git("commit", "-q", "-a", "-m", "later")
			lab := openDirs(t, s.Dir, "")
			if out := s.history(lab, honest, verify.Strict); len(out.List()) != 0 {
				t.Fatalf("honest: %s", texts(out))
			}
			refused := func(why string, v canon.Value, want ...string) {
				t.Helper()
				out := s.history(lab, v, verify.Base)
				if got := verify.RuleIDs(out.List(), verify.Error); !vectors.SameRules(got, want) {
					t.Errorf("%s: %v, want %v\n%s", why, got, want, texts(out))
				}
			}
			files := honest.Get("files").Elems()
			forged := slices.Clone(files)
			forged[0] = with(forged[0], "sha256", files[1].Get("sha256"))
			one := []string{"runtime.historical.set-digest"}
			if as == plain {
				one = append(one, "runtime.historical.runtime-digest")
			}
			refused("digest of another file", with(honest, "files", canon.NewArray(forged...)), append(one, "runtime.historical.file-digest")...)
			forged[0] = with(files[0], "path", canon.NewString("../../etc/passwd"))
			refused("path outside", with(honest, "files", canon.NewArray(forged...)), append(one, "runtime.historical.file-unavailable")...)
			refused("other pack", with(honest, "runtimeSha256", honest.Get("setSha256")), "runtime.historical.runtime-digest")
			refused("other set", with(honest, "setSha256", honest.Get("runtimeSha256")), "runtime.historical.set-digest")
			refused("other schema", without(honest, "schema"), "runtime.declared.schema")
			refused("no trust digest", without(honest, "reviewTrustSha256"), "runtime.historical.trust-pin", "runtime.historical.set-digest")
			refused("missing", canon.Value{}, "runtime.declared.missing")
			moved := with(honest, "source", with(honest.Get("source"), "targetPath", canon.NewString("app")))
			want := []string{"runtime.historical.runtime-digest", "runtime.historical.set-digest"}
			if as == commissioned {
				want = append(want, "runtime.historical.file-unavailable") // the loaders
			}
			refused("other place", moved, want...)
			if out := s.history(lab, moved, verify.Strict); !out.Has("strict.runtime.historical-path-shape") {
				t.Errorf("other place: %s", texts(out))
			}
		})
	}
}

// What strict level refuses or warns of in history.
func TestHistoricalStrict(t *testing.T) {
	s := newScratch(t, commissioned, 14)
	honest := s.accepts().Value()
	lab := openDirs(t, s.Dir, "")
	commits := map[string]string{
		s.commit:                          "",
		strings.ToUpper(s.commit):         "strict.commit.upper-case",
		"main":                            "strict.commit.length",
		s.commit[:12]:                     "strict.commit.length",
		s.Git("rev-parse", "HEAD^{tree}"): "runtime.historical.commit-unavailable",
		"--help":                          "runtime.historical.commit-unavailable",
		"a\nb":                            "runtime.historical.commit-unavailable",
		"":                                "runtime.historical.commit-unavailable",
	}
	for commit, rule := range commits {
		declared := with(honest, "source", with(honest.Get("source"), "commit", canon.NewString(commit)))
		out := pack.Historical(t.Context(), pack.History{
			Declared: pack.Declared{Runtime: node(declared), Level: verify.Strict},
			Commit:   node(canon.NewString(commit)), Repo: lab.repo, Pin: review.ParsePin(s.pin)})
		if rule == "" && out.Errors() > 0 || rule != "" && !out.Has(rule) {
			t.Errorf("commit %q: want %s\n%s", commit, rule, texts(out))
		}
	}
	// Fewer files than the commit has: structurally consistent, with a warning.
	few := with(honest, "files", canon.NewArray(honest.Get("files").Elems()[1:]...))
	few = with(few, "setSha256", canon.NewString(canon.Digest(canon.Pick(few, "source", "files", "runtimeSha256", "reviewTrustSha256"))))
	out := s.history(lab, few, verify.Strict)
	if list := out.List(); len(list) != 1 || list[0].Rule != "strict.runtime.historical-files-incomplete" || out.Verdict() != verify.Pass {
		t.Errorf("fewer files: %s", texts(out))
	}
	s.pin = strings.Repeat("a", 64)
	out = s.history(lab, honest, verify.Strict)
	for _, rule := range []string{"runtime.historical.trust-pin", "strict.runtime.historical-trust-store"} {
		if !out.Has(rule) {
			t.Errorf("other pin: no %s\n%s", rule, texts(out))
		}
	}
	s.pin = ""
	if out = s.history(lab, honest, verify.Strict); out.Verdict() != verify.Incomplete {
		t.Errorf("no pin: %v\n%s", out.Verdict(), texts(out))
	}
}

// History of a hostile declaration: no panic, and strict level refuses
// whatever base level refuses.
func FuzzHistorical(f *testing.F) {
	s := newScratch(f, commissioned, 0)
	bound, found := s.bind(verify.Strict)
	if bound == nil {
		f.Fatal(texts(found))
	}
	honest := bound.Value()
	lab := openDirs(f, s.Dir, "")
	f.Add(canon.Canonical(honest))
	f.Add(canon.Canonical(with(honest, "source", canon.NewNull())))
	f.Add(bytes.ReplaceAll(canon.Canonical(honest), []byte(".valdris-harness"), []byte(".")))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := canon.Read(data, canon.MaxDocument)
		if err != nil {
			return
		}
		base := s.history(lab, doc.Root, verify.Base)
		strict := s.history(lab, doc.Root, verify.Strict)
		for _, id := range verify.RuleIDs(base.List(), verify.Error) {
			if !strict.Has(id) {
				t.Fatalf("only base refuses by %s", id)
			}
		}
		places := canon.Pick(doc.Root.Get("source"), "targetPath", "runtimePath")
		if base.Errors() > 0 || !canon.Equal(places, canon.Pick(honest.Get("source"), "targetPath", "runtimePath")) {
			return // elsewhere the list is the declaration's own (06 §9)
		}
		for _, m := range []string{"schema", "runtimeSha256", "reviewTrustSha256"} {
			if !canon.Equal(doc.Root.Get(m), honest.Get(m)) {
				t.Fatalf("passed with another %s", m)
			}
		}
	})
}

// A string of any characters in the place of a path or commit finds nothing
// else than what is there.
func TestHistoricalPlaces(t *testing.T) {
	s := newScratch(t, plain, 0)
	honest := s.accepts().Value()
	lab := openDirs(t, s.Dir, "")
	rapid.Check(t, func(t *rapid.T) {
		dir := rapid.OneOf(rapid.StringMatching(`[./a-z\\]{0,8}`), rapid.SampledFrom([]string{"./", "/", "..", "scripts", "scripts/", "./.", "app"})).Draw(t, "dir")
		if dir == "." {
			return
		}
		source := with(with(honest.Get("source"), "targetPath", canon.NewString(dir)), "runtimePath", canon.NewString(dir))
		if out := s.history(lab, with(honest, "source", source), verify.Base); !out.Has("runtime.historical.file-unavailable") || out.Verdict() != verify.Fail {
			t.Fatalf("place %q: %s", dir, texts(out))
		}
	})
}
