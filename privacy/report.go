package privacy

import (
	"fmt"

	"finishline/canon"
	"finishline/verify"
)

// Report is the result as a report of the house: what fails, where, and what to
// do. The report of the contract is in it as the result "privacy", the extended
// section, if there is one, as "privacyExtended".
func (r *Result) Report(subject verify.Subject) *verify.Report {
	out := Table.Collect(r.Level)
	r.Tell(out)
	report := &verify.Report{
		Subject: subject, Level: r.Level, Findings: out.List(), Omitted: out.Omitted(), Notes: r.notes(),
		Checked: []verify.Checked{{Verifier: Table.Name, Rules: Table.Count(r.Level), Artifacts: r.Artifacts()}},
		Results: []canon.Member{{Name: "privacy", Value: r.Value()}},
	}
	if x := r.Extended; x != nil && r.Error == nil {
		findings := verify.NewTable("privacy-extended", nil).Collect(r.Level)
		findings.Append(x.findings()...)
		report.Findings = append(report.Findings, findings.List()...)
		for kind, n := range findings.Omitted() {
			report.Omitted[kind] = n
		}
		report.Checked = append(report.Checked, verify.Checked{Verifier: "privacy-extended", Rules: x.Rules, Artifacts: r.Artifacts()})
		report.Results = append(report.Results, canon.Member{Name: "privacyExtended", Value: x.Value()})
	}
	return report
}

// Tell adds the findings to those of a report.
func (r *Result) Tell(out *verify.Findings) {
	if e := r.Error; e != nil {
		out.Add(e.Rule, verify.At(shownPath(e.Path), ""), verify.What{Found: e.Reason})
		return
	}
	for _, f := range r.Findings {
		out.Add(f.Rule, verify.AtLine(shownPath(f.Path), f.Line), verify.What{Found: f.said()})
	}
	for _, f := range r.Hardening {
		if !f.Advisory {
			out.Add(f.Rule, verify.AtLine(shownPath(f.Path), f.Line), verify.What{Found: f.said()})
			continue
		}
		rule, _ := Table.Lookup(f.Rule)
		out.Append(verify.Finding{Rule: f.Rule, Severity: verify.Warning, Artifact: shownPath(f.Path), Found: f.said(), Hint: rule.Do})
	}
}

// said is what was found, without what was found.
func (f Finding) said() string {
	if f.Column == 0 {
		return f.What
	}
	return fmt.Sprintf("%s at column %d", f.What, f.Column)
}

// Artifacts are the files that were read.
func (r *Result) Artifacts() []verify.Artifact {
	list := make([]verify.Artifact, len(r.Files))
	for i, f := range r.Files {
		list[i] = verify.Artifact{Path: f.Path, SHA256: f.SHA256}
	}
	return list
}

// notes say what was looked at, and what the operator let through.
func (r *Result) notes() []string {
	notes := append([]string{}, r.Notes...)
	for _, a := range r.Approved {
		notes = append(notes, fmt.Sprintf("approved by the operator: %s with SHA-256 %s", shownPath(a.Path), a.SHA256))
	}
	if x := r.Extended; x != nil && x.Allowed > 0 {
		notes = append(notes, fmt.Sprintf("matches that an allow-list of the rule file dropped: %d", x.Allowed))
	}
	return notes
}
