package packet

import (
	"context"

	"finishline/verify"
	"finishline/verify/proof"
	"finishline/verify/source"
)

// An application is the state of the application files, or why there is none.
type application struct {
	state *source.State
	err   error
	// strict holds what strict level has against the repository (03 E.3); the
	// second look is at base level.
	strict *verify.Findings
}

// applicationState computes the state of the target at the packet's commit
// (03 C), and at strict level what 03 E.3 has against its repository.
func (v *verification) applicationState(ctx context.Context, l look, level verify.Level) *application {
	if l.repo == nil {
		return &application{err: l.repoErr}
	}
	a := &application{strict: source.Table.Collect(level)}
	target := source.Target{Repo: l.repo, Files: l.root, Index: l.index}
	a.state, a.err = source.CheckedApplication(ctx, a.strict, target, v.doc.Get("commit").Text())
	return a
}

// proofVerdict verifies the proof itself (03 B).
func (v *verification) proofVerdict(e *gateEntry) *verify.Findings {
	_, findings := proof.VerifyPortable(e.doc.parsed, e.doc.path, v.in.Level)
	return findings
}

// proofChecks evaluates §5.3.
func (v *verification) proofChecks(out *verify.Findings, e *gateEntry, verdict *verify.Findings, app *application) {
	v.fold(out, "packet.proof.invalid", v.at(e.Node), e.doc.path, verdict.List(), verdict.Omitted())
	if status := e.doc.At("outcome").At("status"); !status.Is(string(proof.Passed)) {
		out.Add("packet.proof.not-passed", verify.At(e.doc.path, status.Pointer), verify.What{Found: verify.Show(status.Value), Expected: `"passed"`})
	}
	v.targetPathCheck(out, e.doc, app)
	if app.err != nil {
		failed := source.AsError(app.err)
		out.Wrap("packet.proof.application-unavailable", verify.At(e.doc.path, "/source/applicationAfterSha256"), verify.What{
			Found: failed.Error(), Expected: "a state to compare with the proof", Hint: failed.Hint}, failed.Causes(out.Level(), e.doc.path))
		return
	}
	out.Append(app.strict.List()...)
	for _, d := range source.Compare(e.doc.Node, v.repo, app.state) {
		rule := d.Rule
		switch rule {
		case source.RuleTargetMismatch:
			continue // part of packet.proof.target-path-mismatch
		case source.RuleApplicationMismatch:
			rule = "packet.proof.application-changed"
		}
		out.Add(rule, verify.At(e.doc.path, d.Pointer), d.What)
	}
	stated := e.doc.Get("source").Get("applicationAfterSha256").Text()
	e.node.Children = append(e.node.Children, Node{Kind: "application", Name: app.state.TargetPath, Declared: stated,
		Actual: app.state.SHA256(), State: stateOf(stated, app.state.SHA256())})
}

// targetPathCheck compares the three statements of where in the work tree the
// run took place.
func (v *verification) targetPathCheck(out *verify.Findings, doc *document, app *application) {
	declared := v.doc.At("validationRuntime").At("source").At("targetPath")
	proved := doc.At("source").At("targetPath")
	found, at := verify.Show(proved.Value), verify.At(doc.path, proved.Pointer)
	if sameText(declared.Value, proved.Value) {
		if app.state == nil || declared.Is(app.state.TargetPath) {
			return
		}
		found, at = verify.Quote(app.state.TargetPath)+" is where the target lies", v.at(declared)
	}
	out.Add("packet.proof.target-path-mismatch", at, verify.What{
		Found: found, Expected: verify.Show(declared.Value) + ", as the packet's runtime has it"})
}

func proofChecked(level verify.Level, e *gateEntry) verify.Checked {
	return checkedBy(proof.Table, level, e)
}
