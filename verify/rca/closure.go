package rca

import (
	"fmt"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/proof"
)

// references evaluates the first half of section 5: each part of the analysis
// rests on evidence of its own phase.
func (a *analysis) references() {
	a.refs(a.doc.At("symptom"), phaseReproduction, func(typ string) bool { return typ == typeCommand })
	a.refs(a.doc.At("rootCause"), phaseDiagnosis, func(typ string) bool { return runtimeTypes[typ] })
	a.refs(a.doc.At("fix"), phaseFix, func(typ string) bool { return typ == typeChange })
	a.refs(a.regression(), phaseRegression, func(typ string) bool { return typ == typeCommand })
	for _, c := range [...]struct{ rule, phase string }{
		{"rca.evidence.no-reproduction", phaseReproduction}, {"rca.evidence.no-regression", phaseRegression},
	} {
		if !a.hasCommand(c.phase) {
			a.failWith(c.rule, a.doc.At("evidence"), verify.What{Found: "no such entry", Expected: "a runtime-command of phase " + c.phase})
		}
	}
}

func (a *analysis) refs(part canon.Node, phase string, fits func(typ string) bool) {
	n := part.At("evidenceIds")
	if n.Len() == 0 || !n.IsArray() {
		a.fail("rca.refs.empty", n, "a non-empty array of evidence ids")
		return
	}
	some := false
	for id := range n.All() {
		e := a.ids[id.Text()]
		if e == nil {
			a.fail("rca.refs.unknown", id, "the id of an evidence entry")
			continue
		}
		some = some || e.phase == phase && fits(e.typ)
	}
	if !some {
		a.fail("rca.refs.phase", n, "evidence of phase "+phase+" and of the type that it needs")
	}
}

// hasCommand reports whether a registered runtime-command of the phase exists.
func (a *analysis) hasCommand(phase string) bool {
	for _, e := range a.ids {
		if e.phase == phase && e.typ == typeCommand {
			return true
		}
	}
	return false
}

// commandProofs are the entries of a phase whose artifact parsed to an object,
// in order.
func (a *analysis) commandProofs(phase string) []*entry {
	var entries []*entry
	for i := range a.list {
		e := &a.list[i]
		if e.phase == phase && e.typ == typeCommand && e.facts != nil && e.facts.proof != nil && e.facts.proof.object {
			entries = append(entries, e)
		}
	}
	return entries
}

// closure evaluates the second half of section 5 for the last proof of each
// side.
func (a *analysis) closure() {
	if reds := a.commandProofs(phaseReproduction); len(reds) > 0 {
		a.lastRed = reds[len(reds)-1]
	}
	if passes := a.commandProofs(phaseRegression); len(passes) > 0 {
		a.lastPass = passes[len(passes)-1]
	}
	var found []mismatch
	if a.lastRed != nil {
		found = append(found, a.causalOf(a.lastRed, "preFixSha256")...)
	}
	if a.lastPass != nil {
		found = append(found, a.causalOf(a.lastPass, "postFixSha256")...)
	}
	found = append(found, commandOf(a.lastRed, a.lastPass)...)
	found = append(found, a.signatureOf(a.lastRed)...)
	for _, x := range found {
		a.failWith(x.rule, x.at, x.what)
	}
}

// A mismatch is a closure rule that fails.
type mismatch struct {
	rule string
	at   canon.Node
	what verify.What
}

// commandOf demands that both sides, where there are both, ran one command.
func commandOf(red, pass *entry) []mismatch {
	if red == nil || pass == nil || red.facts.proof.commandKey == pass.facts.proof.commandKey {
		return nil
	}
	return []mismatch{{"rca.closure.command", pass.node.At("artifact"), verify.What{
		Found:    verify.Quote(red.path) + " and " + verify.Quote(pass.path) + " ran different commands",
		Expected: "the command that failed, run again",
		Hint:     "argv, resolution and the environment that the command saw all count: run both proofs in the same shell"}}}
}

// signatureOf demands that every attempt of a reproduction printed the failure
// signature.
func (a *analysis) signatureOf(red *entry) []mismatch {
	signature := a.regression().At("failureSignature")
	if red == nil || !canon.NonEmpty(signature.Value, minSignature) {
		return nil
	}
	f := red.facts.proof
	if f.attempts > 0 && f.signatureEvery {
		return nil
	}
	return []mismatch{{"rca.closure.signature", signature, verify.What{
		Found:    fmt.Sprintf("not in the output of every one of the %d attempts of %s", f.attempts, verify.Quote(red.path)),
		Expected: "a text that each failing attempt printed"}}}
}

// causalOf compares the causal inputs of a proof with the declared digests of
// its side.
func (a *analysis) causalOf(e *entry, member string) []mismatch {
	var list []mismatch
	for _, in := range a.inputs {
		path, isText := in.Get("path").Str()
		if !isText {
			continue
		}
		declared := in.At(member)
		bound := e.facts.proof.causal[path]
		if len(bound) == 0 {
			list = append(list, mismatch{"rca.closure.causal-missing", in.At("path"), verify.What{
				Found: verify.Quote(e.path) + " has no such causal input", Expected: "an entry for " + verify.Quote(path)}})
			continue
		}
		if first := bound[0]; !matches(first, declared.Value) {
			list = append(list, mismatch{"rca.closure.causal-mismatch", declared, verify.What{
				Found:    verify.Quote(e.path) + " has " + first.Before + " and " + first.After,
				Expected: verify.Show(declared.Value) + " before and after the run"}})
		}
	}
	return list
}

func matches(in proof.CausalInput, declared canon.Value) bool {
	return evidence.Identical(canon.NewString(in.Before), declared) && evidence.Identical(canon.NewString(in.After), declared)
}
