package gate_test

import (
	"strings"
	"testing"
	"time"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/verify"
)

// Large documents that are built to cost the most end within seconds and are
// refused. Time is linear, so a quarter of what may be read shows it.
func TestLargeDocuments(t *testing.T) {
	vectors.Long(t)
	const most = canon.MaxDocument / 4
	fill := func(head, unit, tail string) string {
		return head + strings.Repeat(unit, (most-len(head)-len(tail))/len(unit)) + tail
	}
	layers := fill(`{"schema":"uash.route.v2","taskType":"feature","productionLayers":[`, `{"layer":"frontend","initialApplicability":"x"},`, `{}]}`)
	documents := map[string]map[string]string{
		"intake": {
			"run/intake.json": fill(`{"requestText":"`, "sev gpt- row level securit ", `"}`),
		},
		"workload-classification": {
			"run/intake.json":                  fill(`{"requestText":"`, "manually production data sev- ", `"}`),
			"run/workload-classification.json": fill(`{"requestedProfile":"regulated","domainPacks":[`, `"a",`, `1]}`),
		},
		"route": {
			"run/intake.json": `{"requestText":"build a web app with a backend"}`, "run/workload-classification.json": fill(`{"requiredGates":{},"crossCuttingConcerns":[`, `"x",`, `1]}`),
			"run/route.json": layers,
		},
		"goal": {
			"run/workload-classification.json": `{}`, "run/route.json": `{}`,
			"goal/goal.json": fill(`{"status":"completed","checkpoints":[`, `{"id":"a","recordedAt":"2026-01-01T00:00:00Z"},`, `{}]}`),
		},
		"trajectory": {
			"trajectory/trajectory.json": fill(`{"forbiddenActions":["a","b"],"attempts":[`, `{"actions":["a"]},`, `{}]}`),
		},
	}
	for name, files := range documents {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, text := range files {
				write(t, dir, path, text)
			}
			start := time.Now()
			result := judge(t, dir, name, verify.Strict)
			if result.Verdict() != verify.Fail {
				t.Errorf("verdict %s", result.Verdict())
			}
			took := time.Since(start)
			t.Logf("%s", took)
			if took > time.Minute { // on an idle machine it is a second or two
				t.Errorf("took %s", took)
			}
		})
	}
}
