package gate

import (
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/catalog"
	"finishline/verify/evidence"
	"finishline/verify/gate/workload"
)

const foundationPath = "foundation/assessment.json"

var foundationGate = newGate("foundation", foundationPath, foundationTable, checkFoundation)

// A capability is one of the seven of the foundation layer.
type capability struct {
	id        string
	dependsOn []string
	controls  []provenControl
}

// A provenControl needs evidence of at least one of its types.
type provenControl struct {
	id    string
	types []string
}

var (
	byArtifact          = []string{evidence.TypeArtifact}
	byArtifactOrCommand = []string{evidence.TypeArtifact, evidence.TypeCommand}
	byArtifactOrMetric  = []string{evidence.TypeArtifact, evidence.TypeMetric}
)

const (
	capProduct      = "product-domain"
	capRequirements = "requirements-acceptance"
	capQuality      = "quality-attributes"
	capArchitecture = "architecture-boundaries"
	capData         = "data-transactions"
	capEngineering  = "engineering-test-strategy"
	capDecisions    = "decisions-ownership-risk"
)

// capabilities is the foundation catalog: ids, direct dependencies and proof
// types (contract 09a, section 6).
var capabilities = []capability{
	{capProduct, nil, []provenControl{{"FND-PRODUCT-001", byArtifact}, {"FND-DOMAIN-001", byArtifact}}},
	{capRequirements, []string{capProduct}, []provenControl{{"FND-REQ-001", byArtifact}, {"FND-ACCEPTANCE-001", byArtifactOrCommand}}},
	{capQuality, []string{capProduct, capRequirements}, []provenControl{{"FND-QUALITY-001", byArtifactOrMetric}, {"FND-FAILURE-001", byArtifactOrCommand}}},
	{capArchitecture, []string{capProduct, capQuality}, []provenControl{{"FND-ARCH-001", byArtifact}, {"FND-BOUNDARY-001", byArtifact}}},
	{capData, []string{capProduct, capArchitecture}, []provenControl{{"FND-DATA-001", byArtifact}, {"FND-TRANSACTION-001", byArtifactOrCommand}}},
	{capEngineering, []string{capRequirements, capArchitecture, capData}, []provenControl{{"FND-ENGINEERING-001", byArtifact}, {"FND-TEST-001", byArtifactOrCommand}}},
	{capDecisions, []string{capQuality, capArchitecture, capEngineering}, []provenControl{{"FND-DECISION-001", byArtifact}, {"FND-RISK-001", byArtifact}}},
}

// documentationNeeds are the capabilities of a documentation task that is
// controlled.
var documentationNeeds = []string{capProduct, capRequirements, capDecisions}

// productNeeds are never not-applicable.
var productNeeds = []string{capProduct, capRequirements}

func findCapability(id string) (capability, bool) {
	i := slices.IndexFunc(capabilities, func(x capability) bool { return x.id == id })
	if i < 0 {
		return capability{}, false
	}
	return capabilities[i], true
}

// foundationMembers are block H and the members of the assessment's own.
var foundationMembers = slices.Concat(header, []memberRule{
	{"summary", "summary", evidence.Present, expPresent, "a reviewer reads the summary first", "write what the assessment found"},
	{"owner", "owner", evidence.Present, expPresent, "someone answers for the groundwork", "name the person or team"},
})

// checkFoundation is contract 09a, section 6.
func checkFoundation(c *checker) {
	classification, ok := c.classification()
	if !ok || !c.foundationCatalog() {
		return
	}
	if n := c.doc.At("workloadClassificationSha256"); !n.Is(classification.sha256()) {
		c.fileDigest("binding.classification-digest", n, classification)
		return
	}
	policy, ok := c.tierOf(classification)
	if !ok {
		return
	}
	c.oneOf("schema", c.doc.At("schema"), "uash.foundation-assessment.v1")
	c.members(foundationMembers)
	c.tier(tierBindings, classification)
	c.oneOf("status", c.doc.At("status"), statusPassed)
	f := foundation{checker: c, ctx: c.underTier(policy), documentation: classification.node.Get("controlledDocumentation").IsBool(true)}
	f.check()
}

// foundationCatalog compares the catalog digest: with a pack, with the pack's
// own catalog as it lies there; without, with the known editions.
func (c *checker) foundationCatalog() bool {
	n := c.doc.At("catalogSha256")
	if !c.run.opt.Pack.Present {
		if catalog.KnownRaw(catalog.Foundation, n.Text()) {
			return true
		}
		c.fail("catalog-digest", n, "the SHA-256 of the bytes of a known edition of "+catalog.Foundation)
		return false
	}
	digests, err := c.run.catalog(catalog.Foundation)
	switch {
	case err != nil:
		c.add("catalog-digest", n, verify.What{Found: "the pack's catalog cannot be read: " + err.Error(), Expected: "the catalog that the assessment was made with"})
	case !canon.IsHex64(digests.Raw) || !n.Is(digests.Raw):
		c.fail("catalog-digest", n, digests.Raw+", the SHA-256 of the pack's "+catalog.Foundation)
	default:
		return true
	}
	return false
}

// foundation walks the capabilities of an assessment.
type foundation struct {
	*checker
	ctx           evidence.Context
	documentation bool // a controlled documentation task

	last map[string]canon.Node // by id, the last entry
}

func (f *foundation) check() {
	f.last = map[string]canon.Node{}
	list := f.doc.At("capabilities")
	for entry := range list.All() {
		if f.broken(entry) {
			return
		}
		f.capability(entry)
	}
	for _, x := range capabilities {
		if _, listed := f.last[x.id]; !listed {
			f.add("capability.missing", list, verify.What{Found: "no entry for " + x.id, Expected: "all seven capabilities"})
		}
	}
	f.dependencies()
}

func (f *foundation) capability(entry canon.Node) {
	n := entry.At("id")
	x, known := findCapability(evidence.Trimmed(n.Value))
	if !known {
		f.fail("capability.unknown", n, "one of the seven capabilities")
		return
	}
	if _, again := f.last[x.id]; again {
		f.fail("capability.duplicate", n, "each capability once")
	}
	f.last[x.id] = entry
	f.present("capability.owner", entry.At("owner"))
	applicability := entry.At("applicability")
	f.oneOf("capability.applicability", applicability, workload.Required, workload.NotApplicable)
	if applicability.Is(workload.NotApplicable) {
		f.leftOut(x, entry)
		return
	}
	if f.documentation && !slices.Contains(documentationNeeds, x.id) {
		f.fail("capability.not-needed", applicability, workload.NotApplicable+": the run only writes controlled documentation")
	}
	f.oneOf("capability.status", entry.At("status"), statusPassed)
	f.controls(x, entry.At("controls"))
}

// leftOut judges a capability that is said not to apply.
func (f *foundation) leftOut(x capability, entry canon.Node) {
	f.oneOf("capability.na-status", entry.At("status"), evidence.StatusSkipped)
	if !evidence.Present(evidence.Reason(entry.Value)) {
		f.fail("capability.na-reason", firstTruthy(entry.At("reason"), entry.At("skipReason")), expPresent)
	}
	forbid := func(why string) {
		f.add("capability.na-forbidden", entry.At("applicability"), verify.What{Found: x.id + " is not applicable", Expected: why})
	}
	if f.documentation {
		if slices.Contains(documentationNeeds, x.id) {
			forbid("required: controlled documentation needs it")
		}
		return
	}
	if !f.doc.Get("profile").Is(evidence.ProfilePrototype) {
		forbid("required: only a prototype may leave capabilities out")
	}
	if slices.Contains(productNeeds, x.id) {
		forbid("required: every run needs it")
	}
}

// controls is block C for one capability. A control of another place is only
// reported as unknown.
func (f *foundation) controls(x capability, list canon.Node) {
	seen := map[string]bool{}
	for entry := range list.All() {
		n := entry.At("id")
		id := evidence.Trimmed(n.Value)
		i := slices.IndexFunc(x.controls, func(p provenControl) bool { return p.id == id })
		if i < 0 {
			f.fail("control.unknown", n, "a control of "+x.id)
			continue
		}
		evidence.CheckControl(f.out, f.ctx, entry)
		if seen[id] {
			f.fail("control.duplicate", n, "an id that no earlier control has")
		}
		seen[id] = true
		f.evidenceType("control.evidence-type", entry, x.controls[i])
	}
	for _, p := range x.controls {
		if !seen[p.id] {
			f.add("control.missing", list, verify.What{Found: "no control " + p.id, Expected: "every control that applies"})
		}
	}
}

// evidenceType demands that a passed control has evidence of a type that
// proves it.
func (c *checker) evidenceType(suffix string, control canon.Node, p provenControl) {
	if !control.Get("status").Is(statusPassed) {
		return
	}
	list := control.At("evidence")
	if !slices.ContainsFunc(list.Elems(), func(e canon.Value) bool { return isOneOf(e.Get("type"), p.types...) }) {
		c.add(suffix, list, verify.What{Found: "no evidence that proves " + p.id, Expected: "evidence of type " + alternatives(p.types)})
	}
}

// dependencies demands that what a required capability rests on is required
// and passed. Of repeated entries the last counts.
func (f *foundation) dependencies() {
	if f.documentation {
		return
	}
	for _, x := range capabilities {
		entry, listed := f.last[x.id]
		if !listed || !entry.Get("applicability").Is(workload.Required) {
			continue
		}
		for _, id := range x.dependsOn {
			if d := f.last[id]; !d.Get("applicability").Is(workload.Required) || !d.Get("status").Is(statusPassed) {
				f.add("dependency.unsatisfied", entry, verify.What{Found: x.id + " is required, " + id + " is not required and passed", Expected: "what it rests on, passed"})
			}
		}
	}
}
