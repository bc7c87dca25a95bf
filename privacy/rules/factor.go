package rules

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A factor is a small expression that occurs in every match of a larger one,
// so that a text without it needs no closer look. It is derived from the
// expression and cannot get out of step with it.
type factor struct {
	tree   *syntax.Regexp
	before int     // bytes from the beginning of a match to the end of its factor, at most
	chance float64 // how often it occurs by chance, roughly, by byte
}

// Bounds of a factor. It stays small, because all factors together become one
// automaton.
const (
	factorBytes = 26 // longest text of a part that is taken whole
	factorSize  = 40 // bytes of the longest text of all
	narrowClass = 24 // characters; a repeated class with more of them
	narrowTimes = 5  // is taken wideTimes, and not narrowTimes
	wideTimes   = 2
	groupBytes  = 16    // of a repeated group, all times together
	rareEnough  = 1e-10 // a factor that is rarer is not worth more states
)

// factorOf derives the rarest factor; ok is false when there is none.
func factorOf(re *syntax.Regexp) (f factor, ok bool) {
	switch re.Op {
	case syntax.OpCapture:
		return factorOf(re.Sub[0])
	case syntax.OpAlternate:
		f.tree = &syntax.Regexp{Op: syntax.OpAlternate}
		for _, sub := range re.Sub {
			g, ok := factorOf(sub)
			if !ok {
				return f, false
			}
			f.tree.Sub = append(f.tree.Sub, g.tree)
			f.before = max(f.before, g.before)
			f.chance += g.chance
		}
		return f, true
	}
	parts := flatten(nil, re)
	before := 0
	for i, part := range parts {
		for _, g := range windows(parts[i:], before) {
			if !ok || better(g, f) {
				f, ok = g, true
			}
		}
		before = bounded(before + longest(part))
	}
	return f, ok
}

func better(g, f factor) bool { return max(g.chance, rareEnough) < max(f.chance, rareEnough) }

// flatten lists the parts of a concatenation, a character of a literal each.
func flatten(parts []*syntax.Regexp, re *syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			parts = flatten(parts, sub)
		}
		return parts
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			parts = append(parts, &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: []rune{r}})
		}
		return parts
	}
	return append(parts, re)
}

// windows gives the factors that begin with the first of the parts, where so
// many bytes may come before.
func windows(parts []*syntax.Regexp, before int) []factor {
	var list []factor
	var taken []*syntax.Regexp
	size, chance := 0, 1.0
	emit := func() {
		list = append(list, factor{
			tree: &syntax.Regexp{Op: syntax.OpConcat, Sub: slices.Clone(taken)}, before: before, chance: chance,
		})
	}
	for i, part := range parts {
		n := longest(part)
		_, nullable := firstBytes(part)
		if isAssertion(part) || i == 0 && nullable {
			return list
		}
		if isWhole(part) {
			if size += n; size > factorSize {
				return list
			}
			before = bounded(before + n)
			taken, chance = append(taken, part), chance*chanceOf(part)
			if !nullable {
				emit()
			}
			continue
		}
		short, times := cutRepeat(part)
		if short != nil && i > 0 && overlap(taken[i-1], short) {
			// The automaton would have to count from each of its beginnings.
			short.Min, short.Max, times = 1, 1, 1
		}
		if short == nil {
			if part.Op == syntax.OpAlternate && i == 0 {
				if f, ok := factorOf(part); ok {
					f.before = bounded(f.before + before)
					list = append(list, f)
				}
			}
			return list
		}
		// Part of a repetition: its end when the factor begins with it, else
		// its beginning.
		if i == 0 {
			before = bounded(before + n)
		} else {
			before = bounded(before + times*longest(part.Sub[0]))
		}
		taken, chance = append(taken, short), chance*chanceOf(short)
		emit()
		if i > 0 {
			return list
		}
	}
	return list
}

func isAssertion(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpEmptyMatch:
		return true
	}
	return false
}

// cutRepeat gives a few times what a repetition has at least so often.
func cutRepeat(re *syntax.Regexp) (short *syntax.Regexp, times int) {
	least := 0
	switch re.Op {
	case syntax.OpPlus:
		least = 1
	case syntax.OpRepeat:
		least = re.Min
	}
	one := re.Sub
	if least == 0 || !isASCII(one[0]) {
		return nil, 0
	}
	times = min(least, mostTimes(one[0]))
	if times == 0 {
		return nil, 0
	}
	return &syntax.Regexp{Op: syntax.OpRepeat, Min: times, Max: times, Sub: re.Sub}, times
}

// overlap reports whether two expressions may begin with the same byte.
func overlap(a, b *syntax.Regexp) bool {
	x, _ := firstBytes(a)
	y, _ := firstBytes(b)
	for i := range x {
		if x[i]&y[i] != 0 {
			return true
		}
	}
	return false
}

// mostTimes is how often a repeated expression may be in a factor.
func mostTimes(re *syntax.Regexp) int {
	n := max(1, longest(re))
	set, _ := firstBytes(re)
	switch {
	case n > 1:
		return groupBytes / n
	case set.count() > narrowClass:
		return wideTimes
	}
	return narrowTimes
}

// isWhole reports whether an expression may be in a factor as it is.
func isWhole(re *syntax.Regexp) bool {
	if longest(re) > factorBytes || !isASCII(re) {
		return false
	}
	if re.Op == syntax.OpRepeat && re.Max > mostTimes(re.Sub[0]) {
		return false
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !isWhole(sub) })
}

// isASCII reports whether every match of an expression is ASCII, other folds
// of letters apart, and none asks what is around it.
func isASCII(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return re.Rune[0] < utf8.RuneSelf
	case syntax.OpCharClass:
		for i := 1; i < len(re.Rune); i += 2 {
			// The folds of k and s are the only ones beyond ASCII.
			if re.Rune[i] >= utf8.RuneSelf && !(re.Rune[i] == re.Rune[i-1] && unicode.SimpleFold(re.Rune[i]) < utf8.RuneSelf) {
				return false
			}
		}
		return true
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpEmptyMatch:
		return true
	}
	if isAssertion(re) {
		return false
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !isASCII(sub) })
}

// chanceOf estimates how often a text begins with a match, in text of the
// kind that programs, logs and documents are.
func chanceOf(re *syntax.Regexp) float64 {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass:
		set, _ := firstBytes(re)
		p := 0.0
		for c := range 128 {
			if set.has(byte(c)) {
				p += frequency(byte(c))
			}
		}
		return p
	case syntax.OpQuest, syntax.OpStar:
		return 1
	case syntax.OpRepeat:
		p := 1.0
		for range re.Min {
			p *= chanceOf(re.Sub[0])
		}
		return p
	case syntax.OpAlternate:
		p := 0.0
		for _, sub := range re.Sub {
			p += chanceOf(sub)
		}
		return min(p, 1)
	}
	p := 1.0
	for _, sub := range flatten(nil, re) {
		if sub == re {
			return 1
		}
		p *= chanceOf(sub)
	}
	return p
}

func frequency(c byte) float64 {
	switch {
	case c == ' ':
		return 0.12
	case isLower(c):
		return 0.07
	case isDigit(c), c == '.', c == '_', c == '"', c == '/', c == '-', c == '(', c == ')', c == ',', c == '=', c == ':':
		return 0.012
	case isUpper(c):
		return 0.005
	}
	return 0.003
}

// A runBound is what every match of an expression has of consecutive base64
// characters, at least: at its beginning, at its end, anywhere; its length;
// and whether it consists of nothing else.
type runBound struct {
	first, last, any, length int
	all                      bool
}

// runOf computes the bound. A rule whose matches all hold a run of minRun or
// more needs to look only at lines that have one.
func runOf(re *syntax.Regexp) runBound {
	switch re.Op {
	case syntax.OpLiteral:
		b := runBound{all: true}
		for _, r := range re.Rune {
			b = b.then(runOfSet(r < utf8.RuneSelf && base64s.has(byte(r))))
		}
		return b
	case syntax.OpCharClass:
		set, _ := firstBytes(re)
		return runOfSet(isASCII(re) && set.asciiWithin(&base64s))
	case syntax.OpCapture:
		return runOf(re.Sub[0])
	case syntax.OpConcat:
		b := runBound{all: true}
		for _, sub := range re.Sub {
			b = b.then(runOf(sub))
		}
		return b
	case syntax.OpAlternate:
		b := runOf(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			o := runOf(sub)
			b = runBound{min(b.first, o.first), min(b.last, o.last), min(b.any, o.any), min(b.length, o.length), b.all && o.all}
		}
		return b
	case syntax.OpPlus:
		return runOf(re.Sub[0])
	case syntax.OpRepeat:
		one := runOf(re.Sub[0])
		b := runBound{all: one.all}
		for range re.Min {
			b = b.then(one)
		}
		return b
	case syntax.OpStar, syntax.OpQuest:
		return runBound{all: runOf(re.Sub[0]).all}
	}
	return runBound{all: isAssertion(re)}
}

func runOfSet(in bool) runBound {
	if in {
		return runBound{1, 1, 1, 1, true}
	}
	return runBound{length: 1}
}

// then gives the bound of a match of b and one of o after it.
func (b runBound) then(o runBound) runBound {
	sum := runBound{first: b.first, last: o.last, any: max(b.any, o.any, b.last+o.first), length: b.length + o.length, all: b.all && o.all}
	if b.all {
		sum.first = b.length + o.first
	}
	if o.all {
		sum.last = b.last + o.length
	}
	return sum
}
