package review

import (
	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// RoutePath is the file that the scout is bound to, whatever the review says.
const RoutePath = "run/route.json"

// bindings evaluates the evidence of each role (contract 02 §4).
func (v *verifier) bindings(subject digestState) {
	roles := v.review.At("roleProvenance")
	if !roles.IsObject() {
		return
	}
	artifact := v.review.Get("subject").Get("artifact")
	v.artifactEvidence(roles.At(roleScout).At("evidence"), canon.NewString(RoutePath), subjectUnknown)
	for _, name := range []string{roleImplementer, roleVerifier} {
		binding := roles.At(name).At("evidence")
		v.artifactEvidence(binding, artifact, subject)
		v.subjectDigest(binding)
	}
	v.reviewerEvidence(roles.At(roleReviewer).At("evidence"))
}

// artifactEvidence evaluates the evidence of a role that is bound to a file.
func (v *verifier) artifactEvidence(binding canon.Node, expected canon.Value, subject digestState) {
	if !binding.IsObject() {
		return
	}
	if m := binding.At("kind"); !m.Is("artifact") {
		v.add("review.evidence.kind", m, `"artifact"`)
	}
	path := binding.At("path")
	named := canon.NonEmpty(path.Value, 1)
	if !named || !exact(path.Value, expected) {
		v.add("review.evidence.path", path, verify.Show(expected))
	}
	if named {
		v.artifactFile(path, binding.At("sha256"), subject)
	}
}

// artifactFile evaluates the file that is written in the evidence, even if it
// is not the expected one.
func (v *verifier) artifactFile(path, stated canon.Node, subject digestState) {
	const rule, expected = "review.evidence.artifact", "a file below the target root"
	v.strictPath(path)
	res, perr := v.in.Root.Resolve(path.Text(), evidence.MustExist)
	if perr != nil {
		wrapUnreadable(v.out, rule, verify.At(v.path, path.Pointer), expected, perr)
		return
	}
	if !path.Is(res.Rel) {
		v.add("review.evidence.not-canonical", path, verify.Quote(res.Rel))
	}
	if !canon.IsDigest(stated.Value) {
		return
	}
	digest, err := v.in.Root.DigestResolved(res)
	if err != nil {
		wrapUnreadable(v.out, rule, verify.At(v.path, path.Pointer), expected, err)
		return
	}
	v.in.artifacts.add(res.Rel, digest.SHA256)
	if stated.Is(digest.SHA256) {
		return
	}
	hint := v.mismatchHint(path.Text(), digest.SHA256, stated)
	if same := path.Is(v.result.Subject) && exact(stated.Value, v.review.Get("subject").Get("sha256")); same && subject == subjectDiffers {
		hint = "the same file and digest as the subject's: see review.subject.digest-mismatch"
	}
	v.out.Add("review.evidence.digest-mismatch", verify.At(v.path, stated.Pointer), verify.What{
		Found: "the file has " + digest.SHA256, Expected: verify.Show(stated.Value), Hint: hint})
}

// subjectDigest binds implementer and verifier to the subject by its digest.
func (v *verifier) subjectDigest(binding canon.Node) {
	stated := v.review.Get("subject").Get("sha256")
	if m := binding.At("sha256"); binding.IsObject() && canon.IsDigest(stated) && !exact(m.Value, stated) {
		v.add("review.evidence.subject-digest", m, "subject.sha256, "+verify.Show(stated))
	}
}

// reviewerEvidence binds the reviewer to the evidence bundle.
func (v *verifier) reviewerEvidence(binding canon.Node) {
	if !binding.IsObject() {
		return
	}
	if m := binding.At("kind"); !m.Is("review-evidence-bundle") {
		v.add("review.evidence.reviewer-kind", m, `"review-evidence-bundle"`)
	}
	if m := binding.At("path"); m.Present() {
		v.add("review.evidence.reviewer-path", m, "no path: the reviewer is bound to the bundle")
	}
	bundle := v.review.Get("evidenceBundleSha256")
	if m := binding.At("sha256"); !exact(m.Value, bundle) {
		v.add("review.evidence.reviewer-bundle", m, "evidenceBundleSha256, "+verify.Show(bundle))
	}
}
