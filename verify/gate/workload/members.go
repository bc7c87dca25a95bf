package workload

import (
	"fmt"
	"slices"

	"finishline/canon"
)

// How a layer or the foundation initially applies.
const (
	Required            = "required"
	PotentiallyAffected = "potentially-affected"
	NotApplicable       = "not-applicable"
)

// Gates are the gates that a classification requires or not, in the order in
// which its requiredGates lists them.
var Gates = []string{
	"code-intelligence", "foundation", "production", "ai-assurance",
	"domain-assurance", "eval", "trajectory", "smoke",
}

// Members are the derived members, in the order of contract 09b, section 2.8.
var Members = []string{
	"profileTierFloor", "effectiveTier", "effectiveAiTier", "taskType", "controlledDocumentation",
	"primaryArchetype", "workloadProfiles", "crossCuttingConcerns", "domainPacks", "domainFeatures",
	"ai", "foundation", "productionLayers", "requiredGates", "matchedSignals", "confidence",
	"unknowns", "materialUnknowns",
}

// Texts holds fixed sentences of the format that are at hand, by key. Only
// [Rules.TextsIn] makes one, so every sentence in it has the digest that the rules
// give.
type Texts struct{ byKey map[string]string }

// TextsIn collects the fixed texts among the strings anywhere in the values.
func (t *Rules) TextsIn(values ...canon.Value) Texts {
	found := Texts{map[string]string{}}
	for _, v := range values {
		found.collect(t, v)
	}
	return found
}

func (x Texts) collect(t *Rules, v canon.Value) {
	if s, ok := v.Str(); ok {
		x.offer(t, s)
	}
	for _, e := range v.Elems() {
		x.collect(t, e)
	}
	for _, m := range v.Members() {
		x.collect(t, m.Value)
	}
}

// offer keeps s under every key whose length and digest it has.
func (x Texts) offer(t *Rules, s string) {
	for key, want := range t.file.FixedTexts {
		if len(s) == want.Bytes && canon.SHA256([]byte(s)) == want.SHA256 {
			x.byKey[key] = s
		}
	}
}

// An UnknownTextError says that a member needs a fixed text of the format that
// is not at hand. SHA256 and Bytes say which sentence would be the right one.
type UnknownTextError struct {
	Key    string
	SHA256 string
	Bytes  int
}

func (e *UnknownTextError) Error() string {
	return fmt.Sprintf("the fixed text %s (%d bytes, SHA-256 %s) is not there", e.Key, e.Bytes, e.SHA256)
}

// Member builds a derived member, in the order of inner members that a document
// must have. The error is an [*UnknownTextError] when the member carries a
// fixed text that texts lacks. An unknown name gives an absent value.
func (c *Classification) Member(name string, texts Texts) (canon.Value, error) {
	switch name {
	case "profileTierFloor":
		return canon.NewString(c.floor), nil
	case "effectiveTier":
		return canon.NewString(c.tier), nil
	case "effectiveAiTier":
		return canon.NewString(c.aiProfile[:2] + c.aiProfile[3:]), nil
	case "taskType":
		return canon.NewString(c.taskType), nil
	case "controlledDocumentation":
		return canon.NewBool(c.controlled), nil
	case "primaryArchetype":
		return canon.NewString(c.archetype), nil
	case "workloadProfiles":
		return list(c.profiles), nil
	case "crossCuttingConcerns":
		return list(c.concerns), nil
	case "domainPacks":
		return list(c.packs), nil
	case "domainFeatures":
		return c.domainFeatures(), nil
	case "ai":
		return c.ai(), nil
	case "foundation":
		return c.foundation(texts)
	case "productionLayers":
		return c.productionLayers(texts)
	case "requiredGates":
		return c.requiredGates(), nil
	case "matchedSignals":
		return list(c.matchedSignals()), nil
	case "confidence":
		return canon.NewString(c.confidence()), nil
	case "unknowns":
		return c.unknownTexts(texts)
	case "materialUnknowns":
		return c.materialUnknowns(texts)
	}
	return canon.Value{}, nil
}

// text is the fixed text of that key, from what is at hand.
func (c *Classification) text(key string, texts Texts) (canon.Value, error) {
	s, ok := texts.byKey[key]
	if !ok {
		want := c.rules.FixedTexts[key]
		return canon.Value{}, &UnknownTextError{key, want.SHA256, want.Bytes}
	}
	return canon.NewString(s), nil
}

func (c *Classification) domainFeatures() canon.Value {
	if !slices.Contains(c.packs, packMobileIOS) {
		return canon.Build()
	}
	return canon.Build(member(packMobileIOS, canon.Build(
		member("push", canon.NewBool(c.a.signals[sigIOSPush])),
		member("distribution", canon.NewBool(c.a.signals[sigIOSDistribution])),
	)))
}

func (c *Classification) ai() canon.Value {
	features := make([]canon.Member, len(c.features))
	for i, name := range c.rules.AIFeatures {
		features[i] = member(name, canon.NewBool(c.features[i]))
	}
	return canon.Build(
		member("workloadDetected", canon.NewBool(c.detected)),
		member("aiProfile", canon.NewString(c.aiProfile)),
		member("features", canon.Build(features...)),
	)
}

func (c *Classification) foundation(texts Texts) (canon.Value, error) {
	if c.live {
		return canon.Build(member("initialApplicability", canon.NewString(Required))), nil
	}
	reason, err := c.text(textFoundationDocs, texts)
	if err != nil {
		return canon.Value{}, err
	}
	return canon.Build(
		member("initialApplicability", canon.NewString(NotApplicable)),
		member("reason", reason),
	), nil
}

func (c *Classification) productionLayers(texts Texts) (canon.Value, error) {
	var layers []canon.Value
	for _, l := range c.layers {
		members := []canon.Member{
			member("layer", canon.NewString(l.id)),
			member("initialApplicability", canon.NewString(l.applicability)),
		}
		if l.applicability == NotApplicable {
			reason, err := c.text(textLayerDocs, texts)
			if err != nil {
				return canon.Value{}, err
			}
			members = append(members, member("reason", reason))
		}
		layers = append(layers, canon.Build(members...))
	}
	return canon.NewArray(layers...), nil
}

func (c *Classification) requiredGates() canon.Value {
	required := map[string]bool{
		"code-intelligence": !c.docs,
		"foundation":        c.live,
		"production":        !c.docs,
		"ai-assurance":      !c.docs && c.detected,
		"domain-assurance":  !c.docs && len(c.packs) > 0,
		"eval":              !c.docs && (c.detected || c.a.signals[sigEval]),
		"trajectory":        true,
		"smoke":             !c.docs && c.a.LiveSmoke(),
	}
	members := make([]canon.Member, len(Gates))
	for i, gate := range Gates {
		members[i] = member(gate, canon.NewBool(required[gate]))
	}
	return canon.Build(members...)
}

func (c *Classification) matchedSignals() []string {
	signals := []string{c.taskType}
	for _, id := range c.profiles {
		signals = append(signals, "profile:"+id)
	}
	for _, id := range c.concerns {
		signals = append(signals, "concern:"+id)
	}
	for _, id := range c.packs {
		signals = append(signals, "domain-pack:"+id)
	}
	switch {
	case c.controlled:
		signals = append(signals, "docs:controlled-assurance")
	case c.docs:
		signals = append(signals, "docs:ordinary")
	}
	if c.detected {
		return append(signals, "ai:"+c.aiProfile)
	}
	return append(signals, "ai:none")
}

func (c *Classification) confidence() string {
	if len(c.unknowns) == 0 {
		return "high"
	}
	return "medium"
}

func (c *Classification) unknownTexts(texts Texts) (canon.Value, error) {
	var all []canon.Value
	for _, u := range c.unknowns {
		text, err := c.text(unknownPrefix+u.key, texts)
		if err != nil {
			return canon.Value{}, err
		}
		all = append(all, text)
	}
	return canon.NewArray(all...), nil
}

func (c *Classification) materialUnknowns(texts Texts) (canon.Value, error) {
	var all []canon.Value
	for _, u := range c.unknowns {
		if !u.material {
			continue
		}
		summary, err := c.text(unknownPrefix+u.key, texts)
		if err != nil {
			return canon.Value{}, err
		}
		all = append(all, canon.Build(
			member("id", canon.NewString(u.key)),
			member("resolution", canon.NewString("human-acknowledgement")),
			member("summary", summary),
		))
	}
	return canon.NewArray(all...), nil
}

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

func list(ids []string) canon.Value {
	values := make([]canon.Value, len(ids))
	for i, id := range ids {
		values[i] = canon.NewString(id)
	}
	return canon.NewArray(values...)
}
