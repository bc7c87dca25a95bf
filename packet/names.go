package packet

import (
	"slices"
	"strings"
)

// The schemas of the format (contract 05, §1).
const (
	SchemaV3 = "valdris.run-packet.v3"
	SchemaV2 = "valdris.run-packet.v2"
)

// DefaultPath is where a run keeps its packet, relative to the target.
const DefaultPath = "run/packet.json"

// An InputName is the member of inputs that names an input document.
type InputName string

// The four inputs.
const (
	Intake         InputName = "intake"
	Classification InputName = "classification"
	Route          InputName = "route"
	Goal           InputName = "goal"
)

// An InputSpec says where an input document lies and which schema it has
// (contract 05, §2).
type InputSpec struct {
	Name   InputName
	Path   string
	Schema string
}

var inputSpecs = [...]InputSpec{
	{Intake, "run/intake.json", "uash.intake.v1"},
	{Classification, "run/workload-classification.json", "uash.workload-classification.v1"},
	{Route, "run/route.json", "uash.route.v2"},
	{Goal, "goal/goal.json", "uash.goal.v1"},
}

// Inputs lists the four inputs in the order of the contract.
func Inputs() []InputSpec { return slices.Clone(inputSpecs[:]) }

// The gates that the packet verifier knows by name.
const (
	GateProof            = "portable-proof"
	GateReview           = "independent-review"
	GateRCA              = "rca"
	GateCodeIntelligence = "code-intelligence"
	GateEval             = "eval"
	GateTrajectory       = "trajectory"
	GateSmoke            = "smoke"
	GateClosure          = "authoritative-assurance"
)

// gateKind says who judges the document of a gate.
type gateKind int

const (
	noGate gateKind = iota // not a gate of the format
	proofGate
	reviewGate
	rcaGate
	delegatedGate // a validator of the caller's; may be a key of route.gateApplicability
	closureGate   // likewise, and its level counts
)

type gateSpec struct {
	gate string
	path string
	kind gateKind
}

var gateSpecs = [...]gateSpec{
	{GateProof, "proof/portable.json", proofGate},
	{GateReview, "review/review.json", reviewGate},
	{GateRCA, "rca/rca.json", rcaGate},
	{GateCodeIntelligence, "graph/graph.json", delegatedGate},
	{"foundation", "foundation/assessment.json", delegatedGate},
	{"production", "production/layer-assessment.json", delegatedGate},
	{"ai-assurance", "ai/assurance.json", delegatedGate},
	{"domain-assurance", "domain/assurance.json", delegatedGate},
	{GateEval, "evals/results.json", delegatedGate},
	{GateTrajectory, "trajectory/trajectory.json", delegatedGate},
	{GateSmoke, "smoke/smoke_proof.json", delegatedGate},
	{GateClosure, "assurance/authoritative.json", closureGate},
}

func specOf(gate string) (gateSpec, bool) {
	for _, s := range gateSpecs {
		if s.gate == gate {
			return s, true
		}
	}
	return gateSpec{}, false
}

// CanonicalPath is the one path at which the document of a gate may lie; ok is
// false for a gate that the format does not have.
func CanonicalPath(gate string) (path string, ok bool) {
	s, ok := specOf(gate)
	return s.path, ok
}

func (s gateSpec) isRouteGate() bool { return s.kind == delegatedGate || s.kind == closureGate }

// RouteGates lists, sorted, the gates that a route may make required.
func RouteGates() []string {
	var gates []string
	for _, s := range gateSpecs {
		if s.isRouteGate() {
			gates = append(gates, s.gate)
		}
	}
	slices.SortFunc(gates, strings.Compare)
	return gates
}

// The assurance levels of a v3 packet.
const (
	Structural    = "structural"
	Semantic      = "semantic"
	Authoritative = "authoritative"
)

func isLevel(s string) bool { return s == Structural || s == Semantic || s == Authoritative }
