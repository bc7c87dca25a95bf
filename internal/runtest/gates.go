package runtest

import (
	"os"
	"path/filepath"

	"finishline/canon"
	"finishline/packet"
)

// requiredGates derives the gates that the inputs require.
func (b *builder) requiredGates() ([]string, error) {
	d := packet.Derivation{AssuranceLevel: canon.NewString(packet.Structural)}
	for _, in := range packet.Inputs() {
		data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(in.Path)))
		if err != nil {
			return nil, err
		}
		doc, err := canon.Read(data, canon.MaxDocument)
		if err != nil {
			return nil, err
		}
		switch in.Name {
		case packet.Intake:
			d.Intake = doc.Root
		case packet.Classification:
			d.Classification = doc.Root
		case packet.Route:
			d.Route = doc.Root
		}
	}
	return d.RequiredGates()
}

// gateEntries are the entries of the packet for all required gates but the
// review.
func (b *builder) gateEntries(required []string) ([]canon.Value, error) {
	var entries []canon.Value
	for _, id := range required {
		if id == packet.GateReview {
			continue
		}
		path, _ := packet.CanonicalPath(id)
		sha, _, err := b.digest(path)
		if err != nil {
			return nil, err
		}
		entry := b.gate(id, sha)
		if id == packet.GateCodeIntelligence {
			support, err := b.support()
			if err != nil {
				return nil, err
			}
			entry = with(entry, "supportingArtifacts", support)
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// support binds what a code graph without a provider's evidence needs.
func (b *builder) support() (canon.Value, error) {
	var list []canon.Value
	for _, s := range []struct{ kind, path string }{{"design-anchors", "design/anchors.json"}, {"graph-freshness", "graph/freshness.json"}} {
		sha, _, err := b.digest(s.path)
		if err != nil {
			return canon.Value{}, err
		}
		list = append(list, obj("kind", s.kind, "path", s.path, "sha256", sha))
	}
	return arr(list...), nil
}
