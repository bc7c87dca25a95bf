package harness

import (
	"context"
	"io"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/flat"
	"finishline/verify/journal/lines"
)

// MaxShown bounds one text of an [Entry] or an [Overview], in bytes.
const MaxShown = 120

// An Entry is one record of a timeline. Its texts are fit to print.
type Entry struct {
	Line int
	Kind string
	// Stretch counts from 1 how often the run was opened: 2 after it was
	// reopened once.
	Stretch int
	// Task is the taskId of the record, or the task string where it has none.
	Task, Phase, Attempt string
	// Text is what else the record says, in the words of the format; of
	// commits and digests it has the first digits.
	Text string
	// Ignored says that the record comes after the end of the run.
	Ignored bool
}

// Show reads a journal in order and hands out an entry for every record that
// can be read, and at the end an overview with totals. It judges nothing: lines
// that [Verify] refuses are counted and left out. tell may be nil; an error of
// it stops Show and is returned. Of the options, Demand and RunDir mean nothing
// here.
func Show(ctx context.Context, r io.Reader, o Options, tell func(Entry) error) (*Overview, error) {
	cfg, err := o.check()
	if err != nil {
		return nil, err
	}
	t := &teller{v: newVerification(cfg), tell: tell, book: newBook()}
	read := lines.Options{MaxLine: cfg.MaxLine, Workers: o.Workers, Progress: o.Progress}
	sum, err := lines.Process(ctx, r, read, lines.Stages[batch]{Worker: t.v.worker, Deliver: t.deliver})
	if err != nil {
		return nil, err
	}
	return t.overview(sum), nil
}

// A teller is one run of Show.
type teller struct {
	v    *verification
	tell func(Entry) error
	book *book

	bad, firstBad int // lines left out
}

func (t *teller) deliver(list []lines.Line, b *batch) error {
	if t.v.lost {
		return nil
	}
	if t.v.cfg.payload == nil {
		t.v.settle(list, b)
	}
	t.v.count(b)
	if t.bad += b.bad; t.firstBad == 0 {
		t.firstBad = b.firstBad
	}
	if b.unresolved > 0 {
		t.v.lost, t.v.result.Resolved = true, false
		return nil
	}
	for i := range b.records {
		if err := t.record(&b.records[i]); err != nil {
			return err
		}
	}
	return nil
}

func (t *teller) record(r *record) error {
	st := t.v.state
	if t.book.size()+st.interned() > MaxState {
		return &StateError{r.line}
	}
	st.last = mark{r.line, r.kind}
	counts := st.advance(r)
	if counts {
		t.book.enter(r)
	}
	if t.tell == nil {
		return nil
	}
	e := Entry{Line: r.line, Kind: kinds[r.kind].name, Stretch: int(st.epoch) + 1, Ignored: !counts, Phase: shown(r.textOf(nPhase)), Attempt: shown(r.textOf(nAttemptID)), Text: words(r)}
	if e.Task = shown(r.textOf(nTaskID)); e.Task == "" {
		e.Task = shown(r.textOf(nTask))
	}
	return t.tell(e)
}

func shown(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > 8*MaxShown { // bounds the work; the text is cut again
		b = b[:8*MaxShown]
	}
	return verify.Print(string(b), MaxShown)
}

// columns are members that an entry has a place of its own for, and those that
// say nothing to a reader.
var columns = [nameCount]bool{nTaskID: true, nTask: true, nPhase: true, nAttemptID: true, nTaskContracts: true, nCausalInput: true}

// words says what else is in a record: the members in the order of the
// contract, as name and value.
func words(r *record) string {
	var parts []string
	for i, f := range kinds[r.kind].fields {
		v := r.vals[i]
		if columns[f.name] || !v.present() || v.kind == flat.Null {
			continue
		}
		parts = append(parts, names[f.name]+" "+valueWords(r, &f, v))
	}
	return strings.Join(parts, ", ")
}

func valueWords(r *record, f *field, v val) string {
	switch v.kind {
	case flat.String:
		return brief(v.b)
	case flat.Number:
		return v.number().String()
	case flat.True, flat.False:
		return v.kind.String()
	case flat.Array:
		if f.shape == textList && f.name != nFilesTouched {
			return listWords(r.list)
		}
		return flat.Int(v.n).String()
	}
	if f.shape == textMap || f.shape == usageDelta {
		return listWords(r.list)
	}
	return "given"
}

// briefHex is how many digits of a commit or digest a timeline shows.
const briefHex = 12

// brief is a text as a timeline has it: of commits and digests the beginning,
// which tells them apart.
func brief(b []byte) string {
	if len(b) >= 40 && canon.IsLowerHex(b, len(b)) {
		return string(b[:briefHex]) + "…"
	}
	return shown(b)
}

// maxListed is how many elements of a list a timeline shows.
const maxListed = 8

func listWords(list []item) string {
	var parts []string
	for i, it := range list {
		if i == maxListed {
			parts = append(parts, "…")
			break
		}
		text := brief(it.v.b)
		if it.v.kind == flat.Number {
			text = it.v.number().String()
		}
		if it.name != nil {
			text = shown(it.name) + "=" + text
		}
		parts = append(parts, text)
	}
	return "[" + strings.Join(parts, " ") + "]"
}
