package hux

import (
	"slices"

	"finishline/verify"
)

// Table holds the rules of the HUX event stream (contract 21). Severities are
// those of the contract; options can raise some of them (§1, §3).
var Table = verify.NewTable("hux", slices.Concat(lineRules, schemaRules, contentRules, orderRules, pairRules, runRules, memoryRules, artifactRules, windowRules))

const (
	whyLine    = "readers of different make would see different events in it"
	whyLost    = "what it said is lost"
	whyTail    = "the last append may not have finished"
	whySecret  = "a stream is copied, shown and kept; what was written into it is out"
	whyOrder   = "a consumer that resumes after a number would miss or repeat events"
	whyParent  = "the chain of what led to what is broken here"
	whyRetry   = "a key stands for one logical write; a retry must not make a second event"
	whyPair    = "an answer without its question shows that events are missing or invented"
	whyTwice   = "one question has one answer; the second one contradicts the record"
	whyOpen    = "the stream ends before the end of it"
	whyRun     = "the record of the run is not whole"
	whyMemory  = "what is remembered must follow from what was proposed, refused and forgotten"
	whyVersion = "versions tell which content was meant"

	doLine   = "write each event once as one line of plain JSON, and find out what damaged this one"
	doEmit   = "fix the producer; if events were removed, get the whole stream"
	doOrder  = "fix the producer's numbering, or restore the original order"
	doRetry  = "return the stored event for a repeated key instead of writing it again"
	doPair   = "find the missing event, or fix the producer's ids and parent_event_id"
	doTwice  = "find out which answer counted, and fix the producer"
	doOpen   = "nothing if the conversation goes on; else look for the missing events, or use --require-closed to refuse"
	doRemove = "remove it, rotate the secret, and fix the redaction of the producer"
	doMemory = "fix the producer, or find the missing memory event"
)

var lineRules = []verify.Rule{
	{ID: "hux.file.empty", Contract: "21 §1", Fails: "the file holds no event", Why: "nothing was looked at", Do: "check the path; an empty stream proves nothing"},
	{ID: "hux.file.bom", Contract: "21 §1", Fails: "the file starts with a byte order mark", Why: whyLine, Do: "write UTF-8 without a byte order mark"},
	{ID: "hux.line.too-long", Contract: "21 §1", Fails: "a line is longer than the limit", Why: "it was not parsed, so nothing is known about it", Do: "find out what wrote it; events are short"},
	{ID: "hux.line.utf8", Contract: "21 §1", Fails: "a line is not valid UTF-8", Why: whyLine, Do: doLine},
	{ID: "hux.line.json", Contract: "21 §1", Fails: "a line is not exactly one JSON text", Why: whyLost, Do: doLine},
	{ID: "hux.line.duplicate-key", Contract: "21 §1", Fails: "an object repeats a member name", Why: whyLine, Do: doLine},
	{ID: "hux.line.surrogate", Contract: "21 §1", Fails: "a string escapes an unpaired surrogate", Why: whyLine, Do: doLine},
	{ID: "hux.line.depth", Contract: "21 §1", Fails: "a line is nested deeper than the limit", Why: "readers of different make stop at different depths", Do: doLine},
	{ID: "hux.line.object", Contract: "21 §1", Fails: "an event is not a JSON object", Why: whyLost, Do: doLine},
	{ID: "hux.line.blank", Severity: verify.Warning, Contract: "21 §1", Fails: "a line is blank", Why: "producers do not write blank lines; something else touched the file", Do: "find out what wrote it"},
	{ID: "hux.line.crlf", Severity: verify.Warning, Contract: "21 §1", Fails: "a line ends in CR LF", Why: "the file was converted on its way", Do: "transfer it as binary"},
	{ID: "hux.tail.torn", Severity: verify.Warning, Contract: "21 §1", Fails: "the last line has no newline and is not a whole event", Why: whyTail, Do: "nothing if the producer was stopped there; the rest of that event is lost"},
	{ID: "hux.tail.unterminated", Severity: verify.Warning, Contract: "21 §1", Fails: "the last event has no newline", Why: whyTail, Do: "nothing is lost but the newline; add it before the next append"},
}

var schemaRules = []verify.Rule{
	{ID: "hux.schema.invalid", Contract: "21 §2", Fails: "an event violates the event schema", Why: "a consumer cannot rely on any member of it", Do: "write the event as the schema says"},
	{ID: "hux.schema.unresolved", Contract: "21 §2", Fails: "a reference of the schemas cannot be resolved", Why: "without the definition no event can be judged, and nothing is fetched", Do: "add the missing definition to the schemas of --schema-dir"},
	{ID: "hux.schema.companion", Severity: verify.Note, Contract: "21 §2", Fails: "the common definitions in use are finishline's companion, not the original", Why: "the original was not supplied, so ids, timestamps and identities are judged by assumptions", Do: "give the original with --schema-dir"},
	{ID: "hux.allowlist.companion", Severity: verify.Note, Contract: "21 §2", Fails: "members of detail were judged by the built-in allowlist", Why: "the original list was not supplied, so unlisted members are warnings only", Do: "give the original with --allowlist"},
	{ID: "hux.semantics.skipped", Severity: verify.Note, Contract: "21 intro", Fails: "lines or events are in error, so order and lifecycle were not judged", Why: "what a damaged stream leaves out would show as contradictions that are none", Do: "resolve the errors and verify again"},
}

var contentRules = []verify.Rule{
	{ID: "hux.ts.calendar", Contract: "21 §3", Fails: "ts names a day that does not exist", Why: "no clock wrote it", Do: "fix the producer's clock or formatting"},
	{ID: "hux.summary.control", Severity: verify.Warning, Contract: "21 §3", Fails: "summary holds a control character", Why: "it can forge lines and colours wherever it is shown", Do: "write summaries as plain text on one line"},
	{ID: "hux.sensitivity.unknown-level", Severity: verify.Warning, Contract: "21 §3", Fails: "the sensitivity level is not in the vocabulary", Why: "no policy applies to a level nobody defined", Do: "use a defined level, or add it to the allowlist file"},
	{ID: "hux.detail.key-not-allowed", Severity: verify.Warning, Contract: "21 §3", Fails: "detail has a member that is not listed for the kind", Why: "only listed members are known to be free of raw content; an error with --allowlist", Do: "drop the member, or list it with --allowlist"},
	{ID: "hux.detail.type", Severity: verify.Warning, Contract: "21 §3", Fails: "a listed member of detail has the wrong type", Why: "anything can hide in a member of another type; an error with --allowlist", Do: "write the type that the allowlist names"},
	{ID: "hux.detail.forbidden-key", Contract: "21 §3", Fails: "detail holds raw arguments, logs or credentials by the name of a member", Why: whySecret, Do: doRemove},
	{ID: "hux.detail.secret-pattern", Contract: "21 §3", Fails: "a text of the event looks like a secret", Why: whySecret, Do: doRemove},
	{ID: "hux.number.unsafe", Severity: verify.Warning, Contract: "21 §3", Fails: "an integer is beyond 2^53 - 1", Why: "other readers of the stream will see another number", Do: "write such numbers as strings"},
}

var orderRules = []verify.Rule{
	{ID: "hux.id.duplicate", Contract: "21 §4", Fails: "an event has the id of an earlier one", Why: "references to it are ambiguous, and one of the two may be a replay", Do: doEmit},
	{ID: "hux.seq.not-increasing", Contract: "21 §4", Fails: "seq is not greater than that of the conversation's previous event", Why: whyOrder, Do: doOrder},
	{ID: "hux.seq.gap", Severity: verify.Note, Contract: "21 §4", Fails: "seq skips numbers", Why: "numbers need not be contiguous, but events that were cut out look like this", Do: "compare with another copy of the stream if it matters"},
	{ID: "hux.turn.decreasing", Contract: "21 §4", Fails: "turn is less than that of the conversation's previous event", Why: whyOrder, Do: doOrder},
	{ID: "hux.ts.order", Severity: verify.Warning, Contract: "21 §4", Fails: "ts is earlier than an earlier event's", Why: "a clock went back, or events were moved", Do: "check the producer's clock"},
	{ID: "hux.parent.unknown", Contract: "21 §4", Fails: "parent_event_id is no event of the file", Why: whyParent, Do: doEmit},
	{ID: "hux.parent.cross-conversation", Contract: "21 §4", Fails: "parent_event_id is an event of another conversation", Why: whyParent, Do: doEmit},
	{ID: "hux.parent.forward", Contract: "21 §4", Fails: "parent_event_id is the event itself or a later one", Why: "nothing can follow from what did not happen yet", Do: doOrder},
	{ID: "hux.idempotency.duplicate", Contract: "21 §4", Fails: "an earlier event of the conversation has the same idempotency_key and the same content", Why: whyRetry, Do: doRetry},
	{ID: "hux.idempotency.conflict", Contract: "21 §4", Fails: "an earlier event of the conversation has the same idempotency_key and other content", Why: whyRetry, Do: "use a new key for a new write"},
}

var pairRules = []verify.Rule{
	{ID: "hux.approval.unrequested", Contract: "21 §5", Fails: "an approval is resolved that was not requested", Why: whyPair, Do: doPair},
	{ID: "hux.approval.double-resolved", Contract: "21 §5", Fails: "an approval is resolved twice", Why: whyTwice, Do: doTwice},
	{ID: "hux.approval.left-open", Severity: verify.Note, Contract: "21 §5", Fails: "an approval is never resolved", Why: whyOpen, Do: doOpen},
	{ID: "hux.tool.result-unmatched", Contract: "21 §5", Fails: "a tool result has no call", Why: whyPair, Do: doPair},
	{ID: "hux.tool.result-duplicate", Severity: verify.Warning, Contract: "21 §5", Fails: "a tool call has two results", Why: whyTwice, Do: doTwice},
	{ID: "hux.tool.left-open", Severity: verify.Note, Contract: "21 §5", Fails: "a tool call has no result", Why: whyOpen, Do: doOpen},
	{ID: "hux.delegation.unstarted", Contract: "21 §5", Fails: "a delegation ends that was not started", Why: whyPair, Do: doPair},
	{ID: "hux.delegation.double-end", Contract: "21 §5", Fails: "a delegation ends twice", Why: whyTwice, Do: doTwice},
	{ID: "hux.delegation.left-open", Severity: verify.Note, Contract: "21 §5", Fails: "a delegation never ends", Why: whyOpen, Do: doOpen},
	{ID: "hux.side-effect.unblocked", Contract: "21 §5", Fails: "a side effect is released that was not blocked", Why: whyPair, Do: doPair},
	{ID: "hux.side-effect.double-release", Contract: "21 §5", Fails: "a side effect is released twice", Why: whyTwice, Do: doTwice},
	{ID: "hux.suggestion.unshown", Severity: verify.Warning, Contract: "21 §5", Fails: "a suggestion is dismissed that was not shown", Why: whyPair, Do: doPair},
	{ID: "hux.approval.same-identity", Severity: verify.Warning, Contract: "21 §5", Fails: "an approval is requested and resolved by the same identity", Why: "the asker answered itself", Do: "check who may approve"},
	{ID: "hux.side-effect.released-without-approval", Severity: verify.Warning, Contract: "21 §5", Fails: "a blocked side effect is released and no approval was resolved in between", Why: "nobody is on record as having allowed it", Do: "find out who released it"},
}

var runRules = []verify.Rule{
	{ID: "hux.run.id-missing", Contract: "21 §5", Fails: "a run event has no run_id", Why: "it cannot be told which run it is about", Do: "write run_id on every run event"},
	{ID: "hux.run.start-duplicate", Contract: "21 §5", Fails: "a run starts twice in the conversation", Why: whyRun, Do: "use a new run_id for a new run"},
	{ID: "hux.run.other-conversation", Severity: verify.Warning, Contract: "21 §5", Fails: "a run starts that was started in another conversation", Why: "two conversations claim the same run", Do: "use a new run_id for a new run"},
	{ID: "hux.run.end-without-start", Contract: "21 §5", Fails: "a run ends that was not started in the conversation", Why: whyRun, Do: doEmit},
	{ID: "hux.run.end-duplicate", Contract: "21 §5", Fails: "a run ends twice", Why: whyTwice, Do: doTwice},
	{ID: "hux.run.event-before-start", Severity: verify.Warning, Contract: "21 §5", Fails: "an event belongs to a run that starts only later", Why: whyRun, Do: doOrder},
	{ID: "hux.run.event-after-end", Severity: verify.Warning, Contract: "21 §5", Fails: "an event belongs to a run that has ended", Why: "work went on after the run was said to be over", Do: doOrder},
	{ID: "hux.run.left-open", Severity: verify.Note, Contract: "21 §5", Fails: "a run never ends", Why: whyOpen, Do: doOpen},
	{ID: "hux.budget.tool-after-exhausted", Severity: verify.Warning, Contract: "21 §5", Fails: "a run calls a tool or delegates after its budget was used up", Why: "the limit did not hold", Do: "check how the budget is enforced"},
}

var memoryRules = []verify.Rule{
	{ID: "hux.memory.committed-unproposed", Severity: verify.Warning, Contract: "21 §5", Fails: "a memory is committed that was never proposed", Why: whyMemory, Do: doMemory},
	{ID: "hux.memory.committed-after-suppressed", Contract: "21 §5", Fails: "a memory is committed after it was suppressed, without a new proposal", Why: "the decision not to store it was overridden", Do: "remove it from the store, and fix the producer"},
	{ID: "hux.memory.committed-after-forgotten", Contract: "21 §5", Fails: "a memory is committed after it was forgotten, without a new proposal", Why: "what was to be forgotten is back", Do: "remove it from the store, and fix the producer"},
	{ID: "hux.memory.forgotten-unknown", Contract: "21 §5", Fails: "a memory is forgotten that was never proposed or committed", Why: whyMemory, Do: doMemory},
	{ID: "hux.memory.forgotten-twice", Severity: verify.Warning, Contract: "21 §5", Fails: "a memory is forgotten that is forgotten already", Why: whyMemory, Do: doMemory},
	{ID: "hux.memory.suppressed-unknown", Severity: verify.Warning, Contract: "21 §5", Fails: "a memory is suppressed that was never proposed or committed", Why: whyMemory, Do: doMemory},
	{ID: "hux.memory.retrieval-removed-unknown", Contract: "21 §5", Fails: "a memory is taken from retrieval that was never committed", Why: whyMemory, Do: doMemory},
	{ID: "hux.memory.supersedes-self", Contract: "21 §5", Fails: "a memory supersedes itself", Why: whyMemory, Do: doMemory},
	{ID: "hux.memory.supersedes-unknown", Contract: "21 §5", Fails: "a memory supersedes one that was never committed", Why: whyMemory, Do: doMemory},
	{ID: "hux.memory.supersedes-forgotten", Contract: "21 §5", Fails: "a memory supersedes one that is forgotten", Why: whyMemory, Do: doMemory},
	{ID: "hux.memory.supersedes-fork", Severity: verify.Warning, Contract: "21 §5", Fails: "two commits supersede the same memory", Why: "it is not clear which of them holds", Do: "let the later one supersede the earlier one"},
}

var artifactRules = []verify.Rule{
	{ID: "hux.artifact.created-duplicate", Contract: "21 §5", Fails: "an artifact is created twice", Why: "two things share one id", Do: "use a new id, or write artifact.version"},
	{ID: "hux.artifact.unknown", Contract: "21 §5", Fails: "an artifact changes or is promoted that was never created", Why: "its origin is not on record", Do: doEmit},
	{ID: "hux.artifact.version-order", Contract: "21 §5", Fails: "an artifact's version is not greater than its latest", Why: whyVersion, Do: "count versions upwards"},
	{ID: "hux.artifact.promoted-unknown-version", Contract: "21 §5", Fails: "a version is promoted that no event made", Why: whyVersion, Do: "promote a version that is on record"},
	{ID: "hux.mode.discontinuity", Severity: verify.Warning, Contract: "21 §5", Fails: "a mode changes from another mode than the last change led to", Why: "a change of mode is missing", Do: doEmit},
}

var windowRules = []verify.Rule{
	{ID: "hux.resume.not-after", Contract: "21 §6", Fails: "an event of a resumed window has a seq that was consumed before", Why: whyOrder, Do: "ask for events after the right number, or verify the whole stream"},
	{ID: "hux.window.unresolved", Severity: verify.Note, Contract: "21 §6", Fails: "something refers to what may lie before the window", Why: "a window alone cannot show that it is on record", Do: "verify the whole stream to be sure"},
}
