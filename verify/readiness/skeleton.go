package readiness

import (
	"fmt"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// What a skeleton says where a person has to decide or to show something. No
// rule accepts either in its place.
const (
	undecided = "undecided" // applicability
	pending   = "pending"   // status
)

// A Basis is what an assessment will be bound to.
type Basis struct {
	Route          canon.Value // the run's route
	Classification canon.Value // the run's workload classification
	// ClassificationSHA256 is the digest of the classification's bytes.
	ClassificationSHA256 string
}

// A BasisError says why no skeleton can be made.
type BasisError struct {
	Document string // "route", "classification" or "assessment"
	Pointer  string
	What     verify.What
}

func (e *BasisError) Error() string {
	return fmt.Sprintf("%s%s: found %s, expected %s", e.Document, e.Pointer, e.What.Found, e.What.Expected)
}

// New writes a skeleton of an assessment for a run: bound to its classification,
// with all thirteen layers and, where a layer may apply, all its controls. It
// claims nothing: owner, summary and generatedAt are blank, every status is
// pending, and no control has evidence, so that [Verify] refuses it until each
// has been filled in.
//
// A layer that must be required (see [ByProfile] and the others) is required. One
// that the route states not to apply is not-applicable with the route's reason.
// Any other is undecided, which no rule accepts. The error is a *[BasisError]
// when route and classification do not belong together or tell too little.
func New(b Basis) (canon.Value, error) {
	catalog, err := embedded()
	if err != nil {
		return canon.Value{}, err
	}
	if err := b.check(catalog); err != nil {
		return canon.Value{}, err
	}
	return b.skeleton(catalog, nil)
}

// check demands of the two documents what a skeleton takes from them.
func (b Basis) check(catalog layers) error {
	cls := canon.Node{Value: b.Classification}
	for _, m := range [...]struct {
		name, expected string
		ok             func(canon.Value) bool
	}{
		{"runId", expPresent, evidence.Present}, {"environment", expPresent, evidence.Present}, {"commit", expPresent, evidence.Present},
		{"requestedProfile", expProfile, isProfile}, {"effectiveTier", expTier, isTier},
	} {
		if n := cls.At(m.name); !m.ok(n.Value) {
			return refuse("classification", n, m.expected)
		}
	}
	route := canon.Node{Value: b.Route}
	if n := route.At("runId"); !evidence.Identical(n.Value, b.Classification.Get("runId")) {
		return refuse("route", n, verify.Show(b.Classification.Get("runId"))+", the classification's runId")
	}
	if n := route.At("workloadClassificationSha256"); !canon.IsHex64(b.ClassificationSHA256) || !n.Is(b.ClassificationSHA256) {
		return refuse("route", n, b.ClassificationSHA256+", the SHA-256 of the classification")
	}
	return b.checkLayers(catalog, route.At("productionLayers"))
}

// checkLayers demands each of the thirteen layers once, with one of the three
// ways in which a route says that a layer applies.
func (b Basis) checkLayers(catalog layers, list canon.Node) error {
	seen := map[string]bool{}
	for n := range list.All() {
		id, applies := n.At("layer"), n.At("initialApplicability")
		if _, known := catalog.find(id.Text()); !known || !once(seen, id.Text()) {
			return refuse("route", id, "each of the 13 layers once")
		}
		switch applies.Text() {
		case required, "potentially-affected":
		case notApplicable:
			if r := n.At("reason"); !evidence.Present(r.Value) {
				return refuse("route", r, expPresent)
			}
		default:
			return refuse("route", applies, "required, potentially-affected or not-applicable")
		}
	}
	if len(seen) != LayerCount {
		return refuse("route", list, "each of the 13 layers once")
	}
	return nil
}

func refuse(document string, n canon.Node, expected string) error {
	return &BasisError{document, n.Pointer, verify.What{Found: verify.Show(n.Value), Expected: expected}}
}

// skeleton writes the document. Legacy are the entries of a historical
// assessment, by layer.
func (b Basis) skeleton(catalog layers, legacy map[string]canon.Value) (canon.Value, error) {
	docs := Documents{Classification: b.Classification, Route: b.Route}
	forces, err := docs.forces(catalog)
	if err != nil {
		return canon.Value{}, err
	}
	initial := docs.initial()
	list := make([]canon.Value, 0, LayerCount)
	for _, l := range catalog {
		list = append(list, layerSkeleton(&l, len(forces[l.ID]) > 0, initial[l.ID], legacy[l.ID]))
	}
	cls := b.Classification
	return canon.Build(
		textMember("schema", Schema), textMember("generatedAt", ""),
		textMember("runId", cls.Get("runId").Text()), textMember("environment", cls.Get("environment").Text()), textMember("commit", cls.Get("commit").Text()),
		textMember("summary", ""), textMember("status", pending),
		textMember("profile", cls.Get("requestedProfile").Text()), textMember("effectiveTier", cls.Get("effectiveTier").Text()),
		textMember("workloadClassificationSha256", b.ClassificationSHA256),
		canon.Member{Name: "layers", Value: canon.NewArray(list...)},
	), nil
}

func layerSkeleton(l *Layer, forced bool, initial, legacy canon.Value) canon.Value {
	state := func(applicability, status string) []canon.Member {
		return []canon.Member{textMember("layer", l.ID), textMember("applicability", applicability), textMember("status", status), textMember("owner", "")}
	}
	var members []canon.Member
	switch {
	case forced:
		members = append(state(required, pending), listMember(hardMember, l.Hard), controlSkeletons(l))
	case initial.Get("initialApplicability").Is(notApplicable):
		members = append(state(notApplicable, evidence.StatusSkipped), textMember("reason", initial.Get("reason").Text()))
	default:
		members = append(state(undecided, pending), listMember(hardMember, l.Hard), controlSkeletons(l))
	}
	if legacy.Present() {
		members = append(members, canon.Member{Name: legacyMember, Value: legacy})
	}
	return canon.Build(members...)
}

func controlSkeletons(l *Layer) canon.Member {
	controls := make([]canon.Value, len(l.Controls))
	for i, c := range l.Controls {
		controls[i] = canon.Build(textMember("id", c.ID), textMember("status", pending), listMember("evidence", nil))
	}
	return canon.Member{Name: "controls", Value: canon.NewArray(controls...)}
}

func textMember(name, value string) canon.Member {
	return canon.Member{Name: name, Value: canon.NewString(value)}
}

func listMember(name string, values []string) canon.Member {
	elems := make([]canon.Value, len(values))
	for i, v := range values {
		elems[i] = canon.NewString(v)
	}
	return canon.Member{Name: name, Value: canon.NewArray(elems...)}
}
