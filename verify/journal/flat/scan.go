package flat

import (
	"encoding/binary"
	"math/bits"
)

const (
	low  = 0x0101010101010101
	high = 0x8080808080808080
)

// str reads a string from after its opening quote to its closing one, whose
// offset it returns.
func (p *Parser) str(i int) (end int, escaped bool, reason string) {
	text := p.text
	for {
		for i+8 <= len(text) { // eight bytes at a time, up to one that needs a look
			x := binary.LittleEndian.Uint64(text[i:])
			quote, slash := x^(low*'"'), x^(low*'\\')
			stop := ((x - low*0x20) &^ x) | ((quote - low) &^ quote) | ((slash - low) &^ slash)
			if stop &= high; stop != 0 {
				i += bits.TrailingZeros64(stop) / 8
				break
			}
			i += 8
		}
		if i >= len(text) {
			return i, escaped, reasonEnd
		}
		switch c := text[i]; {
		case c == '"':
			return i, escaped, ""
		case c == '\\':
			escaped = true
			var why string
			if i, why = p.escape(i); why != "" {
				return i, escaped, why
			}
		case c < 0x20:
			return i, escaped, "a control character in a string"
		default:
			i++
		}
	}
}

// escape checks the escape at i, a surrogate pair as one, and returns the
// offset after it.
func (p *Parser) escape(i int) (after int, reason string) {
	const bad = "an escape that JSON does not have"
	if i+1 >= len(p.text) {
		return i + 1, reasonEnd
	}
	switch p.text[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, ""
	case 'u':
	default:
		return i, bad
	}
	u, ok := hex4(p.text, i+2)
	if !ok {
		return i, bad
	}
	if u < 0xD800 || u > 0xDFFF {
		return i + 6, ""
	}
	if u < 0xDC00 && i+7 < len(p.text) && p.text[i+6] == '\\' && p.text[i+7] == 'u' {
		if second, ok := hex4(p.text, i+8); ok && second >= 0xDC00 && second <= 0xDFFF {
			return i + 12, ""
		}
	}
	if p.surrogate == 0 {
		p.surrogate = i + 1
	}
	return i + 6, ""
}

func hex4(text []byte, i int) (u rune, ok bool) {
	if i+4 > len(text) {
		return 0, false
	}
	for _, c := range text[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		u = u<<4 | rune(c)
	}
	return u, true
}

// number reads a number and says whether it is digits only, with at most a
// sign.
func number(text []byte, i int) (end int, plain bool, reason string) {
	if text[i] == '-' {
		i++
	}
	whole := digits(text, i)
	if whole == i {
		return i, false, "no digits where a number must have some"
	}
	if text[i] == '0' && whole > i+1 {
		return i, false, "a number with a leading zero"
	}
	i, plain = whole, true
	if i < len(text) && text[i] == '.' {
		plain = false
		if end = digits(text, i+1); end == i+1 {
			return end, false, "no digits after a decimal point"
		}
		i = end
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		plain = false
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if end = digits(text, i); end == i {
			return end, false, "no digits in an exponent"
		}
		i = end
	}
	return i, plain, ""
}

func digits(text []byte, i int) int {
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	return i
}
