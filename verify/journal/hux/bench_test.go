package hux

import (
	"bytes"
	"context"
	"testing"

	"finishline/verify"
	"finishline/verify/journal/hux/synthetic"
	"finishline/verify/journal/lines"
)

func generated(t testing.TB, size int64) ([]byte, int) {
	t.Helper()
	var b bytes.Buffer
	events, err := synthetic.Write(&b, size, 1)
	must(t, err)
	return b.Bytes(), events
}

// What the generator writes is sound: nothing but the two remarks about the
// companions.
func TestGeneratedStreamIsSound(t *testing.T) {
	data, events := generated(t, 3<<20)
	r := judge(t, data, Options{})
	if got := verify.RuleIDs(r.Findings, verify.Note); len(r.Findings) != 2 || len(got) != 2 {
		t.Fatalf("findings %+v", r.Findings)
	}
	if r.Tally.Events != events || r.Conversations < 8 || r.Lines.Lines != events || r.Skipped {
		t.Errorf("%+v for %d events", r, events)
	}
	t.Logf("%d events, %d bytes each, %d bytes of state each", events, len(data)/events, r.State/int64(events))
}

func BenchmarkVerify(b *testing.B) {
	data, _ := generated(b, 16<<20)
	for _, workers := range []int{1, 0} {
		name := map[int]string{1: "one-worker", 0: "all-cores"}[workers]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Verify(context.Background(), bytes.NewReader(data), Options{Lines: lines.Options{Workers: workers}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
