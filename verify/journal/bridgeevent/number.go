package bridgeevent

import (
	"math"
	"strconv"
	"strings"
)

// Integer reads a JSON number literal as a 64-bit integer, exactly and never
// through a double: 1718000000000000001, 1.0 and 1.718e18 are integers, 1.5 and
// 1e19 are none. The cost does not grow with the exponent.
func Integer(literal string) (n int64, ok bool) {
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(literal), "e")
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, true
	}
	zeros := 0
	if scaled {
		e, err := strconv.Atoi(exponent)
		if err != nil {
			return 0, false // beyond any literal that is read here
		}
		zeros = e
	}
	kept := strings.TrimRight(digits, "0")
	zeros = zeros - len(fraction) + len(digits) - len(kept)
	if zeros < 0 || zeros > maxDigits || len(kept)+zeros > maxDigits {
		return 0, false
	}
	if negative {
		kept = "-" + kept
	}
	n, err := strconv.ParseInt(kept+strings.Repeat("0", zeros), 10, 64)
	return n, err == nil
}

// maxDigits is how many digits the largest 64-bit integer has.
const maxDigits = 19

// A span is where a number lies.
type span int

const (
	invalid span = iota // no number
	outside             // beyond 64 bits
	inside
)

// literalTime reads the number literal of a raw notice: integers exactly,
// others as a double that is cut toward zero (section 3).
func literalTime(literal string) (int64, span) {
	if !strings.ContainsAny(literal, ".eE") {
		return within(strconv.ParseInt(literal, 10, 64))
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || f >= 1<<63 || f < math.MinInt64 {
		return 0, outside
	}
	return int64(f), inside
}

// textTime reads the string form: [+-]?[0-9]+.
func textTime(s string) (int64, span) {
	digits := s
	if s != "" && (s[0] == '+' || s[0] == '-') {
		digits = s[1:]
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, invalid
	}
	return within(strconv.ParseInt(s, 10, 64))
}

func within(n int64, err error) (int64, span) {
	if err != nil {
		return 0, outside
	}
	return n, inside
}

// units are the magnitudes of section 3, largest first: numbers of at least
// that size are in units of so many nanoseconds.
var units = []struct{ least, nanoseconds int64 }{
	{1e18, 1},
	{1e15, 1e3},
	{1e12, 1e6},
	{1e9, 1e9},
}

// scale turns a time into nanoseconds, or gives the rule that fails.
func scale(n int64) (ns int64, rule string) {
	for _, u := range units {
		if n > -u.least && n < u.least {
			continue
		}
		ns = n * u.nanoseconds
		switch {
		case ns/u.nanoseconds != n:
			return 0, "bridge-event.ts.overflow"
		case n <= 0:
			return 0, "bridge-event.ts.non-positive"
		}
		return ns, ""
	}
	return 0, "bridge-event.ts.magnitude"
}
