package mailbox

import (
	"fmt"
	"regexp"
	"strconv"

	"finishline/verify"
	"finishline/verify/journal/bridgeevent"
)

// MaxPayload bounds the payload of a row (json.size).
const MaxPayload = bridgeevent.MaxBytes

// A cell is one value of a row: a text, or an integer, or neither (null, a
// blob, a real number) and then Other says what it is.
type cell struct {
	text    string
	integer int64
	kind    cellKind
	other   string
}

type cellKind int

const (
	otherCell cellKind = iota
	textCell
	integerCell
)

func (c cell) is(s string) bool { return c.kind == textCell && c.text == s }

func (c cell) String() string {
	switch c.kind {
	case textCell:
		return verify.Quote(c.text)
	case integerCell:
		return strconv.FormatInt(c.integer, 10)
	}
	return c.other
}

// A row is one row of the table, its columns in the order of the contract.
type row struct {
	id, source, eventType, lane, payload, ts cell
	// payloadSize is the length of the payload in bytes. When it is beyond
	// MaxPayload, the payload itself was not read.
	payloadSize int64
}

// rows holds row after row against the row rules.
type rows struct {
	out   *verify.Findings
	count int
	// lastTS is the ts of the row before, once there was one.
	lastTS  int64
	ordered bool // false where the order of the rows says nothing
	seenTS  bool
	said    map[string]bool // rules that are reported once
}

// idForm is the written form of an event id.
var idForm = regexp.MustCompile(`^evt-(0|[1-9][0-9]{0,18})-[0-9]{6}$`)

// check applies the row rules; each fires once for a row.
func (r *rows) check(at verify.Place, w row) {
	r.count++
	if !(w.id.kind == textCell && idForm.MatchString(w.id.text)) {
		r.once("mailbox.row.event-id", at, w.id, "evt-<unix nanoseconds>-<six digits>")
	}
	known := w.source.kind == textCell && bridgeevent.IsSource(w.source.text)
	if !known {
		r.fail("mailbox.row.source", at, w.source, "cc, cursor or codex")
	}
	switch {
	case w.eventType.kind != textCell || w.eventType.text == "":
		r.fail("mailbox.row.event-type", at, w.eventType, "a text that is not empty")
	case w.source.is(bridgeevent.Cursor) && !w.eventType.is(bridgeevent.StopType):
		r.fail("mailbox.row.cursor-type", at, w.eventType, `"stop"`)
	}
	if !isLane(w.lane) {
		r.fail("mailbox.row.lane", at, w.lane, "fast, gate or release")
	}
	r.payload(at, w)
	r.time(at, w.ts)
}

func (r *rows) payload(at verify.Place, w row) {
	if w.payloadSize > MaxPayload {
		r.out.Add("json.size", at, verify.What{Found: fmt.Sprintf("row %d: a payload of %d bytes", r.count, w.payloadSize), Expected: fmt.Sprintf("at most %d", MaxPayload)})
		return
	}
	if w.payload.kind != textCell {
		r.fail("mailbox.row.payload", at, w.payload, "the text of a JSON object")
		return
	}
	switch _, isObject, err := bridgeevent.ReadStrict([]byte(w.payload.text)); {
	case err != nil:
		r.out.Add("mailbox.row.payload", at, verify.What{Found: fmt.Sprintf("row %d: %v", r.count, err), Expected: "one strict JSON object"})
	case !isObject:
		r.fail("mailbox.row.payload", at, w.payload, "one strict JSON object")
	}
}

func (r *rows) time(at verify.Place, ts cell) {
	switch {
	case ts.kind != integerCell || ts.integer < 1:
		r.fail("mailbox.row.ts", at, ts, "an integer of at least 1")
	case ts.integer < bridgeevent.LeastScaled:
		r.fail("mailbox.row.ts-scale", at, ts, "Unix nanoseconds, at least 10^18 since 2001")
	}
	if ts.kind != integerCell {
		return
	}
	if r.ordered && r.seenTS && ts.integer < r.lastTS {
		r.once("mailbox.order.ts", at, ts, fmt.Sprintf("at least %d, as in the row before", r.lastTS))
	}
	r.lastTS, r.seenTS = ts.integer, true
}

func (r *rows) fail(rule string, at verify.Place, c cell, expected string) {
	what := verify.What{}
	if !r.out.Full(rule) { // else it is only counted
		what = verify.What{Found: fmt.Sprintf("row %d: %s", r.count, c), Expected: expected}
	}
	r.out.Add(rule, at, what)
}

// once reports a rule for its first row only.
func (r *rows) once(rule string, at verify.Place, c cell, expected string) {
	if r.said[rule] {
		return
	}
	if r.said == nil {
		r.said = map[string]bool{}
	}
	r.said[rule] = true
	r.fail(rule, at, c, expected)
}

func isLane(c cell) bool { return c.is("fast") || c.is("gate") || c.is("release") }
