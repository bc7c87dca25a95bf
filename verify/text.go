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

// MaxHint bounds the hint, which is our own text and may be longer.
const MaxHint = 400

// cleaned makes every text of a finding safe to print, those of its causes
// included.
func cleaned(f Finding) Finding {
	f.Artifact, f.Pointer = clean(f.Artifact), cleanPointer(f.Pointer)
	f.Found, f.Expected, f.Hint = clean(f.Found), clean(f.Expected), cleanTo(MaxHint, f.Hint)
	if len(f.Causes) > 0 {
		causes := make([]Finding, len(f.Causes))
		for i, c := range f.Causes {
			causes[i] = cleaned(c)
		}
		f.Causes = causes
	}
	return f
}

// clean makes a text of a finding safe to print: secrets masked, control,
// format and ill-formed characters escaped, bounded. Masking comes first, since
// neither escaping nor cutting may hide a secret from it. Both can also make
// what looks like one, by cutting [REDACTED] for instance, so the result is
// masked until it is clean; a clean text stays what it is.
func clean(s string) string { return cleanTo(MaxText, s) }

func cleanTo(most int, s string) string {
	for range maxMasks {
		s = bound(escape(secret.Mask(s), most), most)
		if secret.Mask(s) == s {
			return s
		}
		most -= len("[REDACTED PRIVATE KEY]") // cut before what was cut in two
	}
	return "[REDACTED]"
}

// maxMasks bounds the passes of clean; one is nearly always enough.
const maxMasks = 5

// cleanPointer is clean for a JSON pointer. Its names are masked as they are in
// the document: the escapes ~0 and ~1 would break the shape of a secret.
func cleanPointer(p string) string {
	if strings.ContainsRune(p, '~') {
		tokens := strings.Split(p, "/")
		for i, t := range tokens {
			name := strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
			if masked := secret.Mask(name); masked != name {
				tokens[i] = canon.EscapePointer(masked)
			}
		}
		p = strings.Join(tokens, "/")
	}
	return clean(p)
}

// printable admits what cannot disturb a terminal or reorder a line: letters,
// marks, numbers, punctuation, symbols and the space, hence no control or
// format character.
func printable(c rune) bool {
	return c != utf8.RuneError && unicode.IsPrint(c)
}

// escape writes what is not printable as Go would. It stops once the result is
// longer than most bytes.
func escape(s string, most int) string {
	if !strings.ContainsFunc(s, func(c rune) bool { return !printable(c) }) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 && b.Len() <= most {
		c, n := utf8.DecodeRuneInString(s)
		switch {
		case c == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case printable(c):
			b.WriteString(s[:n])
		default:
			q := strconv.QuoteRuneToASCII(c)
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[n:]
	}
	return b.String()
}

// bound cuts a text that is longer than most bytes, with a mark, between two
// characters.
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

// maxQuote is the most bytes of a text that Quote quotes.
const maxQuote = 80

// maxMasked is the most bytes of a text that are searched for secrets, of which
// far fewer are quoted.
const maxMasked = 64 << 10

// Quote quotes text from the evidence for a message: masked, then shortened. Of
// a long text only the beginning is looked at.
func Quote(s string) string {
	return strconv.Quote(bound(secret.Mask(canon.UTF8(bound(s, maxMasked))), maxQuote))
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
	case canon.Number:
		if _, finite := v.Finite(); !finite {
			return "a number beyond the range of a double" // null, in canonical form
		}
	}
	return string(canon.Canonical(v))
}

func count(n int, what, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%s %d %s", what, n, unit)
}
