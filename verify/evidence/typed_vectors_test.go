package evidence_test

import (
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/rundir"
	"finishline/verify"
	"finishline/verify/evidence"
)

var typedTable = verify.NewTable("test", nil, evidence.Typed, evidence.Waivers, evidence.Table)

var levels = map[string]verify.Level{"base": verify.Base, "strict": verify.Strict}

func TestVectorsEvidence(t *testing.T) { runVectors(t, "evidence") }

func TestVectorsWaivers(t *testing.T) { runVectors(t, "waivers") }

func runVectors(t *testing.T, area string) {
	tally := vectors.NewTally(t, area)
	for _, c := range rundir.Load(t, area) {
		tally.Case(c.Name, func(t *testing.T) {
			root := openRoot(t, c.Build(t))
			for name, level := range levels {
				out := typedTable.Collect(level)
				evaluate(t, out, root, c)
				check(t, name, out, c.Expect(level == verify.Strict))
			}
		})
	}
}

func openRoot(t testing.TB, dir string) *evidence.Root {
	t.Helper()
	root, err := evidence.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func check(t *testing.T, level string, out *verify.Findings, want vectors.Expect) {
	t.Helper()
	got := verify.RuleIDs(out.List(), verify.Error)
	if !vectors.SameRules(got, want.Rules) {
		t.Errorf("%s: rules %q, want %q", level, got, want.Rules)
	}
	if valid := out.Verdict() == verify.Pass; valid != want.Valid {
		t.Errorf("%s: valid %t, want %t", level, valid, want.Valid)
	}
}

func evaluate(t *testing.T, out *verify.Findings, root *evidence.Root, c rundir.Case) {
	t.Helper()
	document := canon.Node{Value: c.Fields.Get("document")}
	switch c.Kind {
	case "typed-evidence":
		evidence.CheckItem(out, contextOf(root, c.Args), document)
	case "control":
		evidence.CheckControl(out, contextOf(root, c.Args), document)
	case "waiver-ledger":
		evidence.CheckWaivers(out, "ledger.json", document, evidence.WaiverOptions{Now: c.Args.Get("now")})
	case "waiver-file":
		evidence.VerifyWaivers(out, root, c.Fields.Get("target").Text(), evidence.WaiverOptions{})
	case "waiver-correlation":
		evidence.CorrelateWaivers(out, "ledger.json", document.At("waivers"), document.Get("approvals").Elems())
	default:
		t.Fatalf("unknown kind %q", c.Kind)
	}
}

func contextOf(root *evidence.Root, args canon.Value) evidence.Context {
	ctx := evidence.Context{
		Root: root, Artifact: "document.json",
		Profile: args.Get("profile").Text(), MinimumTrust: args.Get("minimumTechnicalTrust").Text(),
		AsOf: args.Get("asOf"), RunID: args.Get("runId"), Commit: args.Get("commit"), Environment: args.Get("environment"),
		Subject: evidence.Trimmed(args.Get("subject")), Skip: evidence.SkipAllowed,
	}
	if args.Get("allowSkipped").IsBool(false) {
		ctx.Skip = evidence.SkipForbidden
	}
	return ctx
}
