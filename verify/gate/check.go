package gate

import (
	"context"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A checker takes one gate through its rules. Rules are named by their suffix.
type checker struct {
	run  *Run
	out  *verify.Findings
	gate string
	path string     // of the gate's document
	doc  canon.Node // its root, an object

	notEvaluated []NotEvaluated
}

// newGate makes the gate whose document lies below the target and whose rules,
// beyond those of reading the document, are in body.
func newGate(name, artifact string, table *verify.Table, body func(*checker)) Gate {
	return Gate{Name: name, Artifact: artifact, Table: table, Validate: func(ctx context.Context, run *Run) Result {
		c := &checker{run: run, out: table.Collect(run.Level()), gate: name, path: artifact}
		if ctx.Err() == nil && c.open(run.load(run.opt.Target, artifact, run.Level(), ownFile, canon.MaxDocument)) {
			body(c)
		}
		return c.result(ctx)
	}}
}

// result says what was found. A gate whose context ended is not evaluated.
func (c *checker) result(ctx context.Context) Result {
	if ctx.Err() != nil {
		c.skip(ReasonInterrupted)
	}
	return Result{Findings: c.out, NotEvaluated: c.notEvaluated}
}

func (c *checker) skip(reason string) {
	c.notEvaluated = append(c.notEvaluated, NotEvaluated{c.gate, reason})
}

// open takes the gate's own document, or reports why it cannot be looked at.
func (c *checker) open(d *document) bool {
	if d.problem != readable {
		rule := ".json"
		if d.problem == missing {
			rule = ".missing"
		}
		c.out.Add(c.gate+rule, d.place(), d.what)
		return false
	}
	evidence.ReadFindings(c.out, d.path, d.doc, nil)
	c.path, c.doc = d.path, d.node
	if !d.node.IsObject() {
		c.fail("object", d.node, "an object")
		return false
	}
	return true
}

// need takes a document that the gate reads besides its own and reports the
// rule when it is no object; the rule stops the gate.
func (c *checker) need(suffix string, d *document) bool {
	if d.usable() {
		return true
	}
	c.out.Add(c.gate+"."+suffix, d.place(), d.why())
	return false
}

func (c *checker) add(suffix string, n canon.Node, what verify.What) {
	c.out.Add(c.gate+"."+suffix, verify.At(c.path, n.Pointer), what)
}

func (c *checker) fail(suffix string, n canon.Node, expected string) {
	c.add(suffix, n, verify.What{Found: verify.Show(n.Value), Expected: expected})
}

// broken reports an element that must be an object, is null and has no rule of
// its own: the document is not of its shape (09a, conventions). It stops the
// gate.
func (c *checker) broken(n canon.Node) bool {
	if n.IsNull() {
		c.fail("json", n, "an object")
		return true
	}
	return false
}

func (c *checker) present(suffix string, n canon.Node) {
	if !evidence.Present(n.Value) {
		c.fail(suffix, n, expPresent)
	}
}

func (c *checker) array(suffix string, n canon.Node) {
	if !n.IsArray() {
		c.fail(suffix, n, "an array")
	}
}

func (c *checker) filled(suffix string, n canon.Node) {
	if !n.IsArray() || n.Len() == 0 {
		c.fail(suffix, n, "a non-empty array")
	}
}

// oneOf demands one of the texts, exactly.
func (c *checker) oneOf(suffix string, n canon.Node, texts ...string) {
	if !isOneOf(n.Value, texts...) {
		c.fail(suffix, n, alternatives(texts))
	}
}

// bound demands that n is bound to a member of another document: the same
// scalar, or both absent.
func (c *checker) bound(suffix string, n canon.Node, other canon.Value) {
	if !evidence.Bound(n.Value, other) {
		c.fail(suffix, n, verify.Show(other)+", as in the document it was made from")
	}
}

// same demands equal compact texts.
func (c *checker) same(suffix string, n canon.Node, other canon.Value) {
	if !canon.Same(n.Value, other) {
		c.add(suffix, n, verify.What{Found: text(n.Value), Expected: text(other)})
	}
}

// fileDigest demands that n is exactly the digest of a document's bytes.
func (c *checker) fileDigest(suffix string, n canon.Node, d *document) {
	if n.Is(d.sha256()) {
		return
	}
	what := verify.What{Found: verify.Show(n.Value), Expected: d.sha256() + ", the SHA-256 of " + d.path}
	if d.artifact != nil {
		what.Hint = evidence.LineEndHint(d.artifact.Data, n.Text())
	}
	c.add(suffix, n, what)
}

const (
	expPresent   = "a text that is not blank"
	expTimestamp = "a timestamp such as 2026-01-31T10:00:00Z"
	expDigest    = "64 hexadecimal digits"
)

func isTimestamp(v canon.Value) bool { _, ok := canon.TimestampOf(v); return ok }

func isProfile(v canon.Value) bool { return evidence.IsProfile(v.Text()) }

func isOneOf(v canon.Value, texts ...string) bool {
	s, ok := v.Str()
	return ok && slices.Contains(texts, s)
}

// presentTexts reports whether v is an array of texts that are not blank.
func presentTexts(v canon.Value) bool {
	return v.IsArray() && !slices.ContainsFunc(v.Elems(), func(e canon.Value) bool { return !evidence.Present(e) })
}

// text is the compact text of a value as a finding shows it.
func text(v canon.Value) string {
	if !v.Present() {
		return "absent"
	}
	return string(canon.Compact(v))
}

// alternatives joins texts as "a, b or c".
func alternatives(texts []string) string {
	out := ""
	for i, s := range texts {
		switch {
		case i == 0:
		case i == len(texts)-1:
			out += " or "
		default:
			out += ", "
		}
		out += s
	}
	return out
}

// scalarKey names a scalar so that equal ones have equal names.
func scalarKey(v canon.Value) (key string, ok bool) { return evidence.ScalarKey(v) }

// once demands that no element of an array repeats an earlier scalar.
func (c *checker) once(suffix string, list canon.Node, expected string) {
	repeats(list, func(again canon.Node) { c.fail(suffix, again, expected) })
}

// repeats visits the elements of an array that repeat an earlier scalar.
func repeats(list canon.Node, visit func(again canon.Node)) {
	seen := map[string]bool{}
	for e := range list.All() {
		key, ok := scalarKey(e.Value)
		if !ok {
			continue
		}
		if seen[key] {
			visit(e)
		}
		seen[key] = true
	}
}

// lacking returns the demanded texts that an array does not hold.
func lacking(list canon.Value, demanded []string) []string {
	have := map[string]bool{}
	for _, e := range list.Elems() {
		if s, ok := e.Str(); ok {
			have[s] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(demanded), func(s string) bool { return have[s] })
}
