package gate

import (
	"slices"

	"finishline/canon"
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
