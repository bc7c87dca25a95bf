package gate_test

import (
	"fmt"
	"sync"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/rundir"
	"finishline/verify/gate"
	"finishline/verify/readiness"
)

// An edit changes a valid vector case and says which rules must fire then, at
// both levels unless strict says otherwise.
type edit struct {
	base  string // a valid case of the vectors
	steps string // further members of the case, as JSON
	rules []string
	// strict is the set at strict level where it differs, nil otherwise.
	strict []string
}

// set and drop are the steps that change one member of a document.
func set(file, pointer, value string) string {
	return fmt.Sprintf(`{"patches":{%q:[{"op":"add","path":%q,"value":%s}]}}`, file, pointer, value)
}

func drop(file, pointer string) string {
	return fmt.Sprintf(`{"patches":{%q:[{"op":"remove","path":%q}]}}`, file, pointer)
}

const (
	intakeFile = "run/intake.json"
	clsFile    = "run/workload-classification.json"
	routeFile  = "run/route.json"
	goalFile   = "goal/goal.json"
	trajFile   = "trajectory/trajectory.json"
	regFile    = "skills/registry.json"
	assure     = "skills/valdris-assure/"
)

func ids(rules ...string) []string { return rules }

var edits = []edit{
	{"intake-ok-tenant", `{"remove":["run/intake.json"]}`, ids("intake.missing"), nil},
	{"intake-ok-tenant", drop(intakeFile, "/runId"), ids("intake.run-id"), nil},
	{"intake-ok-tenant", set(intakeFile, "/environment", `" "`), ids("intake.environment"), nil},
	{"intake-ok-tenant", set(intakeFile, "/commit", `7`), ids("intake.commit"), nil},
	{"intake-ok-tenant", set(intakeFile, "/constraints", `["a",""]`), ids("intake.list.constraints"), nil},
	{"intake-ok-tenant", set(intakeFile, "/allowedActions", `{}`), ids("intake.list.allowedActions"), nil},
	{"intake-ok-tenant", set(intakeFile, "/stoppingConditions", `[]`), ids("intake.stopping"), nil},
	{"intake-ok-tenant", set(intakeFile, "/executionBudget/costUsd", `1000.5`), ids("intake.budget.ceiling"), nil},
	{"intake-ok-tenant", `{"files":{"real.json":"{}"},"symlinks":{"run/intake.json":"../real.json"}}`,
		ids("intake.budget.object", "intake.commit", "intake.environment", "intake.forbidden.mandatory", "intake.list.allowedActions",
			"intake.list.constraints", "intake.list.exclusions", "intake.list.forbiddenActions", "intake.outcome", "intake.profile",
			"intake.received-at", "intake.request-digest", "intake.request-text", "intake.run-id", "intake.schema", "intake.source", "intake.stopping"),
		ids("intake.missing")},
	{"intake-ok-tenant", `{"outside":{"i.json":"{}"},"symlinks":{"run/intake.json":"../../outside/i.json"}}`, ids("intake.missing"), nil},

	{"cls-ok-tenant", `{"remove":["run/workload-classification.json"]}`, ids("workload-classification.missing"), nil},
	{"cls-ok-tenant", `{"files":{"run/workload-classification.json":"{"}}`, ids("workload-classification.json"), nil},
	{"cls-ok-tenant", `{"files":{"run/workload-classification.json":"null"}}`, ids("workload-classification.object"), nil},
	{"cls-ok-tenant", `{"files":{"run/intake.json":"[]"}}`, ids("workload-classification.intake.missing"), nil},
	{"cls-ok-tenant", set(clsFile, "/generatedAt", `"2026-02-30T00:00:00Z"`), ids("workload-classification.generated-at"), nil},
	{"cls-ok-tenant", set(clsFile, "/environment", `"x"`), ids("workload-classification.intake.environment"), nil},
	{"cls-ok-tenant", set(intakeFile, "/requestText", `["Build"]`), ids("workload-classification.intake.request-text"), nil},
	{"cls-ok-tenant", set(clsFile, "/effectiveTier", `"T1"`), ids("workload-classification.tier-derivation", "workload-classification.tier-downgrade"), nil},
	{"cls-ok-tenant", set(clsFile, "/effectiveAiTier", `"AI-1"`), ids("workload-classification.ai-derivation", "workload-classification.ai-tier"), nil},
	{"cls-ok-tenant", set(clsFile, "/workloadProfiles", `"saas"`), ids("workload-classification.array.workloadProfiles", "workload-classification.profile-derivation"), nil},
	{"cls-ok-tenant", set(clsFile, "/crossCuttingConcerns", `null`), ids("workload-classification.array.crossCuttingConcerns", "workload-classification.concern-derivation"), nil},
	{"cls-ok-tenant", drop(clsFile, "/productionLayers"), ids("workload-classification.array.productionLayers", "workload-classification.layer-derivation"), nil},
	{"cls-ok-tenant", set(clsFile, "/matchedSignals", `{}`), ids("workload-classification.array.matchedSignals", "workload-classification.signal-derivation"), nil},
	{"cls-ok-tenant", set(clsFile, "/crossCuttingConcerns", `[1, {}, {}, 1.0]`), ids("workload-classification.concern-derivation", "workload-classification.duplicate.crossCuttingConcerns"), nil},
	{"cls-ok-tenant", set(clsFile, "/domainPacks", `[null, null]`), ids("workload-classification.duplicate.domainPacks", "workload-classification.pack-derivation"), nil},
	{"cls-ok-tenant", set(clsFile, "/domainPacks", `["null", null]`), ids("workload-classification.pack-derivation"), nil},
	{"cls-ok-tenant", set(clsFile, "/ai/features/rag", `"no"`), ids("workload-classification.ai", "workload-classification.ai-derivation"), nil},
	{"cls-ok-tenant", set(clsFile, "/primaryArchetype", `"web-full-stack"`), ids("workload-classification.archetype-derivation"), nil},

	{"route-ok-tenant", `{"remove":["run/route.json"]}`, ids("route.missing"), nil},
	{"route-ok-tenant", `{"files":{"run/route.json":"\ufeff{}"}}`, ids("route.json"), nil},
	{"route-ok-tenant", `{"files":{"run/route.json":"7"}}`, ids("route.object"), nil},
	{"route-ok-tenant", set(routeFile, "/runId", `" "`), ids("route.binding.run-id", "route.run-id"), nil},
	{"route-ok-tenant", drop(routeFile, "/environment"), ids("route.environment"), nil},
	{"route-ok-tenant", drop(routeFile, "/commit"), ids("route.commit"), nil},
	{"route-ok-tenant", set(routeFile, "/profile", `"x"`), ids("route.classification.profile", "route.profile"), nil},
	{"route-ok-tenant", set(routeFile, "/schema", `"uash.route.v3"`), ids("route.schema"), nil},
	{"route-ok-tenant", set(routeFile, "/requestedProfile", `"production"`), ids("route.classification.requestedProfile"), nil},
	{"route-ok-tenant", set(routeFile, "/workloadProfiles", `["ai-agentic","saas"]`), ids("route.classification.workloadProfiles"), nil},
	{"route-ok-tenant", drop(routeFile, "/crossCuttingConcerns/0"), ids("route.classification.crossCuttingConcerns"), nil},
	{"route-ok-tenant", set(routeFile, "/domainFeatures", `null`), ids("route.classification.domainFeatures"), nil},
	{"route-ok-tenant", set(routeFile, "/materialUnknowns", `[{}]`), ids("route.classification.materialUnknowns"), nil},
	{"route-ok-tenant", set(routeFile, "/foundation/reason", `""`), ids("route.classification.foundation"), nil},
	{"route-ok-tenant", set(routeFile, "/ai/features/tools", `0`), ids("route.ai", "route.classification.ai"), nil},
	{"route-ok-tenant", set(routeFile, "/domainPacks/-", `"saas"`), ids("route.classification.domainPacks", "route.packs"), nil},
	{"route-ok-tenant", set(routeFile, "/domainPacks/-", `"pottery"`), ids("route.catalog-digest", "route.classification.domainPacks", "route.packs"), nil},
	{"route-ok-tenant", set(routeFile, "/skillPhases/1", `null`), ids("route.json", "route.phases"), nil},
	{"route-ok-tenant", set(routeFile, "/productionLayers/-", `null`), ids("route.json"), nil},
	{"route-ok-tenant", set(routeFile, "/registrySha256", `"0BF5EB0A10D47A7B6C3629CAEB6713636499C75AA7F6B6754DEDFAF2667E45D0"`), ids("route.registry-digest"), nil},
	{"route-ok-tenant", set(routeFile, "/gateApplicability/trajectory/status", `"not-applicable"`), ids("route.gate.floor", "route.gate.mismatch", "route.gate.reason"), nil},
	{"route-ok-tenant", `{"files":{"project-adapter.json":"null"}}`, ids("route.adapter"), nil},
	{"route-ok-tenant", `{"files":{"project-adapter.json":"[]"}}`, nil, nil},
	{"route-ok-tenant", `{"files":{"project-adapter.json":"{\"a\":1,\"a\":2}"}}`, nil, ids("strict.json.duplicate-key")},
	{"route-ok-tenant", `{"symlinks":{"project-adapter.json":"nowhere"}}`, nil, nil},
	{"route-ok-tenant", `{"outside":{"a.json":"{}"},"symlinks":{"project-adapter.json":"../outside/a.json"}}`, ids("route.adapter"), nil},
	{"route-ok-orrery", set(routeFile, "/productionLayers/0/initialApplicability", `"potentially-affected"`),
		ids("route.classification.productionLayers", "route.text.full-stack"), nil},

	{"goal-ok-tenant", `{"remove":["goal/goal.json"]}`, ids("goal.missing"), nil},
	{"goal-ok-tenant", `{"files":{"goal/goal.json":"{,}"}}`, ids("goal.json"), nil},
	{"goal-ok-tenant", `{"files":{"goal/goal.json":"\"g\""}}`, ids("goal.object"), nil},
	{"goal-ok-tenant", `{"remove":["run/route.json"]}`, ids("goal.route.missing"), nil},
	{"goal-ok-tenant", set(goalFile, "/goalId", `"other"`), ids("evidence.binding.run-id", "goal.binding.run-id"), nil},
	{"goal-ok-tenant", drop(goalFile, "/goalId"), ids("goal.binding.run-id", "goal.goal-id"), nil},
	{"goal-ok-tenant", drop(goalFile, "/environment"), ids("goal.binding.environment", "goal.environment"), nil},
	{"goal-ok-tenant", set(goalFile, "/workloadClassificationSha256", `"DA3E2AB0C5B53A5B53665240FB10EF85AC97FEAC5D95F3C53A8FCF3550475350"`), ids("goal.binding.classification-digest"), nil},
	{"goal-ok-tenant", set(goalFile, "/stoppingConditions/-", `"x"`), ids("goal.condition.object", "goal.condition.open"), nil},
	{"goal-ok-tenant", set(goalFile, "/stoppingConditions/0/status", `" passed"`), ids("goal.condition.open", "goal.condition.status"), nil},
	{"goal-ok-tenant", set(goalFile, "/checkpoints/0/status", `"done"`), ids("goal.checkpoint.open", "goal.checkpoint.status"), nil},
	{"goal-ok-tenant", set(goalFile, "/checkpoints/1/summary", `""`), ids("goal.checkpoint.summary"), nil},
	{"goal-ok-tenant", set(goalFile, "/checkpoints/1/recordedAt", `"2026-05-11T06:59:59.999Z"`), ids("goal.checkpoint.order"), nil},
	{"goal-ok-tenant", set(goalFile, "/budgets", `7`), ids("goal.budget", "goal.budget-route"), nil},

	{"trajectory-ok-tenant", `{"remove":["trajectory/trajectory.json"]}`, ids("trajectory.missing"), nil},
	{"trajectory-ok-tenant", `{"files":{"trajectory/trajectory.json":""}}`, ids("trajectory.json"), nil},
	{"trajectory-ok-tenant", `{"files":{"trajectory/trajectory.json":"true"}}`, ids("trajectory.object"), nil},
	{"trajectory-ok-tenant", set(trajFile, "/goalId", `null`), ids("trajectory.goal-id"), nil},
	{"trajectory-ok-tenant", drop(trajFile, "/environment"), ids("trajectory.environment"), nil},
	{"trajectory-ok-tenant", drop(trajFile, "/commit"), ids("trajectory.commit"), nil},
	{"trajectory-ok-tenant", set(trajFile, "/profile", `"PRODUCTION"`), ids("trajectory.profile"), nil},
	{"trajectory-ok-tenant", set(trajFile, "/generatedAt", `"2026"`), ids("trajectory.generated-at"), nil},
	{"trajectory-ok-tenant", set(trajFile, "/attempts/0", `null`), ids("trajectory.attempt.object", "trajectory.usage"), nil},
	{"trajectory-ok-tenant", set(trajFile, "/attempts/0/usage/toolCalls", `-1`), ids("trajectory.attempt.usage", "trajectory.usage"), nil},
	{"trajectory-ok-tenant", set(trajFile, "/attempts/1/startedAt", `"2026-05-11T08:59:59Z"`), ids("trajectory.attempt.order"), nil},
	{"trajectory-ok-tenant", `{"edits":{"trajectory/trajectory.json":[["\"trajectory/trace.txt\"","\" trajectory/trace.txt \""]]}}`, nil, ids("trajectory.trace")},
	{"trajectory-ok-tenant", `{"symlinks":{"trajectory/trace.txt":"../proof/out.log"}}`, ids("trajectory.trace"), nil},

	{"registry-ok-plain", set(regFile, "/skills/0", `null`), ids("skill-registry.json", "skill-registry.selection", "skill-registry.skills"), nil},
	{"registry-ok-plain", set(regFile, "/skills", `[]`), ids("skill-registry.handoff-gates", "skill-registry.primary-missing", "skill-registry.routing",
		"skill-registry.selection", "skill-registry.skills", "skill-registry.unregistered"), nil},
	{"registry-ok-plain", drop(regFile, "/lifecycleSkills/6"), ids("skill-registry.lifecycle", "skill-registry.lifecycle-order",
		"skill-registry.lifecycle-selection", "skill-registry.routing", "skill-registry.unregistered"), nil},
	{"registry-ok-plain", set(regFile, "/selection/phaseTransitions", `["delivery"]`), ids("skill-registry.phases"), nil},
	{"registry-ok-plain", drop(regFile, "/selection"), ids("skill-registry.json", "skill-registry.phases", "skill-registry.selection"), nil},
	{"registry-ok-plain", set(regFile, "/skills/1/name", `"valdris-intake-route"`), ids("skill-registry.primary-missing", "skill-registry.routing",
		"skill-registry.skill.default-prompt", "skill-registry.skill.duplicate", "skill-registry.skill.front-matter-name", "skill-registry.unregistered"), nil},
	{"registry-ok-plain", `{"edits":{"` + assure + `agents/openai.yaml":[["invocation: true","invocation: false"]]}}`, ids("skill-registry.skill.implicit"), nil},
	{"registry-ok-plain", set(regFile, "/skills/0/triggers", `"when"`), ids("skill-registry.routing", "skill-registry.skill.lists"), nil},
	{"registry-ok-plain", drop(regFile, "/skills/0/redZoneTriggers"), ids("skill-registry.skill.red-zone"), nil},
	{"registry-ok-plain", set(regFile, "/skills/0/path", `" skills/valdris-intake-route/SKILL.md"`), ids("skill-registry.routing"), ids("skill-registry.skill.path")},
	{"registry-ok-plain", `{"symlinks":{"skills/valdris-linked":"valdris-assure"}}`, nil, nil},
	{"registry-ok-plain", `{"files":{"real.json":"{}"},"symlinks":{"project-adapter.json":"real.json"}}`, ids("skill-registry.adapter-schema"), nil},
	{"registry-ok-plain", `{"files":{"project-adapter.json":"null"}}`, ids("skill-registry.json"), nil},
	{"registry-ok-plain", `{"files":{"project-adapter.json":"{"}}`, ids("skill-registry.json"), nil},
}

func (e edit) build(t testing.TB) (rundir.Case, string) {
	t.Helper()
	for _, c := range gateCases(t) {
		if c.Name != e.base {
			continue
		}
		steps, err := canon.Read([]byte(e.steps), canon.MaxDocument)
		if err != nil {
			t.Fatalf("steps %s: %v", e.steps, err)
		}
		members := append([]canon.Member{{Name: "fixture", Value: c.Fields.Get("fixture")}}, steps.Root.Members()...)
		c.Fields = canon.Build(members...)
		c.Base, c.Strict = vectors.Expect{Valid: e.rules == nil, Rules: e.rules}, vectors.Expect{Valid: e.rules == nil, Rules: e.rules}
		if e.strict != nil {
			c.Strict = vectors.Expect{Rules: e.strict}
		}
		return c, c.Args.Get("gate").Text()
	}
	t.Fatalf("no case is named %q", e.base)
	return rundir.Case{}, ""
}

// gateCases are the cases of the area gates, read once.
func gateCases(t testing.TB) []rundir.Case {
	t.Helper()
	loadCases.Do(func() { cases = rundir.Load(t, "gates") })
	return cases
}

var (
	loadCases sync.Once
	cases     []rundir.Case
)

// TestVectorsGates runs the vectors and the edits, and then asks that together they
// have tripped every rule: one that nothing can trip is not a rule.
func TestVectorsGates(t *testing.T) {
	fired := map[string]bool{"strict.pack.committed": true} // see TestCommitted
	t.Run("vectors", func(t *testing.T) { runVectors(t, fired) })
	t.Run("edits", func(t *testing.T) {
		for _, e := range edits {
			t.Run(e.base+" "+e.steps, func(t *testing.T) {
				c, name := e.build(t)
				checkCase(t, c, name, fired)
			})
		}
	})
	if testing.Short() { // only a sample of the vectors was run
		return
	}
	t.Run("every rule fires", func(t *testing.T) {
		for _, table := range gate.Tables() {
			if table == readiness.Table { // tripped by the tests of its own package
				continue
			}
			for _, r := range table.Rules() {
				if !fired[r.ID] {
					t.Errorf("nothing trips %s", r.ID)
				}
			}
		}
	})
}
