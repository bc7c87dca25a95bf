package packet

import (
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A gateEntry is an element of gateArtifacts and what was found of its
// artifact.
type gateEntry struct {
	canon.Node
	gate  string // "" when it is no identifier
	spec  gateSpec
	first bool // the first entry for its gate, the one that counts

	sha256 string    // of the artifact's bytes, "" when they were not read
	doc    *document // nil when the artifact was not read to its end
	node   Node
}

// gateSet is what §5.1 made of the gate entries.
type gateSet struct {
	entries []*gateEntry
}

// get returns the entry that counts for a gate, or nil.
func (s *gateSet) get(gate string) *gateEntry {
	i := slices.IndexFunc(s.entries, func(e *gateEntry) bool { return e.first && e.gate == gate })
	if i < 0 {
		return nil
	}
	return s.entries[i]
}

// docs yields the entries whose document was read, in their order.
func (s *gateSet) docs() []*gateEntry {
	return slices.DeleteFunc(slices.Clone(s.entries), func(e *gateEntry) bool { return e.doc == nil })
}

func (s *gateSet) nodes() []Node {
	var nodes []Node
	for _, e := range s.entries {
		nodes = append(nodes, e.node)
	}
	return nodes
}

// loadGates evaluates the rules of §5.1 that look at the entries, and reads
// the artifacts of the entries that count.
func (v *verification) loadGates(out *verify.Findings, derived []string) *gateSet {
	set := &gateSet{}
	seen := map[string]bool{}
	for _, n := range v.doc.At("gateArtifacts").Items() {
		e := &gateEntry{Node: n}
		set.entries = append(set.entries, e)
		v.gateShape(out, e, seen)
		e.node = Node{Kind: "gate", Name: e.gate, Path: n.Get("path").Text(), Declared: n.Get("sha256").Text(), State: NotLookedAt}
		if !e.first {
			continue
		}
		if !slices.Contains(derived, e.gate) {
			out.Add("packet.gate.unexpected", v.at(e.At("gate")), verify.What{Found: verify.Quote(e.gate), Expected: "a gate that the inputs require"})
		}
		v.loadGate(out, e)
	}
	for _, gate := range derived {
		if set.get(gate) == nil && !v.in.stage.lacks(gate) {
			out.Add("packet.gate.missing", v.at(v.doc.At("gateArtifacts")), verify.What{Found: "no entry for " + gate, Expected: "an entry for every required gate"})
		}
	}
	return set
}

// gateShape evaluates the rules that look at an entry alone.
func (v *verification) gateShape(out *verify.Findings, e *gateEntry, seen map[string]bool) {
	gate := e.At("gate")
	switch {
	case !canon.IsIdentifier(gate.Value):
		out.Add("packet.gate.id-invalid", v.at(gate), verify.What{Found: verify.Show(gate.Value), Expected: expectIdentifier})
	case seen[gate.Text()]:
		e.gate = gate.Text()
		out.Add("packet.gate.duplicate", v.at(gate), verify.What{Found: verify.Show(gate.Value) + " again", Expected: "one entry per gate"})
	default:
		e.gate, e.first = gate.Text(), true
		seen[e.gate] = true
	}
	if required := e.At("required"); !required.IsBool(true) {
		out.Add("packet.gate.not-required-flag", v.at(required), verify.What{Found: verify.Show(required.Value), Expected: "true"})
	}
	v.subject.reportEntry(out, v.path, e.Node)
	if path := e.At("path"); !canon.NonEmpty(path.Value, 1) {
		out.Add("packet.gate.path-missing", v.at(path), verify.What{Found: verify.Show(path.Value), Expected: "a path"})
	}
	if sum := e.At("sha256"); !canon.IsDigest(sum.Value) {
		out.Add("packet.gate.digest-invalid", v.at(sum), verify.What{Found: verify.Show(sum.Value), Expected: expectDigest})
	}
	if support := e.At("supportingArtifacts"); e.gate != GateCodeIntelligence && support.Present() {
		out.Add("packet.support.not-allowed", v.at(support), verify.What{Found: verify.Show(support.Value), Expected: "no such member"})
	}
}

// loadGate reads the artifact of an entry. Every refusal but that of its digest
// ends what is said about the gate.
func (v *verification) loadGate(out *verify.Findings, e *gateEntry) {
	path := e.At("path")
	if !canon.NonEmpty(path.Value, 1) {
		return
	}
	e.node.State = Unreadable
	spec, known := specOf(e.gate)
	f := v.fetchGate(out, e, spec, known)
	if f.pathErr != nil || f.readErr != nil {
		why, unlooked := f.failed()
		out.Wrap("packet.gate.unreadable", v.at(path), verify.What{
			Found: verify.Quote(path.Text()) + ": " + why, Expected: "a readable file", Unevaluated: unlooked}, f.causes)
		return
	}
	if !known {
		e.node.State = NotLookedAt
		out.Add("packet.gate.unknown", v.at(e.At("gate")), verify.What{Found: verify.Quote(e.gate), Expected: "a gate of the format"})
		return
	}
	if f.res.Rel != spec.path {
		e.node.State = NotLookedAt
		out.Add("packet.gate.path-not-canonical", v.at(path), verify.What{Found: verify.Show(path.Value), Expected: spec.path})
		return
	}
	e.spec = spec
	if !path.Is(spec.path) {
		out.Add("strict.packet.noncanonical-path", v.at(path), verify.What{Found: verify.Show(path.Value), Expected: spec.path})
	}
	if f.artifact != nil {
		e.sha256 = f.artifact.SHA256
		e.node.Actual = e.sha256
		e.node.State = stateOf(e.node.Declared, e.sha256)
		v.reportDigest(out, "packet.gate.digest-mismatch", e.At("sha256"), f.artifact)
	}
	if f.parseErr != nil {
		out.Wrap("packet.gate.not-json", v.at(path), verify.What{
			Found: verify.Quote(spec.path) + ": " + f.parseErr.Error(), Expected: "a JSON document"}, f.causes)
		return
	}
	e.doc = f.doc
}

// fetchGate reads the artifact of a gate of the format. That of an unknown gate
// is not read: nobody could judge it, and a packet may name any number.
func (v *verification) fetchGate(out *verify.Findings, e *gateEntry, spec gateSpec, known bool) fetched {
	path := e.At("path")
	if known {
		return v.fetch(out, v.at(path), path.Text(), spec.maxBytes())
	}
	f := fetched{}
	f.res, f.pathErr = v.root.Resolve(path.Text(), evidence.MustExist)
	switch {
	case f.pathErr != nil:
		f.causes = []verify.Finding{evidence.PathFinding(out.Level(), v.at(path), f.pathErr)}
	case !f.res.Regular:
		f.readErr = &evidence.FileError{Path: f.res.Rel, Kind: evidence.NotRegular, Reason: "not a regular file"}
	}
	return f
}

// maxBytes is the size bound of a gate's document (01 §1, 03 B.1).
func (s gateSpec) maxBytes() int {
	switch s.kind {
	case proofGate:
		return canon.MaxSubject
	case reviewGate:
		return canon.MaxReview
	}
	return canon.MaxDocument
}

// gateSubjects evaluates the subjects of the documents that the packet itself
// looks into. Those of delegated gates count only once the runtime is known to
// be the declared one.
func (v *verification) gateSubjects(out *verify.Findings, set *gateSet, runtimePassed bool) {
	for _, e := range set.docs() {
		delegated := e.spec.isRouteGate()
		switch {
		case delegated && !runtimePassed:
		case e.gate == GateCodeIntelligence:
			commit := e.doc.At("git").At("commit")
			if !sameText(v.subject.commit, commit.Value) {
				out.Add("packet.gate.code-intelligence-commit", verify.At(e.doc.path, commit.Pointer), verify.What{
					Found: verify.Show(commit.Value), Expected: verify.Show(v.subject.commit)})
			}
		default:
			v.subject.report(out, "packet.gate.document-subject-mismatch", e.doc.path, e.doc.Node)
		}
		if delegated {
			v.strictJSON(out, e.doc)
		}
		if delegated && runtimePassed && e.spec.kind != closureGate {
			v.scan(out, e.doc)
		}
	}
}

// gateDelegates are the validators to ask once the runtime check passed.
func (v *verification) gateDelegates(set *gateSet) []*delegation {
	var list []*delegation
	for _, e := range set.docs() {
		switch e.spec.kind {
		case delegatedGate:
			list = append(list, &delegation{gate: e.gate, path: e.spec.path, at: v.at(e.Node), rule: "packet.gate.native-invalid"})
		case closureGate:
			list = append(list, &delegation{gate: e.gate, path: e.spec.path, at: v.at(e.Node), rule: "packet.closure.invalid"})
		}
	}
	return list
}

// scan runs the scans of 01 §6 over a document.
func (v *verification) scan(out *verify.Findings, d *document) {
	evidence.ScanDocument(out, d.path, d.Value, evidence.ScanSelfGrant|evidence.ScanSecrets)
}
