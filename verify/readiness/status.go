package readiness

import (
	"cmp"
	"fmt"
	"slices"

	"finishline/canon"
	"finishline/verify/evidence"
	"finishline/verify/gate/workload"
)

// Documents are what [Status] and the skeletons are told from. Each may be
// absent, unfinished or bad: nothing here is a verification.
type Documents struct {
	Assessment     canon.Value // of either schema, or a skeleton
	Classification canon.Value // the run's workload classification
	Route          canon.Value // the run's route
	Waivers        canon.Value // the run's waiver ledger
}

// An Overview tells where an assessment stands. It says nothing of whether the
// assessment passes: that is [Verify].
type Overview struct {
	Schema string // of the assessment, "" when there is none
	// Profile decides the cross-cutting minimum: that of the assessment, or the
	// one that was requested where the assessment has none.
	Profile string
	// Tier is the classification's effective tier, and Window the freshness
	// window of its evidence profile in milliseconds; "" and 0 when the tier is
	// not known, and then only expiresAt limits anything.
	Tier   string
	Window int64

	Layers []LayerOverview // the thirteen, in canonical order
	// First is what goes stale first of all: the assessment itself, a piece of
	// evidence, an approval or a waiver. Nil when nothing has a known end.
	First *Deadline
}

// A LayerOverview tells of one layer.
type LayerOverview struct {
	ID, Title     string
	Listed        bool   // the assessment has an entry
	Applicability string // as the entry states it
	Status        string // as the entry states it
	Owner         string
	// Forced are the reasons for which the layer must be required, whatever the
	// entry says; empty when nothing forces it.
	Forced []Force
	// Asked are the required layers with a conditional edge to this one: a
	// question for whoever decides, never a rule.
	Asked    []string
	Controls []ControlOverview
	// First is what goes stale first of the layer's evidence and of the waivers
	// of its controls. Nil when nothing has a known end.
	First *Deadline
	// Untimed counts items of evidence without a known end.
	Untimed int
}

// Unmet reports whether the layer must be required and is not.
func (l LayerOverview) Unmet() bool { return len(l.Forced) > 0 && l.Applicability != required }

// A ControlOverview tells of one control of the catalog.
type ControlOverview struct {
	ID, Requirement string
	ProofTypes      []string
	Listed          bool   // the entry lists it
	Status          string // as it states it
	Evidence        int    // items
	First           *Deadline
}

// A ForceKind says what forces a layer to be required.
type ForceKind int

// What forces a layer. The rules that enforce it are named in brackets.
const (
	// ByProfile: the maturity profile is not prototype, so its tier floor is T1
	// or higher, and the layer is one of the three that no such run leaves out
	// (readiness.v2.cross-cutting).
	ByProfile ForceKind = iota
	// ByConcern: a cross-cutting concern of the classification names the layer
	// (route.concern).
	ByConcern
	// ByRoute: the route, or without one the classification, requires the layer
	// from the start (aggregate.production.downgraded-layer).
	ByRoute
	// ByEdge: a layer that is required, or forced itself, has a hard dependency
	// on it (readiness.v2.dependency.unsatisfied).
	ByEdge
)

var forceNames = [...]string{"profile", "concern", "route", "edge"}

func (k ForceKind) String() string { return forceNames[min(max(int(k), 0), len(forceNames)-1)] }

// A Force is one reason for which a layer must be required.
type Force struct {
	Kind ForceKind
	From string // the profile, the concern, or the layer that depends on it; "" for the route
}

// Status tells where an assessment stands at an instant, in milliseconds since
// 1970: for each layer whether and why it must be required, its controls, and
// what goes stale first. It is the same for the same documents and instant. The
// error says that the program itself is damaged.
func Status(docs Documents, now int64) (*Overview, error) {
	catalog, err := embedded()
	if err != nil {
		return nil, err
	}
	o := &Overview{Schema: docs.Assessment.Get("schema").Text(), Profile: docs.profile()}
	if tier := docs.Classification.Get("effectiveTier").Text(); isTier(canon.NewString(tier)) {
		policy, _ := evidence.PolicyOf(tier)
		o.Tier, o.Window = tier, evidence.FreshnessWindow(policy.Profile)
	}
	forces, err := docs.forces(catalog)
	if err != nil {
		return nil, err
	}
	listed := docs.listed(catalog)
	s := stale{now: now, window: o.Window}
	for _, l := range catalog {
		layer := LayerOverview{ID: l.ID, Title: l.Title, Forced: forces[l.ID]}
		for _, other := range catalog {
			if isRequired(listed, forces, other.ID) && slices.Contains(other.Conditional, l.ID) {
				layer.Asked = append(layer.Asked, other.ID)
			}
		}
		e, ok := listed[l.ID]
		layer.fill(e, ok, &l, s)
		o.Layers = append(o.Layers, layer)
	}
	s.waivers(o, catalog, docs.Waivers)
	o.First = s.earlier(o.First, s.document(docs.Assessment))
	for i := range o.Layers {
		o.First = s.earlier(o.First, o.Layers[i].First)
	}
	return o, nil
}

// profile is the assessment's, or without one the requested one.
func (d Documents) profile() string {
	return cmp.Or(d.Assessment.Get("profile").Text(), d.Classification.Get("requestedProfile").Text())
}

// listed are the entries of the thirteen layers, of repeated ones the last.
// Names are trimmed: an overview is of what the author meant.
func (d Documents) listed(catalog layers) map[string]entry {
	found := map[string]entry{}
	for e := range entries(canon.Node{Value: d.Assessment}.At("layers")) {
		name := e.name()
		if d.Assessment.Get("schema").Is(LegacySchema) {
			name = e.legacyName()
		}
		if l, ok := catalog.find(evidence.Trimmed(name.Value)); ok && e.usable() {
			found[l.ID] = e
		}
	}
	return found
}

// forces lists for each layer why it must be required: the profile, concerns,
// the route, and the hard edges of every layer that is required or forced.
func (d Documents) forces(catalog layers) (map[string][]Force, error) {
	forces := map[string][]Force{}
	add := func(layer string, f Force) {
		if !slices.Contains(forces[layer], f) {
			forces[layer] = append(forces[layer], f)
		}
	}
	if profile := d.profile(); profile != "" && profile != evidence.ProfilePrototype {
		for _, id := range crossCutting {
			add(id, Force{ByProfile, profile})
		}
	}
	if err := d.concerns(add); err != nil {
		return nil, err
	}
	for id, e := range d.initial() {
		if e.Get("initialApplicability").Is(required) {
			if _, known := catalog.find(id); known {
				add(id, Force{Kind: ByRoute})
			}
		}
	}
	d.edges(catalog, forces, add)
	return forces, nil
}

// concerns adds the layers of the classification's concerns, which bind every
// run that is not about documents alone.
func (d Documents) concerns(add func(string, Force)) error {
	if d.Classification.Get("taskType").Is(docsOnly) {
		return nil
	}
	rules, err := workload.Load()
	if err != nil {
		return fmt.Errorf("concerns: %w", err)
	}
	for _, v := range d.Classification.Get("crossCuttingConcerns").Elems() {
		ids, known := rules.ConcernLayers(v.Text())
		if !known {
			continue
		}
		for _, id := range ids {
			add(id, Force{ByConcern, v.Text()})
		}
	}
	return nil
}

const docsOnly = "docs-only"

// initial are the entries by which the route, or without one the
// classification, tells how each layer applies at first. Of repeated layers the
// last counts.
func (d Documents) initial() map[string]canon.Value {
	list := d.Route.Get("productionLayers")
	if !list.IsArray() {
		list = d.Classification.Get("productionLayers")
	}
	found := map[string]canon.Value{}
	for _, e := range list.Elems() {
		found[e.Get("layer").Text()] = e
	}
	return found
}

// edges closes the required and forced layers under hard dependencies.
func (d Documents) edges(catalog layers, forces map[string][]Force, add func(string, Force)) {
	listed := d.listed(catalog)
	for grew := true; grew; {
		grew = false
		for _, l := range catalog {
			if !isRequired(listed, forces, l.ID) {
				continue
			}
			for _, need := range l.Hard {
				before := len(forces[need])
				add(need, Force{ByEdge, l.ID})
				grew = grew || len(forces[need]) > before
			}
		}
	}
}

// isRequired reports whether a layer is stated to be required or must be.
func isRequired(listed map[string]entry, forces map[string][]Force, id string) bool {
	e, ok := listed[id]
	return len(forces[id]) > 0 || ok && e.Get("applicability").Is(required)
}

// fill tells of a layer's entry and its controls.
func (l *LayerOverview) fill(e entry, listed bool, layer *Layer, s stale) {
	l.Listed = listed
	if listed {
		l.Applicability, l.Status, l.Owner = e.Get("applicability").Text(), e.status().Text(), e.Get("owner").Text()
	}
	for _, c := range layer.Controls {
		l.Controls = append(l.Controls, ControlOverview{ID: c.ID, Requirement: c.Requirement, ProofTypes: slices.Clone(c.Types)})
	}
	for n := range e.At("controls").All() {
		first, untimed := s.control(l.ID, n)
		if l.Applicability != notApplicable { // nothing counts in a layer that does not apply
			l.First = s.earlier(l.First, first)
			l.Untimed += untimed
		}
		for i := range l.Controls {
			if c := &l.Controls[i]; c.ID == evidence.Trimmed(n.Get("id")) {
				c.Listed, c.Status, c.Evidence, c.First = true, n.Get("status").Text(), n.Get("evidence").Len(), first
			}
		}
	}
}
