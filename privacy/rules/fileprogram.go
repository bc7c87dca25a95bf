package rules

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// A fileProgram is a Gitleaks rule, compiled. It is held against whole blocks
// of text, because its matches may span lines.
type fileProgram struct {
	rule  *Rule
	order int // in the set
	expr  *regexp.Regexp
	inner *regexp.Regexp // the same after one character; nil when what is before does not matter
	path  *regexp.Regexp
	allow []allowlist

	longest int // bytes of the longest match, or unlimited
	factor  factor
	near    bool // the expression is searched only near its factor
	plain   bool // every keyword is ASCII, so that the automaton knows them
}

// A rule is searched near its factor when that is not too far from the ends of
// its matches, in bytes.
const maxNear = 8 << 10

// How much text before a block such a rule sees, so that a block's edge hides
// no match that is shorter.
const fileOverlap = 32 << 10

func (r *Rule) compileFile() (*fileProgram, error) {
	fail := func(what string, err error) (*fileProgram, error) {
		return nil, &FileError{Rule: r.Kind, Reason: what, Err: err}
	}
	p := &fileProgram{rule: r}
	var err error
	if r.Expression != "" {
		tree, err := parse(r.Expression)
		if err != nil {
			return fail("regex", err)
		}
		p.longest = longest(tree)
		p.factor, p.near = factorOf(tree)
		p.near = p.near && p.longest <= maxNear && p.factor.before <= maxNear
		if looksBack(tree) {
			if p.inner, err = regexp.Compile(`(?s:.)(?:` + r.Expression + `)`); err != nil {
				return fail("regex", err)
			}
		}
		if p.expr, err = regexp.Compile(r.Expression); err != nil {
			return fail("regex", err)
		}
		if r.SecretGroup < 0 || r.SecretGroup > p.expr.NumSubexp() {
			return fail("secretGroup names a group that the expression does not have", nil)
		}
	}
	if p.path, err = compilePath(r.Path); err != nil {
		return fail("path", err)
	}
	if p.allow, err = compileAllow(r.Allow); err != nil {
		return fail("allowlist", err)
	}
	return p, nil
}

// beginFiles prepares the rules of this dialect for a file.
func (w *worker) beginFiles() {
	w.last = w.last[:0]
	for _, p := range w.engine.files {
		at := int64(-1)
		switch {
		case p.path != nil && !p.path.MatchString(w.path):
			at = never
		case p.expr == nil:
			at = never
			if w.dropped(p.allow, p.rule.Kind, nil, nil, nil) {
				w.allowed++
			} else {
				w.add(found{rule: p.rule, order: p.order}, []byte(w.path))
			}
		}
		w.last = append(w.last, at)
	}
}

// never is further than any match.
const never = int64(1) << 62

// fileRules searches a block, together with the end of the text before it,
// for the Gitleaks rules; in a piece of a long line for those that begin in
// [from, to).
func (s *Scanner) fileRules(text []byte, from, to int) {
	w := s.worker
	before := 0
	if !s.piece {
		before = len(s.prior)
		w.buffer = append(append(w.buffer[:0], s.prior...), text...)
		text = w.buffer
		from, to = 0, len(text)
		defer s.keepPrior(w.buffer)
	} else {
		s.prior = s.prior[:0]
	}
	base := s.base - int64(before)
	w.isActive(text)
	w.places = findAll(w.engine.factors, w.places[:0], text)
	sortPlaces(w.places)
	places := w.places
	for i, p := range w.engine.files {
		n := 0
		for n < len(places) && int(places[n].program) == i {
			n++
		}
		own := places[:n]
		places = places[n:]
		if !w.active[i] || w.last[i] == never || p.near && n == 0 {
			continue
		}
		p.find(text, own, func(loc []int) {
			start := loc[0]
			if start < from || start >= to || base+int64(start) <= w.last[i] || loc[1] == start {
				return
			}
			w.last[i] = base + int64(start)
			s.fileMatch(p, text, before, loc)
		})
	}
}

// find calls found for each match in a text, the places of its factor known.
func (p *fileProgram) find(text []byte, places []place, found func(loc []int)) {
	if !p.near || len(places)*(p.factor.before+p.longest) > len(text) {
		for _, loc := range p.expr.FindAllSubmatchIndex(text, -1) {
			found(loc)
		}
		return
	}
	next := 0
	for _, at := range places {
		end := int(at.end)
		for next = max(next, end-int(at.before)); next < end; {
			loc := p.next(text, next, min(len(text), end+p.longest+utf8.UTFMax))
			if loc == nil || loc[0] >= end {
				break
			}
			found(loc)
			next = loc[1]
		}
	}
}

// next finds the next match at or after an offset in a part of a text. The
// part ends further from where a match of interest begins than such a match
// can be long.
func (p *fileProgram) next(text []byte, from, to int) []int {
	expr, begin := p.expr, from
	if p.inner != nil && from > 0 {
		_, n := utf8.DecodeLastRune(text[:from])
		expr, begin = p.inner, from-n
	}
	loc := expr.FindSubmatchIndex(text[begin:to])
	for k := range loc {
		if loc[k] >= 0 {
			loc[k] += begin
		}
	}
	if loc != nil && begin < from {
		_, n := utf8.DecodeRune(text[loc[0]:])
		loc[0] += n
	}
	return loc
}

// fileMatch decides about one match in a block of which the first bytes belong
// to the text before it.
func (s *Scanner) fileMatch(p *fileProgram, text []byte, before int, loc []int) {
	w := s.worker
	secret := text[loc[0]:loc[1]]
	switch group := p.rule.SecretGroup; {
	case group > 0 && loc[2*group] >= 0:
		secret = text[loc[2*group]:loc[2*group+1]]
	case group == 0:
		for k := 2; k < len(loc); k += 2 {
			if loc[k] >= 0 && loc[k] < loc[k+1] {
				secret = text[loc[k]:loc[k+1]]
				break
			}
		}
	}
	if p.rule.Entropy > 0 && entropy(secret) <= p.rule.Entropy {
		return
	}
	start, end := loc[0], loc[1]
	for start+1 < end && (text[start] == '\n' || text[start] == '\r') {
		start++
	}
	lineStart := bytes.LastIndexByte(text[:start], '\n') + 1
	lineEnd := len(text)
	if n := bytes.IndexByte(text[end:], '\n'); n >= 0 {
		lineEnd = end + n
	}
	if w.dropped(p.allow, p.rule.Kind, text[lineStart:lineEnd], text[start:end], secret) {
		w.allowed++
		return
	}
	f := found{rule: p.rule, order: p.order, line: s.line, column: 1 + utf8.RuneCount(text[lineStart:start])}
	if lineStart == 0 {
		f.column += s.columns
	}
	if start < before {
		f.line -= bytes.Count(text[start:before], newline)
	} else {
		f.line += bytes.Count(text[before:start], newline)
	}
	w.add(f, secret)
}

// keepPrior keeps the end of a text, from the beginning of a line on.
func (s *Scanner) keepPrior(text []byte) {
	if len(text) > fileOverlap {
		text = text[len(text)-fileOverlap:]
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	s.prior = append(s.prior[:0], text...)
}

// isActive finds out which rules may match in a text: those of which a keyword
// is in it, in any case of letters.
func (w *worker) isActive(text []byte) {
	w.active = w.active[:0]
	var low []byte
	for _, p := range w.engine.files {
		active := len(p.rule.Keywords) == 0
		if !active && !p.plain {
			if low == nil {
				low = bytes.ToLower(text)
			}
			active = hasWord(p.rule.Keywords, low)
		}
		w.active = append(w.active, active)
	}
	w.places = findAll(w.engine.keywords, w.places[:0], text)
	for _, at := range w.places {
		w.active[at.program] = true
	}
}

// fileTriggers makes the automata of the GitleaksDialect rules: of their
// keywords, and of their factors.
func (e *Engine) fileTriggers() error {
	var keywords, factors []wanted
	for i, p := range e.files {
		p.plain = !slices.ContainsFunc(p.rule.Keywords, func(k string) bool { return !isPlain(k) })
		for _, k := range p.rule.Keywords {
			if p.plain {
				keywords = append(keywords, wanted{&syntax.Regexp{Op: syntax.OpLiteral, Flags: syntax.FoldCase, Rune: []rune(k)}, len(k), int32(i)})
			}
		}
		if p.near {
			factors = append(factors, wanted{p.factor.tree, p.factor.before, int32(i)})
		}
	}
	var large []int32
	var err error
	if e.keywords, large, err = buildTriggers(keywords, inText); err != nil {
		return err
	}
	for _, i := range large {
		e.files[i].plain = false
	}
	if e.factors, large, err = buildTriggers(factors, inText); err != nil {
		return err
	}
	for _, i := range large {
		e.files[i].near = false
	}
	return nil
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return s != ""
}
