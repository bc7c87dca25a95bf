package harness

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"

	"finishline/verify/journal/harness/synthetic"
)

// journal is a synthetic journal of about so many bytes.
func journal(t testing.TB, size int64, seed uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := synthetic.Write(&b, size, seed); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSyntheticJournalsAreValid(t *testing.T) {
	for _, size := range []int64{1, 30_000, 3 << 20} {
		data := journal(t, size, 7)
		r := verifyBytes(t, data, Options{})
		if list := r.Findings.List(); len(list) > 0 {
			t.Errorf("%d bytes: %+v", len(data), list)
		}
		if int64(len(data)) < size || r.State != "final" || r.Lines != bytes.Count(data, []byte("\n")) || r.Records != r.Lines {
			t.Errorf("%d bytes: %+v", len(data), r)
		}
		if size > 30_000 && len(r.Kinds) < int(kindCount)-5 {
			t.Errorf("only %d kinds occur", len(r.Kinds))
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	data := journal(b, 16<<20, 7)
	for _, workers := range []int{1, runtime.GOMAXPROCS(0)} {
		b.Run(fmt.Sprintf("workers-%d", workers), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Verify(context.Background(), bytes.NewReader(data), Options{Workers: workers}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
