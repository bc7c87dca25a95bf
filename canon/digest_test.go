package canon

import (
	"strings"
	"testing"
)

// TextDigest hashes in pieces; it must give what hashing at once gives, also
// at the edges of a piece.
func TestTextDigest(t *testing.T) {
	for _, n := range []int{0, 1, 4095, 4096, 4097, 8192, 10_000} {
		s := strings.Repeat("é", n)[:n] // may end inside a character
		if got, want := TextDigest(s+"\xed\xa0\x80"), SHA256([]byte(UTF8(s)+"\uFFFD")); n%2 == 0 && got != want {
			t.Errorf("%d bytes and an unpaired surrogate: %s, want %s", n, got, want)
		}
		if got, want := TextDigest(UTF8(s)), SHA256([]byte(UTF8(s))); got != want {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
	}
}
