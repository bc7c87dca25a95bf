package finish

import (
	"fmt"

	"finishline/canon"
	"finishline/verify/evidence"
)

// maxAhead is how far a document may be dated ahead of the clock, exactly that
// included, in milliseconds (09 §3.3).
const maxAhead = 300_000

const millisPerHour = 3_600_000

// clock is 09 §3.3, with the strict rules on the goal's own time and on
// documents without one (§6).
func (c *cross) clock() {
	for _, p := range c.dated() {
		n := firstTruthy(p.At("generatedAt"), p.At("receivedAt"))
		if !c.age(p, n, "clock.future", "clock.stale") {
			c.add("hardening.timestamp", p, n, "a timestamp such as 2026-01-31T10:00:00Z")
		}
	}
	c.age(c.goal, firstTruthy(c.goal.At("updatedAt"), c.goal.At("generatedAt")), "hardening.goal-clock", "hardening.goal-clock")
}

// firstTruthy is a when it is truthy or b is not there at all, else b.
func firstTruthy(a, b canon.Node) canon.Node {
	if a.Truthy() || !b.Present() {
		return a
	}
	return b
}

// age compares the time of a document with the clock and the window of the
// run's tier. It reports false when there is no time.
func (c *cross) age(p *paper, n canon.Node, future, stale string) bool {
	made, ok := canon.TimestampOf(n.Value)
	if !ok {
		return false
	}
	window := evidence.FreshnessWindow(c.policy.Profile)
	switch age := c.now - made; {
	case age < -maxAhead:
		c.add(future, p, n, "at most five minutes ahead of the clock, "+c.clockText())
	case age > window:
		c.add(stale, p, n, fmt.Sprintf("at most %d hours before the clock, %s", window/millisPerHour, c.clockText()))
	}
	return true
}

func (c *cross) clockText() string { return instant(c.now) }

// expiries are the strict rules on what has ended since the documents were
// written: waivers and human approvals (§6).
func (c *cross) expiries() {
	if !c.out.Strict() {
		return
	}
	for w := range c.waivers.At("waivers").All() {
		c.expiry("hardening.waiver-expired", c.waivers, w)
	}
	approvals := func(p *paper, item canon.Node) {
		if item.Get("type").Is(evidence.TypeApproval) {
			c.expiry("hardening.approval-expired", p, item)
		}
	}
	c.controls(func(o owner, item canon.Node) { approvals(o.paper, item) })
	for condition := range c.goal.At("stoppingConditions").All() {
		for item := range condition.At("evidence").All() {
			approvals(c.goal, item)
		}
	}
	if c.smoke != nil {
		for item := range c.smoke.At("control").At("evidence").All() {
			approvals(c.smoke, item)
		}
	}
}

func (c *cross) expiry(suffix string, p *paper, n canon.Node) {
	end := n.At("expiresAt")
	if ends, ok := canon.TimestampOf(end.Value); ok && ends < c.now {
		c.add(suffix, p, end, "no earlier than the clock, "+c.clockText())
	}
}

// An owner is what a control belongs to.
type owner struct {
	*paper
	applies bool // the gate of the document validates its controls
}

// controls walks the evidence of every control of the assurance documents (09
// §3.6).
func (c *cross) controls(visit func(o owner, item canon.Node)) {
	walk := func(o owner, list canon.Node) {
		for control := range list.All() {
			for item := range control.At("evidence").All() {
				visit(o, item)
			}
		}
	}
	entries := func(p *paper, member string) {
		if p == nil {
			return
		}
		for e := range p.At(member).All() {
			walk(owner{p, p == c.domain || e.Get("applicability").Is("required")}, e.At("controls"))
		}
	}
	entries(c.foundation, "capabilities")
	entries(c.production, "layers")
	walk(owner{c.ai, c.ai.Get("workloadDetected").IsBool(true)}, c.ai.At("controls"))
	entries(c.domain, "packs")
}
