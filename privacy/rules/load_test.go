package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The embedded file is the table of the contract.
func TestExtendedIsTheTable(t *testing.T) {
	var table struct {
		BoundaryClasses                                                      map[string]string
		PlaceholderWords, DefaultPasswords, ExcludedSecretNames, DigestNames []string
		SharedAccounts, PublishedCardNumbers, PublicResolvers, ReservedIpv4  []string
		IbanLengths                                                          map[string]int
		Rules                                                                []struct {
			Kind, Group, Tier, Pattern, Left, Right, Facts string
			MinEntropy                                     float64
			Checks                                         []string
			DecodeBase64                                   bool
		}
	}
	data, err := os.ReadFile("testdata/privacy-extended-rules.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	set := Extended()
	if len(set.Rules) != 119 || len(table.Rules) != 119 {
		t.Fatalf("%d rules, the table has %d, expected 119", len(set.Rules), len(table.Rules))
	}
	none := func(class string) string { return strings.Replace(class, "none", "", 1) }
	for i, want := range table.Rules {
		r := *set.Rules[i]
		if r.Kind != want.Kind || r.Group != want.Group || r.Tier.String() != want.Tier || r.Expression != want.Pattern ||
			r.Left != none(want.Left) || r.Right != none(want.Right) || r.Entropy != want.MinEntropy || r.Base64 != want.DecodeBase64 ||
			r.Description != want.Facts || !slices.Equal(r.Checks, want.Checks) || r.Dialect != ExtendedDialect {
			t.Errorf("rule %d is %+v, the table has %+v", i+1, r, want)
		}
	}
	own := embedded().Finishline
	for name, pair := range map[string][2]any{
		"boundaryClasses":      {table.BoundaryClasses, own.Boundaries},
		"ibanLengths":          {table.IbanLengths, own.IBANLengths},
		"placeholderWords":     {table.PlaceholderWords, own.Lists["placeholderWords"]},
		"defaultPasswords":     {table.DefaultPasswords, own.Lists["defaultPasswords"]},
		"excludedSecretNames":  {table.ExcludedSecretNames, own.Lists["excludedSecretNames"]},
		"digestNames":          {table.DigestNames, own.Lists["digestNames"]},
		"sharedAccounts":       {table.SharedAccounts, own.Lists["sharedAccounts"]},
		"publishedCardNumbers": {table.PublishedCardNumbers, own.Lists["publishedCardNumbers"]},
		"publicResolvers":      {table.PublicResolvers, own.Lists["publicResolvers"]},
		"reservedIpv4":         {table.ReservedIpv4, own.Lists["reservedIpv4"]},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%s (-table +file):\n%s", name, diff)
		}
	}
}

// Each check is named by some rule, and each name by the table of checks.
func TestChecksAreUsed(t *testing.T) {
	used := map[string]bool{}
	for _, r := range Extended().Rules {
		for _, c := range r.Checks {
			used[c] = true
		}
	}
	for _, name := range CheckNames() {
		if !used[name] {
			t.Errorf("no rule names the check %q", name)
		}
	}
}

const config = `
title = "ours"
minVersion = "v8.25.0"
colour = "red"

[[rules]]
id = "ours-token"
description = "a token of ours"
regex = '''(?i)\bours_([a-z0-9]{8})(?:[\x60'"\s;]|\\[nr]|$)'''
entropy = 2
keywords = ["OURS_"]
tags = ["house"]
  [[rules.allowlists]]
  description = "textbook"
  regexes = ['''^a1b2''']
  stopwords = ["Sample"]
  [[rules.allowlists]]
  condition = "AND"
  paths = ['''^docs/''']
  regexTarget = "line"
  regexes = ['''# old''']

[[rules]]
id = "ours-block"
regex = '''BEGIN OURS\n(?:[a-z]+\n){2}END OURS'''
keywords = ["begin ours"]
skipReport = true

[[rules]]
id = "ours-file"
path = '''(?i)\.ours$'''

[[rules]]
id = "ours-in-env"
regex = '''KEY=([0-9]{6})'''
path = '''\.env$'''

[[rules]]
id = "ours-line"
regex = '''lin-[a-z0-9]{10}'''
[rules.finishline]
group = "house"
tier = "info"
left = "word"
right = "word"
checks = ["digits2"]
base64 = true

[[allowlists]]
targetRules = ["ours-token"]
stopwords = ["zzz"]

[[allowlists]]
paths = ['''^vendor/''']
commits = ["0123456"]
`

func load(t testing.TB, text string) (*Set, []Unsupported) {
	t.Helper()
	set, told, err := Load(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return set, told
}

func compiled(t testing.TB, text string) *Engine {
	t.Helper()
	set, _ := load(t, text)
	e, err := set.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func findings(e *Engine, path, text string) (list []string, stats Stats) {
	stats = e.Scan(path, []byte(text), func(h Hit) {
		list = append(list, fmt.Sprintf("%s %d:%d %s %s", h.Rule.Kind, h.Line, h.Column, h.View, h.Secret.text))
	})
	return list, stats
}

func TestConfiguration(t *testing.T) {
	e := compiled(t, config)
	for _, c := range []struct {
		name, path, text string
		want             []string
		allowed          int
	}{
		{"secret is the first group", "a.txt", "é ours_k3j9x2m1;", []string{"ours-token 1:3 raw k3j9x2m1"}, 0},
		{"keyword in any case", "a.txt", "OURS_k3j9x2m1", []string{"ours-token 1:1 raw k3j9x2m1"}, 0},
		{"boundary before", "a.txt", "xours_k3j9x2m1", nil, 0},
		{"low entropy", "a.txt", "ours_aaaabbbb", nil, 0},
		{"entropy at the bound", "a.txt", "ours_aabbccdd", nil, 0},
		{"allowed by expression", "a.txt", "ours_a1b2k3j9", nil, 1},
		{"allowed by stop word", "a.txt", "ours_sample12", nil, 1},
		{"both criteria", "docs/a.txt", "ours_k3j9x2m1 # old", nil, 1},
		{"one of two criteria", "docs/a.txt", "ours_k3j9x2m1 # new", []string{"ours-token 1:1 raw k3j9x2m1"}, 0},
		{"allowed for one rule", "a.txt", "ours_zzz12345\nlin-zzzz123456", []string{"ours-line 2:1 raw lin-zzzz123456"}, 1},
		{"allowed path beside commits", "vendor/a.txt", "ours_k3j9x2m1", nil, 1},
		{"several lines", "a.txt", "x\nBEGIN OURS\nab\ncd\nEND OURS\n", []string{"ours-block 2:1 raw BEGIN OURS\nab\ncd\nEND OURS"}, 0},
		{"path alone", "a/b.OURS", "", []string{"ours-file 0:0 raw a/b.OURS"}, 0},
		{"path and expression", "x/.env", "KEY=123456", []string{"ours-in-env 1:1 raw 123456"}, 0},
		{"other path", "x/env", "KEY=123456", nil, 0},
		{"table of ours", "a.txt", `"x\nlin-abcdefg123"`, []string{"ours-line 1:5 escaped lin-abcdefg123"}, 0},
		{"table of ours, two digits", "a.txt", "lin-abcdefghi1", nil, 0},
		{"base64", "a.txt", "bGluLWFiY2RlZmcxMjMgYW5kIG1vcmUK", []string{"ours-line 1:1 base64 lin-abcdefg123"}, 0},
	} {
		got, stats := findings(e, c.path, c.text)
		if !slices.Equal(got, c.want) || stats.Allowed != c.allowed {
			t.Errorf("%s: %q, %d allowed; expected %q, %d", c.name, got, stats.Allowed, c.want, c.allowed)
		}
	}
}

func TestUnsupportedIsTold(t *testing.T) {
	_, told := load(t, config+`
[[rules]]
id = "two"
regex = "x{9}"
verify = true
[[rules.required]]
id = "ours-token"
withinLines = 3
`)
	var keys []string
	for _, u := range told {
		keys = append(keys, u.Key)
	}
	slices.Sort(keys)
	want := []string{"colour", "rules.verify", `rules["ours-block"].skipReport`, `rules["two"].required`}
	if !slices.Equal(keys, want) {
		t.Errorf("%q, expected %q", keys, want)
	}
}

func TestExtend(t *testing.T) {
	open := func(path string) (io.ReadCloser, error) {
		if path == "base.toml" {
			return io.NopCloser(strings.NewReader(config)), nil
		}
		return nil, os.ErrNotExist
	}
	l := Loader{Open: open}
	set, told, err := l.Load(strings.NewReader(`
[extend]
path = "base.toml"
url = "https://rules.test/x"
disabledRules = ["ours-file", "nothing"]
[[rules]]
id = "ours-token"
entropy = 3
keywords = ["theirs"]
`))
	if err != nil {
		t.Fatal(err)
	}
	r := set.Rule("ours-token")
	if set.Rule("ours-file") != nil || r == nil || r.Entropy != 3 || !slices.Equal(r.Keywords, []string{"ours_", "theirs"}) || len(r.Allow) != 2 {
		t.Errorf("the set is %+v", r)
	}
	var keys []string
	for _, u := range told {
		keys = append(keys, u.Key)
	}
	for _, want := range []string{"extend.url", `extend.disabledRules "nothing"`, "colour"} {
		if !slices.Contains(keys, want) {
			t.Errorf("%q does not tell %q", keys, want)
		}
	}
	set, told, err = Load(strings.NewReader("[extend]\nuseDefault = true\ndisabledRules = [\"jwt\"]\n"))
	if err != nil || len(set.Rules) != 118 || set.Rule("jwt") != nil || len(told) != 1 || told[0].Key != "extend.useDefault" {
		t.Errorf("%d rules, told %v, error %v", len(set.Rules), told, err)
	}
}

func TestConfigurationErrors(t *testing.T) {
	loop := Loader{}
	loop.Open = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("[extend]\npath = \"again\"\n[[rules]]\nid=\"a\"\nregex=\"b\"")), nil
	}
	for _, c := range []struct{ text, want string }{
		{"", "the file gives no rule, so that a scan would look for nothing"},
		{"[[rules]\n", "the file is no TOML of this shape: line 2: "},
		{"[[rules]]\nregex = 'x'", "rule 1 has no id"},
		{"[[rules]]\nid = 'a'", `rule "a": it has neither regex nor path, so that it finds nothing`},
		{"[[rules]]\nid = 'a'\nregex='x'\n[[rules]]\nid='a'\nregex='y'", `rule "a": another rule of the file has the same id`},
		{"[[rules]]\nid = 'a'\nregex='x'\n[rules.finishline]\ntier='high'", `rule "a": finishline.tier is "high", none of gate, pii, info`},
		{"[[rules]]\nid = 'a'\nregex='x'\n[[rules.allowlists]]\ncondition='XOR'\npaths=['x']", `rule "a": allowlist: condition is "XOR", neither OR nor AND`},
		{"[[rules]]\nid = 'a'\nregex='x'\n[rules.allowlist]\nregexTarget='file'\npaths=['x']", `rule "a": allowlist: regexTarget is "file", neither secret, match nor line`},
		{"[[rules]]\nid = 'a'\nregex='x'\n[rules.allowlist]\ndescription='x'", `rule "a": allowlist: it has no criterion`},
		{"[[rules]]\nid = 'a'\nregex='x'\n[[allowlists]]\ntargetRules=['b']\npaths=['x']", `rule "b": an allowlist is for this rule, but there is none of that name`},
		{"[extend]\npath='x'\nuseDefault=true", "[extend] has both path and useDefault"},
		{"[extend]\npath='x'", `[extend] path "x": other files are not read here`},
	} {
		_, _, err := Load(strings.NewReader(c.text))
		var file *FileError
		if !errors.As(err, &file) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, expected %s", c.text, err, c.want)
		}
	}
	if _, _, err := loop.Load(strings.NewReader("[extend]\npath = \"again\"")); err == nil || !strings.HasSuffix(err.Error(), "more than 2 files extend one another") {
		t.Errorf("a loop: %v", err)
	}
	if _, _, err := Load(strings.NewReader(strings.Repeat("#", MaxFile+1))); err == nil || err.Error() != "the file is larger than 4194304 bytes" {
		t.Errorf("a large file: %v", err)
	}
}

func TestCompileErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"regex='('", `rule "a": regex: error parsing regexp: missing closing ): ` + "`(`"},
		{"regex='(?<=x)y'", `rule "a": regex: error parsing regexp: `},
		{"regex='x'\npath='['", `rule "a": path: error parsing regexp: `},
		{"regex='x'\nsecretGroup=1", `rule "a": secretGroup names a group that the expression does not have`},
		{"regex='x'\n[rules.finishline]\nleft='nowhere'", `rule "a": left: there is no class "nowhere"`},
		{"regex='x'\n[rules.finishline]\nchecks=['luck']", `rule "a": check "luck" is unknown; known are base`},
		{"regex='x*'\n[rules.finishline]\n", `rule "a": the expression matches the empty text`},
		{"regex='x'\n[rules.allowlist]\nregexes=['(']", `rule "a": allowlist: regex: error parsing regexp: `},
	} {
		set, _ := load(t, "[[rules]]\nid='a'\n"+c.text)
		if _, err := set.Compile(); err == nil || !strings.HasPrefix(err.Error(), strings.Replace(c.want, "known are base", "known are ", 1)) {
			t.Errorf("%q: error %v, expected %s", c.text, err, c.want)
		}
	}
}

// Rules of the kinds that configurations have, for the property below.
const manyRules = `
[[rules]]
id = "prefix"
regex = '''\b(ghp_[a-zA-Z0-9]{20,40})(?:[\x60'"\s;]|\\[nr]|$)'''
keywords = ["ghp_"]
[[rules]]
id = "generic"
regex = '''(?i)[\w.-]{0,50}?(?:access|auth|(?-i:[Aa]pi|API)|credential|creds|key|passw(?:or)?d|secret|token)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}([\w.=-]{10,150}|[a-z0-9][a-z0-9+/]{11,}={0,3})(?:[\x60'"\s;]|\\[nr]|$)'''
entropy = 3
keywords = ["access", "api", "auth", "key", "credential", "creds", "passwd", "password", "secret", "token"]
[[rules]]
id = "block"
regex = '''(?i)-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----[\s\S-]{4,}?KEY(?: BLOCK)?-----'''
keywords = ["-----begin"]
[[rules]]
id = "spans"
regex = '''(?m)^kind:[ \t]*\w+\s+data:\s+(\w{3,9})$'''
[[rules]]
id = "empty"
regex = '''[0-9]*'''
[[rules]]
id = "far"
regex = '''x[a-f]{0,900}y'''
`

// What is found near factors is what the expressions find in the whole text.
func TestFileRulesFindAll(t *testing.T) {
	set, _ := load(t, manyRules)
	e := compiled(t, manyRules)
	line := lineGenerator(t)
	more := rapid.SampledFrom([]string{"kind: a", "data:", " abc", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "xabcy", "ghp_" + "k3j9x2m1k3j9x2m1k3j9", "tokenTOKEN = 'aB3dE5fG7hI9jK1'"})
	exprs := map[string]*regexp.Regexp{}
	for _, r := range set.Rules {
		exprs[r.Kind] = regexp.MustCompile(r.Expression)
	}
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.OneOf(line, more), 1, 8).Draw(r, "lines"), "\n")
		var want, got []string
		for _, rule := range set.Rules {
			has := len(rule.Keywords) == 0 || slices.ContainsFunc(rule.Keywords, func(k string) bool { return strings.Contains(strings.ToLower(text), k) })
			if !has {
				continue
			}
			for _, m := range exprs[rule.Kind].FindAllStringSubmatch(text, -1) {
				secret := m[0]
				for _, group := range m[1:] {
					if group != "" {
						secret = group
						break
					}
				}
				if m[0] != "" && (rule.Entropy == 0 || entropy([]byte(secret)) > rule.Entropy) {
					want = append(want, rule.Kind+" "+secret)
				}
			}
		}
		e.Scan("f", []byte(text), func(h Hit) { got = append(got, h.Rule.Kind+" "+string(h.Secret.text)) })
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			r.Errorf("%q:\ngot  %q\nwant %q", text, got, want)
		}
	})
}

// What would exhaust the stack of the TOML reader is refused; brackets in
// strings and comments are not counted.
func TestNesting(t *testing.T) {
	deep := strings.Repeat("[", 1<<20)
	for _, text := range []string{
		"x = " + deep, "x = " + strings.Repeat("{a=", 1<<20), "x." + strings.Repeat("a.", 1<<20) + "b=1",
		"x = ['''a'''', " + deep, "x = [\"\"\"a\\\"\"\"\"\"\", " + deep, "# \"\"\"\nx = " + deep, "x = \"a\n" + deep, "x = \"\\\"\"\n#" + deep + "\ny = " + deep,
	} {
		if _, _, err := Load(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "more than 64 parts") && !strings.Contains(err.Error(), "deeper than 64 levels") {
			t.Errorf("%.20q: error %v", text, err)
		}
	}
	many := strings.Repeat("[", 200)
	set, told := load(t, "# "+many+"\n[[rules]]\nid = \"a"+many+"\"\nregex = '''"+strings.Repeat("[[]", 200)+"'''\ndescription = \"\"\"\n"+many+"\"\"\"\n")
	if len(set.Rules) != 1 || len(told) != 0 {
		t.Errorf("%d rules, told %v", len(set.Rules), told)
	}
}

// Matches of rules that span lines are found across the blocks of a long text,
// each once, where they are; and in the pieces of a long line.
func TestFileRulesOfLongTexts(t *testing.T) {
	e := compiled(t, config)
	filler := strings.Repeat("x", 77) + "\n"
	var text strings.Builder
	var want []string
	line := 1
	for text.Len() < 5*chunk {
		text.WriteString(filler)
		line++
		if line%97 == 0 {
			text.WriteString("BEGIN OURS\nab\ncd\nEND OURS\né ours_k3j9x2m1\n")
			want = append(want, fmt.Sprintf("ours-block %d:1 raw BEGIN OURS\nab\ncd\nEND OURS", line), fmt.Sprintf("ours-token %d:3 raw k3j9x2m1", line+4))
			line += 5
		}
	}
	got, stats := findings(e, "a.txt", text.String())
	if !slices.Equal(got, want) {
		t.Errorf("%d hits, expected %d; the first that differ: %s", len(got), len(want), firstDifference(got, want))
	}
	text.Reset()
	want = nil
	for text.Len() < 3*MaxLine {
		text.WriteString(strings.Repeat("é ", 9973))
		want = append(want, fmt.Sprintf("ours-token 1:%d raw k3j9x2m1", 1+len([]rune(text.String()))))
		text.WriteString("ours_k3j9x2m1 ")
	}
	text.WriteString("\nours_k3j9x2m1")
	want = append(want, "ours-token 2:1 raw k3j9x2m1")
	if got, stats = findings(e, "a.txt", text.String()); !slices.Equal(got, want) || stats.Long != 1 || stats.Lines != 2 {
		t.Errorf("%d hits, %+v, expected %d; the first that differ: %s", len(got), stats, len(want), firstDifference(got, want))
	}
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%q, %q", a[i], b[i])
		}
	}
	return "none"
}
