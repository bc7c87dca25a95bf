package packet

import (
	"fmt"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Paths and kinds of what supports a code graph (contract 05, §5.2).
const (
	freshnessPath = "graph/freshness.json"
	anchorsPath   = "design/anchors.json"

	kindAnchors   = "design-anchors"
	kindFreshness = "graph-freshness"
	kindProvider  = "provider-evidence"

	// providerWithEvidence is the one provider whose own evidence is bound.
	providerWithEvidence = "gitnexus"
)

// MaxSupport bounds one supporting artifact, which is hashed without being
// read into memory.
const MaxSupport = 64 << 20

// A Support is a supporting artifact that a code graph needs.
type Support struct{ Kind, Path, SHA256 string }

// supportError says why the expected list cannot be derived.
type supportError struct {
	path   string
	why    string
	causes []verify.Finding
	unseen bool
}

// expectedSupport derives what must be bound beside the graph, sorted by kind.
func (v *verification) expectedSupport(out *verify.Findings, graph canon.Value) ([]Support, *supportError) {
	fresh := v.fetch(out, verify.At(freshnessPath, ""), freshnessPath, canon.MaxDocument)
	if why, unseen := fresh.failed(); why != "" {
		return nil, &supportError{freshnessPath, why, fresh.causes, unseen}
	}
	v.strictJSON(out, fresh.doc)
	anchors, serr := v.supportDigest(out, kindAnchors, anchorsPath)
	if serr != nil {
		return nil, serr
	}
	list := []Support{anchors, {kindFreshness, freshnessPath, fresh.artifact.SHA256}}
	ofGraph, ofFreshness := graph.Get("codeIntelligence"), fresh.doc.Get("codeIntelligence")
	if !canon.FirstTruthy(ofGraph.Get("provider"), ofFreshness.Get("provider")).Is(providerWithEvidence) {
		return list, nil
	}
	evidencePath := canon.FirstTruthy(ofGraph.Get("evidenceArtifact"), ofFreshness.Get("evidenceArtifact")).Text()
	if evidencePath == "" {
		return nil, &supportError{path: "codeIntelligence.evidenceArtifact", why: "the provider's evidence is not named"}
	}
	provider, serr := v.supportDigest(out, kindProvider, evidencePath)
	if serr != nil {
		return nil, serr
	}
	return append(list, provider), nil
}

// supportDigest hashes a supporting artifact; its listed path is the normal
// one.
func (v *verification) supportDigest(out *verify.Findings, kind, path string) (Support, *supportError) {
	at := verify.At(path, "")
	res, perr := v.root.Resolve(path, evidence.MustExist)
	if perr != nil {
		return Support{}, &supportError{path, perr.Reason, []verify.Finding{evidence.PathFinding(out.Level(), at, perr)}, perr.Unevaluated}
	}
	if res.Size() > MaxSupport {
		return Support{}, &supportError{path: path, why: fmt.Sprintf("%d bytes; at most %d are hashed", res.Size(), MaxSupport)}
	}
	v.root.AddStrictPath(out, at, path)
	sum, err := v.root.DigestResolved(res)
	if err != nil {
		return Support{}, &supportError{path: path, why: reason(err), unseen: unevaluated(err)}
	}
	return Support{kind, res.Rel, sum.SHA256}, nil
}

// supportChecks evaluates §5.2 for the code graph.
func (v *verification) supportChecks(out *verify.Findings, e *gateEntry) {
	list := e.At("supportingArtifacts")
	expected, serr := v.expectedSupport(out, e.doc.Value)
	if serr != nil {
		out.Wrap("packet.support.underivable", v.at(list), verify.What{
			Found: verify.Quote(serr.path) + ": " + serr.why, Expected: "readable files", Unevaluated: serr.unseen}, serr.causes)
		return
	}
	if !list.IsArray() {
		out.Add("packet.support.not-array", v.at(list), verify.What{Found: verify.Show(list.Value), Expected: "an array"})
		return
	}
	declared := v.declaredSupport(out, list)
	for _, want := range expected {
		d, bound := declared[want.Kind]
		e.node.Children = append(e.node.Children, supportNode(want, d, bound))
		if !bound {
			out.Add("packet.support.missing", v.at(list), verify.What{Found: "no entry of kind " + want.Kind, Expected: want.Path})
			continue
		}
		if path := d.At("path"); !path.Is(want.Path) {
			out.Add("packet.support.path-mismatch", v.at(path), verify.What{Found: verify.Show(path.Value), Expected: verify.Quote(want.Path)})
		}
		if sum := d.At("sha256"); !sum.Is(want.SHA256) {
			out.Add("packet.support.digest-mismatch", v.at(sum), verify.What{
				Found: verify.Quote(want.Path) + " has " + want.SHA256, Expected: verify.Show(sum.Value), Hint: v.lineEndHint(want.Path, sum.Text())})
		}
	}
	for kind, d := range sortedByKind(declared) {
		if !slices.ContainsFunc(expected, func(s Support) bool { return s.Kind == kind }) {
			out.Add("packet.support.not-applicable", v.at(d), verify.What{Found: "kind " + verify.Quote(kind), Expected: "only what the graph uses"})
		}
	}
	if !canon.Equal(list.Value, supportValue(list.Value)) {
		out.Add("packet.support.not-canonical-order", v.at(list), verify.What{Found: "another order, or further members", Expected: "kind, path and sha256, sorted by kind and path"})
	}
}

// declaredSupport evaluates the rules that look at one declared entry, and
// returns the entries by kind; the first of a kind counts.
func (v *verification) declaredSupport(out *verify.Findings, list canon.Node) map[string]canon.Node {
	declared := map[string]canon.Node{}
	for _, s := range list.Items() {
		if !s.IsObject() {
			out.Add("packet.support.entry-not-object", v.at(s), verify.What{Found: verify.Show(s.Value), Expected: "an object"})
			continue
		}
		if !hasExactly(s.Value, "kind", "path", "sha256") {
			out.Add("packet.support.entry-shape", v.at(s), verify.What{Found: members(s.Value), Expected: "kind, path, sha256"})
		}
		if path := s.At("path"); !canon.NonEmpty(path.Value, 1) {
			out.Add("packet.support.path-missing", v.at(path), verify.What{Found: verify.Show(path.Value), Expected: "a path"})
		}
		if sum := s.At("sha256"); !canon.IsDigest(sum.Value) {
			out.Add("packet.support.digest-invalid", v.at(sum), verify.What{Found: verify.Show(sum.Value), Expected: expectDigest})
		}
		kind := s.At("kind")
		if !canon.IsIdentifier(kind.Value) {
			out.Add("packet.support.kind-invalid", v.at(kind), verify.What{Found: verify.Show(kind.Value), Expected: expectIdentifier})
			continue
		}
		if _, dup := declared[kind.Text()]; dup {
			out.Add("packet.support.kind-duplicate", v.at(kind), verify.What{Found: verify.Show(kind.Value) + " again", Expected: "one entry per kind"})
			continue
		}
		declared[kind.Text()] = s
	}
	return declared
}

// sortedByKind ranges over declared entries in a fixed order.
func sortedByKind(declared map[string]canon.Node) func(yield func(string, canon.Node) bool) {
	return func(yield func(string, canon.Node) bool) {
		kinds := make([]string, 0, len(declared))
		for k := range declared {
			kinds = append(kinds, k)
		}
		slices.SortFunc(kinds, canon.CompareUTF16)
		for _, k := range kinds {
			if !yield(k, declared[k]) {
				return
			}
		}
	}
}

func supportNode(want Support, d canon.Node, bound bool) Node {
	n := Node{Kind: "support", Name: want.Kind, Path: want.Path, Declared: d.Get("sha256").Text(), Actual: want.SHA256, State: Unbound}
	if bound {
		n.State = stateOf(n.Declared, n.Actual)
	}
	return n
}
