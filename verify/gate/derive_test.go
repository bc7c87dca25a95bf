package gate_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/internal/proptest"
	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/catalog"
	"finishline/verify/evidence"
	"finishline/verify/gate"
	"finishline/verify/gate/workload"
)

// A maker writes the documents of a run as a faithful producer would, from a
// request text and a profile.
type maker struct {
	rules *workload.Rules
	texts workload.Texts
}

func newMaker(t testing.TB) maker {
	t.Helper()
	rules, err := workload.Load()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(vectors.Dir(t, "gates"), "_fixtures", "*", "run", "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	var documents []canon.Value
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := canon.Read(data, canon.MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, doc.Root)
	}
	return maker{rules, rules.TextsIn(documents...)}
}

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

func str(s string) canon.Value { return canon.NewString(s) }

func strs(list []string) canon.Value {
	values := make([]canon.Value, len(list))
	for i, s := range list {
		values[i] = str(s)
	}
	return canon.NewArray(values...)
}

func with(v canon.Value, members ...canon.Member) canon.Value {
	return canon.Build(append(slices.Clone(v.Members()), members...)...)
}

func identity(profile string) canon.Value {
	return canon.Build(member("runId", str("KILN-MADE")), member("commit", str("5d0c3b7e91a24f68bb07e1c2a9f4d6385e10c7ab")),
		member("environment", str("kiln-stage")), member("profile", str(profile)), member("requestedProfile", str(profile)))
}

var forbiddenActions = []string{"agent self-approval", "production mutation without approval", "secret access without approval", "fabricated evidence"}

func (m maker) intake(text, profile string, budget canon.Value) canon.Value {
	return with(identity(profile), member("schema", str("uash.intake.v1")), member("receivedAt", str("2026-05-11T06:00:00Z")),
		member("requestText", str(text)), member("requestSha256", str(canon.TextDigest(canon.Trim(text)))),
		member("source", canon.Build(member("actorType", str("human")), member("actor", str("Mira Solberg")))),
		member("outcome", str("it works")), member("constraints", canon.NewArray()), member("exclusions", canon.NewArray()),
		member("allowedActions", canon.NewArray()), member("forbiddenActions", strs(forbiddenActions)),
		member("stoppingConditions", strs([]string{"checks are green"})), member("executionBudget", budget))
}

// classification is the derived document; ok is false where it needs a fixed
// text that no fixture carries.
func (m maker) classification(t fataler, text, profile string) (doc canon.Value, ok bool) {
	derived, err := m.rules.Analyse(text).Classify(profile)
	if err != nil {
		t.Fatalf("classify %q: %v", text, err)
	}
	doc = with(identity(profile), member("schema", str("uash.workload-classification.v1")), member("generatedAt", str("2026-05-11T07:00:00Z")),
		member("requestSha256", str(canon.TextDigest(canon.Trim(text)))), member("catalogDigests", houseDigests()))
	for _, name := range workload.Members {
		v, err := derived.Member(name, m.texts)
		var missing *workload.UnknownTextError
		if errors.As(err, &missing) {
			return canon.Value{}, false
		}
		doc = with(doc, member(name, v))
	}
	return doc, true
}

func houseDigests() canon.Value {
	digest := func(path string) canon.Value { return str(catalog.HouseDigest(path)) }
	return canon.Build(member("taxonomy", digest(catalog.Taxonomy)), member("foundation", digest(catalog.Foundation)),
		member("production", digest(catalog.Production)), member("ai", digest(catalog.AI)), member("domainIndex", digest(catalog.DomainIndex)))
}

// route is the document that follows from an intake and a classification.
func (m maker) route(intake, cls canon.Value) canon.Value {
	profile := cls.Get("requestedProfile").Text()
	packDigests := canon.Build()
	for _, p := range cls.Get("domainPacks").Elems() {
		packDigests = with(packDigests, member(p.Text(), str(catalog.HouseDigest(catalog.DomainPack(p.Text())))))
	}
	supporting := m.rules.Supporting(cls)
	phase := func(name, primary string, skills []string) canon.Value {
		return canon.Build(member("phase", str(name)), member("primary", str(primary)), member("supporting", strs(skills)))
	}
	applicability := canon.Build()
	for _, g := range cls.Get("requiredGates").Members() {
		status := canon.Build(member("status", str("not-applicable")), member("reason", str("not called for")))
		if g.Value.IsBool(true) {
			status = canon.Build(member("status", str("required")))
		}
		applicability = with(applicability, member(g.Name, status))
	}
	doc := with(identity(profile), member("schema", str("uash.route.v2")), member("generatedAt", str("2026-05-11T07:10:00Z")),
		member("executionBudget", m.rules.Budget(cls)), member("requestSignals", cls.Get("matchedSignals")),
		member("intakeSha256", str(canon.SHA256(canon.Compact(intake)))),
		member("workloadClassificationSha256", str(canon.SHA256(canon.Compact(cls)))),
		member("registrySha256", str("0bf5eb0a10d47a7b6c3629caeb6713636499c75aa7f6b6754dedfaf2667e45d0")),
		member("catalogDigests", with(houseDigests(), member("domainPacks", packDigests))),
		member("skillPhases", canon.NewArray(
			phase("intake-route", "valdris-intake-route", supporting),
			phase("delivery", m.rules.DeliveryPrimary(cls.Get("taskType")), supporting),
			phase("proof-handoff", "valdris-proof-handoff", supporting[:min(3, len(supporting))]))),
		member("assuranceTier", canon.Build(member("profileFloor", cls.Get("profileTierFloor")), member("effective", cls.Get("effectiveTier")))),
		member("mobileIos", canon.Build(member("status", str("missing")))), member("gateApplicability", applicability),
		member("redZone", strs([]string{"production deploy or data mutation", "secrets/IAM/provider configuration", "billing/refund/reconciliation",
			"Apple signing/TestFlight/App Store actions", "customer or tester communication"})),
		member("rejectedAlternatives", canon.NewArray()),
		member("authority", canon.Build(member("allowedActions", intake.Get("allowedActions")), member("forbiddenActions", intake.Get("forbiddenActions")))))
	for _, name := range []string{"taskType", "workloadProfiles", "crossCuttingConcerns", "domainFeatures", "materialUnknowns", "foundation",
		"productionLayers", "ai", "domainPacks", "controlledDocumentation"} {
		doc = with(doc, member(name, cls.Get(name)))
	}
	return doc
}

type fataler interface{ Fatalf(string, ...any) }

func put(t fataler, dir, name string, doc canon.Value) {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatalf("%v", err)
	}
	if err := os.WriteFile(file, canon.Compact(doc), 0o644); err != nil {
		t.Fatalf("%v", err)
	}
}

// judge runs one gate over a directory, in a run of its own.
func judge(t fataler, dir, name string, level verify.Level) gate.Result {
	root, err := evidence.Open(dir)
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer root.Close()
	run, err := gate.NewRun(gate.Options{Target: root, Level: level})
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer run.Close()
	g, ok := gate.Find(name)
	if !ok {
		t.Fatalf("no gate is named %q", name)
	}
	return g.Validate(context.Background(), run)
}

var requestPieces = []string{
	"build", "fix", "update the readme", "a web app", "backend", "agent", "rag", "payments", "regulated", "iphone", "push notifications",
	"saas", "tenant", "deploy", "to production", "library", "help me", "please fix it", "outage", "handoff", "review the architecture",
	"runbook", "hipaa", "children", "multiplayer", "approve loans", "ship", "testflight", "oauth login", "cache", "queue worker", "docs",
	"policy", "privacy", "eval", "live provider", "\u212Aafka", "PC\u0130", "é", "\n", "document", "game", "cli", "copy edit", "audit",
}

// Whatever the request, the documents that follow from it pass their gates, and
// a classification with one derived member changed does not.
func TestDerivedDocumentsPass(t *testing.T) {
	m := newMaker(t)
	dir := t.TempDir()
	seen := proptest.Need(5, "documents")
	seen.Until(t, func(t *rapid.T) {
		text := "we " + strings.Join(rapid.SliceOfN(rapid.SampledFrom(requestPieces), 1, 6).Draw(t, "text"), " ")
		if rapid.Bool().Draw(t, "bare") {
			text = strings.TrimPrefix(text, "we ")
		}
		if canon.Trim(text) == "" {
			t.Skip("an intake needs a text")
		}
		profile := rapid.SampledFrom([]string{"prototype", "production", "enterprise", "regulated"}).Draw(t, "profile")
		cls, ok := m.classification(t, text, profile)
		if !ok {
			return // it needs a text that no fixture has
		}
		seen.Add("documents")
		intake := m.intake(text, profile, m.rules.Budget(cls))
		put(t, dir, intakeFile, intake)
		put(t, dir, clsFile, cls)
		put(t, dir, routeFile, m.route(intake, cls))
		for _, name := range []string{"intake", "workload-classification", "route"} {
			if result := judge(t, dir, name, verify.Strict); result.Verdict() != verify.Pass {
				t.Fatalf("%q under %s: %s %s\n%s", text, profile, name, result.Verdict(), describe(result))
			}
		}

		name := rapid.SampledFrom(workload.Members).Draw(t, "changed member")
		changed := with(cls, member(name, canon.NewArray(cls.Get(name))))
		put(t, dir, clsFile, changed)
		if result := judge(t, dir, "workload-classification", verify.Base); result.Verdict() != verify.Fail {
			t.Fatalf("%q: %s was changed and the gate says %s", text, name, result.Verdict())
		}
	})
}
