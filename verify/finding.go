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
// only counted. A finding that would make the verdict worse is kept all the
// same: fifty files that could not be read do not hide one that is bad.
const MaxPerRule = 50

// Findings collects what one verifier sees. It is not safe for concurrent use:
// verifiers that run side by side each have their own and are merged in a
// fixed order.
type Findings struct {
	table  *Table
	level  Level
	list   []Finding
	errors int
	seen   map[string]tally
}

// A tally says what became of one rule's findings.
type tally struct {
	count   int  // kept or not
	kept    int  // in the list
	decided bool // one in the list makes the verdict fail
}

// Collect starts an empty collection for this table at a level.
func (t *Table) Collect(level Level) *Findings {
	return &Findings{table: t, level: level, seen: map[string]tally{}}
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
// causes is "not evaluated", so is the finding; a cause that decides makes
// every wrapping finding decide.
func (f *Findings) Wrap(rule string, at Place, what What, causes []Finding) {
	r, known := f.table.Lookup(rule)
	if known && f.dropped(r) {
		return
	}
	if f.Full(rule) { // counted, not described: hostile input can repeat it millions of times
		f.pass(rule, r.Severity)
		return
	}
	if what.Hint == "" {
		what.Hint = r.Do
	}
	w := weigh(causes)
	f.keep(cleaned(Finding{
		Rule: rule, Severity: r.Severity,
		Artifact: at.Artifact, Pointer: at.Pointer, Line: at.Line,
		Found: what.Found, Expected: what.Expected, Hint: what.Hint,
		NotEvaluated: w != someDecide &&
			(what.Unevaluated || r.Eval == NotEvaluated || r.Eval == Wraps && w == noneDecides),
		Causes: causes,
	}))
}

// dropped reports whether a rule does not count at the level of collection.
func (f *Findings) dropped(r Rule) bool { return f.level == Base && r.Level() == Strict }

// keep takes a finding into the list, or counts it only.
func (f *Findings) keep(found Finding) {
	decides := found.Severity == Error && !found.NotEvaluated
	t := f.seen[found.Rule]
	if t.kept >= MaxPerRule && (t.decided || !decides) {
		f.pass(found.Rule, found.Severity)
		return
	}
	t.count++
	t.kept++
	t.decided = t.decided || decides
	f.seen[found.Rule] = t
	if found.Severity == Error {
		f.errors++
	}
	f.list = append(f.list, found)
}

// pass counts a finding without keeping it.
func (f *Findings) pass(rule string, severity Severity) {
	t := f.seen[rule]
	t.count++
	f.seen[rule] = t
	if severity == Error {
		f.errors++
	}
}

// Full reports whether further findings of that rule are only counted. A
// verifier that walks a list of hostile length asks before it describes the
// next element. A rule is not full while what is kept of it decides nothing
// and more could.
func (f *Findings) Full(rule string) bool {
	t := f.seen[rule]
	if t.kept < MaxPerRule {
		return false
	}
	r, _ := f.table.Lookup(rule)
	return t.decided || r.Severity != Error || r.Eval == NotEvaluated
}

// Merge takes over the findings of a part, as they are: what the part kept is
// kept, what it counted is counted.
func (f *Findings) Merge(part *Findings) {
	if part == nil {
		return
	}
	f.list = append(f.list, part.list...)
	f.errors += part.errors
	for id, p := range part.seen {
		t := f.seen[id]
		f.seen[id] = tally{count: t.count + p.count, kept: t.kept + p.kept, decided: t.decided || p.decided}
	}
}

// Append takes over single findings, with their severity. Like [Findings.Add]
// it drops strict rules at base level and makes every text fit to print.
func (f *Findings) Append(list ...Finding) {
	for _, x := range list {
		r, known := f.table.Lookup(x.Rule)
		if !known {
			r = Rule{ID: x.Rule}
		}
		if !f.dropped(r) {
			f.keep(cleaned(x))
		}
	}
}

// List returns the findings in the order they were made.
func (f *Findings) List() []Finding { return slices.Clip(f.list) }

// Omitted returns, by rule id, how many findings were counted but not kept.
func (f *Findings) Omitted() map[string]int {
	omitted := map[string]int{}
	for id, t := range f.seen {
		if t.count > t.kept {
			omitted[id] = t.count - t.kept
		}
	}
	return omitted
}

// Errors is the number of error findings so far, kept or not.
func (f *Findings) Errors() int { return f.errors }

// Has reports whether a rule of that id fired.
func (f *Findings) Has(rule string) bool { return f.seen[rule].count > 0 }

// Verdict folds the findings.
func (f *Findings) Verdict() Verdict { return Fold(f.list) }

// weight is what the errors among causes come to.
type weight int

const (
	noErrors    weight = iota
	noneDecides        // some errors, all of them "not evaluated"
	someDecide
)

func weigh(causes []Finding) weight {
	w := noErrors
	for _, c := range causes {
		switch {
		case c.Severity != Error:
		case !c.NotEvaluated:
			return someDecide
		default:
			w = noneDecides
		}
	}
	return w
}
