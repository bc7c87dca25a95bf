package hux

import (
	"fmt"
	"strconv"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/flat"
)

// fire reports a rule about a value of the current line.
func (w *worker) fire(rule string, v flat.Value, expected string) {
	if w.full(rule) {
		w.fireLine(rule, "", verify.What{})
		return
	}
	w.fireLine(rule, w.pointer(v), verify.What{Found: w.show(v), Expected: expected})
}

// fireAs is fire with words for what was found.
func (w *worker) fireAs(rule string, v flat.Value, foundText, expected string) {
	if w.full(rule) {
		w.fireLine(rule, "", verify.What{})
		return
	}
	w.fireLine(rule, w.pointer(v), verify.What{Found: foundText, Expected: expected})
}

// fireInName reports a secret in the name of a member, at the object that has
// it: its pointer would tell the secret.
func (w *worker) fireInName(v flat.Value, pattern string) {
	pointer := w.pointer(v)
	pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	w.fireLine("hux.detail.secret-pattern", pointer, verify.What{
		Found: "the name of a member that matches the pattern " + pattern, Expected: "no secret"})
}

// invalid reports what of the schema an event violates.
func (w *worker) invalid(x violation) {
	const rule = "hux.schema.invalid"
	switch {
	case w.full(rule):
		w.fireLine(rule, "", verify.What{})
	case x.foreign:
		w.fireLine(rule, w.safePointer(x.pointer), verify.What{Found: x.found, Expected: x.expected})
	case x.missing != "":
		w.fireLine(rule, w.pointer(x.at), verify.What{Found: "no member " + x.missing, Expected: x.expected})
	default:
		w.fire(rule, x.at, x.expected)
	}
}

// full reports whether a worker has made as many findings of a rule as are ever
// kept. Its lines come in the order of the file, so a further one is not among
// the first of the file, and need not be described.
func (w *worker) full(rule string) bool { return w.counts[rule] >= verify.MaxPerRule }

// fireLine reports a rule about the current line.
func (w *worker) fireLine(rule, pointer string, what verify.What) {
	w.counts[rule]++
	r, _ := Table.Lookup(rule)
	w.out.found = append(w.out.found, found{rule: rule, line: w.line, pointer: pointer, what: what, severity: r.Severity})
}

// pointer is the JSON pointer of a value of the current line. A name that looks
// like a secret is not told.
func (w *worker) pointer(target flat.Value) string {
	var path []string
	w.findPath(w.parser.Root(), target, &path)
	var b strings.Builder
	for i := len(path) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(path[i])
	}
	return b.String()
}

func (w *worker) findPath(v, target flat.Value, path *[]string) bool {
	if v == target {
		return true
	}
	i := 0
	for c := v.First(); c.Kind() != flat.Absent; c = c.Next(v) {
		if w.findPath(c, target, path) {
			step := strconv.Itoa(i)
			if v.Kind() == flat.Object {
				step = canon.EscapePointer(w.safeName(c))
			}
			*path = append(*path, step)
			return true
		}
		i++
	}
	return false
}

func (w *worker) safeName(v flat.Value) string { return w.safe(string(v.AppendName(nil))) }

func (w *worker) safe(name string) string {
	if _, secret := w.options.Secrets.match([]byte(name)); secret {
		return "[REDACTED]"
	}
	return name
}

// safePointer is a pointer without the names that look like secrets.
func (w *worker) safePointer(pointer string) string {
	steps := strings.Split(pointer, "/")
	for i, step := range steps {
		steps[i] = canon.EscapePointer(w.safe(strings.NewReplacer("~1", "/", "~0", "~").Replace(step)))
	}
	return strings.Join(steps, "/")
}

// show says what a value is, and never tells a secret.
func (w *worker) show(v flat.Value) string {
	const most = 60
	switch v.Kind() {
	case flat.String:
		text := v.AppendText(nil)
		if id, secret := w.options.Secrets.match(text); secret {
			return "a text that matches the secret pattern " + id
		}
		return verify.Quote(string(text))
	case flat.Number:
		if raw := v.Raw(); len(raw) <= most {
			return string(raw)
		}
		return v.Decimal().String()
	case flat.Array:
		return v.Kind().String() + " of " + plural(v.Len(), "element")
	case flat.Object:
		return v.Kind().String() + " of " + plural(v.Len(), "member")
	}
	return v.Kind().String()
}

func plural(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

func problemText(rule string, p flat.Problem) verify.What {
	at := fmt.Sprintf(" (byte %d of the line)", p.Offset+1)
	switch rule {
	case "hux.line.utf8":
		return verify.What{Found: "bytes that are not UTF-8" + at, Expected: "valid UTF-8"}
	case "hux.line.json":
		return verify.What{Found: p.Reason + at, Expected: "exactly one JSON object"}
	case "hux.line.duplicate-key":
		return verify.What{Found: "a member name that the object has already" + at, Expected: "each name once"}
	case "hux.line.surrogate":
		return verify.What{Found: "an unpaired surrogate escape" + at, Expected: "characters"}
	case "hux.line.depth":
		return verify.What{Found: "more than 64 levels" + at, Expected: "at most 64 levels"}
	}
	return verify.What{Found: p.Reason, Expected: "an object"}
}

func sizeText(n int64) string { return fmt.Sprintf("%d bytes", n) }
