package readiness_test

import (
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/rundir"
	"finishline/verify"
	"finishline/verify/readiness"
)

// An op changes one place of a document; value is JSON.
type op struct{ file, verb, pointer, value string }

// An edit changes a valid run and says which rules must fire then, at base
// level and, where it differs, at strict level.
type edit struct {
	name    string
	fixture string
	ops     []op
	rules   []string
	strict  []string
}

func doc(verb, pointer, value string) op { return op{assessmentFile, verb, pointer, value} }
func cls(verb, pointer, value string) op { return op{clsFile, verb, pointer, value} }
func own(verb, pointer, value string) op { return op{catalogFile, verb, pointer, value} }

func ops(list ...op) []op         { return list }
func ids(list ...string) []string { return list }

const naSecurity = `{"layer":"security","applicability":"not-applicable","status":"skipped","owner":"o","reason":"r"}`

var edits = []edit{
	{"environment", "t2-enterprise", ops(doc("replace", "/environment", `" "`)),
		ids("evidence.binding.environment", "readiness.v2.binding.environment", "readiness.v2.environment"), nil},
	{"commit of the classification", "t2-enterprise", ops(cls("replace", "/commit", `"0c41d7a0b3e25f6688c0aa17de94b2f3015e7c6d"`)),
		ids("readiness.v2.binding.commit"), nil},
	{"absent in both is bound", "t2-enterprise", ops(cls("remove", "/runId", ""), doc("remove", "/runId", "")), ids("readiness.v2.run-id"), nil},
	{"a list is bound to nothing", "t2-enterprise", ops(cls("replace", "/runId", `["RUN-LANTERN-07"]`), doc("replace", "/runId", `["RUN-LANTERN-07"]`)),
		ids("evidence.binding.run-id", "readiness.v2.binding.run-id", "readiness.v2.run-id"), nil},
	{"requestedProfile, not profile", "t2-enterprise", ops(cls("replace", "/profile", `"prototype"`)), nil, nil},
	{"own names only", "t2-enterprise", ops(cls("replace", "/effectiveTier", `"constructor"`)), ids("readiness.classification.tier-unknown"), nil},

	{"padded layer name", "t2-enterprise", ops(doc("replace", "/layers/0/layer", `" frontend"`)),
		nil, ids("readiness.v2.layer.missing", "readiness.v2.layer.unknown")},
	{"padded repetition", "t2-enterprise", ops(doc("add", "/layers/-", `{"layer":"security ","applicability":"required","status":"passed","owner":"o"}`)),
		ids("readiness.v2.control.missing", "readiness.v2.layer.duplicate"), ids("readiness.v2.layer.duplicate", "readiness.v2.layer.unknown")},
	{"the later entry counts", "t2-enterprise", ops(doc("add", "/layers/-", naSecurity)),
		ids("readiness.v2.cross-cutting", "readiness.v2.dependency.unsatisfied", "readiness.v2.layer.duplicate"), nil},
	{"padded dependency status", "t2-enterprise", ops(doc("replace", "/layers/7/status", `"passed "`)),
		nil, ids("readiness.v2.dependency.unsatisfied", "readiness.v2.layer.required-status")},
	{"padded na status", "t1-production", ops(doc("replace", "/layers/3/status", `"skipped "`)), nil, ids("readiness.v2.layer.na-status")},
	{"a blank reason hides skipReason", "t1-production", ops(doc("replace", "/layers/3/reason", `" "`), doc("add", "/layers/3/skipReason", `"why"`)),
		ids("readiness.v2.layer.na-reason"), nil},
	{"an absent reason does not", "t1-production", ops(doc("replace", "/layers/3/reason", `0`), doc("add", "/layers/3/skipReason", `"why"`)), nil, nil},
	{"na without owner", "t1-production", ops(doc("remove", "/layers/3/owner", "")), ids("readiness.v2.layer.owner"), nil},
	{"empty controls of a na layer", "t1-production", ops(doc("add", "/layers/3/controls", `[]`)), nil, nil},
	{"edges of a na layer", "t1-production", ops(doc("add", "/layers/3/dependencies", `["frontend", 7]`)), nil, nil},

	{"padded control id", "t2-enterprise", ops(doc("replace", "/layers/0/controls/0/id", `" FE-ACCESSIBILITY-001"`)),
		nil, ids("readiness.v2.control.missing", "readiness.v2.control.unknown")},
	{"padded control status", "t2-enterprise", ops(doc("replace", "/layers/0/controls/0/status", `"passed\n"`)), nil, ids("control.status.unsupported")},
	{"null control", "t2-enterprise", ops(doc("add", "/layers/0/controls/-", `null`)), ids("control.shape.object", "readiness.v2.control.unknown"), nil},
	{"two controls without id", "t2-enterprise", ops(doc("add", "/layers/0/controls/-", `{"id":7,"status":"pending"}`), doc("add", "/layers/0/controls/-", `[]`)),
		ids("control.id.missing", "control.shape.object", "control.status.blocking", "readiness.v2.control.duplicate", "readiness.v2.control.unknown"), nil},
	{"control of another layer", "t2-enterprise", ops(doc("replace", "/layers/0/controls/0/id", `"SEC-THREAT-001"`)),
		ids("evidence.binding.subject", "readiness.v2.control.missing", "readiness.v2.control.unknown"), nil},
	{"controls are no list", "t2-enterprise", ops(doc("replace", "/layers/0/controls", `{"a":1}`)), ids("readiness.v2.control.missing"), nil},
	{"evidence is no list", "t2-enterprise", ops(doc("replace", "/layers/0/controls/0/evidence", `"log"`)), ids("control.evidence.missing"), nil},
	{"evidence is null", "t2-enterprise", ops(doc("replace", "/layers/0/controls/0/evidence", `null`)),
		ids("control.evidence.missing", "readiness.v2.control.evidence-type"), nil},
	{"padded evidence type", "t2-enterprise", ops(doc("replace", "/layers/0/controls/0/evidence/0/type", `"command "`)),
		ids("readiness.v2.control.evidence-type"), ids("evidence.type.unknown", "readiness.v2.control.evidence-type")},
	{"failed control", "t2-enterprise", ops(doc("replace", "/layers/0/controls/0", `{"id":"FE-ACCESSIBILITY-001","status":"failed","failureReason":"f","recoveryPath":"r"}`)),
		ids("control.status.blocking"), nil},

	{"edges repeat", "t2-enterprise", ops(doc("replace", "/layers/1/dependencies", `["error-tracking-logs-observability","error-tracking-logs-observability"]`)), nil, nil},
	{"edges are no list", "t2-enterprise", ops(doc("replace", "/layers/1/dependencies", `"frontend"`), doc("add", "/layers/1/conditionalDependencies", `{}`)), nil, nil},
	{"an edge is null", "t2-enterprise", ops(doc("replace", "/layers/1/dependencies", `[null]`)), ids("readiness.v2.dependency.undeclared"), nil},
	{"a hard edge as conditional", "t2-enterprise", ops(doc("add", "/layers/1/conditionalDependencies", `["error-tracking-logs-observability"]`)),
		ids("readiness.v2.dependency.conditional-undeclared"), nil},

	{"map of v2", "t0-prototype", ops(doc("replace", "/layers", `{"frontend":null,"x":{"layer":"security","applicability":"required","status":"passed","owner":"o"}}`)),
		ids("readiness.v2.control.missing", "readiness.v2.layer.applicability", "readiness.v2.layer.missing", "readiness.v2.layer.owner", "readiness.v2.layer.required-status"),
		ids("readiness.hardening.layers-array", "readiness.v2.control.missing", "readiness.v2.layer.applicability", "readiness.v2.layer.missing", "readiness.v2.layer.owner", "readiness.v2.layer.required-status")},
	{"map member layer is null", "t0-prototype", ops(doc("replace", "/layers", `{"frontend":{"layer":null}}`)),
		ids("readiness.v2.layer.missing", "readiness.v2.layer.name", "readiness.v2.no-required-layer"),
		ids("readiness.hardening.layers-array", "readiness.v2.layer.missing", "readiness.v2.layer.name", "readiness.v2.no-required-layer")},
	{"layers are a text", "t0-prototype", ops(doc("replace", "/layers", `"all"`)), ids("readiness.v2.layer.missing", "readiness.v2.no-required-layer"),
		ids("readiness.hardening.layers-array", "readiness.v2.layer.missing", "readiness.v2.no-required-layer")},

	{"failed without texts", "v1", ops(doc("replace", "/layers/0", `{"layer":"frontend","status":"failed"}`)),
		ids("readiness.v1.layer.blocking", "readiness.v1.layer.failed-reason", "readiness.v1.layer.failed-recovery"), nil},
	{"padded status", "v1", ops(doc("replace", "/layers/0/status", `"skipped "`)), nil, ids("readiness.v1.layer.status-unsupported")},
	{"padded name", "v1", ops(doc("replace", "/layers/0/layer", `" frontend "`)), nil, nil},
	{"id where layer is falsy", "v1", ops(doc("replace", "/layers/0/layer", `0`), doc("add", "/layers/0/id", `"frontend"`)), nil, nil},
	{"a blank layer is truthy", "v1", ops(doc("replace", "/layers/0/layer", `" "`), doc("add", "/layers/0/id", `"frontend"`)),
		ids("readiness.v1.layer.missing", "readiness.v1.layer.name"), nil},
	{"exit code in words", "v1", ops(doc("replace", "/layers/1", `{"layer":"backend-api-logic","status":"passed","commands":[{"exitCode":"0"},null,{"exitCode":false}]}`)),
		ids("readiness.v1.layer.evidence"), nil},
	{"exit code -0", "v1", ops(doc("replace", "/layers/1", `{"layer":"backend-api-logic","status":"passed","commands":[{"exitCode":-0}]}`)), nil, nil},
	{"a list of proofs", "v1", ops(doc("replace", "/layers/1", `{"layer":"backend-api-logic","status":"passed","proof":[7," ","p"]}`)), nil, nil},
	{"layers are a number", "v1", ops(doc("replace", "/layers", `13`)), ids("readiness.v1.layer.missing"), nil},
	{"key and member differ", "v1", ops(doc("replace", "/layers", `{"frontend":{"layer":"security","status":"skipped","reason":"r"},"security":{"layer":"frontend","status":"skipped","reason":"r"}}`)),
		ids("readiness.v1.layer.missing"), ids("readiness.hardening.map-key-conflict", "readiness.v1.layer.missing")},

	{"layer twice", "t1-catalog", ops(own("replace", "/layers/12/layer", `"security"`)),
		ids("catalog.control.missing-canonical", "catalog.control.non-canonical", "catalog.dependency.cycle", "catalog.layer.duplicate"), nil},
	{"capability twice", "t1-catalog", ops(own("replace", "/layers/3/capabilities/0/id", `"threat-management"`), own("replace", "/layers/3/controls/0/capability", `"threat-management"`)),
		ids("catalog.capability.duplicate"), nil},
	{"control twice", "t1-catalog", ops(own("add", "/layers/3/controls/-", `{"id":"AUTH-AUTHZ-001","capability":"tenant-isolation","requirement":"r","proofPolicy":{"types":["command"]}}`)),
		ids("catalog.control.duplicate"), nil},
	{"control without id", "t1-catalog", ops(own("remove", "/layers/3/controls/0/id", "")), ids("catalog.control.invalid", "catalog.control.missing-canonical"), nil},
	{"layer is null", "t1-catalog", ops(own("replace", "/layers/3", `null`)), ids("catalog.capability.none", "catalog.control.none", "catalog.layer.title", "catalog.layer.unknown"), nil},
	{"an edge to itself", "t1-catalog", ops(own("replace", "/layers/7/conditionalDependencies", `["security"]`)), ids("catalog.dependency.cycle"), nil},
	{"a conditional cycle", "t1-catalog", ops(own("replace", "/layers/5/conditionalDependencies", `["availability-recovery-dr"]`)), ids("catalog.dependency.cycle"), nil},
	{"edges in another order", "t1-catalog", ops(own("replace", "/layers/5/dependencies", `["error-tracking-logs-observability","security"]`)), ids("catalog.structure-mismatch"), nil},
	{"no list of edges", "t1-catalog", ops(own("remove", "/layers/7/dependencies", "")), ids("catalog.structure-mismatch"), nil},
	{"edges are a text", "t1-catalog", ops(own("replace", "/layers/5/dependencies", `"security"`)), ids("catalog.structure-mismatch"), nil},
	{"padded capability", "t1-catalog", ops(own("replace", "/layers/0/capabilities/1/id", `"frontend-performance "`), own("replace", "/layers/0/controls/2/capability", `"frontend-performance "`)),
		ids("catalog.structure-mismatch"), nil},
	{"another capability of the layer", "t1-catalog", ops(own("replace", "/layers/0/controls/2/capability", `"frontend-experience"`)), ids("catalog.structure-mismatch"), nil},
	{"a proof type of no evidence", "t1-catalog", ops(own("replace", "/layers/0/controls/2/proofPolicy/types", `["metric","hearsay"]`)), ids("catalog.control.proof-types"), nil},
	{"other words", "t1-catalog", ops(own("replace", "/version", `7`), own("remove", "/profiles", ""), own("replace", "/layers/0/title", `"x"`)), nil, nil},
}

// TestRules runs the vectors and the edits, and then asks that together they
// have tripped every rule: one that nothing can trip is not a rule.
func TestRules(t *testing.T) {
	fired := map[string]bool{}
	note := func(o *readiness.Outcome) {
		for _, f := range o.Findings.List() {
			fired[f.Rule] = true
		}
	}
	for _, area := range []string{"readiness-v2", "readiness-v1"} {
		for _, c := range rundir.Load(t, area) {
			root := open(t, c.Build(t))
			for _, level := range levels {
				note(judge(t, root, c, level))
			}
		}
	}
	for _, e := range edits {
		t.Run(e.fixture+" "+e.name, func(t *testing.T) {
			s, in := e.scene(t)
			for _, level := range levels {
				in.Level = level
				o := s.judge(t, in)
				note(o)
				want := vectors.Expect{Valid: e.rules == nil, Rules: e.rules}
				if level == verify.Strict && e.strict != nil {
					want = vectors.Expect{Rules: e.strict}
				}
				check(t, level, o, want)
			}
		})
	}
	for _, r := range readiness.Table.Rules() {
		if !fired[r.ID] {
			t.Errorf("nothing trips %s", r.ID)
		}
	}
}

// scene builds the run of an edit; a changed classification is bound again.
func (e edit) scene(t *testing.T) (*scene, readiness.Input) {
	t.Helper()
	in := readiness.Input{}
	if e.fixture == "v1" {
		in.Legacy = readiness.LegacyAllowed
	}
	s := ofFixture(t, e.fixture)
	if e.fixture == "t1-catalog" {
		in.Catalog = catalogFile
	}
	for _, o := range e.ops {
		switch o.file {
		case assessmentFile:
			s.doc = edited(t, s.doc, o.verb, o.pointer, o.value)
		case clsFile:
			s.classify(t, edited(t, s.cls, o.verb, o.pointer, o.value))
		default:
			s.write(t, o.file, string(canon.Compact(edited(t, s.read(t, o.file), o.verb, o.pointer, o.value))))
		}
	}
	s.write(t, assessmentFile, string(canon.Compact(s.doc)))
	return s, in
}

func ofFixture(t *testing.T, fixture string) *scene {
	t.Helper()
	if fixture == "v1" {
		return historical(t)
	}
	return current(t, fixture)
}
