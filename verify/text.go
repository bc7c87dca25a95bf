package verify

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"finishline/canon"
	"finishline/privacy/secret"
)

// MaxText is the most bytes of text from the evidence that one field of a
// finding carries.
const MaxText = 200

// clean makes a field of a finding safe to print: secrets masked, control,
// format and ill-formed characters escaped, bounded.
func clean(s string) string {
	if secret.InText(s) {
		s = secret.Redact(s)
	}
	plain := true
	for _, c := range s {
		if !printable(c) {
			plain = false
			break
		}
	}
	if !plain {
		s = escape(s)
	}
	return bound(s, MaxText)
}

// printable admits what cannot disturb a terminal or reorder a line.
func printable(c rune) bool {
	return c != utf8.RuneError && (c == ' ' || unicode.IsPrint(c)) && !unicode.Is(unicode.Cf, c)
}

func escape(s string) string {
	var b strings.Builder
	for len(s) > 0 && b.Len() <= MaxText {
		c, n := utf8.DecodeRuneInString(s)
		switch {
		case c == utf8.RuneError && n <= 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case c != utf8.RuneError && printable(c):
			b.WriteString(s[:n])
		default:
			q := strconv.QuoteRuneToASCII(c)
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[n:]
	}
	return b.String() + s
}

func bound(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// Quote quotes text from the evidence for a message, shortened.
func Quote(s string) string {
	const most = 80
	return strconv.Quote(bound(canon.UTF8(s), most))
}

// Show says what a value is, for the Found of a finding: a quoted string, a
// number, "absent", "an array of 3 elements".
func Show(v canon.Value) string {
	switch v.Kind() {
	case canon.String:
		return Quote(v.Text())
	case canon.Array:
		return count(v.Len(), "an array of", "element")
	case canon.Object:
		return count(v.Len(), "an object of", "member")
	case canon.Absent:
		return "absent"
	}
	return string(canon.Canonical(v))
}

func count(n int, what, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%s %d %s", what, n, unit)
}
