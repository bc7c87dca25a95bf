package store

import (
	"finishline/verify"
)

// A problem is one rule that fired, before it is known whether the verdict in
// question gets that far.
type problem struct {
	rule    string
	pointer string
	line    int
	what    verify.What
	causes  []verify.Finding
}

func (p *problem) report(out *verify.Findings, artifact string) {
	out.Wrap(p.rule, verify.Place{Artifact: artifact, Pointer: p.pointer, Line: p.line}, p.what, p.causes)
}

// A mode is one of the two verdicts of 11 §8.
type mode int

const (
	structure     mode = iota // what needs no key
	authenticated             // the keyed hashes too
)

// sealChecks is the outcome of the checks of one sealed thing, which stop at the
// first that fails: before its keyed hash, that hash, after it.
type sealChecks struct {
	before []problem
	forged *problem // the keyed hash differs; structure passes over it
	after  []problem
}

// failing is what fails first under a verdict.
func (s *sealChecks) failing(m mode) []problem {
	switch {
	case len(s.before) > 0:
		return s.before
	case s.forged != nil && m == authenticated:
		return []problem{*s.forged}
	}
	return s.after
}
