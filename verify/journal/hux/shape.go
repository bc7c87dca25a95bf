package hux

import (
	"unicode/utf8"

	"finishline/canon"
	"finishline/verify/journal/flat"
)

// A form is what the event schema, with the companion's definitions, demands of
// a value. The forms and shapes below are those two schemas as tables, for the
// hot path; a test holds them to the answers of the schemas themselves.
type form uint8

const (
	anyObject form = iota
	formVersion
	formKind
	formID
	formTime
	formRetryKey
	formLevel
	formCount     // an integer of at least 0
	formText      // 1 to limit characters
	formShortText // 0 to limit characters
	formTexts     // an array of formText
	formBool
	formHex
	formEvidence
	formProvenance
	formRedaction
	formIdentity
)

// A field is a member that a shape knows.
type field struct {
	name     string
	form     form
	limit    int // of texts, in code points
	required bool
}

// A shape is what the schemas demand of an object.
type shape struct {
	fields []field
	// oneOf says that at least one of the first oneOf fields must be there.
	oneOf  int
	closed bool // no other members
}

// Bounds of the event schema and the companion.
const (
	maxID       = 120
	maxRetryKey = 200
	maxLevel    = 40
	maxEvidence = 64
	maxSummary  = 280
	maxName     = 120
)

// The members of an event, in the order of the schema's required ones and then
// of the optional ones; they index what a checker finds.
const (
	memberSchema = iota
	memberID
	memberSeq
	memberTS
	memberConversation
	memberKind
	memberSummary
	memberProvenance
	memberSensitivity
	memberRedaction
	memberTurn
	memberIdentity
	memberRun
	memberCorrelation
	memberParent
	memberDetail
	memberEvidence
	memberRetry
	memberCount
)

var eventShape = shape{closed: true, fields: []field{
	memberSchema:       {name: "schema", form: formVersion, required: true},
	memberID:           {name: "id", form: formID, required: true},
	memberSeq:          {name: "seq", form: formCount, required: true},
	memberTS:           {name: "ts", form: formTime, required: true},
	memberConversation: {name: "conversation_id", form: formID, required: true},
	memberKind:         {name: "kind", form: formKind, required: true},
	memberSummary:      {name: "summary", form: formText, limit: maxSummary, required: true},
	memberProvenance:   {name: "provenance", form: formProvenance, required: true},
	memberSensitivity:  {name: "sensitivity", form: formLevel, required: true},
	memberRedaction:    {name: "redaction", form: formRedaction, required: true},
	memberTurn:         {name: "turn", form: formCount, required: true},
	memberIdentity:     {name: "identity", form: formIdentity, required: true},
	memberRun:          {name: "run_id", form: formShortText, limit: maxName},
	memberCorrelation:  {name: "correlation_id", form: formShortText, limit: maxName},
	memberParent:       {name: "parent_event_id", form: formID},
	memberDetail:       {name: "detail", form: anyObject},
	memberEvidence:     {name: "evidence", form: formEvidence},
	memberRetry:        {name: "idempotency_key", form: formRetryKey},
}}

var provenanceShape = shape{fields: []field{
	{name: "source", form: formText, limit: maxName, required: true},
	{name: "component", form: formText, limit: maxName},
	{name: "version", form: formText, limit: maxName},
	{name: "model", form: formText, limit: maxName},
}}

var redactionShape = shape{fields: []field{
	{name: "applied", form: formBool, required: true},
	{name: "scrubbed", form: formCount},
	{name: "policy", form: formText, limit: maxName},
	{name: "dropped_keys", form: formTexts, limit: maxName},
}}

var identityShape = shape{oneOf: 4, fields: []field{
	{name: "agent_id", form: formID},
	{name: "user_id", form: formID},
	{name: "service_id", form: formID},
	{name: "actor_id", form: formID},
	{name: "kind", form: formText, limit: 40},
}}

var evidenceShape = shape{oneOf: 4, fields: []field{
	{name: "ref", form: formText, limit: 1000},
	{name: "uri", form: formText, limit: 2000},
	{name: "artifact_id", form: formID},
	{name: "event_id", form: formID},
	{name: "kind", form: formText, limit: 40},
	{name: "sha256", form: formHex},
	{name: "label", form: formText, limit: 280},
}}

// A violation is where a value is not what the schema demands, and what that
// is. The zero violation is none.
type violation struct {
	at       flat.Value // the value, or the object that lacks a member
	missing  string     // name of a member that is not there
	expected string
	// Schemas of the user say where in these words instead.
	foreign        bool
	pointer, found string
}

func (v *violation) none() bool { return v.expected == "" }

// A reader decodes strings; it is the scratch of one goroutine.
type reader struct {
	scratch []byte
}

// text is the text of a string, until the next call.
func (r *reader) text(v flat.Value) []byte {
	if !v.Escaped() {
		return v.Raw()
	}
	r.scratch = v.AppendText(r.scratch[:0])
	return r.scratch
}

// name is the name of a member, until the next call.
func (r *reader) name(v flat.Value) []byte {
	raw, escaped := v.Name()
	if escaped {
		r.scratch = v.AppendName(r.scratch[:0])
		return r.scratch
	}
	return raw
}

// check holds an object to a shape. Members that the shape knows are put into
// found, which is empty or has room for every field.
func (r *reader) check(s *shape, v flat.Value, found []flat.Value) violation {
	if v.Kind() != flat.Object {
		return violation{at: v, expected: "an object"}
	}
	var have uint64
	next := 0 // producers write members in one order, so the one after the last is tried first
	for m := v.First(); m.Kind() != flat.Absent; m = m.Next(v) {
		i := s.find(r.name(m), next)
		if i < 0 {
			if s.closed {
				return violation{at: m, expected: "no member of this name"}
			}
			continue
		}
		f := &s.fields[i]
		next = i + 1
		have |= 1 << i
		if found != nil {
			found[i] = m
		}
		if x := r.form(f, m); !x.none() {
			return x
		}
	}
	if s.oneOf > 0 && have&(1<<s.oneOf-1) == 0 {
		return violation{at: v, expected: "at least one of " + names(s.fields[:s.oneOf])}
	}
	for i := range s.fields {
		if f := &s.fields[i]; f.required && have&(1<<i) == 0 {
			return violation{at: v, missing: f.name, expected: "a member " + f.name}
		}
	}
	return violation{}
}

func names(fields []field) string {
	text := fields[0].name
	for _, f := range fields[1:] {
		text += ", " + f.name
	}
	return text
}

// find looks a member up, first from where the last one was found.
func (s *shape) find(name []byte, next int) int {
	for i := next; i < len(s.fields); i++ {
		if s.fields[i].name == string(name) {
			return i
		}
	}
	for i := range min(next, len(s.fields)) {
		if s.fields[i].name == string(name) {
			return i
		}
	}
	return -1
}

// form holds a member to its form.
func (r *reader) form(f *field, v flat.Value) violation {
	switch f.form {
	case anyObject:
		if v.Kind() != flat.Object {
			return violation{at: v, expected: "an object"}
		}
	case formCount:
		if !isCount(v) {
			return violation{at: v, expected: "an integer of at least 0"}
		}
	case formBool:
		if v.Kind() != flat.True && v.Kind() != flat.False {
			return violation{at: v, expected: "true or false"}
		}
	case formProvenance:
		return r.check(&provenanceShape, v, nil)
	case formRedaction:
		return r.check(&redactionShape, v, nil)
	case formIdentity:
		return r.check(&identityShape, v, nil)
	case formEvidence:
		return r.evidence(v)
	case formTexts:
		return r.texts(v, f.limit)
	default:
		if v.Kind() != flat.String || !f.admits(r.text(v)) {
			return violation{at: v, expected: f.expected()}
		}
	}
	return violation{}
}

func (r *reader) evidence(v flat.Value) violation {
	if v.Kind() != flat.Array {
		return violation{at: v, expected: "an array"}
	}
	n := 0
	for e := v.First(); e.Kind() != flat.Absent; e = e.Next(v) {
		if n++; n > maxEvidence {
			return violation{at: v, expected: "at most 64 elements"}
		}
		if x := r.check(&evidenceShape, e, nil); !x.none() {
			return x
		}
	}
	return violation{}
}

func (r *reader) texts(v flat.Value, limit int) violation {
	if v.Kind() != flat.Array {
		return violation{at: v, expected: "an array"}
	}
	for e := v.First(); e.Kind() != flat.Absent; e = e.Next(v) {
		if e.Kind() != flat.String || !atMost(r.text(e), 1, limit) {
			return violation{at: e, expected: "a string of 1 to 120 characters"}
		}
	}
	return violation{}
}

func isCount(v flat.Value) bool {
	if v.Kind() != flat.Number {
		return false
	}
	if allDigits(v.Raw()) {
		return true
	}
	d := v.Decimal()
	return d.IsInteger() && d.Sign() >= 0
}

func allDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// admits reports whether a text has the form.
func (f *field) admits(text []byte) bool {
	switch f.form {
	case formVersion:
		return string(text) == Schema
	case formKind:
		return kindsByName[string(text)] != noKind
	case formID:
		return isID(text)
	case formTime:
		_, ok := parseTime(text)
		return ok
	case formRetryKey:
		return isRetryKey(text)
	case formLevel:
		return isLevel(text)
	case formHex:
		return canon.IsLowerHex(text, 64)
	case formText:
		return atMost(text, 1, f.limit)
	}
	return atMost(text, 0, f.limit)
}

func (f *field) expected() string {
	switch f.form {
	case formVersion:
		return `"` + Schema + `"`
	case formKind:
		return "one of the 32 kinds of event"
	case formID:
		return "a string of 1 to 120 letters, digits and . _ : @ / + = -, the first a letter or digit"
	case formTime:
		return "a time such as 2026-06-01T08:00:07.5Z: upper-case T, Z or an offset, at most 9 decimals"
	case formRetryKey:
		return "a string of 1 to 200 printable ASCII characters without spaces"
	case formLevel:
		return "a lower-case word"
	case formHex:
		return "64 lower-case hexadecimal digits"
	}
	return f.lengths()
}

func (f *field) lengths() string {
	switch {
	case f.form == formShortText:
		return "a string of at most 120 characters"
	case f.limit == maxSummary:
		return "a string of 1 to 280 characters"
	case f.limit == maxName:
		return "a string of 1 to 120 characters"
	}
	return "a string that is not empty and not longer than the schema allows"
}

// atMost reports whether a text has so many code points.
func atMost(text []byte, least, most int) bool {
	if len(text) <= most {
		return len(text) >= least // a code point is at least a byte
	}
	return utf8.RuneCount(text) <= most
}

func isID(text []byte) bool {
	if len(text) == 0 || len(text) > maxID || !idBytes[text[0]].first {
		return false
	}
	for _, c := range text[1:] {
		if !idBytes[c].rest {
			return false
		}
	}
	return true
}

var idBytes = func() (t [256]struct{ first, rest bool }) {
	for c := range t {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		t[c].first, t[c].rest = letter, letter
	}
	for _, c := range []byte("._:@/+=-") {
		t[c].rest = true
	}
	return t
}()

func isRetryKey(text []byte) bool {
	for _, c := range text {
		if c < '!' || c > '~' {
			return false
		}
	}
	return len(text) > 0 && len(text) <= maxRetryKey
}

func isLevel(text []byte) bool {
	for i, c := range text {
		lower := 'a' <= c && c <= 'z'
		if !lower && (i == 0 || c != '_' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return len(text) > 0 && len(text) <= maxLevel
}
