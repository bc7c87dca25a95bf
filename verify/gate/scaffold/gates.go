package scaffold

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"finishline/canon"
	"finishline/verify/catalog"
	"finishline/verify/gate"
	"finishline/verify/gate/workload"
	"finishline/verify/readiness"
)

const (
	waiversGate = "waivers"

	// undecided is no answer that any gate accepts.
	undecided     = "undecided"
	statusSkipped = "skipped"
)

// A maker makes the document of one gate for a place.
type maker struct {
	gate string
	make func(p Place, now time.Time) (Draft, error)
}

// makersOf are the gates whose document [Place.Gate] makes.
var makersOf = [...]maker{
	{"ai-assurance", Place.ai},
	{"code-intelligence", Place.codeIntelligence},
	{"context", Place.context},
	{"domain-assurance", Place.domain},
	{"eval", Place.eval},
	{"foundation", Place.foundation},
	{"production", Place.production},
	{"smoke", Place.smoke},
	{waiversGate, Place.waivers},
}

// Gates lists, sorted, the gates whose document [Place.Gate] makes.
func Gates() []string {
	var names []string
	for _, m := range makersOf {
		names = append(names, m.gate)
	}
	return names
}

// elsewhere says which command makes the documents that are none of this file's.
var elsewhere = map[string]string{
	"intake": "intake new", "workload-classification": "classification new", "classification": "classification new",
	"route": "route new", "goal": "goal new", "trajectory": "trajectory new", "skill-registry": "pack new",
	"portable-proof": "proof run", "independent-review": "review new",
}

// An UnknownGateError says that there is no skeleton for a gate.
type UnknownGateError struct {
	Gate string
	// Command makes its document instead, "" when none does.
	Command string
}

func (e *UnknownGateError) Error() string {
	if e.Command != "" {
		return fmt.Sprintf("the document of the gate %s is made by finishline %s", e.Gate, e.Command)
	}
	return fmt.Sprintf("there is no skeleton for a gate %q; there are %s", e.Gate, strings.Join(Gates(), " "))
}

// Gate makes the document of a gate, a skeleton unless the run's classification
// says that there is nothing to fill in. The error is an *UnknownGateError or a
// *NeedError.
func (p Place) Gate(name string, now time.Time) (Draft, error) {
	i := slices.IndexFunc(makersOf[:], func(m maker) bool { return m.gate == name })
	if i < 0 {
		return Draft{}, &UnknownGateError{name, elsewhere[name]}
	}
	draft, err := makersOf[i].make(p, now)
	if err != nil {
		return Draft{}, err
	}
	for _, f := range draft.Files {
		if f.Data() == nil {
			return Draft{}, &NeedError{classificationPath, "it lacks a member that " + f.Path + " copies", makers[classificationPath]}
		}
	}
	return draft, nil
}

// head is block H. A skeleton has no time yet: it is written when it is
// finished.
func head(schema string, cls document, generatedAt string) []canon.Member {
	return []canon.Member{
		text("schema", schema), text("generatedAt", generatedAt), member("runId", cls.Get("runId")),
		member("profile", cls.Get("requestedProfile")), member("commit", cls.Get("commit")), member("environment", cls.Get("environment")),
	}
}

// tier is what block T binds besides.
func tier(cls document) []canon.Member {
	return []canon.Member{member("effectiveTier", cls.Get("effectiveTier")), text("workloadClassificationSha256", cls.sha256)}
}

func join(lists ...[]canon.Member) canon.Value { return object(slices.Concat(lists...)...) }

// pendingControls are controls about which nothing has been shown.
func pendingControls(ids []string) canon.Member {
	list := make([]canon.Value, len(ids))
	for i, id := range ids {
		list[i] = object(text("id", id), text("status", statusPending), array("evidence"))
	}
	return array("controls", list...)
}

func single(gate, path string, doc canon.Value, open ...string) Draft {
	return Draft{Gate: gate, Files: []File{{path, doc}}, Open: open}
}

// ai is complete when the classification knows of no AI workload.
func (p Place) ai(now time.Time) (Draft, error) {
	const schema, path = "uash.ai-assurance.v1", "ai/assurance.json"
	cls, err := p.need(classificationPath)
	if err != nil {
		return Draft{}, err
	}
	ai := cls.Get("ai")
	of := []canon.Member{member("workloadDetected", ai.Get("workloadDetected")), member("aiProfile", ai.Get("aiProfile")), member("features", ai.Get("features"))}
	if ai.Get("workloadDetected").IsBool(false) {
		return single("ai-assurance", path, join(head(schema, cls, timestamp(now)), tier(cls), of, []canon.Member{
			text("status", statusSkipped), text("skipReason", "the classification of the request detects no AI workload")})), nil
	}
	return single("ai-assurance", path, join(head(schema, cls, ""), tier(cls), of, []canon.Member{
		text("status", statusPending), pendingControls(gate.AIControls(ai.Get("features")))}),
		"ai-assurance.generated-at", "ai-assurance.status", "control.status.blocking"), nil
}

// domain is complete when the classification names no domain pack.
func (p Place) domain(now time.Time) (Draft, error) {
	const schema, path = "uash.domain-assurance.v1", "domain/assurance.json"
	cls, err := p.need(classificationPath)
	if err != nil {
		return Draft{}, err
	}
	if cls.Get("domainPacks").Len() == 0 {
		return single("domain-assurance", path, join(head(schema, cls, timestamp(now)), tier(cls), []canon.Member{
			text("status", statusSkipped), text("skipReason", "the classification of the request names no domain pack"), array("packs")})), nil
	}
	var packs []canon.Value
	for _, id := range cls.Get("domainPacks").Elems() {
		features := cls.Get("domainFeatures").Get(id.Text())
		entry := []canon.Member{member("id", id)}
		if features.Present() {
			entry = append(entry, member("features", features))
		}
		var identity []canon.Member
		for _, name := range gate.PackIdentity(id.Text()) {
			identity = append(identity, text(name, ""))
		}
		if identity != nil {
			entry = append(entry, member("identity", object(identity...)))
		}
		controls, _ := gate.PackControls(id.Text(), features)
		packs = append(packs, object(append(entry, pendingControls(controls))...))
	}
	open := []string{"domain-assurance.generated-at", "domain-assurance.status", "domain-assurance.identity", "control.status.blocking"}
	for _, suffix := range []string{"quality", "archive", "receipt", "report", "approval"} {
		open = append(open, "domain-assurance.ios."+suffix)
	}
	return single("domain-assurance", path, join(head(schema, cls, ""), tier(cls), []canon.Member{
		text("status", statusPending), array("packs", packs...)}), open...), nil
}

// foundation has every capability that may be required.
func (p Place) foundation(time.Time) (Draft, error) {
	cls, err := p.need(classificationPath)
	if err != nil {
		return Draft{}, err
	}
	raw, err := p.catalogs().read(catalog.Foundation)
	if err != nil {
		return Draft{}, err
	}
	documentation := cls.Get("controlledDocumentation").IsBool(true)
	var list []canon.Value
	for _, c := range gate.Capabilities() {
		if documentation && !c.Documentation {
			list = append(list, object(text("id", c.ID), text("applicability", workload.NotApplicable), text("status", statusSkipped),
				text("owner", ""), text("reason", "controlled documentation does not rest on this capability")))
			continue
		}
		list = append(list, object(text("id", c.ID), text("applicability", workload.Required), text("status", statusPending),
			text("owner", ""), pendingControls(c.Controls)))
	}
	doc := join(head("uash.foundation-assessment.v1", cls, ""), tier(cls), []canon.Member{
		text("catalogSha256", canon.SHA256(raw)), text("status", statusPending), text("summary", ""), text("owner", ""), array("capabilities", list...)})
	return single("foundation", "foundation/assessment.json", doc, "foundation.generated-at", "foundation.status", "foundation.summary", "foundation.owner",
		"foundation.capability.owner", "foundation.capability.status", "foundation.dependency.unsatisfied", "control.status.blocking"), nil
}

// production is the skeleton that package readiness makes.
func (p Place) production(time.Time) (Draft, error) {
	cls, err := p.need(classificationPath)
	if err != nil {
		return Draft{}, err
	}
	route, err := p.need(routePath)
	if err != nil {
		return Draft{}, err
	}
	doc, err := readiness.New(readiness.Basis{Route: route.Value, Classification: cls.Value, ClassificationSHA256: cls.sha256})
	if err != nil {
		return Draft{}, err
	}
	return single("production", readiness.DefaultPath, doc, productionOpen...), nil
}

// smoke names no target: what was tested alive is for the tester to say.
func (p Place) smoke(time.Time) (Draft, error) {
	cls, err := p.need(classificationPath)
	if err != nil {
		return Draft{}, err
	}
	doc := join(head("uash.live-smoke.v1", cls, ""), []canon.Member{
		text("status", statusPending), member("target", object(text("kind", ""), text("identifier", ""))),
		member("control", object(text("id", catalog.SmokeControl), text("status", statusPending), array("evidence")))})
	return single("smoke", "smoke/smoke_proof.json", doc, "smoke.generated-at", "smoke.status", "smoke.target", "smoke.runtime-evidence",
		"control.status.blocking"), nil
}

// waivers is complete: no risk has been accepted.
func (p Place) waivers(now time.Time) (Draft, error) {
	cls, err := p.need(classificationPath)
	if err != nil {
		return Draft{}, err
	}
	return single(waiversGate, "waivers/waivers.json",
		join(head("uash.waiver-ledger.v1", cls, timestamp(now)), []canon.Member{array("waivers")})), nil
}

// codeIntelligence makes those of the three documents that no indexer has
// written yet.
func (p Place) codeIntelligence(time.Time) (Draft, error) {
	cls, err := p.need(classificationPath)
	if err != nil {
		return Draft{}, err
	}
	draft := Draft{Gate: "code-intelligence", Open: []string{"code-intelligence.graph", "code-intelligence.anchors"}}
	for _, f := range []File{
		{"graph/graph.json", object(text("schema", "uash.code-intelligence.graph.v0.1"), boolean("codeIntelligenceCompatible", false),
			member("git", object(member("commit", cls.Get("commit")))), array("nodes"), array("edges"))},
		{"graph/freshness.json", object(text("schema", "uash.graph-freshness.v0.1"), text("graphPath", "graph/graph.json"), member("validForCommit", cls.Get("commit")))},
		{"design/anchors.json", object(array("anchors"))},
	} {
		there, err := p.Target.Exists(f.Path)
		if err != nil {
			return Draft{}, &NeedError{f.Path, err.Error(), "make it readable"}
		}
		if !there {
			draft.Files = append(draft.Files, f)
		}
	}
	if len(draft.Files) == 0 {
		return Draft{}, &NeedError{"graph/graph.json", "the three documents of a code graph are there already", "finishline gate verify code-intelligence says what they lack"}
	}
	return draft, nil
}
