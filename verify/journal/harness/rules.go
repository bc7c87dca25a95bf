package harness

import (
	"slices"

	"finishline/verify"
)

// Table holds the rules of the Harness v2 journal (contract 20).
var Table = verify.NewTable("harness-journal", slices.Concat(lineRuleTable, envelopeRules, schemaRules, runRules, taskRules, reviewRules, attemptRules, fileRules))

const (
	whyBytes   = "two readers may see different text in the same bytes"
	whyBefore  = "what must have happened before is not recorded"
	whyTwice   = "it cannot happen twice in a row"
	whyGap     = "a number left out or repeated shows missing or doubled records"
	whyReceipt = "a receipt stands for the result of one task"
	doDamaged  = "later lines prove that it was once complete, so compare with another copy of the journal"
	doWriter   = "correct the program that wrote this record"
	doOrder    = "look for records that were removed, doubled or reordered; compare with another copy of the journal"
	doMixed    = "look for records of another run, or of a second coordinator, in this journal"
	doReceipt  = "compare the receipt with the task it names"
	doFiles    = "give the directory of the run with --run-dir, with all its files"
)

var lineRuleTable = []verify.Rule{
	{ID: "harness.file.empty", Contract: "20 §2", Fails: "no record was accepted from the file", Why: "a journal that says nothing shows nothing", Do: "give the events.ndjson of the run; if this is it, the coordinator wrote nothing"},
	{ID: "harness.file.bom", Contract: "20 §2", Fails: "the file starts with a byte order mark", Why: whyBytes, Do: "remove the first three bytes, or write the journal without a byte order mark"},
	{ID: "harness.line.too-long", Contract: "20 §2", Fails: "a line is longer than the limit", Why: "a line of any length could exhaust a reader", Do: "raise --max-line-bytes if the record is genuine"},
	{ID: "harness.line.utf8", Contract: "20 §2", Fails: "a line is not well-formed UTF-8", Why: whyBytes, Do: doDamaged},
	{ID: "harness.line.json", Contract: "20 §2", Fails: "a line is not exactly one JSON text", Why: "a line that cannot be read may have said anything", Do: doDamaged},
	{ID: "harness.line.duplicate-key", Contract: "20 §2", Fails: "an object on the line has a member name twice", Why: "two readers may each take another of the two values", Do: doWriter},
	{ID: "harness.line.surrogate", Contract: "20 §2", Fails: "a string escapes half a surrogate pair", Why: "such a string has no UTF-8 form, and readers differ about it", Do: doWriter},
	{ID: "harness.line.depth", Contract: "20 §2", Fails: "a line nests deeper than 64 levels", Why: "no record of the format is nested so deep", Do: doWriter},
	{ID: "harness.line.object", Contract: "20 §2", Fails: "a line is JSON but not an object", Why: "every record is an object", Do: doDamaged},
	{ID: "harness.line.blank", Severity: verify.Warning, Contract: "20 §2", Fails: "a line holds nothing but white space", Why: "the coordinator writes no blank lines, so something else wrote here", Do: "find out what wrote to the journal besides the coordinator"},
	{ID: "harness.line.crlf", Severity: verify.Warning, Contract: "20 §2", Fails: "a record ends in CR LF", Why: "the journal passed through a program that changes line ends, so its bytes are not the original ones", Do: "copy the journal as binary; with Git, set -text for it"},
	{ID: "harness.tail.torn", Severity: verify.Warning, Contract: "20 §2", Fails: "the bytes after the last newline are no complete record", Why: "the last append did not finish, so what it would have recorded is missing", Do: "compare with the state of the run; the coordinator or the machine stopped while it wrote"},
	{ID: "harness.tail.unterminated", Severity: verify.Warning, Contract: "20 §2", Fails: "the last record has no newline after it", Why: "the next append would be glued to it", Do: "append a newline before the coordinator goes on"},
	{ID: "harness.semantics.skipped", Severity: verify.Note, Contract: "20", Fails: "rules across records and files were not evaluated because single lines are bad", Why: "a story with missing or misread sentences cannot be judged", Do: "correct what the errors say first, then verify again"},
}

var envelopeRules = []verify.Rule{
	{ID: "harness.envelope.unresolved", Contract: "20 §3", Fails: "the payload pointer selects no object", Why: "without its payload a line records nothing", Do: "give the place of the payload with --payload-pointer; it is /payload in most envelopes"},
	{ID: "harness.envelope.seq", Contract: "20 §3", Fails: "the sequence number is absent, no integer, or not one more than before", Why: "a gap or a repetition shows that lines were removed, inserted or reordered", Do: "compare with another copy of the journal around this line"},
	{ID: "harness.envelope.ts", Contract: "20 §3", Fails: "the timestamp is absent or not an RFC 3339 date-time", Why: "a time that cannot be read orders nothing", Do: doWriter},
	{ID: "harness.envelope.ts-order", Severity: verify.Warning, Contract: "20 §3", Fails: "the timestamp is earlier than one before it", Why: "a clock went back, or lines were reordered", Do: "check the clock of the machine, and the order of the lines"},
	{ID: "harness.envelope.chain", Contract: "20 §3", Fails: "the hash of the previous line is not the one recorded", Why: "the line before was changed, or lines were removed, inserted or reordered", Do: "compare with another copy of the journal around this line"},
}

var schemaRules = []verify.Rule{
	{ID: "harness.schema.kind", Contract: "20 §4", Fails: "the payload has no kind, or none that the format knows", Why: "what a record means depends on its kind", Do: "check --payload-pointer, and that the journal was written for Harness v2"},
	{ID: "harness.schema.invalid", Contract: "20 §4", Fails: "the payload violates the definition of its kind", Why: "a record that is not what the format says cannot be relied on", Do: doWriter},
	{ID: "harness.number.unsafe", Severity: verify.Warning, Contract: "20 §8", Fails: "an integer is beyond 2^53 - 1", Why: "other readers of this journal see a rounded number", Do: doWriter},
}
