package packet

import (
	"slices"

	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/source"
)

// Table holds the rules of a run packet (contract 05). Its findings also carry
// the shared rules of package evidence, and those of the parts that a packet
// binds, which are merged or wrapped as they are.
var Table = verify.NewTable("packet", slices.Concat(headRules, inputRules, gateRules, supportRules,
	proofRules, reviewRules, closureRules, inventoryRules, catalogRules, historicalRules, finalRules, strictRules),
	evidence.Table, source.Table)

const (
	doRebuild = "build the packet again with `finishline packet create` and have its evidence bundle reviewed again"
	whyBound  = "a packet vouches for exact bytes; other bytes were never reviewed"
	whyOneRun = "evidence of one run must not close another"
)

var headRules = []verify.Rule{
	{ID: "packet.document.not-object", Contract: "05 §3", Eval: verify.Wraps, Fails: "the packet is missing, unreadable or no JSON object",
		Why: "without the packet there is nothing to verify", Do: "restore run/packet.json as it was written, or name the packet with --packet"},
	{ID: "packet.schema.unsupported", Contract: "05 §3", Fails: "schema is neither valdris.run-packet.v3 nor valdris.run-packet.v2",
		Why: "rules of a format that this verifier does not know would go unchecked", Do: "build a v3 packet, or use a verifier that knows the schema"},
	{ID: ruleLevelInvalid, Contract: "05 §3", Fails: "assuranceLevel is none of structural, semantic and authoritative",
		Why: "the level decides which gates the run needs", Do: doRebuild},
	{ID: "packet.status.not-ready", Contract: "05 §3", Fails: "status is not ready",
		Why: "only a finished packet closes a run", Do: "finish the run, then build the packet"},
	{ID: "packet.generated-at.not-canonical", Contract: "05 §3", Fails: "generatedAt is not a real instant written as YYYY-MM-DDTHH:MM:SS.mmmZ",
		Why: "one instant must have one spelling, because its text is hashed", Do: doRebuild},
	{ID: "packet.run-id.invalid", Contract: "05 §3", Fails: "runId is not an identifier",
		Why: whyOneRun, Do: "use 1 to 256 letters, digits and . _ : / -, starting with a letter or digit"},
	{ID: "packet.commit.invalid", Contract: "05 §3", Fails: "commit is not an identifier",
		Why: "the commit says which source the evidence is about", Do: "write the full object id that `git rev-parse HEAD` prints"},
	{ID: "packet.environment.invalid", Contract: "05 §3", Fails: "environment is not an identifier",
		Why: whyOneRun, Do: "use 1 to 256 letters, digits and . _ : / -, starting with a letter or digit"},
	{ID: "packet.role-provenance.digest-invalid", Contract: "05 §3", Fails: "roleProvenanceSha256 is not 64 hexadecimal characters",
		Why: "it ties the packet to who did the work and who reviewed it", Do: doRebuild},
	{ID: "packet.required-gates.invalid", Contract: "05 §3", Fails: "requiredGates is not an array of identifiers",
		Why: "the list of gates is part of what was reviewed", Do: doRebuild},
	{ID: "packet.gate-artifacts.not-array", Contract: "05 §3", Fails: "gateArtifacts is not an array",
		Why: "no gate can be looked up in it", Do: doRebuild},
}

var inputRules = []verify.Rule{
	{ID: "packet.input.binding-invalid", Contract: "05 §4.1", Fails: "an input has no entry with a path and a SHA-256 digest",
		Why: "an input that is not bound could be any document", Do: doRebuild},
	{ID: "packet.input.path-not-canonical", Contract: "05 §4.1", Fails: "an input is bound at another path than its own",
		Why: "every verifier must read the same file", Do: "put the document at the expected path and build the packet again"},
	{ID: "packet.input.digest-mismatch", Contract: "05 §4.1", Fails: "an input has other bytes than the packet says",
		Why: whyBound, Do: "restore the bytes that were recorded, or build and review the packet again"},
	{ID: "packet.input.unreadable", Contract: "05 §4.1", Eval: verify.Wraps, Fails: "an input is missing, refused by the path rules or not JSON",
		Why: "the required gates follow from the inputs", Do: "restore the file as it was recorded"},
	{ID: "packet.input.subject-mismatch", Contract: "05 §4.1", Fails: "an input does not name the run, commit and environment of the packet",
		Why: whyOneRun, Do: "use the input of this run"},
	{ID: "packet.input.schema-mismatch", Contract: "05 §4.1", Fails: "an input has another schema than its place requires",
		Why: "a document of another kind would be read by the wrong rules", Do: "write the input in the expected schema"},
	{ID: "packet.input.native-invalid", Contract: "05 §4.1", Eval: verify.Wraps, Fails: "an input breaks the rules of its own kind",
		Why: "required gates that follow from a bad input are worth nothing", Do: "correct the input as its own findings say, then build the packet again"},
	{ID: "packet.delegate.unavailable", Contract: "05 §2", Eval: verify.NotEvaluated, Fails: "a document has no validator here, or its validator could not run",
		Why: "a gate that nobody evaluated has not passed",
		Do:  "use a build with that validator, or accept the gap by name with --accept-not-evaluated"},
	{ID: "packet.cross.route-intake", Contract: "05 §4.1", Fails: "the route was made from another intake",
		Why: "the route decides the gates; it must be the route of this request", Do: "route this intake again and build the packet again"},
	{ID: "packet.cross.route-classification", Contract: "05 §4.1", Fails: "the route was made from another classification",
		Why: "the route decides the gates; it must follow from this classification", Do: "route again and build the packet again"},
	{ID: "packet.cross.goal-classification", Contract: "05 §4.1", Fails: "the goal was made from another classification",
		Why: whyOneRun, Do: "write the goal from this run's classification"},
	{ID: "packet.cross.goal-route", Contract: "05 §4.1", Fails: "the goal names another initial route",
		Why: whyOneRun, Do: "write the goal from this run's route"},
	{ID: "packet.cross.goal-request", Contract: "05 §4.1", Fails: "the goal names another request than the intake",
		Why: "a goal for another request could be reached without doing this one", Do: "write the goal from this run's intake"},
	{ID: ruleUnknownGate, Contract: "05 §4.2", Fails: "route.gateApplicability names a gate that the format does not have",
		Why: "an unknown gate cannot be evaluated, and no other gate may hide behind it", Do: "use the gate names of contract 05, section 2, in the route"},
	{ID: "packet.gates.required-set-mismatch", Contract: "05 §4.2", Fails: "requiredGates differs from the gates that follow from the inputs",
		Why: "leaving a gate out of the list would leave it out of the run", Do: "supply what the inputs require and build the packet again"},
}

var gateRules = []verify.Rule{
	{ID: "packet.gate.id-invalid", Contract: "05 §5.1", Fails: "a gate entry has no identifier as its gate",
		Why: "an entry without a name is bound to nothing", Do: doRebuild},
	{ID: "packet.gate.duplicate", Contract: "05 §5.1", Fails: "a gate has two entries",
		Why: "two verifiers might judge different ones", Do: "keep one entry per gate"},
	{ID: "packet.gate.not-required-flag", Contract: "05 §5.1", Fails: "required is not true in a gate entry",
		Why: "only required gates belong in a packet", Do: doRebuild},
	{ID: "packet.gate.subject-mismatch", Contract: "05 §5.1", Fails: "a gate entry names another run, commit or environment than the packet",
		Why: whyOneRun, Do: doRebuild},
	{ID: "packet.gate.path-missing", Contract: "05 §5.1", Fails: "a gate entry has no path, or one of white space only",
		Why: "without a path there is no artifact to judge", Do: doRebuild},
	{ID: "packet.gate.digest-invalid", Contract: "05 §5.1", Fails: "sha256 of a gate entry is not 64 hexadecimal characters",
		Why: whyBound, Do: doRebuild},
	{ID: "packet.gate.missing", Contract: "05 §5.1", Fails: "a required gate has no entry",
		Why: "the run was not shown to pass it", Do: "run the gate, then build and review the packet again"},
	{ID: "packet.gate.unexpected", Contract: "05 §5.1", Fails: "an entry is for a gate that the inputs do not require",
		Why: "what is attached beyond the requirements was not asked for and is not judged the same way everywhere", Do: "remove the entry, or make the route require the gate"},
	{ID: "packet.gate.unreadable", Contract: "05 §5.1", Eval: verify.Wraps, Fails: "a gate artifact is missing, refused by the path rules or not a readable file",
		Why: "what cannot be read cannot be judged", Do: "restore the file as it was recorded"},
	{ID: "packet.gate.unknown", Contract: "05 §5.1", Fails: "an entry is for a gate that the format does not have",
		Why: "nobody can evaluate it", Do: "use the gate names of contract 05, section 2"},
	{ID: "packet.gate.path-not-canonical", Contract: "05 §5.1", Fails: "a gate artifact lies at another path than the gate's own",
		Why: "every verifier must read the same file", Do: "put the artifact at the expected path and build the packet again"},
	{ID: "packet.gate.digest-mismatch", Contract: "05 §5.1", Fails: "a gate artifact has other bytes than the packet says",
		Why: whyBound, Do: "restore the bytes that were recorded, or build and review the packet again"},
	{ID: "packet.gate.not-json", Contract: "05 §5.1", Fails: "a gate artifact is not JSON",
		Why: "no rule can be applied to it", Do: "write the artifact again with the tool that makes it"},
	{ID: "packet.gate.native-invalid", Contract: "05 §5.1", Eval: verify.Wraps, Fails: "a gate artifact breaks the rules of its own kind",
		Why: "the gate was not passed", Do: "correct what its own findings say and run the gate again"},
	{ID: "packet.gate.document-subject-mismatch", Contract: "05 §5.1", Fails: "a gate artifact does not name the run, commit and environment of the packet",
		Why: whyOneRun, Do: "use the artifact of this run"},
	{ID: "packet.gate.code-intelligence-commit", Contract: "05 §5.1", Fails: "the code graph was built from another commit",
		Why: "it describes other source than the run changed", Do: "build the graph at the packet's commit"},
	{ID: "packet.rca.invalid", Contract: "05 §5.1", Eval: verify.Wraps, Fails: "the root-cause analysis does not verify",
		Why: "a corrective run must show what was wrong and that it is fixed", Do: "correct the analysis as its own findings say"},
}

var supportRules = []verify.Rule{
	{ID: "packet.support.not-allowed", Contract: "05 §5.2", Fails: "a gate other than code-intelligence has supporting artifacts",
		Why: "nobody would look at them", Do: "remove supportingArtifacts from the entry"},
	{ID: "packet.support.underivable", Contract: "05 §5.2", Eval: verify.Wraps, Fails: "what supports the code graph cannot be determined",
		Why: "supporting artifacts that cannot be named cannot be checked", Do: "restore graph/freshness.json, design/anchors.json and the provider's evidence"},
	{ID: "packet.support.not-array", Contract: "05 §5.2", Fails: "supportingArtifacts of code-intelligence is not an array",
		Why: "the graph counts only with its freshness and anchors", Do: doRebuild},
	{ID: "packet.support.entry-not-object", Contract: "05 §5.2", Fails: "a supporting artifact is not an object", Why: whyBound, Do: doRebuild},
	{ID: "packet.support.entry-shape", Contract: "05 §5.2", Fails: "a supporting artifact has other members than kind, path and sha256",
		Why: "further members are in no digest", Do: doRebuild},
	{ID: "packet.support.kind-invalid", Contract: "05 §5.2", Fails: "kind of a supporting artifact is not an identifier", Why: whyBound, Do: doRebuild},
	{ID: "packet.support.kind-duplicate", Contract: "05 §5.2", Fails: "a kind of supporting artifact is listed twice",
		Why: "two verifiers might judge different ones", Do: "keep one entry per kind"},
	{ID: "packet.support.path-missing", Contract: "05 §5.2", Fails: "a supporting artifact has no path, or one of white space only", Why: whyBound, Do: doRebuild},
	{ID: "packet.support.digest-invalid", Contract: "05 §5.2", Fails: "sha256 of a supporting artifact is not 64 hexadecimal characters", Why: whyBound, Do: doRebuild},
	{ID: "packet.support.missing", Contract: "05 §5.2", Fails: "a supporting artifact that the code graph needs is not bound",
		Why: "the graph counts only with its freshness, its anchors and its provider's evidence", Do: doRebuild},
	{ID: "packet.support.path-mismatch", Contract: "05 §5.2", Fails: "a supporting artifact is bound at another path than its own",
		Why: "every verifier must read the same file", Do: doRebuild},
	{ID: "packet.support.digest-mismatch", Contract: "05 §5.2", Fails: "a supporting artifact has other bytes than the packet says",
		Why: whyBound, Do: "restore the bytes that were recorded, or build and review the packet again"},
	{ID: "packet.support.not-applicable", Contract: "05 §5.2", Fails: "a supporting artifact is bound that the code graph does not use",
		Why: "nobody would look at it", Do: "remove the entry"},
	{ID: "packet.support.not-canonical-order", Contract: "05 §5.2", Fails: "the supporting artifacts are not exactly their three members, sorted by kind and path",
		Why: "one list must have one spelling", Do: doRebuild},
}

var proofRules = []verify.Rule{
	{ID: "packet.proof.invalid", Contract: "05 §5.3", Eval: verify.Wraps, Fails: "the portable proof does not verify",
		Why: "nothing shows that the commands ran as claimed", Do: "run the proof again; its own findings say what is wrong"},
	{ID: "packet.proof.not-passed", Contract: "05 §5.3", Fails: "the proof did not pass",
		Why: "a failing, flaky or red-baseline proof does not show that the work is done", Do: "fix the work and run the proof again"},
	{ID: "packet.proof.target-path-mismatch", Contract: "05 §5.3", Fails: "the proof, the runtime and the target are not about the same directory",
		Why: "a proof of a sibling directory says nothing about this one", Do: "run the proof in this target"},
	{ID: "packet.proof.application-changed", Contract: "05 §5.3", Fails: "application files changed after the proof was made",
		Why: "what was proved is not what is here", Do: "restore the files, or run the proof and the review again"},
	{ID: "packet.proof.application-unavailable", Contract: "05 §5.3", Eval: verify.Wraps, Fails: "the state of the application files cannot be computed",
		Why: "it cannot be compared with what was proved", Do: "see the cause; remove what Git cannot describe from the target"},
}

var reviewRules = []verify.Rule{
	{ID: "packet.review.invalid", Contract: "05 §5.4", Eval: verify.Wraps, Fails: "the independent review does not verify",
		Why: "the review is the only signature a packet has", Do: "see the causes; the reviewer signs this exact content again"},
	{ID: "packet.review.subject-not-proof", Contract: "05 §5.4", Fails: "the review is not about the proof of this packet",
		Why: "another subject was accepted", Do: "have this proof reviewed"},
	{ID: "packet.review.runtime-mismatch", Contract: "05 §5.4", Fails: "the review names another validation runtime than the packet",
		Why: "the reviewer accepted what other rules had judged", Do: "have the packet reviewed under this runtime"},
	{ID: "packet.review.bundle-mismatch", Contract: "05 §5.4", Fails: "the review was signed for another evidence bundle",
		Why: "something in the packet changed after it was accepted", Do: "restore what was reviewed, or have this bundle reviewed"},
	{ID: "packet.review.role-provenance-missing", Contract: "05 §5.4", Fails: "the review does not say who did what",
		Why: "independence cannot be checked", Do: "write roleProvenance in the review and sign it again"},
	{ID: "packet.review.role-provenance-mismatch", Contract: "05 §5.4", Fails: "the packet names another role provenance than the review has",
		Why: "the packet would credit other people than the review", Do: doRebuild},
}

var closureRules = []verify.Rule{
	{ID: "packet.closure.invalid", Contract: "05 §5.5", Eval: verify.Wraps, Fails: "the authoritative closure does not verify",
		Why: "a level above structural rests on it", Do: "correct the closure as its own findings say"},
	{ID: "packet.closure.level-mismatch", Contract: "05 §5.5", Fails: "the closure reaches another level than the packet claims",
		Why: "a packet must not claim more than its closure shows", Do: "claim the level that the closure has"},
	{ID: "packet.closure.gate-set-mismatch", Contract: "05 §5.5", Fails: "the closure accepted another set of gate artifacts",
		Why: "something was added, removed or changed after the closure", Do: "write the closure for this set of gate artifacts"},
	{ID: "packet.closure.evaluation-mismatch", Contract: "05 §5.5", Fails: "the closure evaluated other results, trajectory or smoke evidence than the packet binds",
		Why: "what was evaluated is not what is attached", Do: "bind the evaluated artifacts, or write the closure again"},
	{ID: "packet.closure.route-mismatch", Contract: "05 §5.5", Fails: "the closure is about another route", Why: whyOneRun, Do: "write the closure from this run's route"},
	{ID: "packet.closure.classification-mismatch", Contract: "05 §5.5", Fails: "the closure is about another classification", Why: whyOneRun, Do: "write the closure from this run's classification"},
}

var inventoryRules = []verify.Rule{
	{ID: "packet.inventory.entry-shape", Contract: "05 §7", Fails: "an inventory entry has other members than path, sha256 and size", Why: whyBound, Do: doRebuild},
	{ID: "packet.inventory.path-order", Contract: "05 §7", Fails: "inventory paths are not strictly ascending paths with a directory",
		Why: "one inventory must have one spelling", Do: "sort the entries by UTF-16 code units and drop repetitions"},
	{ID: "packet.inventory.namespace", Contract: "05 §7", Fails: "an inventory path lies outside the evidence directories",
		Why: "an inventory lists evidence, not source", Do: "list only files below the evidence directories of contract 05, section 7"},
	{ID: "packet.inventory.portable-collision", Contract: "05 §7", Fails: "two inventory paths are the same name on some platforms",
		Why: "one of the two files would overwrite the other there", Do: "rename one of the files"},
	{ID: "packet.inventory.digest-invalid", Contract: "05 §7", Fails: "sha256 of an inventory entry is not 64 hexadecimal characters", Why: whyBound, Do: doRebuild},
	{ID: "packet.inventory.size-invalid", Contract: "05 §7", Fails: "size of an inventory entry is not an integer from 0 to 10485760",
		Why: "evidence files are bounded", Do: "keep evidence files at 10 MiB or less"},
	{ID: "packet.inventory.path-invalid", Contract: "05 §7", Eval: verify.Wraps, Fails: "a listed file is missing or its path is refused",
		Why: "evidence that was reviewed is gone", Do: "restore the file as it was recorded"},
	{ID: "packet.inventory.file-not-regular", Contract: "05 §7", Fails: "a listed path is not a regular file", Why: "only a file has bytes to bind", Do: "list files, not directories"},
	{ID: "packet.inventory.size-mismatch", Contract: "05 §7", Fails: "a listed file has another size than the packet says",
		Why: whyBound, Do: "restore the bytes that were recorded, or build and review the packet again"},
	{ID: "packet.inventory.digest-mismatch", Contract: "05 §7", Fails: "a listed file has other bytes than the packet says",
		Why: whyBound, Do: "restore the bytes that were recorded, or build and review the packet again"},
	{ID: "packet.inventory.too-many-files", Contract: "05 §7", Fails: "the inventory has more than 512 entries",
		Why: "verification is bounded", Do: "keep fewer evidence files, or pack small ones together"},
	{ID: "packet.inventory.too-many-bytes", Contract: "05 §7", Fails: "the inventory lists more than 100 MiB",
		Why: "verification is bounded", Do: "keep less evidence"},
}

var catalogRules = []verify.Rule{
	{ID: "packet.catalogs.missing", Contract: "05 §8", Fails: "catalogSnapshots is not a non-empty array",
		Why: "the catalogs are the rules that the run was judged by", Do: doRebuild},
	{ID: "packet.catalogs.entry-invalid", Contract: "05 §8", Fails: "a snapshot is malformed or its document does not have the digest it states",
		Why: "the snapshot was edited or never complete", Do: doRebuild},
	{ID: "packet.catalogs.duplicate-path", Contract: "05 §8", Fails: "a catalog is snapshotted twice", Why: "two verifiers might use different ones", Do: "keep one snapshot per catalog"},
	{ID: "packet.catalogs.runtime-source-mismatch", Contract: "05 §8", Fails: "a snapshot is not of a catalog of the declared runtime",
		Why: "other rules than the runtime's would be shown", Do: doRebuild},
	{ID: "packet.catalogs.source-unavailable", Contract: "05 §8", Eval: verify.Wraps, Fails: "a catalog cannot be read from the packet's commit",
		Why: "the snapshot cannot be compared with what was committed", Do: "fetch the commit into this clone, or take the snapshot from a committed catalog"},
	{ID: "packet.catalogs.source-digest-mismatch", Contract: "05 §8", Fails: "the committed catalog has another digest than the snapshot says",
		Why: "the snapshot is of another catalog", Do: doRebuild},
	{ID: "packet.catalogs.document-mismatch", Contract: "05 §8", Fails: "a snapshot differs from the committed catalog",
		Why: "the rules shown are not the rules that were committed", Do: doRebuild},
	{ID: "packet.catalogs.incomplete", Contract: "05 §8", Fails: "a catalog of the declared runtime has no valid snapshot",
		Why: "a rule left out would not be missed", Do: doRebuild},
}

var historicalRules = []verify.Rule{
	{ID: "packet.historical.input-binding", Contract: "05 §9", Fails: "an input is not bound by its own path and a SHA-256 digest", Why: whyBound, Do: "restore the packet as it was recorded"},
	{ID: "packet.historical.input-unavailable", Contract: "05 §9", Eval: verify.Wraps, Fails: "an input of the historical run cannot be read", Why: "it can no longer be shown what the run was asked", Do: "restore the file as it was recorded"},
	{ID: "packet.historical.input-digest", Contract: "05 §9", Fails: "an input of the historical run has other bytes", Why: whyBound, Do: "restore the bytes that were recorded"},
	{ID: "packet.historical.gate-binding", Contract: "05 §9", Fails: "a gate entry has no identifier or no SHA-256 digest", Why: whyBound, Do: "restore the packet as it was recorded"},
	{ID: "packet.historical.gate-path", Contract: "05 §9", Fails: "a gate entry is for an unknown gate or another path than the gate's own", Why: whyBound, Do: "restore the packet as it was recorded"},
	{ID: "packet.historical.gate-unavailable", Contract: "05 §9", Eval: verify.Wraps, Fails: "a gate artifact of the historical run cannot be read", Why: "it can no longer be shown what was judged", Do: "restore the file as it was recorded"},
	{ID: "packet.historical.gate-digest", Contract: "05 §9", Fails: "a gate artifact of the historical run has other bytes", Why: whyBound, Do: "restore the bytes that were recorded"},
	{ID: "packet.historical.binding-mismatch", Contract: "05 §9", Fails: "a digest in bindings does not follow from the packet", Why: "the packet was edited after it was built", Do: "restore the packet as it was recorded"},
	{ID: "packet.historical.bindings-invalid", Contract: "05 §9", Fails: "the digests of bindings cannot be computed", Why: "the packet lacks members that they bind", Do: "restore the packet as it was recorded"},
	{ID: "packet.historical.not-closure", Severity: verify.Warning, Contract: "05 §9, §11", Fails: "the packet was checked for integrity only, because its commit is not HEAD or it is a v2 packet",
		Why: "no gate, signature, route or application state was verified again", Do: "check out the packet's commit to verify it in full; a historical result never closes a run"},
}

var finalRules = []verify.Rule{
	{ID: "packet.final.runtime-changed", Contract: "05 §10", Eval: verify.Wraps, Fails: "the validation runtime changed during verification", Why: "what was verified is no longer what is here", Do: "let nothing write to the repository while it is verified, and verify again"},
	{ID: "packet.final.input-changed", Contract: "05 §10", Eval: verify.Wraps, Fails: "an input changed during verification", Why: "what was verified is no longer what is here", Do: "let nothing write to the run while it is verified, and verify again"},
	{ID: "packet.final.gate-changed", Contract: "05 §10", Eval: verify.Wraps, Fails: "a gate artifact changed during verification", Why: "what was verified is no longer what is here", Do: "let nothing write to the run while it is verified, and verify again"},
	{ID: "packet.final.support-changed", Contract: "05 §10", Eval: verify.Wraps, Fails: "a supporting artifact changed during verification", Why: "what was verified is no longer what is here", Do: "let nothing write to the run while it is verified, and verify again"},
	{ID: "packet.final.application-changed", Contract: "05 §10", Eval: verify.Wraps, Fails: "application files changed during verification", Why: "what was verified is no longer what is here", Do: "let nothing write to the repository while it is verified, and verify again"},
	{ID: "packet.binding.mismatch", Contract: "05 §6", Fails: "a digest in bindings does not follow from the packet", Why: "the packet was edited after it was built", Do: "restore the packet as it was built; never edit one by hand"},
}

var strictRules = []verify.Rule{
	{ID: "strict.packet.inventory-not-array", Contract: "05 §11", Fails: "artifactInventory is present and not an array", Why: "it would drop out of every digest without a sound", Do: "write an array, or leave the member out"},
	{ID: "strict.packet.duplicate-required-gate", Contract: "05 §11", Fails: "requiredGates names a gate twice", Why: "two spellings of one list have different digests", Do: "list each gate once"},
	{ID: "strict.packet.noncanonical-path", Contract: "05 §11", Fails: "a gate entry spells its path in another way than the gate's own", Why: "one file must have one name", Do: "write the path as the gate has it"},
	{ID: "strict.packet.unknown-member", Severity: verify.Warning, Contract: "05 §11", Fails: "the packet has a member that the format does not know", Why: "it is in no digest, so anybody can change it", Do: "remove the member"},
	{ID: "strict.packet.evidence-unlisted", Severity: verify.Warning, Contract: "05 §11", Fails: "an evidence file is not in the inventory", Why: "it was not reviewed and can be changed without notice", Do: "build the packet after all evidence was written, or move the file away"},
}
