package harness

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"finishline/internal/vectors"
	"finishline/verify"

	"github.com/google/go-cmp/cmp"
)

// A vector is a case of the area harness-journal. The input is read with exact
// numbers.
type vector struct {
	Case   string
	Kind   string
	Args   []string
	File   string
	Text   *string
	Base64 *string
	Base   string
	Patch  []struct {
		Op, Path string
		Value    json.RawMessage
	}
	Records []json.RawMessage
	Entries []struct {
		Payload json.RawMessage
		Valid   bool
	}
	Expect struct {
		Valid                  bool
		Rules, Warnings, Notes []string
		Findings               []spot
	}
	dir string
}

type spot struct {
	Rule, Severity string
	Line           int
}

func loadVectors(t testing.TB) []vector {
	t.Helper()
	dir := vectors.Dir(t, "harness-journal")
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	nested, _ := filepath.Glob(filepath.Join(dir, "*", "case.json"))
	var list []vector
	for _, file := range append(files, nested...) {
		v := vector{dir: filepath.Dir(file)}
		vectors.Read(t, file, &v)
		list = append(list, v)
	}
	return list
}

// input is the journal of a case.
func (v *vector) input(t testing.TB) []byte {
	t.Helper()
	switch {
	case v.File != "":
		return read(t, filepath.Join(v.dir, v.File))
	case v.Text != nil:
		return []byte(*v.Text)
	case v.Base64 != nil:
		data, err := base64.StdEncoding.DecodeString(*v.Base64)
		if err != nil {
			t.Fatal(err)
		}
		return data
	case v.Base != "":
		var records []any
		for _, line := range bytes.Split(bytes.TrimSpace(read(t, filepath.Join(v.dir, v.Base, "events.ndjson"))), []byte("\n")) {
			records = append(records, decode(t, line))
		}
		doc := any(map[string]any{"records": records})
		for _, op := range v.Patch {
			var value any
			if op.Value != nil {
				value = decode(t, op.Value)
			}
			doc = patch(t, doc, strings.Split(op.Path, "/")[1:], op.Op, value)
		}
		return encode(t, doc.(map[string]any)["records"].([]any))
	}
	var out bytes.Buffer
	for _, r := range v.Records {
		if err := json.Compact(&out, r); err != nil {
			t.Fatal(err)
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t testing.TB, data []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func encode(t testing.TB, records []any) []byte {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	for _, r := range records {
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// patch applies one RFC 6902 operation: add, replace or remove.
func patch(t testing.TB, doc any, path []string, op string, value any) any {
	t.Helper()
	name, last := path[0], len(path) == 1
	switch doc := doc.(type) {
	case map[string]any:
		switch {
		case !last:
			doc[name] = patch(t, doc[name], path[1:], op, value)
		case op == "remove":
			delete(doc, name)
		default:
			doc[name] = value
		}
		return doc
	case []any:
		i := len(doc)
		if name != "-" {
			n, err := strconv.Atoi(name)
			if err != nil {
				t.Fatal(err)
			}
			i = n
		}
		switch {
		case !last:
			doc[i] = patch(t, doc[i], path[1:], op, value)
		case op == "remove":
			return slices.Delete(doc, i, i+1)
		case op == "add":
			return slices.Insert(doc, i, value)
		default:
			doc[i] = value
		}
		return doc
	}
	t.Fatalf("nothing to patch at %s", name)
	return nil
}

// options reads the arguments of a case.
func (v *vector) options(t testing.TB) Options {
	t.Helper()
	o := Options{Path: "events.ndjson"}
	for i := 0; i < len(v.Args); i++ {
		next := func() *string { i++; return &v.Args[i] }
		switch v.Args[i] {
		case "--payload-pointer":
			o.Payload = *next()
		case "--seq-pointer":
			o.Seq = next()
		case "--ts-pointer":
			o.Timestamp = next()
		case "--prev-hash-pointer":
			o.PrevHash = next()
		case "--max-line-bytes":
			n, err := strconv.Atoi(*next())
			if err != nil {
				t.Fatal(err)
			}
			o.MaxLine = n
		case "--strict-tail":
			o.Demand |= StrictTail
		case "--require-terminal":
			o.Demand |= Terminal
		case "--run-dir":
			o.RunDir = filepath.Join(v.dir, *next())
		default:
			t.Fatalf("argument %s", v.Args[i])
		}
	}
	return o
}

func places(r *Result) []spot {
	list := []spot{}
	for _, f := range r.Findings.List() {
		list = append(list, spot{f.Rule, f.Severity.String(), f.Line})
	}
	return list
}

func TestVectors(t *testing.T) {
	tally := vectors.NewTally(t, "harness-journal")
	for _, v := range loadVectors(t) {
		if v.Kind == "harness-journal-schema" {
			for i, e := range v.Entries {
				tally.Case(fmt.Sprintf("%s-%d", v.Case, i), func(t *testing.T) {
					r := verifyBytes(t, append(bytes.Clone(e.Payload), '\n'), Options{})
					if got := !hasRule(r, "harness.schema."); got != e.Valid {
						t.Errorf("%s: valid %v, want %v: %+v", e.Payload, got, e.Valid, r.Findings.List())
					}
				})
			}
			continue
		}
		tally.Case(v.Case, func(t *testing.T) {
			r := verifyBytes(t, v.input(t), v.options(t))
			if d := cmp.Diff(v.Expect.Findings, places(r)); d != "" {
				t.Errorf("findings (-want +got):\n%s%+v", d, r.Findings.List())
			}
			list := r.Findings.List()
			if r.Valid() != v.Expect.Valid || !vectors.SameRules(verify.RuleIDs(list, verify.Error), v.Expect.Rules) ||
				!vectors.SameRules(verify.RuleIDs(list, verify.Warning), v.Expect.Warnings) || !vectors.SameRules(verify.RuleIDs(list, verify.Note), v.Expect.Notes) {
				t.Errorf("valid %v with %+v, want %+v", r.Valid(), places(r), v.Expect)
			}
		})
	}
}

func hasRule(r *Result, prefix string) bool {
	return slices.ContainsFunc(r.Findings.List(), func(f verify.Finding) bool { return strings.HasPrefix(f.Rule, prefix) })
}

func verifyBytes(t testing.TB, data []byte, o Options) *Result {
	t.Helper()
	r, err := Verify(context.Background(), bytes.NewReader(data), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
