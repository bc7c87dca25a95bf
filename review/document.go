package review

import (
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Schemas of contract 02.
const (
	Schema      = "valdris.review.v2"
	RolesSchema = "valdris.review-role-provenance.v1"
)

const digestText = "64 hexadecimal digits"

// members evaluates the top-level rules of contract 02 §2.
func (v *verifier) members() {
	r := v.review
	if m := r.At("schema"); !m.Is(Schema) {
		v.add("review.schema", m, `"`+Schema+`"`)
	}
	if m := r.At("status"); !m.Is("passed") {
		v.add("review.status", m, `"passed"`)
	}
	v.identifier("review.run-id", r.At("runId"))
	v.identifier("review.commit", r.At("commit"))
	v.identifier("review.environment", r.At("environment"))
	if m := r.At("subject").At("artifact"); !canon.NonEmpty(m.Value, 1) {
		v.add("review.subject.artifact", m, "the path of the artifact that was reviewed")
	}
	v.digest("review.subject.sha256", r.At("subject").At("sha256"))
	v.digest("review.trust-sha256", r.At("reviewTrustSha256"))
	v.digest("review.validation-runtime-sha256", r.At("validationRuntimeSha256"))
	v.digest("review.evidence-bundle-sha256", r.At("evidenceBundleSha256"))
	for _, name := range legacyMembers {
		if m := r.At(name); m.Present() {
			v.add("review.legacy-provenance", m, "no such member; roleProvenance replaced it")
		}
	}
	if m := r.At("decision").At("status"); !m.Is("accepted") {
		v.add("review.decision.status", m, `"accepted"`)
	}
	if m := r.At("decision").At("summary"); !canon.NonEmpty(m.Value, 8) {
		v.add("review.decision.summary", m, "a text of at least 8 characters")
	}
	v.blockers(r.At("blockers"))
	v.findings(r.At("findings"))
}

var legacyMembers = []string{"implementationProvenance", "reviewProvenance"}

func (v *verifier) identifier(rule string, m canon.Node) {
	if !canon.IsIdentifier(m.Value) {
		v.add(rule, m, identifierText)
	}
}

func (v *verifier) digest(rule string, m canon.Node) {
	if !canon.IsDigest(m.Value) {
		v.add(rule, m, digestText)
	}
}

func (v *verifier) blockers(list canon.Node) {
	if !list.IsArray() {
		v.add("review.blockers.not-array", list, "an array, empty when nothing blocks")
		return
	}
	for _, entry := range list.Items() {
		if isOpen(entry) {
			v.add("review.blocker.open", entry.At("status"), closedText)
		}
	}
}

func (v *verifier) findings(list canon.Node) {
	if !list.IsArray() {
		v.add("review.findings.not-array", list, "an array, empty when nothing was found")
		return
	}
	for _, entry := range list.Items() {
		severity := entry.At("severity")
		folded := canon.LowerASCII(canon.Trim(severity.Text()))
		switch {
		case folded != "blocker" && folded != "critical", !isOpen(entry):
		case severity.Is(folded):
			v.add("review.finding.open", entry.At("status"), closedText)
		default:
			v.add("strict.review.severity-case", severity, verify.Quote(folded))
		}
	}
}

const closedText = `status "resolved" or "closed"`

// isOpen reports whether an entry of findings or blockers is neither resolved
// nor closed; one that is no object has no status.
func isOpen(entry canon.Node) bool {
	status := entry.Get("status")
	return !status.Is("resolved") && !status.Is("closed")
}

// strictMembers evaluates what contract 02 §10 adds for the document itself.
func (v *verifier) strictMembers() {
	if !v.out.Strict() {
		return
	}
	r := v.review
	v.unknownMembers()
	if m := r.At("generatedAt"); !isStrictTime(m.Text()) {
		v.add("strict.review.generated-at", m, rfc3339Text)
	}
	for _, list := range []canon.Node{r.At("findings"), r.At("blockers")} {
		for _, entry := range list.Items() {
			if !entry.IsObject() {
				v.add("strict.review.entry-shape", entry, "an object")
			}
		}
	}
	digests := []canon.Node{
		r.At("subject").At("sha256"), r.At("reviewTrustSha256"), r.At("validationRuntimeSha256"),
		r.At("evidenceBundleSha256"), r.At("attestation").At("payloadSha256"),
	}
	for _, role := range roleNames {
		digests = append(digests, r.At("roleProvenance").At(role).At("evidence").At("sha256"))
	}
	evidence.StrictDigests(v.out, v.path, digests...)
}

const rfc3339Text = "an RFC 3339 date-time such as 2026-02-03T05:30:00Z"

// unknownMembers reports members outside the tables of contract 02.
func (v *verifier) unknownMembers() {
	r := v.review
	v.only(r, slices.Concat(signedMembers, []string{"attestation"}, legacyMembers)) // the legacy ones have a rule of their own
	v.only(r.At("subject"), []string{"artifact", "sha256"})
	v.only(r.At("attestation"), []string{"scheme", "keyId", "signedAt", "payloadSha256", "signature"})
	for _, name := range roleNames {
		role := r.At("roleProvenance").At(name)
		v.only(role, []string{"actorId", "sessionId", "executionId", "actorType", "evidence"})
		v.only(role.At("evidence"), []string{"kind", "sha256", "path"})
	}
}

func (v *verifier) only(object canon.Node, known []string) {
	for _, pointer := range outside(object, known) {
		v.out.Add("strict.review.unknown-member", verify.At(v.path, pointer), verify.What{
			Found: "a member outside the format", Expected: "only the members of the format"})
	}
}
