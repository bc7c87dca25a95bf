package harness

import (
	"fmt"
	"slices"
	"strconv"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/flat"
)

// payload checks a payload against the definition of its kind (contract 20,
// section 4) and keeps of it what the cross-record rules look at.
func (w *worker) payload(v flat.Value, line int) {
	if w.parser.Large() {
		w.unsafeNumbers(v, line)
	}
	k := w.kindOf(v.Get("kind"), line)
	if k == noKind {
		w.bad(line)
		return
	}
	out, spec := w.out, &kinds[k]
	start := len(out.vals)
	out.vals = slices.Grow(out.vals, len(spec.fields))[:start+len(spec.fields)]
	vals := out.vals[start:len(out.vals):len(out.vals)]
	clear(vals)
	out.records = append(out.records, record{line: line, kind: k, vals: vals})
	r := &out.records[len(out.records)-1]
	w.rec = r
	if w.members(spec, v, line) {
		out.kinds[k]++
		return
	}
	out.records = out.records[:len(out.records)-1]
	w.bad(line)
}

// members checks the members of a payload, and reports what is wrong with
// them.
func (w *worker) members(spec *kindSpec, v flat.Value, line int) bool {
	r := w.rec
	have, hint := uint32(0), 0
	var bad flat.Value
	badField := 0
	for m := v.First(); m != (flat.Value{}); m = m.Next(v) {
		raw, escaped := m.Name()
		if escaped {
			w.scratch = m.AppendName(w.scratch[:0])
			raw = w.scratch
		}
		if hint == 0 && string(raw) == "kind" {
			continue
		}
		i := spec.find(raw, hint)
		if i < 0 {
			continue
		}
		hint = i + 1
		have |= 1 << i
		if !w.member(&spec.fields[i], m, &r.vals[i]) && bad == (flat.Value{}) {
			bad, badField = m, i
		}
	}
	switch {
	case have&spec.required != spec.required:
		w.missing(spec, have, line)
	case bad != (flat.Value{}):
		w.invalid(&spec.fields[badField], bad, line)
	case r.kind == attemptUsage && !oneUsage(r):
		w.problem("harness.schema.invalid", line, func() (string, verify.What) {
			return "", verify.What{Found: usageFound(r), Expected: "either unknown: true, or both inputTokens and outputTokens"}
		})
	default:
		return true
	}
	return false
}

// kindOf finds the kind of a payload.
func (w *worker) kindOf(v flat.Value, line int) kind {
	if v.Kind() == flat.String {
		raw := v.Raw()
		if v.Escaped() {
			w.scratch = v.AppendText(w.scratch[:0])
			raw = w.scratch
		}
		if k, ok := kindByName[string(raw)]; ok {
			return k
		}
	}
	w.problem("harness.schema.kind", line, func() (string, verify.What) {
		return "/kind", verify.What{Found: show(v), Expected: "one of the 42 kinds of records"}
	})
	return noKind
}

// oneUsage is the oneOf of attempt.usage: exactly one of its two forms.
func oneUsage(r *record) bool {
	counted := r.has(nInputTokens) && r.has(nOutputTokens)
	return r.get(nUnknown).isTrue() != counted
}

func usageFound(r *record) string {
	if r.get(nUnknown).isTrue() {
		return "unknown: true and both token counts"
	}
	return "neither unknown: true nor both token counts"
}

// member checks one member and keeps it. It reports whether the schema accepts
// it.
func (w *worker) member(f *field, v flat.Value, out *val) bool {
	kind := v.Kind()
	out.kind = kind
	switch f.shape {
	case text, anyText, textOrNull, choice, form:
		if kind != flat.String {
			return f.shape == textOrNull && kind == flat.Null
		}
		out.b = w.text(v)
		return textual(f, out.b)
	case integer, amount:
		return kind == flat.Number && w.numeric(f, v, out)
	case boolean:
		return kind == flat.True || kind == flat.False
	case object:
		return kind == flat.Object
	}
	return w.nested(f, v, out)
}

// text is the text of a string, which lives as long as the batch.
func (w *worker) text(v flat.Value) []byte {
	if !v.Escaped() {
		return v.Raw()
	}
	start := len(w.out.bytes)
	w.out.bytes = v.AppendText(w.out.bytes)
	return w.out.bytes[start:len(w.out.bytes):len(w.out.bytes)]
}

// textual checks a text.
func textual(f *field, b []byte) bool {
	switch f.shape {
	case text:
		return len(b) > 0
	case choice:
		for _, word := range f.words {
			if string(b) == word {
				return true
			}
		}
		return false
	case form:
		return f.form(b)
	}
	return true
}

// numeric checks a number and keeps it.
func (w *worker) numeric(f *field, v flat.Value, out *val) bool {
	if n, ok := v.Small(); ok {
		out.n = n
		return f.shape == amount && n >= 0 || f.shape == integer && n >= f.least
	}
	out.wide, out.b = true, v.Raw()
	if f.shape == amount {
		return out.b[0] != '-' || v.Decimal().Sign() >= 0
	}
	d := v.Decimal()
	n, small := d.Small()
	return d.IsInteger() && (f.least == anyInteger || small && n >= f.least || !small && d.Sign() > 0)
}

// nested checks lists and maps.
func (w *worker) nested(f *field, v flat.Value, out *val) bool {
	want := flat.Array
	if f.shape == textMap || f.shape == usageDelta {
		want = flat.Object
	}
	if v.Kind() != want {
		return false
	}
	if f.shape == usageDelta {
		return w.delta(v)
	}
	start := len(w.out.items)
	for e := v.First(); e != (flat.Value{}); e = e.Next(v) {
		if !w.element(f, e) {
			return false
		}
		out.n++
	}
	w.rec.list = w.out.items[start:len(w.out.items):len(w.out.items)]
	return f.shape != commandList || out.n > 0
}

// element checks one element of a list, and keeps it where a rule looks at it.
func (w *worker) element(f *field, e flat.Value) bool {
	switch f.shape {
	case textList, textMap:
		if e.Kind() != flat.String {
			return false
		}
		if f.name != nFilesTouched {
			it := item{v: val{b: w.text(e), kind: flat.String}}
			if f.shape == textMap {
				it.name = w.nameText(e)
			}
			w.out.items = append(w.out.items, it)
		}
		return true
	case textLists:
		if e.Kind() != flat.Array {
			return false
		}
		for inner := range e.Elems() {
			if inner.Kind() != flat.String {
				return false
			}
		}
		return true
	case findingList:
		return w.finding(e)
	case commandList:
		return w.command(e)
	}
	return false
}

func (w *worker) nameText(v flat.Value) []byte {
	raw, escaped := v.Name()
	if !escaped {
		return raw
	}
	start := len(w.out.bytes)
	w.out.bytes = v.AppendName(w.out.bytes)
	return w.out.bytes[start:len(w.out.bytes):len(w.out.bytes)]
}

// finding checks a finding of a review, the only object of the schema that
// takes no other members.
func (w *worker) finding(v flat.Value) bool {
	severity, path, message := v.Get("severity"), v.Get("path"), v.Get("message")
	if v.Kind() != flat.Object || v.Len() != 3 || !nonEmpty(severity) || !nonEmpty(message) || path.Kind() != flat.String && path.Kind() != flat.Null {
		return false
	}
	w.scratch = severity.AppendText(w.scratch[:0])
	w.rec.bad = w.rec.bad || blocking.has(w.scratch)
	return true
}

func nonEmpty(v flat.Value) bool { return v.Kind() == flat.String && len(v.Raw()) > 0 }

// command checks a command of a verification.
func (w *worker) command(v flat.Value) bool {
	code := v.Get("code")
	if v.Kind() != flat.Object || !nonEmpty(v.Get("command")) || code.Kind() != flat.Number {
		return false
	}
	d := code.Decimal()
	w.rec.bad = w.rec.bad || d.Sign() != 0
	return d.IsInteger()
}

// deltaFields are the members of a usageDelta.
var deltaFields = []field{count(nInputTokens, 0), count(nOutputTokens, 0), count(nCachedTokens, 0), may(nCostUsd, amount)}

var deltaNames = map[name][]byte{nInputTokens: []byte("inputTokens"), nOutputTokens: []byte("outputTokens"), nCachedTokens: []byte("cachedTokens"), nCostUsd: []byte("costUsd")}

func (w *worker) delta(v flat.Value) bool {
	start := len(w.out.items)
	for m := v.First(); m != (flat.Value{}); m = m.Next(v) {
		f := deltaField(m)
		if f == nil {
			continue
		}
		w.out.items = append(w.out.items, item{name: deltaNames[f.name]})
		if !w.member(f, m, &w.out.items[len(w.out.items)-1].v) {
			return false
		}
	}
	w.rec.list = w.out.items[start:len(w.out.items):len(w.out.items)]
	return true
}

// deltaField is the field of a member of a usageDelta, nil if the schema says
// nothing of it.
func deltaField(m flat.Value) *field {
	raw, escaped := m.Name()
	if escaped {
		raw = m.AppendName(nil)
	}
	for i := range deltaFields {
		if string(raw) == names[deltaFields[i].name] {
			return &deltaFields[i]
		}
	}
	return nil
}

// missing reports the first required member that is not there.
func (w *worker) missing(spec *kindSpec, have uint32, line int) {
	w.problem("harness.schema.invalid", line, func() (string, verify.What) {
		for i, f := range spec.fields {
			if f.required && have&(1<<i) == 0 {
				return "", verify.What{Found: spec.name + " without the member " + names[f.name], Expected: expectation(&f)}
			}
		}
		return "", verify.What{}
	})
}

// invalid reports a member that the schema refuses, and where in it.
func (w *worker) invalid(f *field, v flat.Value, line int) {
	kind := kinds[w.rec.kind].name
	w.problem("harness.schema.invalid", line, func() (string, verify.What) {
		at, bad := w.firstBad(f, v)
		return "/" + names[f.name] + at, verify.What{Found: kind + " with " + show(bad), Expected: expectation(f)}
	})
}

// firstBad finds the element of a list or map that is refused.
func (w *worker) firstBad(f *field, v flat.Value) (pointer string, bad flat.Value) {
	switch {
	case f.shape == usageDelta && v.Kind() == flat.Object:
		for m := range v.Elems() {
			if f := deltaField(m); f != nil && !w.member(f, m, &val{}) {
				return "/" + names[f.name], m
			}
		}
	case f.shape == textMap && v.Kind() == flat.Object, f.shape >= textList && f.shape <= textLists || f.shape == findingList || f.shape == commandList:
		i := 0
		for e := range v.Elems() {
			if !w.element(f, e) {
				if v.Kind() == flat.Object {
					return "/" + canon.EscapePointer(string(e.AppendName(nil))), e
				}
				return "/" + strconv.Itoa(i), e
			}
			i++
		}
	}
	return "", v
}

// expectation says what the schema demands of a member.
func expectation(f *field) string {
	switch f.shape {
	case text:
		return "a string that is not empty"
	case anyText:
		return "a string"
	case textOrNull:
		return "a string or null"
	case integer:
		if f.least == anyInteger {
			return "an integer"
		}
		return fmt.Sprintf("an integer of at least %d", f.least)
	case amount:
		return "a number of at least 0"
	case boolean:
		return "true or false"
	case object:
		return "an object"
	case textMap:
		return "an object whose values are strings"
	case textList:
		return "an array of strings"
	case textLists:
		return "an array of arrays of strings"
	case choice:
		return "one of " + fmt.Sprintf("%q", f.words)
	case form:
		return f.expected
	case findingList:
		return "an array of objects with exactly severity, path and message"
	case commandList:
		return "a non-empty array of objects with command and code"
	}
	return "an object of token counts and a cost, none negative"
}

// show says what a value is, for messages.
func show(v flat.Value) string {
	const most = 100
	switch v.Kind() {
	case flat.String:
		raw := v.Raw()
		if len(raw) > 4*most { // bounds the work; Quote bounds the text
			raw = raw[:4*most]
		}
		return verify.Quote(string(raw))
	case flat.Number:
		return "the number " + v.Decimal().String()
	}
	return v.Kind().String()
}

var maxSafe = flat.Int(1<<53 - 1)
var minSafe = flat.Int(-(1<<53 - 1))

// unsafeNumbers looks for integers that other readers of the journal would
// round (section 8).
func (w *worker) unsafeNumbers(payload flat.Value, line int) {
	for v := range payload.Within() {
		if v.Kind() != flat.Number {
			continue
		}
		if d := v.Decimal(); d.IsInteger() && (d.Cmp(maxSafe) > 0 || d.Cmp(minSafe) < 0) {
			w.problem("harness.number.unsafe", line, func() (string, verify.What) {
				return "", verify.What{Found: "the integer " + d.String(), Expected: "at most 9007199254740991 in size"}
			})
			return
		}
	}
}
