package scaffold

import (
	"time"

	"finishline/canon"
	"finishline/verify/gate"
	"finishline/verify/gate/skill"
	"finishline/verify/gate/workload"
)

// A Rejected skill is an alternative that the route did not take.
type Rejected struct{ Skill, Reason string }

// handoffSupporting is how many supporting skills the last phase has (09a §4).
const handoffSupporting = 3

// Route makes the route of the run from its intake and classification, the
// registry of the pack and the project adapter (09a §4).
func (p Place) Route(rejected []Rejected, now time.Time) (Draft, error) {
	r := router{place: p}
	var err error
	if r.rules, err = workload.Load(); err != nil {
		return Draft{}, err
	}
	if r.intake, err = p.need(intakePath); err != nil {
		return Draft{}, err
	}
	if r.cls, err = p.need(classificationPath); err != nil {
		return Draft{}, err
	}
	doc, err := r.route(rejected, now)
	if err != nil {
		return Draft{}, err
	}
	if canon.Pretty(doc) == nil {
		return Draft{}, &NeedError{classificationPath, "it lacks a member that the route copies", makers[classificationPath]}
	}
	return Draft{Gate: "route", Files: []File{{routePath, doc}}}, nil
}

type router struct {
	place       Place
	rules       *workload.Rules
	intake, cls document
}

func (r router) route(rejected []Rejected, now time.Time) (canon.Value, error) {
	registry, err := r.registrySHA256()
	if err != nil {
		return canon.Value{}, err
	}
	digests, err := r.catalogDigests()
	if err != nil {
		return canon.Value{}, err
	}
	mobile, err := r.mobile()
	if err != nil {
		return canon.Value{}, err
	}
	cls := r.cls.Get
	alternatives := make([]canon.Value, len(rejected))
	for i, a := range rejected {
		alternatives[i] = object(text("skill", a.Skill), text("reason", a.Reason))
	}
	list := []canon.Member{
		text("schema", "uash.route.v2"), member("runId", cls("runId")), text("generatedAt", timestamp(now)),
		member("profile", cls("requestedProfile")), member("requestedProfile", cls("requestedProfile")),
		member("commit", cls("commit")), member("environment", cls("environment")),
		member("taskType", cls("taskType")), member("controlledDocumentation", cls("controlledDocumentation")),
		member("executionBudget", r.rules.Budget(r.cls.Value)), member("requestSignals", cls("matchedSignals")),
		text("intakeSha256", r.intake.sha256), text("workloadClassificationSha256", r.cls.sha256), text("registrySha256", registry),
		member("catalogDigests", digests), member("skillPhases", r.phases()),
		member("assuranceTier", object(member("profileFloor", cls("profileTierFloor")), member("effective", cls("effectiveTier")))),
	}
	for _, name := range []string{"workloadProfiles", "crossCuttingConcerns", "domainFeatures", "materialUnknowns",
		"foundation", "productionLayers", "ai", "domainPacks"} {
		list = append(list, member(name, cls(name)))
	}
	list = append(list, mobile...)
	list = append(list, member("gateApplicability", r.gates()), texts("redZone", gate.MandatoryRedZone()),
		array("rejectedAlternatives", alternatives...),
		member("authority", object(member("allowedActions", r.intake.Get("allowedActions")), member("forbiddenActions", r.intake.Get("forbiddenActions")))))
	return object(list...), nil
}

func (r router) registrySHA256() (string, error) {
	data, err := r.place.packFile(registryPath)
	if err != nil {
		return "", err
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		return "", &NeedError{registryPath, err.Error(), "restore the registry as its pack came"}
	}
	return canon.SemanticDigest(doc.Root), nil
}

func (r router) catalogDigests() (canon.Value, error) {
	catalogs := r.place.catalogs()
	digests, err := catalogs.digests()
	if err != nil {
		return canon.Value{}, err
	}
	packs, err := catalogs.packDigests(r.cls.Get("domainPacks"))
	if err != nil {
		return canon.Value{}, err
	}
	return canon.With(digests, "domainPacks", packs), nil
}

func (r router) phases() canon.Value {
	supporting := r.rules.Supporting(r.cls.Value)
	phase := func(name, primary string, skills []string) canon.Value {
		return object(text("phase", name), text("primary", primary), texts("supporting", skills))
	}
	return canon.NewArray(
		phase(skill.PhaseIntake, skill.IntakeRoute, supporting),
		phase(skill.PhaseDelivery, r.rules.DeliveryPrimary(r.cls.Get("taskType")), supporting),
		phase(skill.PhaseHandoff, skill.ProofHandoff, supporting[:min(handoffSupporting, len(supporting))]),
	)
}

// gates says which gates apply, as the classification has it.
func (r router) gates() canon.Value {
	var list []canon.Member
	for _, name := range workload.Gates {
		status := object(text("status", workload.NotApplicable), text("reason", "the classification of the request does not require it"))
		if r.cls.Get("requiredGates").Get(name).IsBool(true) {
			status = object(text("status", workload.Required))
		}
		list = append(list, member(name, status))
	}
	return object(list...)
}

// mobile is the commissioning record of an iOS app, taken from the project
// adapter, when the run has that pack.
func (r router) mobile() ([]canon.Member, error) {
	const pack = "mobile-ios"
	found := false
	for _, p := range r.cls.Get("domainPacks").Elems() {
		found = found || p.Is(pack)
	}
	if !found {
		return nil, nil
	}
	adapter, err := r.adapter()
	if err != nil {
		return nil, err
	}
	commissioned := adapter.Get("mobileIos")
	if !commissioned.Truthy() {
		return []canon.Member{member("mobileIos", object(text("status", "missing")))}, nil
	}
	record := []canon.Member{text("status", "commissioned")}
	for _, name := range []string{"scheme", "bundleAndTeam", "macosRunner"} {
		value := ""
		if v := commissioned.Get(name); v.Truthy() {
			value = canon.TextForm(v)
		}
		record = append(record, text(name, value))
	}
	record = append(record, text("commissioningSha256", canon.SemanticDigest(commissioned)))
	return []canon.Member{member("mobileIos", object(record...))}, nil
}

// adapter is the first project adapter that exists, absent when there is none.
func (r router) adapter() (canon.Value, error) {
	for _, path := range []string{adapterPath, commissionedDir + "/" + adapterPath} {
		there, err := r.place.Target.Exists(path)
		if err != nil {
			return canon.Value{}, &NeedError{path, err.Error(), "make the adapter readable"}
		}
		if !there {
			continue
		}
		doc, err := r.place.need(path)
		return doc.Value, err
	}
	return canon.Value{}, nil
}
