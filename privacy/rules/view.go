package rules

import (
	"bytes"
	"encoding/base64"
	"unicode/utf16"
	"unicode/utf8"
)

// The shortest run of base64 that is decoded (contract 10 §15.1).
const minRun = 24

// decodeEscapes appends src with its backslash escapes decoded (contract 10
// §15.1), and reports whether anything changed. Where at is not nil, it gets
// for each byte written the offset in src that it was decoded from.
func decodeEscapes(dst, src []byte, at *[]int32) ([]byte, bool) {
	changed := false
	mark := func(from int) {
		if at != nil {
			for len(*at) < len(dst) {
				*at = append(*at, int32(from))
			}
		}
	}
	for i := 0; i < len(src); {
		if src[i] != '\\' || i+1 == len(src) {
			n := bytes.IndexByte(src[i:], '\\')
			switch {
			case n < 0:
				n = len(src) - i
			case n == 0:
				n = 1
			}
			dst = append(dst, src[i:i+n]...)
			if at != nil {
				for k := range n {
					*at = append(*at, int32(i+k))
				}
			}
			i += n
			continue
		}
		decoded, n := escape(src[i:])
		switch {
		case n > 0 && decoded < utf8.RuneSelf:
			dst = append(dst, byte(decoded))
			mark(i)
		case n > 0:
			dst = utf8.AppendRune(dst, decoded)
			mark(i)
		default: // any other pair stays
			n = 2
			dst = append(dst, src[i:i+2]...)
			if at != nil {
				*at = append(*at, int32(i), int32(i+1))
			}
			i += n
			continue
		}
		changed = true
		i += n
	}
	return dst, changed
}

// escape decodes the escape at the start of src, which is a backslash and at
// least one more byte; n is its length, or 0 when it is no escape.
func escape(src []byte) (r rune, n int) {
	switch src[1] {
	case '"', '\\', '/':
		return rune(src[1]), 2
	case 'n', 'r':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'b', 'f':
		return ' ', 2
	case 'u':
		unit, ok := hex4(src[2:])
		if !ok {
			return 0, 0
		}
		if !utf16.IsSurrogate(unit) {
			return unit, 6
		}
		if len(src) >= 12 && src[6] == '\\' && src[7] == 'u' {
			if low, ok := hex4(src[8:]); ok {
				if pair := utf16.DecodeRune(unit, low); pair != utf8.RuneError {
					return pair, 12
				}
			}
		}
		return utf8.RuneError, 6
	}
	return 0, 0
}

func hex4(src []byte) (rune, bool) {
	if len(src) < 4 {
		return 0, false
	}
	var v rune
	for _, c := range src[:4] {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		v = v<<4 | rune(d)
	}
	return v, true
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= lower(c) && lower(c) <= 'f':
		return lower(c) - 'a' + 10, true
	}
	return 0, false
}

// nextRun gives the first run of at least minRun base64 characters that
// starts at or after from and has no such character before it; start is -1
// when there is none. Where no run can be, it looks at one byte in minRun.
func nextRun(text []byte, from int) (start, end int) {
	i := from
	for i+minRun <= len(text) {
		// The run, if any, that begins at i or later and covers i+minRun-1.
		last := i + minRun - 1
		if !base64s.has(text[last]) {
			i = last + 1
			continue
		}
		k := last
		for k > i && base64s.has(text[k-1]) {
			k--
		}
		if k > i {
			i = k
			if i+minRun > len(text) {
				break
			}
			continue
		}
		end = last + 1
		for end < len(text) && base64s.has(text[end]) {
			end++
		}
		return i, end
	}
	return -1, -1
}

// decodeRun appends what a run of base64 decodes to, when it is text:
// TAB, LF, CR and U+0020-U+007E alone.
func decodeRun(dst, run []byte) ([]byte, bool) {
	if len(run)%4 == 1 {
		return dst, false
	}
	kept := len(dst)
	var four [4]byte
	for i := 0; i < len(run); i += 4 {
		n := copy(four[:], run[i:])
		var bits uint32
		for k := range n {
			bits |= uint32(sextet(four[k])) << (18 - 6*k)
		}
		for k := range n - 1 {
			c := byte(bits >> (16 - 8*k))
			if !isText(c) {
				return dst[:kept], false
			}
			dst = append(dst, c)
		}
	}
	return dst, true
}

func isText(c byte) bool { return c >= 0x20 && c <= 0x7e || c == '\t' || c == '\n' || c == '\r' }

func sextet(c byte) byte {
	switch {
	case isUpper(c):
		return c - 'A'
	case isLower(c):
		return c - 'a' + 26
	case isDigit(c):
		return c - '0' + 52
	case c == '+' || c == '-':
		return 62
	}
	return 63
}

// decodeBase64 decodes as much of a text as is base64, in either alphabet,
// padded or not.
func decodeBase64(text []byte) []byte {
	text = bytes.TrimRight(text, "=")
	plain := make([]byte, 0, len(text))
	for _, c := range text {
		switch c {
		case '-':
			c = '+'
		case '_':
			c = '/'
		}
		plain = append(plain, c)
	}
	if len(plain)%4 == 1 {
		plain = plain[:len(plain)-1]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(plain)))
	n, err := base64.RawStdEncoding.Decode(out, plain)
	if err != nil && n == 0 {
		return nil
	}
	return out[:n]
}
