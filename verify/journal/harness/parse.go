package harness

import (
	"crypto/sha256"
	"fmt"
	"sync/atomic"

	"finishline/verify"
	"finishline/verify/journal/flat"
	"finishline/verify/journal/lines"
)

// A batch is what a worker makes of a batch of lines: everything that can be
// said of single lines (sections 2 to 4 and 8).
type batch struct {
	records   []record
	vals      []val
	items     []item
	bytes     []byte // texts that had escapes
	envelopes []envelope
	problems  []problem
	told      []tally // problems of a rule in this batch, kept or not

	accepted int // lines that are JSON objects
	blank    int
	crlf     int // the first accepted line that ends in CR LF, 0 for none
	torn     bool
	bad      int // lines without a record that can be told, and the first of them
	firstBad int
	kinds    [kindCount]int
	// payload is the pointer that was used; with Auto it may be a guess that
	// proves wrong. nil when nothing was accepted, or nothing fitted line
	// unresolved.
	payload    *pointer
	unresolved int
}

func (b *batch) reset() {
	b.records, b.vals, b.items, b.bytes = b.records[:0], b.vals[:0], b.items[:0], b.bytes[:0]
	b.envelopes, b.problems = b.envelopes[:0], b.problems[:0]
	b.told = b.told[:0]
	b.accepted, b.blank, b.crlf, b.torn = 0, 0, 0, false
	b.kinds = [kindCount]int{}
	b.payload, b.unresolved, b.bad, b.firstBad = nil, 0, 0, 0
}

// A tally counts the problems of a rule.
type tally struct {
	rule string
	n    int
}

// tally counts one more problem of a rule. Few rules occur in one batch.
func (b *batch) tally(rule string) int {
	for i := range b.told {
		if b.told[i].rule == rule {
			b.told[i].n++
			return b.told[i].n
		}
	}
	b.told = append(b.told, tally{rule, 1})
	return 1
}

// A problem is a finding about a single line.
type problem struct {
	rule    string
	line    int
	pointer string
	what    verify.What
}

// An envelope is what the options of section 3 look at on an accepted line.
type envelope struct {
	line          int
	seq, ts, prev val
	digest        [sha256.Size]byte
}

// A worker parses batches on one goroutine.
type worker struct {
	cfg     *config
	decided *atomic.Pointer[pointer] // of Auto, once it is known
	parser  *flat.Parser
	scratch []byte

	out    *batch
	rec    *record // being checked
	prefix string  // payload pointer, for findings
}

func newWorker(cfg *config, decided *atomic.Pointer[pointer]) *worker {
	return &worker{cfg: cfg, decided: decided, parser: &flat.Parser{}}
}

// parse fills out with what is to say about a batch of lines.
func (w *worker) parse(list []lines.Line, out *batch) {
	out.reset()
	w.out = out
	w.use(w.known())
	for i := range list {
		if !w.line(&list[i]) {
			return
		}
	}
}

// known is the payload pointer, nil while Auto has not found it.
func (w *worker) known() *pointer {
	if w.cfg.payload != nil {
		return w.cfg.payload
	}
	return w.decided.Load()
}

func (w *worker) use(p *pointer) {
	w.out.payload, w.prefix = p, ""
	if p != nil {
		w.prefix = p.text
	}
}

// problem notes a finding about a line, and only counts it once there are as
// many of its rule as a report keeps.
func (w *worker) problem(rule string, line int, describe func() (pointer string, what verify.What)) {
	if n := w.out.tally(rule); n > verify.MaxPerRule {
		return
	}
	at, what := describe()
	w.out.problems = append(w.out.problems, problem{rule, line, w.prefix + at, what})
}

// bad notes a line that holds no record for the rules across records.
func (w *worker) bad(line int) {
	if w.out.bad++; w.out.firstBad == 0 {
		w.out.firstBad = line
	}
}

// heavyLine is the length in bytes beyond which lines are looked at one at a
// time: parsed, a line of nothing but small values takes many times its length.
const heavyLine = 64 << 10

// line looks at one line. It reports false when nothing more of the file is
// evaluated.
func (w *worker) line(l *lines.Line) bool {
	if len(l.Text) <= heavyLine {
		return w.look(l)
	}
	w.cfg.heavy.Lock()
	defer w.cfg.heavy.Unlock()
	light := w.parser
	w.parser = &w.cfg.heavyParser
	defer func() { w.parser = light }()
	return w.look(l)
}

func (w *worker) look(l *lines.Line) bool {
	out := w.out
	if l.Blank() {
		out.blank++
		w.problem("harness.line.blank", l.Number, func() (string, verify.What) {
			return "", verify.What{Found: fmt.Sprintf("%d bytes of white space", l.Size), Expected: "a record on every line"}
		})
		return true
	}
	if !w.acceptable(l) {
		return true
	}
	root := w.parser.Root()
	out.accepted++
	if !l.Terminated {
		w.problem("harness.tail.unterminated", l.Number, func() (string, verify.What) {
			return "", verify.What{Found: "a complete record without a newline", Expected: "a newline after every record"}
		})
	}
	if out.crlf == 0 && l.CRLF() {
		out.crlf = l.Number
	}
	if out.payload == nil {
		p := guess(root)
		if p == nil {
			out.unresolved = l.Number
			return false
		}
		w.use(p)
	}
	if w.cfg.envelope {
		w.envelope(root, l)
	}
	v := out.payload.of(root)
	if v.Kind() != flat.Object {
		w.bad(l.Number)
		w.problem("harness.envelope.unresolved", l.Number, func() (string, verify.What) {
			return "", verify.What{Found: v.Kind().String(), Expected: "an object, the payload"}
		})
		return true
	}
	w.payload(v, l.Number)
	return true
}

// envelope keeps the members that the options of section 3 look at.
func (w *worker) envelope(root flat.Value, l *lines.Line) {
	e := envelope{line: l.Number}
	w.keep(w.cfg.seq, root, &e.seq)
	w.keep(w.cfg.ts, root, &e.ts)
	w.keep(w.cfg.prev, root, &e.prev)
	if w.cfg.digestLines {
		e.digest = sha256.Sum256(l.WithoutCR())
	}
	w.out.envelopes = append(w.out.envelopes, e)
}

func (w *worker) keep(p *pointer, root flat.Value, out *val) {
	if p == nil {
		return
	}
	v := p.of(root)
	out.kind = v.Kind()
	switch out.kind {
	case flat.String:
		out.b = w.text(v)
	case flat.Number:
		if n, ok := v.Decimal().Small(); ok {
			out.n = n
		} else {
			out.wide, out.b = true, v.Raw()
		}
	}
}

// lineRules are the rules of damaged lines, by what the parser finds.
var lineRules = map[flat.Code]string{
	flat.UTF8: "harness.line.utf8", flat.Syntax: "harness.line.json", flat.Duplicate: "harness.line.duplicate-key",
	flat.Surrogate: "harness.line.surrogate", flat.Depth: "harness.line.depth",
}

var lineFound = map[flat.Code]string{
	flat.UTF8: "bytes that are not UTF-8", flat.Duplicate: "a member name that the object already has",
	flat.Surrogate: "an escape of half a surrogate pair", flat.Depth: "a level too deep",
}

var lineExpected = map[flat.Code]string{
	flat.UTF8: "well-formed UTF-8", flat.Syntax: "exactly one JSON text", flat.Duplicate: "every member name once",
	flat.Surrogate: "surrogates in pairs", flat.Depth: fmt.Sprintf("at most %d levels", maxDepth),
}

// acceptable parses a line and reports whether it is a JSON object. What is
// wrong with a tail is that it is torn, whatever it is.
func (w *worker) acceptable(l *lines.Line) bool {
	rule, problem := "harness.line.too-long", flat.Problem{}
	if !l.TooLong {
		problem = w.parser.Parse(l.Text, maxDepth)
		if problem.Code == flat.OK && w.parser.Root().Kind() == flat.Object {
			return true
		}
		if rule = "harness.line.object"; problem.Code != flat.OK {
			rule = lineRules[problem.Code]
		}
	}
	if !l.Terminated {
		w.out.torn = true
		rule = "harness.tail.torn"
	}
	if l.Terminated {
		w.bad(l.Number)
	}
	prefix := w.prefix
	w.prefix = "" // no payload was selected
	w.problem(rule, l.Number, func() (string, verify.What) {
		what := w.lineWhat(l, problem)
		if !l.Terminated {
			what = verify.What{Found: fmt.Sprintf("%d bytes after the last newline that are no record: %s", l.Size, what.Found), Expected: "a newline after the last record"}
		}
		return "", what
	})
	w.prefix = prefix
	return false
}

// lineWhat says what is wrong with a line.
func (w *worker) lineWhat(l *lines.Line, p flat.Problem) verify.What {
	switch {
	case l.TooLong:
		return verify.What{Found: fmt.Sprintf("%d bytes", l.Size), Expected: fmt.Sprintf("at most %d bytes", w.cfg.MaxLine)}
	case p.Code == flat.OK:
		return verify.What{Found: w.parser.Root().Kind().String(), Expected: "an object"}
	}
	what := lineFound[p.Code]
	if p.Code == flat.Syntax {
		what = p.Reason
	}
	return verify.What{Found: fmt.Sprintf("%s at byte %d of the line", what, p.Offset+1), Expected: lineExpected[p.Code]}
}
