package hux

import (
	"bytes"
	"unicode/utf8"

	"finishline/verify"
	"finishline/verify/journal/flat"
)

// content applies the rules of §3 to an event that the schema allows. At most
// one finding of each rule.
func (w *worker) content(v flat.Value, k kind, m *[memberCount]flat.Value) {
	w.unsafeNumbers(v)
	w.textMembers(m)
	if d := m[memberDetail]; d.Kind() == flat.Object {
		w.out.details = true
		w.detail(d, k)
		w.forbidden(d)
	}
	for _, i := range [...]int{memberDetail, memberSummary, memberEvidence, memberProvenance, memberCorrelation, memberRetry} {
		if m[i].Kind() != flat.Absent && w.secret(m[i]) {
			return
		}
	}
}

func (w *worker) kindOf(v flat.Value) kind {
	if v.Kind() != flat.String {
		return noKind
	}
	return kindsByName[string(w.text(v))]
}

// unsafeNumbers looks for integers that other readers will see as others.
func (w *worker) unsafeNumbers(v flat.Value) {
	for x := range v.Within() {
		if x.Kind() == flat.Number && len(x.Raw()) > shortNumber && beyondSafe(x.Decimal()) {
			w.fire("hux.number.unsafe", x, "an integer of at most 2^53 - 1, or a string")
			return
		}
	}
}

// shortNumber is how long a literal may be and still be no integer beyond 2^53:
// 1e16 is the shortest that is one.
const shortNumber = 3

// textMembers applies the rules about ts, summary and sensitivity.
func (w *worker) textMembers(m *[memberCount]flat.Value) {
	if ts := m[memberTS]; ts.Kind() == flat.String {
		if t, ok := parseTime(w.text(ts)); ok && t.impossible {
			w.fire("hux.ts.calendar", ts, "a day that its month has")
		}
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

// forbidden looks for members that never have content, at any depth. An element
// of an array has no name, which forbids nothing.
func (w *worker) forbidden(d flat.Value) {
	for v := range d.Within() {
		if v == d {
			continue
		}
		if name := w.name(v); len(name) > 0 && w.options.Secrets.forbids(name) && hasContent(v) {
			w.fireAs("hux.detail.forbidden-key", v, "a member of that name that has content", "no raw arguments, logs or credentials")
			return
		}
	}
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

// secret looks for a text that matches a pattern, in a member of the event and
// all that is in it, names included. The finding never holds the text.
func (w *worker) secret(member flat.Value) (found bool) {
	p := w.options.Secrets
	for v := range member.Within() {
		if v != member {
			if name := w.name(v); len(name) > 0 {
				if id, hit := p.match(name); hit {
					w.fireInName(v, id)
					return true
				}
			}
		}
		if v.Kind() == flat.String {
			if id, hit := p.match(w.text(v)); hit {
				w.fireAs("hux.detail.secret-pattern", v, "a text that matches the pattern "+id, "no secret")
				return true
			}
		}
	}
	return false
}

// exactly is one JSON text that is an object: the layer of lines (§1). The rule
// is "" when all is well.
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
