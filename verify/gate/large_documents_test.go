package gate_test

import (
	"strings"
	"testing"
	"time"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/verify"
)

// As TestLargeDocuments, for the documents that hold evidence.
func TestLargeEvidenceDocuments(t *testing.T) {
	vectors.Long(t)
	const most = canon.MaxDocument / 8
	fill := func(head, unit, tail string) string {
		return head + strings.Repeat(unit, (most-len(head)-len(tail))/len(unit)) + tail
	}
	long := strings.Repeat("9", most/4)
	classification := `{"effectiveTier":"T3","domainPacks":[],"domainFeatures":{"mobile-ios":{"x":"` + long + `"}},"ai":{}}`
	header := `{"generatedAt":"2026-03-04T12:00:00.` + long + `Z","commit":"` + long + `","catalogSha256":"267755b646066d3d7e4c05613c7d2d9000ec7841d4769cf4f08d3b43e57cdd5b",` +
		`"workloadClassificationSha256":"` + canon.SHA256([]byte(classification)) + `",`
	for name, files := range map[string]map[string]string{
		"code-intelligence": {
			"graph/graph.json":     `{"schema":"uash.code-intelligence.graph.v0.1","codeIntelligenceCompatible":true,"nodes":[1],"edges":[]}`,
			"graph/freshness.json": `{"schema":"uash.graph-freshness.v0.1","graphPath":"graph/graph.json"}`,
			"design/anchors.json":  fill(`[`, `"a/b/c/d/e/f/g/h",`, `1]`),
		},
		"foundation": {
			"run/workload-classification.json": classification,
			"foundation/assessment.json": fill(header+`"capabilities":[{"id":"product-domain","controls":[{"id":"FND-PRODUCT-001","status":"passed","evidence":[`,
				`{"type":"approval","approvedAt":"2026-03-04T12:00:01Z"},`, `1]}]}]}`),
		},
		"ai-assurance": {
			"run/workload-classification.json": classification,
			"ai/assurance.json":                fill(header+`"controls":[`, `{"id":"AI-RAG-001","status":"passed","evidence":[]},`, `1]}`),
		},
		"domain-assurance": {
			"run/workload-classification.json": classification,
			"domain/assurance.json":            fill(header+`"packs":[`, `{"id":"mobile-ios","controls":[{"id":"IOS-BUILD-001","evidence":[{},{}]}]},`, `1]}`),
		},
		"context": {
			"context/manifest.json": fill(header+`"schema":"uash.context-manifest.v2","loadedFiles":[`, `{"path":"x/y","sha256":"x"},`, `1]}`),
		},
		"eval": {
			"context/manifest.json": `{}`,
			"evals/results.json":    fill(header+`"suites":[`, `{"kind":"ai","evaluator":{"kind":"model"},"slices":[{}],"resultPath":"x"},`, `1]}`),
		},
		"smoke": {
			"smoke/smoke_proof.json": fill(header+`"target":{"kind":"testflight"},"control":{"status":"passed","evidence":[`, `{"type":"command","command":"x"},`, `1]}}`),
		},
	} {
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
			if n := len(result.Findings.List()); n > 60*verify.MaxPerRule {
				t.Errorf("%d findings", n)
			}
			took := time.Since(start)
			t.Logf("%s", took)
			if took > time.Minute { // on an idle machine it is a second or two
				t.Errorf("took %s", took)
			}
		})
	}
}
