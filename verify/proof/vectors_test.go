package proof

import (
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
	"finishline/verify"
)

// A case that gives a document gives a value, whose spelling in a file says
// nothing: it is verified as it is. One that gives raw text is read first.

func TestVectorsPortable(t *testing.T) {
	tally := vectors.NewTally(t, "proof-portable")
	for _, c := range casefile.Load(t, "proof-portable") {
		tally.Case(c.Name, func(t *testing.T) {
			verifyAt := func(level verify.Level) (*Portable, *verify.Findings) {
				if c.Document.Present() {
					return portable(c.Document, level)
				}
				return ReadPortable(c.Data, "proof/portable.json", level)
			}
			p, base := verifyAt(verify.Base)
			_, strict := verifyAt(verify.Strict)
			checkCase(t, c, base, strict)
			if status, ok := c.Fields.Get("outcome").Str(); ok {
				if p == nil || string(p.Outcome().Status) != status {
					t.Errorf("outcome of %+v is not %s", p, status)
				}
			}
			if c.Base.Valid != (p != nil && p.Valid()) {
				t.Errorf("Valid does not agree with the base verdict %v", c.Base.Valid)
			}
		})
	}
}

// The one document whose text strict level refuses: host holds 1e21, which is
// beyond 2^53 - 1 (01 §1). The case says nothing about its text.
func TestNumbersBeyondExactAreRefusedInText(t *testing.T) {
	for _, c := range casefile.Own(t, "proof-portable") {
		if c.Document.Present() {
			_, out := ReadPortable(c.Data, "p", verify.Strict)
			if got, want := out.Has("strict.json.number-inexact"), c.Name == "valid-host-floats"; got != want {
				t.Errorf("%s: strict.json.number-inexact %v, want %v", c.Name, got, want)
			}
		}
	}
}

func TestVectorsUASH(t *testing.T) {
	tally := vectors.NewTally(t, "proof-uash")
	for _, c := range casefile.Load(t, "proof-uash") {
		tally.Case(c.Name, func(t *testing.T) {
			verifyAt := func(level verify.Level) (*UASH, *verify.Findings) {
				if c.Document.Present() {
					return VerifyUASH(&canon.Document{Root: c.Document}, "proof/proof.json", level, Options{})
				}
				return ReadUASH(c.Data, "proof/proof.json", level, Options{})
			}
			u, base := verifyAt(verify.Base)
			_, strict := verifyAt(verify.Strict)
			checkCase(t, c, base, strict)
			if c.Base.Valid != (u != nil && u.Valid()) {
				t.Errorf("Valid does not agree with the base verdict %v", c.Base.Valid)
			}
		})
	}
}

// checkCase compares both verdicts and both sets of rule ids. A case that base
// refuses states no strict set: strict must then report the same base rules.
func checkCase(t *testing.T, c casefile.Case, base, strict *verify.Findings) {
	t.Helper()
	got := verify.RuleIDs(base.List(), verify.Error)
	if (base.Verdict() == verify.Pass) != c.Base.Valid || !vectors.SameRules(got, c.Base.Rules) {
		t.Errorf("base: %v %v, want valid %v %v", base.Verdict(), got, c.Base.Valid, c.Base.Rules)
	}
	got = verify.RuleIDs(strict.List(), verify.Error)
	if !c.Base.Valid {
		got = slices.DeleteFunc(got, isStrict)
	}
	if (strict.Verdict() == verify.Pass) != c.Strict.Valid || !vectors.SameRules(got, c.Strict.Rules) {
		t.Errorf("strict: %v %v, want valid %v %v", strict.Verdict(), got, c.Strict.Valid, c.Strict.Rules)
	}
}

func isStrict(id string) bool { return strings.HasPrefix(id, "strict.") }

// vector returns the subject of a case of the project's own vectors.
func vector(t testing.TB, area, name string) canon.Value {
	t.Helper()
	for _, c := range casefile.Own(t, area) {
		if c.Name == name {
			return read(t, c.Data)
		}
	}
	t.Fatalf("no case %s in %s", name, area)
	return canon.Value{}
}

func read(t testing.TB, data []byte) canon.Value {
	t.Helper()
	doc, err := canon.Read(data, canon.MaxSubject)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

func portable(v canon.Value, level verify.Level) (*Portable, *verify.Findings) {
	return VerifyPortable(&canon.Document{Root: v}, "proof/portable.json", level)
}

func errorsOf(out *verify.Findings) []string { return verify.RuleIDs(out.List(), verify.Error) }

// rebind makes a document consistent with itself: outcome and bindings are
// derived again, as a producer does.
func rebind(t testing.TB, v canon.Value) canon.Value {
	t.Helper()
	v = edit(t, v, "replace", "/outcome", DeriveOutcome(v.Get("execution"), v.Get("source")).Value())
	return edit(t, v, "replace", "/bindings", DeriveBindings(v).Value())
}

func edit(t testing.TB, v canon.Value, verb, pointer string, value canon.Value) canon.Value {
	t.Helper()
	edited, err := casefile.Edit(v, verb, pointer, value)
	if err != nil {
		t.Fatalf("%s %s: %v", verb, pointer, err)
	}
	return edited
}
