package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"finishline/canon"
	"finishline/internal/schematest"
	"finishline/schemas"
	"finishline/verify"
)

func fullReport() *verify.Report {
	digest := strings.Repeat("a1", 32)
	return &verify.Report{
		Tool:    verify.Tool{Name: "finishline", Version: "0.1.0"},
		Subject: verify.Subject{Kind: "run packet", Path: "run/packet.json", SHA256: digest},
		Findings: []verify.Finding{
			{Rule: "packet.review.invalid", Artifact: "review/review.json", Found: "a review that does not verify", Expected: "an accepted review",
				Hint: "see the causes", Causes: []verify.Finding{
					{Rule: "review.status", Artifact: "review/review.json", Pointer: "/status", Found: `"draft"`, Expected: `"passed"`}}},
			{Rule: "json.syntax", Artifact: "run/route.json", Line: 3, Found: "line 3, column 1: the text ends"},
			{Rule: "trust.pin.missing", NotEvaluated: true, Found: "no value"},
			{Rule: "strict.packet.unknown-member", Severity: verify.Warning, Artifact: "run/packet.json", Pointer: "/x"},
		},
		Omitted:  map[string]int{"packet.inventory.digest-mismatch": 12, "a.b": 1},
		Checked:  []verify.Checked{{Verifier: "packet", Rules: 9, Artifacts: []verify.Artifact{{Path: "run/packet.json", SHA256: digest}}}},
		Accepted: []string{"smoke"},
		Withheld: []string{"a reason"},
		Trust:    &verify.Trust{Pin: digest, Keys: []verify.KeyUse{{KeyID: "k", Fingerprint: digest, Use: "review"}}},
		Notes:    []string{"a note"},
	}
}

func TestTextReadsLikeThis(t *testing.T) {
	const want = `review/review.json: found a review that does not verify, expected an accepted review (packet.review.invalid)
  hint: see the causes
  because review/review.json#/status: found "draft", expected "passed" (review.status)
run/route.json:3: line 3, column 1: the text ends (json.syntax)
not evaluated: no value (trust.pin.missing)
warning: run/packet.json#/x: refused (strict.packet.unknown-member)
a.b: 1 more of the same, not shown
packet.inventory.digest-mismatch: 12 more of the same, not shown

fail: run packet run/packet.json (2 errors, 1 not evaluated, 1 warning, 9 rules, 1 artifact, strict level)
  not a pass: a reason
  accepted as not evaluated: smoke
  note: a note
`
	var b bytes.Buffer
	if err := Text(&b, fullReport(), Style{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("text differs (-want +got):\n%s", diff)
	}
}

func TestColourOnlyRepeatsTheWords(t *testing.T) {
	var plain, coloured bytes.Buffer
	if err := Text(&plain, fullReport(), Style{}); err != nil {
		t.Fatal(err)
	}
	if err := Text(&coloured, fullReport(), Style{Color: true}); err != nil {
		t.Fatal(err)
	}
	stripped := coloured.String()
	for _, code := range []string{bold, red, green, yellow, "0"} {
		stripped = strings.ReplaceAll(stripped, "\x1b["+code+"m", "")
	}
	if stripped != plain.String() || coloured.String() == plain.String() {
		t.Errorf("coloured text is not the plain text with colour:\n%s", coloured.String())
	}
}

func TestAReportThatLookedAtNothingSaysSo(t *testing.T) {
	var b bytes.Buffer
	r := &verify.Report{Subject: verify.Subject{Kind: "proof", Path: "p.json"}}
	if err := Text(&b, r, Style{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "incomplete: ") || !strings.Contains(b.String(), "nothing was looked at") {
		t.Errorf("got %q", b.String())
	}
}

func TestJSONFollowsItsSchema(t *testing.T) {
	schema := schematest.Compile(t, schemas.Report())
	for name, r := range map[string]*verify.Report{
		"full":  fullReport(),
		"empty": {Tool: verify.Tool{Name: "finishline", Version: "1"}, Subject: verify.Subject{Kind: "proof"}},
	} {
		var b bytes.Buffer
		if err := JSON(&b, r, Style{}); err != nil {
			t.Fatal(err)
		}
		doc, err := canon.Read(bytes.TrimSuffix(b.Bytes(), []byte("\n")), canon.MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(canon.Canonical(doc.Root)) + "\n"; got != b.String() {
			t.Errorf("%s: the report is not canonical", name)
		}
		v, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		v.(map[string]any)["surprise"] = true
		if schema.Validate(v) == nil {
			t.Errorf("%s: the schema takes a member that it does not know", name)
		}
	}
}

func TestEveryFormatIsFound(t *testing.T) {
	for _, f := range Formats() {
		if got, err := Lookup(f.Name); err != nil || got.Write == nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if _, err := Lookup("yaml"); err == nil {
		t.Error("an unknown format was found")
	}
}

func TestALongRowOfOneRuleIsCounted(t *testing.T) {
	r := &verify.Report{Subject: verify.Subject{Kind: "run-packet"}}
	for _, at := range []string{"/0", "/1", "/2", "/3", "/4"} {
		r.Findings = append(r.Findings, verify.Finding{Rule: "a.b", Artifact: "p", Pointer: at, Found: "x"})
	}
	var b bytes.Buffer
	if err := Text(&b, r, Style{}); err != nil {
		t.Fatal(err)
	}
	const want = "p#/0: x (a.b)\np#/1: x (a.b)\nand 3 more of a.b, the last at p#/4 (--format json lists all)\n\nfail: run-packet (5 errors, 0 rules, 0 artifacts, strict level)\n"
	if b.String() != want {
		t.Errorf("got %q", b.String())
	}
	r.Findings = r.Findings[:3]
	b.Reset()
	if err := Text(&b, r, Style{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "more of") {
		t.Errorf("three findings were cut: %q", b.String())
	}
}
