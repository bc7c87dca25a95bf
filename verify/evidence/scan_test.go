package evidence

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/privacy/secret"
	"finishline/verify"
)

const bothScans = ScanSelfGrant | ScanSecrets

// scan returns the rules that fire, in the order they are reported.
func scan(level verify.Level, doc canon.Value, scans Scans) []verify.Finding {
	out := Table.Collect(level)
	ScanDocument(out, "doc.json", doc, scans)
	return out.List()
}

func ruleIDs(findings []verify.Finding) []string {
	ids := []string{}
	for _, f := range findings {
		ids = append(ids, f.Rule)
	}
	return ids
}

func readValue(t testing.TB, text string) canon.Value {
	t.Helper()
	doc, err := canon.Read([]byte(text), canon.MaxDocument)
	if err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return doc.Root
}

func TestVectorsSecrets(t *testing.T) {
	dir := vectors.Dir(t, "secrets")
	tally := vectors.NewTally(t, "secrets")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	for _, name := range files {
		var file struct {
			Cases []struct {
				Case     string          `json:"case"`
				Document json.RawMessage `json:"document"`
				Expect   vectors.Expect  `json:"expect"`
				Strict   *vectors.Expect `json:"expect_strict"`
			} `json:"cases"`
		}
		vectors.Read(t, name, &file)
		for _, c := range file.Cases {
			tally.Case(c.Case, func(t *testing.T) {
				doc := readValue(t, string(c.Document))
				base := ruleIDs(scan(verify.Base, doc, bothScans))
				if (len(base) == 0) != c.Expect.Valid || !vectors.SameRules(base, c.Expect.Rules) {
					t.Errorf("base: %q, want %+v", base, c.Expect)
				}
				strict := ruleIDs(scan(verify.Strict, doc, bothScans))
				if c.Strict == nil {
					c.Strict = &vectors.Expect{Valid: c.Expect.Valid, Rules: vectors.StrictOnly(strict)}
				}
				if (len(strict) == 0) != c.Strict.Valid || !vectors.SameRules(vectors.StrictOnly(strict), c.Strict.Rules) {
					t.Errorf("strict: %q, want %+v", strict, *c.Strict)
				}
			})
		}
	}
}

// The disclosure walk of contract 10, section 12, is the secret scan under
// another name, and its vectors also give the order of the rules.
func TestVectorsDisclosure(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(vectors.Dir(t, "privacy"), "disclosure.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	tally := vectors.NewTally(t, "privacy/disclosure.jsonl")
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, len(data)+1)
	for in.Scan() {
		var c struct {
			ID       string          `json:"id"`
			Document json.RawMessage `json:"document"`
			Expect   vectors.Expect  `json:"expect"`
		}
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			t.Fatalf("%v in %s", err, in.Bytes())
		}
		tally.Case(c.ID, func(t *testing.T) {
			got := ruleIDs(scan(verify.Base, joinParts(readValue(t, string(c.Document))), ScanSecrets))
			if (len(got) == 0) != c.Expect.Valid || !slices.Equal(got, c.Expect.Rules) {
				t.Errorf("%q, want %+v", got, c.Expect)
			}
		})
	}
	if in.Err() != nil {
		t.Fatal(in.Err())
	}
}

// joinParts replaces {"$parts":[...]} by the concatenated string.
func joinParts(v canon.Value) canon.Value {
	if parts := v.Get("$parts"); parts.IsArray() {
		var b strings.Builder
		for _, p := range parts.Elems() {
			b.WriteString(p.Text())
		}
		return canon.NewString(b.String())
	}
	switch v.Kind() {
	case canon.Array:
		var elems []canon.Value
		for _, e := range v.Elems() {
			elems = append(elems, joinParts(e))
		}
		return canon.NewArray(elems...)
	case canon.Object:
		var members []canon.Member
		for _, m := range v.Members() {
			members = append(members, canon.Member{Name: m.Name, Value: joinParts(m.Value)})
		}
		return canon.Build(members...)
	}
	return v
}

// literalVisit is Visit of contract 01, section 6.2, word for word, without a
// thought for its cost. It counts per rule.
func literalVisit(v canon.Value, name string, inherited bool, fired map[string]int) {
	numericMetric := secret.IsBenignMetric(name) && numericTree(v)
	if secret.IsBenignMetric(name) && !numericMetric {
		fired["secrets.metric-not-numeric"]++
	}
	isSecret := inherited || !numericMetric && secret.IsSecretName(name)
	text, isString := v.Str()
	if isSecret && !(isString && secret.IsPlaceholder(text)) {
		fired["secrets.raw-value"]++
	}
	if isString && secret.InText(text) {
		fired["secrets.string"]++
	}
	if n := secret.NormalizeName(name); v.IsArray() && (n == "argv" || n == "requested_argv") {
		literalArgv(v.Elems(), fired)
	}
	for _, e := range v.Elems() {
		literalVisit(e, "", isSecret, fired)
	}
	for _, m := range v.Members() {
		literalVisit(m.Value, m.Name, isSecret, fired)
	}
	if v.Get("status").Is("granted") && v.Get("actorType").Is("agent") {
		fired["self-grant.agent-approval"]++
	}
}

func literalArgv(elems []canon.Value, fired map[string]int) {
	var args []string
	for _, e := range elems {
		if e.Text() == "" {
			fired["secrets.argv-malformed"]++
			return
		}
		args = append(args, e.Text())
	}
	flags, malformed := secret.Argv(args)
	if malformed {
		fired["secrets.argv-malformed"]++
		return
	}
	for _, f := range flags {
		if !secret.IsPlaceholder(f.Value) {
			fired["secrets.argv-raw-value"]++
		}
	}
}

func documents() *rapid.Generator[canon.Value] {
	names := []string{"note", "auth", "tokens", "token_count", "prompt_tokens", "max_tokens", "argv", "requestedArgv", "status", "actorType", "a/b~c", "", "sk" + "-" + strings.Repeat("q", 20), "mysql://u:qqqqqqqq@h"}
	texts := []string{"", "x", "granted", "agent", "[REDACTED]", " <redacted>\n", "password=1", "--token", "--token=x", "--token=", "-v", "xoxb" + "-aaaaaaaaaa", "-----BEGIN DSA PRIVATE " + "KEY-----"}
	scalar := rapid.OneOf(
		rapid.Map(rapid.SampledFrom(texts), canon.NewString),
		rapid.Map(rapid.SampledFrom([]float64{0, 1, 2.5, -1}), canon.NewNumber),
		rapid.Just(canon.NewNull()), rapid.Just(canon.NewBool(true)),
	)
	var value func(depth int) *rapid.Generator[canon.Value]
	value = func(depth int) *rapid.Generator[canon.Value] {
		if depth == 0 {
			return scalar
		}
		return rapid.Custom(func(t *rapid.T) canon.Value {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				return scalar.Draw(t, "scalar")
			case 1:
				return canon.NewArray(rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "elements")...)
			}
			var members []canon.Member
			for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID[string]).Draw(t, "names") {
				members = append(members, canon.Member{Name: name, Value: value(depth-1).Draw(t, "value")})
			}
			return canon.Build(members...)
		})
	}
	return value(4)
}

func TestScanIsTheContractsVisit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := documents().Draw(t, "doc")
		fired := map[string]int{}
		literalVisit(doc, "", false, fired)
		s := scanner{scans: bothScans, places: map[string]*place{}}
		s.visit(doc, context{})
		got := map[string]int{}
		for rule, p := range s.places {
			got[rule] = p.count
		}
		if !maps.Equal(got, fired) {
			t.Fatalf("%s: %v, the contract's words give %v", canon.Compact(doc), got, fired)
		}
	})
}

func TestScanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := documents().Draw(t, "doc")
		base, strict := scan(verify.Base, doc, bothScans), scan(verify.Strict, doc, bothScans)
		ids := ruleIDs(base)
		if len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(ids) {
			t.Errorf("a rule is reported twice: %q", ids)
		}
		for _, id := range ids {
			if !slices.Contains(ruleIDs(strict), id) {
				t.Errorf("strict level lacks %s", id)
			}
		}
		for _, id := range ruleIDs(strict) {
			if !slices.Contains(ids, id) && !strings.HasPrefix(id, "strict.") {
				t.Errorf("base level lacks %s", id)
			}
		}
		if turned := ruleIDs(scan(verify.Base, reversed(doc), bothScans)); !vectors.SameRules(turned, ids) {
			t.Errorf("member order matters: %q, then %q for %s", ids, turned, canon.Compact(doc))
		}
		for _, f := range strict {
			if v, ok := follow(doc, f.Pointer); f.Rule != "strict.secrets.member-name" && !strings.Contains(f.Pointer, "REDACTED") && !ok {
				t.Errorf("%s points to %q, where nothing is in %s (%v)", f.Rule, f.Pointer, canon.Compact(doc), v)
			}
			for _, text := range []string{f.Found, f.Expected, f.Hint, f.Pointer, f.Artifact} {
				if strings.Contains(text, "qqqqqqqq") || strings.Contains(text, "aaaaaaaaaa") || secret.InText(text) {
					t.Errorf("%s shows a secret: %+v", f.Rule, f)
				}
			}
		}
		only := append(ruleIDs(scan(verify.Strict, doc, ScanSelfGrant)), ruleIDs(scan(verify.Strict, doc, ScanSecrets))...)
		if !vectors.SameRules(only, ruleIDs(strict)) {
			t.Errorf("the scans alone give %q, together %q", only, ruleIDs(strict))
		}
	})
}

// reversed turns the order of members everywhere.
func reversed(v canon.Value) canon.Value {
	switch v.Kind() {
	case canon.Array:
		var elems []canon.Value
		for _, e := range v.Elems() {
			elems = append(elems, reversed(e))
		}
		return canon.NewArray(elems...)
	case canon.Object:
		var members []canon.Member
		for _, m := range v.Members() {
			members = append([]canon.Member{{Name: m.Name, Value: reversed(m.Value)}}, members...)
		}
		return canon.Build(members...)
	}
	return v
}

// follow resolves a JSON pointer (RFC 6901).
func follow(v canon.Value, pointer string) (canon.Value, bool) {
	for pointer != "" {
		token, rest, more := strings.Cut(pointer[1:], "/")
		if pointer = ""; more {
			pointer = "/" + rest
		}
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if v.IsArray() {
			var i int
			if json.Unmarshal([]byte(token), &i) != nil || i < 0 || i >= v.Len() {
				return v, false
			}
			v = v.Elems()[i]
			continue
		}
		if !v.Has(token) {
			return v, false
		}
		v = v.Get(token)
	}
	return v, true
}

// What a rule says about itself reaches findings as it stands: a text that the
// scan would take for a secret would be masked there.
func TestScanRulesAreNoSecrets(t *testing.T) {
	for _, r := range Table.Rules() {
		for _, text := range []string{r.Fails, r.Why, r.Do} {
			if masked := secret.Mask(text); masked != text {
				t.Errorf("%s: %q would be shown as %q", r.ID, text, masked)
			}
		}
	}
}

func TestScanSaysWhereAndHowOften(t *testing.T) {
	doc := readValue(t, `{"a":{"b/c":["x","password=1"]},"b":"password=2","c":["token: x"],"n":{"tokens":{"x":{"tokens":"1"}}}}`)
	type found struct{ rule, pointer, found string }
	var got []found
	for _, f := range scan(verify.Base, doc, bothScans) {
		got = append(got, found{f.Rule, f.Pointer, f.Found})
	}
	want := []found{
		{"secrets.string", "/a/b~1c/1", "a text with a value assigned to a secret-like name, and in 2 more places"},
		{"secrets.metric-not-numeric", "/n/tokens", "an object of 1 member where the name announces a count, and in 1 more place"},
		{"secrets.raw-value", "/n/tokens", "an object of 1 member where the name announces a secret, and in 2 more places"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Names that announce counts nest to the depth that is read: telling whether
// each is a tree of numbers must not walk the leaves once per level.
func TestScanOfNestedMetricsIsLinear(t *testing.T) {
	leaves := "[" + strings.Repeat("1,", 1<<19) + `"x"]`
	for _, name := range []string{"tokens", "token_count", "token_token_count"} {
		doc := readValue(t, strings.Repeat(`{"`+name+`":`, 120)+leaves+strings.Repeat("}", 120))
		start := time.Now()
		if got := scan(verify.Base, doc, ScanSecrets); len(got) == 0 {
			t.Errorf("%s: nothing found", name)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v for half a million leaves", name, took)
		}
	}
}

func FuzzScanDocument(f *testing.F) {
	for _, name := range []string{"texts", "names", "documents"} {
		var file struct {
			Cases []struct {
				Document json.RawMessage `json:"document"`
			} `json:"cases"`
		}
		vectors.Read(f, filepath.Join(vectors.Dir(f, "secrets"), name+".json"), &file)
		for _, c := range file.Cases {
			f.Add([]byte(c.Document))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := canon.Read(data, 1<<16)
		if err != nil {
			return
		}
		base, strict := scan(verify.Base, doc.Root, bothScans), scan(verify.Strict, doc.Root, bothScans)
		fired := map[string]int{}
		literalVisit(doc.Root, "", false, fired)
		if !vectors.SameRules(ruleIDs(base), slices.Collect(maps.Keys(fired))) {
			t.Errorf("%q, the contract's words give %v", ruleIDs(base), fired)
		}
		if len(strict) < len(base) {
			t.Errorf("strict level accepts what base level refuses: %q, %q", ruleIDs(base), ruleIDs(strict))
		}
		for _, f := range strict {
			if secret.InText(f.Found) || secret.InText(f.Pointer) {
				t.Errorf("a finding shows a secret: %+v", f)
			}
		}
	})
}

func BenchmarkScanDocument(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"events":[`)
	for i := range 1000 {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(`{"id":"run-1/node/prove","path":"evidence/tests/output.json","sha256":"` + strings.Repeat("0a", 32) + `","actorType":"service","count":3}`)
	}
	text.WriteString(`]}`)
	doc := readValue(b, text.String())
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		ScanDocument(Table.Collect(verify.Strict), "doc.json", doc, bothScans)
	}
}
