package gate

import (
	"path/filepath"
	"slices"

	"finishline/canon"
	"finishline/verify/gate/skill"
)

// What a producer of gate documents needs to know is here, from the tables that
// the gates judge by, so that a skeleton asks for exactly what its gate does.

// MandatoryForbidden lists the actions that every intake forbids (09a §2).
func MandatoryForbidden() []string { return slices.Clone(mandatoryForbidden) }

// MandatoryRedZone lists the boundaries that every route names (09a §4).
func MandatoryRedZone() []string { return slices.Clone(mandatoryRedZone) }

// A BoundCatalog is a member of catalogDigests and the catalog that it names.
type BoundCatalog struct{ Member, Path string }

// BoundCatalogs lists the catalogs that classification and route bind (09a §3).
func BoundCatalogs() []BoundCatalog {
	var list []BoundCatalog
	for _, b := range boundCatalogs {
		list = append(list, BoundCatalog{b.member, b.path})
	}
	return list
}

// A Capability is one of the foundation layer, with its controls (09a §6).
type Capability struct {
	ID       string
	Controls []string
	// Documentation says that controlled documentation needs it, and nothing
	// but such capabilities.
	Documentation bool
}

// Capabilities lists the seven of the foundation layer.
func Capabilities() []Capability {
	var list []Capability
	for _, x := range capabilities {
		c := Capability{ID: x.id, Documentation: slices.Contains(documentationNeeds, x.id)}
		for _, p := range x.controls {
			c.Controls = append(c.Controls, p.id)
		}
		list = append(list, c)
	}
	return list
}

// AIControls lists the controls of an AI workload with these features (09a §7).
func AIControls(features canon.Value) []string {
	list := slices.Clone(aiControls)
	for _, f := range aiFeatureControls {
		if features.Get(f.feature).IsBool(true) {
			list = append(list, f.id)
		}
	}
	return list
}

// PackControls lists the controls of a domain pack with these features (09a
// §8); known is false for a pack that the format does not have.
func PackControls(pack string, features canon.Value) (list []string, known bool) {
	always, known := packControls[pack]
	list = slices.Clone(always)
	if pack != mobilePack {
		return list, known
	}
	for _, f := range mobileFeatureControls {
		if features.Get(f.feature).IsBool(true) {
			list = append(list, f.id)
		}
	}
	return list, known
}

// PackIdentity lists the members of the identity that the mobile pack has (09a
// §8); nil for other packs.
func PackIdentity(pack string) []string {
	if pack != mobilePack {
		return nil
	}
	var names []string
	for _, m := range identityMembers {
		names = append(names, m.identity)
	}
	return names
}

// RegistryPolicy lists what every skill registry says in the same words (09b
// §4.1): the tie-break order of the lifecycle skills, and how the policy of the
// review gate starts.
func RegistryPolicy() (lifecycleTieBreakOrder []string, review string) {
	return slices.Clone(lifecycleTieBreak), reviewPolicyStart
}

// HandoffGates lists the gates that the last skill of a run requires (09b §4.1).
func HandoffGates() []string { return slices.Clone(handoffGates) }

// Mirrors lists the directories of an installed pack in which its skills lie
// once more (09b §4.4).
func Mirrors() []string { return slices.Clone(mirrors) }

// RouterMembers are what the skillRouter of a project adapter must say for a
// pack in that directory (09b §4.4).
func RouterMembers(packDir string) []canon.Member {
	script := "scripts/"
	if filepath.Base(packDir) == commissionedDir {
		script = commissionedDir + "/scripts/"
	}
	return []canon.Member{
		{Name: "schema", Value: canon.NewString("uash.skill-registry.v2")},
		{Name: "registry", Value: canon.NewString("skills/registry.json")},
		{Name: "codexRouting", Value: canon.NewString("skills/codex-routing.yaml")},
		{Name: "implicitInvocation", Value: canon.NewBool(true)},
		{Name: "workflowCatalogSize", Value: canon.NewNumber(float64(len(skill.Primary)))},
		{Name: "lifecycleCatalogSize", Value: canon.NewNumber(float64(len(skill.Lifecycle)))},
		{Name: "lifecycleRouteCommand", Value: canon.NewString("node " + script + `route-lifecycle-skill.mjs --repo . --request "<request>"`)},
	}
}
