package finish

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

const (
	waiversGateName       = "waivers"
	authoritativeGateName = "authoritative-assurance"
	authoritativePath     = "assurance/authoritative.json"
	closureSchema         = "valdris.authoritative-closure.v1" // contract 15
)

// conditionalGates are those that a route can leave out, by exactly the words
// of its gateApplicability (09 §2).
var conditionalGates = []string{"code-intelligence", "foundation", "production", "smoke"}

func conditional(name string) bool { return slices.Contains(conditionalGates, name) }

// AggregateGates lists the names of the gates of the aggregate, in their order.
func AggregateGates() []string {
	var names []string
	for _, g := range allGates() {
		names = append(names, g.Name)
	}
	return names
}

func allGates() []gate.Gate { return append(gate.All(), waiversGate, authoritativeGate) }

// selected are the gates that apply to a run. A route that cannot be read
// leaves out nothing. The last gate applies only where its document exists;
// one that cannot be looked at counts as there.
func selected(run *gate.Run) []gate.Gate {
	route := routeValue(run)
	return slices.DeleteFunc(allGates(), func(g gate.Gate) bool {
		switch {
		case g.Name == authoritativeGateName:
			exists, err := run.Target().Exists(authoritativePath)
			return !exists && err == nil
		case conditional(g.Name):
			return route.Present() && !required(route, g.Name)
		}
		return false
	})
}

// waiversGate is the waiver ledger (07 §8). Whether a waiver has expired by
// now is a rule of the cross-artifact stage, so the gate gets no clock.
var waiversGate = gate.Gate{Name: waiversGateName, Artifact: evidence.WaiverPath, Table: evidence.Waivers, Validate: func(ctx context.Context, run *gate.Run) gate.Result {
	out := evidence.Waivers.Collect(run.Level())
	evidence.VerifyWaivers(out, run.Target(), evidence.WaiverPath, evidence.WaiverOptions{})
	return gate.Result{Findings: out}
}}

// ReasonNoValidator is why a gate is not evaluated that this program has no
// verifier for.
const ReasonNoValidator = "no validator"

// authoritativeGate refuses what is no closure at all. A closure is not
// evaluated: this program has no verifier for contract 15, so it never passes.
// Without rules of that contract the gate speaks with the rule of the
// aggregate.
var authoritativeGate = gate.Gate{Name: authoritativeGateName, Artifact: authoritativePath, Table: authoritativeTable, Validate: func(_ context.Context, run *gate.Run) gate.Result {
	out := authoritativeTable.Collect(run.Level())
	p, _, at, what := readPaper(run.Target(), run.Level(), authoritativePath)
	if p != nil {
		schema := p.At("schema")
		if schema.Is(closureSchema) {
			return gate.Result{Findings: out, NotEvaluated: []gate.NotEvaluated{{Gate: authoritativeGateName, Reason: ReasonNoValidator}}}
		}
		at, what = verify.At(authoritativePath, schema.Pointer), verify.What{Found: verify.Show(schema.Value), Expected: closureSchema}
	}
	out.Add(ruleGateFailed, at, what)
	return gate.Result{Findings: out}
}}

var authoritativeTable = verify.NewTable(authoritativeGateName, nil, AggregateTable)

const ruleGateFailed = "aggregate.gate.failed"

// reasons say in words why a gate was not evaluated.
var reasons = map[string]string{
	gate.ReasonRegistry: "no pack with a skill registry is at hand", gate.ReasonInterrupted: "it was interrupted",
	ReasonNoValidator: "this build has no validator for it",
}

// withheld are the reasons for which an aggregate gives no pass.
func (a *Aggregate) withheld() []string {
	var list []string
	for _, n := range a.Unaccepted() {
		list = append(list, notEvaluated(n))
	}
	return list
}

func notEvaluated(n gate.NotEvaluated) string {
	return fmt.Sprintf("gate %s was not evaluated: %s", n.Gate, cmp.Or(reasons[n.Reason], n.Reason))
}
