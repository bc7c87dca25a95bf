package hux

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"finishline/internal/vectors"
	"finishline/verify"
)

// A vectorCase is a case file of area hux (README-journals-bridge.md).
type vectorCase struct {
	Case    string
	Args    []string
	File    string
	Records []json.RawMessage
	Base    string
	Patch   []patchOperation
	Text    *string
	Base64  *string
	Files   map[string]json.RawMessage
	Expect  struct {
		Valid                  bool
		Rules, Warnings, Notes []string
		Findings               []vectorFinding
	}
}

type patchOperation struct {
	Op, Path string
	Value    json.RawMessage
}

type vectorFinding struct {
	Rule     string
	Line     int
	Severity string
}

func caseFiles(t testing.TB, dir string) []string {
	t.Helper()
	single, err := filepath.Glob(filepath.Join(dir, "*.json"))
	must(t, err)
	folders, err := filepath.Glob(filepath.Join(dir, "*", "case.json"))
	must(t, err)
	return append(single, folders...)
}

// input builds the bytes of the case's stream.
func (c *vectorCase) input(t testing.TB, dir string) []byte {
	t.Helper()
	switch {
	case c.Text != nil:
		return []byte(*c.Text)
	case c.Base64 != nil:
		data, err := base64.StdEncoding.DecodeString(*c.Base64)
		must(t, err)
		return data
	case c.File != "":
		return readFile(t, filepath.Join(dir, c.File))
	case c.Base != "":
		base := readFile(t, filepath.Join(vectors.Dir(t, "hux"), c.Base, "events.ndjson"))
		return writeLines(patched(t, bytes.Split(bytes.TrimSuffix(base, []byte("\n")), []byte("\n")), c.Patch))
	}
	var records [][]byte
	for _, r := range c.Records {
		records = append(records, r)
	}
	return writeLines(records)
}

func writeLines(records [][]byte) []byte {
	var b bytes.Buffer
	for _, r := range records {
		if err := json.Compact(&b, r); err != nil {
			panic(err)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	return data
}

// patched applies the RFC 6902 operations that the cases use, to the exact
// texts of the events.
func patched(t testing.TB, events [][]byte, patch []patchOperation) [][]byte {
	t.Helper()
	for _, p := range patch {
		steps := strings.Split(strings.TrimPrefix(p.Path, "/events/"), "/")
		if len(steps) == 1 {
			events = patchList(t, events, p, steps[0])
			continue
		}
		i := index(t, steps[0], len(events))
		events[i] = patchValue(t, events[i], p, steps[1:])
	}
	return events
}

func index(t testing.TB, step string, length int) int {
	t.Helper()
	if step == "-" {
		return length
	}
	var i int
	if err := json.Unmarshal([]byte(step), &i); err != nil || i > length {
		t.Fatalf("index %q of %d", step, length)
	}
	return i
}

func patchList(t testing.TB, list [][]byte, p patchOperation, step string) [][]byte {
	t.Helper()
	i := index(t, step, len(list))
	switch p.Op {
	case "add":
		return slices.Insert(list, i, []byte(p.Value))
	case "remove":
		return slices.Delete(list, i, i+1)
	case "replace":
		list[i] = p.Value
		return list
	}
	t.Fatalf("unknown operation %q", p.Op)
	return nil
}

func patchValue(t testing.TB, text []byte, p patchOperation, steps []string) []byte {
	t.Helper()
	name := strings.ReplaceAll(strings.ReplaceAll(steps[0], "~1", "/"), "~0", "~")
	if text[0] == '[' {
		var list []json.RawMessage
		must(t, json.Unmarshal(text, &list))
		var raw [][]byte
		for _, x := range list {
			raw = append(raw, x)
		}
		if len(steps) == 1 {
			raw = patchList(t, raw, p, name)
		} else {
			i := index(t, name, len(raw))
			raw[i] = patchValue(t, raw[i], p, steps[1:])
		}
		return append(append([]byte("["), bytes.Join(raw, []byte(","))...), ']')
	}
	var members map[string]json.RawMessage
	must(t, json.Unmarshal(text, &members))
	switch {
	case len(steps) > 1:
		members[name] = patchValue(t, members[name], p, steps[1:])
	case p.Op == "remove":
		delete(members, name)
	default:
		members[name] = p.Value
	}
	out, err := json.Marshal(members)
	must(t, err)
	return out
}

// A tester is a *testing.T, a benchmark or a *rapid.T.
type tester interface {
	Helper()
	Fatal(args ...any)
}

func must(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// options reads the arguments of a case, as the command line does.
func (c *vectorCase) options(t testing.TB) (Options, *UnresolvedError) {
	t.Helper()
	dir := t.TempDir()
	for name, doc := range c.Files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, doc, 0o600))
	}
	o := Options{Name: "events.ndjson"}
	for i := 0; i < len(c.Args); i++ {
		value := func() string { i++; return c.Args[i] }
		var err error
		switch c.Args[i] {
		case "--schema-dir":
			o.Schemas, err = LoadSchemas(filepath.Join(dir, value()))
			var unresolved *UnresolvedError
			if errors.As(err, &unresolved) {
				return o, unresolved
			}
		case "--allowlist":
			if name := value(); name != "hux-detail-allowlist.json" {
				t.Fatalf("unknown allowlist %s", name)
			}
			o.Allowlist, err = ReadAllowlist(companionAllowlist)
		case "--after-seq":
			o.After, err = ParseAfter(value())
		case "--conversation":
			o.Conversation = value()
		case "--require-closed":
			o.Demand |= Closed
		default:
			t.Fatalf("unknown argument %s", c.Args[i])
		}
		must(t, err)
	}
	return o, nil
}

func TestVectorsHUX(t *testing.T) {
	dir := vectors.Dir(t, "hux")
	for _, level := range []verify.Level{verify.Base, verify.Strict} {
		tally := vectors.NewTally(t, "hux")
		for _, file := range caseFiles(t, dir) {
			var c vectorCase
			vectors.Read(t, file, &c)
			tally.Case(c.Case+"/"+level.String(), func(t *testing.T) { checkVector(t, &c, filepath.Dir(file), level) })
		}
	}
}

func checkVector(t *testing.T, c *vectorCase, dir string, level verify.Level) {
	o, unresolved := c.options(t)
	o.Level = level
	var r *Result
	if unresolved != nil {
		r = Unresolved(unresolved, o)
	} else {
		r = judge(t, c.input(t, dir), o)
	}
	if valid := verify.Fold(r.Findings) == verify.Pass; valid != c.Expect.Valid {
		t.Errorf("valid: got %v, want %v", valid, c.Expect.Valid)
	}
	for severity, want := range map[verify.Severity][]string{
		verify.Error: c.Expect.Rules, verify.Warning: c.Expect.Warnings, verify.Note: c.Expect.Notes,
	} {
		if got := verify.RuleIDs(r.Findings, severity); !vectors.SameRules(got, want) {
			t.Errorf("%s: got %q, want %q", severity, got, want)
		}
	}
	var got []vectorFinding
	for _, f := range r.Findings {
		got = append(got, vectorFinding{f.Rule, f.Line, f.Severity.String()})
		if f.Found == "" || f.Expected == "" || f.Hint == "" {
			t.Errorf("a finding does not say what it should: %+v", f)
		}
	}
	if d := cmp.Diff(c.Expect.Findings, got); d != "" {
		t.Errorf("findings (-want +got):\n%s", d)
	}
}

func judge(t tester, data []byte, o Options) *Result {
	t.Helper()
	r, err := Verify(context.Background(), bytes.NewReader(data), o)
	must(t, err)
	return r
}
