package workload

import (
	"slices"

	"finishline/canon"
)

// BudgetFields are the fields of an execution budget, in the order in which a
// derived budget has them. The first three are whole numbers.
var BudgetFields = []string{"attempts", "toolCalls", "tokens", "costUsd", "wallClockMinutes"}

// IntegerBudgetFields is how many of [BudgetFields] are whole numbers.
const IntegerBudgetFields = 3

// maxSupporting is how many supporting skills are selected (contract 09b,
// section 2.8).
const maxSupporting = 4

// DeliveryPrimary is the skill that delivers a task type, "" for a task type
// that the format does not know.
func (t *Rules) DeliveryPrimary(taskType canon.Value) string {
	return t.file.DeliveryPrimary[taskType.Text()]
}

// Supporting lists the supporting skills of a classification document.
func (t *Rules) Supporting(doc canon.Value) []string {
	var skills []string
	primary := t.DeliveryPrimary(doc.Get("taskType"))
	for _, r := range t.file.Supporting {
		selected := r.AI && doc.Get("ai").Get("workloadDetected").IsBool(true) ||
			names(doc.Get("crossCuttingConcerns"), r.Concerns) ||
			names(doc.Get("workloadProfiles"), r.Profiles) ||
			names(doc.Get("domainPacks"), r.Packs)
		if selected && r.Skill != primary && len(skills) < maxSupporting {
			skills = append(skills, r.Skill)
		}
	}
	return skills
}

// names reports whether an array holds one of the ids.
func names(array canon.Value, ids []string) bool {
	return slices.ContainsFunc(array.Elems(), func(v canon.Value) bool {
		s, ok := v.Str()
		return ok && slices.Contains(ids, s)
	})
}

// Budget is the execution budget of a classification document.
func (t *Rules) Budget(doc canon.Value) canon.Value {
	for _, r := range t.file.Budgets {
		if !r.applies(doc) {
			continue
		}
		members := make([]canon.Member, len(BudgetFields))
		for i, field := range BudgetFields {
			members[i] = member(field, canon.NewNumber(r.Budget[i]))
		}
		return canon.Build(members...)
	}
	return canon.Value{}
}

func (r budgetRule) applies(doc canon.Value) bool {
	taskType, isText := doc.Get("taskType").Str()
	return (r.TaskTypes == nil || isText && slices.Contains(r.TaskTypes, taskType)) &&
		(r.Controlled == nil || doc.Get("controlledDocumentation").IsBool(true) == *r.Controlled) &&
		(r.Tier == "" || doc.Get("effectiveTier").Is(r.Tier))
}

// IsTaskType reports whether a value is a task type of the format.
func (t *Rules) IsTaskType(v canon.Value) bool {
	s, ok := v.Str()
	_, known := t.file.DeliveryPrimary[s]
	return ok && known
}

// ProfileFloor is the lowest tier of a requested profile.
func (t *Rules) ProfileFloor(profile canon.Value) (tier string, known bool) {
	s, ok := profile.Str()
	if !ok {
		return "", false
	}
	tier, known = t.file.ProfileFloors[s]
	return tier, known
}

// AIFeatures are the seven features of an AI workload, in order.
func (t *Rules) AIFeatures() []string { return slices.Clone(t.file.AIFeatures) }

// Layers are the ids of the production layers, in order.
func (t *Rules) Layers() []string {
	ids := make([]string, len(t.file.Layers))
	for i, l := range t.file.Layers {
		ids[i] = l.ID
	}
	return ids
}

// Packs are the ids of the domain packs, in order.
func (t *Rules) Packs() []string {
	ids := make([]string, len(t.file.Packs))
	for i, p := range t.file.Packs {
		ids[i] = p.ID
	}
	return ids
}

// ConcernLayers lists the layers of a cross-cutting concern.
func (t *Rules) ConcernLayers(concern string) (layers []string, known bool) {
	for _, c := range t.file.Concerns {
		if c.ID == concern {
			return slices.Clone(c.Layers), true
		}
	}
	return nil, false
}

// BoundTo names the catalogs that the rules belong to.
func (t *Rules) BoundTo() Bound { return t.file.BoundTo }
