package finish

import (
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
	"finishline/verify/gate/workload"
)

// Paths of the documents that the cross-artifact stage compares (09 §3.1).
const (
	intakePath         = "run/intake.json"
	classificationPath = "run/workload-classification.json"
	routePath          = "run/route.json"
	goalPath           = "goal/goal.json"
	contextPath        = "context/manifest.json"
	foundationPath     = "foundation/assessment.json"
	productionPath     = "production/layer-assessment.json"
	aiPath             = "ai/assurance.json"
	domainPath         = "domain/assurance.json"
	evalPath           = "evals/results.json"
	trajectoryPath     = "trajectory/trajectory.json"
	smokePath          = "smoke/smoke_proof.json"
)

// A paper is a document of the run as the cross-artifact stage sees it: its
// bytes are the ones that its gate judged.
type paper struct {
	canon.Node
	path   string
	sha256 string
	data   []byte
}

// cross is the cross-artifact stage (09 §3): what the documents of a run say
// of each other, of the clock and of the checked-out commit.
type cross struct {
	run  *gate.Run
	out  *verify.Findings
	now  int64 // milliseconds since 1970
	head HeadPolicy

	goal, route, intake, classification *paper
	context, ai, domain, eval           *paper
	trajectory, waivers                 *paper
	foundation, production, smoke       *paper // nil unless the route requires them

	policy  evidence.TierPolicy
	hasTier bool
}

// check runs the stage over documents whose gates are taken as passed.
func (c *cross) check() {
	if !c.load() || !c.shapes() {
		return
	}
	c.tier()
	c.identity()
	c.clock()
	c.agreement()
	c.assurances()
	c.unknowns()
	c.trust()
	c.domainPacks()
	c.mobile()
	c.budget()
	c.evaluation()
	c.layers()
	c.commit()
	c.expiries()
}

// load reads what the stage needs, in order. The first document that it cannot
// take stops the stage, and decides which of the two rules is reported; further
// documents that the same rule refuses are told with it.
func (c *cross) load() bool {
	first := ""
	need := func(path string) *paper {
		p, rule, at, what := readPaper(c.run.Target(), c.out.Level(), path)
		if first == "" {
			first = rule
		}
		if p == nil && rule == first {
			c.out.Add("aggregate.artifact."+rule, at, what)
		}
		return p
	}
	c.goal, c.route = need(goalPath), need(routePath)
	c.intake, c.classification = need(intakePath), need(classificationPath)
	c.context, c.ai, c.domain = need(contextPath), need(aiPath), need(domainPath)
	c.eval, c.trajectory, c.waivers = need(evalPath), need(trajectoryPath), need(evidence.WaiverPath)
	if c.route == nil {
		return false
	}
	for _, conditional := range []struct {
		gate, path string
		to         **paper
	}{{"foundation", foundationPath, &c.foundation}, {"production", productionPath, &c.production}, {"smoke", smokePath, &c.smoke}} {
		if required(c.route.Value, conditional.gate) {
			*conditional.to = need(conditional.path)
		}
	}
	return first == ""
}

// required reports whether a route requires a gate: by exactly that word.
func required(route canon.Value, gate string) bool {
	return route.Get("gateApplicability").Get(gate).Get("status").Is("required")
}

// Why a document is not at hand, as the suffix of a rule.
const (
	unsafeFile = "unsafe"
	badJSON    = "json"
)

// readPaper reads a document that must be a safe file and a JSON object; else
// it says which of the two it is not.
func readPaper(root *evidence.Root, level verify.Level, path string) (p *paper, rule string, at verify.Place, what verify.What) {
	artifact, doc, err := root.ReadDocument(path, level, (*evidence.Root).SafeFile, canon.MaxDocument)
	switch {
	case err != nil && err.Missing:
		return nil, unsafeFile, verify.At(path, ""), err.What
	case err != nil:
		return nil, badJSON, verify.AtLine(path, err.Line), err.What
	case !doc.Root.IsObject():
		return nil, badJSON, verify.At(path, ""), verify.What{Found: verify.Show(doc.Root), Expected: "an object"}
	}
	return &paper{Node: doc.Node(), path: path, sha256: artifact.SHA256, data: artifact.Data}, "", verify.Place{}, verify.What{}
}

// shapes demands that every list that the stage walks is one, and that none of
// its elements is null.
func (c *cross) shapes() bool {
	before := c.out.Errors()
	c.list(c.classification, "materialUnknowns")
	c.list(c.goal, "stoppingConditions")
	if c.out.Strict() {
		c.list(c.goal, "stoppingConditions", "evidence")
		c.list(c.waivers, "waivers")
	} else if c.out.Errors() == before {
		c.answerShapes()
	}
	c.list(c.foundation, "capabilities", "controls", "evidence")
	c.list(c.production, "layers", "controls", "evidence")
	c.list(c.ai, "controls", "evidence")
	c.list(c.domain, "packs", "controls", "evidence")
	c.list(c.route, "domainPacks")
	c.list(c.eval, "suites")
	if c.production != nil {
		c.list(c.route, "productionLayers")
	}
	if c.out.Strict() && c.smoke != nil {
		c.listAt(c.smoke.path, c.smoke.At("control"), "evidence")
	}
	return c.out.Errors() == before
}

// answerShapes demands the shape of the evidence that base level looks at
// among the stopping conditions: that of the answered unknowns.
func (c *cross) answerShapes() {
	conditions := c.conditions()
	for u := range c.classification.At("materialUnknowns").All() {
		if condition := conditions[unknownCondition(u)]; condition.Get("status").Is("passed") {
			c.listAt(c.goal.path, condition, "evidence")
		}
	}
}

// list is listAt of a document that may be none of the run's.
func (c *cross) list(p *paper, names ...string) {
	if p != nil {
		c.listAt(p.path, p.Node, names...)
	}
}

// listAt demands the shape of a member and, in turn, of that member of its
// elements. A falsy member counts as an empty list.
func (c *cross) listAt(path string, n canon.Node, names ...string) {
	list := n.At(names[0])
	if !list.Truthy() {
		return
	}
	if !list.IsArray() {
		c.out.Add("aggregate.artifact.json", verify.At(path, list.Pointer), verify.What{Found: verify.Show(list.Value), Expected: "an array"})
		return
	}
	for e := range list.All() {
		if e.IsNull() {
			c.out.Add("aggregate.artifact.json", verify.At(path, e.Pointer), verify.What{Found: "null", Expected: "an object"})
		} else if len(names) > 1 {
			c.listAt(path, e, names[1:]...)
		}
	}
}

func (c *cross) tier() {
	tier := c.classification.At("effectiveTier")
	if c.policy, c.hasTier = evidence.PolicyOf(tier.Text()); !c.hasTier {
		c.policy = evidence.TierPolicy{Profile: evidence.ProfileProduction}
		c.add("tier.policy-unknown", c.classification, tier, "T0, T1, T2 or T3")
	}
}

func (c *cross) add(suffix string, p *paper, n canon.Node, expected string) {
	c.out.Add("aggregate."+suffix, verify.At(p.path, n.Pointer), verify.What{Found: verify.Show(n.Value), Expected: expected})
}

// bound demands that a member of a document is that of another: the same
// scalar, or both absent.
func (c *cross) bound(suffix string, p *paper, n canon.Node, want canon.Value, of string) {
	if !evidence.Bound(n.Value, want) {
		c.add(suffix, p, n, verify.Show(want)+", as in "+of)
	}
}

// digest demands that a member is exactly the digest of a document's bytes.
func (c *cross) digest(suffix string, p *paper, n canon.Node, of *paper) {
	if n.Is(of.sha256) {
		return
	}
	c.out.Add("aggregate."+suffix, verify.At(p.path, n.Pointer), verify.What{
		Found: verify.Show(n.Value), Expected: of.sha256 + ", the SHA-256 of " + of.path, Hint: evidence.LineEndHint(of.data, n.Text())})
}

// dated are the documents with an identity and an age of their own, all but
// the goal (09 §3.2), in a fixed order.
func (c *cross) dated() []*paper {
	list := []*paper{c.intake, c.classification, c.route, c.context, c.foundation, c.production, c.ai, c.domain, c.eval, c.trajectory, c.smoke, c.waivers}
	kept := list[:0]
	for _, p := range list {
		if p != nil {
			kept = append(kept, p)
		}
	}
	return kept
}

// identity is 09 §3.2.
func (c *cross) identity() {
	for _, p := range c.dated() {
		id := "runId"
		if p == c.trajectory {
			id = "goalId"
		}
		c.bound("binding.run-id", p, p.At(id), c.goal.Get("goalId"), goalPath)
		for _, member := range []string{"profile", "commit", "environment"} {
			c.bound("binding."+member, p, p.At(member), c.goal.Get(member), goalPath)
		}
	}
}

// aiFeatures are the features of an AI workload (09 §3.4).
var aiFeatures = []string{"rag", "tools", "memory", "consequential", "userFacing", "sensitiveData", "autonomous"}

// agreement is 09 §3.4 but the assurance documents.
func (c *cross) agreement() {
	cls, route, goal, intake := c.classification, c.route, c.goal, c.intake
	for _, member := range []string{"workloadDetected", "aiProfile"} {
		c.bound("route.ai-mismatch", c.ai, c.ai.At(member), route.Get("ai").Get(member), routePath)
	}
	for _, feature := range aiFeatures {
		c.bound("route.ai-feature-mismatch", c.ai, c.ai.At("features").At(feature), route.Get("ai").Get("features").Get(feature), routePath)
	}
	c.bound("intake.run-id", route, route.At("runId"), intake.Get("runId"), intakePath)
	c.bound("classification.request-digest", cls, cls.At("requestSha256"), intake.Get("requestSha256"), intakePath)
	c.bound("route.tier-mismatch", route, route.At("profile"), cls.Get("profile"), classificationPath)
	c.bound("route.tier-mismatch", route, route.At("assuranceTier").At("effective"), cls.Get("effectiveTier"), classificationPath)
	c.digest("route.classification-digest", route, route.At("workloadClassificationSha256"), cls)
	c.bound("goal.tier-mismatch", goal, goal.At("effectiveTier"), cls.Get("effectiveTier"), classificationPath)
	c.digest("goal.classification-digest", goal, goal.At("workloadClassificationSha256"), cls)
	c.bound("goal.request-mismatch", goal, goal.At("objective"), intake.Get("requestText"), "the requestText of "+intakePath)
	c.bound("goal.request-mismatch", goal, goal.At("requestSha256"), intake.Get("requestSha256"), intakePath)
	c.digest("goal.route-digest", goal, goal.At("initialRouteSha256"), route)
}

func (c *cross) assurances() {
	for _, p := range []*paper{c.foundation, c.production, c.ai, c.domain} {
		if p == nil {
			continue
		}
		c.bound("assurance.tier-mismatch", p, p.At("effectiveTier"), c.classification.Get("effectiveTier"), classificationPath)
		c.digest("assurance.classification-digest", p, p.At("workloadClassificationSha256"), c.classification)
	}
}

// budget demands that the trajectory was held to the goal's budget.
func (c *cross) budget() {
	limits := c.trajectory.At("budget").At("limits")
	for _, field := range workload.BudgetFields {
		c.bound("trajectory.budget-mismatch", c.trajectory, limits.At(field), c.goal.Get("budgets").Get(field), goalPath)
	}
}

// evaluation is 09 §3.8: the comparison that the context manifest promises, and
// suites by the route.
func (c *cross) evaluation() {
	suites, wanted := c.eval.At("suites"), c.context.Get("contextQuality").Get("suiteId")
	var compared, other canon.Node
	found := false
	for s := range suites.All() {
		switch ours := evidence.Bound(s.Get("id"), wanted); {
		case ours && !found:
			compared, found = s.At("contextComparison"), true
		case !ours && !other.Present():
			other = s
		}
	}
	switch {
	case !found:
		c.add("context.comparison-missing", c.eval, suites, "a suite with the id "+verify.Show(wanted))
	case !compared.Truthy():
		c.add("context.comparison-missing", c.eval, compared, "a comparison with and without the context")
	default:
		c.digest("context.comparison-digest", c.eval, compared.At("contextManifestSha256"), c.context)
	}
	status := c.route.Get("gateApplicability").Get("eval").Get("status")
	if n := c.eval.At("status"); status.Is("required") && !n.Is("passed") {
		c.add("eval.required-skipped", c.eval, n, `"passed", since the route requires the evaluation`)
	}
	if status.Is("not-applicable") && other.Present() {
		c.add("eval.unrouted-suites", c.eval, other.At("id"), "no suite but "+verify.Show(wanted)+", since the route calls the evaluation not applicable")
	}
}

// layers demands that no production layer of the route is left out.
func (c *cross) layers() {
	if c.production == nil {
		return
	}
	routed := map[string]canon.Node{} // of a repeated layer the last entry counts
	for e := range c.route.At("productionLayers").All() {
		routed[exactText(e.Get("layer"))] = e
	}
	needed := func(layer string) bool { return routed[layer].Get("initialApplicability").Is("required") }
	assessed := map[string]bool{}
	for e := range c.production.At("layers").All() {
		layer := exactText(e.Get("layer"))
		assessed[layer] = true
		if n := e.At("applicability"); needed(layer) && !n.Is("required") {
			c.add("production.downgraded-layer", c.production, n, `"required", as the route has it for `+verify.Quote(layer))
		}
	}
	for e := range c.route.At("productionLayers").All() {
		layer := exactText(e.Get("layer"))
		if needed(layer) && !assessed[layer] {
			assessed[layer] = true
			c.out.Add("aggregate.production.downgraded-layer", verify.At(c.production.path, "/layers"), verify.What{
				Found: "no entry for " + verify.Quote(layer), Expected: "an assessment of every layer that the route requires"})
		}
	}
}

// commit is 09 §3.9, and the strict demand for a known HEAD (§6).
func (c *cross) commit() {
	n := c.goal.At("commit")
	if head := c.run.Head(); head != "" {
		if !n.Is(head) {
			c.add("git.head-mismatch", c.goal, n, head+", the commit that is checked out")
		}
		return
	}
	profile := c.goal.At("profile")
	if !profile.Is(evidence.ProfileEnterprise) && !profile.Is(evidence.ProfileRegulated) {
		return
	}
	const rule = "aggregate.hardening.head-required"
	r, _ := AggregateTable.Lookup(rule)
	severity := r.Severity
	if c.head == HeadRequired {
		severity = verify.Error
	}
	c.out.Append(verify.Finding{
		Rule: rule, Severity: severity, Artifact: c.goal.path, Pointer: n.Pointer,
		Found: "no commit is known to be checked out", Expected: verify.Show(n.Value), Hint: r.Do,
	})
}

// textOf joins texts for a message.
func textOf(list []string) string { return "[" + strings.Join(list, " ") + "]" }

// CompareDocuments runs the cross-artifact stage alone (09 §3), over documents
// whose gates are taken as passed. By itself it says little: a document that
// agrees with all others may still be empty.
func CompareDocuments(run *gate.Run, head HeadPolicy) *verify.Findings {
	c := &cross{run: run, out: AggregateTable.Collect(run.Level()), now: run.Now().UnixMilli(), head: head}
	c.check()
	return c.out
}
