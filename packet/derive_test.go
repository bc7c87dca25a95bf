package packet

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"finishline/canon"
)

// oracle are the two patterns of contract 05, §4.3 as package regexp takes
// them, on a text in which every UTF-16 unit is one character.
var oracle = []*regexp.Regexp{
	regexp.MustCompile(`\b(?:production[` + canon.SpaceClass + `]+incident|incident[` + canon.SpaceClass + `]+response|outage|regression)\b`),
	regexp.MustCompile(`\b(?:apply|perform|execute|run|remediate|recover(?:y)?|corrective)\b[^\n\r\x{2028}\x{2029}]{0,48}\bself[-_ ]?heal(?:ing)?\b|` +
		`\bself[-_ ]?heal(?:ing)?\b[^\n\r\x{2028}\x{2029}]{0,48}\b(?:remediation|recovery|corrective[` + canon.SpaceClass + `]+work)\b`),
}

// unitText makes every UTF-16 unit of s a character of its own. Surrogates
// become characters of a private area, which no pattern mentions.
func unitText(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(canon.LowerASCII(s))) {
		if u >= 0xD800 && u <= 0xDFFF {
			b.WriteRune(0xE000)
			continue
		}
		b.WriteRune(rune(u))
	}
	return b.String()
}

func TestSignalsAgreeWithThePatterns(t *testing.T) {
	words := []string{"production", "incident", "Incident", "response", "outage", "regression", "apply", "RUN", "recover", "recovery",
		"y", "corrective", "work", "self", "heal", "ing", "Self-Heal", "self_healing", "remediation", " ", " ", "  ", "-", "_", "\n", "\r",
		"\u2028", "\u00a0", "\ufeff", "\u0085", "ſ", "K", "😀", "é", "x", "xxxxxxxxxxxxxxxxxxxxxxx", "xxxxxxxxxxxxxxxxxxxxxxxx", "0", "."}
	for _, text := range []string{"run self-heal", "an outage", "self heal, for corrective\u00a0 work", "Production\tincident"} {
		if units := unitText(text); !signalsCorrection(text) || !oracle[0].MatchString(units) && !oracle[1].MatchString(units) {
			t.Errorf("%q does not match", text)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 14).Draw(t, "words"), "")
		units := unitText(text)
		want := oracle[0].MatchString(units) || oracle[1].MatchString(units)
		if got := signalsCorrection(text); got != want {
			t.Fatalf("%q: %v, the patterns say %v", text, got, want)
		}
	})
}

func TestSignalsAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	for _, part := range []string{"run ", "self-heal ", "production ", "production\t\t\t\t\t\t", "corrective    ", "recover\n"} {
		if signalsCorrection(strings.Repeat(part, 1<<20/len(part))) != strings.Contains(part, "self-heal recover") {
			t.Errorf("%q repeated matches", part)
		}
	}
}

func TestDerivationShapes(t *testing.T) {
	base := Derivation{Route: parse(t, []byte(`{}`))}
	for _, c := range []struct {
		name, route, level string
		want               []string
		rule               string
	}{
		{"no applicability", `{}`, `"structural"`, []string{GateReview, GateProof}, ""},
		{"falsy level", `{}`, `0`, []string{GateReview, GateProof}, ""},
		{"number", `{"gateApplicability":7}`, `"structural"`, []string{GateReview, GateProof}, ""},
		{"empty text", `{"gateApplicability":""}`, `"structural"`, []string{GateReview, GateProof}, ""},
		{"empty array", `{"gateApplicability":[]}`, `"structural"`, []string{GateReview, GateProof}, ""},
		{"array", `{"gateApplicability":[{"status":"required"}]}`, `"structural"`, nil, ruleUnknownGate},
		{"proof is no route gate", `{"gateApplicability":{"portable-proof":{"status":"required"}}}`, `"structural"`, nil, ruleUnknownGate},
		{"other status", `{"gateApplicability":{"smoke":{"status":"Required"},"eval":null}}`, `"structural"`, []string{GateReview, GateProof}, ""},
		{"level in an array", `{}`, `["semantic"]`, nil, ruleLevelInvalid},
	} {
		d := base
		d.Route, d.AssuranceLevel = parse(t, []byte(c.route)), parse(t, []byte(c.level))
		got, err := d.RequiredGates()
		rule := ""
		if e, ok := err.(*UnderivableError); ok {
			rule = e.Rule
		}
		if rule != c.rule || strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%s: %v (%v), want %v %s", c.name, got, err, c.want, c.rule)
		}
	}
	if _, err := (Derivation{}).RequiredGates(); err == nil || err.(*UnderivableError).Rule != "" {
		t.Errorf("no route: %v", err)
	}
}
