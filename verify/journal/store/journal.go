package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/lines"
)

// A Torn says that a journal does not end in a line feed.
type Torn struct {
	Keep int64 // bytes up to and including the last line feed
	Lost int64 // bytes after it
}

// A chain is the journal of a run as it was read, up to the first record that
// no verdict accepts.
type chain struct {
	where   presence
	unread  error
	sha256  string
	size    int64
	torn    *Torn
	file    []problem // the file as a whole
	records []link    // accepted by structure
	failed  []problem // what the record after them broke, nil at the end
	// forged is the index of the first record whose keyed hash differs, with
	// its problem; -1 when none does.
	forged    int
	forgery   problem
	firstSeen bool // a keyed hash was compared for record 0
	marked    bool // a byte order mark starts the file
	beyond    []verify.Finding
	strict    []problem
	// diverged is the index of the first record whose event is not the one that
	// the snapshot has there; -1 when there is none.
	diverged int
}

// A link is a record of the chain that was accepted.
type link struct {
	line      int
	digest    string
	event     canon.Value // only from keepFrom on
	canonical []byte      // only when asked for
}

// accepted is how many records a verdict accepts, and what the next one broke.
func (c *chain) accepted(m mode) (n int, failed []problem) {
	if len(c.file) > 0 {
		return 0, c.file
	}
	if m == authenticated && c.forged >= 0 {
		return c.forged, []problem{c.forgery}
	}
	return len(c.records), c.failed
}

// head is the digest text of the last of n records, "" for none.
func (c *chain) head(n int) string {
	if n == 0 {
		return ""
	}
	return c.records[n-1].digest
}

// A reading says how a journal is read and what is kept of it.
type reading struct {
	runID    string
	key      Key
	most     int           // records
	snapshot []canon.Value // its events, to compare with
	beside   *companion    // to compare with instead; nil for none
	keepFrom int           // index of the first event whose tree is kept
	keepLine bool
	plainly  bool // see Options
	workers  int
	progress func(int64)
}

const keepNothing = math.MaxInt

var errStop = errors.New("the chain is broken")

// flawless reports whether the whole journal was read and there is nothing to
// say of it but warnings about events.
func (c *chain) flawless() bool {
	return c.where == present && c.unread == nil && c.sha256 != "" && len(c.file) == 0 && len(c.failed) == 0 && c.forged < 0 &&
		c.torn == nil && !c.marked && len(c.strict) == 0
}

// readJournal reads and checks events.jsonl of a run directory (11 §4.5).
func readJournal(ctx context.Context, dir, artifact string, how reading) (*chain, error) {
	c := &chain{forged: -1, diverged: -1}
	ceiling := int64(how.most) * MaxRecord
	f, where, err := open(filepath.Join(dir, JournalFile), JournalFile, ceiling)
	c.where = where
	switch where {
	case absent:
		return c, nil
	case unread:
		c.unread = err
		return c, nil
	case notRegular:
		c.file = one("journal.file.not-regular", verify.What{Found: "not a regular file", Expected: "a file"})
		return c, nil
	case tooLarge:
		c.file = one("journal.file.too-large", verify.What{Found: err.Error(), Expected: fmt.Sprintf("at most %d bytes", ceiling)})
		return c, nil
	}
	defer f.Close()
	if err := c.read(ctx, f, artifact, how); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.unread = err
	}
	return c, nil
}

func (c *chain) read(ctx context.Context, f *openFile, artifact string, how reading) error {
	c.size = f.info.Size()
	var first [3]byte
	n, _ := f.ReadAt(first[:], 0) // a short file has no mark
	c.marked = bytes.HasPrefix(first[:n], []byte("\xEF\xBB\xBF"))
	var err error
	if c.torn, err = tornTail(f, c.size); err != nil {
		return trouble(f.name, err)
	}
	sum := sha256.New()
	w := walk{chain: c, how: how, ids: map[string]int{}}
	summary, err := lines.Process(ctx, f, lines.Options{MaxLine: MaxRecord + 1, Workers: how.workers, Tee: sum, Progress: how.progress}, lines.Stages[[]parsed]{
		Worker: func() func([]lines.Line, *[]parsed) {
			p := parser{runID: how.runID, artifact: artifact, keep: how.keepLine, plainly: how.plainly}
			if how.key.usable() {
				p.mac = how.key.mac()
			}
			return func(batch []lines.Line, out *[]parsed) { *out = p.batch((*out)[:0], batch) }
		},
		Deliver: w.deliver,
	})
	switch {
	case errors.Is(err, errStop):
		c.sha256 = "" // the rest was not read
	case err != nil:
		return err
	case summary.Bytes != c.size:
		return &changedError{f.name}
	default:
		c.sha256 = hex.EncodeToString(sum.Sum(nil))
	}
	return f.unchanged()
}

// tornTail tells what follows the last line feed, nil when nothing does.
func tornTail(f *openFile, size int64) (*Torn, error) {
	buf := make([]byte, 64<<10)
	for end := size; end > 0; {
		n := min(end, int64(len(buf)))
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return nil, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			if keep := end - n + int64(i) + 1; keep < size {
				return &Torn{Keep: keep, Lost: size - keep}, nil
			}
			return nil, nil
		}
		end -= n
	}
	if size == 0 {
		return nil, nil
	}
	return &Torn{Lost: size}, nil
}

// batch parses the records of a batch; lines without any are left out.
func (p *parser) batch(out []parsed, batch []lines.Line) []parsed {
	for i := range batch {
		if l := &batch[i]; l.Terminated && len(lineOf(l)) > 0 {
			out = append(out, p.parse(l))
		}
	}
	return out
}

// A walk follows the chain through the parsed records, in order.
type walk struct {
	*chain
	how     reading
	ids     map[string]int
	stopped bool
}

func (w *walk) deliver(batch []lines.Line, parsed *[]parsed) error {
	for i := range batch {
		w.layout(&batch[i])
	}
	if w.marked && len(batch) > 0 && batch[0].Number == 1 && batch[0].Terminated {
		w.stop(1, problem{rule: "journal.line.json-invalid", what: verify.What{Found: "a byte order mark before the first record", Expected: "one JSON value"}})
		return errStop
	}
	for i := range *parsed {
		if !w.next(&(*parsed)[i]) {
			return errStop
		}
	}
	return nil
}

// layout is what strict level has against the lines themselves.
func (w *walk) layout(l *lines.Line) {
	if !l.Terminated {
		return // discarded
	}
	if len(w.strict) < maxStrict && bytes.IndexByte(l.Text, '\r') >= 0 {
		w.strict = append(w.strict, problem{rule: "strict.line-ending", line: l.Number, what: verify.What{Found: "a carriage return", Expected: "line feeds only"}})
	}
	if len(w.strict) < maxStrict && len(lineOf(l)) == 0 {
		w.strict = append(w.strict, problem{rule: "strict.blank-line", line: l.Number, what: verify.What{Found: "an empty line", Expected: "a record"}})
	}
}

// maxStrict bounds what is kept of the strict problems of one journal.
const maxStrict = 20000

// stop ends the chain at a record that no verdict accepts.
func (w *walk) stop(line int, problems ...problem) bool {
	for i := range problems {
		problems[i].line = line
	}
	w.failed, w.stopped = problems, true
	return false
}

// next takes a record into the chain, unless it breaks it.
func (w *walk) next(r *parsed) bool {
	index := len(w.records)
	if index == w.how.most {
		return w.stop(r.line, problem{rule: "journal.count.exceeded", what: verify.What{Found: "a further record", Expected: fmt.Sprintf("at most %d", w.how.most)}})
	}
	if len(r.early) > 0 {
		return w.stop(r.line, r.early...)
	}
	if want := w.head(index); r.previous.Text() != want || want == "" && !r.previous.IsNull() {
		what := expects(r.previous, "null, as nothing comes before it")
		if want != "" {
			what.Expected = "the digest of the record before, " + verify.Quote(want)
		}
		return w.stop(r.line, problem{rule: "journal.chain.discontinuous", pointer: "/integrity/previousDigest", what: what})
	}
	if len(r.seal.before) > 0 {
		return w.stop(r.line, r.seal.before...)
	}
	if index == 0 && w.how.key.usable() {
		w.firstSeen = true
	}
	if r.seal.forged != nil && w.forged < 0 {
		w.forged, w.forgery = index, *r.seal.forged
		w.forgery.line = r.line
	}
	if len(r.seal.after) > 0 {
		return w.stop(r.line, r.seal.after...)
	}
	if earlier, used := w.ids[r.id]; used {
		return w.stop(r.line, problem{rule: "journal.event.duplicate-id", pointer: "/event/id",
			what: verify.What{Found: verify.Quote(r.id) + fmt.Sprintf(", also the id of the event in line %d", earlier), Expected: "an id of its own"}})
	}
	w.ids[r.id] = r.line
	if w.how.beside != nil && (w.forged >= 0 || len(w.strict)+len(r.strict) > 0 || !w.how.beside.take(r)) {
		return false // it will not be flawless
	}
	w.take(index, r)
	return true
}

func (w *walk) take(index int, r *parsed) {
	l := link{line: r.line, digest: r.digest, canonical: r.canonical}
	if index < len(w.how.snapshot) && w.diverged < 0 && !canon.Same(r.event, w.how.snapshot[index]) {
		w.diverged = index
	}
	if index >= w.how.keepFrom || w.how.beside != nil && w.how.beside.ended {
		l.event = r.event
	}
	if index == 0 && !r.genesis {
		r.addStrict("strict.genesis-null", "/integrity/previousDigest", verify.What{Found: "not null", Expected: "a literal null"})
	}
	w.records = append(w.records, l)
	if room := maxStrict - len(w.strict); room > 0 {
		w.strict = append(w.strict, r.strict[:min(room, len(r.strict))]...)
	}
	if room := verify.MaxPerRule - len(w.beyond); room > 0 {
		w.beyond = append(w.beyond, r.beyond[:min(room, len(r.beyond))]...)
	}
}
