package privacy

import (
	"unicode/utf8"

	"finishline/canon"
)

// A class is a set of byte classes. Bytes of characters beyond ASCII belong to
// none of those that name what a match may hold; where the contract excludes
// characters ([^...]) they are allowed.
type class uint16

const (
	alnum     class = 1 << iota // [A-Za-z0-9]
	word                        // what \b looks at: [A-Za-z0-9_]
	hexDigit                    // [0-9A-Fa-f]
	bearing                     // what a bearer token is made of
	mailUser                    // [a-z0-9._%+-], any case
	mailHost                    // [a-z0-9.-], any case
	idByte                      // [a-z0-9_.:-], any case: the value of a named id
	pathStop                    // " ' ` , ; end a local path (and WS does)
	rootStop                    // what ends a path below /root, WS besides
	valueStop                   // \ " ' , ; } end a bare value (and WS does)
	afterID                     // " ' , ; } ] may follow a named id (and WS may)
	pathLeft                    // [a-z0-9._~/-], any case: no local path starts after it
)

var classes = func() (t [256]class) {
	add := func(c class, bytes string) {
		for i := range len(bytes) {
			t[bytes[i]] |= c
		}
	}
	const digits, lower, upper = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	const letters = lower + upper
	add(alnum|word|bearing|mailUser|mailHost|idByte|pathLeft, digits+letters)
	add(word, "_")
	add(hexDigit, digits+"abcdefABCDEF")
	add(bearing, "._~+/=-")
	add(mailUser, "._%+-")
	add(mailHost, ".-")
	add(idByte, "_.:-")
	add(pathStop|rootStop, "\"'`,;")
	add(rootStop, "<>()[]{}")
	add(valueStop, "\\\"',;}")
	add(afterID, "\"',;}]")
	add(pathLeft, "._~/-")
	return t
}()

func is(b byte, c class) bool { return classes[b]&c != 0 }

// boundary is \b at index i.
func boundary(s string, i int) bool {
	before := i > 0 && is(s[i-1], word)
	after := i < len(s) && is(s[i], word)
	return before != after
}

// run returns the end of the run of bytes of a class that starts at i.
func run(s string, i int, c class) int {
	for i < len(s) && is(s[i], c) {
		i++
	}
	return i
}

// until returns the first index from i on where a byte of the class or WS
// stands, or the end.
func until(s string, i int, stop class) int {
	for i < len(s) && !is(s[i], stop) && canon.SpaceAt(s, i) == 0 {
		i++
	}
	return i
}

// backSpace returns the start of the run of WS that ends at i.
func backSpace(s string, i int) int {
	for i > 0 {
		c, n := rune(s[i-1]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeLastRuneInString(s[:i])
		}
		if !canon.IsSpace(c) {
			break
		}
		i -= n
	}
	return i
}

// hasFold reports whether s starts with prefix, which is in lower case, in any
// ASCII case.
func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && canon.LowerASCII(s[:len(prefix)]) == prefix
}

func isQuote(b byte) bool { return b == '"' || b == '\'' }

// operator walks back from the operator : or = at op over [W]*["']?[W]* and
// returns where the name before it ends.
func operator(s string, op int) (nameEnd int) {
	end := backSpace(s, op)
	if end > 0 && isQuote(s[end-1]) {
		end = backSpace(s, end-1)
	}
	return end
}

// nextOperator returns the first : or = from i on, or -1.
func nextOperator(s string, i int) int {
	for ; i < len(s); i++ {
		if s[i] == ':' || s[i] == '=' {
			return i
		}
	}
	return -1
}
