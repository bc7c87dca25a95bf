package gate

import (
	"errors"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/catalog"
	"finishline/verify/gate/workload"
)

const classificationName = "workload-classification"

var classificationGate = newGate(classificationName, classificationPath, classificationTable, checkClassification)

// intakeBindings tie the classification to the intake.
var intakeBindings = []struct{ member, suffix string }{
	{"runId", "intake.run-id"}, {"requestSha256", "intake.request-digest"},
	{"commit", "intake.commit"}, {"environment", "intake.environment"},
}

var classificationArrays = []string{
	"workloadProfiles", "crossCuttingConcerns", "domainPacks", // these repeat nothing
	"productionLayers", "matchedSignals", "unknowns",
}

const uniqueArrays = 3

// boundCatalogs are the members of catalogDigests and the catalogs they name.
var boundCatalogs = []struct{ member, path string }{
	{"taxonomy", catalog.Taxonomy}, {"foundation", catalog.Foundation}, {"production", catalog.Production},
	{"ai", catalog.AI}, {"domainIndex", catalog.DomainIndex},
}

// derivations are the rules under which derived members are compared. The
// floor has its own rule.
var derivations = []struct {
	suffix  string
	members []string
}{
	{"tier-derivation", []string{"effectiveTier"}},
	{"ai-derivation", []string{"effectiveAiTier", "ai"}},
	{"task-derivation", []string{"taskType"}},
	{"docs-derivation", []string{"controlledDocumentation"}},
	{"archetype-derivation", []string{"primaryArchetype"}},
	{"profile-derivation", []string{"workloadProfiles"}},
	{"concern-derivation", []string{"crossCuttingConcerns"}},
	{"pack-derivation", []string{"domainPacks", "domainFeatures"}},
	{"foundation-derivation", []string{"foundation"}},
	{"layer-derivation", []string{"productionLayers"}},
	{"gate-derivation", []string{"requiredGates"}},
	{"signal-derivation", []string{"matchedSignals"}},
	{"unknowns-derivation", []string{"confidence", "unknowns", "materialUnknowns"}},
}

// checkClassification is contract 09a, section 3.
func checkClassification(c *checker) {
	intake := c.run.existing(intakePath)
	if !c.need("intake.missing", intake) {
		return
	}
	c.catalogIntegrity()
	c.oneOf("schema", c.doc.At("schema"), "uash.workload-classification.v1")
	c.present("run-id", c.doc.At("runId"))
	if n := c.doc.At("generatedAt"); !isTimestamp(n.Value) {
		c.fail("generated-at", n, expTimestamp)
	}
	c.taskType()
	c.fromIntake(intake.node)
	c.profileAndTier()
	c.lists()
	c.aiForm()
	c.catalogDigests()
	c.derived(intake.node)
}

// catalogIntegrity is contract 09b, section 3.
func (c *checker) catalogIntegrity() {
	if !c.run.opt.Pack.Present {
		return
	}
	for _, path := range catalog.Paths() {
		digests, err := c.run.catalog(path)
		switch {
		case err != nil:
			c.out.Add(c.gate+".catalog-integrity", verify.At(path, ""), verify.What{
				Found: err.Error(), Expected: "a known edition of the catalog"})
		case !catalog.Known(path, digests.Semantic):
			c.out.Add(c.gate+".catalog-integrity", verify.At(path, ""), verify.What{
				Found: "semantic digest " + digests.Semantic, Expected: "the digest of a known edition of the catalog"})
		}
	}
}

func (c *checker) taskType() {
	if n := c.doc.At("taskType"); !c.run.rules.IsTaskType(n.Value) {
		c.fail("task-type", n, "a task type of the format, such as bug or feature")
	}
}

func (c *checker) fromIntake(intake canon.Node) {
	for _, b := range intakeBindings {
		c.bound(b.suffix, c.doc.At(b.member), intake.Get(b.member))
	}
	c.bound("intake.profile", c.doc.At("requestedProfile"), canon.FirstTruthy(intake.Get("requestedProfile"), intake.Get("profile")))
	c.bound("intake.profile", c.doc.At("profile"), intake.Get("profile"))
	if n := intake.At("requestText"); n.Kind() != canon.String {
		c.out.Add(c.gate+".intake.request-text", verify.At(intakePath, n.Pointer), verify.What{Found: verify.Show(n.Value), Expected: "a text"})
	}
}

func (c *checker) profileAndTier() {
	requested := c.doc.At("requestedProfile")
	c.bound("profile", c.doc.At("profile"), requested.Value)
	floor, known := c.run.rules.ProfileFloor(requested.Value)
	if !known {
		c.fail("profile", requested, "prototype, production, enterprise or regulated")
	}
	switch n := c.doc.At("profileTierFloor"); {
	case known && !n.Is(floor):
		c.fail("floor", n, floor)
	case !known && n.Present():
		c.fail("floor", n, "no floor, because the requested profile has none")
	}
	tier := c.doc.At("effectiveTier")
	if !isTier(tier.Value) {
		c.fail("tier", tier, "T0, T1, T2 or T3")
	} else if known && tier.Text() < floor {
		c.fail("tier-downgrade", tier, "at least "+floor)
	}
	c.oneOf("ai-tier", c.doc.At("effectiveAiTier"), "AI0", "AI1", "AI2", "AI3")
}

func (c *checker) lists() {
	for i, name := range classificationArrays {
		n := c.doc.At(name)
		c.array("array."+name, n)
		if i >= uniqueArrays {
			continue
		}
		c.once("duplicate."+name, n, "no repeated entry")
	}
}

// aiForm is the form of the member ai, in a classification and in a route.
func (c *checker) aiForm() {
	ai := c.doc.At("ai")
	isBool := func(n canon.Node) {
		if n.Kind() != canon.Bool {
			c.fail("ai", n, "true or false")
		}
	}
	for _, feature := range c.run.rules.AIFeatures() {
		isBool(ai.At("features").At(feature))
	}
	isBool(ai.At("workloadDetected"))
	c.present("ai", ai.At("aiProfile"))
}

func (c *checker) catalogDigests() {
	for _, b := range boundCatalogs {
		c.catalogDigest(c.doc.At("catalogDigests").At(b.member), b.path)
	}
}

func (c *checker) catalogDigest(n canon.Node, path string) {
	if !catalog.Known(path, n.Text()) {
		c.fail("catalog-digest", n, catalog.HouseDigest(path)+", the semantic digest of "+path+", or that of its other known edition")
	}
}

// derived compares the derived members with what the intake's text and the
// requested profile give. Without either the gate has failed already.
func (c *checker) derived(intake canon.Node) {
	requested := c.doc.At("requestedProfile")
	if _, known := c.run.rules.ProfileFloor(requested.Value); !known || intake.Get("requestText").Kind() != canon.String {
		return
	}
	derived, err := c.run.analysis().Classify(requested.Text())
	if err != nil {
		c.add("profile", requested, verify.What{Found: err.Error()})
		return
	}
	texts := c.run.rules.TextsIn(c.doc.Value)
	for _, d := range derivations {
		for _, name := range d.members {
			c.derivedMember(d.suffix, c.doc.At(name), derived, name, texts)
		}
	}
}

func (c *checker) derivedMember(suffix string, n canon.Node, derived *workload.Classification, name string, texts workload.Texts) {
	want, err := derived.Member(name, texts)
	var missing *workload.UnknownTextError
	if errors.As(err, &missing) {
		c.add(suffix, n, verify.What{Found: text(n.Value), Expected: "a value with the format's fixed text " + missing.Key,
			Hint: missing.Error() + "; the request text calls for it, word for word"})
		return
	}
	c.same(suffix, n, want)
}
