package readiness_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors/rundir"
	"finishline/verify"
	"finishline/verify/readiness"
)

// seeds adds what the vectors of an area make of a file.
func seeds(f *testing.F, area, file string) {
	for _, c := range rundir.Load(f, area) {
		changed := c.Fields.Get("files").Has(file) || c.Fields.Get("patches").Has(file) || c.Fields.Has("patch") && c.Fields.Get("target").Is(file)
		if !changed {
			continue
		}
		if data, err := os.ReadFile(filepath.Join(c.Build(f), file)); err == nil {
			f.Add(data)
		}
	}
}

// fuzzed judges one input at both levels and demands what holds for every
// input: only registered rules fire, with bounded texts; the same input gives
// the same findings again; strict level refuses whatever base level refuses;
// the overview is the same twice.
func fuzzed(t *testing.T, s *scene, in readiness.Input) {
	t.Helper()
	verdicts := map[verify.Level]verify.Verdict{}
	var doc canon.Value
	for _, level := range levels {
		in.Level = level
		o := s.judge(t, in)
		for _, f := range o.Findings.List() {
			if _, known := readiness.Table.Lookup(f.Rule); !known {
				t.Fatalf("rule %s is not in the table", f.Rule)
			}
			if len(f.Found) > verify.MaxText || len(f.Expected) > verify.MaxText || len(f.Hint) > verify.MaxText {
				t.Fatalf("a finding of %s is too long: %q, %q, %q", f.Rule, f.Found, f.Expected, f.Hint)
			}
		}
		if again := s.judge(t, in); describe(again) != describe(o) {
			t.Fatalf("two judgements differ:\n%s\n%s", describe(o), describe(again))
		}
		if verdicts[level] = o.Verdict(); o.Verdict() == verify.Pass {
			passed(t, o)
		}
		doc = o.Document
	}
	if verdicts[verify.Strict] == verify.Pass && verdicts[verify.Base] != verify.Pass {
		t.Fatal("strict level passes what base level does not")
	}
	overviewed(t, s, doc) // last: it writes another assessment
}

// passed demands of an assessment that passed what no assessment may pass
// without.
func passed(t *testing.T, o *readiness.Outcome) {
	t.Helper()
	r := o.Result
	if len(r.Layers) != readiness.LayerCount || r.LayerCount != readiness.LayerCount || len(r.Blocking) > 0 || r.PassedLayers+r.SkippedLayers != readiness.LayerCount {
		t.Fatalf("a pass with %+v", r)
	}
	if !r.Legacy && (r.Schema != readiness.Schema || r.PassedLayers == 0) {
		t.Fatalf("a pass with %+v", r)
	}
}

func overviewed(t *testing.T, s *scene, doc canon.Value) {
	t.Helper()
	docs := readiness.Documents{Assessment: doc, Classification: s.cls, Waivers: doc, Route: doc}
	o, err := readiness.Status(docs, 1772625600000)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Layers) != readiness.LayerCount {
		t.Fatalf("an overview of %d layers", len(o.Layers))
	}
	if v, err := readiness.Migrate(doc, nil); err == nil {
		if o := s.document(t, v, verify.Base); o.Verdict() != verify.Fail {
			t.Fatal("a migrated skeleton passes")
		}
	}
}

// FuzzAssessment fuzzes a current assessment in a run whose classification it
// is bound to.
func FuzzAssessment(f *testing.F) {
	s := current(f, "t0-prototype")
	seeds(f, "readiness-v2", assessmentFile)
	text := canon.Compact(s.doc)
	f.Add(text)
	for _, old := range []string{`"passed"`, `"required"`, `"skipped"`, `[`, `{`, `0`} {
		f.Add(bytes.Replace(text, []byte(old), []byte("null"), 2))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s.write(t, assessmentFile, string(data))
		fuzzed(t, s, readiness.Input{})
	})
}

// FuzzHistorical fuzzes a historical assessment.
func FuzzHistorical(f *testing.F) {
	s := historical(f)
	seeds(f, "readiness-v1", assessmentFile)
	f.Add(canon.Compact(s.doc))
	f.Fuzz(func(t *testing.T, data []byte) {
		s.write(t, assessmentFile, string(data))
		fuzzed(t, s, readiness.Input{Legacy: readiness.LegacyAllowed})
	})
}

// FuzzCatalog fuzzes a supplied catalog for an assessment that passes with the
// embedded one: it passes only with a catalog of the same structure.
func FuzzCatalog(f *testing.F) {
	s := current(f, "t1-catalog")
	seeds(f, "readiness-v2", catalogFile)
	good := s.read(f, catalogFile)
	f.Add(canon.Compact(good))
	f.Fuzz(func(t *testing.T, data []byte) {
		s.write(t, catalogFile, string(data))
		s.write(t, assessmentFile, string(canon.Compact(s.doc)))
		fuzzed(t, s, readiness.Input{Catalog: catalogFile})
		if o := s.judge(t, readiness.Input{Catalog: catalogFile, Level: verify.Base}); o.Verdict() == verify.Pass {
			if got, want := structure(s.read(t, catalogFile)), structure(good); got != want {
				t.Fatalf("a catalog of another structure passes:\n%s\n%s", got, want)
			}
		}
	})
}

// structure writes down what identifies a catalog (section 2).
func structure(v canon.Value) string {
	var b bytes.Buffer
	for _, l := range v.Get("layers").Elems() {
		b.Write(canon.Compact(canon.Pick(l, "layer", "dependencies", "conditionalDependencies")))
		for _, c := range l.Get("capabilities").Elems() {
			b.Write(canon.Compact(c.Get("id")))
		}
		for _, c := range l.Get("controls").Elems() {
			b.Write(canon.Compact(canon.Build(
				canon.Member{Name: "id", Value: c.Get("id")}, canon.Member{Name: "capability", Value: c.Get("capability")},
				canon.Member{Name: "types", Value: c.Get("proofPolicy").Get("types")})))
		}
	}
	return b.String()
}
