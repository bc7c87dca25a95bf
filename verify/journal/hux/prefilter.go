package hux

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A prefilter tells in one pass over a text which patterns could match it. It
// knows, of every pattern, some texts of which each match holds at least one
// (its factors), and keeps three bytes of each factor, in ASCII lower case, in a
// bitmap. Nearly all texts hold none of them, and no expression is
// run on those.
//
// It may name a pattern that does not match, never the other way round: a
// pattern of which no factor can be told is named for every text.
type prefilter struct {
	grams  [1 << 16 / 64]uint64
	owners []owner
	always patternSet
	all    patternSet
}

// A patternSet has a bit for each pattern; the last bit stands for all patterns
// from the 64th on.
type patternSet uint64

func setOf(pattern int) patternSet { return 1 << min(pattern, 63) }

func (s patternSet) has(pattern int) bool { return s&setOf(pattern) != 0 }

// An owner says which patterns have a factor that a gram was taken of.
type owner struct {
	gram [gram]byte
	set  patternSet
}

const gram = 3

// gramSlot is where three bytes have their bit.
func gramSlot(a, b, c byte) uint32 {
	return (uint32(a)<<11 ^ uint32(b)<<5 ^ uint32(c)) & 0xFFFF
}

// add enters the pattern of that number.
func (f *prefilter) add(pattern int, re *syntax.Regexp) {
	set := setOf(pattern)
	f.all |= set
	factors := factorsOf(re).best()
	if factors == nil {
		f.always |= set
	}
	for _, text := range factors {
		f.own(rarest(text), set)
	}
}

// letters of English, from the most frequent on.
const letters = "etaoinshrdlcumwfgypbvkjxqz"

// rarest is the gram of a factor that other texts are least likely to hold.
func rarest(factor string) (best [gram]byte) {
	most := -1
	for i := range len(factor) - gram + 1 {
		g := [gram]byte{lower(factor[i]), lower(factor[i+1]), lower(factor[i+2])}
		rare := 0
		for _, c := range g {
			if at := strings.IndexByte(letters, c); at >= 0 {
				rare += at
			} else {
				rare += 2 * len(letters) // no letter at all
			}
		}
		if rare > most {
			best, most = g, rare
		}
	}
	return best
}

func (f *prefilter) own(g [gram]byte, set patternSet) {
	slot := gramSlot(g[0], g[1], g[2])
	f.grams[slot/64] |= 1 << (slot % 64)
	for i := range f.owners {
		if f.owners[i].gram == g {
			f.owners[i].set |= set
			return
		}
	}
	f.owners = append(f.owners, owner{g, set})
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// lowered has the lower case of every byte.
var lowered = func() (t [256]byte) {
	for c := range t {
		t[c] = lower(byte(c))
	}
	return t
}()

// candidates names the patterns that could match a text.
func (f *prefilter) candidates(text []byte) patternSet {
	set := f.always
	var a, b byte
	for _, c := range text {
		c = lowered[c]
		if slot := gramSlot(a, b, c); f.grams[slot/64]&(1<<(slot%64)) != 0 {
			set |= f.owned([gram]byte{a, b, c})
		}
		// Where case does not count, ſ is an s and the Kelvin sign a k.
		if c >= utf8.RuneSelf && (b == 0xC5 && c == 0xBF || a == 0xE2 && b == 0x84 && c == 0xAA) {
			return f.all
		}
		a, b = b, c
	}
	return set
}

func (f *prefilter) owned(g [gram]byte) patternSet {
	for i := range f.owners {
		if f.owners[i].gram == g {
			return f.owners[i].set
		}
	}
	return 0
}

// Bounds of the search for factors.
const (
	longS  = 0x17F  // ſ
	kelvin = 0x212A // the Kelvin sign

	maxExact   = 64 // texts that one expression may be equal to
	maxFactors = 256
)

// A need is what is known of the texts that an expression matches.
type need struct {
	// exact lists all texts that match, when they are few; nil otherwise.
	exact []string
	// some lists texts of which every match holds at least one; nil when none
	// are known. Each has at least three bytes.
	some []string
}

// best gives the factors: the exact texts, when all are long enough.
func (n need) best() []string {
	if long(n.exact) {
		return n.exact
	}
	return n.some
}

func long(texts []string) bool {
	if len(texts) == 0 || len(texts) > maxFactors {
		return false
	}
	for _, t := range texts {
		if len(t) < gram {
			return false
		}
	}
	return true
}

// factorsOf analyses an expression.
func factorsOf(re *syntax.Regexp) need {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return need{exact: []string{""}}
	case syntax.OpLiteral:
		return literalNeed(re)
	case syntax.OpCharClass:
		return classNeed(re.Rune)
	case syntax.OpCapture:
		return factorsOf(re.Sub[0])
	case syntax.OpPlus:
		return need{some: factorsOf(re.Sub[0]).best()}
	case syntax.OpRepeat:
		if re.Min >= 1 {
			return need{some: factorsOf(re.Sub[0]).best()}
		}
	case syntax.OpConcat:
		return concatNeed(re.Sub)
	case syntax.OpAlternate:
		return alternateNeed(re.Sub)
	}
	return need{}
}

// literalNeed takes a literal in lower case when case does not count. A letter
// beyond ASCII has foldings that lower case does not reach.
func literalNeed(re *syntax.Regexp) need {
	text := string(re.Rune)
	if re.Flags&syntax.FoldCase != 0 {
		text = strings.Map(func(c rune) rune {
			if c < utf8.RuneSelf {
				return rune(lower(byte(c)))
			}
			return c
		}, text)
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return need{}
		}
	}
	return need{exact: []string{text}}
}

func classNeed(ranges []rune) need {
	var exact []string
	for i := 0; i+1 < len(ranges); i += 2 {
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			if c == longS || c == kelvin {
				continue // candidates looks for these itself
			}
			if c >= utf8.RuneSelf || len(exact) == maxExact {
				return need{}
			}
			exact = append(exact, string(lowerRune(c)))
		}
	}
	return need{exact: exact}
}

func lowerRune(c rune) rune { return rune(lower(byte(c))) }

// concatNeed joins neighbours that are exact, and keeps the longest run of
// them, or else what some part needs.
func concatNeed(parts []*syntax.Regexp) need {
	var best []string
	keep := func(texts []string) {
		if long(texts) && (best == nil || shortest(texts) > shortest(best)) {
			best = texts
		}
	}
	run, whole := []string{""}, true
	for _, part := range parts {
		n := factorsOf(part)
		if joined := product(run, n.exact); joined != nil {
			run = joined
			continue
		}
		whole = false
		keep(run)
		keep(n.best())
		run = []string{""}
		if n.exact != nil {
			run = n.exact
		}
	}
	if whole {
		return need{exact: run}
	}
	keep(run)
	return need{some: best}
}

func shortest(texts []string) int {
	n := len(texts[0])
	for _, t := range texts {
		n = min(n, len(t))
	}
	return n
}

// product joins every text with every other, or gives nil when they are too
// many.
func product(heads, tails []string) []string {
	if tails == nil || len(heads)*len(tails) > maxExact {
		return nil
	}
	joined := make([]string, 0, len(heads)*len(tails))
	for _, h := range heads {
		for _, t := range tails {
			joined = append(joined, h+t)
		}
	}
	return joined
}

func alternateNeed(parts []*syntax.Regexp) need {
	var exact, some []string
	allExact, allSome := true, true
	for _, part := range parts {
		n := factorsOf(part)
		if n.exact == nil {
			allExact = false
		}
		exact = append(exact, n.exact...)
		if factors := n.best(); factors == nil {
			allSome = false
		} else {
			some = append(some, factors...)
		}
	}
	switch {
	case allExact && len(exact) <= maxExact:
		return need{exact: exact}
	case allSome && len(some) <= maxFactors:
		return need{some: some}
	}
	return need{}
}
