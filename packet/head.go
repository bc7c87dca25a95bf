package packet

import (
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

const (
	expectDigest     = "64 hexadecimal characters, lower-case"
	expectIdentifier = "1 to 256 of letters, digits and . _ : / -, the first a letter or digit"
)

// knownMembers are the top-level members of contract 05, §1. v2 does not have
// the last two.
var knownMembers = [...]string{
	"schema", "generatedAt", "status", "runId", "commit", "environment", "inputs", "validationRuntime",
	"requiredGates", "gateArtifacts", "artifactInventory", "roleProvenanceSha256", "bindings",
	"assuranceLevel", "catalogSnapshots",
}

const v2Members = len(knownMembers) - 2

// headChecks evaluates the rules that look at the packet's own members, in
// every mode (contract 05, §3 and §11). A packet under construction has no
// role provenance before it is reviewed.
func headChecks(out *verify.Findings, path string, doc canon.Node, digests *Digests, stage Stage) {
	at := func(name string) (canon.Node, verify.Place) {
		n := doc.At(name)
		return n, verify.At(path, n.Pointer)
	}
	schema, place := at("schema")
	v2 := schema.Is(SchemaV2)
	if !v2 && !schema.Is(SchemaV3) {
		out.Add("packet.schema.unsupported", place, verify.What{Found: verify.Show(schema.Value), Expected: SchemaV3 + " or " + SchemaV2})
	}
	if level, place := at("assuranceLevel"); !v2 && !isLevel(level.Text()) {
		out.Add(ruleLevelInvalid, place, verify.What{Found: verify.Show(level.Value), Expected: "structural, semantic or authoritative"})
	}
	if status, place := at("status"); !status.Is("ready") {
		out.Add("packet.status.not-ready", place, verify.What{Found: verify.Show(status.Value), Expected: `"ready"`})
	}
	if made, place := at("generatedAt"); !isCanonicalInstant(made.Value) {
		out.Add("packet.generated-at.not-canonical", place, verify.What{Found: verify.Show(made.Value), Expected: "an instant such as 2031-03-02T10:05:00.000Z"})
	}
	for _, m := range []struct{ member, rule string }{
		{"runId", "packet.run-id.invalid"}, {"commit", "packet.commit.invalid"}, {"environment", "packet.environment.invalid"},
	} {
		if n, place := at(m.member); !canon.IsIdentifier(n.Value) {
			out.Add(m.rule, place, verify.What{Found: verify.Show(n.Value), Expected: expectIdentifier})
		}
	}
	if digest, place := at("roleProvenanceSha256"); stage.reviewed() && !canon.IsDigest(digest.Value) {
		out.Add("packet.role-provenance.digest-invalid", place, verify.What{Found: verify.Show(digest.Value), Expected: expectDigest})
	}
	requiredGatesShape(out, path, doc.At("requiredGates"))
	if gates, place := at("gateArtifacts"); !gates.IsArray() {
		out.Add("packet.gate-artifacts.not-array", place, verify.What{Found: verify.Show(gates.Value), Expected: "an array of gate entries"})
	}
	if out.Strict() {
		strictHead(out, path, doc, digests, stage)
	}
}

func requiredGatesShape(out *verify.Findings, path string, gates canon.Node) {
	const rule = "packet.required-gates.invalid"
	if !gates.IsArray() {
		out.Add(rule, verify.At(path, gates.Pointer), verify.What{Found: verify.Show(gates.Value), Expected: "an array of gate names"})
	}
	seen := map[string]bool{}
	for _, g := range gates.Items() {
		place := verify.At(path, g.Pointer)
		if !canon.IsIdentifier(g.Value) {
			out.Add(rule, place, verify.What{Found: verify.Show(g.Value), Expected: expectIdentifier})
		}
		if seen[g.Text()] {
			out.Add("strict.packet.duplicate-required-gate", place, verify.What{Found: verify.Show(g.Value) + " again", Expected: "each gate once"})
		}
		seen[g.Text()] = true
	}
}

func strictHead(out *verify.Findings, path string, doc canon.Node, digests *Digests, stage Stage) {
	known := knownMembers[:]
	if doc.Get("schema").Is(SchemaV2) {
		known = knownMembers[:v2Members]
	}
	for _, m := range doc.Members() {
		if !slices.Contains(known, m.Name) {
			out.Add("strict.packet.unknown-member", verify.At(path, doc.At(m.Name).Pointer), verify.What{Found: verify.Quote(m.Name)})
		}
	}
	if inventory := doc.At("artifactInventory"); inventory.Present() && !inventory.IsArray() {
		out.Add("strict.packet.inventory-not-array", verify.At(path, inventory.Pointer), verify.What{
			Found: verify.Show(inventory.Value), Expected: "an array, or no such member"})
	}
	for _, pointer := range absentHashed(doc.Value) {
		if pointer == "/roleProvenanceSha256" && !stage.reviewed() {
			continue
		}
		out.Add("strict.canon.absent-member", verify.At(path, pointer), verify.What{Found: "absent"})
	}
	evidence.StrictDigests(out, path, digestMembers(doc, digests)...)
}

// digestMembers are the members of a packet that hold digests.
func digestMembers(doc canon.Node, digests *Digests) []canon.Node {
	list := []canon.Node{doc.At("roleProvenanceSha256")}
	for _, s := range inputSpecs {
		list = append(list, doc.At("inputs").At(string(s.Name)).At("sha256"))
	}
	for _, g := range doc.At("gateArtifacts").Items() {
		list = append(list, g.At("sha256"))
		for _, s := range g.At("supportingArtifacts").Items() {
			list = append(list, s.At("sha256"))
		}
	}
	runtime := doc.At("validationRuntime")
	for _, f := range runtime.At("files").Items() {
		list = append(list, f.At("sha256"))
	}
	list = append(list, runtime.At("runtimeSha256"), runtime.At("reviewTrustSha256"), runtime.At("setSha256"))
	for _, e := range doc.At("artifactInventory").Items() {
		list = append(list, e.At("sha256"))
	}
	if !doc.Get("schema").Is(SchemaV2) {
		for _, s := range doc.At("catalogSnapshots").Items() {
			list = append(list, s.At("sourceSha256"), s.At("sha256"))
		}
	}
	for _, b := range digests.Bindings {
		list = append(list, doc.At("bindings").At(b.Name))
	}
	return list
}

// isCanonicalInstant accepts exactly YYYY-MM-DDTHH:MM:SS.mmmZ of a real
// instant, the one form that prints back to itself.
func isCanonicalInstant(v canon.Value) bool {
	const form = "2006-01-02T15:04:05.000Z"
	s := v.Text()
	_, real := canon.Timestamp(s)
	return real && len(s) == len(form) && s[19] == '.' && s[23] == 'Z'
}
