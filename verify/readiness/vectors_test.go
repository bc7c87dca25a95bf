package readiness_test

import (
	"context"
	"testing"

	"finishline/internal/vectors"
	"finishline/internal/vectors/rundir"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/readiness"
)

var levels = []verify.Level{verify.Base, verify.Strict}

func TestVectorsV2(t *testing.T) { runVectors(t, "readiness-v2") }

func TestVectorsV1(t *testing.T) { runVectors(t, "readiness-v1") }

func runVectors(t *testing.T, area string) {
	tally := vectors.NewTally(t, area)
	for _, c := range rundir.Load(t, area) {
		tally.Case(c.Name, func(t *testing.T) {
			root := open(t, c.Build(t))
			for _, level := range levels {
				check(t, level, judge(t, root, c, level), c.Expect(level == verify.Strict))
			}
		})
	}
}

func open(t testing.TB, dir string) *evidence.Root {
	t.Helper()
	root, err := evidence.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// judge verifies as the kind and the args of a case say.
func judge(t testing.TB, root *evidence.Root, c rundir.Case, level verify.Level) *readiness.Outcome {
	t.Helper()
	in := readiness.Input{Root: root, Path: c.Fields.Get("target").Text(), Catalog: c.Args.Get("catalog").Text(), Level: level}
	if c.Args.Get("allowLegacy").IsBool(true) {
		in.Legacy = readiness.LegacyAllowed
	}
	var o *readiness.Outcome
	var err error
	switch c.Kind {
	case "readiness":
		o, err = readiness.Verify(context.Background(), in)
	case "readiness-bridge":
		o, err = readiness.AtBridge(context.Background(), in, c.Args.Get("adapterSchema").Text())
	default:
		t.Fatalf("unknown kind %q", c.Kind)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func check(t *testing.T, level verify.Level, o *readiness.Outcome, want vectors.Expect) {
	t.Helper()
	if got := errorIDs(o); !vectors.SameRules(got, want.Rules) {
		t.Errorf("%s: rules %q, want %q\n%s", level, got, want.Rules, describe(o))
	}
	if valid := o.Verdict() == verify.Pass; valid != want.Valid {
		t.Errorf("%s: verdict %s, want valid %t", level, o.Verdict(), want.Valid)
	}
}

func errorIDs(o *readiness.Outcome) []string { return verify.RuleIDs(o.Findings.List(), verify.Error) }

func describe(o *readiness.Outcome) (text string) {
	for _, f := range o.Findings.List() {
		text += "  " + f.Rule + " " + f.Artifact + f.Pointer + ": found " + f.Found + ", expected " + f.Expected + "\n"
	}
	return text
}
