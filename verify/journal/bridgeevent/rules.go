package bridgeevent

import (
	"slices"

	"finishline/verify"
	"finishline/verify/evidence"
)

// Table holds the rules of bridge events (contract 22, sections 2 and 3).
// Findings also carry json.size.
var Table = verify.NewTable("bridge-event", slices.Concat(documentRules, rawRules, timeRules), evidence.Table)

const (
	whyShape = "readers of the mailbox rely on exactly these four members"
	doShape  = "write the members source, event_type, payload and ts, and no others"
	whyRaw   = "what cannot be read cannot be told apart from something else"
	doRaw    = "give one JSON object for each notice, as the host's hook writes it"
	whyTime  = "the order of the mailbox rests on exact times"
	doTime   = "write Unix time as an integer: seconds, milliseconds, microseconds or nanoseconds"
)

var documentRules = []verify.Rule{
	{ID: "doc.json", Contract: "22", Fails: "the document is not one JSON value read strictly: UTF-8 without a byte order mark, no repeated members, no unpaired surrogates, at most 64 levels", Why: "two readers of it could see two documents", Do: "write the document again with a JSON library"},
	{ID: "bridge-event.doc.shape", Contract: "22 §2", Fails: "the event is no object, lacks a member, or has one that the format does not know", Why: whyShape, Do: doShape},
	{ID: "bridge-event.doc.source", Contract: "22 §2", Fails: "source is none of cc, cursor and codex", Why: "the source says which adapter read the notice", Do: "write the source exactly, in lower case"},
	{ID: "bridge-event.doc.type", Contract: "22 §2", Fails: "event_type is no string, or empty", Why: "an event of no type says nothing", Do: "write the type that the host gave"},
	{ID: "bridge-event.doc.payload", Contract: "22 §2", Fails: "payload is no object", Why: whyShape, Do: "write {} where there is nothing to say"},
	{ID: "bridge-event.doc.ts", Contract: "22 §2", Fails: "ts is no integer from 1 to 9223372036854775807", Why: whyTime, Do: "write Unix nanoseconds as a 64-bit integer"},
	{ID: "bridge-event.doc.ts-scale", Contract: "22 §2", Severity: verify.Warning, Fails: "ts lies before 2001-09-09 when it is read as nanoseconds", Why: "seconds, milliseconds or microseconds were probably never scaled", Do: "scale ts to nanoseconds"},
	{ID: "bridge-event.doc.cursor-type", Contract: "22 §2", Fails: "an event of cursor has another type than stop", Why: "the adapter of cursor emits nothing else, so another program wrote this", Do: "find out who wrote the event"},
}

var rawRules = []verify.Rule{
	{ID: "bridge-event.raw.empty", Contract: "22 §3", Fails: "the notice has no bytes", Why: whyRaw, Do: doRaw},
	{ID: "bridge-event.raw.json", Contract: "22 §3", Fails: "the notice is no JSON", Why: whyRaw, Do: doRaw},
	{ID: "bridge-event.raw.utf8", Contract: "22 §3", Hardening: true, Fails: "the notice has bytes that are not UTF-8, or an unpaired surrogate", Why: "the text that is stored would not be the text that was sent", Do: "send well-formed UTF-8"},
	{ID: "bridge-event.raw.duplicate-key", Contract: "22 §3", Hardening: true, Fails: "an object in the notice repeats a member", Why: "readers disagree about which of them counts", Do: "write each member once"},
	{ID: "bridge-event.raw.trailing", Contract: "22 §3", Hardening: true, Fails: "something other than white space follows the notice", Why: "a second notice would be lost without a word", Do: "give each notice by itself"},
	{ID: "bridge-event.raw.object", Contract: "22 §3", Fails: "the notice is no object", Why: whyRaw, Do: doRaw},
	{ID: "bridge-event.raw.event-type", Contract: "22 §3", Fails: "the member that holds the type of the event is absent, null or empty", Why: "an event of no type says nothing", Do: "send the member: hook_event_name for cc and cursor, type for codex"},
	{ID: "bridge-event.raw.event-type-not-string", Contract: "22 §3", Fails: "the type of the event is no string; at base level, an array or object", Why: "the stored type would not be the one that was sent", Do: "send the type as a string"},
}

var timeRules = []verify.Rule{
	{ID: "bridge-event.ts.missing", Contract: "22 §3", Fails: "the member that holds the time is absent or null", Why: whyTime, Do: "send the member: timestamp for cc, ts for cursor and codex"},
	{ID: "bridge-event.ts.invalid", Contract: "22 §3", Fails: "the time is neither a number nor a string of decimal digits", Why: whyTime, Do: doTime},
	{ID: "bridge-event.ts.overflow", Contract: "22 §3", Fails: "the time, as given or in nanoseconds, does not fit 64 bits", Why: "a time that wraps around is another time", Do: doTime},
	{ID: "bridge-event.ts.magnitude", Contract: "22 §3", Fails: "the time is closer to 1970 than a milliard, so its unit cannot be told", Why: whyTime, Do: doTime},
	{ID: "bridge-event.ts.non-positive", Contract: "22 §3", Fails: "the time lies before 1970", Why: whyTime, Do: doTime},
}
