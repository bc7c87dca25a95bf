package gate

import "finishline/verify"

var foundationTable = define("foundation",
	readRules("foundation", "09a §6", foundationPath),
	memberRules("foundation", "09a §6", foundationMembers),
	tierRules("foundation", "09a §6", tierBindings),
	tierUnknownRule("foundation", "09a §6"),
	controlRules("foundation", "09a §6"),
	foundationRules)

const (
	whyCapability = "the groundwork is judged capability by capability"
	whyLeftOut    = "what is left out of the groundwork is built on guesses"
)

var foundationRules = []verify.Rule{
	{ID: "foundation.catalog-digest", Contract: "09a §6", Fails: "catalogSha256 is not the SHA-256 of the bytes of the foundation catalog", Why: "the answers belong to the questions of one exact catalog", Do: "record the digest of the pack's controls/foundation-layer.v1.json, of its bytes and not of its meaning"},
	{ID: "foundation.schema", Contract: "09a §6", Fails: "the schema is not uash.foundation-assessment.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "foundation.status", Contract: "09a §6", Fails: "the status is not passed", Why: "an assessment at the finish line has passed", Do: "resolve what the assessment found"},
	{ID: "foundation.capability.unknown", Contract: "09a §6", Fails: "an entry is about none of the seven capabilities", Why: whyCapability, Do: "use the ids of the catalog"},
	{ID: "foundation.capability.duplicate", Contract: "09a §6", Fails: "a capability has two entries", Why: "of two answers to one question a reader may take the better", Do: "keep one entry for each capability"},
	{ID: "foundation.capability.owner", Contract: "09a §6", Fails: "a capability has no owner", Why: "someone answers for it", Do: "name the person or team"},
	{ID: "foundation.capability.applicability", Contract: "09a §6", Fails: "a capability is neither required nor not-applicable", Why: "a state nobody defined means what the reader wishes", Do: "write required or not-applicable"},
	{ID: "foundation.capability.na-status", Contract: "09a §6", Fails: "a capability that does not apply is not skipped", Why: "a capability cannot both not apply and have passed", Do: "write status skipped, or make it required"},
	{ID: "foundation.capability.na-reason", Contract: "09a §6", Fails: "a capability that does not apply gives no reason", Why: whyLeftOut, Do: "write why in reason; a blank reason hides skipReason"},
	{ID: "foundation.capability.na-forbidden", Contract: "09a §6", Fails: "a capability that this run needs is said not to apply", Why: whyLeftOut, Do: "assess the capability; only a prototype may leave some out, and never the product domain and its requirements"},
	{ID: "foundation.capability.not-needed", Contract: "09a §6", Fails: "a controlled documentation run assesses a capability it has no use for", Why: "an assessment of what was not touched was not made", Do: "write not-applicable, skipped, and why"},
	{ID: "foundation.capability.status", Contract: "09a §6", Fails: "a required capability's status is not passed", Why: "the groundwork is not there", Do: "resolve what is open and record it as passed with evidence"},
	{ID: "foundation.capability.missing", Contract: "09a §6", Fails: "one of the seven capabilities has no entry", Why: "what is not listed was not assessed", Do: "add the entry; one that does not apply says so with a reason"},
	{ID: "foundation.control.evidence-type", Contract: "09a §6", Fails: "a passed control has no evidence of a type that proves it", Why: "each control is proved by something else: a document, a command, a measurement", Do: "add evidence of the type that the finding names"},
	{ID: "foundation.dependency.unsatisfied", Contract: "09a §6", Fails: "a required capability rests on one that is not required and passed", Why: "groundwork without its own ground does not hold", Do: "require and pass what it rests on"},
}
