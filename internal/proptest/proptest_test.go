package proptest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestUntil(t *testing.T) {
	s := Need(3, "one", "seven of sixty-four")
	if got := s.Missing(); !slices.Equal(got, []string{"one", "seven of sixty-four"}) {
		t.Errorf("before the first case, %q are missing", got)
	}
	cases := 0
	s.Until(t, func(t *rapid.T) {
		cases++
		s.Add("one")
		if rapid.Uint64().Draw(t, "number")%64 == 7 {
			s.Add("seven of sixty-four")
		}
	})
	if got := s.Missing(); len(got) > 0 || cases < 20 {
		t.Errorf("after %d cases, %q are missing", cases, got)
	}
}
