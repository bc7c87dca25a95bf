package verify

import (
	"slices"
	"strings"

	"finishline/canon"
)

// A Verdict answers whether a run may cross the finish line.
type Verdict int

// The verdicts, worst first. The zero Verdict is Fail: a report nobody filled
// in is not a pass.
const (
	Fail Verdict = iota
	Incomplete
	Pass
)

var verdictNames = [...]string{"fail", "incomplete", "pass"}

func (v Verdict) String() string { return verdictNames[min(int(v), len(verdictNames)-1)] }

// ExitCode is the exit status of every command that gives a verdict, whatever
// its output format: 0 pass, 1 fail, 2 incomplete. This is the only place that
// says so.
func (v Verdict) ExitCode() int {
	switch v {
	case Pass:
		return 0
	case Fail:
		return 1
	}
	return ExitTrouble
}

// ExitTrouble is the exit status of an incomplete verdict and of usage and
// input/output trouble.
const ExitTrouble = 2

// Fold gives the verdict of findings: fail when an error was found, incomplete
// when the only errors say that something could not be looked at, else pass.
// Order does not matter.
func Fold(findings []Finding) Verdict {
	verdict := Pass
	for _, f := range findings {
		switch {
		case f.Severity != Error:
		case !f.NotEvaluated:
			return Fail
		default:
			verdict = Incomplete
		}
	}
	return verdict
}

// A Report is the answer of a command: what was verified, at which level, what
// was found, and what was looked at.
type Report struct {
	Tool    Tool
	Subject Subject
	Level   Level
	// Findings in the order they were made: causes before consequences.
	Findings []Finding
	// Omitted counts findings beyond MaxPerRule, by rule.
	Omitted map[string]int
	Checked []Checked
	// Accepted are the gates that the caller accepted as not evaluated.
	Accepted []string
	// Withheld are reasons for which a pass is not given although no rule
	// failed, such as a historical result that the caller did not ask for.
	Withheld []string
	// Trust is what the verdict rests on, nil where no trust store is involved.
	Trust *Trust
	// Notes say in a sentence each what a pass does not mean.
	Notes []string
	// Results are answers of verifiers whose contract gives them a form of
	// their own, by name. They add nothing to the verdict.
	Results []canon.Member
}

// A Tool names the program that made a report.
type Tool struct{ Name, Version string }

// A Subject is what was verified.
type Subject struct {
	Kind   string // "run-packet", "review", …
	Path   string
	SHA256 string // of the document's bytes, "" when it could not be read
}

// Checked says how much one verifier looked at.
type Checked struct {
	Verifier  string
	Rules     int // rules evaluated at the report's level
	Artifacts []Artifact
}

// An Artifact is a file that was read, and the digest of what was read.
type Artifact struct{ Path, SHA256 string }

// Trust lists the pin and the keys that a verdict rests on.
type Trust struct {
	Pin  string // the operator's pin, lower-case; "" when none was given
	Keys []KeyUse
}

// A KeyUse is a key that verified something.
type KeyUse struct {
	KeyID       string
	Fingerprint string // SHA-256 of the 32 key bytes
	Use         string // what it verified, such as "review"
}

// Verdict folds the report. A report that looked at nothing is incomplete:
// zero verifiers, rules or artifacts never pass. So is one whose pass is
// withheld.
func (r *Report) Verdict() Verdict {
	v := Fold(r.Findings)
	if v == Pass && (len(r.Withheld) > 0 || !r.lookedAtSomething()) {
		return Incomplete
	}
	return v
}

func (r *Report) lookedAtSomething() bool {
	for _, c := range r.Checked {
		if c.Rules > 0 && len(c.Artifacts) > 0 {
			return true
		}
	}
	return false
}

// RuleIDs returns the distinct ids of the findings of a severity, sorted. It
// does not descend into causes.
func RuleIDs(findings []Finding, severity Severity) []string {
	var ids []string
	for _, f := range findings {
		if f.Severity == severity {
			ids = append(ids, f.Rule)
		}
	}
	slices.SortFunc(ids, strings.Compare)
	return slices.Compact(ids)
}
