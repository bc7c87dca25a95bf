package gate

import (
	"finishline/canon"
	"finishline/verify"
	"finishline/verify/gate/workload"
)

const (
	mobilePack   = "mobile-ios"
	commissioned = "commissioned"
)

// mobile holds the commissioning record of an iOS app against the project
// adapter.
func (r *route) mobile() {
	if !r.hasPack(mobilePack) {
		return
	}
	record := r.doc.At("mobileIos")
	status := record.At("status")
	r.oneOf("mobile", status, commissioned, "missing")
	adapter := r.adapter.Get("mobileIos")
	if !adapter.Truthy() {
		if status.Is(commissioned) {
			r.fail("mobile", status, "missing, because no project adapter commissions an iOS app")
		}
		return
	}
	r.oneOf("mobile", status, commissioned)
	for _, name := range []string{"scheme", "bundleAndTeam", "macosRunner"} {
		want := ""
		if v := adapter.Get(name); v.Truthy() {
			want = canon.TextForm(v)
		}
		if n := record.At(name); !n.Is(want) {
			r.fail("mobile", n, verify.Quote(want)+", as in the project adapter")
		}
	}
	want := canon.SemanticDigest(adapter)
	if n := record.At("commissioningSha256"); !n.Is(want) {
		r.fail("mobile", n, want+", the semantic digest of the adapter's mobileIos")
	}
}

// requestText holds the route against the request itself, so that a
// classification and a route that agree on less are found out.
func (r *route) requestText() {
	if r.docs {
		return
	}
	if n := r.doc.At("ai").At("workloadDetected"); r.analysis.AI() && !n.IsBool(true) {
		r.fail("text.ai", n, "true, because the request speaks of AI")
	}
	for _, id := range r.packIDs {
		if r.analysis.Pack(id) && !r.hasPack(id) {
			r.add("text.pack", r.doc.At("domainPacks"), verify.What{Found: "no pack " + id, Expected: id + ", because the request speaks of it"})
		}
	}
	if r.analysis.FullStack() {
		for n := range r.doc.At("productionLayers").All() {
			if a := n.At("initialApplicability"); !a.Is(workload.Required) {
				r.fail("text.full-stack", a, "required, because the request asks for a full stack")
			}
		}
	}
	if n := r.gateStatus("smoke"); r.analysis.LiveSmoke() && !n.Is(workload.Required) {
		r.fail("text.smoke", n, "required, because the request speaks of a live system")
	}
}

func (r *route) gateStatus(gate string) canon.Node {
	return r.doc.At("gateApplicability").At(gate).At("status")
}

// gates judges which gates the route applies.
func (r *route) gates() {
	required := r.classification.node.Get("requiredGates")
	for _, gate := range workload.Gates {
		status := r.gateStatus(gate)
		r.oneOf("gate.status", status, workload.Required, workload.NotApplicable)
		if status.Is(workload.NotApplicable) {
			r.present("gate.reason", r.doc.At("gateApplicability").At(gate).At("reason"))
		}
		if !required.Truthy() {
			continue
		}
		want := workload.NotApplicable
		if required.Get(gate).IsBool(true) {
			want = workload.Required
		}
		r.oneOf("gate.mismatch", status, want)
	}
	r.floor()
}

// floor demands the gates that no classification can take away.
func (r *route) floor() {
	demand := func(when bool, why string, gates ...string) {
		for _, gate := range gates {
			if n := r.gateStatus(gate); when && !n.Is(workload.Required) {
				r.fail("gate.floor", n, "required, because "+why)
			}
		}
	}
	demand(true, "every run has a trajectory", "trajectory")
	demand(r.doc.Get("foundation").Get("initialApplicability").Is(workload.Required), "the foundation is", "foundation")
	demand(r.someLayerRequired(), "a production layer is", "production")
	demand(!r.docs, "the run changes more than documents", "code-intelligence", "foundation", "production")
	demand(!r.docs && r.doc.Get("ai").Get("workloadDetected").IsBool(true), "there is an AI workload", "ai-assurance", "eval")
	demand(!r.docs && len(r.packs.Elems()) > 0, "there are domain packs", "domain-assurance")
}

func (r *route) someLayerRequired() bool {
	for n := range r.doc.At("productionLayers").All() {
		if n.Get("initialApplicability").Is(workload.Required) {
			return true
		}
	}
	return false
}

// mandatoryRedZone are the boundaries that every route names.
var mandatoryRedZone = []string{
	"production deploy or data mutation", "secrets/IAM/provider configuration",
	"billing/refund/reconciliation", "Apple signing/TestFlight/App Store actions",
	"customer or tester communication",
}

// authority judges the limits that the route hands on.
func (r *route) authority() {
	zone := r.doc.At("redZone")
	if !presentTexts(zone.Value) {
		r.fail("red-zone", zone, "an array of texts that are not blank")
	}
	r.once("red-zone", zone, "each boundary once")
	for _, boundary := range lacking(zone.Value, mandatoryRedZone) {
		r.add("red-zone", zone, verify.What{Found: "no entry " + verify.Quote(boundary), Expected: verify.Quote(boundary)})
	}
	r.array("alternatives", r.doc.At("rejectedAlternatives"))
	for _, name := range []string{"allowedActions", "forbiddenActions"} {
		n := r.doc.At("authority").At(name)
		r.array("authority", n)
		r.same("authority", n, r.intake.node.Get(name))
	}
}
