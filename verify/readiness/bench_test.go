package readiness_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/readiness"
)

// BenchmarkVerify judges a complete enterprise assessment, thirteen layers with
// 39 controls, reading its files anew.
func BenchmarkVerify(b *testing.B) {
	for name, fixture := range map[string]string{"enterprise": "t2-enterprise", "prototype": "t0-prototype"} {
		b.Run(name, func(b *testing.B) {
			s := current(b, fixture)
			b.ReportAllocs()
			for b.Loop() {
				root, err := evidence.Open(s.dir)
				if err != nil {
					b.Fatal(err)
				}
				o, err := readiness.Verify(context.Background(), readiness.Input{Root: root})
				if err != nil || o.Verdict() != verify.Pass {
					b.Fatal(err, describe(o))
				}
				root.Close()
			}
		})
	}
}

// BenchmarkCatalog judges with a supplied catalog.
func BenchmarkCatalog(b *testing.B) {
	s := current(b, "t1-catalog")
	b.ReportAllocs()
	for b.Loop() {
		if o := s.judge(b, readiness.Input{Catalog: catalogFile}); o.Verdict() != verify.Pass {
			b.Fatal(describe(o))
		}
	}
}

func BenchmarkStatus(b *testing.B) {
	s := current(b, "t2-enterprise")
	docs := readiness.Documents{Assessment: s.doc, Classification: s.cls}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readiness.Status(docs, 1772625600000); err != nil {
			b.Fatal(err)
		}
	}
}

// Documents made of as many failing pieces as fit are refused in bounded time,
// with a bounded report. Time is linear, so a part of what may be read shows it.
func TestLargeDocuments(t *testing.T) {
	vectors.Long(t)
	fill := func(piece string) string {
		n := (canon.MaxDocument/16 - 4096) / (len(piece) + 1)
		return strings.TrimSuffix(strings.Repeat(piece+",", n), ",")
	}
	s := current(t, "t1-catalog")
	digest := `"workloadClassificationSha256":"` + s.doc.Get("workloadClassificationSha256").Text() + `"`
	for name, text := range map[string]string{
		"nulls":        `{"schema":"` + readiness.Schema + `",` + digest + `,"layers":[` + fill("null") + `]}`,
		"entries":      `{"schema":"` + readiness.Schema + `",` + digest + `,"layers":[` + fill(`{"layer":"frontend"}`) + `]}`,
		"map":          `{"schema":"` + readiness.Schema + `",` + digest + `,"layers":{` + fill(`"":7`) + `}}`,
		"controls":     `{"schema":"` + readiness.Schema + `",` + digest + `,"layers":[{"layer":"frontend","controls":[` + fill(`{}`) + `]}]}`,
		"evidence":     `{"schema":"` + readiness.Schema + `",` + digest + `,"layers":[{"layer":"frontend","controls":[{"status":"passed","evidence":[` + fill(`7`) + `]}]}]}`,
		"dependencies": `{"schema":"` + readiness.Schema + `",` + digest + `,"layers":[{"layer":"frontend","dependencies":[` + fill(`0`) + `]}]}`,
		"legacy":       `{"schema":"` + readiness.LegacySchema + `","layers":[` + fill(`{"id":"x"}`) + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			started := time.Now()
			o := s.verify(t, text, readiness.Input{Legacy: readiness.LegacyAllowed})
			bounded(t, o, started)
			if _, err := readiness.Status(readiness.Documents{Assessment: o.Document, Classification: s.cls, Waivers: o.Document}, 0); err != nil {
				t.Error(err)
			}
		})
	}
	s.write(t, assessmentFile, string(canon.Compact(s.doc)))
	for name, text := range map[string]string{
		"layers":       `{"layers":[` + fill(`0`) + `]}`,
		"capabilities": `{"layers":[{"layer":"security","capabilities":[` + fill(`{"id":"x"}`) + `]}]}`,
		"controls":     `{"layers":[{"layer":"security","controls":[` + fill(`{}`) + `]}]}`,
		"edges":        `{"layers":[{"layer":"security","dependencies":[` + fill(`"security"`) + `]}]}`,
	} {
		t.Run("catalog "+name, func(t *testing.T) {
			started := time.Now()
			s.write(t, catalogFile, text)
			bounded(t, s.judge(t, readiness.Input{Catalog: catalogFile}), started)
		})
	}
}

func bounded(t *testing.T, o *readiness.Outcome, started time.Time) {
	t.Helper()
	if o.Verdict() != verify.Fail {
		t.Errorf("verdict %s", o.Verdict())
	}
	if n := len(o.Findings.List()); n > 60*verify.MaxPerRule {
		t.Errorf("%d findings", n)
	}
	if took := time.Since(started); took > time.Minute { // on an idle machine it is less than a second
		t.Errorf("took %s", took)
	}
}
