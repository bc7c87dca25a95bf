package proof

import (
	"testing"

	"finishline/internal/vectors/casefile"
	"finishline/verify"
)

func seed(f *testing.F, area string) {
	f.Helper()
	for _, c := range casefile.Own(f, area) {
		f.Add(c.Data)
	}
}

// FuzzPortable: no input panics; the levels agree (checkLevels); what passes
// base has the outcome and the bindings that its own values give.
func FuzzPortable(f *testing.F) {
	seed(f, "proof-portable")
	f.Fuzz(func(t *testing.T, data []byte) {
		p, base := ReadPortable(data, "p", verify.Base)
		_, strict := ReadPortable(data, "p", verify.Strict)
		checkLevels(t, base, strict)
		if base.Verdict() != verify.Pass {
			return
		}
		if p == nil || !p.Valid() {
			t.Fatalf("a proof passes that is not valid: %+v", p)
		}
		v := p.Value()
		if got, want := p.Outcome(), DeriveOutcome(v.Get("execution"), v.Get("source")); got != want {
			t.Fatalf("outcome %+v, want %+v", got, want)
		}
		if got, want := p.Bindings(), DeriveBindings(v); got != want {
			t.Fatalf("bindings %+v, want %+v", got, want)
		}
	})
}

// FuzzUASH: no input panics; the levels agree; what passes base is a passed
// proof of at least one command; a known run only refuses more.
func FuzzUASH(f *testing.F) {
	seed(f, "proof-uash")
	f.Fuzz(func(t *testing.T, data []byte) {
		u, base := ReadUASH(data, "p", verify.Base, Options{})
		_, strict := ReadUASH(data, "p", verify.Strict, Options{})
		_, known := ReadUASH(data, "p", verify.Strict, Options{RunID: "kelp-0417"})
		checkLevels(t, base, strict)
		checkLevels(t, base, known)
		if strict.Errors() > known.Errors() {
			t.Fatalf("knowing the run refuses less: %v, %v", errorsOf(strict), errorsOf(known))
		}
		if base.Verdict() == verify.Pass && (u == nil || !u.Valid() || u.Status() != "passed" || u.Schema() != UASHSchema || u.Commands() == 0) {
			t.Fatalf("a proof passes that is none: %+v", u)
		}
	})
}
