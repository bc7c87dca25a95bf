package rules

import "regexp/syntax"

// A guard tells at an offset, at the cost of a few steps, that an expression
// does not match there. It is the automaton of a looser form of the
// expression's beginning: bounded repetitions of a character lose their upper
// bound, so that it needs not count.
type guard struct {
	automaton *automaton
	dead      uint32
}

// A guard of more states is not worth it.
const maxGuard = 400

// guardOf makes the guard of an expression, or nil.
func guardOf(re *syntax.Regexp) *guard {
	loose, _ := loosenAll(re)
	if _, nullable := firstBytes(loose); nullable {
		return nil
	}
	a, err := build([]*syntax.Regexp{loose}, atOnce, maxGuard)
	if err != nil {
		return nil
	}
	g := &guard{automaton: a, dead: a.accept}
	for s := uint32(0); s < a.accept; s += a.width {
		dead := true
		for _, to := range a.next[s : s+a.width] {
			dead = dead && to == s
		}
		if dead {
			g.dead = s
		}
	}
	return g
}

// loosenAll loosens part after part, as far as it can; whole says whether that
// was all.
func loosenAll(re *syntax.Regexp) (loose *syntax.Regexp, whole bool) {
	loose = &syntax.Regexp{Op: syntax.OpConcat}
	for _, part := range flatten(nil, re) {
		more, whole := loosen(part)
		if more != nil {
			loose.Sub = append(loose.Sub, more)
		}
		if !whole {
			return loose, false
		}
	}
	return loose, true
}

// loosen gives a looser form of one part, or of its beginning when whole is
// false; nil stands for the empty text.
func loosen(re *syntax.Regexp) (loose *syntax.Regexp, whole bool) {
	switch {
	case isAssertion(re):
		return nil, true
	case re.Op == syntax.OpAlternate:
		loose, whole = &syntax.Regexp{Op: syntax.OpAlternate}, true
		for _, sub := range re.Sub {
			more, all := loosenAll(sub)
			loose.Sub = append(loose.Sub, more)
			whole = whole && all
		}
		return loose, whole
	case !isASCII(re):
		return nil, false
	case re.Op != syntax.OpRepeat || re.Max >= 0 && re.Max <= mostTimes(re.Sub[0]):
		return re, true
	case longest(re.Sub[0]) > 1:
		if re.Min == 0 {
			return nil, false
		}
		times := min(re.Min, max(1, mostTimes(re.Sub[0])))
		return &syntax.Regexp{Op: syntax.OpRepeat, Min: times, Max: times, Sub: re.Sub}, false
	}
	least := min(re.Min, narrowTimes)
	return &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{
		{Op: syntax.OpRepeat, Min: least, Max: least, Sub: re.Sub},
		{Op: syntax.OpStar, Sub: re.Sub},
	}}, true
}

// may reports whether the expression may match at the beginning of a text.
func (g *guard) may(text []byte) bool {
	a := g.automaton
	state := uint32(0)
	for _, c := range text {
		state = a.next[state+uint32(a.class[c])]
		if state >= a.accept {
			return true
		}
		if state == g.dead {
			return false
		}
	}
	return false
}
