package rules

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"
)

// A worker is what a scan needs besides the rules. It is used again for file
// after file.
type worker struct {
	engine *Engine
	path   string
	skip   []bool  // by program: it is not for this path
	active []bool  // by file program: a keyword of it is in the block
	last   []int64 // by file program: where its last match began in the file
	buffer []byte  // the block, and the end of the text before it

	hot     []place   // in the block at hand
	line    []byte    // the line at hand
	number  int       // its number
	escaped [2][]byte // the line with its escapes decoded once and twice
	at      [2][]int32
	decoded []byte // a run of base64

	// The view at hand.
	seen   view
	source source
	places []place
	taken  []taken // sorted by start

	// Of the block at hand: where matches may begin, and the code points
	// before it in its line.
	from, to, columns int
	// How many code points of the line there are before an offset.
	counted, count int

	found   []found
	secrets []byte
	allowed int
}

// A found is a hit that was not yet handed over.
type found struct {
	rule         *Rule
	order        int
	view         View
	line, column int
	raw          int // offset of the secret in the line
	from, to     int // of the secret, in worker.secrets
}

// A source says where the text of a view is from: a part of the line, or of
// what its escapes were decoded to, at an offset; and whether it was decoded
// from a run of base64 there.
type source struct {
	rounds int // of decoding escapes
	offset int
	base64 bool
	inside int // of the decoded text, when it has several lines
}

// lines searches the lines of a text for the ExtendedDialect rules. It looks
// only at lines in which a factor ends, or that have another view.
func (w *worker) lines(text []byte, number int) {
	e := w.engine
	w.hot = findAll(e.hot, w.hot[:0], text)
	if len(e.hot) > 1 {
		slices.SortStableFunc(w.hot, func(a, b place) int { return cmp.Compare(a.end, b.end) })
	}
	hot := w.hot
	run, _ := nextRun(text, 0)
	slash := nextEscape(text, 0)
	for start, counted := 0, 0; start < len(text); {
		at := len(text)
		if len(hot) > 0 {
			at = int(hot[0].end) - 1
		}
		if run >= 0 {
			at = min(at, run)
		}
		if slash >= 0 {
			at = min(at, slash)
		}
		if len(e.always) > 0 {
			at = start
		}
		if at == len(text) {
			return
		}
		start += bytes.LastIndexByte(text[start:at], '\n') + 1
		end, next := len(text), len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end, next = at+n, at+n+1
		}
		number += bytes.Count(text[counted:start], newline)
		counted = start
		w.begins(bytes.TrimSuffix(text[start:end], []byte{'\r'}), number)
		for len(hot) > 0 && int(hot[0].end) <= end {
			place := hot[0]
			place.end -= int32(start)
			w.places = append(w.places, place)
			hot = hot[1:]
		}
		w.oneLine(run >= 0 && run < end, slash >= 0 && slash < end)
		if run >= 0 && run < next {
			run, _ = nextRun(text, next)
		}
		if slash >= 0 && slash < next {
			slash = nextEscape(text, next)
		}
		start = next
	}
}

// begins prepares for a line.
func (w *worker) begins(line []byte, number int) {
	w.line, w.number = line, number
	w.counted, w.count = 0, 0
	w.places = w.places[:0]
}

// nextEscape gives the first backslash from an offset on that begins an
// escape, or -1.
func nextEscape(text []byte, from int) int {
	for from < len(text) {
		n := bytes.IndexByte(text[from:], '\\')
		if n < 0 || from+n+1 == len(text) {
			return -1
		}
		if _, length := escape(text[from+n:]); length > 0 {
			return from + n
		}
		from += n + 2
	}
	return -1
}

// oneLine searches every view of the line at hand (contract 10 §15.1), at the
// places that are known already and at others. run and escapes say whether it
// may have a run of base64, and escapes.
func (w *worker) oneLine(run, escapes bool) {
	before := len(w.found)
	w.search(w.line, source{}, run)
	if escapes {
		w.decodes()
	}
	w.dedupe(before)
}

// decodes searches the line with its escapes decoded, once and twice.
func (w *worker) decodes() {
	from := w.line
	for round := range w.escaped {
		var changed bool
		w.escaped[round], changed = decodeEscapes(w.escaped[round][:0], from, nil)
		w.at[round] = w.at[round][:0]
		if !changed {
			break
		}
		from = w.escaped[round]
		for start := 0; start <= len(from); {
			end := len(from)
			if n := bytes.IndexByte(from[start:], '\n'); n >= 0 {
				end = start + n
			}
			w.view(from[start:end], source{rounds: round + 1, offset: start})
			start = end + 1
		}
	}
}

// view searches a text that was decoded.
func (w *worker) view(text []byte, src source) {
	w.places = findAll(w.engine.hot, w.places[:0], text)
	run, _ := nextRun(text, 0)
	w.search(text, src, run >= 0)
}

// search searches one view, at the places that are known already and at
// others, and the base64 in it.
func (w *worker) search(text []byte, src source, run bool) {
	if run {
		w.places = findAll(w.engine.cold, w.places, text)
	}
	w.match(text, src)
	if !run || src.base64 {
		return
	}
	for start, end := nextRun(text, 0); start >= 0; start, end = nextRun(text, end) {
		var isText bool
		w.decoded, isText = decodeRun(w.decoded[:0], text[start:end])
		if !isText {
			continue
		}
		inner := source{rounds: src.rounds, offset: src.offset + start, base64: true}
		for from := 0; from < len(w.decoded); {
			to := len(w.decoded)
			if n := bytes.IndexByte(w.decoded[from:], '\n'); n >= 0 {
				to = from + n
			}
			inner.inside = from
			w.view(bytes.TrimSuffix(w.decoded[from:to], []byte{'\r'}), inner)
			from = to + 1
		}
	}
}

// accept keeps a match of the view at hand, if it begins where it may and no
// allowlist drops it.
func (w *worker) accept(p *program, m match) {
	v, src := &w.seen, w.source
	raw := w.rawOffset(src, m.start)
	if raw < w.from || raw >= w.to {
		return
	}
	secret := v.text[m.from:m.to]
	if w.skip[p.index] {
		return
	}
	if w.dropped(p.allow, p.rule.Kind, w.line, v.text[m.start:m.end], secret) {
		w.allowed++
		return
	}
	view := Raw
	switch {
	case src.base64:
		view = Base64
	case src.rounds > 0:
		view = Escaped
	}
	w.add(found{
		rule: p.rule, order: p.order, view: view, line: w.number, column: w.column(raw), raw: w.rawOffset(src, m.from),
	}, secret)
}

// column gives the column of an offset in the line at hand. Offsets mostly
// ascend, so it counts on from the last.
func (w *worker) column(raw int) int {
	if raw < w.counted {
		w.counted, w.count = 0, 0
	}
	w.count += utf8.RuneCount(w.line[w.counted:raw])
	w.counted = raw
	return w.columns + 1 + w.count
}

// dedupe drops what several views of a line show of one secret.
func (w *worker) dedupe(before int) {
	hits := w.found[before:]
	if len(hits) < 2 {
		return
	}
	slices.SortStableFunc(hits, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.raw, b.raw), cmp.Compare(a.view, b.view))
	})
	hits = slices.CompactFunc(hits, func(a, b found) bool { return a.order == b.order && a.raw == b.raw })
	w.found = w.found[:before+len(hits)]
}

// sort puts the hits of a block in order.
func (w *worker) sort() {
	slices.SortStableFunc(w.found, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column), cmp.Compare(a.order, b.order))
	})
}

// begin prepares for the file at path: which rules and allowlists are for it,
// and the hits that its path alone gives.
func (w *worker) begin(path string) {
	w.path = path
	w.found, w.secrets, w.allowed = w.found[:0], w.secrets[:0], 0
	e := w.engine
	w.skip = w.skip[:0]
	for _, p := range e.programs {
		w.skip = append(w.skip, p.path != nil && !p.path.MatchString(path))
	}
	w.beginFiles()
}

// dropped reports whether an allowlist drops a match.
func (w *worker) dropped(own []allowlist, kind string, line, whole, secret []byte) bool {
	for i := range own {
		if own[i].drops(w.path, line, whole, secret) {
			return true
		}
	}
	for i := range w.engine.allow {
		a := &w.engine.allow[i]
		if a.isFor(kind) && a.drops(w.path, line, whole, secret) {
			return true
		}
	}
	return false
}

func (w *worker) add(f found, secret []byte) {
	f.from = len(w.secrets)
	w.secrets = append(w.secrets, secret...)
	f.to = len(w.secrets)
	w.found = append(w.found, f)
}

// rawOffset gives the offset in the line of what an offset in a view was
// decoded from.
func (w *worker) rawOffset(src source, offset int) int {
	if src.base64 {
		offset = (src.inside+offset)/3*4 + (src.inside+offset)%3
	}
	offset += src.offset
	for round := src.rounds - 1; round >= 0; round-- {
		if len(w.at[round]) == 0 {
			from := w.line
			if round > 0 {
				from = w.escaped[round-1]
			}
			decodeEscapes(w.escaped[round][:0], from, &w.at[round])
		}
		offset = int(w.at[round][offset])
	}
	return offset
}
