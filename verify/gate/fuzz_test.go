package gate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// fuzzGate fuzzes the document of one gate inside an otherwise valid run. For
// every document: no panic; every finding is of a rule that the gate's table
// knows and is bounded; two judgements of one document are the same; strict
// level refuses what base level refuses.
func fuzzGate(f *testing.F, name, fixture string) {
	g, ok := gate.Find(name)
	if !ok {
		f.Fatalf("no gate is named %q", name)
	}
	dir := f.TempDir()
	packed := name == "skill-registry"
	for _, c := range gateCases(f) {
		if c.Name == fixture {
			if err := os.CopyFS(dir, os.DirFS(c.Build(f))); err != nil {
				f.Fatal(err)
			}
		}
		if c.Args.Get("gate").Text() == name { // what the vectors change is worth starting from
			for _, m := range c.Fields.Get("files").Members() {
				if m.Name == g.Artifact {
					f.Add([]byte(m.Value.Text()))
				}
			}
		}
	}
	file := filepath.Join(dir, filepath.FromSlash(g.Artifact))
	valid, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(valid)
	f.Add([]byte(strings.ReplaceAll(string(valid), `": "`, `": [null, "`)))
	for _, old := range []string{`"passed"`, `true`, `"required"`, `1`, `[]`, `: {`} {
		f.Add([]byte(strings.Replace(string(valid), old, "null", 1)))
	}
	root, err := evidence.Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { root.Close() })
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		verdicts := map[verify.Level]verify.Verdict{}
		for _, level := range levels {
			result := judgeFuzzed(t, g, root, packed, level)
			checkFindings(t, g, result)
			if again := judgeFuzzed(t, g, root, packed, level); describe(again) != describe(result) {
				t.Fatalf("two judgements differ:\n%s\n%s", describe(result), describe(again))
			}
			verdicts[level] = result.Verdict()
		}
		if verdicts[verify.Strict] == verify.Pass && verdicts[verify.Base] != verify.Pass {
			t.Fatalf("strict level passes what base level does not: %s", data)
		}
	})
}

func judgeFuzzed(t *testing.T, g gate.Gate, root *evidence.Root, packed bool, level verify.Level) gate.Result {
	t.Helper()
	run, err := gate.NewRun(gate.Options{Target: root.Fresh(), Level: level, Pack: gate.Pack{Dir: root.Dir(), Present: packed}})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	return g.Validate(t.Context(), run)
}

func checkFindings(t *testing.T, g gate.Gate, result gate.Result) {
	t.Helper()
	for _, f := range result.Findings.List() {
		if _, known := g.Table.Lookup(f.Rule); !known {
			t.Fatalf("rule %s is not in the table of gate %s", f.Rule, g.Name)
		}
		if len(f.Found) > verify.MaxText || len(f.Expected) > verify.MaxText {
			t.Fatalf("a finding of %s is too long: %q, %q", f.Rule, f.Found, f.Expected)
		}
		if result.Verdict() == verify.Pass && f.Severity == verify.Error {
			t.Fatalf("a pass with the error %s", f.Rule)
		}
	}
}

func FuzzIntake(f *testing.F)         { fuzzGate(f, "intake", "intake-ok-tenant") }
func FuzzClassification(f *testing.F) { fuzzGate(f, "workload-classification", "cls-ok-runbook") }
func FuzzRoute(f *testing.F)          { fuzzGate(f, "route", "route-ok-orrery") }
func FuzzGoal(f *testing.F)           { fuzzGate(f, "goal", "goal-ok-tenant") }
func FuzzTrajectory(f *testing.F)     { fuzzGate(f, "trajectory", "trajectory-ok-tenant") }
func FuzzSkillRegistry(f *testing.F)  { fuzzGate(f, "skill-registry", "registry-ok-plain") }
