package review

import (
	"finishline/verify"
)

var placeRules = []verify.Rule{
	{ID: "trust.store.path", Contract: "01 §7.1", Fails: "the given trust store is not at the canonical trust path of the target",
		Why: "a store elsewhere was not reviewed with the code", Do: "leave the location out, or name the store of the pack"},
	{ID: "trust.adapter.path-mismatch", Contract: "01 §7.1", Fails: "project-adapter.json of the pack does not name the canonical trust path",
		Why: "other tools would trust another store", Do: "set reviewTrust.path of the adapter to the canonical trust path", Eval: verify.Wraps},
}

var commitRules = []verify.Rule{
	{ID: "trust.commit.not-a-hash", Contract: "01 §7.2", Fails: "commit of the review is not 40 to 64 hexadecimal digits",
		Why: "a name such as a branch can mean another commit tomorrow", Do: "write the full commit id and have the review signed again"},
	{ID: "trust.commit.missing", Contract: "01 §7.2", Fails: "the trust store cannot be read from the reviewed commit",
		Why: "the store must have been part of what was reviewed", Do: "verify in a full clone that has the reviewed commit; the store must be committed there", Eval: verify.Wraps},
	{ID: "trust.commit.unreadable", Contract: "01 §7.2", Fails: "the trust store in the reviewed commit is not readable JSON",
		Why: "the store must have been part of what was reviewed", Do: "commit a valid store, and have that commit reviewed"},
	{ID: "trust.commit.differs", Contract: "01 §7.2", Fails: "the live trust store is not the one in the reviewed commit",
		Why: "the checkout was changed after the review", Do: "restore the store of the reviewed commit, or review the present one"},
	{ID: "trust.pin.commit-mismatch", Contract: "01 §7.2", Fails: "the trust store in the reviewed commit is not the pinned one",
		Why: "the operator did not approve the keys of that commit", Do: "compare the stores with `finishline trust diff`; re-pin only what a person reviewed"},
	{ID: "trust.pin.review-mismatch", Contract: "01 §7.2", Fails: "reviewTrustSha256 of the review is not the pin",
		Why: "the review was signed under another trust store", Do: "after a rotation have the review signed again under the new store"},
	{ID: "strict.commit.length", Contract: "01 §7.2", Fails: "commit is not as long as the repository's object names",
		Why: "a name of another length can be a branch or tag that somebody moves", Do: "write the full commit id and have the review signed again"},
	{ID: "strict.commit.not-a-commit", Contract: "01 §7.2", Fails: "commit does not name a commit object directly",
		Why: "a tree or tag has no history that was reviewed", Do: "write the id of the commit itself and have the review signed again"},
	{ID: "strict.commit.upper-case", Contract: "01 §7.2", Fails: "commit has upper-case letters",
		Why: "ids are compared byte for byte elsewhere", Do: "write the id in lower case and have the review signed again"},
	{ID: "strict.commit.not-a-blob", Contract: "01 §7.2", Fails: "the committed trust store is not a regular file",
		Why: "a committed link is a text that only looks like a store", Do: "commit the store as a plain file, and have that commit reviewed"},
}

var strictRules = []verify.Rule{
	{ID: "strict.review.unknown-member", Contract: "02 §10", Fails: "the review has a member outside the format",
		Why: "at the top level and in the attestation it is not signed, elsewhere nobody checks it", Do: "remove the member and have the review signed again"},
	{ID: "strict.review.generated-at", Contract: "02 §10", Fails: "generatedAt is absent or not an RFC 3339 date-time",
		Why: "an auditor must know when the review was made", Do: "write generatedAt and have the review signed again"},
	{ID: "strict.review.signed-at", Contract: "02 §10", Fails: "attestation.signedAt is not an RFC 3339 date-time",
		Why: "a lenient date means different instants to different readers", Do: "write signedAt as in 2026-02-03T05:30:00Z and have the review signed again"},
	{ID: "strict.review.signed-before-generated", Contract: "02 §10", Severity: verify.Warning, Fails: "signedAt is before generatedAt",
		Why: "one of the two clocks was wrong", Do: "check the clocks of the machines that made and signed the review"},
	{ID: "strict.review.signature-not-canonical", Contract: "02 §10", Fails: "the signature is not in the one base64 spelling of its 64 bytes",
		Why: "one signature with many texts defeats comparison by text", Do: "write the signature as 86 characters and =="},
	{ID: "strict.review.roles.case-fold-reuse", Contract: "02 §10", Fails: "an identity of two roles differs only in case",
		Why: "the same party under two spellings would pass for two", Do: "let another party take one of the two roles"},
	{ID: "strict.review.entry-shape", Contract: "02 §10", Fails: "an entry of findings or blockers is not an object",
		Why: "such an entry has no severity or status that could count", Do: "write each entry as an object and have the review signed again"},
	{ID: "strict.review.severity-case", Contract: "02 §10", Fails: "an open finding has the severity blocker or critical in another spelling",
		Why: "it would not count as a blocker", Do: "write the severity in lower case and resolve the finding"},
}
