package packet

import (
	"strings"

	"finishline/canon"
	"finishline/verify"
)

// A subject is what a run's documents must all be about (contract 05, §5.6).
type subject struct{ runID, commit, environment canon.Value }

func subjectOf(packet canon.Value) subject {
	return subject{packet.Get("runId"), packet.Get("commit"), packet.Get("environment")}
}

func (s subject) fields() [3]struct {
	name    string
	want    canon.Value
	aliases []string
} {
	return [...]struct {
		name    string
		want    canon.Value
		aliases []string
	}{
		{"run", s.runID, []string{"runId", "goalId", "run/id"}},
		{"commit", s.commit, []string{"commit", "run/commit"}},
		{"environment", s.environment, []string{"environment", "run/environment"}},
	}
}

// sameText reports whether both are the same string: a comparison that cannot
// succeed when there is nothing to compare.
func sameText(a, b canon.Value) bool {
	s, isString := a.Str()
	return isString && b.Is(s)
}

// reportSubject adds rule, once, when the document does not name the subject:
// of every field at least one alias must be present, and every present alias
// must equal the packet's member.
func (s subject) report(out *verify.Findings, rule, artifact string, doc canon.Node) {
	var bad []string
	pointer := ""
	for _, f := range s.fields() {
		present := false
		for _, alias := range f.aliases {
			n := doc
			for _, step := range strings.Split(alias, "/") {
				n = n.At(step)
			}
			if !n.Present() {
				continue
			}
			present = true
			if !sameText(f.want, n.Value) {
				bad = append(bad, n.Pointer+" is "+verify.Show(n.Value))
				pointer = n.Pointer
			}
		}
		if !present {
			bad = append(bad, "no "+f.name)
		}
	}
	if len(bad) > 0 {
		out.Add(rule, verify.At(artifact, pointer), verify.What{Found: strings.Join(bad, ", "), Expected: s.String()})
	}
}

// reportEntry is the same for a gate entry, which has exactly one spelling of
// each field.
func (s subject) reportEntry(out *verify.Findings, artifact string, entry canon.Node) {
	for _, m := range []struct {
		member string
		want   canon.Value
	}{{"runId", s.runID}, {"commit", s.commit}, {"environment", s.environment}} {
		if n := entry.At(m.member); !sameText(m.want, n.Value) {
			out.Add("packet.gate.subject-mismatch", verify.At(artifact, n.Pointer), verify.What{
				Found: verify.Show(n.Value), Expected: verify.Show(m.want) + ", as the packet has it"})
		}
	}
}

func (s subject) String() string {
	return "run " + verify.Show(s.runID) + ", commit " + verify.Show(s.commit) + ", environment " + verify.Show(s.environment)
}
