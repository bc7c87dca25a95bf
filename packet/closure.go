package packet

import (
	"finishline/canon"
	"finishline/verify"
)

// evaluations are the parts of a closure's evaluation evidence and the gates
// whose artifacts they must be (contract 05, §5.5).
var evaluations = [...]struct{ part, gate string }{
	{"results", GateEval}, {"trajectory", GateTrajectory}, {"smoke", GateSmoke},
}

// closureChecks evaluates §5.5 but the delegate, which asked is; nil when it
// was not asked because the runtime check failed.
func (v *verification) closureChecks(out *verify.Findings, set *gateSet, e *gateEntry, asked *delegation) {
	doc := e.doc
	if asked != nil {
		v.closureLevel(out, e, asked)
	}
	accepted := doc.At("acceptedGateArtifactsSha256")
	v.compare(out, "packet.closure.gate-set-mismatch", doc, accepted, canon.NewString(v.digests.AcceptedGatesSHA256), "the digest of this packet's accepted gate set")
	e.node.Children = append(e.node.Children, Node{Kind: "closure", Declared: accepted.Text(), Actual: v.digests.AcceptedGatesSHA256,
		State: stateOf(accepted.Text(), v.digests.AcceptedGatesSHA256)})
	for _, pair := range evaluations {
		v.evaluationCheck(out, set, doc, pair.part, pair.gate)
	}
	inputs := v.doc.Get("inputs")
	v.compare(out, "packet.closure.route-mismatch", doc, doc.At("routeSha256"), inputs.Get(string(Route)).Get("sha256"), "the digest of the route")
	v.compare(out, "packet.closure.classification-mismatch", doc, doc.At("workloadClassificationSha256"),
		inputs.Get(string(Classification)).Get("sha256"), "the digest of the classification")
}

// closureLevel compares the level that the closure reaches with the packet's.
// A delegate that did not run reaches none, so the closure's own claim counts:
// it is at least no other than the packet's.
func (v *verification) closureLevel(out *verify.Findings, e *gateEntry, asked *delegation) {
	claimed := e.doc.At("assuranceLevel")
	level := claimed.Value
	if asked.ran {
		level = canon.NewString(asked.answer.AssuranceLevel)
	}
	if !sameText(v.doc.Get("assuranceLevel"), level) {
		out.Add("packet.closure.level-mismatch", verify.At(e.doc.path, claimed.Pointer), verify.What{
			Found: verify.Show(level), Expected: verify.Show(v.doc.Get("assuranceLevel")) + ", as the packet claims"})
	}
}

func (v *verification) evaluationCheck(out *verify.Findings, set *gateSet, doc *document, part, gate string) {
	evaluated := doc.At("evaluationEvidence").At(part)
	bound := set.get(gate)
	what := verify.What{Found: verify.Show(evaluated.Value), Expected: "the artifact of the entry for " + gate}
	switch {
	case bound == nil:
		what.Found = "no entry for " + gate + " in the packet"
	case !sameText(bound.Get("path"), evaluated.Get("path")):
		what.Found = "path " + verify.Show(evaluated.Get("path"))
		what.Expected = verify.Show(bound.Get("path")) + ", the path of the entry for " + gate
	case !sameText(bound.Get("sha256"), evaluated.Get("sha256")):
		what.Found = "sha256 " + verify.Show(evaluated.Get("sha256"))
		what.Expected = verify.Show(bound.Get("sha256")) + ", the digest of the entry for " + gate
	default:
		return
	}
	out.Add("packet.closure.evaluation-mismatch", verify.At(doc.path, evaluated.Pointer), what)
}
