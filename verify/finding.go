package verify

import "slices"

// A Finding is one rule that fired, and where. Found and Expected are short
// texts for people; they never hold a secret.
type Finding struct {
	Rule     string
	Severity Severity
	Artifact string // path as the run names it, "" for the run as a whole
	Pointer  string // JSON pointer into the artifact, "" for all of it
	Line     int    // 1-based, 0 when unknown
	Found    string
	Expected string
	Hint     string // what to do, one sentence
	// NotEvaluated says that this could not be looked at, rather than that
	// it is bad.
	NotEvaluated bool
	// Causes explain a rule that wraps another document (contract 05 §3).
	Causes []Finding
}

// A Place is where a finding points: an artifact, and a JSON pointer or a line
// in it.
type Place struct {
	Artifact string
	Pointer  string
	Line     int
}

// At is a place in a JSON artifact.
func At(artifact, pointer string) Place { return Place{Artifact: artifact, Pointer: pointer} }

// AtLine is a place in a text.
func AtLine(artifact string, line int) Place { return Place{Artifact: artifact, Line: line} }

// What says what a finding found, what was expected, and what to do. An empty
// Hint is filled with the rule's own advice.
type What struct {
	Found    string
	Expected string
	Hint     string
	// Unevaluated marks an input or output error of the operating system
	// other than "does not exist": not looked at, rather than bad.
	Unevaluated bool
}

// MaxPerRule is how many findings of one rule a verifier keeps; the others are
// only counted.
const MaxPerRule = 50

// Findings collects what one verifier sees. It is not safe for concurrent use:
// verifiers that run side by side each have their own and are merged in a
// fixed order.
type Findings struct {
	table *Table
	level Level
	list  []Finding
	count map[string]int
}

// Collect starts an empty collection for this table at a level.
func (t *Table) Collect(level Level) *Findings {
	return &Findings{table: t, level: level, count: map[string]int{}}
}

// Level is the level findings are collected at.
func (f *Findings) Level() Level { return f.level }

// Strict reports whether strict rules count. Rules need not ask, Add drops
// what the level does not evaluate; it saves work.
func (f *Findings) Strict() bool { return f.level == Strict }

// Add records that a rule fired. A strict rule at base level is dropped here.
// An id that the table does not have is recorded as an error: unknown is never
// a pass.
func (f *Findings) Add(rule string, at Place, what What) { f.Wrap(rule, at, what, nil) }

// Wrap records a rule that fired because of what was found in another
// document. When the rule is of the wrapping kind and every error among the
// causes is "not evaluated", so is the finding.
func (f *Findings) Wrap(rule string, at Place, what What, causes []Finding) {
	r, known := f.table.Lookup(rule)
	if known && r.Level() == Strict && f.level == Base {
		return
	}
	if f.Full(rule) { // counted, not described: hostile input can repeat it millions of times
		f.count[rule]++
		return
	}
	if what.Hint == "" {
		what.Hint = r.Do
	}
	f.keep(Finding{
		Rule: rule, Severity: r.Severity,
		Artifact: clean(at.Artifact), Pointer: clean(at.Pointer), Line: at.Line,
		Found: clean(what.Found), Expected: clean(what.Expected), Hint: clean(what.Hint),
		NotEvaluated: what.Unevaluated || r.Eval == NotEvaluated || r.Eval == Wraps && onlyUnevaluated(causes),
		Causes:       causes,
	})
}

func (f *Findings) keep(found Finding) {
	f.count[found.Rule]++
	if f.count[found.Rule] <= MaxPerRule {
		f.list = append(f.list, found)
	}
}

// Merge takes over the findings of a part, as they are.
func (f *Findings) Merge(part *Findings) {
	if part == nil {
		return
	}
	for _, x := range part.list {
		f.list = append(f.list, x)
	}
	for id, n := range part.count {
		f.count[id] += n
	}
}

// Append takes over single findings, as they are.
func (f *Findings) Append(list ...Finding) {
	for _, x := range list {
		f.keep(x)
	}
}

// List returns the findings in the order they were made.
func (f *Findings) List() []Finding { return slices.Clip(f.list) }

// Omitted returns, by rule id, how many findings were counted but not kept.
func (f *Findings) Omitted() map[string]int {
	kept := map[string]int{}
	for _, x := range f.list {
		kept[x.Rule]++
	}
	omitted := map[string]int{}
	for id, n := range f.count {
		if n > kept[id] {
			omitted[id] = n - kept[id]
		}
	}
	return omitted
}

// Errors is the number of error findings so far, kept or not.
func (f *Findings) Errors() int {
	n := 0
	for _, x := range f.list {
		if x.Severity == Error {
			n++
		}
	}
	return n
}

// Has reports whether a rule of that id fired.
func (f *Findings) Has(rule string) bool { return f.count[rule] > 0 }

// Verdict folds the findings.
func (f *Findings) Verdict() Verdict { return Fold(f.list) }

func onlyUnevaluated(causes []Finding) bool {
	some := false
	for _, c := range causes {
		if c.Severity != Error {
			continue
		}
		if !c.NotEvaluated {
			return false
		}
		some = true
	}
	return some
}
