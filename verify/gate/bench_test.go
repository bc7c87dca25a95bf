package gate_test

import (
	"context"
	"testing"

	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// BenchmarkGates judges one gate of a complete run, reading its files anew.
func BenchmarkGates(b *testing.B) {
	for name, base := range map[string]string{
		"intake": "intake-ok-tenant", "workload-classification": "cls-ok-tenant", "route": "route-ok-tenant",
		"goal": "goal-ok-tenant", "trajectory": "trajectory-ok-tenant", "skill-registry": "registry-ok-plain",
	} {
		b.Run(name, func(b *testing.B) {
			dir := caseNamed(b, base).Build(b)
			g, _ := gate.Find(name)
			b.ReportAllocs()
			for b.Loop() {
				root, err := evidence.Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				run, err := gate.NewRun(gate.Options{Target: root, Pack: gate.Pack{Dir: dir, Present: name == "skill-registry"}})
				if err != nil {
					b.Fatal(err)
				}
				if result := g.Validate(context.Background(), run); result.Verdict() != verify.Pass {
					b.Fatal(describe(result))
				}
				root.Close()
			}
		})
	}
}
