package review

import (
	"slices"

	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/proof"
	"finishline/verify/source"
)

// Table holds the rules of a signed review (contract 02), and those of contract
// 01 §7 that need a target or a commit.
var Table = verify.NewTable("review", slices.Concat(
	documentRules, roleRules, bindingRules, subjectRules, placeRules, commitRules, attestationRules, strictRules),
	TrustTable, evidence.Table, proof.Table, source.Table)

const (
	whyExact = "two readers must never see two different reviews in one document"
	doSign   = "ask the reviewer to correct the review and sign it again"
	whyRoles = "the review counts because four separate parties did the work, checked it and reviewed it"
	doRoles  = "record each role as it was, and have the review signed again"
	whyBound = "a statement about files is worth only as much as its binding to their bytes"
	doBound  = "restore the file that was reviewed, or have the present one reviewed and signed"
)

var documentRules = []verify.Rule{
	{ID: "review.not-object", Contract: "02 §2", Fails: "the review is not a JSON object, or not even a regular file", Why: whyExact, Do: "put the review there as a plain file that this user may read"},
	{ID: "review.schema", Contract: "02 §2", Fails: "schema is not " + Schema, Why: "another format may give the members another meaning", Do: doSign},
	{ID: "review.status", Contract: "02 §2", Fails: "status is not passed", Why: "only a passed review closes a run", Do: "resolve what the review found and have it reviewed again"},
	{ID: "review.run-id", Contract: "02 §2", Fails: "runId is not an identifier", Why: "the review must say which run it is about", Do: doSign},
	{ID: "review.commit", Contract: "02 §2", Fails: "commit is not an identifier", Why: "the review must say which commit it is about", Do: doSign},
	{ID: "review.environment", Contract: "02 §2", Fails: "environment is not an identifier", Why: "the review must say which environment it is about", Do: doSign},
	{ID: "review.subject.artifact", Contract: "02 §2", Fails: "subject.artifact is not a non-empty string", Why: "the review must name what was reviewed", Do: doSign},
	{ID: "review.subject.sha256", Contract: "02 §2", Fails: "subject.sha256 is not a digest", Why: whyBound, Do: doSign},
	{ID: "review.trust-sha256", Contract: "02 §2", Fails: "reviewTrustSha256 is not a digest", Why: "the review must say under which trust store it was signed", Do: doSign},
	{ID: "review.validation-runtime-sha256", Contract: "02 §2", Fails: "validationRuntimeSha256 is not a digest", Why: "the review must say with which validators the run was checked", Do: doSign},
	{ID: "review.evidence-bundle-sha256", Contract: "02 §2", Fails: "evidenceBundleSha256 is not a digest", Why: "the review must say which evidence the reviewer saw", Do: doSign},
	{ID: "review.legacy-provenance", Contract: "02 §2", Fails: "a member of the old two-role format is present", Why: "it is not signed and could contradict roleProvenance", Do: "remove implementationProvenance and reviewProvenance"},
	{ID: "review.decision.status", Contract: "02 §2", Fails: "decision.status is not accepted", Why: "a review that does not accept closes nothing", Do: "resolve what the reviewer rejected and have it reviewed again"},
	{ID: "review.decision.summary", Contract: "02 §2", Fails: "decision.summary has fewer than 8 characters", Why: "a decision without a reason cannot be audited", Do: doSign},
	{ID: "review.findings.not-array", Contract: "02 §2", Fails: "findings is not an array", Why: "open findings could hide in another shape", Do: doSign},
	{ID: "review.blockers.not-array", Contract: "02 §2", Fails: "blockers is not an array", Why: "open blockers could hide in another shape", Do: doSign},
	{ID: "review.blocker.open", Contract: "02 §2", Fails: "a blocker is neither resolved nor closed", Why: "an open blocker stops the run", Do: "resolve the blocker, then have the review updated and signed again"},
	{ID: "review.finding.open", Contract: "02 §2", Fails: "a blocker or critical finding is neither resolved nor closed", Why: "an open finding of this severity stops the run", Do: "resolve the finding, then have the review updated and signed again"},
}

var roleRules = []verify.Rule{
	{ID: "review.roles.missing", Contract: "02 §3", Fails: "roleProvenance is not an object", Why: whyRoles, Do: doRoles},
	{ID: "review.roles.schema", Contract: "02 §3", Fails: "roleProvenance.schema is not " + RolesSchema, Why: "another format may give the roles another meaning", Do: doRoles},
	{ID: "review.roles.unknown-role", Contract: "02 §3", Fails: "roleProvenance has a member besides schema and the four roles", Why: "a misspelled role would go unchecked", Do: doRoles},
	{ID: "review.role.missing", Contract: "02 §3", Fails: "one of the four roles is not an object", Why: whyRoles, Do: doRoles},
	{ID: "review.role.identity", Contract: "02 §3", Fails: "actorId, sessionId or executionId of a role is not an identifier", Why: "who did what must be comparable", Do: doRoles},
	{ID: "review.role.actor-type", Contract: "02 §3", Fails: "actorType of a role is not agent, human or service", Why: "a key may be limited to a type of actor", Do: doRoles},
	{ID: "review.role.evidence-missing", Contract: "02 §3", Fails: "evidence of a role is not an object", Why: "a role without evidence did nothing that can be checked", Do: doRoles},
	{ID: "review.role.evidence-sha256", Contract: "02 §3", Fails: "evidence.sha256 of a role is not a digest", Why: whyBound, Do: doRoles},
	{ID: "review.roles.actor-reused", Contract: "02 §3", Fails: "two roles have the same actorId", Why: whyRoles, Do: "let another actor take one of the two roles"},
	{ID: "review.roles.session-reused", Contract: "02 §3", Fails: "two roles have the same sessionId", Why: "one session that does both remembers one while doing the other", Do: "let each role work in a session of its own"},
	{ID: "review.roles.execution-reused", Contract: "02 §3", Fails: "two roles have the same executionId", Why: "one execution cannot check itself", Do: "let each role have an execution of its own"},
}

var bindingRules = []verify.Rule{
	{ID: "review.evidence.kind", Contract: "02 §4", Fails: "evidence.kind of scout, implementer or verifier is not artifact", Why: whyBound, Do: doRoles},
	{ID: "review.evidence.path", Contract: "02 §4", Fails: "evidence.path of a role is not the path it must be bound to", Why: "a role bound to another file says nothing about the subject", Do: "bind the scout to " + RoutePath + ", implementer and verifier to subject.artifact"},
	{ID: "review.evidence.subject-digest", Contract: "02 §4", Fails: "evidence.sha256 of implementer or verifier is not subject.sha256", Why: "they would have worked on another content than was reviewed", Do: doRoles},
	{ID: "review.evidence.artifact", Contract: "02 §4", Fails: "the file named in a role's evidence cannot be found or read", Why: whyBound, Do: doBound, Eval: verify.Wraps},
	{ID: "review.evidence.not-canonical", Contract: "02 §4", Fails: "evidence.path is another spelling of the file's path", Why: "one file must have one name", Do: "write the plain relative path, and have the review signed again"},
	{ID: "review.evidence.digest-mismatch", Contract: "02 §4", Fails: "the file named in a role's evidence has another digest", Why: "the file is not the one that role saw", Do: doBound},
	{ID: "review.evidence.reviewer-kind", Contract: "02 §4", Fails: "evidence.kind of the reviewer is not review-evidence-bundle", Why: whyBound, Do: doRoles},
	{ID: "review.evidence.reviewer-path", Contract: "02 §4", Fails: "the reviewer's evidence has a path", Why: "the reviewer is bound to the whole bundle, not to a file of choice", Do: "remove the member and have the review signed again"},
	{ID: "review.evidence.reviewer-bundle", Contract: "02 §4", Fails: "the reviewer's evidence is not evidenceBundleSha256", Why: "the reviewer would have seen other evidence than is bound", Do: doRoles},
}

var subjectRules = []verify.Rule{
	{ID: "review.subject.artifact-invalid", Contract: "02 §7.1", Fails: "the subject cannot be found or read", Why: whyBound, Do: doBound, Eval: verify.Wraps},
	{ID: "review.subject.digest-mismatch", Contract: "02 §7.1", Fails: "the subject has another digest than the review says", Why: "the file changed after it was reviewed", Do: doBound},
	{ID: "review.subject.json-malformed", Contract: "02 §7.1", Fails: "the subject is named .json and is not JSON", Why: "a document that nobody can read was not reviewed", Do: doBound},
	{ID: "review.subject.portable-proof-invalid", Contract: "02 §7.1", Fails: "the subject is a portable proof that fails its contract", Why: "a review cannot heal a proof that contradicts itself", Do: "produce the proof again and have it reviewed", Eval: verify.Wraps},
	{ID: "review.subject.portable-proof-mismatch", Contract: "02 §7.1", Fails: "the subject is a portable proof of another run, commit or environment", Why: "a proof of something else proves nothing here", Do: "review the proof of this run"},
}

var attestationRules = []verify.Rule{
	{ID: "review.attestation.missing", Contract: "02 §5", Fails: "the review is not signed", Why: "anybody could have written it", Do: "have an authorised reviewer sign it (`finishline review sign`)"},
	{ID: "review.attestation.scheme", Contract: "02 §5", Fails: "attestation.scheme is not ed25519", Why: "the document must not choose a weaker algorithm", Do: doSign},
	{ID: "review.attestation.key-id", Contract: "02 §5", Fails: "attestation.keyId is not an identifier", Why: "the review must name its key", Do: doSign},
	{ID: "review.attestation.signed-at", Contract: "02 §5", Fails: "attestation.signedAt is not an ISO 8601 timestamp", Why: "an auditor must know when it was signed", Do: doSign},
	{ID: "review.attestation.payload-sha256", Contract: "02 §5", Fails: "attestation.payloadSha256 is not a digest", Why: "it says which content was signed", Do: doSign},
	{ID: "review.attestation.signature-encoding", Contract: "02 §5", Fails: "attestation.signature is not standard base64", Why: "without it there is no signature", Do: "write the 64 bytes in standard base64 with padding, without line ends"},
	{ID: "review.key.unresolved", Contract: "02 §6", Fails: "not exactly one active key of the trust store has the name in attestation.keyId", Why: "only a key that the operator pinned as active may sign", Do: "sign with an active key of the pinned store"},
	{ID: "review.key.actor", Contract: "02 §6", Fails: "the key may not sign for this reviewer's actorId", Why: "a known key in the wrong hands is no authority", Do: "let an allowed actor review, or have the store changed, reviewed and pinned"},
	{ID: "review.key.actor-type", Contract: "02 §6", Fails: "the key may not sign for this reviewer's actorType", Why: "a key for people must not be used by an agent", Do: "let an actor of an allowed type review, or have the store changed, reviewed and pinned"},
	{ID: "review.attestation.payload-mismatch", Contract: "02 §6", Fails: "attestation.payloadSha256 is not the digest of the payload", Why: "the document changed after it was signed, or was canonicalised wrongly", Do: "compare with `finishline review payload`, and ask the reviewer to sign this exact content"},
	{ID: "review.key.unusable", Contract: "02 §6", Fails: "the key of the store is no Ed25519 public key", Why: "no other algorithm may verify a review", Do: "enrol an Ed25519 key, and have the store reviewed and pinned"},
	{ID: "review.attestation.signature", Contract: "02 §7", Fails: "the signature does not verify under the key", Why: "the content was changed, or another key signed", Do: "ask the reviewer to sign this exact content with the named key"},
}
