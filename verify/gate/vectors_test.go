package gate_test

import (
	"context"
	"errors"
	"os"
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
	"finishline/verify/gate"
)

// notHere are the gates of the vectors that this package does not have yet. A
// name that is neither here nor a gate fails.
var notHere = []string{}

// kindsNotHere are the kinds of cases that another test runs.
var kindsNotHere = []string{"aggregate"}

var levels = []verify.Level{verify.Base, verify.Strict}

func runVectors(t *testing.T, fired map[string]bool) {
	tally := vectors.NewTally(t, "gates")
	skipped := 0
	for _, c := range gateCases(t) {
		name := c.Args.Get("gate").Text()
		switch {
		case slices.Contains(kindsNotHere, c.Kind), c.Kind == "gate" && slices.Contains(notHere, name):
			skipped++
			continue
		case c.Kind != "gate":
			t.Errorf("%s: unknown kind %q", c.Name, c.Kind)
			continue
		}
		tally.Case(c.Name, func(t *testing.T) { checkCase(t, c, name, fired) })
	}
	if skipped > 0 {
		t.Logf("vectors: gates: %d cases of other tests' gates and kinds", skipped)
	}
}

func TestNotHereIsNotHere(t *testing.T) {
	for _, name := range notHere {
		if _, ok := gate.Find(name); ok {
			t.Errorf("gate %s is here, and its vectors are skipped", name)
		}
	}
}

// checkCase holds a gate against a case at both levels, and notes the rules
// that fired.
func checkCase(t *testing.T, c rundir.Case, name string, fired map[string]bool) {
	g, ok := gate.Find(name)
	if !ok {
		t.Fatalf("no gate is named %q", name)
	}
	dir := c.Build(t)
	for _, level := range levels {
		result := g.Validate(context.Background(), newRun(t, dir, c.Args, level))
		checkResult(t, level, result, c.Expect(level == verify.Strict))
		for _, f := range result.Findings.List() {
			fired[f.Rule] = true
		}
		if got, want := skippedGates(result), notEvaluated(c, level); !slices.Equal(got, want) {
			t.Errorf("%s: not evaluated %q, want %q", level, got, want)
		}
	}
}

func checkResult(t *testing.T, level verify.Level, result gate.Result, want vectors.Expect) {
	t.Helper()
	if got := verify.RuleIDs(result.Findings.List(), verify.Error); !vectors.SameRules(got, want.Rules) {
		t.Errorf("%s: rules %q, want %q\n%s", level, got, want.Rules, describe(result))
	}
	if valid := result.Verdict() == verify.Pass; valid != want.Valid {
		t.Errorf("%s: verdict %s, want valid %t", level, result.Verdict(), want.Valid)
	}
}

func describe(result gate.Result) (text string) {
	for _, f := range result.Findings.List() {
		text += "  " + f.Rule + " " + f.Artifact + f.Pointer + ": found " + f.Found + ", expected " + f.Expected + "\n"
	}
	return text
}

func skippedGates(result gate.Result) (names []string) {
	for _, n := range result.NotEvaluated {
		names = append(names, n.Gate)
	}
	return names
}

func notEvaluated(c rundir.Case, level verify.Level) (names []string) {
	expect := c.Fields.Get("expect")
	if level == verify.Strict && c.Fields.Has("expect_strict") {
		expect = c.Fields.Get("expect_strict")
	}
	for _, n := range expect.Get("notEvaluated").Elems() {
		names = append(names, n.Text())
	}
	return names
}

// newRun prepares a run as a case's args say.
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
	opt := gate.Options{
		Target: root, Pack: gate.Pack{Dir: selected.Dir, Present: selected.Present},
		Catalogs: givenCatalogs{args.Get("catalogs")}, Head: args.Get("head").Text(), Level: level,
	}
	if ms, ok := canon.TimestampOf(args.Get("now")); ok {
		opt.Now = time.UnixMilli(ms)
	}
	if args.Get("mode").Is("active") {
		opt.Mode = gate.Active
	}
	run, err := gate.NewRun(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	return run
}

// givenCatalogs are the catalogs of a case: intact unless it says otherwise.
type givenCatalogs struct{ state canon.Value }

func (g givenCatalogs) Catalog(path string) (gate.CatalogDigests, error) {
	if !slices.Contains(catalog.Paths(), path) {
		return gate.CatalogDigests{}, errors.New("no catalog of the format")
	}
	switch {
	case !g.state.Has(path):
		return gate.CatalogDigests{Semantic: catalog.HouseDigest(path)}, nil
	case g.state.Get(path).Is("altered"):
		return gate.CatalogDigests{Semantic: canon.TextDigest("altered")}, nil
	}
	return gate.CatalogDigests{}, errors.New("no such file")
}

// The area packet has cases of the intake gate on a document alone.
func TestVectorsPacketIntake(t *testing.T) {
	tally := vectors.NewTally(t, "packet (intake)")
	g, _ := gate.Find("intake")
	for _, c := range rundir.Load(t, "packet", "intake") {
		tally.Case(c.Name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "run/intake.json", string(canon.Compact(c.Fields.Get("document"))))
			for _, level := range levels {
				result := g.Validate(context.Background(), newRun(t, dir, canon.Value{}, level))
				checkResult(t, level, result, c.Expect(level == verify.Strict))
			}
		})
	}
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
