package rules

import (
	"fmt"
	"math/bits"
	"regexp/syntax"
)

// A byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }
func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }

func (s *byteSet) addRange(lo, hi byte) {
	for c := int(lo); c <= int(hi); c++ {
		s.add(byte(c))
	}
}

func (s *byteSet) addAll(other byteSet) {
	for i := range s {
		s[i] |= other[i]
	}
}

func setOf(chars string) byteSet {
	var s byteSet
	for i := range len(chars) {
		s.add(chars[i])
	}
	return s
}

// classOf reads a class such as [A-Za-z0-9_].
func classOf(expr string) (byteSet, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return byteSet{}, err
	}
	set, ok := singleByte(re)
	if !ok {
		return byteSet{}, fmt.Errorf("%q is no class of ASCII characters", expr)
	}
	return set, nil
}

// singleByte gives the bytes of an expression that is one ASCII character.
func singleByte(re *syntax.Regexp) (byteSet, bool) {
	var s byteSet
	switch re.Op {
	case syntax.OpLiteral:
		if len(re.Rune) != 1 || re.Rune[0] >= 0x80 || re.Flags&syntax.FoldCase != 0 {
			return s, false
		}
		s.add(byte(re.Rune[0]))
		return s, true
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i+1] >= 0x80 {
				return s, false
			}
			s.addRange(byte(re.Rune[i]), byte(re.Rune[i+1]))
		}
		return s, len(re.Rune) > 0
	}
	return s, false
}

var (
	alnums = mustClass("[A-Za-z0-9]")
	spaces = mustClass(`[\t\n\v\f\r ]`)
	// What a run of base64 is made of, in either alphabet (contract 10 §15.1).
	base64s = mustClass("[A-Za-z0-9+/_-]")
	names   = mustClass("[A-Za-z0-9_.-]")
	quotes  = setOf("\"'`")
)

// mustClass is for classes written in this package.
func mustClass(expr string) byteSet {
	s, err := classOf(expr)
	if err != nil {
		panic("rules: " + err.Error())
	}
	return s
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isAlpha(c byte) bool { return isLower(c) || isUpper(c) }

func lower(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
}

func (s *byteSet) count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// asciiWithin reports whether the ASCII part of a set is within another.
func (s *byteSet) asciiWithin(other *byteSet) bool {
	return s[0]&^other[0] == 0 && s[1]&^other[1] == 0
}
