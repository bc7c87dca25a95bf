package privacy

import "finishline/canon"

// references are the documents whose references are followed, and where those
// are, in order (10 §11). What is absent or null is passed over by the caller.
var references = map[string]func(doc canon.Node) []canon.Node{
	PacketPath: func(doc canon.Node) []canon.Node {
		refs := paths(values(doc.At("inputs")), "path")
		for _, gate := range doc.At("gateArtifacts").Items() {
			refs = append(refs, gate.At("path"))
			refs = append(refs, paths(gate.At("supportingArtifacts").Items(), "path")...)
		}
		return append(refs, paths(doc.At("artifactInventory").Items(), "path")...)
	},
	"trajectory/trajectory.json": func(doc canon.Node) []canon.Node {
		return []canon.Node{doc.At("tracePath")}
	},
	"context/manifest.json": func(doc canon.Node) []canon.Node {
		quality := doc.At("contextQuality")
		return append(paths(doc.At("loadedFiles").Items(), "path"), quality.At("caseSet").At("path"), quality.At("answerKey").At("path"))
	},
	"evals/results.json": func(doc canon.Node) []canon.Node {
		var refs []canon.Node
		for _, suite := range doc.At("suites").Items() {
			refs = append(refs, suite.At("resultPath"))
			for _, side := range []string{"baseline", "candidate"} {
				arm := suite.At("contextComparison").At(side)
				refs = append(refs, arm.At("resultPath"), arm.At("caseSet").At("path"), arm.At("answerKey").At("path"))
			}
		}
		return refs
	},
	"rca/rca.json": func(doc canon.Node) []canon.Node {
		return paths(doc.At("evidence").Items(), "artifact")
	},
	"graph/graph.json": func(doc canon.Node) []canon.Node {
		return []canon.Node{{Value: canon.NewString(freshnessPath)}, intelligence(doc)}
	},
	freshnessPath: func(doc canon.Node) []canon.Node { return []canon.Node{intelligence(doc)} },
	"review/review.json": func(doc canon.Node) []canon.Node {
		refs := []canon.Node{doc.At("subject").At("artifact")}
		for _, role := range values(doc.At("roleProvenance")) {
			refs = append(refs, role.At("evidence").At("path"), role.At("evidence").At("artifact"))
		}
		return refs
	},
	"ai/assurance.json":     func(doc canon.Node) []canon.Node { return typed(doc.At("controls").Items()) },
	"domain/assurance.json": func(doc canon.Node) []canon.Node { return typedOf(doc.At("packs").Items()) },
	"foundation/assessment.json": func(doc canon.Node) []canon.Node {
		return typedOf(doc.At("capabilities").Items())
	},
	"production/layer-assessment.json": func(doc canon.Node) []canon.Node { return typedOf(values(doc.At("layers"))) },
	"smoke/smoke_proof.json": func(doc canon.Node) []canon.Node {
		return typed([]canon.Node{doc.At("control")})
	},
}

const freshnessPath = "graph/freshness.json"

func intelligence(doc canon.Node) canon.Node {
	return doc.At("codeIntelligence").At("evidenceArtifact")
}

// paths are the members of that name of each node.
func paths(nodes []canon.Node, name string) []canon.Node {
	refs := make([]canon.Node, len(nodes))
	for i, n := range nodes {
		refs[i] = n.At(name)
	}
	return refs
}

// values are the elements of an array or the values of an object.
func values(n canon.Node) []canon.Node {
	if !n.IsObject() {
		return n.Items()
	}
	var nodes []canon.Node
	for _, m := range n.Members() {
		nodes = append(nodes, n.At(m.Name))
	}
	return nodes
}

// evidencePath is the member of typed evidence that names a file, by type.
var evidencePath = map[string]string{
	"artifact": "path", "command": "outputPath", "provider-report": "attestationPath",
}

// typed are the references in the typed evidence of controls.
func typed(controls []canon.Node) (refs []canon.Node) {
	for _, control := range controls {
		for _, item := range control.At("evidence").Items() {
			kind, _ := item.At("type").Str()
			if name, ok := evidencePath[kind]; ok {
				refs = append(refs, item.At(name))
			}
		}
	}
	return refs
}

// typedOf are those of the controls of each group.
func typedOf(groups []canon.Node) (refs []canon.Node) {
	for _, group := range groups {
		refs = append(refs, typed(group.At("controls").Items())...)
	}
	return refs
}
