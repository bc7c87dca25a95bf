package skill

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
)

func TestFrontMatter(t *testing.T) {
	tests := []struct {
		name, text, key, want string
	}{
		{"plain", "---\nname: a\n---\n", "name", "a"},
		{"carriage returns", "---\r\nname: a\r\n---", "name", "a"},
		{"mark in front", "\uFEFF---\nname: a\n---", "name", ""},
		{"no end", "---\nname: a\n", "name", ""},
		{"end goes on", "---\nname: a\n---more", "name", "a"},
		{"two lines in one", "---\n---\nname: a\n---", "name", "a"},
		{"last counts", "---\nname: a\nname: b\n---", "name", "b"},
		{"each quote by itself", "---\nname: 'a\"\n---", "name", "a"},
		{"one quote character", "---\nname: \"\n---", "name", ""},
		{"inner quotes stay", "---\nname: \"say \"go\"\"\n---", "name", "say \"go\""},
		{"colon first", "---\n: a\n---", "", ""},
		{"colons later", "---\nname: a: b\n---", "name", "a: b"},
		{"space before the colon", "---\nname : a\n---", "name", "a"},
		{"dashes are not alone", "--- \nname: a\n---", "name", ""},
	}
	for _, c := range tests {
		if got := FrontMatter(c.text)[c.key]; got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.name, c.key, got, c.want)
		}
	}
}

// fieldPattern is Field as a regular expression: slower, and the reference.
func fieldPattern(name string) *regexp.Regexp {
	const ends = `\n\r\x{2028}\x{2029}`
	const blank = `[\t\x0B\f \x{00A0}\x{1680}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}\x{FEFF}]`
	return regexp.MustCompile(`(?:^|[` + ends + `])  ` + regexp.QuoteMeta(name) + `:[` + canon.SpaceClass + `]*"([^"]*)"` + blank + `*(?:$|[` + ends + `])`)
}

func implicitPattern() *regexp.Regexp {
	const ends = `\n\r\x{2028}\x{2029}`
	const blank = `[\t\x0B\f \x{00A0}\x{1680}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}\x{FEFF}]`
	return regexp.MustCompile(`(?:^|[` + ends + `])policy:\r?\n  allow_implicit_invocation:[` + canon.SpaceClass + `]*true` + blank + `*(?:$|[` + ends + `])`)
}

func checkAgent(t interface{ Errorf(string, ...any) }, text string) {
	want := ""
	if m := fieldPattern("display_name").FindStringSubmatch(text); m != nil {
		want = m[1]
	}
	if got := Field(text, "display_name"); got != want {
		t.Errorf("Field of %q is %q, the expression says %q", text, got, want)
	}
	if got, want := ImplicitInvocation(text), implicitPattern().MatchString(text); got != want {
		t.Errorf("ImplicitInvocation of %q is %v, the expression says %v", text, got, want)
	}
}

var agentPieces = []string{
	"  display_name:", " ", "  ", "\n", "\r\n", "\r", "\u2028", "\u00A0", "\uFEFF", `"`, `""`, `"a"`, "x", "policy:",
	"\n  allow_implicit_invocation:", "true", "trues", "false", "    display_name: \"b\"\n", "\xff",
}

func TestAgentFileAgreesWithExpressions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(agentPieces), 0, 14).Draw(t, "pieces"), "")
		checkAgent(t, canon.DecodeUTF8([]byte(text)))
	})
}

func FuzzAgentFile(f *testing.F) {
	f.Add([]byte("interface:\n  display_name: \"Kiln\"\n  short_description: \"s\"\n\npolicy:\n  allow_implicit_invocation: true\n"))
	f.Add([]byte("  display_name:\u2028 \"two\nlines\" \r  display_name: \"b\""))
	f.Fuzz(func(t *testing.T, data []byte) { checkAgent(t, canon.DecodeUTF8(data)) })
}

func FuzzFrontMatter(f *testing.F) {
	f.Add([]byte("---\r\nname: 'valdris-bug-rca\"\r\ndescription : \"He said: \"go\"\"\r\n---- more"))
	f.Add([]byte("---\n---\n---"))
	reference := regexp.MustCompile(`(?s)^---\r?\n(.*?)\r?\n---`)
	f.Fuzz(func(t *testing.T, data []byte) {
		text := canon.DecodeUTF8(data)
		want := Matter{}
		if m := reference.FindStringSubmatch(text); m != nil {
			for _, line := range regexp.MustCompile(`\r?\n`).Split(m[1], -1) {
				if i := strings.Index(line, ":"); i >= 1 {
					want[canon.Trim(line[:i])] = regexp.MustCompile(`^['"]|['"]$`).ReplaceAllString(canon.Trim(line[i+1:]), "")
				}
			}
		}
		got := FrontMatter(text)
		if len(got) != len(want) {
			t.Fatalf("front matter of %q: %q, the expression says %q", text, got, want)
		}
		for key, value := range want {
			if got[key] != value {
				t.Fatalf("%q in the front matter of %q is %q, the expression says %q", key, text, got[key], value)
			}
		}
	})
}

func read(t testing.TB, text string) canon.Value {
	t.Helper()
	doc, err := canon.Read([]byte(text), canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

func none(canon.Value) string { return "" }

func TestProjectionOfLittle(t *testing.T) {
	got, err := Projection(read(t, `{"selection":{"maxPrimary":1},"skills":[{"triggers":"aé"}],"lifecycleSkills":[{"sequence":1,"next":0,"requiredInputs":[null,[1,null],{}]}]}`), none)
	if err != nil {
		t.Fatal(err)
	}
	want := `schema: "uash.codex-skill-routing.v1"
version: "undefined"
source_registry: "skills/registry.json"
selection:
  max_primary: 1
  max_supporting: undefined
  ambiguity_fallback: "valdris-intake-route"
  finish_skill: "valdris-proof-handoff"
  implicit_invocation: true
  tie_break_order: []
skills:
  - name: "undefined"
    description: ""
    path: "undefined"
    implicit_invocation: true
    primary_for: []
    triggers:
      - "a"
      - "é"
    required_gates: []
    conditional_gates: []
    red_zone_triggers: []
lifecycle_selection:
  max_primary: 1
  ambiguity_fallback: "valdris-route-goal"
  policy: ""
  deterministic_sequence: true
  tie_break_order: []
lifecycle_skills:
  - sequence: 1
    name: "undefined"
    system: "undefined"
    description: ""
    path: "undefined"
    implicit_invocation: true
    primary_for: []
    triggers: []
    required_inputs:
      - "null"
      - "1,"
      - "[object Object]"
    required_outputs: []
    required_gates: []
    conditional_gates: []
    next: null
`
	if got != want {
		t.Errorf("projection:\n%s\nwant:\n%s", got, want)
	}
}

func TestProjectionNeedsSelection(t *testing.T) {
	for _, text := range []string{`{}`, `{"selection":null}`, `[]`} {
		if _, err := Projection(read(t, text), none); !errors.Is(err, ErrNoSelection) {
			t.Errorf("%s: got error %v", text, err)
		}
	}
}

// Whatever a registry holds, no text of it starts a line of the projection: a
// hostile name cannot add an entry.
func TestProjectionQuotesEverything(t *testing.T) {
	hostile := rapid.SampledFrom([]string{"", "a\n  - name: \"b\"", "\"", "\\", "\r\n", "\x00", "é\u2028", "---"})
	project := func(next func() string) (string, error) {
		text := func() canon.Value { return canon.NewString(next()) }
		entry := canon.Build(
			canon.Member{Name: "name", Value: text()}, canon.Member{Name: "path", Value: text()},
			canon.Member{Name: "triggers", Value: canon.NewArray(text(), text())})
		return Projection(canon.Build(
			canon.Member{Name: "version", Value: text()}, canon.Member{Name: "selection", Value: canon.Build()},
			canon.Member{Name: "skills", Value: canon.NewArray(entry)}), func(canon.Value) string { return next() })
	}
	harmless, err := project(func() string { return "x" })
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		got, err := project(func() string { return hostile.Draw(t, "text") })
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(got, "\n") != strings.Count(harmless, "\n") {
			t.Fatalf("a text started a line:\n%s", got)
		}
	})
}

func FuzzProjection(f *testing.F) {
	f.Add([]byte(`{"selection":{"maxPrimary":1,"tieBreakOrder":["a"]},"skills":[{"name":"x"}],"lifecycleSkills":[{"next":"y"}]}`))
	f.Add([]byte(`{"selection":7,"skills":["\ud800"],"lifecycleSelection":{"policy":[[]]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := canon.Read(data, canon.MaxDocument)
		if err != nil {
			return
		}
		first, err := Projection(doc.Root, none)
		if err != nil && !errors.Is(err, ErrNoSelection) {
			t.Fatal(err)
		}
		if again, _ := Projection(doc.Root, none); again != first {
			t.Fatal("two projections of one registry differ")
		}
		if err == nil && !strings.HasSuffix(first, "\n") {
			t.Fatalf("the last line does not end: %q", first)
		}
	})
}
