package secret

import (
	"strings"
	"testing"
)

// Most strings of evidence are identifiers, digests, paths and short prose.
func BenchmarkInText(b *testing.B) {
	for name, text := range map[string]string{
		"identifier": "run-2026-11-30/node/prove",
		"digest":     strings.Repeat("0a", 32),
		"timestamp":  "2026-11-30T13:14:15.160Z",
		"prose":      "the tests passed: 3 of 3, before the build started; see logs/build.txt",
		"output":     strings.Repeat("ok  \tfinishline/canon\t0.052s coverage: 93.1% of statements\n", 1000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if InText(text) {
					b.Fatal(Kind(text))
				}
			}
		})
	}
}

func BenchmarkNameOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		NameOf("reviewTrustSha256")
	}
}
