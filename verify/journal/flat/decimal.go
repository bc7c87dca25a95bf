package flat

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
)

// smallDigits is the most digits an integer may have to be kept as an int64.
const smallDigits = 18

// maxExponent is where exponents stop being told apart: two numbers of which
// one has an exponent beyond it compare as if it were this one.
const maxExponent = 1 << 60

// A Decimal is an exact number, of any size: 1e1000000000 costs no more than
// 1. The zero Decimal is 0. It does not refer to the text it was read from.
type Decimal struct {
	small int64 // the value, when digits is empty: an integer below 10^18
	// The value otherwise is ±digits × 10^exp, with no zero at either end of
	// the digits.
	digits string
	exp    int64
	neg    bool
}

// Int makes a Decimal of an integer of at most 18 digits.
func Int(i int64) Decimal { return Decimal{small: i} }

// Small is the value of an integer that has at most 18 digits.
func (d Decimal) Small() (i int64, ok bool) { return d.small, d.digits == "" }

// IsInteger reports whether the number has no fraction: 1.0, 1e2 and -0 are
// integers.
func (d Decimal) IsInteger() bool { return d.digits == "" || d.exp >= 0 }

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int {
	switch {
	case d.digits == "":
		return cmp.Compare(d.small, 0)
	case d.neg:
		return -1
	}
	return 1
}

// Cmp compares the exact values.
func (d Decimal) Cmp(e Decimal) int {
	if d.digits == "" && e.digits == "" {
		return cmp.Compare(d.small, e.small)
	}
	if c := cmp.Compare(d.Sign(), e.Sign()); c != 0 {
		return c
	}
	d, e = d.wide(), e.wide()
	if c := cmp.Compare(d.top(), e.top()); c != 0 {
		return c * d.Sign()
	}
	return strings.Compare(d.digits, e.digits) * d.Sign() // aligned at the top
}

// top is the position of the digit before the first: the number is below 10^top.
func (d Decimal) top() int64 { return int64(len(d.digits)) + d.exp }

// wide is the same number in the form of large ones; 0 has no digits there.
func (d Decimal) wide() Decimal {
	if d.digits != "" || d.small == 0 {
		return d
	}
	text := strconv.FormatInt(d.small, 10)
	w := Decimal{neg: text[0] == '-'}
	text = strings.TrimPrefix(text, "-")
	w.digits = strings.TrimRight(text, "0")
	w.exp = int64(len(text) - len(w.digits))
	return w
}

// String writes the number for people: in full when that is short.
func (d Decimal) String() string {
	const most = 40
	if d.digits == "" {
		return strconv.FormatInt(d.small, 10)
	}
	sign := ""
	if d.neg {
		sign = "-"
	}
	top := d.top()
	switch {
	case d.exp >= 0 && top <= most:
		return sign + d.digits + strings.Repeat("0", int(d.exp))
	case d.exp < 0 && top > 0 && len(d.digits) <= most:
		return sign + d.digits[:top] + "." + d.digits[top:]
	case d.exp < 0 && d.exp > -most && top <= 0:
		return sign + "0." + strings.Repeat("0", int(-top)) + d.digits
	}
	short := d.digits
	if len(short) > most {
		short = short[:most] + "…"
	}
	if len(short) > 1 {
		short = short[:1] + "." + short[1:]
	}
	return sign + short + "e" + strconv.FormatInt(top-1, 10)
}

// parseDecimal reads a literal whose grammar was checked.
func parseDecimal(lit []byte, plain bool) Decimal {
	if plain && len(lit) <= smallDigits {
		return Decimal{small: parseSmall(lit)}
	}
	return parseWide(lit)
}

func parseSmall(lit []byte) int64 {
	neg := lit[0] == '-'
	if neg {
		lit = lit[1:]
	}
	var i int64
	for _, c := range lit {
		i = i*10 + int64(c-'0')
	}
	if neg {
		return -i
	}
	return i
}

// parseWide reads any literal.
func parseWide(lit []byte) Decimal {
	d := Decimal{neg: lit[0] == '-'}
	lit = bytes.TrimPrefix(lit, []byte{'-'})
	if e := bytes.IndexAny(lit, "eE"); e >= 0 {
		d.exp = parseExponent(lit[e+1:])
		lit = lit[:e]
	}
	whole, fraction, _ := bytes.Cut(lit, []byte{'.'})
	digits := make([]byte, 0, len(whole)+len(fraction))
	digits = append(append(digits, whole...), fraction...)
	d.exp -= int64(len(fraction))
	digits = bytes.TrimLeft(digits, "0")
	trimmed := bytes.TrimRight(digits, "0")
	d.exp += int64(len(digits) - len(trimmed))
	if len(trimmed) == 0 {
		return Decimal{}
	}
	d.digits = string(trimmed)
	if d.exp < 0 || d.top() > smallDigits {
		return d
	}
	i := parseSmall(trimmed)
	for range d.exp {
		i *= 10
	}
	if d.neg {
		i = -i
	}
	return Decimal{small: i}
}

// parseExponent reads an exponent, and stops counting at maxExponent.
func parseExponent(text []byte) int64 {
	neg := text[0] == '-'
	if neg || text[0] == '+' {
		text = text[1:]
	}
	text = bytes.TrimLeft(text, "0")
	e := int64(maxExponent)
	if len(text) == 0 {
		e = 0
	} else if len(text) <= smallDigits {
		e = parseSmall(text)
	}
	if neg {
		return -e
	}
	return e
}

// ParseNumber reads the literal of a number whose grammar Parse has checked.
func ParseNumber(lit []byte) Decimal { return parseWide(lit) }

// Size is about how many bytes the number holds.
func (d Decimal) Size() int { return len(d.digits) }
