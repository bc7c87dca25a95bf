package gate

import (
	"math"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// rounding is how far two computations of one value may be apart.
const rounding = 1e-12

var (
	measureMembers = []string{"id", "version", "path", "sha256", "caseCount"}
	metricMembers  = []string{"id", "direction", "minDelta", "candidateThreshold"}
	modelMembers   = []string{"provider", "name", "version"}
)

// contextual is the paragraph "Context comparison" of contract 09a, section 11:
// the suite that measures the context (S), its comparison (X), and the cases.
type contextual struct {
	*evaluation
	suite canon.Node
	x     canon.Node
	cases []string // the good ids of the case set, in order
}

// comparison finds the suite that measures the context.
func (e *evaluation) comparison(suites canon.Node) {
	var found []canon.Node
	for s := range suites.All() {
		switch {
		case s.IsObject() && evidence.Bound(s.Get("id"), e.plan.Get("suiteId")):
			found = append(found, s)
		case s.Get("contextComparison").Truthy():
			e.fail("context.uncommissioned", s.At("contextComparison"), "no comparison: the context manifest names another suite")
		}
	}
	if len(found) != 1 {
		e.add("context.suite", suites, verify.What{Found: verify.Show(canon.NewNumber(float64(len(found)))) + " suites with the manifest's suiteId",
			Expected: "exactly one suite " + verify.Show(e.plan.Get("suiteId"))})
		return
	}
	x := found[0].At("contextComparison")
	if !x.IsObject() {
		e.fail("context.comparison", x, "an object")
		return
	}
	c := contextual{evaluation: e, suite: found[0], x: x}
	c.check()
}

func (c *contextual) check() {
	c.oneOf("context.schema", c.x.At("schema"), "uash.context-comparison.v1")
	c.fileDigest("context.manifest-digest", c.x.At("contextManifestSha256"), c.manifest)
	c.bound("context.baseline-mode", c.x.At("baselineMode"), c.plan.Get("baselineMode"))
	if n := c.x.At("criticalRegressions"); !isZero(n.Value) {
		c.fail("context.critical", n, "0")
	}
	for _, m := range metricMembers {
		c.bound("context.metric", c.x.At("metric").At(m), c.plan.Get("metric").Get(m))
	}
	baseline, candidate := c.arm(c.x.At("baseline")), c.arm(c.x.At("candidate"))
	c.bound("context.arm-mode", baseline.At("contextMode"), c.plan.Get("baselineMode"))
	c.oneOf("context.arm-mode", candidate.At("contextMode"), "loaded-context")
	c.armBinding(baseline)
	c.armBinding(candidate)
	c.armsAlike(candidate, baseline)
	c.ofSuite(candidate)
	c.distinct(baseline, candidate)
	if c.caseSet(); c.stopped {
		return
	}
	if c.answerKey(); c.stopped {
		return
	}
	c.results(baseline, candidate)
	c.gain(baseline, candidate)
}

// An arm is one side of the comparison. One that is no object counts as {}.
type arm struct {
	canon.Node
	file evidence.Resolved
	ok   bool // the result path is fine
}

func (c *contextual) arm(n canon.Node) *arm {
	const suffix = "context.arm"
	if !n.IsObject() {
		c.fail(suffix, n, "an object")
		return &arm{Node: canon.Node{Value: canon.Build(), Pointer: n.Pointer}}
	}
	a := &arm{Node: n}
	c.finite(suffix, n.At("value"))
	if a.file, a.ok = c.artifact(suffix, n.At("resultPath")); a.ok {
		c.sum(suffix, n.At("resultDigest"), a.file)
	}
	c.present(suffix, n.At("promptVersion"))
	c.digestForm(suffix, n.At("configDigest"))
	c.presentAll(suffix, n.At("evaluator"), "name", "version")
	c.presentAll(suffix, n.At("model"), modelMembers...)
	return a
}

// armBinding ties an arm to the manifest's plan and to the suite.
func (c *contextual) armBinding(a *arm) {
	c.sides("context.arm-binding", a.Node, c.plan.Value, c.suite.Value)
}

// armsAlike demands that both arms measured the same thing in the same way.
func (c *contextual) armsAlike(candidate, baseline *arm) {
	c.sides("context.arm-binding", candidate.Node, baseline.Value, baseline.Value)
}

// sides compares what was measured with one object and how with another.
func (c *checker) sides(suffix string, n canon.Node, what, how canon.Value) {
	for _, m := range []string{"caseSet", "answerKey"} {
		if !allBound(n.Get(m), what.Get(m), measureMembers...) {
			c.add(suffix, n.At(m), verify.What{Found: text(n.Get(m)), Expected: text(what.Get(m))})
		}
	}
	if !sameEvaluator(n.Get("evaluator"), how.Get("evaluator")) {
		c.add(suffix, n.At("evaluator"), verify.What{Found: text(n.Get("evaluator")), Expected: text(how.Get("evaluator"))})
	}
	if !allBound(n.Get("model"), how.Get("model"), modelMembers...) {
		c.add(suffix, n.At("model"), verify.What{Found: text(n.Get("model")), Expected: text(how.Get("model"))})
	}
	c.bound(suffix, n.At("promptVersion"), how.Get("promptVersion"))
	c.bound(suffix, n.At("configDigest"), how.Get("configDigest"))
}

// ofSuite ties the suite's own members to the plan and to the candidate.
func (c *contextual) ofSuite(candidate *arm) {
	c.listedAs("context.dataset", c.suite.At("datasets"), c.plan.Get("caseSet"), "version", "sha256", "caseCount")
	c.listedAs("context.rubric", c.suite.At("rubrics"), c.plan.Get("answerKey"), "version", "sha256")
	for _, m := range []string{"resultPath", "resultDigest", "value"} {
		if n := c.suite.At(m); !evidence.Bound(n.Value, candidate.Get(m)) {
			c.fail("context.suite-result", n, verify.Show(candidate.Get(m))+", as in the candidate arm")
		}
	}
}

// listedAs finds the first entry with the id of what the plan names, and
// compares the members.
func (c *checker) listedAs(suffix string, list canon.Node, planned canon.Value, members ...string) {
	for entry := range list.All() {
		if !evidence.Bound(entry.Get("id"), planned.Get("id")) {
			continue
		}
		if !allBound(entry.Value, planned, members...) {
			c.add(suffix, entry, verify.What{Found: text(entry.Value), Expected: text(planned)})
		}
		return
	}
	c.add(suffix, list, verify.What{Found: "no entry " + verify.Show(planned.Get("id")), Expected: "what the context manifest names"})
}

// distinct demands results of their own for the two arms.
func (c *contextual) distinct(baseline, candidate *arm) {
	for _, m := range []string{"resultPath", "resultDigest"} {
		if n := candidate.At(m); n.Truthy() && evidence.Bound(n.Value, baseline.Get(m)) {
			c.fail("context.distinct", n, "another "+m+" than the baseline arm")
		}
	}
}

// caseSet reads the ids of the cases.
func (c *contextual) caseSet() {
	c.cases = c.idList("context.case-set", c.plan.At("caseSet"), "uash.context-case-set.v1", "cases", "id")
}

// answerKey demands an answer for every case, in the order of the cases.
func (c *contextual) answerKey() {
	const suffix = "context.answer-key"
	key := c.plan.At("answerKey")
	answers := c.idList(suffix, key, "uash.context-answer-key.v1", "answers", "caseId")
	if !c.stopped && !slices.Equal(answers, c.cases) {
		c.out.Add("eval."+suffix, verify.At(c.manifest.path, key.Pointer), verify.What{
			Found: "answers to other cases, or in another order", Expected: "the ids of the case set, in its order"})
	}
}

// idList reads the ids that a file of the plan lists: those that are in their
// own trimmed form and not repeated.
func (c *contextual) idList(suffix string, planned canon.Node, schema, list, id string) []string {
	at := *c.checker
	at.path = c.manifest.path
	file, ok := at.artifact(suffix, planned.At("path"))
	if !ok {
		return nil
	}
	in, ok := c.object(suffix, file)
	if !ok {
		return nil
	}
	in.oneOf(suffix, in.doc.At("schema"), schema)
	entries := in.doc.At(list)
	in.filled(suffix, entries)
	if n, known := planned.Get("caseCount").Num(); !known || n != float64(len(entries.Elems())) {
		in.add(suffix, entries, verify.What{Found: verify.Show(entries.Value), Expected: "the recorded number of cases, " + verify.Show(planned.Get("caseCount"))})
	}
	var good []string
	seen := map[string]bool{}
	for entry := range entries.All() {
		if c.stopped = in.broken(entry); c.stopped {
			return nil
		}
		n := entry.At(id)
		if !plainID(n.Value) || seen[n.Text()] {
			in.fail(suffix, n, "an id without spaces around it that no earlier entry has")
			continue
		}
		seen[n.Text()] = true
		good = append(good, n.Text())
	}
	return good
}

// plainID reports whether v is a text in its own trimmed form.
func plainID(v canon.Value) bool { return evidence.Present(v) && evidence.Trimmed(v) == v.Text() }

// gain holds the difference of the arms against what the plan promised.
func (c *contextual) gain(baseline, candidate *arm) {
	metric := c.plan.Get("metric")
	lower := metric.Get("direction").Is(lowerIsBetter)
	threshold := metric.Get("candidateThreshold")
	value, hasValue := candidate.Get("value").Finite()
	least, _ := threshold.Finite()
	g := difference(baseline, candidate)
	if lower {
		g = -g
	}
	if n := c.x.At("delta"); !near(n.Value, g) {
		c.fail("context.delta", n, "the difference of the arms, "+shown(g))
	}
	if smallest, _ := metric.Get("minDelta").Finite(); math.IsInf(g, 0) || !(g >= smallest) {
		c.add("context.min-delta", c.x.At("delta"), verify.What{Found: "a gain of " + shown(g), Expected: "at least " + verify.Show(metric.Get("minDelta"))})
	}
	op := ">="
	if lower {
		op = "<="
	}
	if !hasValue || !evidence.Satisfies(value, op, least) {
		c.fail("context.threshold", candidate.At("value"), op+" "+verify.Show(threshold))
	}
	c.oneOf("context.operator", c.suite.At("operator"), op)
	c.bound("context.operator", c.suite.At("threshold"), threshold)
}

// difference is candidate minus baseline, not a number when either is none.
func difference(baseline, candidate *arm) float64 {
	from, hasFrom := baseline.Get("value").Finite()
	to, hasTo := candidate.Get("value").Finite()
	if !hasFrom || !hasTo {
		return math.NaN()
	}
	return to - from
}

// near reports whether v is a finite number at f, but for rounding.
func near(v canon.Value, f float64) bool {
	x, ok := v.Finite()
	return ok && math.Abs(x-f) <= rounding
}

func shown(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "no number"
	}
	return verify.Show(canon.NewNumber(f))
}
