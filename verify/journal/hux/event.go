package hux

import "finishline/verify/journal/flat"

// An event is what the rules of order and life cycle need of an event that its
// own rules have accepted. Names are keys, so that its size does not depend on
// the text; the text is there for findings until the batch has been delivered.
type event struct {
	line int
	text []byte // the event as JSON text
	kind kind
	has  has

	conversation key
	id, parent   key // event ids, which are unique across conversations
	seq, turn    flat.Decimal
	at           instant
	run          key    // in its conversation
	runAnywhere  key    // the run_id alone
	correlation  key    // in its conversation
	retry        key    // idempotency_key in its conversation
	content      uint64 // digest of the event without id, seq and ts
	identity     uint64 // digest of identity
	subject      key    // detail's approval_id, memory_id …, in its conversation
	version      flat.Decimal
	versioned    key   // subject and version
	supersedes   []key // in its conversation, without itself
	from, to     key   // of modes
}

// has says which optional parts an event has.
type has uint16

const (
	hasID has = 1 << iota // these three lack only where --schema-dir allows it
	hasSeq
	hasTurn
	hasParent
	hasTime // ts has the shape of a timestamp
	hasRun  // a non-empty run_id
	hasCorrelation
	hasRetry
	hasSubject
	hasVersion
	hasFrom
	hasTo
	supersedesSelf
	holdsID // no earlier event has its id
)

func (h has) is(bit has) bool { return h&bit != 0 }
