package hux

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"finishline/verify"
	"finishline/verify/journal/flat"
	"finishline/verify/journal/lines"
)

// Options say how a stream is verified (§1). The zero Options are the
// contract's defaults at strict level.
type Options struct {
	// Name is what findings call the file.
	Name string
	// Level changes nothing for this journal: contract 21 has no rule that
	// only one level evaluates.
	Level verify.Level
	// Schemas, Allowlist and Secrets are the built-in ones when they are nil.
	Schemas   *Schemas
	Allowlist *Allowlist
	Secrets   *Patterns
	// After makes the file a resumed window: only events with a greater seq
	// are expected, and what may lie before them is not missed. See
	// [ParseAfter].
	After *flat.Decimal
	// Conversation, when not empty, is the only one that is judged.
	Conversation string
	// Demand is what makes the verdict stricter.
	Demand Demand
	// Lines say how the file is read; MaxLine is the contract's whatever they
	// say.
	Lines lines.Options

	digest digester // with its seeds
	secret key      // of keys
}

// A Demand makes the verdict depend on what the format itself only remarks or
// warns of.
type Demand uint8

// What may be demanded; combine with |.
const (
	// Closed makes what is left open at the end an error (--require-closed).
	Closed Demand = 1 << iota
	// NoWarnings makes every warning an error (--fail-on warning).
	NoWarnings
)

// A Result says what was found in a stream, and how much was looked at.
type Result struct {
	// Findings, ordered by line and then by rule; Omitted counts, by rule,
	// those beyond verify.MaxPerRule.
	Findings []verify.Finding
	Omitted  map[string]int
	Lines    lines.Summary
	Tally    Tally
	// Kinds counts the judged events of each kind.
	Kinds map[string]int
	// Conversations is how many conversations were judged. Like the rules about
	// several events it stops where a line or an event is in error.
	Conversations int
	// Skipped says that the rules about several events were not applied.
	Skipped bool
	// Torn says that the last line is not whole.
	Torn bool
	// State is about how many bytes the rules about several events kept.
	State int64
}

// A Tally counts what a stream holds.
type Tally struct {
	Records int // events whose line is sound
	Events  int // of them, those that were judged
	Others  int // of them, those of conversations that were not asked for
	Blank   int // blank lines
}

// LookedAtNothing reports whether no event was judged, which is never a pass.
func (r *Result) LookedAtNothing() bool { return r.Tally.Events == 0 }

// ParseAfter reads the number of --after-seq: a decimal integer of at least -1.
func ParseAfter(text string) (*flat.Decimal, error) {
	digits := strings.TrimLeft(text, "0")
	switch {
	case text == "-1":
		n := flat.Int(-1)
		return &n, nil
	case text == "" || strings.Trim(text, "0123456789") != "" || len(text) > maxAfter:
		return nil, fmt.Errorf("%.40q is not a decimal integer of at least -1", text)
	case digits == "":
		return &flat.Decimal{}, nil
	}
	var p flat.Parser
	if problem := p.Parse([]byte(digits), 0); problem.Code != flat.OK {
		return nil, fmt.Errorf("%.40q is not a decimal integer", text)
	}
	n := p.Root().Decimal()
	return &n, nil
}

// maxAfter bounds the digits of --after-seq.
const maxAfter = 1000

// Verify judges a stream. The error, if any, says that it was not judged to its
// end: an error of the stream, of the context, or a *[LimitError]; what was
// found until then is not a verdict.
func Verify(ctx context.Context, r io.Reader, o Options) (*Result, error) {
	return verifyWith(ctx, r, o, nil)
}

func verifyWith(ctx context.Context, r io.Reader, o Options, h *History) (*Result, error) {
	o = o.withDefaults()
	v := &verifier{options: &o, lines: Table.Collect(o.Level), stream: newStream(&o), history: h}
	input := bufio.NewReaderSize(r, sniffBytes)
	read := v.asLines
	if startsArray(input) {
		read = v.array
	}
	sum, err := read(ctx, input)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	return v.result(sum), nil
}

// asLines judges an event on each line.
func (v *verifier) asLines(ctx context.Context, input io.Reader) (lines.Summary, error) {
	return lines.Process(ctx, input, v.options.Lines, lines.Stages[batch]{
		Worker:  func() func([]lines.Line, *batch) { return newWorker(v.options).batch },
		Deliver: v.deliver,
	})
}

func (o Options) withDefaults() Options {
	o.Name = cmp.Or(o.Name, "the stream")
	if o.Schemas == nil {
		o.Schemas = BuiltInSchemas()
	}
	if o.Allowlist == nil {
		o.Allowlist = BuiltInAllowlist()
	}
	if o.Secrets == nil {
		o.Secrets = BuiltInPatterns()
	}
	o.Lines.MaxLine = MaxLine
	o.digest, o.secret = newDigester(), newSecret()
	return o
}

// Unresolved is the result for schemas of which a reference leads nowhere: no
// event is read then (§2).
func Unresolved(err *UnresolvedError, o Options) *Result {
	out := Table.Collect(o.Level)
	out.Add("hux.schema.unresolved", verify.AtLine(o.Name, 1), verify.What{Found: "a reference to " + err.Reference, Expected: "a definition in the schemas at hand"})
	return &Result{Findings: out.List(), Skipped: true}
}

// A verifier folds what the workers say.
type verifier struct {
	options *Options
	lines   *verify.Findings // of the layers that look at one line at a time
	stream  *stream
	history *History // nil when nobody asked for one
	per     [kindCount]int
	tally   Tally
	details bool
	crlf    int
	torn    bool
}

// deliver takes the next batch. Once a line is in error, the rules about
// several events are not applied any more, and what they kept is dropped,
// unless a history needs it.
func (v *verifier) deliver(list []lines.Line, b *batch) error {
	v.take(b)
	if v.stream == nil || v.lines.Errors() > 0 && v.history == nil {
		v.stream = nil
		return nil
	}
	v.stream.prepare(b.events)
	for i := range b.events {
		e := &b.events[i]
		v.stream.add(e)
		if v.history != nil {
			v.history.add(e, v.stream.read(e), v.stream.partnerLine)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return v.stream.check(list[len(list)-1].Number)
}

func (v *verifier) take(b *batch) {
	for i := range b.found {
		f := &b.found[i]
		add(v.lines, f.rule, f.severity, verify.Place{Artifact: v.options.Name, Pointer: f.pointer, Line: f.line}, f.what)
	}
	for k, n := range b.per {
		v.per[k] += n
	}
	v.tally.Records += b.tally.Records
	v.tally.Events += b.tally.Events
	v.tally.Others += b.tally.Others
	v.tally.Blank += b.tally.Blank
	v.details = v.details || b.details
	v.torn = v.torn || b.torn
	if v.crlf == 0 {
		v.crlf = b.crlf
	}
}

// result judges what is known only at the end, and puts all findings in order.
func (v *verifier) result(sum lines.Summary) *Result {
	v.whole(sum)
	r := &Result{Lines: sum, Tally: v.tally, Kinds: map[string]int{}, Torn: v.torn}
	for k, n := range v.per {
		if n > 0 {
			r.Kinds[kindNames[k]] = n
		}
	}
	if v.stream != nil {
		r.Conversations, r.State = v.stream.states.len, v.stream.bytes()
	}
	if v.lines.Errors() > 0 {
		r.Skipped = true
		v.note("hux.semantics.skipped", "errors in lines or events", "none, so that order and life cycles can be judged")
	} else {
		v.stream.end()
		v.lines.Merge(v.stream.out)
	}
	v.lines.SortByLine()
	if v.options.Demand&NoWarnings != 0 {
		v.lines.RaiseWarnings()
	}
	r.Findings, r.Omitted = v.lines.List(), v.lines.Omitted()
	return r
}

// whole adds what is said once about the file.
func (v *verifier) whole(sum lines.Summary) {
	if sum.BOM {
		v.note("hux.file.bom", "a byte order mark", "a file that starts with an event")
	}
	if v.crlf > 0 {
		v.lines.Add("hux.line.crlf", verify.AtLine(v.options.Name, v.crlf), verify.What{Found: "CR LF", Expected: "LF alone"})
	}
	if v.tally.Records == 0 && v.lines.Errors() == 0 {
		v.note("hux.file.empty", "no event", "at least one event")
	}
	if v.options.Schemas.companion {
		v.note("hux.schema.companion", "the companion's common definitions", "the original common.schema.json")
	}
	if v.options.Allowlist.companion && v.details {
		v.note("hux.allowlist.companion", "the built-in allowlist", "the original allowlist")
	}
}

// note reports a rule about the whole file, which line 1 stands for.
func (v *verifier) note(rule, found, expected string) {
	v.lines.Add(rule, verify.AtLine(v.options.Name, 1), verify.What{Found: found, Expected: expected})
}
