package hux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/journal/lines"
)

// told lists findings as "rule:line", without the remarks about companions.
func told(r *Result) string {
	var list []string
	for _, f := range r.Findings {
		if !strings.HasSuffix(f.Rule, ".companion") {
			list = append(list, fmt.Sprintf("%s:%d", strings.TrimPrefix(f.Rule, "hux."), f.Line))
		}
	}
	return strings.Join(list, " ")
}

// numberedEvent is a sound event of that number.
func numberedEvent(n int) string {
	return strings.Replace(strings.Replace(eventWith("seq", fmt.Sprint(n)), `"id":"a"`, fmt.Sprintf(`"id":"a%d"`, n), 1), "{", `{"correlation_id":"",`, 1)
}

func TestInputForms(t *testing.T) {
	a, b := numberedEvent(1), numberedEvent(2)
	deep := strings.Replace(a, "{", `{"detail":`+strings.Repeat(`{"x":`, 62)+`1`+strings.Repeat("}", 62)+",", 1)
	tooDeep := strings.Replace(a, "{", `{"detail":`+strings.Repeat(`{"x":`, 64)+`1`+strings.Repeat("}", 64)+",", 1)
	long := strings.Replace(a, `"s"`, `"`+strings.Repeat("s", MaxLine)+`"`, 1)
	for _, c := range []struct{ name, text, want string }{
		{"two lines", a + "\n" + b + "\n", ""},
		{"unterminated", a + "\n" + b, "tail.unterminated:2"},
		{"torn", a + "\n" + b[:len(b)-1], "tail.torn:2"},
		{"torn by length", a + "\n" + long, "tail.torn:2"},
		{"torn scalar", a + "\n7", "tail.torn:2"},
		{"only torn", a[:9], "file.empty:1 semantics.skipped:1 tail.torn:1"},
		{"blank", "\n", "file.empty:1 line.blank:1 semantics.skipped:1"},
		{"blank tail", a + "\n \t", "line.blank:2"},
		{"blank between", a + "\n\r\n" + b + "\n", "line.blank:2"},
		{"bom", "\xef\xbb\xbf" + a + "\n", "file.bom:1 semantics.skipped:1"},
		{"only a bom", "\xef\xbb\xbf", "file.bom:1 semantics.skipped:1"},
		{"crlf", a + "\n" + b + "\r\n" + numberedEvent(3) + "\r\n", "line.crlf:2"},
		{"utf8", a + "\n{\"\xff\":1}\n", "semantics.skipped:1 line.utf8:2"},
		{"json", "{]\n", "line.json:1 semantics.skipped:1"},
		{"trailing", a + " " + b + "\n", "line.json:1 semantics.skipped:1"},
		{"NaN", `{"x":NaN}` + "\n", "line.json:1 semantics.skipped:1"},
		{"duplicate", `{"x":1,"\u0078":2}` + "\n", "line.duplicate-key:1 semantics.skipped:1"},
		{"surrogate", `{"x":"\ud800"}` + "\n", "line.surrogate:1 semantics.skipped:1"},
		{"duplicate before surrogate", `{"x":"\ud800","x":2}` + "\n", "line.duplicate-key:1 semantics.skipped:1"},
		{"deep", deep + "\n", "detail.key-not-allowed:1"},
		{"too deep", tooDeep + "\n", "line.depth:1 semantics.skipped:1"},
		{"too long", a + "\n" + long + "\n" + b + "\n", "semantics.skipped:1 line.too-long:2"},
		{"scalar", "7\n", "line.object:1 semantics.skipped:1"},
		{"array", "[" + a + "," + b + "]", ""},
		{"array with space and newline", " \n[" + a + ",\r\n" + b + "\n]\n", ""},
		{"array with bom", "\xef\xbb\xbf[" + a + "]", "file.bom:1 semantics.skipped:1"},
		{"empty array", "[]", "file.empty:1 semantics.skipped:1"},
		{"array of scalars", "[" + a + ",7,null]", "semantics.skipped:1 line.object:2 line.object:3"},
		{"array with a duplicate", "[" + a + `,7,{"x":1,"x":2}]`, "line.duplicate-key:1 semantics.skipped:1"},
		{"array with worse later", "[" + `{"x":1,"x":2},{"x":"` + "\xff" + `"}]`, "line.utf8:1 semantics.skipped:1"},
		{"array too deep", "[" + tooDeep + "]", "line.depth:1 semantics.skipped:1"},
		{"deep array", "[" + deep + "]", "detail.key-not-allowed:1"},
		{"array with a long event", "[" + strings.Replace(a, `"s"`, `"s","detail":{"x":"`+strings.Repeat("s", MaxLine)+`"}`, 1) + "]", "detail.key-not-allowed:1"},
		{"array cut short", "[" + a + ",\n" + b + "\n", "line.json:1 semantics.skipped:1"},
		{"array and more", "[" + a + "]\n" + b + "\n", "semantics.skipped:1 line.object:1"},
		{"array of lines", "[1]\n[2]\n", "line.object:1 semantics.skipped:1 line.object:2"},
		{"order in an array", "[" + b + "," + a + "]", "seq.not-increasing:2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := judge(t, []byte(c.text), Options{})
			if got := told(r); got != sortTold(c.want) {
				t.Errorf("got %s, want %s", got, sortTold(c.want))
			}
			if r.Lines.Bytes != int64(len(c.text)) {
				t.Errorf("%d bytes of %d read", r.Lines.Bytes, len(c.text))
			}
		})
	}
}

// sortTold orders "rule:line" by line, then by rule.
func sortTold(list string) string {
	parts := strings.Fields(list)
	slices.SortFunc(parts, func(a, b string) int {
		ra, la, _ := strings.Cut(a, ":")
		rb, lb, _ := strings.Cut(b, ":")
		if c := strings.Compare(la, lb); c != 0 {
			return c
		}
		return strings.Compare(ra, rb)
	})
	return strings.Join(parts, " ")
}

// A stream says the same as lines and as an array, whatever the workers.
func TestFormsAndWorkersAgree(t *testing.T) {
	dir := vectors.Dir(t, "hux")
	for _, file := range caseFiles(t, dir) {
		var c vectorCase
		vectors.Read(t, file, &c)
		if c.Text != nil || c.Files != nil {
			continue
		}
		o, _ := c.options(t)
		data := c.input(t, filepath.Dir(file))
		list := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
		array := append(append([]byte("["), bytes.Join(list, []byte(","))...), ']')
		one := o
		one.Lines.Workers = 1
		want := judge(t, data, one)
		for _, got := range []*Result{judge(t, data, o), judge(t, array, o)} {
			if d := cmp.Diff(want.Findings, got.Findings); d != "" || got.Tally != want.Tally || got.Skipped != want.Skipped {
				t.Errorf("%s: %+v, want %+v\n%s", c.Case, got.Tally, want.Tally, d)
			}
		}
	}
}

func TestTooLargeFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 MiB")
	}
	array := func(n int64) io.Reader {
		return io.MultiReader(strings.NewReader("["), io.LimitReader(spaces{}, n-2), strings.NewReader("]"))
	}
	r, err := Verify(context.Background(), array(MaxArray+1), Options{})
	must(t, err)
	if got := told(r); got != "line.too-long:1 semantics.skipped:1" || r.Lines.Bytes != MaxArray+1 {
		t.Errorf("%s, %d bytes", got, r.Lines.Bytes)
	}
	var limit *LimitError
	_, err = Verify(context.Background(), io.MultiReader(strings.NewReader(`["`), io.LimitReader(exes{}, MaxElement), strings.NewReader(`"]`)), Options{Name: "x"})
	if !errors.As(err, &limit) || !strings.Contains(err.Error(), "x: more than 8388608 bytes of one event") {
		t.Errorf("error %v", err)
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

type exes struct{}

func (exes) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestErrorsAreNoVerdict(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, head := range []string{"", "[", numberedEvent(1) + "\n", "[" + numberedEvent(1)} {
		_, err := Verify(context.Background(), io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken)), Options{})
		if !errors.Is(err, broken) {
			t.Errorf("%.3q: error %v", head, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, text := range []string{numberedEvent(1) + "\n", "[" + numberedEvent(1) + "]"} {
		if _, err := Verify(ctx, strings.NewReader(text), Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%.3q: error %v", text, err)
		}
	}
}

// The tee sees every byte once, in whichever form.
func TestTeeSeesTheFile(t *testing.T) {
	for _, text := range []string{numberedEvent(1) + "\n", "[" + numberedEvent(1) + "]", "[" + numberedEvent(1), "\xef\xbb\xbf[]"} {
		var seen bytes.Buffer
		judge(t, []byte(text), Options{Lines: lines.Options{Tee: &seen}})
		if seen.String() != text {
			t.Errorf("%.3q: %d bytes of %d", text, seen.Len(), len(text))
		}
	}
}

// A file in which nothing was judged is told apart.
func TestLookedAtNothing(t *testing.T) {
	data := []byte(numberedEvent(1) + "\n")
	if r := judge(t, data, Options{Conversation: "other"}); !r.LookedAtNothing() || r.Tally.Others != 1 || len(r.Findings) != 1 {
		t.Errorf("%+v", r)
	}
	if r := judge(t, data, Options{}); r.LookedAtNothing() {
		t.Errorf("%+v", r)
	}
}

func TestNoWarnings(t *testing.T) {
	data := []byte(numberedEvent(1) + "\n\n")
	for demand, want := range map[Demand]verify.Verdict{0: verify.Pass, Closed: verify.Pass, NoWarnings: verify.Fail} {
		if r := judge(t, data, Options{Demand: demand}); verify.Fold(r.Findings) != want {
			t.Errorf("demand %d: %+v", demand, r.Findings)
		}
	}
}

func TestLoadSchemas(t *testing.T) {
	write := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		return dir
	}
	defs := `"$defs":{"id":{},"timestamp":{},"evidence_ref":{},"provenance":{},"sensitivity":{},"redaction":{},"idempotency_key":{},"identity":{"maxProperties":9}}`
	for _, c := range []struct {
		name  string
		files map[string]string
		err   string // part of the error
		event string // an event, and whether the schemas allow it
		want  string
	}{
		{name: "by its name", files: map[string]string{"common.schema.json": "{" + defs + "}"}, event: eventWith("id", `{"x":1}`), want: ""},
		{name: "by its identifier", files: map[string]string{"c.json": `{"$id":"https://x.example/y/common.schema.json",` + defs + "}"}, event: eventWith("id", `7`), want: ""},
		{name: "the event schema stays", files: map[string]string{"common.schema.json": "{" + defs + "}"}, event: eventWith("seq", `-1`), want: "schema.invalid:1 semantics.skipped:1"},
		{name: "another event schema", files: map[string]string{"event.schema.json": `{"type":"object","required":["id"],"properties":{"seq":{"maximum":5},"x":{"$ref":"more.json"}}}`, "more.json": `{"const":1}`}, event: `{"id":"a","seq":5,"x":1.0}`, want: ""},
		{name: "another event schema refuses", files: map[string]string{"event.schema.json": `{"properties":{"x":{"$ref":"more.json"}}}`, "more.json": `{"const":1}`}, event: `{"x":2}`, want: "schema.invalid:1 semantics.skipped:1"},
		{name: "absurd numbers", files: map[string]string{"event.schema.json": `{"properties":{"x":{"type":"integer","minimum":0,"maximum":5}}}`}, event: `{"x":1e1000000000}`, want: "schema.invalid:1 semantics.skipped:1"},
		{name: "absurd small numbers", files: map[string]string{"event.schema.json": `{"properties":{"x":{"minimum":0,"multipleOf":2}}}`}, event: `{"x":1e-1000000000}`, want: "schema.invalid:1 semantics.skipped:1"},
		{name: "absurd fractions", files: map[string]string{"event.schema.json": `{"properties":{"x":{"type":"integer"}}}`}, event: `{"x":` + strings.Repeat("9", 1000) + `.5}`, want: "schema.invalid:1 semantics.skipped:1"},
		{name: "neither", files: map[string]string{"x.json": "{}"}, err: "it has neither common.schema.json nor event.schema.json"},
		{name: "two of them", files: map[string]string{"a.json": `{"$id":"https://x.example/common.schema.json"}`, "b.json": `{"$id":"https://y.example/common.schema.json"}`}, err: "a.json, b.json all say"},
		{name: "no JSON", files: map[string]string{"common.schema.json": "{"}, err: "common.schema.json: line 1"},
		{name: "a name twice", files: map[string]string{"common.schema.json": `{"$defs":{},"$defs":{}}`}, err: "duplicate-key"},
		{name: "no schema", files: map[string]string{"event.schema.json": `{"type":7}`}, err: "cannot be used"},
		{name: "no expression", files: map[string]string{"event.schema.json": `{"pattern":"("}`}, err: "cannot be used"},
		{name: "never fetched", files: map[string]string{"event.schema.json": `{"$ref":"https://example.com/x.json"}`}, err: "https://example.com/x.json, which is not at hand"},
		{name: "no file is read", files: map[string]string{"event.schema.json": `{"$ref":"file:///etc/passwd"}`}, err: "file:///etc/passwd, which is not at hand"},
		{name: "unknown dialect", files: map[string]string{"event.schema.json": `{"$schema":"https://example.com/dialect"}`}, err: "https://example.com/dialect, which is not at hand"},
		{name: "no such anchor", files: map[string]string{"event.schema.json": `{"$ref":"#nowhere"}`}, err: "nowhere, which is not at hand"},
		{name: "the first of several", files: map[string]string{"common.schema.json": `{"$defs":{"id":{}}}`}, err: "common.schema.json#/$defs/evidence_ref, which is not at hand"},
		{name: "relative identifier", files: map[string]string{"event.schema.json": `{"$id":"x.json"}`}, err: "not an absolute URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := LoadSchemas(write(c.files))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			must(t, err)
			if got := told(judge(t, []byte(c.event+"\n"), Options{Schemas: s})); got != sortTold(c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	if _, err := LoadSchemas(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestOptionFilesOfUnknownShape(t *testing.T) {
	for text, part := range map[string]string{
		`[]`: "not a JSON object", `{}`: "kinds must be an object", `{"kinds":{},"sensitivity_levels":[]}`: "not empty", `{"kinds":{},"sensitivity_levels":[1]}`: "array of strings",
		`{"kinds":{"tool.calls":{}},"sensitivity_levels":["a"]}`: "tool.calls", `{"kinds":{"tool.call":{"x":"ids?"}},"sensitivity_levels":["a"]}`: "must be one of", `{"kinds":{},"kinds":{},"sensitivity_levels":["a"]}`: "duplicate-key",
	} {
		if _, err := ReadAllowlist([]byte(text)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("allowlist %s: error %v", text, err)
		}
	}
	for text, part := range map[string]string{
		`7`: "not a JSON object", `{}`: "must be arrays", `{"forbidden_keys":[],"patterns":[]}`: "not both empty", `{"forbidden_keys":[""],"patterns":[]}`: "not empty", `{"forbidden_keys":[],"patterns":[{"re":"x"}]}`: "needs an id",
		`{"forbidden_keys":[],"patterns":[{"id":"x"}]}`: "has no re", `{"forbidden_keys":[],"patterns":[{"id":"x","re":"("}]}`: "missing closing",
	} {
		if _, err := ReadPatterns([]byte(text)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("patterns %s: error %v", text, err)
		}
	}
}

// No finding tells a secret, wherever it stands.
func TestFindingsTellNoSecret(t *testing.T) {
	custom, err := ReadPatterns([]byte(`{"forbidden_keys":["log"],"patterns":[{"id":"house","re":"HOUSE-[0-9]{4}"}]}`))
	must(t, err)
	secret := "HOUSE-" + "1234"
	for _, c := range []struct{ event, pointer string }{
		{eventWith("summary", `"a `+secret+`"`), "/summary"},
		{eventWith("detail", `{"x":{"`+secret+`":1}}`), "/detail/x"},
		{eventWith("detail", `{"`+secret+`":"x"}`), "/detail"},
		{eventWith("detail", `{"a":["HOUSE-\u0031234"]}`), "/detail/a/0"},
		{eventWith("evidence", `[{"ref":"r"},{"ref":"`+secret+`"}]`), "/evidence/1/ref"},
		{eventWith("provenance", `{"source":"x","y":["`+secret+`"]}`), "/provenance/y/0"},
		{eventWith("correlation_id", `"`+secret+`"`), "/correlation_id"},
		{eventWith("idempotency_key", `"`+secret+`"`), "/idempotency_key"},
		{strings.Replace(eventWith("detail", `{"`+secret+`":{"log":"x"}}`), `"s"`, `"`+secret+"\\u0007"+`"`, 1), "/summary"},
		{eventWith("ts", `"`+secret+`"`), ""},
		{eventWith("id", `"`+secret+` x"`), ""},
		{strings.Replace(eventWith("", ""), "{", `{"`+secret+`":1,`, 1), ""},
	} {
		r := judge(t, []byte(c.event+"\n"), Options{Secrets: custom})
		hit := false
		for _, f := range r.Findings {
			if all := fmt.Sprintf("%+v", f); strings.Contains(all, secret) {
				t.Errorf("told: %s", all)
			}
			if f.Rule == "hux.detail.secret-pattern" {
				hit = true
				if f.Pointer != c.pointer || !strings.Contains(f.Found, "pattern house") {
					t.Errorf("%s: %+v", c.event, f)
				}
			}
		}
		if hit != (c.pointer != "") {
			t.Errorf("%s: found %v: %s", c.event, hit, told(r))
		}
	}
	onlyStrings := &Schemas{event: compiledSchema(t, `{"additionalProperties":{"type":"string"}}`)}
	if r := judge(t, []byte(`{"`+secret+`":1}`+"\n"), Options{Secrets: custom, Schemas: onlyStrings}); strings.Contains(fmt.Sprintf("%+v", r.Findings), secret) || !strings.Contains(fmt.Sprintf("%+v", r.Findings), "/[REDACTED]") {
		t.Errorf("told: %+v", r.Findings)
	}
	if r := judge(t, []byte(eventWith("identity", `{"user_id":"`+secret+`"}`)+"\n"), Options{Secrets: custom}); told(r) != "" {
		t.Errorf("identity is not searched: %s", told(r))
	}
}

// Of many findings the first are kept and described, whatever the workers.
func TestManyFindings(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		b.WriteString(strings.Replace(numberedEvent(i), `"s"`, `"\u0007"`, 1) + "\n")
		if i%2 == 0 {
			b.WriteString("{\n")
		}
	}
	for _, workers := range []int{1, 4} {
		r := judge(t, []byte(b.String()), Options{Lines: lines.Options{Workers: workers}})
		counts := map[string]int{}
		for _, f := range r.Findings {
			counts[f.Rule]++
			if f.Found == "" || f.Rule == "hux.line.json" && f.Line > 3*verify.MaxPerRule {
				t.Fatalf("%d workers: %+v", workers, f)
			}
		}
		if counts["hux.summary.control"] != verify.MaxPerRule || counts["hux.line.json"] != verify.MaxPerRule ||
			r.Omitted["hux.summary.control"] != 5000-verify.MaxPerRule || r.Omitted["hux.line.json"] != 2500-verify.MaxPerRule {
			t.Errorf("%d workers: %v, omitted %v", workers, counts, r.Omitted)
		}
	}
}

// What a schema of the user refuses is told in one order.
func TestRefusalsOfUserSchemasAreDeterministic(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "event.schema.json"), []byte(`{"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"anyOf":[{"const":1},{"const":2}]},"d":{"type":"string"}}}`), 0o600))
	s, err := LoadSchemas(dir)
	must(t, err)
	for range 20 {
		r := judge(t, []byte(`{"d":1,"c":3,"b":1,"a":1}`+"\n"), Options{Schemas: s})
		i := slices.IndexFunc(r.Findings, func(f verify.Finding) bool { return f.Rule == "hux.schema.invalid" })
		if i < 0 || r.Findings[i].Pointer != "/a" || !strings.Contains(r.Findings[i].Found, "#/type") {
			t.Fatalf("%+v", r.Findings)
		}
	}
}

func compiledSchema(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	s, err := compile(builtIn([]byte(text)), builtIn([]byte(`{}`)), nil)
	must(t, err)
	return s
}
