package packet

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/source"
)

// A rebound is a file that the barrier hashes once more.
type rebound struct {
	rule     string
	declared canon.Node // the digest in the packet
	path     string

	digest evidence.Digest
	err    error
}

// barrier is the second look of §10: the runtime, the bound files and the
// application state once more, from the disk and from Git as they are now. It
// keeps a pass from being given for what is no longer there, so a packet that
// is refused already gets no second look, and what failed the first look is not
// looked at again: its own rule has said so.
func (v *verification) barrier(ctx context.Context, inputs *inputSet, gates *gateSet, w *work) {
	if v.in.hooks.beforeBarrier != nil {
		v.in.hooks.beforeBarrier()
	}
	if v.failedAtBase() {
		return
	}
	second := look{root: v.root.Fresh()}
	defer second.root.Close()

	files := v.rebounds(inputs, gates)
	var runtime *runtimeCheck
	var app *application
	var group errgroup.Group
	group.Go(func() error {
		for _, f := range files {
			f.digest, f.err = rehash(second.root, f.path)
		}
		return nil
	})
	second.openRepo(ctx, v.in)
	defer second.close()
	second.share(ctx)
	if w.runtime.passed {
		group.Go(func() error { runtime = v.currentRuntime(ctx, second, verify.Base); return nil })
	}
	if v.applicationHeld(gates, w) {
		group.Go(func() error { app = v.applicationState(ctx, second, verify.Base); return nil })
	}
	group.Wait()

	if runtime != nil && !runtime.passed {
		v.out.Wrap("packet.final.runtime-changed", verify.At(v.path, "/validationRuntime"), verify.What{
			Found: "another runtime than at the start", Expected: "no change during verification"}, baseErrors(runtime.findings.List()))
	}
	for _, f := range files {
		v.reportRebound(f)
	}
	if app != nil {
		v.reportApplication(gates.get(GateProof), app)
	}
}

// rehash hashes a file again, within the bound of the largest artifact.
func rehash(root *evidence.Root, path string) (evidence.Digest, error) {
	res, perr := root.Resolve(path, evidence.MustExist)
	switch {
	case perr != nil:
		return evidence.Digest{}, perr
	case res.Size() > canon.MaxSubject:
		return evidence.Digest{}, &evidence.FileError{Path: path, Kind: evidence.TooLarge, Reason: fmt.Sprintf("%d bytes now", res.Size())}
	}
	return root.DigestResolved(res)
}

// rebounds lists the files whose first look found exactly the declared digest.
func (v *verification) rebounds(inputs *inputSet, gates *gateSet) []*rebound {
	var list []*rebound
	for i, in := range inputs.list {
		if inputs.nodes[i].State == Same {
			list = append(list, &rebound{rule: "packet.final.input-changed", declared: in.entry.At("sha256"), path: in.entry.Get("path").Text()})
		}
	}
	for _, e := range gates.entries {
		if e.node.State == Same {
			list = append(list, &rebound{rule: "packet.final.gate-changed", declared: e.At("sha256"), path: e.Get("path").Text()})
		}
		for _, s := range e.At("supportingArtifacts").Items() {
			if supportHeld(e.node.Children, s) {
				list = append(list, &rebound{rule: "packet.final.support-changed", declared: s.At("sha256"), path: s.Get("path").Text()})
			}
		}
	}
	return list
}

// supportHeld reports whether the first look found the declared digest of a
// supporting artifact at the declared path.
func supportHeld(nodes []Node, s canon.Node) bool {
	for _, n := range nodes {
		if n.Kind == "support" && s.Get("kind").Is(n.Name) && s.Get("path").Is(n.Path) {
			return n.State == Same
		}
	}
	return false
}

func (v *verification) reportRebound(f *rebound) {
	what := verify.What{Expected: verify.Show(f.declared.Value) + ", as at the start"}
	switch {
	case f.err != nil:
		what.Found = verify.Quote(f.path) + ": " + reason(f.err)
		what.Unevaluated = unevaluated(f.err)
	case !f.declared.Is(f.digest.SHA256):
		what.Found = verify.Quote(f.path) + " has " + f.digest.SHA256
	default:
		return
	}
	v.out.Add(f.rule, v.at(f.declared), what)
}

// applicationHeld reports whether the first look found the application that was
// proved.
func (v *verification) applicationHeld(gates *gateSet, w *work) bool {
	e := gates.get(GateProof)
	return e != nil && e.doc != nil && w.application != nil && w.application.state != nil && v.applicationIs(e, w.application.state) == nil
}

var (
	errTargetPath  = errors.New("the target lies elsewhere in the work tree than the proof says")
	errApplication = errors.New("application files are not those that were proved")
)

// applicationIs compares a state with the proof.
func (v *verification) applicationIs(e *gateEntry, s *source.State) error {
	proved := e.doc.Get("source")
	switch {
	case !proved.Get("targetPath").Is(s.TargetPath):
		return errTargetPath
	case !proved.Get("applicationAfterSha256").Is(s.SHA256()):
		return errApplication
	}
	return nil
}

func (v *verification) reportApplication(e *gateEntry, app *application) {
	at := verify.At(e.doc.path, "/source/applicationAfterSha256")
	what := verify.What{Expected: "the application state of the start"}
	if app.err != nil {
		failed := source.AsError(app.err)
		what.Found = failed.Error()
		v.out.Wrap("packet.final.application-changed", at, what, failed.Causes(v.in.Level, e.doc.path))
		return
	}
	if err := v.applicationIs(e, app.state); err != nil {
		what.Found = err.Error()
		v.out.Add("packet.final.application-changed", at, what)
	}
}

func baseErrors(list []verify.Finding) []verify.Finding {
	var errs []verify.Finding
	for _, f := range list {
		if f.Severity == verify.Error && levelOf(f.Rule) == verify.Base {
			errs = append(errs, f)
		}
	}
	return errs
}
