package packet

import (
	"context"
	"path/filepath"

	"finishline/canon"
	"finishline/review"
	"finishline/verify"
)

// reviewVerdict verifies the review itself (02), for the target, with the trust
// store of the pack and the operator's pin.
func (v *verification) reviewVerdict(ctx context.Context, e *gateEntry) (*review.Result, error) {
	return review.Verify(ctx, review.Input{
		Root: v.root, ReviewPath: e.spec.path, Pack: v.packRoot(), Pin: v.in.Pin, Repo: v.repo, GitErr: v.repoErr, Level: v.in.Level,
	})
}

// packRoot names the pack root as package review does. A pack anywhere else is
// refused by the runtime check; its trust store is then looked for by default.
func (v *verification) packRoot() review.PackRoot {
	switch filepath.Clean(v.in.Pack.Dir) {
	case v.root.Dir():
		return review.PackTarget
	case filepath.Join(v.root.Dir(), review.HarnessDir):
		return review.PackHarness
	}
	return review.PackDefault
}

// reviewChecks evaluates §5.4.
func (v *verification) reviewChecks(out *verify.Findings, set *gateSet, e *gateEntry, r *review.Result) {
	part := r.Findings.List()
	if r.Verdict() == verify.Incomplete && r.Findings.Verdict() == verify.Pass {
		// No rule fired and no signature was verified: never a pass.
		out.Add("packet.review.invalid", v.at(e.Node), verify.What{
			Found: "no signature was verified", Expected: "a signature that verifies", Unevaluated: true})
	}
	v.fold(out, "packet.review.invalid", v.at(e.Node), e.doc.path, part, r.Findings.Omitted())
	doc := e.doc
	if proof := set.get(GateProof); proof != nil {
		v.compare(out, "packet.review.subject-not-proof", doc, doc.At("subject").At("sha256"), proof.Get("sha256"), "the digest of the portable-proof entry")
	}
	v.compare(out, "packet.review.runtime-mismatch", doc, doc.At("validationRuntimeSha256"),
		v.doc.Get("validationRuntime").Get("setSha256"), "validationRuntime.setSha256 of the packet")
	bundle := doc.At("evidenceBundleSha256")
	v.compare(out, "packet.review.bundle-mismatch", doc, bundle, canon.NewString(v.digests.BundleSHA256), "the digest of this packet's evidence bundle")
	e.node.Children = append(e.node.Children, Node{Kind: "bundle", Declared: bundle.Text(), Actual: v.digests.BundleSHA256,
		State: stateOf(bundle.Text(), v.digests.BundleSHA256)})
	roles := doc.At("roleProvenance")
	if !roles.IsObject() {
		out.Add("packet.review.role-provenance-missing", verify.At(doc.path, roles.Pointer), verify.What{Found: verify.Show(roles.Value), Expected: "an object"})
	}
	if declared := v.doc.At("roleProvenanceSha256"); !declared.Is(RoleProvenanceSHA256(doc.Value)) {
		out.Add("packet.review.role-provenance-mismatch", v.at(declared), verify.What{
			Found: verify.Show(declared.Value), Expected: RoleProvenanceSHA256(doc.Value) + ", the digest of roleProvenance in the review"})
	}
}

// compare adds rule unless a member of a document is exactly the wanted text.
func (v *verification) compare(out *verify.Findings, rule string, doc *document, got canon.Node, want canon.Value, what string) {
	if !sameText(want, got.Value) {
		out.Add(rule, verify.At(doc.path, got.Pointer), verify.What{Found: verify.Show(got.Value), Expected: verify.Show(want) + ", " + what})
	}
}
