package event

import "finishline/verify"

// Table holds the rules of a single event (13 §3 and 3.1).
var Table = verify.NewTable("event", rules)

const (
	whyWord   = "the run's state is derived from this word, so an unknown one means nothing"
	doWord    = "use one of the words of the event contract, exactly"
	whyReason = "whoever reads the run later must be able to tell why"
	whyOwner  = "an approval belongs to a person and to a scope, or it approves nothing"
	doSend    = "give it when the event is sent"
	whyShape  = "a member of another type is read differently by different readers"
)

var rules = []verify.Rule{
	{ID: "event.document.too-large", Contract: "13 §3", Fails: "the compact text of the event is longer than 16384 bytes", Why: "every reader must be able to bound what it keeps", Do: "move long text into an artifact and name it"},
	{ID: "event.id.invalid", Contract: "13 §3", Fails: "id is no text, or empty", Why: "events are told apart by their id", Do: "give each event an id, or leave it to the bridge"},
	{ID: "event.id.too-long", Contract: "13 §3", Fails: "id is longer than 512 UTF-16 code units", Why: "events are told apart by their id", Do: "shorten the id"},
	{ID: "event.type.missing", Contract: "13 §3", Fails: "type is missing", Why: whyWord, Do: doWord},
	{ID: "event.type.unknown", Contract: "13 §3", Fails: "type is none of the 16 event types", Why: whyWord, Do: doWord},
	{ID: "event.actor.missing", Contract: "13 §3", Fails: "actor is missing", Why: whyWord, Do: doWord},
	{ID: "event.actor.unknown", Contract: "13 §3", Fails: "actor is none of the known actors", Why: whyWord, Do: doWord},
	{ID: "event.message.missing", Contract: "13 §3", Fails: "message is missing", Why: whyReason, Do: "say in a sentence what happened"},
	{ID: "event.status.missing", Contract: "13 §3", Fails: "status is missing", Why: whyWord, Do: doWord},
	{ID: "event.status.unknown", Contract: "13 §3", Fails: "status is none of the known statuses", Why: whyWord, Do: doWord},
	{ID: "event.run-mode.missing", Contract: "13 §3", Fails: "runMode is missing", Why: whyWord, Do: doWord},
	{ID: "event.run-mode.unknown", Contract: "13 §3", Fails: "runMode is none of blueprint, live and replay", Why: whyWord, Do: doWord},
	{ID: "event.source.missing", Contract: "13 §3", Fails: "eventSource is missing", Why: whyWord, Do: doWord},
	{ID: "event.source.unknown", Contract: "13 §3", Fails: "eventSource is none of the known sources", Why: whyWord, Do: doWord},
	{ID: "event.node-id.missing", Contract: "13 §3", Fails: "nodeId is missing", Why: whyWord, Do: doWord},
	{ID: "event.node-id.unknown", Contract: "13 §3", Fails: "nodeId is none of the 14 nodes", Why: whyWord, Do: doWord},
	{ID: "event.node-state.unknown", Contract: "13 §3", Fails: "nodeState is given and none of the node states", Why: whyWord, Do: doWord},
	{ID: "event.skip.reason-missing", Contract: "13 §3", Fails: "a node is skipped without skipReason", Why: whyReason, Do: "say why the node is skipped"},
	{ID: "event.failure.reason-missing", Contract: "13 §3", Fails: "a node failed without failureReason", Why: whyReason, Do: "say what failed"},
	{ID: "event.failure.recovery-missing", Contract: "13 §3", Fails: "a node failed without recoveryPath", Why: "a failure without a way on leaves the run stuck", Do: "say what brings the run on"},
	{ID: "event.approval.owner-missing", Contract: "13 §3", Fails: "an approval event has no approvalOwner", Why: whyOwner, Do: doSend},
	{ID: "event.approval.scope-missing", Contract: "13 §3", Fails: "an approval event has no approvalScope", Why: whyOwner, Do: doSend},
	{ID: "event.approval.actor-not-human", Contract: "13 §3", Fails: "an approval is decided by an actor other than human", Why: "only a person decides an approval", Do: "let a person decide, with the human token"},
	{ID: "event.self-heal.reference-missing", Contract: "13 §3", Fails: "a self-heal proposal names neither a pull request nor an artifact", Why: "a proposal that nobody can look at resolves nothing", Do: "give selfHealPrUrl or artifact"},
	{ID: "event.artifact.path-missing", Contract: "13 §3", Fails: "artifact.written has no artifact", Why: "nothing says which file was written", Do: doSend},
	{ID: "event.field.type", Contract: "13 §3", Fails: "a member is neither text nor null", Why: whyShape, Do: "write the member as text"},
	{ID: "event.field.blank", Contract: "13 §3.1", Hardening: true, Fails: "a text that must say something is white space only", Why: "white space gives no reason and names no owner", Do: "write what is meant"},
	{ID: "event.field.control-character", Contract: "13 §3.1", Hardening: true, Fails: "an id, path, owner or scope holds a control character", Why: "such a name reads differently on a terminal and in a log", Do: "remove the control character"},
	{ID: "event.node-state.contradiction", Contract: "13 §3.1", Hardening: true, Fails: "nodeState contradicts type or status", Why: "two readers would see two states of the node", Do: "drop nodeState, or make it agree"},
	{ID: "event.mode.source-mismatch", Severity: verify.Warning, Contract: "13 §3.1", Hardening: true, Fails: "the source does not belong to the run mode", Why: "a replayed event must not pass for a live one", Do: "send the event with the mode of its source"},
	{ID: "event.ts.not-timestamp", Severity: verify.Warning, Contract: "13 §3.1", Hardening: true, Fails: "ts is no RFC 3339 time", Why: "the event cannot be put on a time line", Do: "write ts as 2026-05-11T12:05:00Z"},
}
