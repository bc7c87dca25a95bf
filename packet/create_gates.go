package packet

import (
	"context"
	"fmt"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// gateEntries makes the entries of the required gates, in their order.
func (b *builder) gateEntries() []canon.Value {
	supplied := b.supplied()
	var entries []canon.Value
	for _, gate := range b.required {
		if b.stage.lacks(gate) {
			continue
		}
		spec, _ := specOf(gate)
		if !slices.Contains(supplied, gate) {
			b.gateMissing(spec, gate+" was not named", "every gate that the inputs require: "+fmt.Sprint(b.required))
			continue
		}
		if entry, ok := b.gateEntry(spec); ok {
			entries = append(entries, entry)
		}
	}
	return entries
}

// supplied are the gates that the caller names, or all that are required.
func (b *builder) supplied() []string {
	if b.plan.Gates == nil {
		return b.required
	}
	seen := map[string]bool{}
	for _, gate := range b.plan.Gates {
		at := verify.At(DefaultPath, "/gateArtifacts")
		if seen[gate] {
			b.refuse(ruleGateTwice, at, verify.Quote(gate)+" again", "each gate once")
		}
		seen[gate] = true
		if !slices.Contains(b.required, gate) {
			b.refuse(ruleNotRequired, at, verify.Quote(gate), "one of "+fmt.Sprint(b.required))
		}
	}
	return b.plan.Gates
}

// gateMissing reports a required gate that cannot be supplied, by the rule that
// says who has to act.
func (b *builder) gateMissing(spec gateSpec, found, expected string) {
	rule := ruleGateMissing
	switch spec.kind {
	case proofGate:
		rule = ruleProof
	case reviewGate:
		rule = ruleReview
	}
	b.refuse(rule, verify.At(spec.path, ""), found, expected)
}

func (b *builder) gateEntry(spec gateSpec) (canon.Value, bool) {
	res, refErr := b.root.SafeFile(spec.path, b.plan.Input.Level)
	if refErr != nil {
		b.gateMissing(spec, refErr.Reason, "the document of the gate "+spec.gate)
		return canon.Value{}, false
	}
	if res.Size() > int64(spec.maxBytes()) {
		b.refuse(ruleSelfCheck, verify.At(spec.path, ""), fmt.Sprintf("%d bytes", res.Size()), fmt.Sprintf("at most %d", spec.maxBytes()))
		return canon.Value{}, false
	}
	artifact, err := b.root.ReadResolved(res, int64(spec.maxBytes()))
	if err != nil {
		b.gateMissing(spec, reason(err), "the document of the gate "+spec.gate)
		return canon.Value{}, false
	}
	entry := []canon.Member{
		textMember("gate", spec.gate), textMember("path", spec.path), textMember("sha256", artifact.SHA256),
		{Name: "required", Value: canon.NewBool(true)},
		textMember("runId", b.plan.RunID), textMember("commit", b.plan.Commit), textMember("environment", b.plan.Environment),
	}
	if spec.gate == GateCodeIntelligence {
		support, ok := b.support(artifact)
		if !ok {
			return canon.Value{}, false
		}
		entry = append(entry, canon.Member{Name: "supportingArtifacts", Value: support})
	}
	return canon.Build(entry...), true
}

// support lists what supports a code graph, as the verifier derives it.
func (b *builder) support(graph *evidence.Artifact) (canon.Value, bool) {
	doc, err := graph.JSON(canon.MaxDocument)
	if err != nil {
		b.refuse(ruleSelfCheck, verify.At(graph.Path, ""), err.Error(), "a JSON document")
		return canon.Value{}, false
	}
	v := &verification{in: b.plan.Input, look: b.look}
	list, serr := v.expectedSupport(v.collect(), doc.Root)
	if serr != nil {
		b.doomed(verify.At(serr.path, ""), verify.What{Found: serr.why, Expected: "the files that support the code graph", Unevaluated: serr.unseen}, serr.causes)
		return canon.Value{}, false
	}
	entries := make([]canon.Value, len(list))
	for i, s := range list {
		entries[i] = canon.Build(textMember("kind", s.Kind), textMember("path", s.Path), textMember("sha256", s.SHA256))
	}
	return canon.NewArray(entries...), true
}

// closureIgnored refuses early what can never verify: the closure names the
// proof, so it is written after it, and a file that Git does not ignore would
// then change the application that was proved (05 §13).
func (b *builder) closureIgnored(ctx context.Context) {
	if !slices.Contains(b.required, GateClosure) || b.repo == nil {
		return // without a repository the runtime cannot be bound either
	}
	path, _ := CanonicalPath(GateClosure)
	at := verify.At(path, "")
	ix, err := b.repo.Index(ctx)
	if err != nil {
		b.refuse(ruleSelfCheck, at, err.Error(), "an answer from Git")
		return
	}
	defer ix.Close()
	ignored, err := ix.Ignored(ctx, path)
	switch {
	case err != nil:
		b.refuse(ruleSelfCheck, at, err.Error(), "an answer from Git")
	case !ignored:
		b.out.Add(ruleSelfCheck, at, verify.What{
			Found: "a file that Git does not ignore, written after the proof", Expected: "a committed .gitignore that names it",
			Hint: "ignore " + path + " before the proof is run: the closure names the proof, whose application state covers every file that Git sees"})
	}
}

func textMember(name, value string) canon.Member {
	return canon.Member{Name: name, Value: canon.NewString(value)}
}
