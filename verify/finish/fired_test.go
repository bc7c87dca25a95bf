package finish_test

import (
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

// compareChanged is the fixture of that name with one document changed by RFC 6902
// operations, compared at strict level.
func compareChanged(t *testing.T, fixture, document, operations string, head finish.HeadPolicy) *verify.Findings {
	t.Helper()
	patch, err := canon.Read([]byte(`{"`+document+`":`+operations+`}`), canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	c := rundir.Load(t, "aggregate", "aggregate-binding")[0]
	c.Fields = canon.Build(canon.Member{Name: "fixture", Value: canon.NewString(fixture)}, canon.Member{Name: "patches", Value: patch.Root})
	root, err := evidence.Open(c.Build(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	run, err := gate.NewRun(gate.Options{Target: root, Level: verify.Strict, Now: time.Date(2026, 3, 4, 12, 5, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	return finish.CompareDocuments(run, head)
}

// What no vector trips.
func TestSmokeOfAnotherApp(t *testing.T) {
	out := compareChanged(t, "run-t3", "smoke/smoke_proof.json", `[{"op":"add","path":"/target/scheme","value":"another"}]`, finish.HeadExpected)
	if !out.Has("aggregate.mobile.smoke-identity") || out.Verdict() != verify.Fail {
		t.Errorf("not refused:%s", describe(out.List()))
	}
	out = compareChanged(t, "run-t3", "smoke/smoke_proof.json", `[]`, finish.HeadExpected)
	if out.Has("aggregate.mobile.smoke-identity") || out.Verdict() != verify.Pass {
		t.Errorf("the sound run is refused:%s", describe(out.List()))
	}
}

func TestUnknownHead(t *testing.T) {
	const rule = "aggregate.hardening.head-required"
	for _, c := range []struct {
		profile string
		head    finish.HeadPolicy
		want    []verify.Severity
	}{
		{"regulated", finish.HeadExpected, []verify.Severity{verify.Warning}},
		{"enterprise", finish.HeadRequired, []verify.Severity{verify.Error}},
		{"small", finish.HeadRequired, nil},
	} {
		out := compareChanged(t, "run-t3", "goal/goal.json", `[{"op":"add","path":"/profile","value":"`+c.profile+`"}]`, c.head)
		var got []verify.Severity
		for _, f := range out.List() {
			if f.Rule == rule {
				got = append(got, f.Severity)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("profile %s: %v, want %v", c.profile, got, c.want)
		}
	}
}

// Every rule of the two tables is tripped: by a vector, whose expected rules
// the vector tests hold to the letter, or by a test of this file.
func TestEveryRuleIsTripped(t *testing.T) {
	tripped := map[string]bool{
		"aggregate.mobile.smoke-identity":   true, // TestSmokeOfAnotherApp
		"aggregate.hardening.head-required": true, // TestUnknownHead
	}
	for _, area := range []string{"aggregate", "gates"} {
		for _, c := range rundir.Load(t, area) {
			switch c.Kind {
			case "aggregate", "aggregate-binding", "finish-binding":
				for _, id := range append(c.Base.Rules, c.Strict.Rules...) {
					tripped[id] = true
				}
			}
		}
	}
	for _, table := range []*verify.Table{finish.AggregateTable, finish.BindingTable} {
		for _, r := range table.Rules() {
			if !tripped[r.ID] {
				t.Errorf("nothing trips %s", r.ID)
			}
		}
	}
}
