package flat

import (
	"testing"

	"pgregory.net/rapid"
)

// Numbers have the same normal form exactly when they are equal.
func TestNormalFormIsEquality(t *testing.T) {
	literal := rapid.SampledFrom([]string{"0", "-0", "0e5", "1", "1.0", "10e-1", "-1", "100", "1e2", "0.5", "5e-1", "1e30", "10e29", "1e31", "123456789012345678", "1234567890123456789", "12345678901234567890e-1", "1e1000000000", "-1e-1000000000"})
	rapid.Check(t, func(t *rapid.T) {
		var p, q Parser
		x, y := literal.Draw(t, "x"), literal.Draw(t, "y")
		if p.Parse([]byte(x), 0).Code != OK || q.Parse([]byte(y), 0).Code != OK {
			t.Fatal("no number")
		}
		a, b := p.Root().Decimal(), q.Root().Decimal()
		if same := string(a.AppendNormal(nil)) == string(b.AppendNormal([]byte("x"))[1:]); same != (a.Cmp(b) == 0) {
			t.Fatalf("%s and %s: same form %v", x, y, same)
		}
	})
}
