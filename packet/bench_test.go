package packet

import (
	"fmt"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors/runrepo"
	"finishline/verify"
)

func baseCase(name string) canon.Value {
	return canon.Build(canon.Member{Name: "base", Value: canon.NewString(name)})
}

// BenchmarkVerify is a whole verification of a small run at strict level.
func BenchmarkVerify(b *testing.B) {
	for _, base := range []string{"root", "comm", "hist"} {
		b.Run(base, func(b *testing.B) {
			run := runrepo.Load(b, "packet").Build(b, baseCase(base))
			in := inputOf(b, run, verify.Strict)
			in.Delegates = answers(canon.Value{})
			for b.Loop() {
				in.Target = in.Target.Fresh()
				got, err := Verify(b.Context(), in)
				if err != nil || !got.Result.Valid {
					b.Fatal(err, shown(got))
				}
			}
		})
	}
}

var _ = fmt.Sprint
