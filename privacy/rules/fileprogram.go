package rules

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

// A fileProgram is a Gitleaks rule, compiled. It is held against whole blocks
// of text, because its matches may span lines.
type fileProgram struct {
	rule  *Rule
	order int // in the set
	expr  *regexp.Regexp
	path  *regexp.Regexp
	allow []allowlist
}

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
		if _, err = parse(r.Expression); err != nil {
			return fail("regex", err)
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
		defer s.keepPrior(text)
	}
	base := s.base - int64(before)
	w.active = w.engine.keywords(w.active[:0], text)
	for i, p := range w.engine.files {
		if !w.active[i] || w.last[i] == never {
			continue
		}
		for _, loc := range p.expr.FindAllSubmatchIndex(text, -1) {
			start := loc[0]
			if start < from || start >= to || base+int64(start) <= w.last[i] || loc[1] == start {
				continue
			}
			w.last[i] = base + int64(start)
			s.fileMatch(p, text, before, loc)
		}
	}
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

// keywords tells which rules may match in a text.
func (e *Engine) keywords(active []bool, text []byte) []bool {
	low := bytes.ToLower(text)
	for _, p := range e.files {
		active = append(active, len(p.rule.Keywords) == 0 || hasWord(p.rule.Keywords, low))
	}
	return active
}
