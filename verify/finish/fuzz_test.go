package finish_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"finishline/canon"
	"finishline/internal/vectors/rundir"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/finish"
	"finishline/verify/gate"
)

// compared are the documents that the cross-artifact stage and the bindings to
// the journal read.
var compared = []string{
	"run/intake.json", "run/workload-classification.json", "run/route.json", "goal/goal.json", "context/manifest.json", "ai/assurance.json", "domain/assurance.json",
	"evals/results.json", "trajectory/trajectory.json", "waivers/risk-acceptance.json", "foundation/assessment.json", "production/layer-assessment.json", "smoke/smoke_proof.json",
}

// fixtures are the runs of the vectors that all others are made of.
var fixtures = []string{"run-t3", "run-t2", "run-docs"}

// A fuzzRun is one of them on disk, in which one document is changed at a time.
type fuzzRun struct {
	root *evidence.Root
	docs map[string][]byte // what lies there when nothing is changed
}

// fuzzRuns builds the fixtures and gives what the vectors change as seeds.
func fuzzRuns(f *testing.F, kind string, seed func(fixture, document byte, data []byte, c rundir.Case)) []fuzzRun {
	f.Helper()
	var runs []fuzzRun
	cases := rundir.Load(f, "aggregate", kind)
	for _, name := range fixtures {
		plain := cases[0]
		plain.Fields = canon.Build(canon.Member{Name: "fixture", Value: canon.NewString(name)})
		dir := plain.Build(f)
		root, err := evidence.Open(dir)
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { root.Close() })
		runs = append(runs, fuzzRun{root, documentsIn(f, dir)})
	}
	for _, c := range cases {
		base := slices.Index(fixtures, c.Fields.Get("fixture").Text())
		if base < 0 {
			continue
		}
		for name, data := range documentsIn(f, c.Build(f)) {
			if string(data) != string(runs[base].docs[name]) {
				seed(byte(base), byte(slices.Index(compared, name)), data, c)
			}
		}
	}
	return runs
}

func documentsIn(f *testing.F, dir string) map[string][]byte {
	f.Helper()
	docs := map[string][]byte{}
	for _, name := range compared {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err == nil {
			docs[name] = data
		} else if !os.IsNotExist(err) {
			f.Fatal(err)
		}
	}
	return docs
}

// with puts a document into the run for as long as check takes.
func (r fuzzRun) with(t *testing.T, name string, data []byte, check func()) {
	t.Helper()
	file := filepath.Join(r.root.Dir(), filepath.FromSlash(name))
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Skip("this run has no place for such a document")
	}
	defer func() {
		old, was := r.docs[name]
		err := os.Remove(file)
		if was {
			err = os.WriteFile(file, old, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}()
	check()
}

// FuzzAggregate gives the cross-artifact stage any bytes for any one document
// of a run that is otherwise sound. Nothing panics; every finding is of a rule
// of the table and bounded; the answer is the same twice; strict level refuses
// what base level refuses; demanding a known HEAD refuses no less.
func FuzzAggregate(f *testing.F) {
	runs := fuzzRuns(f, "aggregate-binding", func(fixture, document byte, data []byte, _ rundir.Case) { f.Add(fixture, document, data) })
	for i, name := range compared {
		f.Add(byte(0), byte(i), runs[0].docs[name])
		f.Add(byte(0), byte(i), []byte(`{"controls":[null],"packs":{},"layers":[[]]}`))
	}
	now := time.Date(2026, 3, 4, 12, 5, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, fixture, document byte, data []byte) {
		r := runs[int(fixture)%len(runs)]
		r.with(t, compared[int(document)%len(compared)], data, func() {
			compare := func(level verify.Level, head finish.HeadPolicy) *verify.Findings {
				run, err := gate.NewRun(gate.Options{Target: r.root.Fresh(), Level: level, Now: now})
				if err != nil {
					t.Fatal(err)
				}
				defer run.Close()
				return finish.CompareDocuments(run, head)
			}
			base, strict := compare(verify.Base, finish.HeadExpected), compare(verify.Strict, finish.HeadExpected)
			checkFuzzed(t, finish.AggregateTable, base, strict)
			if again := compare(verify.Strict, finish.HeadExpected); describe(again.List()) != describe(strict.List()) {
				t.Fatalf("two answers differ:%s\n%s", describe(strict.List()), describe(again.List()))
			}
			if demanding := compare(verify.Strict, finish.HeadRequired); demanding.Errors() < strict.Errors() {
				t.Fatal("demanding a known HEAD refuses less")
			}
		})
	})
}

// FuzzBindings does the same for the bindings to the journal, with any
// approvals.
func FuzzBindings(f *testing.F) {
	runs := fuzzRuns(f, "finish-binding", func(fixture, document byte, data []byte, c rundir.Case) {
		f.Add(fixture, document, data, canon.Compact(c.Fields.Get("document").Get("approvals")))
	})
	for _, c := range rundir.Load(f, "aggregate", "finish-binding") {
		f.Add(byte(0), byte(slices.Index(compared, "run/route.json")), runs[0].docs["run/route.json"], canon.Compact(c.Fields.Get("document").Get("approvals")))
	}
	f.Fuzz(func(t *testing.T, fixture, document byte, data, approvals []byte) {
		doc, err := canon.Read(approvals, canon.MaxDocument)
		if err != nil {
			return // the journal has been read when its approvals are compared
		}
		r := runs[int(fixture)%len(runs)]
		r.with(t, compared[int(document)%len(compared)], data, func() {
			bind := func(level verify.Level) *verify.Findings {
				out := finish.BindingTable.Collect(level)
				root := r.root.Fresh()
				finish.CheckBindings(out, root, finish.Journal{RunID: "RUN-LANTERN-07", Approvals: doc.Root.Elems()})
				return out
			}
			base, strict := bind(verify.Base), bind(verify.Strict)
			checkFuzzed(t, finish.BindingTable, base, strict)
			if again := bind(verify.Strict); describe(again.List()) != describe(strict.List()) {
				t.Fatalf("two answers differ:%s\n%s", describe(strict.List()), describe(again.List()))
			}
		})
	})
}

func checkFuzzed(t *testing.T, table *verify.Table, base, strict *verify.Findings) {
	t.Helper()
	for _, out := range []*verify.Findings{base, strict} {
		for _, x := range out.List() {
			if _, known := table.Lookup(x.Rule); !known {
				t.Fatalf("rule %s is not in the table", x.Rule)
			}
			if len(x.Found) > verify.MaxText || len(x.Expected) > verify.MaxText {
				t.Fatalf("a finding of %s is too long: %q, %q", x.Rule, x.Found, x.Expected)
			}
			if out.Verdict() == verify.Pass && x.Severity == verify.Error {
				t.Fatalf("a pass with the error %s", x.Rule)
			}
		}
	}
	if strict.Verdict() == verify.Pass && base.Verdict() != verify.Pass {
		t.Fatalf("strict level passes what base level does not:%s", describe(base.List()))
	}
}
