package bridgeevent

import (
	"fmt"

	"finishline/verify"
)

// Document holds the bytes of one document against section 2. at says which
// document it is: its file, and the line if it is one of many.
func Document(out *verify.Findings, at verify.Place, data []byte) {
	if len(data) > MaxBytes {
		out.Add("json.size", at, verify.What{Found: fmt.Sprintf("%d bytes", len(data)), Expected: fmt.Sprintf("at most %d", MaxBytes)})
		return
	}
	m, isObject, err := ReadStrict(data)
	if err != nil {
		out.Add("doc.json", at, verify.What{Found: err.Error(), Expected: "one strict JSON value"})
		return
	}
	d := document{out: out, at: at, members: m}
	before := out.Errors()
	if isObject {
		d.shape()
		d.values()
	} else {
		out.Add("bridge-event.doc.shape", at, verify.What{Found: kindName(value(data)), Expected: "an object"})
	}
	if out.Errors() == before { // what follows from a bad member is not said again
		d.meaning()
	}
}

// document is one document under verification.
type document struct {
	out     *verify.Findings
	at      verify.Place
	members Members
}

var documentMembers = []string{"source", "event_type", "payload", "ts"}

func (d document) fail(rule, member, expected string) {
	at := d.at
	at.Pointer = "/" + member
	d.out.Add(rule, at, verify.What{Found: kindName(d.members.Get(member)), Expected: expected})
}

// shape demands exactly the four members; the first difference is reported.
func (d document) shape() {
	for _, name := range documentMembers {
		if d.members.Get(name) == nil {
			d.out.Add("bridge-event.doc.shape", d.at, verify.What{Found: "no member " + name, Expected: "source, event_type, payload and ts"})
			return
		}
	}
	for _, name := range d.members.Names() {
		if !isMember(name) {
			d.out.Add("bridge-event.doc.shape", d.at, verify.What{Found: "a member " + verify.Quote(name), Expected: "source, event_type, payload and ts only"})
			return
		}
	}
}

func isMember(name string) bool {
	for _, m := range documentMembers {
		if m == name {
			return true
		}
	}
	return false
}

// values looks at the members that are there.
func (d document) values() {
	if v := d.members.Get("source"); v != nil && !(v.Kind() == '"' && IsSource(stringOf(v))) {
		d.fail("bridge-event.doc.source", "source", "cc, cursor or codex")
	}
	if v := d.members.Get("event_type"); v != nil && !(v.Kind() == '"' && len(v) > len(`""`)) {
		d.fail("bridge-event.doc.type", "event_type", "a string that is not empty")
	}
	if v := d.members.Get("payload"); v != nil && v.Kind() != '{' {
		d.fail("bridge-event.doc.payload", "payload", "an object")
	}
	if v := d.members.Get("ts"); v != nil {
		if n, ok := integerOf(v); !ok || n < 1 {
			d.fail("bridge-event.doc.ts", "ts", "an integer from 1 to 9223372036854775807")
		}
	}
}

// meaning applies the rules beyond the schema to a document of the right shape.
func (d document) meaning() {
	if n, _ := integerOf(d.members.Get("ts")); n < LeastScaled {
		d.fail("bridge-event.doc.ts-scale", "ts", "Unix nanoseconds, at least 10^18 since 2001")
	}
	if stringOf(d.members.Get("source")) == Cursor && stringOf(d.members.Get("event_type")) != StopType {
		d.fail("bridge-event.doc.cursor-type", "event_type", `"stop"`)
	}
}

// integerOf reads a JSON number that is a 64-bit integer.
func integerOf(v []byte) (int64, bool) {
	if len(v) == 0 || v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return 0, false
	}
	return Integer(string(v))
}
