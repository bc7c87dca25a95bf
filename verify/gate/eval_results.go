package gate

import (
	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// results judges the result files of both arms.
func (c *contextual) results(baseline, candidate *arm) {
	const suffix = "context.result"
	if in, ok := c.result(baseline); ok {
		if n := in.doc.At("aggregate").At("criticalRegressions"); !isZero(n.Value) {
			in.fail(suffix, n, "0: a baseline with critical regressions compares with nothing")
		}
	}
	if in, ok := c.result(candidate); ok {
		counted := in.doc.Get("aggregate").Get("criticalRegressions")
		c.bound(suffix, c.x.At("criticalRegressions"), counted)
		c.bound(suffix, c.suite.At("criticalFailures"), counted)
	}
}

// result is the paragraph "Arm result file" of contract 09a, section 11. It
// returns a checker for the file when that holds an aggregate.
func (c *contextual) result(a *arm) (*checker, bool) {
	const suffix = "context.result"
	if !a.ok {
		return nil, false
	}
	in, ok := c.object(suffix, a.file)
	if !ok {
		return nil, false
	}
	in.oneOf(suffix, in.doc.At("schema"), "uash.context-arm-result.v1")
	in.bound(suffix, in.doc.At("suiteId"), c.plan.Get("suiteId"))
	in.fileDigest(suffix, in.doc.At("contextManifestSha256"), c.manifest)
	for _, m := range []string{"runId", "profile", "commit", "environment"} {
		in.bound(suffix, in.doc.At(m), c.doc.Get(m))
	}
	in.bound(suffix, in.doc.At("contextMode"), a.Get("contextMode"))
	in.sides(suffix, in.doc, c.plan.Value, c.suite.Value)
	in.sides(suffix, in.doc, a.Value, a.Value)
	for _, m := range metricMembers {
		in.bound(suffix, in.doc.At("metric").At(m), c.plan.Get("metric").Get(m))
	}
	sum, critical := c.resultCases(in)
	return in, c.aggregate(in, a, sum, critical)
}

// resultCases judges the cases of a result file against the case set. It
// returns the sum of their values and the number of critical regressions.
func (c *contextual) resultCases(in *checker) (sum float64, critical int) {
	const suffix = "context.result"
	list := in.doc.At("cases")
	in.filled(suffix, list)
	if len(list.Elems()) != len(c.cases) {
		in.add(suffix, list, verify.What{Found: verify.Show(list.Value), Expected: "one entry for each case of the case set"})
	}
	seen := map[string]bool{}
	for i := range list.Elems() {
		entry := list.Index(i)
		n := entry.At("caseId")
		if !plainID(n.Value) || seen[n.Text()] || i >= len(c.cases) || n.Text() != c.cases[i] {
			in.fail(suffix, n, "the id of the case at this place of the case set")
		}
		seen[n.Text()] = true
		value, _ := in.finite(suffix, entry.At("value"))
		sum += value
		switch n := entry.At("criticalRegression"); {
		case n.Kind() != canon.Bool:
			in.fail(suffix, n, "true or false")
		case n.IsBool(true):
			critical++
		}
	}
	return sum, critical
}

// aggregate holds the totals of a result file against its cases and the arm.
func (c *contextual) aggregate(in *checker, a *arm, sum float64, critical int) bool {
	const suffix = "context.result"
	n := in.doc.At("aggregate")
	if !n.IsObject() {
		in.fail(suffix, n, "an object")
		return false
	}
	in.oneOf(suffix, n.At("method"), "arithmetic-mean")
	count := len(in.doc.At("cases").Elems())
	if m := n.At("caseCount"); !isCount(m.Value, count) || count != len(c.cases) {
		in.fail(suffix, m, "the number of cases")
	}
	if m := n.At("value"); count == 0 || !near(m.Value, sum/float64(count)) {
		in.fail(suffix, m, "the mean of the cases")
	}
	if m := n.At("criticalRegressions"); !isCount(m.Value, critical) {
		in.fail(suffix, m, "the number of critical regressions")
	}
	if m := n.At("value"); !evidence.Identical(m.Value, a.Get("value")) {
		in.fail(suffix, m, verify.Show(a.Get("value"))+", the value of the arm")
	}
	return true
}

func isCount(v canon.Value, n int) bool {
	f, ok := v.Num()
	return ok && f == float64(n)
}
