package packet

import (
	"fmt"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// historicalChecks evaluates §9: digests only. Contents are not even parsed.
func (v *verification) historicalChecks(out *verify.Findings) []Node {
	var nodes []Node
	for _, s := range inputSpecs {
		nodes = append(nodes, v.historicalInput(out, s))
	}
	for _, e := range v.doc.At("gateArtifacts").Items() {
		nodes = append(nodes, v.historicalGate(out, e))
	}
	return append(nodes, v.bindingChecks(out, "packet.historical.binding-mismatch", "packet.historical.bindings-invalid")...)
}

func (v *verification) historicalInput(out *verify.Findings, s InputSpec) Node {
	entry := v.doc.At("inputs").At(string(s.Name))
	path, sum := entry.At("path"), entry.At("sha256")
	node := Node{Kind: "input", Name: string(s.Name), Path: path.Text(), Declared: sum.Text()}
	if !path.Is(s.Path) || !canon.IsDigest(sum.Value) {
		out.Add("packet.historical.input-binding", v.at(entry), verify.What{
			Found: "path " + verify.Show(path.Value) + ", sha256 " + verify.Show(sum.Value), Expected: "path " + s.Path + ", sha256 " + expectDigest})
	}
	return v.historicalFile(out, node, sum, "packet.historical.input-unavailable", "packet.historical.input-digest")
}

func (v *verification) historicalGate(out *verify.Findings, e canon.Node) Node {
	gate, path, sum := e.At("gate"), e.At("path"), e.At("sha256")
	node := Node{Kind: "gate", Name: gate.Text(), Path: path.Text(), Declared: sum.Text()}
	if !canon.IsIdentifier(gate.Value) || !canon.IsDigest(sum.Value) {
		out.Add("packet.historical.gate-binding", v.at(e), verify.What{
			Found: "gate " + verify.Show(gate.Value) + ", sha256 " + verify.Show(sum.Value), Expected: "a gate name and " + expectDigest})
		return node
	}
	spec, known := specOf(gate.Text())
	if !known || !path.Is(spec.path) {
		expected := spec.path
		if !known {
			expected = "a gate of the format"
		}
		out.Add("packet.historical.gate-path", v.at(path), verify.What{
			Found: "gate " + verify.Show(gate.Value) + ", path " + verify.Show(path.Value), Expected: expected})
	}
	return v.historicalFile(out, node, sum, "packet.historical.gate-unavailable", "packet.historical.gate-digest")
}

// historicalFile hashes a file at the path that the packet names, also where
// that is not the canonical one: only packet.historical.gate-binding skips the
// rest of an entry (§9).
func (v *verification) historicalFile(out *verify.Findings, node Node, sum canon.Node, unavailable, differs string) Node {
	node.State = Unreadable
	at := v.at(sum)
	v.root.AddStrictPath(out, at, node.Path)
	res, perr := v.root.Resolve(node.Path, evidence.MustExist)
	if perr != nil {
		out.Wrap(unavailable, at, verify.What{
			Found: verify.Quote(node.Path) + ": " + perr.Reason, Expected: "the file as it was recorded", Unevaluated: perr.Unevaluated,
		}, []verify.Finding{evidence.PathFinding(out.Level(), at, perr)})
		return node
	}
	if res.Size() > canon.MaxSubject {
		out.Add(unavailable, at, verify.What{
			Found: fmt.Sprintf("%s has %d bytes", verify.Quote(node.Path), res.Size()), Expected: fmt.Sprintf("at most %d bytes", canon.MaxSubject)})
		return node
	}
	digest, err := v.root.DigestResolved(res)
	if err != nil {
		out.Wrap(unavailable, at, verify.What{
			Found: verify.Quote(node.Path) + ": " + reason(err), Expected: "a readable file", Unevaluated: unevaluated(err)}, nil)
		return node
	}
	node.Actual = digest.SHA256
	if node.State = stateOf(node.Declared, node.Actual); node.State != Same {
		out.Add(differs, at, verify.What{
			Found: verify.Quote(node.Path) + " has " + node.Actual, Expected: verify.Show(sum.Value), Hint: v.lineEndHint(node.Path, sum.Text())})
	}
	return node
}

// bindingChecks compares packet.bindings with what follows from the packet.
// Extra names are ignored.
func (v *verification) bindingChecks(out *verify.Findings, mismatch, incomputable string) []Node {
	bindings := v.doc.At("bindings")
	if len(v.digests.Missing) > 0 {
		for _, pointer := range v.digests.Missing {
			out.Add(incomputable, verify.At(v.path, pointer), verify.What{Found: "nothing to bind", Expected: "the member that the bindings are computed from"})
		}
		return nil
	}
	nodes := make([]Node, 0, len(v.digests.Bindings))
	for _, b := range v.digests.Bindings {
		got := bindings.At(b.Name)
		n := Node{Kind: "binding", Name: b.Name, Declared: got.Text(), Actual: b.SHA256, State: stateOf(got.Text(), b.SHA256)}
		nodes = append(nodes, n)
		if n.State != Same || !canon.IsHex64(b.SHA256) {
			out.Add(mismatch, v.at(got), verify.What{Found: verify.Show(got.Value), Expected: b.SHA256})
		}
	}
	return nodes
}
