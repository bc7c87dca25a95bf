package secret

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"finishline/canon"
)

// Pieces of which texts are made that redaction has much to do with. Shapes of
// secrets are put together from parts, so that this file discloses none.
var pieces = []string{
	" ", "\n", "a", "é", "€", "\U0001F30A", ".", ",", ";", "}", "]", "\"", "\\\"", "=", ":", "x-", "_",
	"token", "password=", "api_key: ", "tok" + "en=\"quoted, text\"", "Bear" + "er ", "abcdefghij", "0123456789",
	"gh" + "p_", "github" + "_pat_", "s" + "k-", "AK" + "IA", "ABCDEFGHIJKLMNOP", "ey" + "J", "eyJhbGciOi.eyJzdWIiOj", "postgres" + "://u:p@h",
	"-----BEGIN " + "RSA PRIVATE KEY-----", "-----END " + "RSA PRIVATE KEY-----", "-----BEGIN " + "ENCRYPTED PRIVATE KEY-----",
	"[REDACTED]", "[REDACTED TOKEN]", "[REDAC", "<redacted>", "known-value", "known", "value",
}

var genText = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), "")
})

func isSettled(s string) bool {
	return !InText(s) && !HasCloudToken(s) && !HasPrivateKeyMarker(s) && Settle(s) == s
}

func TestSettledTextsDiscloseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genText.Draw(t, "text")
		got := Settle(s, "known-value", "value")
		if !isSettled(got) || strings.Contains(got, "value") {
			t.Fatalf("Settle(%q) = %q", s, got)
		}
		if isSettled(s) && Settle(s) != s {
			t.Fatalf("%q changed", s)
		}
	})
}

func TestCutTextsStaySettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Settle(genText.Draw(t, "text"), "known-value")
		n := rapid.IntRange(0, len(s)+2).Draw(t, "max")
		got := Cut(s, n)
		switch {
		case len(got) > n || !strings.HasPrefix(s, got) || !utf8.ValidString(got):
			t.Fatalf("Cut(%q, %d) = %q", s, n, got)
		case !isSettled(got):
			t.Fatalf("Cut(%q, %d) = %q, which discloses something", s, n, got)
		case len(s) <= n && got != s:
			t.Fatalf("Cut(%q, %d) = %q although it fits", s, n, got)
		}
		if before, after := aroundMarker(s, len(got)); before != after {
			t.Fatalf("Cut(%q, %d) = %q splits a marker", s, n, got)
		}
	})
}

func TestTailsStaySettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Settle(genText.Draw(t, "text"), "known-value")
		n := rapid.IntRange(0, 30).Draw(t, "units")
		got := Tail(s, n)
		if !isSettled(got) || !utf8.ValidString(got) {
			t.Fatalf("Tail(%q, %d) = %q", s, n, got)
		}
		if strings.HasSuffix(s, got) && canon.UTF16Len(got) > n {
			t.Fatalf("Tail(%q, %d) = %q is longer", s, n, got)
		}
	})
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		max  int
		want string
	}{
		{"abc", 3, "abc"},
		{"abc", 0, ""},
		{"aé", 2, "a"},
		{"a\U0001F30A", 4, "a"},
		{"login token=[REDACTED], then", 18, "login token="},
		{"login token=[REDACTED]", 21, "login token="},
		{`say "token": "[REDACTED]"`, 20, `say "`},
		{"see [REDACTED TOKEN] there", 19, "see "},
		{"see [REDACTED] there", 14, "see [REDACTED]"},
		// 257 characters are no token of this shape, the first 200 are.
		{"pat gh" + "p_" + strings.Repeat("a", 257), 204, "pat "},
		{"key AK" + "IA" + strings.Repeat("A", 40), 24, "key "},
	} {
		if got := Cut(Settle(c.text), c.max); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.text, c.max, got, c.want)
		}
	}
}

func TestTail(t *testing.T) {
	for _, c := range []struct {
		text  string
		units int
		want  string
	}{
		{"abcdef", 3, "def"},
		{"abc", 9, "abc"},
		{"a\U0001F30Ab", 2, "b"}, // a surrogate pair is two units
		{"a\U0001F30Ab", 3, "\U0001F30Ab"},
		{"see [REDACTED] there", 10, " there"},
		{"see [REDACTED] there", 16, "[REDACTED] there"},
	} {
		if got := Tail(c.text, c.units); got != c.want {
			t.Errorf("Tail(%q, %d) = %q, want %q", c.text, c.units, got, c.want)
		}
	}
}

func TestUnsafeEnds(t *testing.T) {
	known := []string{"correct horse battery staple", "ab"}
	for _, c := range []struct{ in, end, start string }{
		{"it is\n", "it is\n", " is\n"}, // a first word may be the end of another
		{"it is done", "it is ", " is done"},
		{"say correct horse bat", "say ", " correct horse bat"},
		{"battery staple, he said\n", "battery staple, he said\n", " he said\n"},
		{"say correct horse battery staple", "say ", " correct horse battery staple"},
		{"say correct horse battery staplex", "say ", " correct horse battery staplex"},
		{"xcorrect horse battery staplex end", "xcorrect horse battery staplex ", " end"}, // redaction finds the whole one
		{"a", "", ""},
		{"", "", ""},
		{"xx\n-----END " + "PRIVATE KEY-----\nmore\n", "xx\n-----END " + "PRIVATE KEY-----\nmore\n", "\nmore\n"},
	} {
		if got := DropUnsafeEnd(c.in, known...); got != c.end {
			t.Errorf("DropUnsafeEnd(%q) = %q, want %q", c.in, got, c.end)
		}
		if got := DropUnsafeStart(c.in, known...); got != c.start {
			t.Errorf("DropUnsafeStart(%q) = %q, want %q", c.in, got, c.start)
		}
	}
}

// Known values that occur in the marker would multiply a text without bound.
func TestKnownLettersOfTheMarkerAreBounded(t *testing.T) {
	text := strings.Repeat("RED", 1<<17)
	got := Settle(text, "R", "E", "D", "A", "C", "T", "[", "]")
	if len(got) > maxReplaced {
		t.Errorf("%d bytes", len(got))
	}
}
