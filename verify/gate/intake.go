package gate

import (
	"fmt"
	"regexp"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate/workload"
)

var intakeGate = newGate("intake", intakePath, intakeTable, checkIntake)

// intakeHeader is block H with the time of receipt.
var intakeHeader = replaced(header, "generatedAt",
	memberRule{"receivedAt", "received-at", isTimestamp, expTimestamp, whyTime, doTime})

var (
	intakeLists = []string{"constraints", "exclusions", "allowedActions", "forbiddenActions"}

	// mandatoryForbidden must be forbidden in every run.
	mandatoryForbidden = []string{
		"agent self-approval", "production mutation without approval",
		"secret access without approval", "fabricated evidence",
	}

	// unsafeAction matches, on the folded text, what no run may be allowed.
	// The closing boundary counts: self-approval does not match.
	unsafeAction = regexp.MustCompile(`\b(?:without (?:human )?approval|bypass approval|self[- ]?approv|read secrets?|access secrets?|deploy production|production mutation)\b`)

	budgetCeilings = map[string]float64{
		"attempts": 24, "toolCalls": 1200, "tokens": 2_500_000, "costUsd": 1000, "wallClockMinutes": 10_080,
	}
)

// checkIntake is contract 09a, section 2.
func checkIntake(c *checker) {
	c.oneOf("schema", c.doc.At("schema"), "uash.intake.v1")
	c.members(intakeHeader)
	c.bound("requested-profile", c.doc.At("requestedProfile"), c.doc.Get("profile"))
	c.request()
	source := c.doc.At("source")
	if n := source.At("actorType"); !n.Is("human") {
		c.fail("source", n, "human")
	}
	c.present("source", source.At("actor"))
	c.present("outcome", c.doc.At("outcome"))
	for _, name := range intakeLists {
		if n := c.doc.At(name); !presentTexts(n.Value) {
			c.fail("list."+name, n, "an array of texts that are not blank")
		}
	}
	c.actions()
	if n := c.doc.At("stoppingConditions"); !presentTexts(n.Value) || n.Len() == 0 {
		c.fail("stopping", n, "a non-empty array of texts that are not blank")
	}
	c.intakeBudget()
}

func (c *checker) request() {
	text := c.doc.At("requestText")
	c.present("request-text", text)
	want := canon.TextDigest(evidence.Trimmed(text.Value))
	if n := c.doc.At("requestSha256"); !n.Is(want) {
		c.fail("request-digest", n, want+", the SHA-256 of the trimmed request text")
	}
}

func (c *checker) actions() {
	forbidden := c.doc.At("forbiddenActions")
	for _, action := range lacking(forbidden.Value, mandatoryForbidden) {
		c.add("forbidden.mandatory", forbidden, verify.What{Found: "no entry " + verify.Quote(action), Expected: verify.Quote(action)})
	}
	for n := range c.doc.At("allowedActions").All() {
		if s, ok := n.Str(); ok && unsafeAction.MatchString(canon.LowerASCII(s)) {
			c.fail("allowed.unsafe", n, "no action that skips approval, reads secrets or changes production")
		}
	}
}

func (c *checker) intakeBudget() {
	budget := c.doc.At("executionBudget")
	if !budget.IsObject() {
		c.fail("budget.object", budget, "an object")
		return
	}
	for _, field := range workload.BudgetFields {
		n := budget.At(field)
		if f, ok := n.Finite(); !ok || f <= 0 {
			c.fail("budget.value", n, "a finite number above zero")
		}
		if f, ok := n.Num(); ok && f > budgetCeilings[field] {
			c.fail("budget.ceiling", n, fmt.Sprintf("at most %v", budgetCeilings[field]))
		}
	}
}
