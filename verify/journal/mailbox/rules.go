package mailbox

import (
	"slices"

	"finishline/verify"
	"finishline/verify/evidence"
)

// Table holds the rules of the mailbox (contract 22, section 4). Findings also
// carry json.size.
var Table = verify.NewTable("mailbox", slices.Concat(fileRules, schemaRules, rowRules, historyRules), evidence.Table)

const (
	contract  = "22 §4"
	whyRead   = "rows that cannot be read cannot be judged"
	whyEvent  = "the mailbox holds nothing but bridge events"
	whyAppend = "the mailbox is only ever appended to, so somebody rewrote it"
	doAppend  = "find out who wrote to the store, and restore it from before that"
	doRow     = "find out which program wrote the row"
)

var fileRules = []verify.Rule{
	{ID: "mailbox.file.not-sqlite", Contract: contract, Fails: "the file does not start as a SQLite database does", Why: whyRead, Do: "name the store's database file, or an export with one row in each line"},
	{ID: "mailbox.file.corrupt", Contract: contract, Fails: "SQLite's integrity check of the store is not ok", Why: "rows of a damaged database may be missing or wrong", Do: "restore the store from a copy, and find out what damaged it"},
	{ID: "mailbox.file.not-wal", Contract: contract, Severity: verify.Warning, Fails: "the store is not in WAL journal mode", Why: "the bridge's writers always use it, so another program made or changed this file", Do: "find out which program wrote the store"},
}

var schemaRules = []verify.Rule{
	{ID: "mailbox.schema.table-missing", Contract: contract, Fails: "the database has no table bridge_events", Why: "this is another database", Do: "name the store's database file"},
	{ID: "mailbox.schema.column", Contract: contract, Fails: "a column of bridge_events is missing, generated, of another type or nullable, or event_id is not the primary key", Why: "without these constraints the store takes rows that are no bridge events", Do: "find out which program made the table"},
	{ID: "mailbox.schema.check-missing", Contract: contract, Severity: verify.Warning, Fails: "the table has no CHECK on source, or none on lane", Why: "the store itself would take any value", Do: "make new stores with both constraints"},
	{ID: "mailbox.schema.trigger", Contract: contract, Fails: "the table has a trigger", Why: "a trigger can rewrite or drop rows while they are appended", Do: "treat the store as changed, and find out who added the trigger"},
}

var rowRules = []verify.Rule{
	{ID: "mailbox.row.shape", Contract: contract, Fails: "a line of the export is no strict JSON object of exactly the six members with their types", Why: whyRead, Do: "export the rows again, one object in each line"},
	{ID: "mailbox.row.event-id-duplicate", Contract: contract, Fails: "an event id occurs a second time in the export", Why: "the store keeps each id once, so the export was put together by hand", Do: "export the rows again"},
	{ID: "mailbox.row.event-id", Contract: contract, Severity: verify.Note, Fails: "an event id is not evt-<unix nanoseconds>-<six digits>", Why: "the bridge's writers make no other ids", Do: doRow},
	{ID: "mailbox.row.source", Contract: contract, Fails: "source is none of cc, cursor and codex", Why: whyEvent, Do: doRow},
	{ID: "mailbox.row.event-type", Contract: contract, Fails: "event_type is empty or no text", Why: whyEvent, Do: doRow},
	{ID: "mailbox.row.lane", Contract: contract, Fails: "lane is none of fast, gate and release", Why: "the lane says what else happened with the event, and an unknown one is refused before anything is written", Do: doRow},
	{ID: "mailbox.row.payload", Contract: contract, Fails: "payload_json is not one strict JSON object", Why: "two readers of it could see two payloads", Do: doRow},
	{ID: "mailbox.row.ts", Contract: contract, Fails: "ts is no integer of at least 1", Why: whyEvent, Do: doRow},
	{ID: "mailbox.row.ts-scale", Contract: contract, Severity: verify.Warning, Fails: "ts lies before 2001-09-09 when it is read as nanoseconds", Why: "seconds, milliseconds or microseconds were probably never scaled", Do: doRow},
	{ID: "mailbox.row.cursor-type", Contract: contract, Fails: "an event of cursor has another type than stop", Why: "the adapter of cursor emits nothing else", Do: doRow},
	{ID: "mailbox.order.ts", Contract: contract, Severity: verify.Note, Fails: "ts decreases from one row to the next", Why: "the time of an event may differ from the order of the appends, but a backdated row looks the same", Do: "look at the rows around it"},
}

var historyRules = []verify.Rule{
	{ID: "mailbox.append-only.removed", Contract: contract, Fails: "a row of the earlier export is gone", Why: whyAppend, Do: doAppend},
	{ID: "mailbox.append-only.changed", Contract: contract, Fails: "a row of the earlier export has another content now", Why: whyAppend, Do: doAppend},
}
