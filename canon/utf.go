package canon

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape decodes the inside of a string literal whose grammar is known to be
// right. Surrogate escapes that form a pair become one character; others are
// kept as WTF-8, and lone says that there was one.
func unescape(body []byte) (s string, lone bool) {
	var b strings.Builder
	b.Grow(len(body))
	for len(body) > 0 {
		i := bytes.IndexByte(body, '\\')
		if i < 0 || i+1 >= len(body) {
			b.Write(body)
			break
		}
		b.Write(body[:i])
		c := body[i+1]
		body = body[i+2:]
		if c != 'u' {
			b.WriteByte(SimpleEscape(c))
			continue
		}
		u := hex4(body)
		body = body[4:]
		switch {
		case !utf16.IsSurrogate(u):
			b.WriteRune(u)
		case u < 0xDC00 && len(body) >= 6 && body[0] == '\\' && body[1] == 'u' && isLow(hex4(body[2:])):
			b.WriteRune(utf16.DecodeRune(u, hex4(body[2:])))
			body = body[6:]
		default:
			lone = true
			b.Write(appendSurrogate(nil, u))
		}
	}
	return b.String(), lone
}

func isLow(u rune) bool { return u >= 0xDC00 && u <= 0xDFFF }

// SimpleEscape is the character that a backslash and c stand for in a JSON
// string, for every c but u that may follow one.
func SimpleEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

func hex4(b []byte) (u rune) {
	for i := 0; i < 4 && i < len(b); i++ {
		c := b[i]
		switch {
		case c >= 'a':
			c -= 'a' - 10
		case c >= 'A':
			c -= 'A' - 10
		default:
			c -= '0'
		}
		u = u<<4 | rune(c)
	}
	return u
}

// appendSurrogate writes a surrogate code point in the three-byte form that
// UTF-8 forbids and WTF-8 uses.
func appendSurrogate(dst []byte, u rune) []byte {
	return append(dst, 0xE0|byte(u>>12), 0x80|byte(u>>6)&0x3F, 0x80|byte(u)&0x3F)
}

// surrogateAt returns the surrogate whose WTF-8 form starts s, or 0.
func surrogateAt(s string) rune {
	if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2]&0xC0 == 0x80 {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F)
	}
	return 0
}

// HasLoneSurrogate reports whether a string read from a document holds an
// unpaired surrogate.
func HasLoneSurrogate(s string) bool {
	for i := strings.IndexByte(s, 0xED); i >= 0 && i < len(s); i++ {
		if surrogateAt(s[i:]) != 0 {
			return true
		}
	}
	return false
}

// UTF8 is the UTF-8 of a string read from a document: an unpaired surrogate
// becomes U+FFFD (contract 01, section 3, D3).
func UTF8(s string) string {
	if !HasLoneSurrogate(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if surrogateAt(s[i:]) != 0 {
			b.WriteRune(utf8.RuneError)
			i += 3
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// UTF16Len is the length of s in UTF-16 code units.
func UTF16Len(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 0xF0:
			n += 2
		case c&0xC0 != 0x80:
			n++
		}
	}
	return n
}

// CompareUTF16 orders strings by UTF-16 code units, the order of every sorted
// list of the formats: negative when a comes first, 0 when they are equal.
//
// Bytes of UTF-8 compare like the units do, with one exception: the units of a
// character beyond U+FFFF (first byte F0 and up) are surrogates, which come
// before U+E000 to U+FFFF and among the unpaired surrogates.
func CompareUTF16(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		return len(a) - len(b)
	}
	if a[i] < 0xF0 && b[i] < 0xF0 {
		return int(a[i]) - int(b[i])
	}
	x, y := units{s: a[i:]}, units{s: b[i:]}
	for {
		p, q := x.next(), y.next()
		if p != q || p == noUnit {
			return p - q
		}
	}
}

// units yields the UTF-16 code units of a string.
type units struct {
	s   string
	low rune // second half of a pair that is still to come, or 0
}

const noUnit = -1

func (u *units) next() int {
	if low := u.low; low != 0 {
		u.low = 0
		return int(low)
	}
	if u.s == "" {
		return noUnit
	}
	if c := surrogateAt(u.s); c != 0 {
		u.s = u.s[3:]
		return int(c)
	}
	c, n := utf8.DecodeRuneInString(u.s)
	u.s = u.s[n:]
	if c <= 0xFFFF {
		return int(c)
	}
	high, low := utf16.EncodeRune(c)
	u.low = low
	return int(high)
}

// decodeWHATWG replaces every maximal ill-formed subsequence by one U+FFFD, as
// browsers do. (A range loop of Go replaces every byte.)
func decodeWHATWG(data []byte) []byte {
	out := make([]byte, 0, len(data)+16)
	for len(data) > 0 {
		if c, n := utf8.DecodeRune(data); c != utf8.RuneError || n > 1 {
			out = append(out, data[:n]...)
			data = data[n:]
			continue
		}
		out = append(out, "\uFFFD"...)
		data = data[illFormed(data):]
	}
	return out
}

// illFormed is the length of the maximal ill-formed subsequence that starts
// data: a lead byte and the continuation bytes that could still have followed.
func illFormed(data []byte) int {
	lead := data[0]
	need, lo, hi := 0, byte(0x80), byte(0xBF)
	switch {
	case lead >= 0xC2 && lead <= 0xDF:
		need = 1
	case lead >= 0xE0 && lead <= 0xEF:
		need = 2
		if lead == 0xE0 {
			lo = 0xA0
		} else if lead == 0xED {
			hi = 0x9F
		}
	case lead >= 0xF0 && lead <= 0xF4:
		need = 3
		if lead == 0xF0 {
			lo = 0x90
		} else if lead == 0xF4 {
			hi = 0x8F
		}
	}
	n := 1
	for ; need > 0 && n < len(data) && data[n] >= lo && data[n] <= hi; need-- {
		lo, hi = 0x80, 0xBF
		n++
	}
	return n
}

func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		c, n := utf8.DecodeRune(data[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(data)
}
