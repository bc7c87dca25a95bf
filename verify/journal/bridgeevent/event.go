package bridgeevent

import "strconv"

// The sources that an event can have.
const (
	CC     = "cc"
	Cursor = "cursor"
	Codex  = "codex"
)

// IsSource reports whether s is one of the three sources, exactly.
func IsSource(s string) bool { return s == CC || s == Cursor || s == Codex }

// StopType is the only type of an event of cursor.
const StopType = "stop"

// LeastScaled is the smallest ts in nanoseconds that is not suspected to be in
// a larger unit: 2001-09-09 (the rules ending in ts-scale).
const LeastScaled = 1e18

// An Event is a bridge-event.v1.
type Event struct {
	Source string
	Type   string
	// Payload is one JSON object without white space. Its number literals are
	// those of the notice.
	Payload []byte
	TS      int64 // Unix nanoseconds, at least 1
}

// JSON is the document of an event, on one line without a line feed.
func (e Event) JSON() []byte {
	b := append([]byte(nil), `{"source":`...)
	b, _ = appendString(b, e.Source) // valid UTF-8, which is all it asks for
	b = append(b, `,"event_type":`...)
	b, _ = appendString(b, e.Type)
	b = append(b, `,"payload":`...)
	b = append(b, e.Payload...)
	b = append(b, `,"ts":`...)
	b = strconv.AppendInt(b, e.TS, 10)
	return append(b, '}')
}
