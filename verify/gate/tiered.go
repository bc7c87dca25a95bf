package gate

import (
	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// judgedBy reads the classification of block T and the policy of its tier.
// Without either nothing can be judged: the gate stops.
func (c *checker) judgedBy() (classification *document, policy evidence.TierPolicy, ok bool) {
	classification, ok = c.classification()
	if !ok {
		return nil, policy, false
	}
	policy, ok = c.tierOf(classification)
	return classification, policy, ok
}

// tierOf is the policy of the classification's tier; without one the gate
// stops.
func (c *checker) tierOf(classification *document) (policy evidence.TierPolicy, ok bool) {
	tier := classification.node.At("effectiveTier")
	if policy, ok = evidence.PolicyOf(tier.Text()); !ok {
		c.out.Add(c.gate+".classification.tier-unknown", verify.At(classification.path, tier.Pointer), verify.What{
			Found: verify.Show(tier.Value), Expected: "T0, T1, T2 or T3"})
	}
	return policy, ok
}

// tierUnknownRule is the rule of [checker.tierOf].
func tierUnknownRule(gate, contract string) []verify.Rule {
	return []verify.Rule{{ID: gate + ".classification.tier-unknown", Contract: contract,
		Fails: "the classification's effectiveTier is none of T0 to T3",
		Why:   "the tier decides how fresh and how trusted evidence must be", Do: "classify the run again"}}
}

// underTier is the context of evidence in the gate's document.
func (c *checker) underTier(policy evidence.TierPolicy) evidence.Context {
	return evidence.Enclosing(c.run.opt.Target, c.path, c.doc.Value).Under(policy)
}

// listed are the trimmed ids of a list of controls.
func listed(list canon.Node) map[string]bool {
	ids := map[string]bool{}
	for e := range list.All() {
		ids[evidence.Trimmed(e.Get("id"))] = true
	}
	return ids
}

// firstTruthy is the first truthy node, or the last one.
func firstTruthy(nodes ...canon.Node) canon.Node {
	var n canon.Node
	for _, n = range nodes {
		if n.Truthy() {
			break
		}
	}
	return n
}

// ofType are the items of evidence of a type, compared as it is written.
func ofType(list canon.Node, typ string) []canon.Node {
	var items []canon.Node
	for e := range list.All() {
		if e.Get("type").Is(typ) {
			items = append(items, e)
		}
	}
	return items
}
