package gate_test

import (
	"fmt"

	"finishline/canon"
)

const (
	foundationFile = "foundation/assessment.json"
	aiFile         = "ai/assurance.json"
	domainFile     = "domain/assurance.json"
	graphFile      = "graph/graph.json"
	freshFile      = "graph/freshness.json"
	anchorFile     = "design/anchors.json"
)

func init() {
	for _, g := range []struct{ gate, base, file string }{
		{"foundation", "foundation-ok-tenant", foundationFile},
		{"ai-assurance", "ai-ok-tenant", aiFile},
		{"domain-assurance", "domain-ok-tenant", domainFile},
	} {
		edits = append(edits, readEdits(g.gate, g.base, g.file)...)
		edits = append(edits, headerEdits(g.gate, g.base, g.file, "binding.")...)
		edits = append(edits, tierEdits(g.gate, g.base, g.file)...)
	}
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

// headerEdits trip block H. bound is the prefix of the rule that binds a member
// which is not there, "" when none does.
func headerEdits(gate, base, file, bound string) []edit {
	var list []edit
	for member, suffix := range map[string]string{"runId": "run-id", "environment": "environment", "commit": "commit", "profile": "profile"} {
		rules := ids(gate + "." + suffix)
		if bound != "" {
			rules = append(rules, gate+"."+bound+suffix)
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
