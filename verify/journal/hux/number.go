package hux

import (
	"bytes"
	"strconv"

	"finishline/verify/journal/flat"
)

// follows reports whether n is exactly m+1, for numbers of any size.
func follows(n, m flat.Decimal) bool {
	a, small := n.Small()
	b, alsoSmall := m.Small()
	if small && alsoSmall {
		return a == b+1
	}
	if n.Sign() < 0 || m.Sign() < 0 {
		return false // only counters are asked about
	}
	after, ok := plain(n)
	before, alsoOK := plain(m)
	return ok && alsoOK && bytes.Equal(after, successor(before))
}

// maxPlain bounds the digits that follows writes out. Of two neighbours one
// does not end in 0, so that its digits all stood in the text of a line.
const maxPlain = MaxLine + 1

// plain writes the digits of an integer out.
func plain(n flat.Decimal) (digits []byte, ok bool) {
	digits, exponent, _ := bytes.Cut(n.AppendNormal(nil), []byte{'e'})
	zeros, err := strconv.ParseInt(string(exponent), 10, 64)
	if err != nil || zeros < 0 || zeros > maxPlain {
		return nil, false
	}
	return append(bytes.Clone(digits), bytes.Repeat([]byte{'0'}, int(zeros))...), true
}

// successor adds one to a text of digits, in place where it can.
func successor(digits []byte) []byte {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] != '9' {
			digits[i]++
			return digits
		}
		digits[i] = '0'
	}
	return append([]byte{'1'}, digits...)
}

// beyondSafe reports whether a number is an integer beyond ±(2^53 - 1).
func beyondSafe(n flat.Decimal) bool {
	if i, small := n.Small(); small {
		return i > maxSafe || i < -maxSafe
	}
	return n.IsInteger()
}

const maxSafe = 1<<53 - 1
