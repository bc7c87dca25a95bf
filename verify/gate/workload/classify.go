package workload

import (
	"fmt"
	"slices"
)

// Ids that the derivation itself speaks of.
const (
	taskAmbiguous = "ambiguous"
	taskDocsOnly  = "docs-only"
	idRegulated   = "regulated" // a profile, as requested and as derived
	packMobileIOS = "mobile-ios"
	packYouth     = "youth-ai-safety"
	ruleAI        = "ai" // a profile or concern that holds when AI is detected
	tierHighest   = "T3"
)

// AI profiles, without AI first.
const (
	aiNone = "AI-0"
	aiSome = "AI-1"
	aiMore = "AI-2"
	aiFull = "AI-3"
)

// A Classification is what the classifier derives from a text and a requested
// profile: the content of the members of contract 09b, section 2.8.
type Classification struct {
	rules *ruleFile
	a     *Analysis

	requested string
	floor     string
	tier      string

	taskType   string
	docs       bool
	controlled bool
	live       bool

	detected  bool
	features  []bool // in the order of the rules' aiFeatures
	aiProfile string

	packs    []string
	profiles []string
	concerns []string

	layers    []layer
	archetype string
	unknowns  []unknown
}

type layer struct{ id, applicability string }

type unknown struct {
	key      string
	material bool
}

// An UnknownProfileError says that a requested profile is none of the four.
type UnknownProfileError struct{ Profile string }

func (e *UnknownProfileError) Error() string {
	return fmt.Sprintf("requested profile %q is none of prototype, production, enterprise and regulated", e.Profile)
}

// Classify derives the classification of the text for a requested profile. The
// error is an [*UnknownProfileError].
func (a *Analysis) Classify(profile string) (*Classification, error) {
	floor, ok := a.rules.file.ProfileFloors[profile]
	if !ok {
		return nil, &UnknownProfileError{profile}
	}
	c := &Classification{rules: &a.rules.file, a: a, requested: profile, floor: floor}
	c.deriveTask()
	c.deriveAI()
	c.deriveLists()
	c.deriveTier()
	c.deriveLayers()
	c.deriveArchetype()
	c.deriveUnknowns()
	return c, nil
}

// deriveTask takes the first intent rule that holds (section 2.3).
func (c *Classification) deriveTask() {
	for _, r := range c.rules.Intent {
		if c.a.holds(r.condition) {
			c.taskType = r.TaskType
			break
		}
	}
	c.docs = c.taskType == taskDocsOnly
	c.controlled = c.docs && c.a.holds(condition{When: c.rules.ControlledDocumentation})
	c.live = !c.docs || c.controlled
}

// deriveAI applies section 2.4; a task that is not live has no AI workload,
// whatever its text says.
func (c *Classification) deriveAI() {
	c.detected = c.live && c.a.AI()
	c.features = make([]bool, len(c.rules.AIFeatures))
	some, full := false, false
	for i, name := range c.rules.AIFeatures {
		c.features[i] = c.detected && c.a.signals["ai."+name]
		some = some || c.features[i]
		full = full || c.features[i] && raisesAI(name)
	}
	switch {
	case !c.detected:
		c.aiProfile = aiNone
	case full:
		c.aiProfile = aiFull
	case some:
		c.aiProfile = aiMore
	default:
		c.aiProfile = aiSome
	}
}

// raisesAI names the features that alone demand the highest AI profile.
func raisesAI(feature string) bool {
	return feature == "consequential" || feature == "sensitiveData" || feature == "autonomous"
}

// deriveLists selects packs, profiles and concerns (section 2.5). Profiles may
// activate packs, which may select further profiles; every round but the last
// appends a pack, so there are at most as many rounds as activations.
func (c *Classification) deriveLists() {
	if !c.live {
		return
	}
	for _, r := range c.rules.Packs {
		if c.a.Pack(r.ID) {
			c.packs = append(c.packs, r.ID)
		}
	}
	if c.a.signals[sigYouth] && !slices.Contains(c.packs, packYouth) {
		c.packs = append(c.packs, packYouth)
	}
	for grown := true; grown; {
		grown = false
		c.selectProfiles()
		for _, id := range c.profiles {
			pack, activates := c.rules.ProfileActivatesPack[id]
			if activates && !slices.Contains(c.packs, pack) {
				c.packs = append(c.packs, pack)
				grown = true
			}
		}
	}
	for _, r := range c.rules.Concerns {
		if r.Rule == ruleAI && c.detected || r.Rule != ruleAI && c.a.triggers[concernSet+r.ID] {
			c.concerns = append(c.concerns, r.ID)
		}
	}
}

func (c *Classification) selectProfiles() {
	c.profiles = nil
	for _, r := range c.rules.Profiles {
		selected := c.detected
		if r.Rule != ruleAI {
			selected = r.ID == idRegulated && c.requested == idRegulated ||
				slices.ContainsFunc(r.Packs, func(p string) bool { return slices.Contains(c.packs, p) }) ||
				c.a.triggers[profileSet+r.ID]
		}
		if selected {
			c.profiles = append(c.profiles, r.ID)
		}
	}
}

// deriveTier takes the highest tier that anything demands. Tier names order as
// text.
func (c *Classification) deriveTier() {
	c.tier = c.floor
	for _, r := range c.rules.Profiles {
		if slices.Contains(c.profiles, r.ID) {
			c.tier = max(c.tier, r.MinimumTier)
		}
	}
	if c.aiProfile == aiFull {
		c.tier = max(c.tier, tierHighest)
	}
}

// deriveLayers applies section 2.7.
func (c *Classification) deriveLayers() {
	required := map[string]bool{}
	switch {
	case c.docs:
	case c.a.FullStack():
		for _, l := range c.rules.Layers {
			required[l.ID] = true
		}
	default:
		c.requireLayers(required)
	}
	for _, l := range c.rules.Layers {
		applicability := PotentiallyAffected
		switch {
		case c.docs:
			applicability = NotApplicable
		case required[l.ID]:
			applicability = Required
		}
		c.layers = append(c.layers, layer{l.ID, applicability})
	}
}

// requireLayers marks the layers that the text, a concern or every run needs,
// and everything these need in turn.
func (c *Classification) requireLayers(required map[string]bool) {
	for _, l := range c.rules.Layers {
		required[l.ID] = c.a.signals["layer."+l.ID]
	}
	for _, r := range c.rules.Concerns {
		if slices.Contains(c.concerns, r.ID) {
			for _, id := range r.Layers {
				required[id] = true
			}
		}
	}
	for _, id := range c.rules.AlwaysLayers {
		required[id] = true
	}
	for grown := true; grown; {
		grown = false
		for _, l := range c.rules.Layers {
			for _, need := range l.Needs {
				if required[l.ID] && !required[need] {
					required[need] = true
					grown = true
				}
			}
		}
	}
}

func (c *Classification) deriveArchetype() {
	for _, r := range c.rules.Archetypes {
		if (r.Pack == "" || slices.Contains(c.packs, r.Pack)) &&
			(r.TaskType == "" || r.TaskType == c.taskType) &&
			(!r.AIDetected || c.detected) && c.a.holds(r.condition) {
			c.archetype = r.Archetype
			return
		}
	}
}

// Keys of the fixed texts (section 2.7), without the prefix "unknown.".
const (
	textLayerDocs      = "layer.docs-only"
	textFoundationDocs = "foundation.docs-only"
	unknownPrefix      = "unknown."

	keyScope      = "scope-definition"
	keyNoProfile  = "no-profile"
	keyRegulatory = "regulatory-applicability"
	keyYouth      = "youth-safety-applicability"
	keyControlled = "controlled-assurance-document-review"
)

var fixedTextKeys = []string{
	textLayerDocs, textFoundationDocs, unknownPrefix + keyScope, unknownPrefix + keyNoProfile,
	unknownPrefix + keyRegulatory, unknownPrefix + keyYouth, unknownPrefix + keyControlled,
}

func (c *Classification) deriveUnknowns() {
	add := func(when bool, key string, material bool) {
		if when {
			c.unknowns = append(c.unknowns, unknown{key, material})
		}
	}
	add(c.taskType == taskAmbiguous, keyScope, true)
	add(len(c.profiles) == 0 && !c.docs, keyNoProfile, false)
	add(slices.Contains(c.profiles, idRegulated) || !c.docs && c.requested == idRegulated, keyRegulatory, true)
	add(slices.Contains(c.packs, packYouth), keyYouth, true)
	add(c.controlled, keyControlled, true)
}
