// Package casefile reads conformance vectors of the form "one JSON file per
// case", where a case may name another one as its base and change it by a
// patch. It is imported by tests only.
//
// Start with [Load]. Cases are read with package canon, not with a lenient
// decoder, so that numbers, member order and unpaired surrogates of a subject
// reach the verifier as the file states them.
package casefile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
)

// A Case is one vector after its base was resolved and its patch applied.
type Case struct {
	Name string
	// Fields is the case file itself.
	Fields canon.Value
	// Document is the subject as a value; absent when the case gives its raw
	// text, because the bytes matter.
	Document canon.Value
	// Data is the text of the subject: raw as given, or the document written
	// in its own member order.
	Data   []byte
	Base   vectors.Expect
	Strict vectors.Expect // the expectation at strict level; Base where the file has none
}

// Load reads every case of an area (vectors.Dir), sorted by name, and fails the
// test when there is none.
func Load(t testing.TB, area string) []Case {
	t.Helper()
	return load(t, vectors.Dir(t, area))
}

// Own is [Load] from the project's own testdata, for tests that build on cases
// they know by name.
func Own(t testing.TB, area string) []Case {
	t.Helper()
	return load(t, filepath.Join(vectors.ProjectRoot(), "testdata", "vectors", area))
}

func load(t testing.TB, dir string) []Case {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s holds no case: %v", dir, err)
	}
	fields := map[string]canon.Value{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := canon.Read(data, canon.MaxSubject)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		fields[strings.TrimSuffix(filepath.Base(file), ".json")] = doc.Root
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	cases := make([]Case, len(names))
	for i, name := range names {
		cases[i] = resolve(t, fields, name)
	}
	return cases
}

func resolve(t testing.TB, fields map[string]canon.Value, name string) Case {
	t.Helper()
	f := fields[name]
	c := Case{Name: name, Fields: f, Base: expect(f.Get("expect"))}
	c.Strict = c.Base
	if f.Has("expect_strict") {
		c.Strict = expect(f.Get("expect_strict"))
	}
	if raw, ok := f.Get("raw").Str(); ok {
		c.Data = []byte(canon.UTF8(raw))
		return c
	}
	subject, err := subjectOf(fields, name, 0)
	if err != nil {
		t.Fatalf("case %s: %v", name, err)
	}
	c.Document, c.Data = subject, canon.Compact(subject)
	return c
}

func expect(v canon.Value) vectors.Expect {
	e := vectors.Expect{Valid: v.Get("valid").IsBool(true)}
	for _, r := range v.Get("rules").Elems() {
		e.Rules = append(e.Rules, r.Text())
	}
	return e
}
