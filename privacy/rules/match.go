package rules

import (
	"slices"
	"unicode/utf8"
)

// How much a rule may look at in vain in one view, in bytes: so many times the
// view's length, and at least so many. Only a text made for it comes near: it
// begins one long match after another, each of which a check refuses. Beyond
// the bound nothing is refused any more, so that such a text costs time in
// proportion to its length and hides nothing.
const (
	vainFactor = 64
	vainLeast  = 1 << 20
)

// A place is where a rule may match: its factor ended at the offset, and a
// match that holds it begins at most so many bytes before.
type place struct {
	program int32
	end     int32
	before  int32
}

// A taken is the span of an accepted match.
type taken struct{ start, end int }

// A matcher holds the rules against one view after another.
type matcher struct {
	taken []taken // of this view, sorted by start
}

// match calls accept for each match of the programs at the places, which are
// sorted by program and end (contract 10 §15.2).
func (w *matcher) match(v *view, programs []*program, places []place, accept func(p *program, m match)) {
	w.taken = w.taken[:0]
	for len(places) > 0 {
		n := 1
		for n < len(places) && places[n].program == places[0].program {
			n++
		}
		w.matchOne(v, programs[places[0].program], places[:n], accept)
		places = places[n:]
	}
}

func (w *matcher) matchOne(v *view, p *program, places []place, accept func(p *program, m match)) {
	next, vain := 0, 0
	bound := max(vainLeast, vainFactor*len(v.text))
	for _, at := range places {
		for s := max(next, int(at.end-at.before)); s < int(at.end); {
			m, ok := p.at(v.text, s)
			if !ok {
				s++
				next = s
				continue
			}
			if vain <= bound && (p.bounded(v.text, m) || p.refused(v, m)) || w.overlaps(m) {
				vain += m.end - m.start
				s++
				next = s
				continue
			}
			w.take(m)
			accept(p, m)
			s = m.end
			next = s
		}
	}
}

// at tries the expression at one offset. The boundary on the left is asked
// first: where it fails, a match would be refused.
func (p *program) at(text []byte, s int) (match, bool) {
	if !p.first.has(text[s]) || s > 0 && p.left.has(text[s-1]) {
		return match{}, false
	}
	if len(p.prefix) > 0 && !hasPrefix(text[s:], p.prefix) {
		return match{}, false
	}
	re, from := p.start, s
	if p.inner != nil && s > 0 {
		_, n := utf8.DecodeLastRune(text[:s])
		re, from = p.inner, s-n
	}
	rest := text[from:]
	// A match cannot reach the end of what is cut off here, so that the end
	// is not mistaken for the end of the text.
	if most := p.longest + 2*utf8.UTFMax; most < len(rest) {
		rest = rest[:most]
	}
	loc := re.FindSubmatchIndex(rest)
	if loc == nil || from+loc[1] == s {
		return match{}, false
	}
	m := match{start: s, end: from + loc[1], from: s, to: from + loc[1]}
	group := p.rule.SecretGroup
	if group == 0 && len(loc) > 2 {
		group = 1
	}
	if 2*group < len(loc) && group > 0 && loc[2*group] >= 0 {
		m.from, m.to = from+loc[2*group], from+loc[2*group+1]
	}
	return m, true
}

func hasPrefix(text, prefix []byte) bool {
	return len(text) >= len(prefix) && string(text[:len(prefix)]) == string(prefix)
}

// bounded reports whether the neighbour on the right forbids a match.
func (p *program) bounded(text []byte, m match) bool {
	return m.end < len(text) && p.right.has(text[m.end])
}

// refused reports whether entropy or a check refuses a match.
func (p *program) refused(v *view, m match) bool {
	if p.rule.Entropy > 0 && entropy(v.text[m.from:m.to]) < p.rule.Entropy {
		return true
	}
	for _, c := range p.checks {
		if !c(v, m) {
			return true
		}
	}
	return false
}

func (w *matcher) overlaps(m match) bool {
	i, _ := slices.BinarySearchFunc(w.taken, m.end, func(t taken, end int) int { return t.start - end })
	return i > 0 && w.taken[i-1].end > m.start
}

func (w *matcher) take(m match) {
	i, _ := slices.BinarySearchFunc(w.taken, m.start, func(t taken, start int) int { return t.start - start })
	w.taken = slices.Insert(w.taken, i, taken{m.start, m.end})
}
