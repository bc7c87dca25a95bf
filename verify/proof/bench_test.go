package proof

import (
	"runtime"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/verify"
)

// bigProof is a valid proof of so many attempts with so many bytes of output
// on each stream.
func bigProof(t testing.TB, attempts, bytesPerStream int) []byte {
	t.Helper()
	v := vector(t, "proof-portable", "valid-green")
	line := "ok 17 of 93: the tide table of the north pier agrees\n"
	output := newStream(strings.Repeat(line, bytesPerStream/len(line)))
	one := v.Get("execution").Get("attempts").Elems()[0]
	list := make([]canon.Value, attempts)
	for i := range list {
		list[i] = canon.Build(append(append([]canon.Member{}, one.Members()...),
			member("index", num(i+1)), member("stdout", output), member("stderr", output))...)
	}
	v = edit(t, v, "replace", "/execution/attempts", canon.NewArray(list...))
	v = edit(t, v, "replace", "/execution/repeat", num(attempts))
	v = edit(t, v, "replace", "/execution/maxOutputBytes", num(MaxOutputBytes))
	return canon.Compact(rebind(t, v))
}

func benchmark(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, out := ReadPortable(data, "p", verify.Strict); out.Verdict() != verify.Pass {
			b.Fatal(errorsOf(out))
		}
	}
}

func BenchmarkTypical(b *testing.B) {
	benchmark(b, canon.Compact(vector(b, "proof-portable", "valid-rich")))
}
func Benchmark16MiB(b *testing.B) { benchmark(b, bigProof(b, 8, 1<<20)) }

// BenchmarkHostile verifies 15 MiB of list elements that each fail several
// rules.
func BenchmarkHostile(b *testing.B) {
	list := make([]canon.Value, 5<<20)
	for i := range list {
		list[i] = canon.Build()
	}
	for _, pointer := range []string{"/execution/attempts", "/causalInputs"} {
		v := edit(b, vector(b, "proof-portable", "valid-green"), "replace", pointer, canon.NewArray(list...))
		data := canon.Compact(v)
		b.Run(pointer[1:], func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, out := ReadPortable(data, "p", verify.Strict); out.Verdict() != verify.Fail {
					b.Fatal("a hostile proof passes")
				}
			}
		})
	}
}

// TestMemory: verifying the largest output a proof can have copies none of it
// beyond what reading needed.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	doc, err := canon.Read(bigProof(t, MaxRepeat, MaxOutputBytes), canon.MaxSubject)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, out := VerifyPortable(doc, "p", verify.Strict); out.Verdict() != verify.Pass {
		t.Fatal(errorsOf(out))
	}
	runtime.ReadMemStats(&after)
	const most = 8 << 20
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > most {
		t.Errorf("verifying 40 MiB of output allocated %d bytes, at most %d wanted", allocated, most)
	}
}
