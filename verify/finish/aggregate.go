package finish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// A HeadPolicy says what an unknown HEAD means for an enterprise or regulated
// run at strict level (09 §6).
type HeadPolicy int

const (
	// HeadExpected warns. The zero value.
	HeadExpected HeadPolicy = iota
	// HeadRequired refuses the run.
	HeadRequired
)

// AggregateOptions are what a caller may say about an aggregate.
type AggregateOptions struct {
	Head HeadPolicy
	// AcceptNotEvaluated names, out of [AggregateGates], the gates that may
	// stay without an evaluation. It changes nothing for a gate that was
	// evaluated.
	AcceptNotEvaluated []string
}

// Bounds of one gate (09 §2). The findings of a gate are its output.
const (
	GateTimeout   = 120 * time.Second
	MaxGateOutput = 8 << 20
)

// maxGates is how many gates are judged at once.
const maxGates = 2

// An Aggregate is the answer of contract 09, section 4.
type Aggregate struct {
	// Findings are those of all gates, in the order of 09 §2, then those of the
	// cross-artifact stage.
	Findings *verify.Findings
	Gates    []GateResult
	// Compared says that the cross-artifact stage ran: no gate had failed.
	Compared bool
	// Consistency are the ids of the rules of that stage that fired, sorted.
	Consistency  []string
	NotEvaluated []gate.NotEvaluated
	// Accepted are the gates of NotEvaluated that the caller accepted.
	Accepted []string
	Now      time.Time
	Head     string // "" when it is unknown
	Checked  []verify.Checked
}

// A GateResult is what one gate of an aggregate said.
type GateResult struct {
	Name string
	// Failed: the gate refuses its document or exceeded its bounds.
	Failed   bool
	TimedOut bool
	// Evaluated is false when the gate could not be evaluated in full.
	Evaluated bool
	Rules     []string // ids of its errors, sorted
}

// Passed reports whether the gate looked at everything and refused nothing.
func (g GateResult) Passed() bool { return g.Evaluated && !g.Failed }

// Failed are the names of the gates that failed, in their order.
func (a *Aggregate) Failed() []string {
	var names []string
	for _, g := range a.Gates {
		if g.Failed {
			names = append(names, g.Name)
		}
	}
	return names
}

// Unaccepted are the gates that were not evaluated and that the caller did not
// accept.
func (a *Aggregate) Unaccepted() []gate.NotEvaluated {
	return slices.DeleteFunc(slices.Clone(a.NotEvaluated), func(n gate.NotEvaluated) bool { return slices.Contains(a.Accepted, n.Gate) })
}

// Verdict folds the aggregate: what was neither evaluated nor accepted is never
// a pass, nor is an aggregate whose documents were not compared.
func (a *Aggregate) Verdict() verify.Verdict {
	verdict := a.Findings.Verdict()
	if verdict == verify.Pass && (len(a.Unaccepted()) > 0 || !a.Compared) {
		return verify.Incomplete
	}
	return verdict
}

// Value is the aggregate with the members of contract 09, section 4.
func (a *Aggregate) Value() canon.Value {
	passed := 0
	gates := make([]canon.Value, len(a.Gates))
	for i, g := range a.Gates {
		if g.Passed() {
			passed++
		}
		gates[i] = canon.Build(member("name", canon.NewString(g.Name)), member("ok", canon.NewBool(g.Passed())),
			member("timedOut", canon.NewBool(g.TimedOut)), member("rules", texts(g.Rules)))
	}
	open := make([]canon.Value, len(a.NotEvaluated))
	for i, n := range a.NotEvaluated {
		open[i] = canon.Build(member("gate", canon.NewString(n.Gate)), member("reason", canon.NewString(n.Reason)))
	}
	head := a.Head
	if head == "" {
		head = "unknown"
	}
	return canon.Build(
		member("valid", canon.NewBool(a.Verdict() == verify.Pass)), member("gateCount", canon.NewNumber(float64(len(a.Gates)))),
		member("passed", canon.NewNumber(float64(passed))), member("failed", texts(a.Failed())), member("gates", canon.NewArray(gates...)),
		member("consistency", texts(a.Consistency)), member("notEvaluated", canon.NewArray(open...)), member("accepted", texts(a.Accepted)),
		member("now", canon.NewString(instant(a.Now.UnixMilli()))), member("head", canon.NewString(head)),
	)
}

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

func texts(list []string) canon.Value {
	values := make([]canon.Value, len(list))
	for i, s := range list {
		values[i] = canon.NewString(s)
	}
	return canon.NewArray(values...)
}

// instant writes milliseconds since 1970 as documents do.
func instant(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// An UnknownGateError says that a caller named no gate: a typing error must not
// look like a decision.
type UnknownGateError struct {
	Gate  string
	Known []string
}

func (e *UnknownGateError) Error() string {
	return fmt.Sprintf("%q is no gate; there are %s", e.Gate, strings.Join(e.Known, " "))
}

// RunAggregate runs the aggregate finish line over a run directory (contract
// 09, sections 2 to 4): every gate that applies, and when none failed what the
// documents say of each other, of the clock and of the checked-out commit. The
// run gives directory, pack, level, clock and HEAD. The error says that there
// is no answer: the context ended, there is no clock, or a gate that is to be
// accepted does not exist (*UnknownGateError).
func RunAggregate(ctx context.Context, run *gate.Run, opt AggregateOptions) (*Aggregate, error) {
	for _, name := range opt.AcceptNotEvaluated {
		if known := AggregateGates(); !slices.Contains(known, name) {
			return nil, &UnknownGateError{name, known}
		}
	}
	if run.Now().IsZero() {
		return nil, errors.New("the aggregate finish line needs a clock")
	}
	return runGates(ctx, run, opt, selected(run), GateTimeout)
}

// runGates judges the given gates, side by side, then merges what they said in
// their order.
func runGates(ctx context.Context, run *gate.Run, opt AggregateOptions, gates []gate.Gate, limit time.Duration) (*Aggregate, error) {
	results := make([]judged, len(gates))
	var group errgroup.Group
	group.SetLimit(maxGates)
	for i, g := range gates {
		group.Go(func() error {
			results[i] = judge(ctx, run, g, limit)
			return nil
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("aggregate finish line: %w", err)
	}
	a := &Aggregate{Findings: AggregateTable.Collect(run.Level()), Now: run.Now(), Head: run.Head()}
	for i, g := range gates {
		a.take(run, g, results[i])
	}
	for _, n := range a.NotEvaluated {
		if slices.Contains(opt.AcceptNotEvaluated, n.Gate) && !slices.Contains(a.Accepted, n.Gate) {
			a.Accepted = append(a.Accepted, n.Gate)
		}
	}
	if len(a.Failed()) == 0 {
		a.compare(run, opt)
	}
	return a, nil
}

// compare runs the cross-artifact stage.
func (a *Aggregate) compare(run *gate.Run, opt AggregateOptions) {
	c := &cross{run: run, out: AggregateTable.Collect(run.Level()), now: run.Now().UnixMilli(), head: opt.Head}
	c.check()
	a.Compared = true
	a.Consistency = verify.RuleIDs(c.out.List(), verify.Error)
	a.Findings.Merge(c.out)
	own := verify.Checked{Verifier: AggregateTable.Name, Rules: AggregateTable.Count(run.Level())}
	for _, p := range append([]*paper{c.goal}, c.dated()...) {
		if p != nil {
			own.Artifacts = append(own.Artifacts, verify.Artifact{Path: p.path, SHA256: p.sha256})
		}
	}
	a.Checked = append([]verify.Checked{own}, a.Checked...)
}

// A judged gate is its result and whether it kept within its bounds.
type judged struct {
	gate.Result
	timedOut bool
	overflow bool
}

// judge judges a gate within its bounds. One that goes on after its time is
// left behind; its result is not looked at.
func judge(ctx context.Context, run *gate.Run, g gate.Gate, limit time.Duration) judged {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan gate.Result, 1)
	go func() { done <- run.Judge(bounded, g) }()
	select {
	case r := <-done:
		if bounded.Err() == nil {
			return judged{Result: r, overflow: outputSize(r.Findings.List()) > MaxGateOutput}
		}
	case <-bounded.Done():
	}
	return judged{Result: gate.Result{Findings: g.Table.Collect(run.Level())}, timedOut: ctx.Err() == nil}
}

// outputSize is the text of findings in bytes.
func outputSize(list []verify.Finding) int {
	n := 0
	for _, f := range list {
		n += len(f.Rule) + len(f.Artifact) + len(f.Pointer) + len(f.Found) + len(f.Expected) + len(f.Hint) + outputSize(f.Causes)
	}
	return n
}

// take merges the result of a gate. Errors are the causes of the one rule of
// the aggregate; warnings stand for themselves.
func (a *Aggregate) take(run *gate.Run, g gate.Gate, r judged) {
	list := r.Findings.List()
	result := GateResult{Name: g.Name, TimedOut: r.timedOut, Evaluated: len(r.NotEvaluated) == 0 && !r.timedOut,
		Rules: verify.RuleIDs(list, verify.Error)}
	result.Failed = r.timedOut || r.overflow || len(result.Rules) > 0
	a.Gates = append(a.Gates, result)
	a.NotEvaluated = append(a.NotEvaluated, r.NotEvaluated...)
	a.Checked = append(a.Checked, checkedGate(run, g))
	at := verify.At(g.Artifact, "")
	var causes []verify.Finding
	for _, f := range list {
		if f.Severity == verify.Error && f.Rule != ruleGateFailed {
			causes = append(causes, f)
		} else {
			a.Findings.Append(f)
		}
	}
	what := verify.What{Found: "gate " + g.Name, Expected: "no error"}
	switch {
	case r.timedOut:
		what.Found += fmt.Sprintf(" was not done after %s", GateTimeout)
	case r.overflow:
		what.Found += fmt.Sprintf(" has more than %d bytes to say", MaxGateOutput)
	case len(causes) > 0:
		what.Found += ": " + firstOf(causes, r.Findings.Errors())
	default:
		return
	}
	a.Findings.Wrap(ruleGateFailed, at, what, causes)
}

// firstOf names the first of a number of errors.
func firstOf(causes []verify.Finding, errors int) string {
	if errors > 1 {
		return fmt.Sprintf("%s and %d more", causes[0].Rule, errors-1)
	}
	return causes[0].Rule
}

func checkedGate(run *gate.Run, g gate.Gate) verify.Checked {
	checked := verify.Checked{Verifier: g.Name, Rules: g.Table.Count(run.Level())}
	for _, a := range run.Artifacts() { // of a pack that is a directory of its own
		if a.Path == g.Artifact {
			checked.Artifacts = []verify.Artifact{a}
			return checked
		}
	}
	if res, err := run.Target().OwnFile(g.Artifact, run.Level()); err == nil {
		if a, err := run.Target().ReadResolved(res, canon.MaxDocument); err == nil {
			checked.Artifacts = []verify.Artifact{{Path: a.Path, SHA256: a.SHA256}}
		}
	}
	return checked
}

// routeValue is the route as the selection of gates sees it: absent when it
// cannot be read as an object.
func routeValue(run *gate.Run) canon.Value {
	_, doc, err := run.Target().ReadDocument(routePath, run.Level(), (*evidence.Root).OwnFile, canon.MaxDocument)
	if err != nil || !doc.Root.IsObject() {
		return canon.Value{}
	}
	return doc.Root
}
