package packet

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"finishline/canon"
)

// The two patterns of contract 05, §4.3 are matched by hand, on UTF-16 code
// units, because the counts, the word boundary, the line terminators, the
// white space and the case folding that the contract asks for are not those of
// package regexp.

// maxGap is the most code units between a verb and the self-healing it
// governs.
const maxGap = 48

var (
	directSignals = [...][]uint16{units("outage"), units("regression")}
	healVerbs     = [...][]uint16{
		units("apply"), units("perform"), units("execute"), units("run"),
		units("remediate"), units("recover"), units("recovery"), units("corrective"),
	}
	healOutcomes = [...][]uint16{units("remediation"), units("recovery")}

	wordProduction = units("production")
	wordIncident   = units("incident")
	wordResponse   = units("response")
	wordCorrective = units("corrective")
	wordWork       = units("work")
	wordSelf       = units("self")
	wordHeal       = units("heal")
	wordIng        = units("ing")
)

func units(s string) []uint16 { return utf16.Encode([]rune(s)) }

// signalsCorrection reports whether a text, as the run's documents word the
// request, speaks of an incident or of self-healing carried out.
func signalsCorrection(text string) bool {
	t := signalText(lowerUnits(text))
	for i := range t {
		if !t.boundary(i) {
			continue
		}
		switch t[i] {
		case 'o', 'r', 'p', 'i', 'a', 'e', 'c', 's':
			if t.incidentAt(i) || t.healAppliedAt(i) || t.healOutcomeAt(i) {
				return true
			}
		}
	}
	return false
}

// lowerUnits is s in UTF-16 code units, A to Z lower-cased.
func lowerUnits(s string) []uint16 {
	out := make([]uint16, 0, len(s))
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		if c == utf8.RuneError && n == 1 && i+2 < len(s) && s[i] == 0xED && s[i+1] >= 0xA0 {
			c, n = 0xD800, 3 // an unpaired surrogate is one unit, and no letter
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c > 0xFFFF {
			hi, lo := utf16.EncodeRune(c)
			out = append(out, uint16(hi), uint16(lo))
		} else {
			out = append(out, uint16(c))
		}
		i += n
	}
	return out
}

type signalText []uint16

func isWordUnit(u uint16) bool { return u < 0x80 && (canon.IsAlnum(byte(u)) || u == '_') }

func isLineTerminator(u uint16) bool {
	return u == '\n' || u == '\r' || u == 0x2028 || u == 0x2029
}

// boundary reports whether a word boundary lies before t[i].
func (t signalText) boundary(i int) bool {
	before := i > 0 && isWordUnit(t[i-1])
	after := i < len(t) && isWordUnit(t[i])
	return before != after
}

// literal is the end of lit at i, or -1.
func (t signalText) literal(i int, lit []uint16) int {
	if i < 0 || i+len(lit) > len(t) || !slices.Equal(t[i:i+len(lit)], lit) {
		return -1
	}
	return i + len(lit)
}

// word is the end of lit at i when word boundaries enclose it, or -1.
func (t signalText) word(i int, lit []uint16) int {
	end := t.literal(i, lit)
	if end < 0 || !t.boundary(i) || !t.boundary(end) {
		return -1
	}
	return end
}

// spaced is the end of the two words at i with white space between them, or
// -1.
func (t signalText) spaced(i int, first, second []uint16) int {
	gap := t.word(i, first)
	if gap < 0 {
		return -1
	}
	next := gap
	for next < len(t) && canon.IsSpace(rune(t[next])) {
		next++
	}
	if next == gap {
		return -1
	}
	return t.word(next, second)
}

// incidentAt matches the first pattern at a word boundary.
func (t signalText) incidentAt(i int) bool {
	for _, w := range directSignals {
		if t.word(i, w) > 0 {
			return true
		}
	}
	return t.spaced(i, wordProduction, wordIncident) > 0 || t.spaced(i, wordIncident, wordResponse) > 0
}

// selfHeal is the end of "self-heal" or "self healing" and their like at i, or
// -1.
func (t signalText) selfHeal(i int) int {
	at := t.literal(i, wordSelf)
	if at < 0 || !t.boundary(i) {
		return -1
	}
	if at < len(t) && (t[at] == '-' || t[at] == '_' || t[at] == ' ') {
		at++
	}
	if at = t.literal(at, wordHeal); at < 0 {
		return -1
	}
	if end := t.literal(at, wordIng); end > 0 && t.boundary(end) {
		return end
	}
	if t.boundary(at) {
		return at
	}
	return -1
}

// healAppliedAt matches the first half of the second pattern: a verb, and
// self-healing within reach of it.
func (t signalText) healAppliedAt(i int) bool {
	for _, verb := range healVerbs {
		if end := t.word(i, verb); end > 0 && t.within(end, func(at int) bool { return t.selfHeal(at) > 0 }) {
			return true
		}
	}
	return false
}

// healOutcomeAt matches its second half: self-healing, and what it is for.
func (t signalText) healOutcomeAt(i int) bool {
	end := t.selfHeal(i)
	return end > 0 && t.within(end, func(at int) bool {
		for _, w := range healOutcomes {
			if t.word(at, w) > 0 {
				return true
			}
		}
		return t.spaced(at, wordCorrective, wordWork) > 0
	})
}

// within tries match at every place that at most maxGap code units of the same
// line separate from i.
func (t signalText) within(i int, match func(at int) bool) bool {
	for gap := 0; gap <= maxGap && i+gap < len(t); gap++ {
		if match(i + gap) {
			return true
		}
		if isLineTerminator(t[i+gap]) {
			return false
		}
	}
	return false
}
