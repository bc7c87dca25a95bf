package packet

import (
	"context"

	"finishline/verify"
	"finishline/verify/rca"
)

// rcaVerdict verifies the root-cause analysis itself (04). The error is that of
// a context that ended.
func (v *verification) rcaVerdict(ctx context.Context, e *gateEntry) (*rca.Outcome, error) {
	return rca.Verify(ctx, rca.Input{Root: v.root, Path: e.spec.path, Repo: v.repo, GitError: v.repoErr, Level: v.in.Level})
}

// rcaChecks reports what it found.
func (v *verification) rcaChecks(out *verify.Findings, e *gateEntry, r *rca.Outcome) {
	v.fold(out, "packet.rca.invalid", v.at(e.Node), e.doc.path, r.Findings.List(), r.Findings.Omitted())
	v.checked = append(v.checked, checkedBy(rca.Table, v.in.Level, e))
}
