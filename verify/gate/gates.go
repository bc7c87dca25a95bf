package gate

import (
	"context"
	"slices"

	"finishline/verify"
	"finishline/verify/evidence"
)

// A Gate is one document gate.
type Gate struct {
	Name     string // as 09 section 2 names it; the prefix of its rules
	Artifact string // path of its document, below the target (skill-registry: below the pack root)
	Table    *verify.Table
	// Validate judges the gate's document. It is safe for concurrent use with
	// the other gates of the same run.
	Validate func(ctx context.Context, run *Run) Result
}

// A Result is what a gate says.
type Result struct {
	Findings *verify.Findings
	// NotEvaluated lists what could not be evaluated. Rules that could be are
	// in Findings all the same.
	NotEvaluated []NotEvaluated
}

// NotEvaluated says that a gate could not be, or not fully, evaluated.
type NotEvaluated struct {
	Gate   string
	Reason string // ReasonRegistry or ReasonInterrupted
}

// Reasons for which a gate is not evaluated.
const (
	ReasonRegistry    = "registry"    // no pack, and no skill registry at hand (09b §3.1, §4)
	ReasonInterrupted = "interrupted" // the context ended first
)

// Verdict folds the result: what was not evaluated is never a pass.
func (r Result) Verdict() verify.Verdict {
	verdict := r.Findings.Verdict()
	if verdict == verify.Pass && len(r.NotEvaluated) > 0 {
		return verify.Incomplete
	}
	return verdict
}

// A Validator judges the document of one gate.
type Validator func(ctx context.Context, run *Run) Result

// All lists the gates in the order of 09 section 2.
func All() []Gate {
	return []Gate{
		intakeGate, classificationGate, routeGate, codeIntelGate, skillRegistryGate, goalGate,
		contextGate, foundationGate, productionGate, aiGate, domainGate, evalGate, trajectoryGate, smokeGate,
	}
}

// Find returns the gate of that name.
func Find(name string) (Gate, bool) {
	all := All()
	i := slices.IndexFunc(all, func(g Gate) bool { return g.Name == name })
	if i < 0 {
		return Gate{}, false
	}
	return all[i], true
}

// Validators maps the name of each gate to its validator: the delegates of the
// run packet (contract 05, section 2). A name that is not here has no
// validator.
func Validators() map[string]Validator {
	validators := map[string]Validator{}
	for _, g := range All() {
		validators[g.Name] = g.Validate
	}
	return validators
}

// Tables lists the rule tables of all gates.
func Tables() []*verify.Table {
	var tables []*verify.Table
	for _, g := range All() {
		tables = append(tables, g.Table)
	}
	return tables
}

// define makes the table of a gate. Evidence, control and JSON rules are used
// from package evidence.
func define(name string, groups ...[]verify.Rule) *verify.Table {
	return verify.NewTable(name, slices.Concat(groups...), evidence.Typed, evidence.Table)
}
