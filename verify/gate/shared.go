package gate

import (
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate/workload"
)

// The blocks that several gates share (contract 09a, section 1). Each exists
// once, as a table of members; the rules of a gate are made from the same
// table.

// A memberRule demands a form of one member of a document.
type memberRule struct {
	name     string // of the member
	suffix   string // of the rule
	ok       func(canon.Value) bool
	expected string
	why, do  string // for the rule's table
}

const (
	whyIdentity = "a document that does not say which run it belongs to could be carried over from another"
	whyTime     = "the age of the run's evidence is counted from it"
	doTime      = "write the time as RFC 3339 with a zone, such as 2026-01-31T10:00:00Z"
	doProfile   = "write prototype, production, enterprise or regulated"
)

// header is block H.
var header = []memberRule{
	{"runId", "run-id", evidence.Present, expPresent, whyIdentity, "record the run's id"},
	{"environment", "environment", evidence.Present, expPresent, whyIdentity, "record the environment that the run worked in"},
	{"commit", "commit", evidence.Present, expPresent, whyIdentity, "record the commit that the run produced"},
	profileMember,
	{"generatedAt", "generated-at", isTimestamp, expTimestamp, whyTime, doTime},
}

var profileMember = memberRule{"profile", "profile", isProfile, "prototype, production, enterprise or regulated",
	"the profile decides how much assurance the run owes", doProfile}

// replaced is a table of members with one member's rule exchanged, or dropped
// when no rule is given.
func replaced(table []memberRule, name string, by ...memberRule) []memberRule {
	i := slices.IndexFunc(table, func(m memberRule) bool { return m.name == name })
	return slices.Concat(table[:i], by, table[i+1:])
}

// members demands the forms of a table.
func (c *checker) members(table []memberRule) {
	for _, m := range table {
		if n := c.doc.At(m.name); !m.ok(n.Value) {
			c.fail(m.suffix, n, m.expected)
		}
	}
}

// memberRules are the rules that a table of members gives to a gate.
func memberRules(gate, contract string, table []memberRule) []verify.Rule {
	rules := make([]verify.Rule, len(table))
	for i, m := range table {
		rules[i] = verify.Rule{ID: gate + "." + m.suffix, Contract: contract,
			Fails: "the member " + m.name + " is not " + m.expected, Why: m.why, Do: m.do}
	}
	return rules
}

// readRules are the rules of reading a gate's own document.
func readRules(gate, contract, artifact string) []verify.Rule {
	return []verify.Rule{
		{ID: gate + ".missing", Contract: contract, Fails: artifact + " does not exist as a file of the run; strict: or is reached through a link",
			Why: "a gate without its document has shown nothing", Do: "write " + artifact + ", or restore it from the run's output"},
		{ID: gate + ".json", Contract: contract, Fails: artifact + " is not one JSON value within the bounds, or a list in it that the gate walks holds null",
			Why: "a document that readers take differently proves nothing", Do: "write the file again with a JSON library and look at the named place"},
		{ID: gate + ".object", Contract: contract, Fails: artifact + " is not a JSON object",
			Why: "its content is expected in members", Do: "write the document as an object"},
	}
}

// A binding ties a member of a document to a member of the classification.
type binding struct{ member, of, suffix string }

// tierBindings are the bindings of block T; the goal names its run goalId.
var tierBindings = []binding{
	{"runId", "runId", "binding.run-id"},
	{"profile", "requestedProfile", "binding.profile"},
	{"effectiveTier", "effectiveTier", "binding.effective-tier"},
	{"commit", "commit", "binding.commit"},
	{"environment", "environment", "binding.environment"},
}

var goalTierBindings = append([]binding{{"goalId", "runId", "binding.run-id"}}, tierBindings[1:]...)

// classification reads the document of block T; without it the gate stops.
func (c *checker) classification() (*document, bool) {
	d := c.run.safe(classificationPath)
	return d, c.need("classification.missing", d)
}

// tier is the rest of block T.
func (c *checker) tier(bindings []binding, classification *document) {
	if n := c.doc.At("effectiveTier"); !isTier(n.Value) {
		c.fail("effective-tier", n, "T0, T1, T2 or T3")
	}
	for _, b := range bindings {
		c.bound(b.suffix, c.doc.At(b.member), classification.node.Get(b.of))
	}
	c.fileDigest("binding.classification-digest", c.doc.At("workloadClassificationSha256"), classification)
}

func isTier(v canon.Value) bool { _, ok := evidence.PolicyOf(v.Text()); return ok }

// tierRules are the rules that block T gives to a gate.
func tierRules(gate, contract string, bindings []binding) []verify.Rule {
	const why = "what a document is judged by comes from the classification, which must be that of this run"
	const do = "make the document again from run/workload-classification.json of this run"
	rules := []verify.Rule{
		{ID: gate + ".classification.missing", Contract: contract, Fails: "run/workload-classification.json is not a file of the run, not JSON or not an object",
			Why: "the classification decides which tier the document is judged by", Do: "restore run/workload-classification.json"},
		{ID: gate + ".effective-tier", Contract: contract, Fails: "the document's effectiveTier is none of T0 to T3",
			Why: "the tier decides how fresh and how trusted evidence must be", Do: "copy effectiveTier from the classification"},
	}
	for _, b := range bindings {
		rules = append(rules, verify.Rule{ID: gate + "." + b.suffix, Contract: contract,
			Fails: b.member + " is not the classification's " + b.of, Why: why, Do: do})
	}
	return append(rules, verify.Rule{ID: gate + ".binding.classification-digest", Contract: contract,
		Fails: "workloadClassificationSha256 is not the SHA-256 of run/workload-classification.json", Why: why, Do: do})
}

// A controlCatalog is what block C needs to know of a place that lists
// controls.
type controlCatalog struct {
	expected []string // ids that must be there
	known    func(id string) bool
}

// controls is block C: each control by contract 07, and the ids of the list.
// ctx holds the document's own values and the policy of the classification's
// tier.
func (c *checker) controls(list canon.Node, catalog controlCatalog, ctx evidence.Context) {
	seen := map[string]bool{}
	for control := range list.All() {
		id := evidence.Trimmed(control.Get("id"))
		evidence.CheckControl(c.out, ctx, control)
		if seen[id] {
			c.fail("control.duplicate", control.At("id"), "an id that no earlier control has")
		}
		if !catalog.known(id) {
			c.fail("control.unknown", control.At("id"), "a control of the catalog")
		}
		seen[id] = true
	}
	for _, id := range catalog.expected {
		if !seen[id] {
			c.add("control.missing", list, verify.What{Found: "no control " + id, Expected: "every control that applies"})
		}
	}
}

// controlRules are the rules that block C gives to a gate.
func controlRules(gate, contract string) []verify.Rule {
	return []verify.Rule{
		{ID: gate + ".control.duplicate", Contract: contract, Fails: "a control's id is that of an earlier one",
			Why: "of two answers to one control a reader may take the better", Do: "keep one entry for each control"},
		{ID: gate + ".control.unknown", Contract: contract, Fails: "a control is not in the catalog of its place",
			Why: "an answer to a question nobody asked hides the one that is missing", Do: "use the ids of the catalog"},
		{ID: gate + ".control.missing", Contract: contract, Fails: "a control that applies is not listed",
			Why: "what is not listed was not shown", Do: "add the control with its status and evidence"},
	}
}

// amount demands a finite number that is not negative, whole for the integer
// fields.
func (c *checker) amount(suffix string, n canon.Node, field string) (f float64, ok bool) {
	f, ok = n.Finite()
	if !ok || f < 0 {
		c.fail(suffix, n, "a finite number that is not negative")
		return 0, false
	}
	if _, whole := n.Integer(); !whole && slices.Index(workload.BudgetFields, field) < workload.IntegerBudgetFields {
		c.fail(suffix, n, "a whole number")
	}
	return f, true
}
