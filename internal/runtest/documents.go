package runtest

import (
	"fmt"

	"finishline/canon"
	"finishline/verify/catalog"
	"finishline/verify/gate/workload"
)

// The run that Build makes. Times are fixed: nothing of a run may depend on
// when it is built.
const (
	RunID       = "lantern-docs"
	Environment = "lantern-desk"
	Profile     = "prototype"
	RequestText = "Reword the readme and the user guide of Lantern for the spring edition."

	receivedAt   = "2026-04-07T08:00:00Z"
	classifiedAt = "2026-04-07T08:05:00Z"
	routedAt     = "2026-04-07T08:10:00Z"
	startedAt    = "2026-04-07T08:30:00Z"
	completedAt  = "2026-04-07T09:10:00Z"
	goalAt       = "2026-04-07T09:30:00Z"
	assuredAt    = "2026-04-07T09:35:00Z"
	provedAt     = "2026-04-07T09:40:00Z"
	signedAt     = "2026-04-07T10:05:00Z"
	packedAt     = "2026-04-07T10:10:00.000Z"
)

// obj builds an object from alternating names and values; values are strings,
// numbers, booleans, nil, canon values, or slices of strings.
func obj(pairs ...any) canon.Value {
	members := make([]canon.Member, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		members = append(members, canon.Member{Name: pairs[i].(string), Value: val(pairs[i+1])})
	}
	return canon.Build(members...)
}

func val(v any) canon.Value {
	switch x := v.(type) {
	case nil:
		return canon.NewNull()
	case canon.Value:
		return x
	case string:
		return canon.NewString(x)
	case bool:
		return canon.NewBool(x)
	case int:
		return canon.NewNumber(float64(x))
	case float64:
		return canon.NewNumber(x)
	case []string:
		return arr(x...)
	}
	panic(fmt.Sprintf("runtest: no JSON form for %T", v))
}

func arr[T any](items ...T) canon.Value {
	values := make([]canon.Value, len(items))
	for i, item := range items {
		values[i] = val(item)
	}
	return canon.NewArray(values...)
}

// with is canon.With for the values that obj takes.
func with(v canon.Value, name string, value any) canon.Value { return canon.With(v, name, val(value)) }

var forbidden = []string{
	"agent self-approval", "production mutation without approval",
	"secret access without approval", "fabricated evidence",
}

var allowed = []string{"edit the documentation", "run the documentation checks"}

func (b *builder) intake() canon.Value {
	return obj(
		"schema", "uash.intake.v1", "runId", RunID, "receivedAt", receivedAt,
		"profile", Profile, "requestedProfile", Profile, "commit", b.commit, "environment", Environment,
		"requestText", RequestText, "requestSha256", canon.TextDigest(RequestText),
		"source", obj("actorType", "human", "actor", "Ines Maron"),
		"outcome", "a newcomer can place Lantern and read its colour",
		"constraints", []string{"no change of behaviour"}, "exclusions", []string{},
		"allowedActions", allowed, "forbiddenActions", forbidden,
		"stoppingConditions", []string{"the documentation checks pass"},
		"executionBudget", b.budget(),
	)
}

// budget is the one that the classifier gives a documentation task.
func (b *builder) budget() canon.Value {
	return b.rules.Budget(obj("taskType", "docs-only", "controlledDocumentation", false, "effectiveTier", "T0"))
}

func catalogDigests() canon.Value {
	return obj("taxonomy", catalog.HouseDigest(catalog.Taxonomy), "foundation", catalog.HouseDigest(catalog.Foundation),
		"production", catalog.HouseDigest(catalog.Production), "ai", catalog.HouseDigest(catalog.AI),
		"domainIndex", catalog.HouseDigest(catalog.DomainIndex))
}

func (b *builder) classification() (canon.Value, error) {
	derived, err := b.rules.Analyse(RequestText).Classify(Profile)
	if err != nil {
		return canon.Value{}, err
	}
	doc := obj(
		"schema", "uash.workload-classification.v1", "generatedAt", classifiedAt, "runId", RunID,
		"requestSha256", canon.TextDigest(RequestText), "profile", Profile, "requestedProfile", Profile,
		"environment", Environment, "commit", b.commit,
	)
	texts := b.rules.TextsIn(fixedTexts())
	for _, name := range workload.Members {
		value, err := derived.Member(name, texts)
		if err != nil {
			return canon.Value{}, fmt.Errorf("classification %s: %w", name, err)
		}
		doc = with(doc, name, value)
	}
	return with(doc, "catalogDigests", catalogDigests()), nil
}

// fixedTexts are the two literal sentences of the format that an ordinary
// documentation task carries (09b §2.7); the classifier knows their digests.
func fixedTexts() canon.Value {
	return arr(
		"Docs-only route; reconsider if implementation or runtime behavior enters scope.",
		"Ordinary docs-only route has no governed product, requirements, architecture, or engineering-strategy change.",
	)
}

func (b *builder) route(intake, classification canon.Value, intakeSHA, classificationSHA, registrySHA string) canon.Value {
	supporting := b.rules.Supporting(classification)
	if supporting == nil {
		supporting = []string{}
	}
	handoff := supporting[:min(3, len(supporting))]
	gates := canon.Build()
	for _, g := range workload.Gates {
		status := obj("status", "not-applicable", "reason", "a documentation task has no such surface")
		if classification.Get("requiredGates").Get(g).IsBool(true) {
			status = obj("status", "required")
		}
		gates = with(gates, g, status)
	}
	get := classification.Get
	return obj(
		"schema", "uash.route.v2", "runId", RunID, "generatedAt", routedAt, "profile", Profile, "commit", b.commit,
		"environment", Environment, "requestedProfile", Profile,
		"taskType", get("taskType"), "controlledDocumentation", get("controlledDocumentation"),
		"executionBudget", b.budget(), "requestSignals", get("matchedSignals"),
		"intakeSha256", intakeSHA, "workloadClassificationSha256", classificationSHA, "registrySha256", registrySHA,
		"catalogDigests", with(catalogDigests(), "domainPacks", obj()),
		"skillPhases", arr(
			obj("phase", "intake-route", "primary", "valdris-intake-route", "supporting", supporting),
			obj("phase", "delivery", "primary", b.rules.DeliveryPrimary(get("taskType")), "supporting", supporting),
			obj("phase", "proof-handoff", "primary", "valdris-proof-handoff", "supporting", handoff),
		),
		"assuranceTier", obj("profileFloor", get("profileTierFloor"), "effective", get("effectiveTier")),
		"workloadProfiles", get("workloadProfiles"), "crossCuttingConcerns", get("crossCuttingConcerns"),
		"domainFeatures", get("domainFeatures"), "materialUnknowns", get("materialUnknowns"),
		"foundation", get("foundation"), "productionLayers", get("productionLayers"), "ai", get("ai"),
		"domainPacks", get("domainPacks"), "gateApplicability", gates,
		"redZone", []string{"production deploy or data mutation", "secrets/IAM/provider configuration",
			"billing/refund/reconciliation", "Apple signing/TestFlight/App Store actions", "customer or tester communication"},
		"rejectedAlternatives", arr(obj("skill", "valdris-bug-rca", "reason", "nothing is broken")),
		"authority", obj("allowedActions", intake.Get("allowedActions"), "forbiddenActions", intake.Get("forbiddenActions")),
	)
}

// goal closes on the output of the documentation check, which lies beside it.
func (b *builder) goal(classification canon.Value, classificationSHA, routeSHA, checkSHA string) canon.Value {
	return obj(
		"schema", "uash.goal.v1", "goalId", RunID, "revision", 2, "generatedAt", goalAt, "updatedAt", goalAt,
		"objective", RequestText, "requestSha256", canon.TextDigest(RequestText), "initialRouteSha256", routeSHA,
		"owner", "Ines Maron", "status", "completed", "profile", Profile, "commit", b.commit, "environment", Environment,
		"effectiveTier", classification.Get("effectiveTier"), "workloadClassificationSha256", classificationSHA,
		"budgets", b.budget(),
		"stoppingConditions", arr(obj("id", "documentation-checks", "status", "passed", "evidence", arr(obj(
			"type", "command", "subject", "documentation-checks", "runId", RunID, "commit", b.commit,
			"environment", Environment, "trustTier", "automated-local",
			"producer", obj("name", "grep", "version", "3", "kind", "tool"),
			"command", "grep -c '^## ' docs/guide.md", "exitCode", 0, "completedAt", completedAt,
			"outputPath", checkOutput, "outputDigest", checkSHA,
		)))),
		"checkpoints", arr(
			obj("id", "routed", "status", "passed", "recordedAt", routedAt, "summary", "a documentation task, nothing else applies"),
			obj("id", "reworded", "status", "passed", "recordedAt", completedAt, "summary", "guide and readme reworded"),
		),
	)
}

func (b *builder) trajectory(traceSHA string) canon.Value {
	return obj(
		"schema", "uash.trajectory.v1", "goalId", RunID, "generatedAt", goalAt, "profile", Profile, "commit", b.commit,
		"environment", Environment, "finalStatus", "completed",
		"budget", obj("limits", b.budget(),
			"used", obj("attempts", 1, "toolCalls", 9, "tokens", 4200, "costUsd", 0.25, "wallClockMinutes", 40)),
		"attempts", arr(obj("id", "reword", "outcome", "succeeded", "startedAt", startedAt, "completedAt", completedAt,
			"usage", obj("toolCalls", 9, "tokens", 4200, "costUsd", 0.25, "wallClockMinutes", 40), "actions", allowed)),
		"forbiddenActions", forbidden, "violations", arr[string](),
		"tracePath", tracePath, "traceDigest", traceSHA,
	)
}

const (
	checkOutput = "qa/documentation-checks.txt"
	tracePath   = "trajectory/trace.txt"
	traceText   = "08:30 read docs/guide.md\n08:41 reword \"Placing it\"\n08:55 reword \"When it stays dark\"\n09:10 run the documentation checks: 3 sections\n"
)
