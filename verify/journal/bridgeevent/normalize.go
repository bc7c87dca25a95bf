package bridgeevent

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"finishline/verify"
)

// An Adapter says how the notices of one host are read (section 3).
type Adapter struct {
	// TypeKey and TimeKey are the members that hold the type and the time;
	// all others become the payload.
	TypeKey, TimeKey string
	// FixedType, if any, is the type of every event, whatever the notice says;
	// the notice must say something all the same.
	FixedType string
}

// A Registry finds the adapter of a source. It writes nothing by itself.
type Registry struct{ adapters map[string]Adapter }

// Standard returns the registry of the three hosts.
func Standard() *Registry {
	r := &Registry{}
	r.Register(CC, &Adapter{TypeKey: "hook_event_name", TimeKey: "timestamp"})
	r.Register(Cursor, &Adapter{TypeKey: "hook_event_name", TimeKey: "ts", FixedType: StopType})
	r.Register(Codex, &Adapter{TypeKey: "type", TimeKey: "ts"})
	return r
}

// Register sets the adapter of a source, in place of an earlier one.
// Registering no adapter is ignored.
func (r *Registry) Register(source string, a *Adapter) {
	if a == nil {
		return
	}
	if r.adapters == nil {
		r.adapters = map[string]Adapter{}
	}
	r.adapters[source] = *a
}

// Handles reports whether an adapter is registered for exactly that source.
func (r *Registry) Handles(source string) bool {
	_, ok := r.adapters[source]
	return ok
}

// Normalize turns one raw notice into one event. A notice that is refused gives
// nil and exactly one finding in out, whose level says how it is read. A source
// that nobody registered is not handled: no event, no finding; the caller warns
// in one line and goes on.
func (r *Registry) Normalize(out *verify.Findings, at verify.Place, source string, raw []byte) (event *Event, handled bool) {
	adapter, handled := r.adapters[source]
	if !handled {
		return nil, false
	}
	n := notice{adapter: adapter, lenient: !out.Strict()}
	event, refused := n.event(source, raw)
	if refused == nil {
		return event, true
	}
	if refused.member != "" {
		at.Pointer = "/" + refused.member
	}
	out.Add(refused.rule, at, verify.What{Found: refused.found, Expected: refused.expected})
	return nil, true
}

// refusal says why a notice gives no event.
type refusal struct{ rule, member, found, expected string }

// notice is one raw notice as it is read.
type notice struct {
	adapter Adapter
	lenient bool
	members Members
}

// event applies the checks in the order of the contract; the first that fails
// is the result.
func (n *notice) event(source string, raw []byte) (*Event, *refusal) {
	if refused := n.read(raw); refused != nil {
		return nil, refused
	}
	kind, refused := n.eventType()
	if refused != nil {
		return nil, refused
	}
	ts, refused := n.time()
	if refused != nil {
		return nil, refused
	}
	payload, err := appendObject(nil, n.members, n.adapter.TypeKey, n.adapter.TimeKey)
	if err != nil { // out of reach: the members have been read before
		return nil, &refusal{rule: "bridge-event.raw.json", found: err.Error()}
	}
	return &Event{Source: source, Type: kind, Payload: payload, TS: ts}, nil
}

// read is steps 1 to 3.
func (n *notice) read(raw []byte) *refusal {
	switch {
	case len(raw) == 0:
		return &refusal{rule: "bridge-event.raw.empty", found: "no bytes", expected: "one JSON object"}
	case len(raw) > MaxBytes:
		return &refusal{rule: "json.size", found: fmt.Sprintf("%d bytes", len(raw)), expected: fmt.Sprintf("at most %d", MaxBytes)}
	}
	m, rule, err := readRaw(raw, n.lenient)
	if err != nil {
		return &refusal{rule: rule, found: err.Error(), expected: "one JSON object"}
	}
	n.members = m
	return nil
}

// eventType is step 4.
func (n *notice) eventType() (string, *refusal) {
	v, key := n.members.Get(n.adapter.TypeKey), n.adapter.TypeKey
	const expected = "a string that is not empty"
	switch v.Kind() {
	case 0, 'n':
		return "", &refusal{"bridge-event.raw.event-type", key, kindName(v), expected}
	case '"':
		s := stringOf(v)
		if s == "" {
			return "", &refusal{"bridge-event.raw.event-type", key, `""`, expected}
		}
		return n.typeOr(s), nil
	case '{', '[':
		return "", &refusal{"bridge-event.raw.event-type-not-string", key, kindName(v), expected}
	}
	if !n.lenient {
		return "", &refusal{"bridge-event.raw.event-type-not-string", key, kindName(v), expected}
	}
	return n.typeOr(string(v)), nil
}

func (n *notice) typeOr(s string) string {
	if n.adapter.FixedType != "" {
		return n.adapter.FixedType
	}
	return s
}

// time is steps 5 to 8.
func (n *notice) time() (int64, *refusal) {
	v, key := n.members.Get(n.adapter.TimeKey), n.adapter.TimeKey
	const expected = "Unix time as an integer, from 10^9 on"
	if k := v.Kind(); k == 0 || k == 'n' {
		return 0, &refusal{"bridge-event.ts.missing", key, kindName(v), expected}
	}
	t, where := timeOf(v)
	switch where {
	case invalid:
		return 0, &refusal{"bridge-event.ts.invalid", key, kindName(v), expected}
	case outside:
		return 0, &refusal{"bridge-event.ts.overflow", key, kindName(v), "a time that fits 64 bits"}
	}
	ns, rule := scale(t)
	if rule != "" {
		return 0, &refusal{rule, key, kindName(v), expected}
	}
	return ns, nil
}

func timeOf(v jsontext.Value) (int64, span) {
	switch v.Kind() {
	case '0':
		return literalTime(string(v))
	case '"':
		return textTime(stringOf(v))
	}
	return 0, invalid
}
