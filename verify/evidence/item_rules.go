package evidence

import (
	"slices"

	"finishline/verify"
)

// Typed holds the rules of typed evidence and control entries (contract 07,
// sections 4 to 7). The table of every verifier whose documents hold evidence
// uses it.
var Typed = verify.NewTable("typed-evidence", slices.Concat(
	itemRules, artifactRules, commandRules, metricRules, approvalRules, reportRules, freshnessRules, controlRules))

const (
	whyBound   = "evidence of another run, commit or place says nothing about this one"
	doBound    = "collect the evidence again for this run, or correct the value its producer recorded"
	whyRecord  = "an item that lacks this cannot be traced to what it is about"
	doRecord   = "let the producer of the item record it"
	whyTime    = "without a portable time nobody can tell how old the evidence is"
	doTime     = "write the time as 2026-03-04T11:00:00Z, with seconds and an offset"
	whyBytes   = "the digest is what ties the item to one exact file"
	doBytes    = "restore the file that was recorded, or collect the evidence again"
	doDigest   = "write the SHA-256 of the file as 64 hexadecimal characters, without prefix or spaces"
	whySafe    = "a file outside the run, or behind a link, can change after it was judged"
	doSafe     = "keep the file itself below the run's root and name it by its plain relative path"
	whyTrust   = "the trust tier decides what the evidence may prove"
	whyProduce = "evidence whose producer is unknown cannot be weighed"
)

var itemRules = []verify.Rule{
	{ID: "evidence.shape.object", Contract: "07 §4", Fails: "an item of evidence is not an object",
		Why: "only a typed item can be checked; a sentence or a path proves nothing", Do: "write the item as one of the five types of evidence"},
	{ID: "evidence.type.unknown", Contract: "07 §4", Fails: "an item's type is none of artifact, command, metric, approval and provider-report",
		Why: "the type decides which rules apply", Do: "use one of the five types, spelled exactly"},
	{ID: "evidence.binding.subject", Contract: "07 §4", Fails: "an item's subject is not the id of the control or condition that lists it",
		Why: "evidence made for one control must not be lent to another", Do: "collect evidence for this control, or list the item where it belongs"},
	{ID: "evidence.binding.run-id", Contract: "07 §4", Fails: "an item's runId is not that of the document around it", Why: whyBound, Do: doBound},
	{ID: "evidence.binding.commit", Contract: "07 §4", Fails: "an item's commit is not that of the document around it", Why: whyBound, Do: doBound},
	{ID: "evidence.binding.environment", Contract: "07 §4", Fails: "an item's environment is not that of the document around it", Why: whyBound, Do: doBound},
	{ID: "evidence.trust.tier-unknown", Contract: "07 §4", Fails: "an item's trustTier is none of the four tiers", Why: whyTrust,
		Do: "write automated-local, ci-attested, provider-attested or human-approved"},
	{ID: "evidence.producer.object", Contract: "07 §4", Fails: "an item has no producer object", Why: whyProduce, Do: "record name, version and kind of what made the item"},
	{ID: "evidence.producer.name", Contract: "07 §4", Fails: "the producer has no name", Why: whyProduce, Do: "record the name of what made the item"},
	{ID: "evidence.producer.version", Contract: "07 §4", Fails: "the producer has no version", Why: whyProduce, Do: "record the version of what made the item"},
	{ID: "evidence.producer.kind-unknown", Contract: "07 §4", Fails: "the producer's kind is none of tool, ci, provider and human", Why: whyProduce, Do: "write one of the four kinds"},
	{ID: "evidence.producer.kind-mismatch", Contract: "07 §4", Fails: "the producer's kind is not the one its trust tier requires",
		Why: "a local tool must not claim the trust of CI, a provider or a person", Do: "lower the trust tier, or produce the item where that tier is earned"},
	{ID: "evidence.trust.provider-report-tier", Contract: "07 §4", Fails: "a provider report does not carry provider-attested trust",
		Why: "only the provider can attest its own report", Do: "record the report as the provider issued it, with tier provider-attested"},
	{ID: "evidence.trust.approval-tier", Contract: "07 §4", Fails: "an approval does not carry human-approved trust",
		Why: "an approval is a decision of a person and nothing else", Do: "have a person approve, and record tier human-approved"},
	{ID: "evidence.trust.below-minimum", Contract: "07 §4", Fails: "an item's trust is lower than the effective tier requires",
		Why: "the higher a run's tier, the less its own machine's word counts", Do: "produce this evidence in CI or at the provider"},
}

var artifactRules = []verify.Rule{
	{ID: "evidence.artifact.path-missing", Contract: "07 §5.1", Fails: "an artifact has no path", Why: "there is no file to look at", Do: "name the file"},
	{ID: "evidence.artifact.path-escape", Contract: "07 §5.1", Fails: "an artifact's path leaves the root, or is not in canonical form", Why: whySafe, Do: doSafe},
	{ID: "evidence.artifact.path-not-file", Contract: "07 §5.1", Fails: "an artifact's path leads to no regular file, or through a link", Why: whySafe, Do: doSafe},
	{ID: "evidence.artifact.generated-at", Contract: "07 §5.1", Fails: "an artifact's generatedAt is not a timestamp", Why: whyTime, Do: doTime},
	{ID: "evidence.artifact.sha256-format", Contract: "07 §5.1", Fails: "an artifact's sha256 is not a digest where one is needed or given", Why: whyBytes, Do: doDigest},
	{ID: "evidence.artifact.commit-missing", Contract: "07 §5.1", Fails: "an enterprise or regulated artifact names no commit", Why: whyRecord, Do: doRecord},
	{ID: "evidence.artifact.environment-missing", Contract: "07 §5.1", Fails: "an enterprise or regulated artifact names no environment", Why: whyRecord, Do: doRecord},
	{ID: "evidence.artifact.sha256-mismatch", Contract: "07 §5.1", Fails: "an artifact's sha256 is not that of its file", Why: whyBytes, Do: doBytes},
}

var commandRules = []verify.Rule{
	{ID: "evidence.command.command-missing", Contract: "07 §5.2", Fails: "a command item names no command", Why: whyRecord, Do: doRecord},
	{ID: "evidence.command.exit-code", Contract: "07 §5.2", Fails: "a command's exitCode is not the number 0",
		Why: "a command that failed, or whose exit nobody saw, proves nothing", Do: "make the command succeed and record its exit code as a number"},
	{ID: "evidence.command.completed-at", Contract: "07 §5.2", Fails: "a command's completedAt is not a timestamp", Why: whyTime, Do: doTime},
	{ID: "evidence.command.digest-format", Contract: "07 §5.2", Fails: "a command's outputDigest is not a digest", Why: whyBytes, Do: doDigest},
	{ID: "evidence.command.environment-missing", Contract: "07 §5.2", Fails: "a command item names no environment", Why: whyRecord, Do: doRecord},
	{ID: "evidence.command.commit-missing", Contract: "07 §5.2", Fails: "a command item names no commit", Why: whyRecord, Do: doRecord},
	{ID: "evidence.command.output-path-missing", Contract: "07 §5.2", Fails: "a command item has no outputPath", Why: "without its output a command is only a claim", Do: "keep the command's output in a file and name it"},
	{ID: "evidence.command.output-path-invalid", Contract: "07 §5.2", Fails: "a command's outputPath is no safe file of the run", Why: whySafe, Do: doSafe},
	{ID: "evidence.command.digest-mismatch", Contract: "07 §5.2", Fails: "a command's outputDigest is not that of its output file", Why: whyBytes, Do: doBytes},
}

var metricRules = []verify.Rule{
	{ID: "evidence.metric.metric-missing", Contract: "07 §5.3", Fails: "a metric item names no metric", Why: whyRecord, Do: doRecord},
	{ID: "evidence.metric.value", Contract: "07 §5.3", Fails: "a metric's value is not a finite number", Why: "only a number can meet a target", Do: "write the measured value as a JSON number"},
	{ID: "evidence.metric.target", Contract: "07 §5.3", Fails: "a metric's target is not a finite number", Why: "a measurement without a target passes anything", Do: "write the agreed target as a JSON number"},
	{ID: "evidence.metric.operator", Contract: "07 §5.3", Fails: "a metric's operator is none of <, <=, =, >= and >", Why: "nobody can tell on which side of the target the value must be", Do: "write one of the five operators"},
	{ID: "evidence.metric.window-missing", Contract: "07 §5.3", Fails: "a metric names no window", Why: whyRecord, Do: doRecord},
	{ID: "evidence.metric.source-missing", Contract: "07 §5.3", Fails: "a metric names no source", Why: whyRecord, Do: doRecord},
	{ID: "evidence.metric.observed-at", Contract: "07 §5.3", Fails: "a metric's observedAt is not a timestamp", Why: whyTime, Do: doTime},
	{ID: "evidence.metric.environment-missing", Contract: "07 §5.3", Fails: "a metric item names no environment", Why: whyRecord, Do: doRecord},
	{ID: "evidence.metric.commit-missing", Contract: "07 §5.3", Fails: "a metric item names no commit", Why: whyRecord, Do: doRecord},
	{ID: "evidence.metric.target-missed", Contract: "07 §5.3", Fails: "a metric's value does not meet its target", Why: "the measurement shows that the requirement is not met", Do: "fix what was measured and measure again; the target is not the thing to move"},
}

var approvalRules = []verify.Rule{
	{ID: "evidence.approval.actor-type", Contract: "07 §5.4", Fails: "an approval's actorType is not human", Why: "an agent or service cannot approve", Do: "have a person approve"},
	{ID: "evidence.approval.actor-missing", Contract: "07 §5.4", Fails: "an approval names no actor", Why: whyRecord, Do: "record who approved"},
	{ID: "evidence.approval.approval-id-missing", Contract: "07 §5.4", Fails: "an approval has no approvalId", Why: whyRecord, Do: "record the id under which the approval can be found"},
	{ID: "evidence.approval.scope-missing", Contract: "07 §5.4", Fails: "an approval has no scope", Why: "an approval of everything is an approval of nothing", Do: "record what was approved"},
	{ID: "evidence.approval.status", Contract: "07 §5.4", Fails: "an approval's status is not granted", Why: "a pending or denied approval is none", Do: "obtain the approval, or remove the item"},
	{ID: "evidence.approval.approved-at", Contract: "07 §5.4", Fails: "an approval's approvedAt is not a timestamp", Why: whyTime, Do: doTime},
	{ID: "evidence.approval.expires-at", Contract: "07 §5.4", Fails: "an approval's expiresAt is not a timestamp", Why: "an approval that never ends would outlive what was approved", Do: doTime},
	{ID: "evidence.approval.expiry-order", Contract: "07 §5.4", Fails: "an approval expires no later than it was given", Why: "it was never valid", Do: "record the times as they were, or obtain a new approval"},
	{ID: "evidence.approval.expired", Contract: "07 §5.4", Fails: "an approval had expired when the document was made", Why: "an expired approval permits nothing", Do: "obtain a new approval"},
}

var reportRules = []verify.Rule{
	{ID: "evidence.provider-report.url", Contract: "07 §5.5", Fails: "a provider report's url does not start with https://", Why: "a report must be traceable to where the provider published it", Do: "record the https address of the report"},
	{ID: "evidence.provider-report.status", Contract: "07 §5.5", Fails: "a provider report's status is not passed", Why: "the provider did not report success", Do: "resolve what the provider reports, and record its new report"},
	{ID: "evidence.provider-report.checked-at", Contract: "07 §5.5", Fails: "a provider report's checkedAt is not a timestamp", Why: whyTime, Do: doTime},
	{ID: "evidence.provider-report.digest-format", Contract: "07 §5.5", Fails: "a provider report's digest is not a digest", Why: whyBytes, Do: doDigest},
	{ID: "evidence.provider-report.provider-missing", Contract: "07 §5.5", Fails: "a provider report names no provider", Why: whyRecord, Do: doRecord},
	{ID: "evidence.provider-report.report-id-missing", Contract: "07 §5.5", Fails: "a provider report has no reportId", Why: whyRecord, Do: doRecord},
	{ID: "evidence.provider-report.environment-missing", Contract: "07 §5.5", Fails: "a provider report names no environment", Why: whyRecord, Do: doRecord},
	{ID: "evidence.provider-report.commit-missing", Contract: "07 §5.5", Fails: "a provider report names no commit", Why: whyRecord, Do: doRecord},
	{ID: "evidence.provider-report.attestation-path-missing", Contract: "07 §5.5", Fails: "a provider report has no attestationPath", Why: "the verifier is offline, so the attestation itself must be at hand", Do: "save the provider's attestation in the run and name it"},
	{ID: "evidence.provider-report.attestation-path-invalid", Contract: "07 §5.5", Fails: "a provider report's attestationPath is no safe file of the run", Why: whySafe, Do: doSafe},
	{ID: "evidence.provider-report.digest-mismatch", Contract: "07 §5.5", Fails: "a provider report's digest is not that of its attestation file", Why: whyBytes, Do: doBytes},
	{ID: "evidence.warn.loopback-url", Contract: "07 §9", Severity: verify.Warning, Fails: "a provider report's url points to this very machine", Why: "a report that only this machine can show is hardly a provider's", Do: "record the public address of the report"},
}

var freshnessRules = []verify.Rule{
	{ID: "evidence.freshness.future", Contract: "07 §6", Fails: "an item was made after the document that lists it", Why: "a document cannot rest on evidence that did not exist yet", Do: "write the document again after the evidence, and check the clocks of both producers"},
	{ID: "evidence.freshness.stale", Contract: "07 §6", Fails: "an item is older than its evidence profile allows", Why: "what was true then may not be true of what is released now", Do: "collect the evidence again"},
}

var controlRules = []verify.Rule{
	{ID: "control.shape.object", Contract: "07 §7", Fails: "a control is not an object", Why: "only a control entry can be checked", Do: "write the control as an object with id, status and evidence"},
	{ID: "control.id.missing", Contract: "07 §7", Fails: "a control has no id", Why: "nobody can tell which control it answers", Do: "write the id of the catalog's control"},
	{ID: "control.status.unsupported", Contract: "07 §7", Fails: "a control's status is none of the seven", Why: "an unknown status must not read as a pass", Do: "write passed, or the status that applies, spelled exactly"},
	{ID: "control.evidence.missing", Contract: "07 §7", Fails: "a passed control lists no evidence", Why: "a pass without evidence is only a claim", Do: "attach typed evidence, or change the status"},
	{ID: "control.evidence.approval-only", Contract: "07 §7", Fails: "a passed control rests on approvals alone", Why: "an approval accepts a result; it does not show one", Do: "add technical evidence beside the approval"},
	{ID: "control.skip.not-allowed", Contract: "07 §7", Fails: "a control is skipped in a document that forbids it", Why: "at the finish line every expected control counts", Do: "carry the control out"},
	{ID: "control.skip.reason-missing", Contract: "07 §7", Fails: "a skipped control gives no reason", Why: "a skip nobody explained is a gap", Do: "write why in reason; a blank reason hides skipReason"},
	{ID: "control.failed.reason-missing", Contract: "07 §7", Fails: "a failed control gives no failureReason", Why: "a failure nobody explained cannot be acted on", Do: "write what failed"},
	{ID: "control.failed.recovery-missing", Contract: "07 §7", Fails: "a failed control gives no recoveryPath", Why: "a failure without a way out blocks for ever", Do: "write how it will be fixed"},
	{ID: "control.status.blocking", Contract: "07 §7", Fails: "a control's status blocks: required, pending, failed, blocked or needs_approval", Why: "the control is not fulfilled", Do: "fulfil the control and record it as passed with evidence"},
}
