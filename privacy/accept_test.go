package privacy

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"finishline/canon"
	"finishline/verify"
)

func acceptance() Acceptance {
	return Acceptance{Kind: "jwt", Path: "docs/a.md", ValueSHA256: strings.Repeat("0a", 32), Reason: "expired sample", Owner: "mira", Accepted: "2026-11-30", Expires: "2026-12-31"}
}

func TestAcceptancesAreExactAndEnd(t *testing.T) {
	found := Extra{Kind: "jwt", Tier: TierGate, Path: "docs/a.md", Line: 3, ValueSHA256: strings.Repeat("0a", 32), Fingerprint: "0123456789abcdef"}
	at := func(day string) time.Time {
		at, err := time.Parse(time.RFC3339, day+"Z")
		must(t, err)
		return at
	}
	for name, c := range map[string]struct {
		change func(a *Acceptance)
		now    string
		covers bool
	}{
		"as it is":          {func(a *Acceptance) {}, "2026-12-01T00:00:00", true},
		"its last moment":   {func(a *Acceptance) {}, "2026-12-31T23:59:59", true},
		"over":              {func(a *Acceptance) {}, "2027-01-01T00:00:00", false},
		"other kind":        {func(a *Acceptance) { a.Kind = "github-token" }, "2026-12-01T00:00:00", false},
		"other path":        {func(a *Acceptance) { a.Path = "docs/b.md" }, "2026-12-01T00:00:00", false},
		"a folder":          {func(a *Acceptance) { a.Path = "docs" }, "2026-12-01T00:00:00", false},
		"no globs":          {func(a *Acceptance) { a.Path = "docs/*" }, "2026-12-01T00:00:00", false},
		"other value":       {func(a *Acceptance) { a.ValueSHA256 = strings.Repeat("0b", 32) }, "2026-12-01T00:00:00", false},
		"fingerprint":       {func(a *Acceptance) { a.ValueSHA256, a.Fingerprint = "", "0123456789abcdef" }, "2026-12-01T00:00:00", true},
		"other fingerprint": {func(a *Acceptance) { a.ValueSHA256, a.Fingerprint = "", "1123456789abcdef" }, "2026-12-01T00:00:00", false},
	} {
		a := acceptance()
		c.change(&a)
		must(t, a.Check())
		r := &Result{Extended: &Extended{Rules: 1, Findings: []Extra{found}}}
		Acceptances{a}.Apply(r, at(c.now))
		if r.Extended.OK() != c.covers || (len(r.Extended.Accepted) == 1) != c.covers || len(r.Notes) != 1 {
			t.Errorf("%s: ok %v, notes %q", name, r.Extended.OK(), r.Notes)
		}
		if value := string(canon.Canonical(r.Extended.Value())); strings.Contains(value, found.ValueSHA256) {
			t.Errorf("%s: the digest of the value is told: %s", name, value)
		}
	}
}

func TestAcceptancesAreRefused(t *testing.T) {
	for want, change := range map[string]func(a *Acceptance){
		"kind and path":                   func(a *Acceptance) { a.Kind = "" },
		"path: ":                          func(a *Acceptance) { a.Path = "../x" },
		"exactly one of fingerprint":      func(a *Acceptance) { a.Fingerprint = "0123456789abcdef" },
		"not 64":                          func(a *Acceptance) { a.ValueSHA256 = "0A" },
		"reason and owner":                func(a *Acceptance) { a.Owner = " " },
		"must be days":                    func(a *Acceptance) { a.Expires = "2026-13-01" },
		"within 366 days":                 func(a *Acceptance) { a.Expires = "2028-01-01" },
		"within 366 days after accepted":  func(a *Acceptance) { a.Expires = "2026-11-29" },
		"fingerprint: not 16 lower-case ": func(a *Acceptance) { a.ValueSHA256, a.Fingerprint = "", "x" },
	} {
		a := acceptance()
		change(&a)
		if err := a.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := ReadAcceptances(canon.Pretty(Acceptances{a}.Value())); err == nil {
			t.Errorf("read in spite of: %s", want)
		}
	}
	good := string(canon.Pretty(Acceptances{acceptance()}.Value()))
	for name, text := range map[string]string{
		"schema": strings.Replace(good, ".v1", ".v2", 1), "unknown member": strings.Replace(good, `"kind"`, `"paths":"*","kind"`, 1),
		"unknown at the top": strings.Replace(good, `"schema"`, `"x":1,"schema"`, 1), "a number": strings.Replace(good, `"jwt"`, "1", 1),
		"twice": strings.Replace(good, `"kind"`, `"owner":"x","kind"`, 1), "no list": fmt.Sprintf(`{"schema":%q}`, AcceptanceSchema), "no JSON": "{",
	} {
		if _, err := ReadAcceptances([]byte(text)); err == nil {
			t.Errorf("%s: read", name)
		}
	}
	if list, err := ReadAcceptances([]byte(good)); err != nil || len(list) != 1 || list[0] != acceptance() {
		t.Errorf("%v %v", list, err)
	}
}

func TestTiersDecide(t *testing.T) {
	for tier, want := range map[string][2]bool{TierGate: {false, false}, TierPersonal: {false, true}, TierInfo: {true, true}, "unheard-of": {false, false}} {
		for i, reported := range []bool{false, true} {
			x := Extended{Rules: 1, Findings: []Extra{{Kind: "k", Tier: tier, Path: "a"}}, PersonalReported: reported}
			if x.OK() != want[i] {
				t.Errorf("%s, reported %v: %v", tier, reported, x.OK())
			}
			if verdict := verify.Fold(x.findings()); (verdict == verify.Pass) != want[i] {
				t.Errorf("%s, reported %v: verdict %v", tier, reported, verdict)
			}
		}
	}
}

// Base findings stand whatever is accepted.
func TestBaseFindingsCannotBeAccepted(t *testing.T) {
	engine, err := Embedded()
	must(t, err)
	dir := writeTree(t, map[string]string{"a.txt": "x " + hubToken + "\n"})
	r := scanDir(t, dir, Options{Level: verify.Base, Extended: engine, Key: bytes.Repeat([]byte("k"), 32)})
	if len(r.Extended.Findings) != 1 {
		t.Fatalf("%v", r.Extended.Findings)
	}
	f := r.Extended.Findings[0]
	a := Acceptance{Kind: f.Kind, Path: f.Path, Fingerprint: f.Fingerprint, Reason: "r", Owner: "o", Accepted: "2026-11-30", Expires: "2026-12-31"}
	Acceptances{a}.Apply(r, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	if !r.Extended.OK() || r.OK() || r.Report(verify.Subject{}).Verdict() != verify.Fail {
		t.Errorf("extended %v, base %v", r.Extended.OK(), r.OK())
	}
}

func FuzzReadAcceptances(f *testing.F) {
	f.Add(canon.Pretty(Acceptances{acceptance()}.Value()))
	f.Add([]byte(`{"schema":"finishline.privacy-acceptances.v1","acceptances":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ReadAcceptances(data)
		if err != nil {
			return
		}
		for _, a := range list {
			if err := a.Check(); err != nil {
				t.Fatalf("%+v was read: %v", a, err)
			}
		}
		if again, err := ReadAcceptances(canon.Pretty(list.Value())); err != nil || len(again) != len(list) {
			t.Fatalf("%v: %v", list, err)
		}
	})
}
