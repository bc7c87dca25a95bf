package starter

import (
	"finishline/canon"
	"finishline/verify/gate"
	"finishline/verify/gate/skill"
)

func object(members ...canon.Member) canon.Value { return canon.Build(members...) }

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

func text(name, s string) canon.Member { return member(name, canon.NewString(s)) }

func number(name string, n int) canon.Member { return member(name, canon.NewNumber(float64(n))) }

func texts(name string, list ...string) canon.Member {
	values := make([]canon.Value, len(list))
	for i, s := range list {
		values[i] = canon.NewString(s)
	}
	return member(name, canon.NewArray(values...))
}

// maxSupporting is how many supporting skills a phase may have (09b §4.1).
const maxSupporting = 4

func skillPath(name string) string { return "skills/" + name + "/SKILL.md" }

// registry is skills/registry.json.
func registry() canon.Value {
	tieBreak, reviewPolicy := gate.RegistryPolicy()
	return object(
		text("schema", "uash.skill-registry.v2"), text("version", "1.0.0-finishline"),
		member("selection", object(number("maxPrimary", 1), number("maxSupporting", maxSupporting), number("catalogSize", len(workflowSkills)),
			texts("phaseTransitions", skill.Phases...), texts("tieBreakOrder", "a skill that was named", "the artifact that is asked for", "the riskier task"))),
		member("lifecycleSelection", object(number("catalogSize", len(lifecycleSkills)), number("maxPrimary", 1),
			text("policy", "one lifecycle skill at a time, in their sequence"), text("ambiguityFallback", skill.RouteGoal),
			texts("tieBreakOrder", tieBreak...), texts("sequence", skill.Lifecycle...))),
		member("gatePolicy", object(texts("always", gate.HandoffGates()...),
			text("review", reviewPolicy+" over the evidence bundle, signed by a key of the pinned trust store"))),
		member("skills", canon.NewArray(workflowEntries()...)),
		member("lifecycleSkills", canon.NewArray(lifecycleEntries()...)),
	)
}

func workflowEntries() []canon.Value {
	var list []canon.Value
	for _, s := range workflowSkills {
		gates := []string{"review"}
		if s.name == skill.ProofHandoff {
			gates = gate.HandoffGates()
		}
		list = append(list, object(text("name", s.name), text("path", skillPath(s.name)), texts("primaryFor", s.primaryFor...),
			texts("triggers", s.triggers...), texts("requiredGates", gates...), texts("conditionalGates"), texts("redZoneTriggers", s.redZone...)))
	}
	return list
}

func lifecycleEntries() []canon.Value {
	var list []canon.Value
	for i, s := range lifecycleSkills {
		next := canon.NewNull()
		if i+1 < len(lifecycleSkills) {
			next = canon.NewString(lifecycleSkills[i+1].name)
		}
		list = append(list, object(text("name", s.name), number("sequence", i+1), text("system", s.system), text("path", skillPath(s.name)),
			texts("primaryFor", s.takenFor()...), texts("triggers", s.triggers...), texts("requiredInputs", s.inputs...),
			texts("requiredOutputs", s.outputs...), texts("requiredGates", "review"), texts("conditionalGates"), member("next", next)))
	}
	return list
}
