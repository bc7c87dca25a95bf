package finish

import (
	"context"
	"fmt"

	"finishline/canon"
	"finishline/packet"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A BoundReview is what a review of the run must be bound to, and the evidence
// bundle (05 §6) that its digest stands for.
type BoundReview struct {
	review.RunBinding
	Bundle canon.Value
}

// BindReview works out what a review of the run must be bound to as the run is
// now (02 §9): it builds the packet up to the review (05 §12), which verifies
// everything that the evidence bundle is made of. Without an assurance level it
// is that of the run's closure, structural when there is none. The binding is
// nil when it cannot be worked out; the report says why.
func BindReview(ctx context.Context, run Run, opt CreateOptions) (*BoundReview, *verify.Report, error) {
	if opt.AssuranceLevel == "" {
		level, err := closureLevel(run.Dir)
		if err != nil {
			return nil, nil, err
		}
		opt.AssuranceLevel = level
	}
	report, draft, err := BuildPacket(ctx, run, opt, packet.BeforeReview)
	if err != nil || draft.Refused() {
		return nil, report, err
	}
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
		return nil, nil, fmt.Errorf("bind review: the packet of run %s has no proof", verify.Quote(binding.RunID))
	}
	return &BoundReview{binding, draft.Digests.Bundle}, nil, nil
}

// closureLevel is the level of the run's closure. One that cannot be read gives
// a level that does not exist, which the packet's builder refuses.
func closureLevel(dir string) (string, error) {
	root, err := evidence.Open(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	path, _ := packet.CanonicalPath(packet.GateClosure)
	if there, err := root.Exists(path); err == nil && !there {
		return packet.Structural, nil
	}
	_, doc, bad := root.ReadDocument(path, verify.Strict, (*evidence.Root).SafeFile, canon.MaxDocument)
	if bad != nil {
		return "unknown", nil
	}
	return doc.Root.Get("assuranceLevel").Text(), nil
}
