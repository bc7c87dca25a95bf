package packet

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"finishline/review"
	"finishline/verify"
	"finishline/verify/rca"
	"finishline/verify/source"
)

// current verifies a v3 packet at HEAD in full (§4 to §6 and §10).
func (v *verification) current(ctx context.Context) {
	v.result = Result{RevalidationMode: CurrentSourceFull, AssuranceLevel: v.doc.Get("assuranceLevel").Text()}
	inputs, gates := v.collect(), v.collect()
	set := v.loadInputs(inputs)
	derived := v.deriveGates(inputs, set)
	v.result.RequiredGates = derived
	entries := v.loadGates(gates, derived)

	w := v.verifyParts(ctx, entries)
	v.merge(part{w.runtime.findings, []Node{w.runtime.node}})
	v.checked = append(v.checked, w.runtime.checked(v.in.Level, v.tree))
	v.merge(w.catalogs)

	passed := w.runtime.passed
	asked := v.inputDelegates(set, passed)
	var ofGates []*delegation
	if passed {
		ofGates = v.gateDelegates(entries)
	}
	v.ask(ctx, asked, ofGates)
	v.finishInputs(inputs, set, asked)
	v.merge(part{inputs, set.nodes})
	v.finishGates(gates, entries, ofGates, w)
	v.merge(part{gates, entries.nodes()})
	v.merge(w.inventory)
	v.merge(part{findings: v.unlistedCheck(ctx, w.application)})

	v.barrier(ctx, set, entries, w)
	if v.in.stage.reviewed() && !v.firedAtBase() {
		v.tree.Children = append(v.tree.Children, v.bindingChecks(v.out, ruleBinding, ruleBinding)...)
	}
	v.scan(v.out, &document{Node: v.doc, path: v.path})
}

// ruleBinding is the rule of bindings in current mode, also for those that
// cannot be computed.
const ruleBinding = "packet.binding.mismatch"

// firedAtBase reports whether a base rule fired, be it for what could not be
// looked at: the bindings are evaluated only when none did (§6). Strict rules do
// not count, so that both levels agree on the base rules, nor does a validator
// that is not there, which says nothing of the packet and must not hide that it
// was forged.
func (v *verification) firedAtBase() bool {
	return slices.ContainsFunc(baseErrors(v.out.List()), func(f verify.Finding) bool { return f.Rule != ruleDelegate })
}

// failedAtBase reports whether a base rule decided against the packet: then it
// is refused, whatever a second look would find.
func (v *verification) failedAtBase() bool {
	for _, f := range v.out.List() {
		if f.Severity == verify.Error && !f.NotEvaluated && levelOf(f.Rule) == verify.Base {
			return true
		}
	}
	return false
}

// work is what the verifiers that run side by side found.
type work struct {
	runtime     *runtimeCheck
	catalogs    part
	inventory   part
	application *application
	proof       *verify.Findings
	review      *review.Result
	reviewErr   error
	rca         *rca.Outcome
	rcaErr      error
}

// verifyParts runs the verifiers that do not depend on each other side by side.
// Each has findings of its own; they are merged in a fixed order.
func (v *verification) verifyParts(ctx context.Context, entries *gateSet) *work {
	v.share(ctx)
	defer v.unshare()
	w := &work{}
	var group errgroup.Group
	group.Go(func() error { w.runtime = v.currentRuntime(ctx, v.look, v.in.Level); return nil })
	group.Go(func() error { w.catalogs = sidePart(v.catalogChecks(ctx)); return nil })
	group.Go(func() error { w.inventory = sidePart(v.inventoryChecks(ctx)); return nil })
	if e := entries.get(GateProof); e != nil && e.doc != nil {
		group.Go(func() error { w.application = v.applicationState(ctx, v.look, v.in.Level); return nil })
		group.Go(func() error { w.proof = v.proofVerdict(e); return nil })
	}
	if e := entries.get(GateReview); e != nil && e.doc != nil {
		group.Go(func() error { w.review, w.reviewErr = v.reviewVerdict(ctx, e); return nil })
	}
	if e := entries.get(GateRCA); e != nil && e.doc != nil {
		group.Go(func() error { w.rca, w.rcaErr = v.rcaVerdict(ctx, e); return nil })
	}
	group.Wait()
	return w
}

// finishInputs reports, per input, what needs no file but its own, then what
// its validator said, then what binds the inputs to each other.
func (v *verification) finishInputs(out *verify.Findings, set *inputSet, asked []*delegation) {
	for _, in := range set.list {
		v.inputChecks(out, in)
	}
	for _, d := range asked {
		v.reportDelegation(out, d)
	}
	v.crossChecks(out, set)
}

// finishGates reports what the verifiers of the gate documents said.
func (v *verification) finishGates(out *verify.Findings, set *gateSet, asked []*delegation, w *work) {
	for _, e := range set.docs() {
		switch e.spec.kind {
		case proofGate:
			v.proofChecks(out, e, w.proof, w.application)
			v.checked = append(v.checked, proofChecked(v.in.Level, e), checkedBy(source.Table, v.in.Level, e))
		case reviewGate:
			if v.answered(out, "packet.review.invalid", e, w.reviewErr) {
				v.reviewChecks(out, set, e, w.review)
				v.checked = append(v.checked, w.review.Checked())
				v.trust = w.review.TrustUsed()
			}
		case rcaGate:
			if v.answered(out, "packet.rca.invalid", e, w.rcaErr) {
				v.rcaChecks(out, e, w.rca)
			}
		case delegatedGate, closureGate:
			v.finishDelegated(out, set, e, delegationOf(asked, e.gate))
		case noGate: // its document is never read
		}
	}
	v.gateSubjects(out, set, w.runtime.passed)
}

// answered reports whether a verifier gave an answer. One that gave none has not
// passed anything.
func (v *verification) answered(out *verify.Findings, rule string, e *gateEntry, err error) bool {
	if err != nil {
		out.Add(rule, v.at(e.Node), verify.What{Found: err.Error(), Expected: "a verification to its end", Unevaluated: true})
	}
	return err == nil
}

func (v *verification) finishDelegated(out *verify.Findings, set *gateSet, e *gateEntry, asked *delegation) {
	if asked != nil {
		v.reportDelegation(out, asked)
	}
	switch {
	case e.spec.kind == closureGate:
		v.closureChecks(out, set, e, asked)
	case e.gate == GateCodeIntelligence:
		v.supportChecks(out, e)
	}
}

func delegationOf(list []*delegation, gate string) *delegation {
	for _, d := range list {
		if d.gate == gate {
			return d
		}
	}
	return nil
}

// checkedBy says that the rules of a table were evaluated for a gate's
// document.
func checkedBy(t *verify.Table, level verify.Level, e *gateEntry) verify.Checked {
	return verify.Checked{Verifier: t.Name, Rules: t.Count(level), Artifacts: []verify.Artifact{{Path: e.doc.path, SHA256: e.sha256}}}
}
