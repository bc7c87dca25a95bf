package hux

import (
	"bytes"
	"unicode/utf8"

	"finishline/verify"
	"finishline/verify/journal/flat"
)

// content applies the rules of §3 to an event that the schema allows. At most
// one finding of each rule.
func (w *worker) content(root flat.Value, k kind, m *[memberCount]flat.Value) {
	w.textMembers(m)
	if d := m[memberDetail]; d.Kind() == flat.Object {
		w.out.details = true
		w.detail(d, k)
	}
	w.said = 0
	for v := root.First(); v.Kind() != flat.Absent; v = v.Next(root) {
		w.member(v, m)
	}
}

// A report says which of the rules below has been reported about an event.
type report uint8

const (
	saidUnsafe report = 1 << iota
	saidForbidden
	saidSecret
)

// once reports whether a rule has not been reported yet.
func (w *worker) once(r report) bool {
	first := w.said&r == 0
	w.said |= r
	return first
}

// member looks at a member of an event, and at all that is in it, for unsafe
// numbers, secrets and names that never have content.
func (w *worker) member(v flat.Value, m *[memberCount]flat.Value) {
	isDetail := v == m[memberDetail]
	searched := isDetail || v == m[memberSummary] || v == m[memberEvidence] || v == m[memberProvenance] || v == m[memberCorrelation] || v == m[memberRetry]
	w.scalar(v, searched)
	if v.Kind() < flat.Array {
		return
	}
	isDetail = isDetail && v.Kind() == flat.Object
	for x := range v.Within() {
		if x == v {
			continue
		}
		w.scalar(x, searched)
		if searched {
			w.named(x, isDetail)
		}
	}
}

// scalar looks at a number or a string.
func (w *worker) scalar(v flat.Value, searched bool) {
	switch v.Kind() {
	case flat.Number:
		if mayBeUnsafe(v.Raw()) && beyondSafe(v.Decimal()) && w.once(saidUnsafe) {
			w.fire("hux.number.unsafe", v, "an integer of at most 2^53 - 1, or a string")
		}
	case flat.String:
		if !searched {
			return
		}
		if id, hit := w.options.Secrets.match(w.text(v)); hit && w.once(saidSecret) {
			w.fireAs("hux.detail.secret-pattern", v, "a text that matches the pattern "+id, "no secret")
		}
	}
}

// mayBeUnsafe reports whether a literal could be an integer beyond 2^53: that
// takes sixteen digits, or an exponent.
func mayBeUnsafe(literal []byte) bool {
	return len(literal) > 15 || bytes.IndexByte(literal, 'e') >= 0 || bytes.IndexByte(literal, 'E') >= 0
}

// named looks at the name of a member. An element of an array has none. The
// finding about a secret never holds the text.
func (w *worker) named(v flat.Value, inDetail bool) {
	name := w.name(v)
	if len(name) == 0 {
		return
	}
	facts := w.facts(name)
	if facts.secret != "" && w.once(saidSecret) {
		w.fireInName(v, facts.secret)
	}
	if inDetail && facts.forbidden && hasContent(v) && w.once(saidForbidden) {
		w.fireAs("hux.detail.forbidden-key", v, "a member of that name that has content", "no raw arguments, logs or credentials")
	}
}

// nameFacts are what the patterns say of a name.
type nameFacts struct {
	forbidden bool
	secret    string // id of the pattern that it matches, "" for none
}

// Streams repeat few names: so many of at most that length are remembered.
const (
	maxFacts    = 1000
	maxFactName = 64
)

func (w *worker) facts(name []byte) nameFacts {
	if f, known := w.nameFacts[string(name)]; known {
		return f
	}
	f := nameFacts{forbidden: w.options.Secrets.forbids(name)}
	f.secret, _ = w.options.Secrets.match(name)
	if len(w.nameFacts) < maxFacts && len(name) <= maxFactName {
		w.nameFacts[string(name)] = f
	}
	return f
}

func (w *worker) kindOf(v flat.Value) kind {
	if v.Kind() != flat.String {
		return noKind
	}
	return kindsByName[string(w.text(v))]
}

// textMembers applies the rules about ts, summary and sensitivity.
func (w *worker) textMembers(m *[memberCount]flat.Value) {
	ts := m[memberTS]
	if w.at, w.timed = parseTime(w.string(ts)); w.timed && w.at.impossible {
		w.fire("hux.ts.calendar", ts, "a day that its month has")
	}
	if summary := m[memberSummary]; summary.Kind() == flat.String && hasControl(w.text(summary)) {
		w.fire("hux.summary.control", summary, "a text without control characters")
	}
	if level := m[memberSensitivity]; level.Kind() == flat.String && !w.options.Allowlist.knows(w.text(level)) {
		w.fire("hux.sensitivity.unknown-level", level, "one of the levels of the allowlist file")
	}
}

// hasControl reports whether a text holds one of U+0000 to U+001F, U+007F to
// U+009F, U+2028 and U+2029.
func hasControl(text []byte) bool {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c < 0x20 || c == 0x7F:
			return true
		case c < utf8.RuneSelf:
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r <= 0x9F || r == 0x2028 || r == 0x2029 {
			return true
		}
		i += size
	}
	return false
}

// detail holds the members of detail to the allowlist.
func (w *worker) detail(d flat.Value, k kind) {
	allowed := w.options.Allowlist.kinds[k]
	var strange, wrong bool
	for v := d.First(); v.Kind() != flat.Absent; v = v.Next(d) {
		t := allowed[string(w.name(v))]
		switch {
		case t == unlisted && !strange:
			strange = true
			w.fireListed("hux.detail.key-not-allowed", v, "a member that the allowlist has for this kind")
		case t != unlisted && !wrong && !w.typed(t, v):
			wrong = true
			w.fireListed("hux.detail.type", v, t.String())
		}
	}
}

// fireListed reports a rule of the allowlist. The companion list is a guess, so
// what it says is a warning; a list that the user gave is not (§3).
func (w *worker) fireListed(rule string, v flat.Value, expected string) {
	w.fire(rule, v, expected)
	if !w.options.Allowlist.companion {
		w.out.found[len(w.out.found)-1].severity = verify.Error
	}
}

// typed reports whether a value has the type of the allowlist.
func (w *worker) typed(t memberType, v flat.Value) bool {
	switch t {
	case typeID:
		return v.Kind() == flat.String && isID(w.text(v))
	case typeString:
		return v.Kind() == flat.String && atMost(w.text(v), 0, maxString)
	case typeText:
		return v.Kind() == flat.String && atMost(w.text(v), 0, maxText)
	case typeInteger:
		return isCount(v)
	case typeNumber:
		return v.Kind() == flat.Number && v.Decimal().Sign() >= 0
	case typeBoolean:
		return v.Kind() == flat.True || v.Kind() == flat.False
	case typeIDs:
		return v.Kind() == flat.String && isID(w.text(v)) || w.each(typeID, v)
	case typeStrings:
		return w.each(typeString, v)
	}
	return false
}

// each reports whether v is an array whose elements all have a type.
func (w *worker) each(t memberType, v flat.Value) bool {
	if v.Kind() != flat.Array {
		return false
	}
	for e := v.First(); e.Kind() != flat.Absent; e = e.Next(v) {
		if !w.typed(t, e) {
			return false
		}
	}
	return true
}

// hasContent reports whether v is a string, an array or an object that is not
// empty.
func hasContent(v flat.Value) bool {
	switch v.Kind() {
	case flat.String:
		return len(v.Raw()) > 0
	case flat.Array, flat.Object:
		return v.First().Kind() != flat.Absent
	}
	return false
}

// parse reads one JSON text that must be an object: the layer of lines (§1). The
// rule is "" when all is well.
func (w *worker) parse(text []byte) (rule string, p flat.Problem) {
	p = w.parser.Parse(text, MaxDepth)
	if p.Code != flat.OK {
		return lineRuleOf[p.Code], p
	}
	if w.parser.Root().Kind() != flat.Object {
		at := len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
		return "hux.line.object", flat.Problem{Offset: at, Reason: w.parser.Root().Kind().String()}
	}
	return "", p
}

var lineRuleOf = [...]string{
	flat.UTF8: "hux.line.utf8", flat.Syntax: "hux.line.json", flat.Duplicate: "hux.line.duplicate-key",
	flat.Surrogate: "hux.line.surrogate", flat.Depth: "hux.line.depth",
}
