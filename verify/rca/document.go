package rca

import (
	"finishline/canon"
	"finishline/verify/evidence"
)

// Bounds of texts, in UTF-16 units after trimming (section 1).
const (
	minSentence  = 8
	minSignature = 4
)

// document evaluates section 2. A container of the wrong type makes its members
// absent.
func (a *analysis) document() {
	d := a.doc
	if n := d.At("schema"); !n.Is(Schema) {
		a.fail("rca.schema", n, Schema)
	}
	if n := d.At("status"); !n.Is("confirmed") {
		a.fail("rca.status", n, "confirmed")
	}
	symptom, cause, fix, regression := d.At("symptom"), d.At("rootCause"), d.At("fix"), a.regression()
	for _, m := range [...]struct {
		rule string
		n    canon.Node
	}{
		{"rca.run-id", d.At("runId")}, {"rca.commit", d.At("commit")}, {"rca.environment", d.At("environment")},
		{"rca.symptom.id", symptom.At("id")}, {"rca.regression.id", regression.At("id")},
	} {
		if !canon.IsIdentifier(m.n.Value) {
			a.fail(m.rule, m.n, "an identifier of 1 to 256 letters, digits and . _ : / -")
		}
	}
	for _, m := range [...]struct {
		rule string
		n    canon.Node
	}{
		{"rca.symptom.summary", symptom.At("summary")},
		{"rca.root-cause.summary", cause.At("summary")}, {"rca.root-cause.mechanism", cause.At("causalMechanism")},
		{"rca.fix.summary", fix.At("summary")}, {"rca.regression.summary", regression.At("summary")},
	} {
		if !canon.NonEmpty(m.n.Value, minSentence) {
			a.fail(m.rule, m.n, "a text of at least 8 characters")
		}
	}
	if n := regression.At("commandSha256"); !canon.IsDigest(n.Value) {
		a.fail("rca.regression.command-digest", n, "64 hexadecimal characters")
	}
	if n := regression.At("failureSignature"); !canon.NonEmpty(n.Value, minSignature) {
		a.fail("rca.regression.failure-signature", n, "a text of at least 4 characters")
	}
	a.commitMembers(regression.At("preFixCommit"), regression.At("postFixCommit"))
}

func (a *analysis) commitMembers(pre, post canon.Node) {
	const form = "40 to 64 hexadecimal characters"
	if !isCommitHex(pre.Value) {
		a.fail("rca.regression.pre-commit", pre, form)
	}
	if !isCommitHex(post.Value) {
		a.fail("rca.regression.post-commit", post, form)
	}
	if _, isText := pre.Str(); isText && evidence.Identical(pre.Value, post.Value) {
		a.fail("rca.commits.identical", post, "another commit than preFixCommit")
	}
	if subject := a.doc.At("commit"); post.Text() != "" && !evidence.Identical(subject.Value, post.Value) {
		a.fail("rca.commits.not-subject", subject, "regression.postFixCommit, "+post.Text())
	}
}
