package gate_test

import (
	"fmt"
	"strings"

	"finishline/canon"
)

const (
	foundationFile = "foundation/assessment.json"
	aiFile         = "ai/assurance.json"
	domainFile     = "domain/assurance.json"
	graphFile      = "graph/graph.json"
	freshFile      = "graph/freshness.json"
	anchorFile     = "design/anchors.json"
	contextFile    = "context/manifest.json"
	evalFile       = "evals/results.json"
	smokeFile      = "smoke/smoke_proof.json"
)

func init() {
	for _, g := range []struct{ gate, base, file string }{
		{"foundation", "foundation-ok-tenant", foundationFile},
		{"ai-assurance", "ai-ok-tenant", aiFile},
		{"domain-assurance", "domain-ok-tenant", domainFile},
	} {
		edits = append(edits, readEdits(g.gate, g.base, g.file)...)
		edits = append(edits, headerEdits(g.gate, g.base, g.file, g.gate+".binding.*")...)
		edits = append(edits, tierEdits(g.gate, g.base, g.file)...)
	}
	for _, g := range []struct {
		gate, base, file string
		bound            []string
	}{
		{"context", "context-ok-tenant", contextFile, nil}, {"smoke", "smoke-ok", smokeFile, nil},
		{"eval", "eval-ok-tenant", evalFile, ids("eval.binding", "eval.context.result")},
	} {
		edits = append(edits, readEdits(g.gate, g.base, g.file)...)
		edits = append(edits, headerEdits(g.gate, g.base, g.file, g.bound...)...)
	}
	edits = append(edits, contextEdits...)
	edits = append(edits, evalEdits...)
	edits = append(edits, smokeEdits...)
	edits = append(edits, foundationEdits...)
	edits = append(edits, aiEdits...)
	edits = append(edits, domainEdits...)
	edits = append(edits, codeIntelEdits...)
}

// readEdits trip the rules of reading a gate's document.
func readEdits(gate, base, file string) []edit {
	return []edit{
		{base, fmt.Sprintf(`{"remove":[%q]}`, file), ids(gate + ".missing"), nil},
		{base, fmt.Sprintf(`{"files":{%q:"{"}}`, file), ids(gate + ".json"), nil},
		{base, fmt.Sprintf(`{"files":{%q:"[]"}}`, file), ids(gate + ".object"), nil},
		{base, fmt.Sprintf(`{"remove":[%q],"files":{%q:""}}`, file, file+"/x"), ids(gate + ".missing"), nil},
	}
}

// headerEdits trip block H. bound are the rules that miss a member which is
// bound, with * for the suffix of its own rule.
func headerEdits(gate, base, file string, bound ...string) []edit {
	var list []edit
	for member, suffix := range map[string]string{"runId": "run-id", "environment": "environment", "commit": "commit", "profile": "profile"} {
		rules := ids(gate + "." + suffix)
		for _, rule := range bound {
			rules = append(rules, strings.ReplaceAll(rule, "*", suffix))
		}
		list = append(list, edit{base, drop(file, "/"+member), rules, nil})
	}
	return append(list, edit{base, drop(file, "/generatedAt"), ids(gate + ".generated-at"), nil})
}

// tierEdits trip block T.
func tierEdits(gate, base, file string) []edit {
	unknown := `{"effectiveTier":"constructor"}`
	tierless := fmt.Sprintf(`{"files":{%q:%q},"patches":{%q:[{"op":"add","path":"/workloadClassificationSha256","value":%q}]}}`,
		clsFile, unknown, file, canon.SHA256([]byte(unknown)))
	return []edit{
		{base, fmt.Sprintf(`{"remove":[%q]}`, clsFile), ids(gate + ".classification.missing"), nil},
		{base, fmt.Sprintf(`{"files":{%q:"[]"}}`, clsFile), ids(gate + ".classification.missing"), nil},
		{base, tierless, ids(gate + ".classification.tier-unknown"), nil},
		{base, set(file, "/effectiveTier", `"t2"`), ids(gate+".effective-tier", gate+".binding.effective-tier"), nil},
		{base, set(file, "/workloadClassificationSha256", `"5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"`),
			ids(gate + ".binding.classification-digest"), nil},
	}
}

var foundationEdits = []edit{
	{"foundation-ok-tenant", set(foundationFile, "/owner", `"\u2003"`), ids("foundation.owner"), nil},
	{"foundation-ok-tenant", set(foundationFile, "/capabilities", `{}`), ids("foundation.capability.missing"), nil},
	{"foundation-ok-tenant", set(foundationFile, "/capabilities/2", `null`), ids("foundation.json"), nil},
	{"foundation-ok-tenant", set(foundationFile, "/capabilities/-", `{"id":"constructor"}`), ids("foundation.capability.unknown"), nil},
	{"foundation-ok-tenant", drop(foundationFile, "/capabilities/0/owner"), ids("foundation.capability.owner"), nil},
	{"foundation-ok-tenant", set(foundationFile, "/capabilities/6/status", `"Passed"`), ids("foundation.capability.status"), nil},
	{"foundation-ok-tenant", set(foundationFile, "/capabilities/0/id", `" product-domain "`), nil, nil},
	{"foundation-ok-tenant", set(foundationFile, "/capabilities/0/controls/1/id", `"FND-PRODUCT-001"`),
		ids("evidence.binding.subject", "foundation.control.duplicate", "foundation.control.missing"), nil},
	{"foundation-ok-tenant", set(foundationFile, "/capabilities/0/controls/0/evidence/0/type", `"metric"`),
		ids("evidence.metric.metric-missing", "evidence.metric.observed-at", "evidence.metric.operator", "evidence.metric.source-missing",
			"evidence.metric.target", "evidence.metric.value", "evidence.metric.window-missing", "foundation.control.evidence-type"), nil},
	// A padded status or type is passed for contract 07 at base level, but the type rule looks at the raw text.
	{"foundation-ok-tenant", set(foundationFile, "/capabilities/0/controls/0/evidence", `[]`), ids("control.evidence.missing", "foundation.control.evidence-type"), nil},
	{"foundation-ok-tenant", set(foundationFile, "/capabilities/0/controls/0/status", `" passed"`), nil, ids("control.status.unsupported")},
	{"foundation-ok-tenant", set(foundationFile, "/capabilities/0/controls/0/evidence/0/type", `"artifact "`),
		ids("foundation.control.evidence-type"), ids("evidence.type.unknown", "foundation.control.evidence-type")},
	{"foundation-ok-tenant", set(foundationFile, "/catalogSha256", `"267755B646066D3D7E4C05613C7D2D9000EC7841D4769CF4F08D3B43E57CDD5B"`), ids("foundation.catalog-digest"), nil},
	{"foundation-runbook-na", set(foundationFile, "/capabilities/2/applicability", `"required"`),
		ids("foundation.capability.not-needed", "foundation.capability.status", "foundation.control.missing"), nil},
	{"foundation-ok-proto", fmt.Sprintf(`{"patches":{%q:[{"op":"remove","path":"/capabilities/0"},{"op":"add","path":"/capabilities/-","value":
		{"id":"product-domain","owner":"o","applicability":"not-applicable","status":"skipped","reason":"r"}}]}}`, foundationFile),
		ids("foundation.capability.na-forbidden", "foundation.dependency.unsatisfied"), nil},
	// With a pack the catalog counts as it lies there, and these vectors have none.
	{"foundation-ok-tenant", `{"files":{"skills/registry.json":"{}"}}`, ids("foundation.catalog-digest"), nil},
}

var aiEdits = []edit{
	{"ai-ok-tenant", set(aiFile, "/workloadDetected", `"true"`), ids("ai-assurance.binding.ai", "ai-assurance.detected"), nil},
	{"ai-none-controls", drop(aiFile, "/skipReason"), ids("ai-assurance.skip-reason"), nil},
	{"ai-ok-tenant", set(aiFile, "/features/tools", `true`), ids("ai-assurance.binding.ai", "ai-assurance.control.missing", "ai-assurance.profile-one"), nil},
	{"ai-ok-tenant", set(aiFile, "/controls/-", `{"id":"AI-RAG-001","status":"failed","failureReason":"a","recoveryPath":"b"}`),
		ids("ai-assurance.control.inactive", "control.status.blocking"), nil},
	{"ai-ok-tenant", set(aiFile, "/controls/1/id", `"AI-INVENTORY-001"`),
		ids("ai-assurance.control.duplicate", "ai-assurance.control.missing", "evidence.binding.subject"), nil},
	{"ai-ok-tenant", set(aiFile, "/controls/-", `null`), ids("ai-assurance.control.unknown", "control.shape.object"), nil},
	{"ai-ok-tenant", set(aiFile, "/controls", `null`), ids("ai-assurance.control.missing"), nil},
}

var domainEdits = []edit{
	{"domain-ok-tenant", set(domainFile, "/packs", `{"id":"saas"}`), ids("domain-assurance.pack-mismatch", "domain-assurance.packs", "domain-assurance.skip-reason", "domain-assurance.status"), nil},
	{"domain-ok-tenant", set(domainFile, "/packs/-", `null`), ids("domain-assurance.json"), nil},
	{"domain-ok-tenant", set(domainFile, "/packs/-", `7`), ids("domain-assurance.pack-mismatch", "domain-assurance.pack.unknown"), nil},
	{"domain-ok-tenant", set(domainFile, "/packs/0/controls/1/id", `"SAAS-TENANT-001"`),
		ids("domain-assurance.control.duplicate", "domain-assurance.control.missing", "evidence.binding.subject"), nil},
	{"domain-ok-tenant", set(domainFile, "/packs/0/controls/-", `{"id":"IOS-BUILD-001","status":"failed","failureReason":"a","recoveryPath":"b","evidence":[]}`),
		ids("control.status.blocking", "domain-assurance.control.unknown", "domain-assurance.ios.archive", "domain-assurance.ios.receipt"), nil},
	{"domain-ok-orrery", set(domainFile, "/packs/0/controls/3/evidence/0/trustTier", `"automated-local"`),
		ids("domain-assurance.ios.archive-trust", "evidence.producer.kind-mismatch", "evidence.trust.below-minimum"), nil},
	{"domain-ok-orrery", set(domainFile, "/packs/0/controls/3/evidence/0/command", `"\n\u00a0XcodeBuild -x ARCHIVE"`), nil, nil},
}

var codeIntelEdits = []edit{
	{"ci-ok-tenant", fmt.Sprintf(`{"remove":[%q]}`, freshFile), ids("code-intelligence.freshness"), nil},
	{"ci-ok-tenant", fmt.Sprintf(`{"files":{%q:"null",%q:"null"}}`, graphFile, freshFile), ids("code-intelligence.graph"), nil},
	{"ci-ok-tenant", fmt.Sprintf(`{"files":{%q:"[]"}}`, graphFile), ids("code-intelligence.graph"), nil},
	{"ci-ok-tenant", fmt.Sprintf(`{"files":{%q:"\"src/kiln.txt\""}}`, anchorFile), ids("code-intelligence.anchors"), nil},
	{"ci-ok-tenant", fmt.Sprintf(`{"files":{%q:"[null]"}}`, anchorFile), ids("code-intelligence.anchors"), nil},
	{"ci-ok-tenant", fmt.Sprintf(`{"files":{%q:"[{\"path\":0,\"file\":\"./src//kiln.txt\"}]"}}`, anchorFile), nil, ids("code-intelligence.anchors")},
	{"ci-ok-tenant", set(graphFile, "/codeIntelligence/evidenceArtifact", `"graph"`), ids("code-intelligence.provider"), nil},
	{"ci-ok-tenant", `{"symlinks":{"graph/graph.json":"../graph.real"},"files":{"graph.real":"null"}}`, ids("code-intelligence.graph"), nil},
}

var contextEdits = []edit{
	{"context-ok-tenant", set(contextFile, "/loadedFiles", `{}`), ids("context.budget", "context.files"), nil},
	{"context-ok-tenant", set(contextFile, "/loadedFiles/0/path", `7`), ids("context.file.path"), nil},
	{"context-ok-tenant", set(contextFile, "/loadedFiles/0/path", `" notes/guide.md\ufeff"`), nil, nil},
	{"context-ok-tenant", set(contextFile, "/loadedFiles/0/loadedAt", `"2026-05-11"`), ids("context.file.loaded-at"), nil},
	{"context-ok-tenant", set(contextFile, "/budget/loadedTokens", `"52"`), ids("context.budget"), nil},
	{"context-ok-tenant", set(contextFile, "/budget/maxTokens", `51`), ids("context.budget"), nil},
	{"context-ok-tenant", set(contextFile, "/schema", `"uash.context-manifest.v1"`), nil, nil},
	{"context-ok-tenant", drop(contextFile, "/contextQuality"), ids("context.quality.object"), nil},
	{"context-ok-tenant", set(contextFile, "/contextQuality/baselineMode", `"none"`), ids("context.quality.baseline-mode"), nil},
	{"context-ok-tenant", set(contextFile, "/contextQuality/caseSet", `null`), ids("context.quality.case-set"), nil},
	{"context-ok-tenant", set(contextFile, "/contextQuality/caseSet/path", `""`), ids("context.quality.case-set"), nil},
	{"context-ok-tenant", fmt.Sprintf(`{"patches":{%q:[{"op":"move","from":"/contextQuality/caseSet","path":"/contextQuality/answerKey"},
		{"op":"add","path":"/contextQuality/caseSet","value":{"id":"kiln-set","version":"3","path":"evals/set.json",
		"sha256":"c28882ff23af1dd884d6ef20b467450c96583d10dba8a49cc33ec44b446bbe11","caseCount":3}}]}}`, contextFile), ids("context.quality.same-path"), nil},
	{"context-ok-tenant", set(contextFile, "/contextQuality/metric/minDelta", `0`), ids("context.quality.metric"), nil},
	// A name of the root that starts with two dots is no escape for a manifest.
	{"context-ok-tenant", fmt.Sprintf(`{"files":{"..x/g.md":"x"},"patches":{%q:[{"op":"replace","path":"/loadedFiles/0/path","value":"..x/g.md"},
		{"op":"replace","path":"/loadedFiles/0/sha256","value":%q}]}}`, contextFile, canon.SHA256([]byte("x"))), nil, nil},
}

// cmp is the comparison of the suite that measures the context.
const cmp = "/suites/1/contextComparison"

var evalEdits = []edit{
	{"eval-ok-tenant", `{"edits":{"context/manifest.json":[["{\n \"schema\"","{\n \"x\":1,\"x\":2,\"schema\""]]}}`, ids("eval.context.manifest-digest", "eval.context.result"),
		ids("eval.context.manifest-digest", "eval.context.result", "strict.json.duplicate-key")},
	{"eval-ok-tenant", `{"remove":["context/manifest.json"]}`, ids("eval.context"), nil},
	{"eval-ok-tenant", `{"files":{"context/manifest.json":"[]"}}`, ids("eval.context"), nil},
	{"eval-ok-tenant", set(evalFile, "/status", `"Passed"`), ids("eval.status"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites", `null`), ids("eval.context.suite", "eval.suites"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/0/id", `"\u3000"`), ids("eval.suite.id"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/0/id", `" kiln-context "`), ids("eval.suite.duplicate"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/0/datasets/-", `null`), ids("eval.suite.datasets"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/0/datasets/-", `{"id":" firings","version":"1","caseCount":1,"sha256":"18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4"}`),
		ids("eval.suite.datasets"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/0/startedAt", `"2026-05-11T10:00:00.001Z"`), ids("eval.suite.times"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/0/criticalFailures", `false`), ids("eval.suite.ai"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/0/slices/-", `null`), ids("eval.json"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/0/slices/-", `7`), ids("eval.suite.ai"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/0/contextComparison", `{}`), ids("eval.context.uncommissioned"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/1/evaluator/judgeIdentity/promptSha256", `"x"`), ids("eval.context.arm-binding", "eval.context.result", "eval.suite.judge"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/1/judgeCalibration/schema", `"x"`), ids("eval.suite.judge"), nil},
	{"eval-ok-tenant", set(evalFile, cmp+"/contextManifestSha256", `"B31504C39A1ECE33ADE57052BC68872AD926FEA437792583A23F39A477FC7500"`), ids("eval.context.manifest-digest"), nil},
	{"eval-ok-tenant", set(evalFile, cmp+"/criticalRegressions", `1`), ids("eval.context.critical", "eval.context.result"), nil},
	{"eval-ok-tenant", set(evalFile, cmp+"/criticalRegressions", `-0.0`), nil, nil},
	{"eval-ok-tenant", set(evalFile, cmp+"/baseline/value", `"0.25"`), ids("eval.context.arm", "eval.context.delta", "eval.context.min-delta", "eval.context.result"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/1/threshold", `0.5`), ids("eval.context.operator"), nil},
	{"eval-ok-tenant", set(evalFile, "/suites/1/resultPath", `"evals/base.json"`), ids("eval.context.suite-result", "eval.suite.result"), nil},
	{"eval-ok-tenant", set(evalFile, cmp+"/candidate/resultPath", `"evals/base.json"`),
		ids("eval.context.arm", "eval.context.distinct", "eval.context.result", "eval.context.suite-result"), nil},
	{"eval-ok-tenant", set(evalFile, cmp+"/candidate/value", `0.4`),
		ids("eval.context.delta", "eval.context.min-delta", "eval.context.result", "eval.context.suite-result", "eval.context.threshold"), nil},
	{"eval-ok-tenant", set(evalFile, "/runId", `"OTHER"`), ids("eval.binding", "eval.context.result"), nil},
}

var smokeEdits = []edit{
	{"smoke-ok", set(smokeFile, "/status", `"skipped"`), ids("smoke.status"), nil},
	{"smoke-ok", set(smokeFile, "/target/identifier", `"ORR-78"`), ids("smoke.target"), nil},
	{"smoke-ok", set(smokeFile, "/target/scheme", `"Other"`), ids("smoke.apple-identity"), nil},
	{"smoke-ok", set(smokeFile, "/target/kind", `"web"`), nil, nil},
}
