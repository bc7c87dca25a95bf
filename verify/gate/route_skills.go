package gate

import (
	"fmt"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate/skill"
	"finishline/verify/gate/workload"
)

// maxSupporting is how many supporting skills a phase may have when the
// registry does not say otherwise.
const maxSupporting = 4

// handoffSupporting is how many of the supporting skills the last phase has.
const handoffSupporting = 3

// skillPhases judges the phases of the route, each with its skills.
func (r *route) skillPhases() (goOn bool) {
	list := r.doc.At("skillPhases")
	seen := map[string]bool{}
	supporting := r.run.rules.Supporting(r.classification.node.Value)
	for n := range list.All() {
		phase := n.At("phase")
		switch {
		case !isOneOf(phase.Value, skill.Phases...):
			r.fail("phases", phase, alternatives(skill.Phases))
		case seen[phase.Text()]:
			r.fail("phases", phase, "each phase once")
		}
		seen[phase.Text()] = true
		if r.broken(n) {
			return false
		}
		r.primary(n)
		r.supporting(n, supporting)
	}
	for _, phase := range skill.Phases {
		if !seen[phase] {
			r.add("phases", list, verify.What{Found: "no phase " + phase, Expected: alternatives(skill.Phases)})
		}
	}
	return true
}

func (r *route) primary(n canon.Node) {
	primary := n.At("primary")
	want := ""
	switch n.Get("phase").Text() {
	case skill.PhaseIntake:
		want = skill.IntakeRoute
	case skill.PhaseHandoff:
		want = skill.ProofHandoff
	case skill.PhaseDelivery:
		want = r.run.rules.DeliveryPrimary(r.doc.Get("taskType"))
	}
	switch {
	case want != "":
		r.oneOf("primary", primary, want)
	case !r.registered(primary):
		r.fail("primary", primary, "a registered skill")
	}
}

// registered reports whether a registry's skill has that name. A value that is
// no text has none, whatever the registry lists.
func (r *route) registered(n canon.Node) bool {
	name, ok := n.Str()
	return ok && r.names[name]
}

func (r *route) supporting(n canon.Node, expected []string) {
	list := n.At("supporting")
	r.once("supporting", list, "each skill once")
	limit := maxSupporting
	if f, ok := r.registry.At("selection").Get("maxSupporting").Integer(); ok && f < maxSupporting {
		limit = int(f)
	}
	if list.IsArray() && list.Len() > limit {
		r.fail("supporting", list, fmt.Sprintf("at most %d skills", limit))
	}
	for s := range list.All() {
		if evidence.Identical(s.Value, n.Get("primary")) {
			r.fail("supporting", s, "a skill other than the primary one")
		}
		if !r.registered(s) {
			r.fail("supporting", s, "a registered skill")
		}
	}
	if n.Get("phase").Is(skill.PhaseHandoff) && len(expected) > handoffSupporting {
		expected = expected[:handoffSupporting]
	}
	r.same("supporting", list, textArray(expected))
}

// productionLayers judges the layers of the route.
func (r *route) productionLayers() (goOn bool) {
	list := r.doc.At("productionLayers")
	layers := r.run.rules.Layers()
	seen := map[string]bool{}
	for n := range list.All() {
		if r.broken(n) {
			return false
		}
		layer := n.At("layer")
		switch {
		case !isOneOf(layer.Value, layers...):
			r.fail("layer", layer, "a production layer")
		case seen[layer.Text()]:
			r.fail("layer", layer, "each layer once")
		}
		seen[layer.Text()] = true
		applicability := n.At("initialApplicability")
		r.oneOf("layer", applicability, workload.Required, workload.PotentiallyAffected, workload.NotApplicable)
		if applicability.Is(workload.NotApplicable) {
			r.present("layer", n.At("reason"))
		}
	}
	for _, id := range layers {
		if !seen[id] {
			r.add("layer", list, verify.What{Found: "no layer " + id, Expected: "each of the thirteen layers"})
		}
	}
	return true
}

// layerRequired reports whether the route lists a layer as required.
func (r *route) layerRequired(id string) bool {
	return r.layers[id].Get("initialApplicability").Is(workload.Required)
}

// sameMembers are copied from the classification as they are.
var sameMembers = []string{
	"taskType", "workloadProfiles", "crossCuttingConcerns", "domainFeatures", "materialUnknowns",
	"foundation", "productionLayers", "ai", "domainPacks",
}

func (r *route) fromClassification() {
	cls := r.classification.node
	r.bound("classification.profile", r.doc.At("profile"), cls.Get("requestedProfile"))
	r.bound("classification.requestedProfile", r.doc.At("requestedProfile"), cls.Get("requestedProfile"))
	tier := r.doc.At("assuranceTier")
	r.bound("classification.assuranceTier", tier.At("profileFloor"), cls.Get("profileTierFloor"))
	r.bound("classification.assuranceTier", tier.At("effective"), cls.Get("effectiveTier"))
	for _, name := range sameMembers {
		r.same("classification."+name, r.doc.At(name), cls.Get(name))
	}
	r.same("classification.requestSignals", r.doc.At("requestSignals"), cls.Get("matchedSignals"))
	r.bound("classification.controlledDocumentation", r.doc.At("controlledDocumentation"), cls.Get("controlledDocumentation"))
}

func (r *route) budgets() {
	want := r.run.rules.Budget(r.classification.node.Value)
	if n := r.intake.node.At("executionBudget"); !canon.Same(n.Value, want) {
		r.out.Add("route.budget", verify.At(intakePath, n.Pointer), verify.What{Found: text(n.Value), Expected: text(want)})
	}
	r.same("budget", r.doc.At("executionBudget"), want)
}

func (r *route) concerns() {
	for n := range r.classification.node.At("crossCuttingConcerns").All() {
		layers, known := r.run.rules.ConcernLayers(n.Text())
		if !known {
			r.out.Add("route.concern", verify.At(classificationPath, n.Pointer), verify.What{Found: verify.Show(n.Value), Expected: "a concern of the format"})
		}
		if r.docs {
			continue
		}
		for _, id := range layers {
			if !r.layerRequired(id) {
				r.add("concern", r.doc.At("productionLayers"), verify.What{
					Found: id + " is not required", Expected: "required, because of the concern " + n.Text()})
			}
		}
	}
}

func (r *route) domainPacks() {
	r.once("packs", r.packs, "each pack once")
	for p := range r.packs.All() {
		if !r.knownPack(p) {
			r.fail("packs", p, "a domain pack of the format")
		}
	}
}

func (r *route) hasPack(id string) bool {
	return slices.ContainsFunc(r.packs.Elems(), func(v canon.Value) bool { return v.Is(id) })
}
