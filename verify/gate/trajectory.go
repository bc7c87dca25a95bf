package gate

import (
	"math"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate/workload"
)

var trajectoryGate = newGate("trajectory", trajectoryPath, trajectoryTable, checkTrajectory)

// trajectoryMembers are block H without runId, for which the goal's id stands.
var trajectoryMembers = replaced(header, "runId",
	memberRule{"goalId", "goal-id", evidence.Present, expPresent, whyIdentity, "record the run's id"})

// usageTolerance is how far a used amount may be from the sum of the attempts.
const usageTolerance = 1e-9

// usageFields are the budget fields that attempts use; attempts themselves are
// counted.
var usageFields = workload.BudgetFields[1:]

// checkTrajectory is contract 09a, section 12.
func checkTrajectory(c *checker) {
	c.oneOf("schema", c.doc.At("schema"), "uash.trajectory.v1")
	c.members(trajectoryMembers)
	c.oneOf("final", c.doc.At("finalStatus"), statusCompleted)
	c.trajectoryBudget()
	attempts := c.doc.At("attempts")
	c.filled("attempts", attempts)
	sums := c.attempts(attempts)
	if n := attempts.Len(); attempts.IsArray() && n > 0 && c.doc.Get("finalStatus").Is(statusCompleted) {
		c.oneOf("last-attempt", attempts.Index(n-1).At("outcome"), "succeeded")
	}
	c.usage(attempts, sums)
	c.forbidden(attempts)
	c.trace()
}

func (c *checker) trajectoryBudget() {
	budget := c.doc.At("budget")
	limits, used := budget.At("limits"), budget.At("used")
	for _, n := range []canon.Node{budget, limits, used} {
		if !n.IsObject() {
			c.fail("budget", n, "an object")
		}
	}
	for _, field := range workload.BudgetFields {
		limit, hasLimit := c.amount("budget", limits.At(field), field)
		amount, hasAmount := c.amount("budget", used.At(field), field)
		if hasLimit && hasAmount && amount > limit {
			c.fail("budget", used.At(field), "at most the limit, "+verify.Show(limits.Get(field)))
		}
	}
}

// attempts judges each attempt and sums their usage.
func (c *checker) attempts(list canon.Node) map[string]float64 {
	sums := map[string]float64{}
	var last int64
	hasLast := false
	c.entries("attempt", list, func(_ string, n canon.Node) {
		c.oneOf("attempt.outcome", n.At("outcome"), "succeeded", statusFailed, statusBlocked, "abandoned")
		for _, field := range usageFields {
			amount := n.At("usage").At(field)
			if f, ok := amount.Finite(); ok && f >= 0 {
				sums[field] += f
			} else {
				c.fail("attempt.usage", amount, "a finite number that is not negative")
			}
		}
		if actions := n.At("actions"); !presentTexts(actions.Value) {
			c.fail("attempt.actions", actions, "an array of texts that are not blank")
		}
		started, completed, ok := c.span("attempt.times", n)
		if hasLast && ok.started && started < last {
			c.fail("attempt.order", n.At("startedAt"), "a time not before the end of the attempt above")
		}
		if ok.started && ok.completed {
			last, hasLast = completed, true
		}
	})
	return sums
}

// which of the two times of an entry are timestamps.
type spanned struct{ started, completed bool }

// span demands that startedAt and completedAt are timestamps in this order.
func (c *checker) span(suffix string, n canon.Node) (started, completed int64, ok spanned) {
	from, to := n.At("startedAt"), n.At("completedAt")
	started, ok.started = canon.TimestampOf(from.Value)
	completed, ok.completed = canon.TimestampOf(to.Value)
	if !ok.started {
		c.fail(suffix, from, expTimestamp)
	}
	if !ok.completed {
		c.fail(suffix, to, expTimestamp)
	}
	if ok.started && ok.completed && completed < started {
		c.fail(suffix, to, "a time not before startedAt")
	}
	return started, completed, ok
}

// usage holds what the budget says against the attempts.
func (c *checker) usage(attempts canon.Node, sums map[string]float64) {
	count := 0.0
	if attempts.IsArray() {
		count = float64(attempts.Len())
	}
	budget := c.doc.At("budget")
	if n := budget.At("limits").At("attempts"); exceeds(count, n) {
		c.fail("usage", n, "a limit of at least the number of attempts")
	}
	if n := budget.At("used").At("attempts"); differs(n, count, 0) {
		c.fail("usage", n, "the number of attempts")
	}
	for _, field := range usageFields {
		if n := budget.At("used").At(field); differs(n, sums[field], usageTolerance) {
			c.add("usage", n, verify.What{Found: verify.Show(n.Value), Expected: "the sum over the attempts, " + verify.Show(canon.NewNumber(sums[field]))})
		}
	}
}

func exceeds(count float64, limit canon.Node) bool {
	f, ok := limit.Finite()
	return ok && count > f
}

// differs compares a finite amount with what it should be; an amount that is
// none has its own rule.
func differs(n canon.Node, want, tolerance float64) bool {
	f, ok := n.Finite()
	return ok && math.Abs(f-want) > tolerance
}

func (c *checker) forbidden(attempts canon.Node) {
	list := c.doc.At("forbiddenActions")
	if !presentTexts(list.Value) {
		c.fail("forbidden-list", list, "an array of texts that are not blank")
	}
	if n := c.doc.At("violations"); !n.IsArray() || n.Len() > 0 {
		c.fail("violations", n, "an empty array")
	}
	banned := map[string]bool{}
	for _, e := range list.Elems() {
		if key, ok := scalarKey(e); ok {
			banned[key] = true
		}
	}
	for attempt := range attempts.All() {
		for action := range attempt.At("actions").All() {
			if key, ok := scalarKey(action.Value); ok && banned[key] {
				c.fail("forbidden", action, "no forbidden action")
			}
		}
	}
}

// trace demands the recorded trace of the run, by its bytes.
func (c *checker) trace() {
	n := c.doc.At("tracePath")
	res, refErr := c.run.opt.Target.SafeFile(n.Text(), c.run.Level())
	if refErr != nil {
		c.add("trace", n, verify.What{Found: refErr.Reason + ": " + verify.Show(n.Value), Expected: "a file of the run", Unevaluated: refErr.Unevaluated})
		return
	}
	digest, err := c.run.opt.Target.DigestResolved(res)
	if err != nil {
		c.add("trace", n, verify.What{Found: err.Error(), Expected: "a readable file of the run", Unevaluated: evidence.IsTrouble(err)})
		return
	}
	if n := c.doc.At("traceDigest"); canon.LowerASCII(n.Text()) != digest.SHA256 {
		c.add("trace", n, verify.What{Found: verify.Show(n.Value), Expected: digest.SHA256 + ", the SHA-256 of the trace",
			Hint: c.run.opt.Target.LineEndHint(res.Rel, n.Text())})
	}
}
