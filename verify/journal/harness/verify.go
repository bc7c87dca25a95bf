package harness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"sync/atomic"

	"finishline/verify"
	"finishline/verify/journal/lines"
)

// A Result is the answer about a journal (contract 20, section 9).
type Result struct {
	// Findings are sorted by line, then rule id. The journal is valid iff
	// there is no error among them.
	Findings *verify.Findings
	// Payload is the payload pointer that was used; with Auto, the one that was
	// found, and "" when none fitted.
	Payload string
	// Resolved is false when Auto found no payload, so that nothing was
	// evaluated.
	Resolved bool
	// Lines, Blank and Records count physical lines, those of white space only,
	// and those that are JSON objects.
	Lines, Blank, Records int
	// Kinds counts the records of each kind that the schema accepts, in the
	// order of the contract; kinds without any are left out.
	Kinds []KindCount
	// State is where the run stands at the end: preamble, open, final or
	// resumable; "" when the rules across records were not evaluated.
	State string
	// Torn says that the tail was ignored because it is no complete record.
	Torn bool
	// Bytes and SHA256 are of exactly what was verified.
	Bytes  int64
	SHA256 string
}

// A KindCount says how many records of a kind there are.
type KindCount struct {
	Kind  string
	Count int
}

// Valid reports whether the journal is valid: no finding is an error.
func (r *Result) Valid() bool { return r.Findings.Errors() == 0 }

// Verify reads a journal to its end and evaluates contract 20. The error is
// not about the journal: an *[OptionError], a *[StateError], the context's, or
// one of reading; then there is no result, and nothing is shown.
func Verify(ctx context.Context, r io.Reader, o Options) (*Result, error) {
	cfg, err := o.check()
	if err != nil {
		return nil, err
	}
	v := newVerification(cfg)
	if o.RunDir != "" {
		if v.files, err = openRunDir(ctx, o.RunDir); err != nil {
			return nil, err
		}
		defer v.files.close()
	}
	digest := sha256.New()
	read := lines.Options{MaxLine: cfg.MaxLine, Workers: o.Workers, Tee: digest, Progress: o.Progress}
	sum, err := lines.Process(ctx, r, read, lines.Stages[batch]{Worker: v.worker, Deliver: v.deliver})
	if err != nil {
		return nil, err
	}
	result := v.finish(sum)
	result.SHA256 = hex.EncodeToString(digest.Sum(nil))
	return result, nil
}

// verification is one run of Verify.
type verification struct {
	cfg     *config
	decided atomic.Pointer[pointer]
	again   *worker // parses a batch that guessed the payload pointer wrongly

	lower  *verify.Findings // layers 2 to 4
	files  *runDir
	state  *state
	chain  chain
	result Result
	kinds  [kindCount]int
	crlf   bool
	lost   bool // nothing more of the file is evaluated
}

func newVerification(cfg *config) *verification {
	v := &verification{cfg: cfg, lower: Table.Collect(verify.Strict), state: newState(cfg)}
	v.again = newWorker(cfg, &v.decided)
	v.result.Resolved = true
	return v
}

// worker makes the parsing function of one goroutine.
func (v *verification) worker() func([]lines.Line, *batch) {
	return newWorker(v.cfg, &v.decided).parse
}

// deliver takes what was made of a batch, in order.
func (v *verification) deliver(list []lines.Line, b *batch) error {
	if v.lost {
		return nil
	}
	if v.cfg.payload == nil {
		v.settle(list, b)
	}
	v.count(b)
	for i := range b.problems {
		v.report(&b.problems[i])
	}
	for _, t := range b.told {
		v.lower.AddCounted(t.rule, t.n-verify.MaxPerRule)
	}
	if b.unresolved > 0 {
		v.lost = true
		v.result.Resolved = false
		v.lower.Add("harness.envelope.unresolved", verify.AtLine(v.cfg.Path, b.unresolved), verify.What{
			Found: "no object with a string member kind in the line, nor below /payload, /event, /data, /record or /body", Expected: "a payload"})
		return nil
	}
	for i := range b.envelopes {
		v.chain.next(v, &b.envelopes[i])
	}
	if v.lower.Errors() > 0 { // rules across records no longer count
		return nil
	}
	for i := range b.records {
		counts, err := v.state.apply(&b.records[i])
		if err != nil {
			return err
		}
		if counts && v.files != nil {
			v.files.check(v.state, &b.records[i])
		}
	}
	return nil
}

// settle holds a batch to the payload pointer that the first accepted line of
// the file decided.
func (v *verification) settle(list []lines.Line, b *batch) {
	decided := v.decided.Load()
	switch {
	case b.accepted == 0:
	case decided == nil:
		v.decided.Store(b.payload)
	case b.payload != decided:
		v.again.parse(list, b)
	}
}

func (v *verification) count(b *batch) {
	v.result.Records += b.accepted
	v.result.Blank += b.blank
	v.result.Torn = v.result.Torn || b.torn
	for k, n := range b.kinds {
		v.kinds[k] += n
	}
	if b.crlf > 0 && !v.crlf {
		v.crlf = true
		v.lower.Add("harness.line.crlf", verify.AtLine(v.cfg.Path, b.crlf), verify.What{Found: "CR LF", Expected: "LF"})
	}
}

// report takes over a finding about a single line. Tails are errors when that
// is demanded.
func (v *verification) report(p *problem) {
	raised := v.cfg.Demand&StrictTail != 0 && (p.rule == "harness.tail.torn" || p.rule == "harness.tail.unterminated")
	at := verify.Place{Artifact: v.cfg.Path, Pointer: p.pointer, Line: p.line}
	if !raised {
		v.lower.Add(p.rule, at, p.what)
		return
	}
	appendRaised(v.lower, p.rule, at, p.what)
}

// appendRaised reports a warning as an error.
func appendRaised(out *verify.Findings, rule string, at verify.Place, what verify.What) {
	r, _ := Table.Lookup(rule)
	out.Append(verify.Finding{Rule: rule, Severity: verify.Error, Artifact: at.Artifact, Pointer: at.Pointer, Line: at.Line, Found: what.Found, Expected: what.Expected, Hint: r.Do})
}

// finish puts the layers together (the layer gate of contract 20).
func (v *verification) finish(sum lines.Summary) *Result {
	whole := verify.AtLine(v.cfg.Path, 1)
	if sum.BOM {
		v.lower.Add("harness.file.bom", whole, verify.What{Found: "EF BB BF", Expected: "a record"})
	}
	if v.result.Records == 0 && v.lower.Errors() == 0 {
		v.lower.Add("harness.file.empty", whole, verify.What{Found: emptyFound(sum, &v.result), Expected: "at least one record"})
	}
	out := Table.Collect(verify.Strict)
	out.Merge(v.lower)
	switch {
	case v.lost:
	case v.lower.Errors() > 0:
		out.Add("harness.semantics.skipped", whole, verify.What{Found: errorsAboutLines(v.lower.Errors()), Expected: "none"})
	default:
		out.Merge(v.state.finish())
		v.result.State = runStateNames[v.state.run]
	}
	out.SortByLine()
	if v.cfg.Demand&NoWarnings != 0 {
		out.RaiseWarnings()
	}
	res := v.result
	res.Findings, res.Lines, res.Bytes = out, sum.Lines, sum.Bytes
	if p := v.payload(); p != nil {
		res.Payload = p.text
	}
	for k, n := range v.kinds {
		if n > 0 {
			res.Kinds = append(res.Kinds, KindCount{kinds[k].name, n})
		}
	}
	return &res
}

func errorsAboutLines(n int) string {
	if n == 1 {
		return "1 error about a single line"
	}
	return fmt.Sprintf("%d errors about single lines", n)
}

func (v *verification) payload() *pointer {
	if v.cfg.payload != nil {
		return v.cfg.payload
	}
	return v.decided.Load()
}

func emptyFound(sum lines.Summary, r *Result) string {
	switch {
	case sum.Lines == 0:
		return "no bytes"
	case r.Torn && r.Blank == 0:
		return "only a torn tail"
	case r.Torn:
		return "only blank lines and a torn tail"
	}
	return "only blank lines"
}
