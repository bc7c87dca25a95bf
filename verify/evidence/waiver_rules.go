package evidence

import "finishline/verify"

// Waivers holds the rules of the waiver ledger (contract 07, section 8, and the
// strict readings of section 9). It uses [Table] for strict.json.*.
var Waivers = verify.NewTable("waivers", waiverRules, Table)

const (
	whyWaiver = "a waiver that lacks this accepts a risk nobody can trace"
	whyLedger = "a ledger that does not say which run it belongs to could be carried over from another"
)

var waiverRules = []verify.Rule{
	{ID: "waiver.ledger.missing", Contract: "07 §8.1", Fails: "the waiver ledger does not exist as a file of the run; strict: or is reached through a link",
		Why: "a run says what it waived, also when that is nothing", Do: "write waivers/waivers.json with an empty waivers array when nothing is waived"},
	{ID: "waiver.ledger.json", Contract: "07 §8.1", Fails: "the waiver ledger is not readable JSON",
		Why: "a ledger nobody can read waives nothing and hides what it meant to", Do: "write the file again with a JSON library"},
	{ID: "waiver.ledger.object", Contract: "07 §8.1", Fails: "the waiver ledger is not an object", Why: "its header and its entries are members", Do: "write a uash.waiver-ledger.v1 document"},
	{ID: "waiver.ledger.schema", Contract: "07 §8.1", Fails: "the ledger's schema is not uash.waiver-ledger.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "waiver.ledger.run-id", Contract: "07 §8.1", Fails: "the ledger names no runId", Why: whyLedger, Do: "record the run's id"},
	{ID: "waiver.ledger.commit", Contract: "07 §8.1", Fails: "the ledger names no commit", Why: whyLedger, Do: "record the run's commit"},
	{ID: "waiver.ledger.environment", Contract: "07 §8.1", Fails: "the ledger names no environment", Why: whyLedger, Do: "record the run's environment"},
	{ID: "waiver.ledger.profile", Contract: "07 §8.1", Fails: "the ledger's profile is none of the four", Why: whyLedger, Do: "write prototype, production, enterprise or regulated"},
	{ID: "waiver.ledger.generated-at", Contract: "07 §8.1", Fails: "the ledger's generatedAt is not a timestamp", Why: "whether a waiver had expired is judged against it", Do: doTime},
	{ID: "waiver.ledger.waivers-array", Contract: "07 §8.1", Fails: "the ledger's waivers is not an array", Why: "entries in another shape are not looked at", Do: "write an array, empty when nothing is waived"},

	{ID: "waiver.entry.object", Contract: "07 §8.2", Fails: "a waiver is not an object", Why: "only a full entry says who accepted what", Do: "write the waiver as an object, or remove it"},
	{ID: "waiver.entry.id", Contract: "07 §8.2", Fails: "a waiver has no id", Why: whyWaiver, Do: "give each waiver an id of its own"},
	{ID: "waiver.entry.duplicate", Contract: "07 §8.2", Fails: "a waiver's id is that of an earlier one", Why: "two waivers of one id cannot be told apart in a review", Do: "give each waiver an id of its own"},
	{ID: "waiver.entry.control-id", Contract: "07 §8.2", Fails: "a waiver names no control", Why: whyWaiver, Do: "name the control whose risk is accepted"},
	{ID: "waiver.entry.status", Contract: "07 §8.2", Fails: "a waiver's status is not active", Why: "closed, expired and revoked waivers do not belong in a ledger", Do: "remove the waiver, or record it as active if it is"},
	{ID: "waiver.entry.reason", Contract: "07 §8.2", Fails: "a waiver gives no reason", Why: whyWaiver, Do: "write why the risk is accepted"},
	{ID: "waiver.entry.risk-owner", Contract: "07 §8.2", Fails: "a waiver has no risk owner, or one who is not a person", Why: "only a person can carry a risk", Do: "name the person, with riskOwnerType human"},
	{ID: "waiver.entry.approver", Contract: "07 §8.2", Fails: "a waiver has no approver, or one who is not a person", Why: "an agent or service cannot accept a risk", Do: "name the person, with approvedByType human"},
	{ID: "waiver.entry.approval-event", Contract: "07 §8.2", Fails: "a waiver names no approval event", Why: "the approval must be found in the run's journal", Do: "record the id of the event that granted the approval"},
	{ID: "waiver.entry.scope", Contract: "07 §8.2", Fails: "a waiver has no scope", Why: "a waiver of everything is an open door", Do: "record the scope that was approved"},
	{ID: "waiver.entry.compensating", Contract: "07 §8.2", Fails: "a waiver lists no compensating controls, or blank ones", Why: "an accepted risk is still to be held small", Do: "list what limits the risk meanwhile"},
	{ID: "waiver.entry.remediation", Contract: "07 §8.2", Fails: "a waiver's remediationIssue is no https address", Why: "a waiver is a debt, and debts are tracked", Do: "record the https address of the issue that will end the waiver"},
	{ID: "waiver.entry.times", Contract: "07 §8.2", Fails: "a waiver's issuedAt or expiresAt is not a timestamp", Why: "a waiver without an end is permanent", Do: doTime},
	{ID: "waiver.entry.expiry-order", Contract: "07 §8.2", Fails: "a waiver expires no later than it was issued", Why: "it was never in force", Do: "record the times as they were approved"},
	{ID: "waiver.entry.expired", Contract: "07 §8.2", Fails: "a waiver had expired when the ledger was written", Why: "an expired waiver accepts nothing", Do: "remove it, or have it approved again"},
	{ID: "waiver.hardening.issued-in-future", Contract: "07 §9", Fails: "a waiver was issued after the ledger was written", Why: "a ledger cannot hold what had not been decided yet", Do: "write the ledger again after the approval, and check the clocks"},
	{ID: "waiver.hardening.expired-now", Contract: "07 §9", Fails: "a waiver has expired by the caller's clock", Why: "the ledger was in order when written, but the acceptance has ended since", Do: "fix the issue, or have the waiver approved again"},
	{ID: "waiver.warn.same-person", Contract: "07 §9", Severity: verify.Warning, Fails: "risk owner and approver of a waiver are the same person", Why: "nobody else looked at the risk", Do: "have someone else approve"},
	{ID: "waiver.warn.unknown-control", Contract: "07 §9", Severity: verify.Warning, Fails: "a waiver's controlId is in no catalog", Why: "it may be misspelt, and then documents nothing", Do: "check the id against the catalogs"},

	{ID: "waiver.correlation.missing-approval", Contract: "07 §8.4", Fails: "a waiver is backed by no granted approval record of the run", Why: "only a decision that a person made with the approval token accepts a risk; a later request or denial for the same scope and owner takes it back", Do: "request the approval again, and record the event that grants it"},
}
