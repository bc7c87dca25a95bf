package canon

import (
	"fmt"
	"strings"
	"testing"
)

// smallEvent is about the size of a bridge event.
const smallEvent = `{"schema":"valdris.event.v1","runId":"run-2026-11-30","sequence":42,"type":"node.completed","node":"prove",` +
	`"artifact":{"path":"proof/proof.json","sha256":"0a0b0c0d0e0f00010203040506070809101112131415161718191a1b1c1d1e1f"},` +
	`"actor":{"id":"harness","type":"service"},"at":"2026-11-30T13:14:15.160Z","message":"tests passed \u2013 3 of 3","ok":true}`

// largeDocument has about 100 KB.
func largeDocument() []byte {
	var b strings.Builder
	b.WriteString(`{"schema":"valdris.run-packet.v3","events":[`)
	for i := 0; b.Len() < 100_000; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"z":%d.5,"id":"event-%d","note":"caf\u00e9 \"quoted\"\n","payload":%s}`, i, i, smallEvent)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func benchmark(b *testing.B, run func(data []byte, v Value)) {
	for name, data := range map[string][]byte{"event": []byte(smallEvent), "100KB": largeDocument()} {
		doc, err := Read(data, MaxDocument)
		if err != nil || len(doc.Defects) > 0 {
			b.Fatal(err, doc.Defects)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				run(data, doc.Root)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	benchmark(b, func(data []byte, _ Value) {
		if _, err := Read(data, MaxDocument); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkCanonical(b *testing.B) {
	benchmark(b, func(_ []byte, v Value) { Canonical(v) })
}

func BenchmarkCanonicalTolerant(b *testing.B) {
	benchmark(b, func(_ []byte, v Value) { canonicalTolerant(v) })
}

func BenchmarkCompact(b *testing.B) {
	benchmark(b, func(_ []byte, v Value) { Compact(v) })
}

func BenchmarkDigest(b *testing.B) {
	benchmark(b, func(_ []byte, v Value) { Digest(v) })
}

func BenchmarkCompareUTF16(b *testing.B) {
	for name, pair := range map[string][2]string{
		"ascii":         {"allowedActorIds", "allowedActorTypes"},
		"supplementary": {"name \U0001F600", "name \uE000"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				CompareUTF16(pair[0], pair[1])
			}
		})
	}
}
