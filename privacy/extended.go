package privacy

import (
	"fmt"

	"finishline/canon"
	"finishline/verify"
)

// Tiers of the kinds of an engine (10 §15.5).
const (
	TierGate     = "gate"
	TierPersonal = "pii"
	TierInfo     = "info"
)

// An Extra is a finding of an engine. It never holds what was found.
type Extra struct {
	Kind, Group, Tier, View string
	// Path is relative to the root and unredacted; it is shown as in findings.
	Path         string
	Line, Column int // 0 for the name of the file
	Fingerprint  string
	// ValueSHA256 is there to be compared with an acceptance. A short value can
	// be guessed from it, so it is never printed.
	ValueSHA256 string
	What        string // the kind in words, or what is known of it; may be empty
}

// An Extended section has a verdict of its own beside that of the base set.
type Extended struct {
	Rules    int // how many kinds were looked for
	Findings []Extra
	// Accepted are findings that somebody answers for; they fail nothing.
	Accepted []Accepted
	// Allowed counts the matches that an allow-list of a rule file dropped.
	// Nothing else is kept of them.
	Allowed int
	// PersonalReported says that the operator wants personal data told and
	// nothing more.
	PersonalReported bool
}

// An Accepted finding and what accepts it.
type Accepted struct {
	Extra
	By Acceptance
}

// fails reports whether a finding fails the section.
func (x *Extended) fails(f Extra) bool {
	switch f.Tier {
	case TierInfo:
		return false
	case TierPersonal:
		return !x.PersonalReported
	}
	return true
}

// OK is the verdict of the section.
func (x *Extended) OK() bool {
	for _, f := range x.Findings {
		if x.fails(f) {
			return false
		}
	}
	return true
}

// Advice is what to do about a finding of the extended section.
const Advice = "remove it and revoke what it gives access to; finishline privacy accept records one that somebody answers for"

// findings are those of the section as findings of a report. Their rule is the
// kind.
func (x *Extended) findings() []verify.Finding {
	list := make([]verify.Finding, 0, len(x.Findings))
	for _, f := range x.Findings {
		severity := verify.Error
		switch {
		case f.Tier == TierInfo:
			severity = verify.Note
		case !x.fails(f):
			severity = verify.Warning
		}
		found := "something of the kind " + f.Kind
		if f.What != "" {
			found += " (" + f.What + ")"
		}
		if f.Column > 0 {
			found = fmt.Sprintf("%s at column %d", found, f.Column)
		}
		if f.View != "raw" && f.View != "" {
			found += ", written as " + f.View
		}
		list = append(list, verify.Finding{
			Rule: f.Kind, Severity: severity, Artifact: f.shown(), Line: f.Line, Found: found, Hint: Advice,
		})
	}
	return list
}

func (f Extra) shown() string {
	if shownPath(f.Path) != f.Path || isOperational(f.Path) {
		return RedactedPath
	}
	return f.Path
}

// Value is the section as it stands in a report.
func (x *Extended) Value() canon.Value {
	findings := make([]canon.Value, 0, len(x.Findings))
	for _, f := range x.Findings {
		findings = append(findings, canon.Build(f.members()...))
	}
	accepted := make([]canon.Value, 0, len(x.Accepted))
	for _, a := range x.Accepted {
		accepted = append(accepted, canon.Build(append(a.members(), text("reason", a.By.Reason), text("owner", a.By.Owner), text("expires", a.By.Expires))...))
	}
	return canon.Build(flag("ok", x.OK()), canon.Member{Name: "rules", Value: canon.NewNumber(float64(x.Rules))},
		canon.Member{Name: "findings", Value: canon.NewArray(findings...)}, canon.Member{Name: "accepted", Value: canon.NewArray(accepted...)})
}

func (f Extra) members() []canon.Member {
	n := func(name string, v int) canon.Member {
		return canon.Member{Name: name, Value: canon.NewNumber(float64(v))}
	}
	list := []canon.Member{
		text("kind", f.Kind), text("group", f.Group), text("tier", f.Tier), text("path", f.shown()),
		n("line", f.Line), n("column", f.Column), text("view", f.View),
	}
	if f.Fingerprint != "" {
		list = append(list, text("fingerprint", f.Fingerprint))
	}
	return list
}
