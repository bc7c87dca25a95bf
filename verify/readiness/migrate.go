package readiness

import (
	"finishline/canon"
	"finishline/verify/evidence"
)

// legacyMember holds, in a migrated skeleton, what the historical assessment
// said of a layer. No rule reads it.
const legacyMember = "legacy"

// Migrate writes the skeleton of a current assessment for what a historical one
// (v1) was about. Nothing is carried over into a member that a rule reads: v1
// named no run, commit, control or typed evidence, so what it called passed has
// to be shown again, and what it skipped has to be decided. Its entries are
// kept, as they are, in a member legacy of each layer, for whoever fills the
// skeleton in.
//
// Without a basis (nil) the members that bind the assessment to a run are blank
// and every layer is undecided; with one they are those of [New]. The error is a
// *[BasisError].
func Migrate(v1 canon.Value, basis *Basis) (canon.Value, error) {
	catalog, err := embedded()
	if err != nil {
		return canon.Value{}, err
	}
	doc := canon.Node{Value: v1}
	if n := doc.At("schema"); !n.Is(LegacySchema) {
		return canon.Value{}, refuse("assessment", n, LegacySchema)
	}
	legacy := map[string]canon.Value{}
	for e := range entries(doc.At("layers")) {
		name := e.legacyName()
		l, known := catalog.find(evidence.Trimmed(name.Value))
		if !known || !e.usable() {
			return canon.Value{}, refuse("assessment", name, expLayer)
		}
		if _, again := legacy[l.ID]; again {
			return canon.Value{}, refuse("assessment", name, "one entry for each layer")
		}
		legacy[l.ID] = e.Value
	}
	if basis == nil {
		return Basis{}.skeleton(catalog, legacy)
	}
	if err := basis.check(catalog); err != nil {
		return canon.Value{}, err
	}
	return basis.skeleton(catalog, legacy)
}
