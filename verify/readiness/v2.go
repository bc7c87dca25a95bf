package readiness

import (
	"context"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// An assessment is a current document under judgement (section 4).
type assessment struct {
	judge
	ctx            context.Context
	catalog        layers
	doc            canon.Node
	classification canon.Value
	evidence       evidence.Context

	names map[string]bool     // trimmed names of all entries
	seen  map[string]recorded // entries of the thirteen layers
}

// current judges a current assessment under the policy of the classification's
// tier.
func (v *verification) current(doc canon.Node, classification canon.Value, policy evidence.TierPolicy) {
	a := assessment{
		judge: judge{v.o.Findings, v.in.Path}, ctx: v.ctx, catalog: v.catalog, doc: doc, classification: classification,
		evidence: evidence.Enclosing(v.in.Root, v.in.Path, doc.Value).Under(policy),
		names:    map[string]bool{}, seen: map[string]recorded{},
	}
	a.document()
	list := doc.At("layers")
	if !list.IsArray() {
		a.fail("readiness.hardening.layers-array", list, "an array")
	}
	for e := range entries(list) {
		if a.ctx.Err() != nil {
			return
		}
		a.layer(e)
	}
	a.complete(list)
	v.o.Result.Profile = doc.Get("profile").Text()
	v.o.Result.fill(v.catalog, len(a.names), a.seen)
}

// A documentMember is a form that a member of the document must have.
type documentMember struct {
	name     string
	rule     string
	ok       func(canon.Value) bool
	expected string
	why, do  string // for the table of rules
}

// documentMembers and bindings are section 4.2.
var documentMembers = []documentMember{
	{"generatedAt", "readiness.v2.generated-at", isTimestamp, expTimestamp, "the age of all evidence is counted from it", "write the time at which the assessment was finished, with its zone"},
	{"runId", "readiness.v2.run-id", evidence.Present, expPresent, whyIdentity, "write the run's id"},
	{"summary", "readiness.v2.summary", evidence.Present, expPresent, "a reader must learn in a sentence what was assessed", "write what was assessed"},
	{"environment", "readiness.v2.environment", evidence.Present, expPresent, whyIdentity, "write the environment that was assessed"},
	{"commit", "readiness.v2.commit", evidence.Present, expPresent, whyIdentity, "write the commit that was assessed"},
	{"status", "readiness.v2.status", isPassed, evidence.StatusPassed, "an assessment at the finish line has passed; one that has not is not finished", "resolve what is open, then write passed"},
	{"profile", "readiness.v2.profile", isProfile, expProfile, "the profile decides which layers no run may leave out", "write the profile that the classification calls requestedProfile"},
	{"effectiveTier", "readiness.v2.effective-tier", isTier, expTier, "the tier decides how fresh and how trusted evidence must be", "copy effectiveTier from the classification"},
}

// A binding ties a member of the document to one of the classification.
type binding struct{ member, rule, of string }

var bindings = []binding{
	{"runId", "readiness.v2.binding.run-id", "runId"},
	{"profile", "readiness.v2.binding.profile", "requestedProfile"},
	{"effectiveTier", "readiness.v2.binding.effective-tier", "effectiveTier"},
	{"commit", "readiness.v2.binding.commit", "commit"},
	{"environment", "readiness.v2.binding.environment", "environment"},
}

func isTimestamp(v canon.Value) bool { _, ok := canon.TimestampOf(v); return ok }
func isPassed(v canon.Value) bool    { return v.Is(evidence.StatusPassed) }
func isProfile(v canon.Value) bool   { return evidence.IsProfile(v.Text()) }
func isTier(v canon.Value) bool      { _, ok := evidence.PolicyOf(v.Text()); return ok }

func (a *assessment) document() {
	for _, m := range documentMembers {
		if n := a.doc.At(m.name); !m.ok(n.Value) {
			a.fail(m.rule, n, m.expected)
		}
	}
	for _, b := range bindings {
		n, of := a.doc.At(b.member), a.classification.Get(b.of)
		if !evidence.Bound(n.Value, of) {
			a.fail(b.rule, n, verify.Show(of)+", the classification's "+b.of)
		}
	}
}

// text is a name, id or status as the level reads it: raw at strict level,
// trimmed at base level.
func (j *judge) text(v canon.Value) string { return evidence.Effective(j.out, v) }

// layer judges one entry (section 4.3).
func (a *assessment) layer(e entry) {
	if !e.usable() {
		a.fail("readiness.v2.layer.object", e.Node, "an object")
		return
	}
	name := e.name()
	if !evidence.Present(name.Value) {
		a.fail("readiness.v2.layer.name", name, expLayer)
		return
	}
	if !once(a.names, evidence.Trimmed(name.Value)) {
		a.fail("readiness.v2.layer.duplicate", name, "one entry for each layer")
	}
	layer, known := a.catalog.find(a.text(name.Value))
	if !known {
		a.fail("readiness.v2.layer.unknown", name, expLayer)
		return
	}
	applicability := e.At("applicability")
	a.seen[layer.ID] = recorded{applicability.Text(), a.text(e.status().Value)}
	a.present("readiness.v2.layer.owner", e.At("owner"))
	switch applicability.Text() {
	case notApplicable:
		a.notApplicable(e)
		return
	case required:
	default:
		a.fail("readiness.v2.layer.applicability", applicability, required+" or "+notApplicable)
	}
	if !a.seen[layer.ID].passed() {
		a.fail("readiness.v2.layer.required-status", e.status(), evidence.StatusPassed)
	}
	a.controls(layer, e.At("controls"))
	a.declared("readiness.v2.dependency.undeclared", e.At(hardMember), layer.Hard)
	a.declared("readiness.v2.dependency.conditional-undeclared", e.At(conditionalMember), layer.Conditional)
}

// notApplicable judges a layer that the run does not reach. Nothing else of its
// entry is looked at.
func (a *assessment) notApplicable(e entry) {
	if n := e.status(); a.text(n.Value) != evidence.StatusSkipped {
		a.fail("readiness.v2.layer.na-status", n, evidence.StatusSkipped)
	}
	if !evidence.Present(evidence.Reason(e.Value)) {
		a.fail("readiness.v2.layer.na-reason", e.reason(), expPresent)
	}
	if n := e.At("controls"); n.IsArray() && n.Len() > 0 {
		a.fail("readiness.hardening.na-controls", n, "no controls in a layer that does not apply")
	}
}

// controls judges the controls of a required layer (section 4.4).
func (a *assessment) controls(layer *Layer, list canon.Node) {
	listed := map[string]bool{}
	for n := range list.All() {
		if a.ctx.Err() != nil {
			return
		}
		id := a.text(n.Get("id"))
		if !once(listed, id) {
			a.fail("readiness.v2.control.duplicate", n.At("id"), "each control once")
		}
		control, known := layer.control(id)
		if !known {
			a.fail("readiness.v2.control.unknown", n.At("id"), "a control of "+layer.ID+" in the catalog")
		}
		evidence.CheckControl(a.out, a.evidence, n)
		if known && n.Get("status").Is(evidence.StatusPassed) {
			a.proofType(control, n.At("evidence"))
		}
	}
	for _, c := range layer.Controls {
		if !listed[c.ID] {
			a.failWith("readiness.v2.control.missing", list, verify.What{
				Found: "no control " + c.ID, Expected: "all controls of the layer", Hint: "show that " + c.Requirement + ", and list " + c.ID})
		}
	}
}

// proofType demands an item of a type that proves the control. Whatever is
// neither a list nor left out has a rule of its own.
func (a *assessment) proofType(c *Control, list canon.Node) {
	if list.Present() && !list.IsNull() && !list.IsArray() {
		return
	}
	if slices.ContainsFunc(list.Elems(), func(v canon.Value) bool { return slices.Contains(c.Types, v.Get("type").Text()) }) {
		return
	}
	a.failWith("readiness.v2.control.evidence-type", list, verify.What{
		Found: "no item of the type that proves " + c.ID, Expected: alternatives(c.Types)})
}

// declared compares the edges that an entry declares with those of its layer
// (section 4.5). It may leave edges out.
func (a *assessment) declared(rule string, list canon.Node, edges []string) {
	for n := range list.All() {
		if s, isText := n.Str(); !isText || !slices.Contains(edges, s) {
			expected := "no dependency"
			if len(edges) > 0 {
				expected = alternatives(edges)
			}
			a.fail(rule, n, expected)
		}
	}
}

// crossCutting are the layers that only a prototype may leave out.
var crossCutting = []string{"security", "cicd-version-control", "error-tracking-logs-observability"}

// complete compares the layers with each other (section 4.6).
func (a *assessment) complete(list canon.Node) {
	any := false
	for _, l := range a.catalog {
		entry, ok := a.seen[l.ID]
		if !ok {
			a.failWith("readiness.v2.layer.missing", list, verify.What{Found: "no entry for " + l.ID, Expected: "all 13 layers"})
		}
		if !entry.required() {
			continue
		}
		any = true
		for _, need := range l.Hard {
			if n := a.seen[need]; !n.required() || !n.passed() {
				a.failWith("readiness.v2.dependency.unsatisfied", list, verify.What{
					Found: l.ID + " is required, and " + need + " is not required and passed", Expected: need + " required and passed"})
			}
		}
	}
	if !any {
		a.failWith("readiness.v2.no-required-layer", list, verify.What{Found: "no layer is required", Expected: "at least one"})
	}
	if a.doc.Get("profile").Is(evidence.ProfilePrototype) {
		return
	}
	for _, id := range crossCutting {
		if !a.seen[id].required() {
			a.failWith("readiness.v2.cross-cutting", list, verify.What{
				Found: id + " is not required, and the profile is " + verify.Show(a.doc.Get("profile")), Expected: id + " required"})
		}
	}
}

// alternatives joins texts as "a, b or c".
func alternatives(list []string) string {
	out := ""
	for i, s := range list {
		switch {
		case i == 0:
		case i == len(list)-1:
			out += " or "
		default:
			out += ", "
		}
		out += s
	}
	return out
}
