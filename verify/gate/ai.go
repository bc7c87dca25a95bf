package gate

import (
	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

const aiPath = "ai/assurance.json"

var aiGate = newGate("ai-assurance", aiPath, aiTable, checkAI)

// aiControls are expected of every AI workload, aiFeatureControls only of one
// with the feature.
var aiControls = []string{"AI-INVENTORY-001", "AI-EVAL-001", "AI-DATA-001", "AI-SAFETY-001", "AI-OBS-001", "AI-COST-001", "AI-LIFECYCLE-001"}

var aiFeatureControls = []struct{ id, feature string }{
	{"AI-RAG-001", "rag"}, {"AI-TOOLS-001", "tools"}, {"AI-MEMORY-001", "memory"},
}

// AI profiles, and the features that demand the highest.
const (
	aiNone, aiBounded, aiOperational, aiConsequential = "AI-0", "AI-1", "AI-2", "AI-3"
)

var gravestFeatures = []string{"consequential", "sensitiveData", "autonomous"}

// checkAI is contract 09a, section 7.
func checkAI(c *checker) {
	classification, policy, ok := c.judgedBy()
	if !ok {
		return
	}
	c.oneOf("schema", c.doc.At("schema"), "uash.ai-assurance.v1")
	c.members(header)
	c.tier(tierBindings, classification)
	detected := c.doc.At("workloadDetected")
	if detected.Kind() != canon.Bool {
		c.fail("detected", detected, "true or false")
	}
	c.aiBindings(classification.node.At("ai"))
	if detected.IsBool(false) {
		c.oneOf("profile-zero", c.doc.At("aiProfile"), aiNone)
		c.skippedDocument()
		return
	}
	c.oneOf("status", c.doc.At("status"), statusPassed)
	c.aiProfile()
	c.aiControls(c.underTier(policy))
}

// aiBindings ties the document to what the classification says about AI.
func (c *checker) aiBindings(ai canon.Node) {
	for _, member := range []string{"workloadDetected", "aiProfile"} {
		c.bound("binding.ai", c.doc.At(member), ai.Get(member))
	}
	for _, feature := range c.run.rules.AIFeatures() {
		c.bound("binding.ai", c.doc.At("features").At(feature), ai.Get("features").Get(feature))
	}
}

// skippedDocument demands that a document about nothing says so.
func (c *checker) skippedDocument() {
	c.oneOf("status", c.doc.At("status"), evidence.StatusSkipped)
	c.present("skip-reason", c.doc.At("skipReason"))
}

// aiProfile holds the profile against the features.
func (c *checker) aiProfile() {
	profile, features := c.doc.At("aiProfile"), c.doc.At("features")
	c.oneOf("ai-profile", profile, aiBounded, aiOperational, aiConsequential)
	some := false
	for _, feature := range c.run.rules.AIFeatures() {
		n := features.At(feature)
		if n.Kind() != canon.Bool {
			c.fail("feature", n, "true or false")
		}
		some = some || n.IsBool(true)
	}
	for _, feature := range gravestFeatures {
		if features.Get(feature).IsBool(true) && !profile.Is(aiConsequential) {
			c.fail("profile-floor", profile, aiConsequential+", because the workload is marked "+feature)
		}
	}
	if some && profile.Is(aiBounded) {
		c.fail("profile-one", profile, "AI-2 or AI-3: the workload has a feature")
	}
}

func (c *checker) aiControls(ctx evidence.Context) {
	known := map[string]bool{}
	expected := append([]string{}, aiControls...)
	for _, id := range aiControls {
		known[id] = true
	}
	list := c.doc.At("controls")
	have := listed(list)
	for _, f := range aiFeatureControls {
		known[f.id] = true
		n := c.doc.At("features").At(f.feature)
		switch {
		case n.IsBool(true):
			expected = append(expected, f.id)
		case have[f.id]:
			c.add("control.inactive", list, verify.What{Found: f.id + " is listed, and feature " + f.feature + " is " + verify.Show(n.Value), Expected: "controls of the workload's own features"})
		}
	}
	c.controls(list, controlCatalog{expected: expected, known: func(id string) bool { return known[id] }}, ctx)
}
