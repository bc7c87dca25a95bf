package rules

import (
	"bytes"
	"unicode/utf8"
)

// How much text is searched at a time, cut at line ends where there are any.
const chunk = 256 << 10

// MaxLine is the longest line that is searched in one piece, in bytes; it is
// the bound of privacy.strict.bounds (contract 10 §13). A longer line is
// searched in pieces that overlap: a match that is longer than the overlap may
// then be reported shorter than it is, and a check that looks at the whole
// line sees the piece.
const (
	MaxLine     = 1 << 20
	lineOverlap = 64 << 10
	lineContext = 1 << 10 // kept before a piece, for what looks back
)

// A Scanner searches one file. Its memory does not depend on the file's size.
type Scanner struct {
	worker *worker
	path   string
	emit   func(Hit)
	stats  Stats

	line int    // number of the first line that is not yet searched
	tail []byte // its beginning
	// Of a line that is searched in pieces: whether the tail is one, how much
	// of its beginning was searched already, and the code points before it.
	piece   bool
	context int
	columns int
	base    int64  // offset of the text at hand in the file
	prior   []byte // the end of the text before, for rules that span lines
}

// Write searches what can be searched and keeps the rest. It never fails.
func (s *Scanner) Write(p []byte) (int, error) {
	n := len(p)
	s.stats.Bytes += int64(n)
	if len(s.tail) > 0 {
		end := bytes.IndexByte(p, '\n') + 1
		if end == 0 {
			end = len(p)
		}
		s.tail = append(s.tail, p[:end]...)
		p = p[end:]
		rest := s.search(s.tail)
		s.tail = s.tail[:copy(s.tail, rest)]
	}
	if len(p) > 0 {
		s.tail = append(s.tail, s.search(p)...)
	}
	return n, nil
}

// Close searches what is left and returns the counts. The scanner must not be
// used afterwards.
func (s *Scanner) Close() Stats {
	if len(s.tail) > 0 {
		for s.piece && len(s.tail) > MaxLine {
			s.tail = s.searchPiece(s.tail)
		}
		s.stats.Lines++
		s.block(s.tail, s.context, len(s.tail))
	}
	w := s.worker
	s.worker = nil
	w.engine.pool.Put(w)
	return s.stats
}

// search searches the complete lines of a text that begins where the last one
// ended, and returns the rest.
func (s *Scanner) search(p []byte) []byte {
	for len(p) > 0 {
		if s.piece {
			rest := s.searchPiece(p)
			if len(rest) == len(p) {
				break
			}
			p = rest
			continue
		}
		n := bytes.LastIndexByte(p[:min(len(p), chunk)], '\n') + 1
		if n == 0 && len(p) > chunk {
			n = chunk + bytes.IndexByte(p[chunk:min(len(p), MaxLine+1)], '\n') + 1
			if n == chunk {
				n = 0
			}
		}
		switch {
		case n > 0:
			s.block(p[:n], 0, n)
			s.stats.Lines += s.ended(p[:n])
			p = p[n:]
		case len(p) > MaxLine:
			s.piece = true
			s.stats.Long++
		default:
			return p
		}
	}
	return p
}

// ended counts the lines that end in a text that was searched.
func (s *Scanner) ended(text []byte) int {
	n := bytes.Count(text, newline)
	s.line += n
	s.base += int64(len(text))
	return n
}

var newline = []byte{'\n'}

// searchPiece searches the next piece of a long line, which is all of the rest
// when the line ends soon enough, and returns what is to be searched next. It
// returns p itself when more text is needed.
func (s *Scanner) searchPiece(p []byte) []byte {
	if end := bytes.IndexByte(p[:min(len(p), MaxLine+1)], '\n') + 1; end > 0 {
		s.block(p[:end], s.context, end)
		s.stats.Lines += s.ended(p[:end])
		s.piece, s.context, s.columns = false, 0, 0
		return p[end:]
	}
	if len(p) <= MaxLine {
		return p
	}
	// Cut where no run of base64 is cut, if there is such a place.
	cut := MaxLine - lineOverlap
	for least := cut - lineOverlap; cut > least && base64s.has(p[cut-1]); cut-- {
	}
	if base64s.has(p[cut-1]) {
		cut = MaxLine - lineOverlap
	}
	s.block(p[:MaxLine], s.context, cut)
	kept := cut - lineContext
	for kept > cut-2*lineContext && !utf8.RuneStart(p[kept]) {
		kept--
	}
	s.columns += utf8.RuneCount(p[:kept])
	s.base += int64(kept)
	s.context = cut - kept
	return p[kept:]
}

// block searches a text of whole lines, or a piece of one line, for matches
// that begin in [from, to).
func (s *Scanner) block(text []byte, from, to int) {
	w := s.worker
	w.from, w.to, w.columns = from, to, s.columns
	w.lines(text, s.line)
	if len(w.engine.files) > 0 {
		s.fileRules(text, from, to)
	}
	s.flush()
}

// flush hands the hits over.
func (s *Scanner) flush() {
	w := s.worker
	w.sort()
	for i := range w.found {
		f := &w.found[i]
		s.stats.Hits++
		s.stats.Tiers[f.rule.Tier]++
		secret := w.secrets[f.from:f.to]
		s.emit(Hit{Rule: f.rule, View: f.view, Line: f.line, Column: f.column, Secret: Secret{secret}, Verified: verified(f.rule, secret)})
	}
	s.stats.Allowed += w.allowed
	w.found, w.secrets, w.allowed = w.found[:0], w.secrets[:0], 0
}
