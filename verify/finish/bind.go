package finish

import (
	"context"
	"fmt"
	"time"

	"finishline/canon"
	"finishline/packet"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// A ReviewSubject says which run a review is of.
type ReviewSubject struct{ RunID, Commit, Environment string }

// SubjectOf is the run that a review names.
func SubjectOf(doc canon.Value) ReviewSubject {
	return ReviewSubject{doc.Get("runId").Text(), doc.Get("commit").Text(), doc.Get("environment").Text()}
}

// A BoundReview is what a review of the run must be bound to, and the evidence
// bundle (05 §6) that its digest stands for.
type BoundReview struct {
	review.RunBinding
	Bundle canon.Value
}

// BindReview works out what a review of the run must be bound to as the run is
// now (02 §9): it builds the packet up to the review (05 §12), which verifies
// everything that the evidence bundle is made of. The zero subject is that of
// the run's intake. The binding is nil when there is none; the report says why.
func BindReview(ctx context.Context, run Run, subject ReviewSubject, now time.Time) (*BoundReview, *verify.Report, error) {
	root, err := evidence.Open(run.Dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	selected, err := pack.Select(root, run.Pack)
	if err != nil {
		return nil, nil, err
	}
	gates, err := gate.NewRun(gate.Options{
		Target: root, Pack: gate.Pack{Dir: selected.Dir, Present: selected.Present}, Level: run.Level,
	})
	if err != nil {
		return nil, nil, err
	}
	defer gates.Close()
	if subject == (ReviewSubject{}) {
		subject = SubjectOf(documentAt(root, packet.Intake, run.Level))
	}
	draft, err := packet.Build(ctx, packet.Plan{
		Input: packet.Input{
			Target: root, Pack: selected, Git: run.Git, GitErr: run.GitErr, Pin: review.ParsePin(run.Pin), Level: run.Level,
			Delegates: packet.Native(gates),
		},
		RunID: subject.RunID, Commit: subject.Commit, Environment: subject.Environment,
		AssuranceLevel: assuranceLevel(root), GeneratedAt: now,
	}, packet.BeforeReview)
	if err != nil {
		return nil, nil, err
	}
	if draft.Refused() {
		return nil, draftReport(run, draft), nil
	}
	bound, err := bound(draft, run)
	return bound, nil, err
}

// documentAt is an input of the run, absent when it cannot be read: what is
// wrong with it is for the packet's builder to say.
func documentAt(root *evidence.Root, name packet.InputName, level verify.Level) canon.Value {
	for _, spec := range packet.Inputs() {
		if spec.Name != name {
			continue
		}
		if _, doc, bad := root.ReadDocument(spec.Path, level, (*evidence.Root).SafeFile, canon.MaxDocument); bad == nil {
			return doc.Root
		}
	}
	return canon.Value{}
}

// assuranceLevel is the level of the run's closure, structural without one. A
// closure that cannot be read has no level that could be built.
func assuranceLevel(root *evidence.Root) string {
	path, _ := packet.CanonicalPath(packet.GateClosure)
	if there, err := root.Exists(path); err == nil && !there {
		return packet.Structural
	}
	_, doc, bad := root.ReadDocument(path, verify.Strict, (*evidence.Root).SafeFile, canon.MaxDocument)
	if bad != nil {
		return ""
	}
	return doc.Root.Get("assuranceLevel").Text()
}

func draftReport(run Run, draft *packet.Draft) *verify.Report {
	report := &verify.Report{
		Subject: verify.Subject{Kind: "evidence bundle", Path: run.Dir}, Level: run.Level,
		Findings: draft.Findings.List(), Omitted: draft.Findings.Omitted(),
		Checked: []verify.Checked{{Verifier: packet.CreateTable.Name, Rules: packet.CreateTable.Count(run.Level)}},
	}
	if draft.Outcome != nil {
		report.Checked = append(report.Checked, draft.Outcome.Checked...)
	}
	return report
}

// bound takes the binding out of the packet that was built.
func bound(draft *packet.Draft, run Run) (*BoundReview, error) {
	doc := draft.Document
	binding := review.RunBinding{
		RunID: doc.Get("runId").Text(), Commit: doc.Get("commit").Text(), Environment: doc.Get("environment").Text(),
		RouteSHA256:   doc.Get("inputs").Get(string(packet.Route)).Get("sha256").Text(),
		TrustSHA256:   review.ParsePin(run.Pin).String(),
		RuntimeSHA256: doc.Get("validationRuntime").Get("setSha256").Text(),
		BundleSHA256:  draft.Digests.BundleSHA256,
	}
	for _, entry := range doc.Get("gateArtifacts").Elems() {
		if entry.Get("gate").Is(packet.GateProof) {
			binding.Subject, binding.SubjectSHA256 = entry.Get("path").Text(), entry.Get("sha256").Text()
		}
	}
	if binding.Subject == "" {
		return nil, fmt.Errorf("bind review: the packet of run %s has no proof", verify.Quote(binding.RunID))
	}
	return &BoundReview{binding, draft.Digests.Bundle}, nil
}
