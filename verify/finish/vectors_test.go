package finish_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/rundir"
	"finishline/packet/pack"
	"finishline/verify"
	"finishline/verify/catalog"
	"finishline/verify/evidence"
	"finishline/verify/finish"
	"finishline/verify/gate"
)

var levels = []verify.Level{verify.Base, verify.Strict}

func TestVectorsAggregate(t *testing.T) { runAggregate(t, "aggregate") }

func TestVectorsGatesAggregate(t *testing.T) { runAggregate(t, "gates") }

func runAggregate(t *testing.T, area string) {
	tally := vectors.NewTally(t, area+" (aggregate)")
	for _, c := range rundir.Load(t, area, "aggregate") {
		tally.Case(c.Name, func(t *testing.T) {
			dir := c.Build(t)
			for _, level := range levels {
				checkAggregate(t, dir, c, level)
			}
		})
	}
}

func checkAggregate(t *testing.T, dir string, c rundir.Case, level verify.Level) {
	t.Helper()
	want := expected(c, level)
	a, err := finish.RunAggregate(context.Background(), newRun(t, dir, c.Args, level), finish.AggregateOptions{
		AcceptNotEvaluated: textsOf(c.Args.Get("acceptNotEvaluated")),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := verify.RuleIDs(a.Findings.List(), verify.Error); !vectors.SameRules(got, textsOf(want.Get("rules"))) {
		t.Errorf("%s: rules %q, want %q%s", level, got, textsOf(want.Get("rules")), describe(a.Findings.List()))
	}
	if valid := a.Verdict() == verify.Pass; valid != want.Get("valid").IsBool(true) {
		t.Errorf("%s: verdict %s, want valid %t", level, a.Verdict(), want.Get("valid").IsBool(true))
	}
	if got, failed := a.Failed(), textsOf(want.Get("failedGates")); !slices.Equal(got, failed) {
		t.Errorf("%s: failed gates %q, want %q%s", level, got, failed, describe(a.Findings.List()))
	}
	if n, _ := want.Get("gateCount").Num(); len(a.Gates) != int(n) {
		t.Errorf("%s: %d gates, want %v", level, len(a.Gates), n)
	}
	open := []string{"skill-registry"} // area aggregate: its README
	if want.Has("notEvaluated") {
		open = textsOf(want.Get("notEvaluated"))
	}
	var got []string
	for _, n := range a.NotEvaluated {
		got = append(got, n.Gate)
	}
	if !slices.Equal(got, open) {
		t.Errorf("%s: not evaluated %q, want %q", level, got, open)
	}
}

func TestVectorsAggregateBinding(t *testing.T) {
	tally := vectors.NewTally(t, "aggregate (aggregate-binding)")
	for _, c := range rundir.Load(t, "aggregate", "aggregate-binding") {
		tally.Case(c.Name, func(t *testing.T) {
			dir := c.Build(t)
			for _, level := range levels {
				checkSet(t, c, level, finish.CompareDocuments(newRun(t, dir, c.Args, level), finish.HeadExpected))
			}
		})
	}
}

func TestVectorsFinishBinding(t *testing.T) {
	tally := vectors.NewTally(t, "aggregate (finish-binding)")
	for _, c := range rundir.Load(t, "aggregate", "finish-binding") {
		tally.Case(c.Name, func(t *testing.T) {
			root, err := evidence.Open(c.Build(t))
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			for _, level := range levels {
				out := finish.BindingTable.Collect(level)
				finish.CheckBindings(out, root, finish.Journal{
					RunID: c.Args.Get("runId").Text(), Approvals: c.Fields.Get("document").Get("approvals").Elems()})
				checkSet(t, c, level, out)
			}
		})
	}
}

func checkSet(t *testing.T, c rundir.Case, level verify.Level, out *verify.Findings) {
	t.Helper()
	want := c.Expect(level == verify.Strict)
	if got := verify.RuleIDs(out.List(), verify.Error); !vectors.SameRules(got, want.Rules) {
		t.Errorf("%s: rules %q, want %q%s", level, got, want.Rules, describe(out.List()))
	}
	if valid := out.Verdict() == verify.Pass; valid != want.Valid {
		t.Errorf("%s: verdict %s, want valid %t", level, out.Verdict(), want.Valid)
	}
}

func expected(c rundir.Case, level verify.Level) canon.Value {
	if level == verify.Strict && c.Fields.Has("expect_strict") {
		return c.Fields.Get("expect_strict")
	}
	return c.Fields.Get("expect")
}

func textsOf(list canon.Value) (texts []string) {
	for _, e := range list.Elems() {
		texts = append(texts, e.Text())
	}
	return texts
}

func describe(list []verify.Finding) (text string) {
	for _, f := range list {
		text += "\n  " + f.Rule + " " + f.Artifact + f.Pointer + ": found " + f.Found + ", expected " + f.Expected
		if len(f.Causes) > 0 {
			text += describe(f.Causes)
		}
	}
	return text
}

// newRun prepares a run as a case's args say. Its directory lies in no
// repository; what is checked out comes from the args alone.
func newRun(t testing.TB, dir string, args canon.Value, level verify.Level) *gate.Run {
	t.Helper()
	root, err := evidence.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	named := ""
	if p, ok := args.Get("pack").Str(); ok {
		named = filepath.Join(dir, filepath.FromSlash(p))
	}
	selected, err := pack.Select(root, named)
	if err != nil {
		t.Fatal(err)
	}
	now, ok := canon.TimestampOf(args.Get("now"))
	if !ok {
		t.Fatalf("no clock: %s", verify.Show(args.Get("now")))
	}
	run, err := gate.NewRun(gate.Options{
		Target: root, Pack: gate.Pack{Dir: selected.Dir, Present: selected.Present}, Level: level,
		Catalogs: givenCatalogs{args.Get("catalogs")}, Head: args.Get("head").Text(), Now: time.UnixMilli(now),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	return run
}

// givenCatalogs are the catalogs of a case: intact unless it says otherwise.
type givenCatalogs struct{ state canon.Value }

func (g givenCatalogs) Catalog(path string) (gate.CatalogDigests, error) {
	switch {
	case !slices.Contains(catalog.Paths(), path):
		return gate.CatalogDigests{}, errors.New("no catalog of the format")
	case !g.state.Has(path):
		return gate.CatalogDigests{Semantic: catalog.HouseDigest(path)}, nil
	case g.state.Get(path).Is("altered"):
		return gate.CatalogDigests{Semantic: canon.TextDigest("altered")}, nil
	}
	return gate.CatalogDigests{}, errors.New("no such file")
}
