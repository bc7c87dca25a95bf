package finish

import (
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// trust is 09 §3.6. It is skipped when the tier has no policy.
func (c *cross) trust() {
	if !c.hasTier {
		return
	}
	least := c.policy.MinimumTrust
	items, attested := 0, false
	c.controls(func(o owner, item canon.Node) {
		if item.Get("type").Is(evidence.TypeApproval) {
			return
		}
		items++
		tier := item.At("trustTier")
		if evidence.BelowTrust(tier.Text(), least) {
			c.add("trust.below-tier", o.paper, tier, least+" or higher")
		}
		// Evidence that no gate validated may lie where nothing applies; strict
		// level does not let it attest anything (§6, pool-applicable-only).
		attested = attested || attests(item) && (o.applies || !c.out.Strict())
	})
	if c.policy.ExternalAttestation && items > 0 && !attested {
		c.out.Add("aggregate.trust.external-attestation-missing", verify.At(c.classification.path, "/effectiveTier"), verify.What{
			Found: "no report of a provider among the technical evidence", Expected: "a provider-report with trust tier provider-attested, produced by a provider"})
	}
}

// attests reports whether an item is an external attestation.
func attests(item canon.Node) bool {
	return item.Get("type").Is(evidence.TypeProviderReport) && item.Get("trustTier").Is(evidence.TrustProvider) &&
		item.Get("producer").Get("kind").Is("provider")
}

// unknownPrefix starts the id of the stopping condition of a material unknown.
const unknownPrefix = "classification-unknown:"

func unknownCondition(unknown canon.Node) string {
	return unknownPrefix + canon.TextForm(unknown.Get("id"))
}

// unknowns is 09 §3.5: each material unknown was answered by a person, whose
// approval is bound to this run, this classification and this unknown.
func (c *cross) unknowns() {
	conditions := c.conditions()
	for u := range c.classification.At("materialUnknowns").All() {
		id := u.Get("id")
		name := unknownCondition(u)
		condition, found := conditions[name]
		switch {
		case !found:
			c.out.Add("aggregate.unknown.condition-not-passed", verify.At(c.goal.path, "/stoppingConditions"), verify.What{
				Found: "no stopping condition " + verify.Quote(name), Expected: "one that is passed"})
			continue
		case !condition.Get("status").Is("passed"):
			c.add("unknown.condition-not-passed", c.goal, condition.At("status"), `"passed"`)
			continue
		}
		if list := condition.At("evidence"); !slices.ContainsFunc(list.Elems(), func(e canon.Value) bool { return c.answers(e, name, id) }) {
			c.add("unknown.approval-uncorrelated", c.goal, list, "a granted human approval for "+verify.Quote(name)+
				" that names this run, classification and unknown, also in its tokenCorrelation")
		}
	}
}

// conditions are the stopping conditions of the goal, of each id the first.
func (c *cross) conditions() map[string]canon.Node {
	conditions := map[string]canon.Node{}
	for e := range c.goal.At("stoppingConditions").All() {
		if id, ok := e.Get("id").Str(); ok {
			if _, seen := conditions[id]; !seen {
				conditions[id] = e
			}
		}
	}
	return conditions
}

// answers reports whether an item of evidence is the approval of an unknown.
func (c *cross) answers(item canon.Value, condition string, unknown canon.Value) bool {
	for _, m := range [...]struct{ name, text string }{
		{"type", evidence.TypeApproval}, {"actorType", "human"}, {"status", "granted"}, {"trustTier", evidence.TrustHuman}, {"scope", condition},
	} {
		if !item.Get(m.name).Is(m.text) {
			return false
		}
	}
	return item.Get("producer").Get("kind").Is("human") && evidence.Present(item.Get("bridgeEventId")) &&
		c.correlates(item, unknown) && c.correlates(item.Get("tokenCorrelation"), unknown)
}

// correlates reports whether v names this run, this classification and this
// unknown.
func (c *cross) correlates(v, unknown canon.Value) bool {
	return evidence.Identical(v.Get("runId"), c.classification.Get("runId")) &&
		v.Get("workloadClassificationSha256").Is(c.classification.sha256) && evidence.Identical(v.Get("unknownId"), unknown)
}
