package gate

import (
	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate/workload"
)

var goalGate = newGate("goal", goalPath, goalTable, checkGoal)

// goalMembers are the plain members of a goal.
var goalMembers = []memberRule{
	{"goalId", "goal-id", evidence.Present, expPresent, whyIdentity, "record the run's id"},
	{"commit", "commit", evidence.Present, expPresent, whyIdentity, "record the commit that the run produced"},
	{"environment", "environment", evidence.Present, expPresent, whyIdentity, "record the environment that the run worked in"},
	{"objective", "objective", evidence.Present, expPresent, "a goal without an objective is met by anything", "record the request as the objective"},
	{"owner", "owner", evidence.Present, expPresent, "somebody must answer for the goal", "record the owner's name"},
	{"revision", "revision", isRevision, "a whole number from 1 on", "revisions tell which of two goals is the later one", "count revisions from 1"},
	{"generatedAt", "generated-at", isTimestamp, expTimestamp, whyTime, doTime},
	{"updatedAt", "updated-at", isTimestamp, expTimestamp, "it tells whether the goal was looked at after the work", doTime},
	profileMember,
}

func isRevision(v canon.Value) bool {
	f, ok := v.Integer()
	return ok && f >= 1
}

const (
	statusPending    = "pending"
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusPassed     = "passed"
	statusFailed     = "failed"
	statusBlocked    = "blocked"
)

// checkGoal is contract 09a, section 9.
func checkGoal(c *checker) {
	classification, ok := c.classification()
	if !ok {
		return
	}
	route := c.run.safe(routePath)
	if route.problem != readable {
		c.out.Add("goal.route.missing", route.place(), route.what)
		return
	}
	c.oneOf("schema", c.doc.At("schema"), "uash.goal.v1")
	c.members(goalMembers)
	c.tier(goalTierBindings, classification)
	c.digestForm("request-digest", c.doc.At("requestSha256"))
	c.digestForm("route-digest", c.doc.At("initialRouteSha256"))
	c.goalStatus()
	c.goalBudget(route.node)
	c.conditions()
	c.checkpoints()
}

// digestForm demands the form only; the aggregate compares (09 §3.4).
func (c *checker) digestForm(suffix string, n canon.Node) {
	if !evidence.DigestForm(c.run.Level(), n.Value) {
		c.fail(suffix, n, expDigest)
	}
}

func (c *checker) goalStatus() {
	status := c.doc.At("status")
	c.oneOf("status", status, statusPending, statusInProgress, statusCompleted, statusBlocked, statusFailed, "cancelled")
	enough := []string{statusCompleted}
	if c.run.opt.Mode == Active {
		enough = []string{statusPending, statusInProgress, statusCompleted}
	}
	c.oneOf("incomplete", status, enough...)
}

func (c *checker) goalBudget(route canon.Node) {
	budgets := c.doc.At("budgets")
	if !budgets.IsObject() {
		c.fail("budget", budgets, "an object")
	}
	for _, field := range workload.BudgetFields {
		c.amount("budget", budgets.At(field), field)
	}
	routed := route.Get("executionBudget")
	if !routed.Truthy() {
		return
	}
	for _, field := range workload.BudgetFields {
		c.bound("budget-route", budgets.At(field), routed.Get(field))
	}
}

// entries walks a list of objects with ids of their own: conditions,
// checkpoints and attempts. Entries that are no objects are reported and
// skipped. It returns whether there is an entry and every one has passed.
func (c *checker) entries(kind string, list canon.Node, visit func(id string, entry canon.Node)) (allPassed bool) {
	allPassed = list.IsArray() && list.Len() > 0
	seen := map[string]bool{}
	for entry := range list.All() {
		allPassed = allPassed && entry.Get("status").Is(statusPassed)
		if !entry.IsObject() {
			c.fail(kind+".object", entry, "an object")
			continue
		}
		id := evidence.Trimmed(entry.Get("id"))
		switch n := entry.At("id"); {
		case id == "":
			c.fail(kind+".id", n, expPresent)
		case seen[id]:
			c.fail(kind+".duplicate", n, "an id that no earlier entry has")
		}
		seen[id] = true
		visit(id, entry)
	}
	return allPassed
}

// conditions judges the stopping conditions and the evidence of the passed
// ones, by the goal's own tier.
func (c *checker) conditions() {
	list := c.doc.At("stoppingConditions")
	c.filled("conditions", list)
	ctx := evidence.Enclosing(c.run.opt.Target, c.path, c.doc.Value)
	ctx.RunID = c.doc.Get("goalId")
	if policy, known := evidence.PolicyOf(c.doc.Get("effectiveTier").Text()); known {
		ctx = ctx.Under(policy)
	}
	passed := c.entries("condition", list, func(id string, n canon.Node) {
		status := n.At("status")
		c.oneOf("condition.status", status, statusPending, statusPassed, statusFailed, statusBlocked)
		if !status.Is(statusPassed) {
			return
		}
		items := n.At("evidence")
		c.filled("condition.evidence", items)
		ctx.Subject = id
		for item := range items.All() {
			evidence.CheckItem(c.out, ctx, item)
		}
	})
	c.stillOpen("condition.open", list, passed)
}

func (c *checker) checkpoints() {
	list := c.doc.At("checkpoints")
	c.filled("checkpoints", list)
	generated, hasGenerated := canon.TimestampOf(c.doc.Get("generatedAt"))
	var last int64
	hasLast := false
	passed := c.entries("checkpoint", list, func(_ string, n canon.Node) {
		c.oneOf("checkpoint.status", n.At("status"), "started", "progress", statusPassed, statusFailed, statusBlocked)
		c.present("checkpoint.summary", n.At("summary"))
		at := n.At("recordedAt")
		recorded, ok := canon.TimestampOf(at.Value)
		if !ok {
			c.fail("checkpoint.recorded-at", at, expTimestamp)
			return
		}
		if hasGenerated && recorded > generated {
			c.fail("checkpoint.after-generated", at, "a time not after "+verify.Show(c.doc.Get("generatedAt")))
		}
		if hasLast && recorded < last {
			c.fail("checkpoint.order", at, "a time not before that of the checkpoint above")
		}
		last, hasLast = recorded, true
	})
	c.stillOpen("checkpoint.open", list, passed)
}

// stillOpen reports a completed goal of which something is still open.
func (c *checker) stillOpen(suffix string, list canon.Node, allPassed bool) {
	if c.doc.Get("status").Is(statusCompleted) && !allPassed {
		c.fail(suffix, list, "entries that have all passed, because the goal is completed")
	}
}
