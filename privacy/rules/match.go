package rules

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// How much a rule whose matches have no bound may look at in vain in one view,
// in bytes: so many times the view's length, and at least so many. Only a text
// made for it comes near: it begins one long match after another, each of which
// a check refuses. Beyond the bound nothing is refused any more, so that such a
// text costs time in proportion to its length and hides nothing.
const (
	vainFactor = 8
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

// match holds the programs at the places against one view (contract 10 §15.2).
func (w *worker) match(text []byte, src source) {
	if len(text) == 0 {
		return
	}
	for _, i := range w.engine.always {
		w.places = append(w.places, place{program: i, end: int32(len(text)), before: int32(len(text))})
	}
	if len(w.places) == 0 {
		return
	}
	sortPlaces(w.places)
	w.seen, w.source, w.taken = view{text: text}, src, w.taken[:0]
	for places := w.places; len(places) > 0; {
		n := 1
		for n < len(places) && places[n].program == places[0].program {
			n++
		}
		p := w.engine.programs[places[0].program]
		if p.rule.Base64 || !src.base64 {
			w.matchOne(p, places[:n])
		}
		places = places[n:]
	}
}

func sortPlaces(places []place) {
	if len(places) > 1 {
		slices.SortFunc(places, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.program, b.program), cmp.Compare(a.end, b.end))
		})
	}
}

func (w *worker) matchOne(p *program, places []place) {
	v := &w.seen
	next, vain := 0, 0
	bound := max(vainLeast, vainFactor*len(v.text))
	if p.longest < unlimited {
		bound = unlimited
	}
	for _, at := range places {
		end := min(int(at.end), len(v.text))
		for next = max(next, int(at.end-at.before)); next < end; {
			m, ok := p.at(v.text, next)
			if !ok {
				next++
				continue
			}
			if vain <= bound && (p.bounded(v.text, m) || p.refused(v, m)) || w.overlaps(m) {
				vain += m.end - m.start
				next++
				continue
			}
			w.take(m)
			w.accept(p, m)
			next = m.end
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
	if p.guard != nil && !p.guard.may(text[s:]) {
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

func (w *worker) overlaps(m match) bool {
	i, _ := slices.BinarySearchFunc(w.taken, m.end, func(t taken, end int) int { return t.start - end })
	return i > 0 && w.taken[i-1].end > m.start
}

func (w *worker) take(m match) {
	i, _ := slices.BinarySearchFunc(w.taken, m.start, func(t taken, start int) int { return t.start - start })
	w.taken = slices.Insert(w.taken, i, taken{m.start, m.end})
}
