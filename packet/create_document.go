package packet

import (
	"context"
	"fmt"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// instantLayout is the canonical timestamp of §3, for time.Time.Format.
const instantLayout = "2006-01-02T15:04:05.000Z"

// snapshots takes the catalogs of the runtime as they are committed, in the
// order of the runtime's files, which are sorted by path.
func (b *builder) snapshots(ctx context.Context) []canon.Value {
	var list []canon.Value
	total := 0
	for _, f := range b.runtime.Files {
		if f.Kind != controlCatalog {
			continue
		}
		at := verify.At(f.Path, "")
		blob, err := b.repo.BlobAt(ctx, b.runtime.Tree, below(b.runtime.RuntimePath, f.Path))
		if err != nil {
			b.refuse(ruleSelfCheck, at, err.Error(), "the committed catalog")
			continue
		}
		if total += len(blob.Data); total > maxCatalogBytes {
			b.refuse(ruleSelfCheck, at, errTooMuchCatalogs.Error(), "a smaller pack")
			return nil
		}
		doc, err := canon.Read(blob.Data, canon.MaxDocument)
		if err != nil || !doc.Root.IsObject() {
			found := "no JSON object"
			if err != nil {
				found = err.Error()
			}
			b.refuse(ruleSelfCheck, at, found, "a catalog, a JSON object")
			continue
		}
		list = append(list, canon.Build(textMember("path", f.Path), textMember("sourceSha256", f.SHA256), textMember("sha256", canon.Digest(doc.Root)),
			canon.Member{Name: "document", Value: doc.Root}))
	}
	return list
}

// document is the packet without what follows from the review.
func (b *builder) document(gates, snapshots []canon.Value, inventory canon.Value) canon.Value {
	inputs := make([]canon.Member, len(inputSpecs))
	for i, spec := range inputSpecs {
		inputs[i] = canon.Member{Name: string(spec.Name),
			Value: canon.Build(textMember("path", spec.Path), textMember("sha256", b.inputs[spec.Name].artifact.SHA256))}
	}
	required := make([]canon.Value, len(b.required))
	for i, gate := range b.required {
		required[i] = canon.NewString(gate)
	}
	return canon.Build(
		textMember("schema", SchemaV3), textMember("generatedAt", b.plan.GeneratedAt.UTC().Format(instantLayout)), textMember("status", "ready"),
		textMember("runId", b.plan.RunID), textMember("commit", b.plan.Commit), textMember("environment", b.plan.Environment),
		textMember("assuranceLevel", b.plan.AssuranceLevel),
		canon.Member{Name: "inputs", Value: canon.Build(inputs...)},
		canon.Member{Name: "validationRuntime", Value: b.runtime.Value()},
		canon.Member{Name: "requiredGates", Value: canon.NewArray(required...)},
		canon.Member{Name: "gateArtifacts", Value: canon.NewArray(gates...)},
		canon.Member{Name: "catalogSnapshots", Value: canon.NewArray(snapshots...)},
		canon.Member{Name: "artifactInventory", Value: inventory},
	)
}

// finish adds what follows from the review.
func (b *builder) finish(doc canon.Value) (canon.Value, bool) {
	path, _ := CanonicalPath(GateReview)
	_, signed, bad := b.root.ReadDocument(path, b.plan.Input.Level, (*evidence.Root).SafeFile, canon.MaxReview)
	if bad != nil {
		b.out.Add(ruleReview, verify.AtLine(path, bad.Line), bad.What)
		return doc, false
	}
	doc = canon.With(doc, "roleProvenanceSha256", canon.NewString(RoleProvenanceSHA256(signed.Root)))
	bindings, err := DigestsOf(doc).BindingsValue()
	if err != nil {
		b.refuse(ruleSelfCheck, verify.At(DefaultPath, "/bindings"), fmt.Sprint(err), "a packet whose bindings can be computed")
		return doc, false
	}
	return canon.With(doc, "bindings", bindings), true
}
