package journal

import (
	"fmt"

	"finishline/canon"
	"finishline/verify"
)

// Together is one report of several journals: the worst of their verdicts, with
// the path of each before what was found in it. One report stays what it is.
func Together(reports []*verify.Report) *verify.Report {
	if len(reports) == 1 {
		return reports[0]
	}
	all := &verify.Report{Subject: verify.Subject{Kind: fmt.Sprintf("%d journals", len(reports))}, Omitted: map[string]int{}}
	var entries []canon.Value
	for _, r := range reports {
		all.Level = r.Level
		at := r.Subject.Path
		for _, f := range r.Findings {
			f.Artifact = below(at, f.Artifact)
			all.Findings = append(all.Findings, f)
		}
		for id, n := range r.Omitted {
			all.Omitted[id] += n
		}
		for _, c := range r.Checked {
			artifacts := make([]verify.Artifact, len(c.Artifacts))
			for i, a := range c.Artifacts {
				artifacts[i] = verify.Artifact{Path: below(at, a.Path), SHA256: a.SHA256}
			}
			all.Checked = append(all.Checked, verify.Checked{Verifier: c.Verifier, Rules: c.Rules, Artifacts: artifacts})
		}
		// What one journal does not pass, the whole does not.
		if r.Verdict() == verify.Incomplete && len(r.Withheld) == 0 && verify.Fold(r.Findings) == verify.Pass {
			all.Withheld = append(all.Withheld, at+": nothing was looked at")
		}
		for _, w := range r.Withheld {
			all.Withheld = append(all.Withheld, at+": "+w)
		}
		for _, n := range r.Notes {
			all.Notes = append(all.Notes, at+": "+n)
		}
		for _, m := range r.Results {
			entries = append(entries, m.Value.Elems()...)
		}
	}
	all.Results = []canon.Member{{Name: "journals", Value: canon.NewArray(entries...)}}
	return all
}

// below names an artifact of a journal by the journal's path. Journals that are
// one file have named it so already.
func below(at, artifact string) string {
	switch artifact {
	case at:
		return at
	case "", ".":
		return at
	}
	return at + "/" + artifact
}
