package finish

import (
	"context"
	"time"

	"finishline/canon"
	"finishline/packet"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// CreateOptions are what a caller says about a packet that is to be built.
type CreateOptions struct {
	// RunID, Commit and Environment are taken from the intake when they are "".
	RunID, Commit, Environment string
	// AssuranceLevel is one of packet.Structural, Semantic and Authoritative.
	AssuranceLevel string
	// Gates are those that the caller supplies, nil for all that are required.
	Gates []string
	Now   time.Time
	// AcceptNotEvaluated names gates that may stay without a validator.
	AcceptNotEvaluated []string
}

// BuildPacket makes the packet of a run up to a stage, and verifies it, without
// writing anything (contract 05 §12). The report says why there is none.
func BuildPacket(ctx context.Context, run Run, opt CreateOptions, stage packet.Stage) (*verify.Report, *packet.Draft, error) {
	return build(ctx, run, opt, func(plan packet.Plan) (*packet.Draft, error) { return packet.Build(ctx, plan, stage) })
}

// CreatePacket builds the finished packet of a run and writes it, unless there
// is one already or its verifier would refuse it.
func CreatePacket(ctx context.Context, run Run, opt CreateOptions) (*verify.Report, *packet.Draft, error) {
	return build(ctx, run, opt, func(plan packet.Plan) (*packet.Draft, error) { return packet.Create(ctx, plan) })
}

func build(ctx context.Context, run Run, opt CreateOptions, make func(packet.Plan) (*packet.Draft, error)) (*verify.Report, *packet.Draft, error) {
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
	draft, err := make(opt.plan(root, packet.Input{
		Target: root, Pack: selected, Git: run.Git, GitErr: run.GitErr, Pin: review.ParsePin(run.Pin), Level: run.Level,
		Delegates: packet.Native(gates), AcceptNotEvaluated: opt.AcceptNotEvaluated,
	}))
	if err != nil {
		return nil, nil, err
	}
	report := &verify.Report{
		Subject: verify.Subject{Kind: "new run-packet", Path: packet.DefaultPath}, Level: run.Level,
		Findings: draft.Findings.List(), Omitted: draft.Findings.Omitted(),
		Checked: []verify.Checked{{Verifier: packet.CreateTable.Name, Rules: packet.CreateTable.Count(run.Level), Artifacts: root.Artifacts()}},
	}
	if draft.Outcome != nil {
		report.Checked = append(report.Checked, draft.Outcome.Checked...)
		report.Accepted, report.Trust = draft.Outcome.Accepted, draft.Outcome.Trust
	}
	return report, draft, nil
}

// plan completes the options with what the intake says. An intake that cannot
// be read says nothing here; it is refused as an input.
func (opt CreateOptions) plan(root *evidence.Root, in packet.Input) packet.Plan {
	plan := packet.Plan{
		Input: in, RunID: opt.RunID, Commit: opt.Commit, Environment: opt.Environment,
		AssuranceLevel: opt.AssuranceLevel, GeneratedAt: opt.Now, Gates: opt.Gates,
	}
	for _, spec := range packet.Inputs() {
		if spec.Name != packet.Intake {
			continue
		}
		_, intake, bad := root.ReadDocument(spec.Path, in.Level, (*evidence.Root).SafeFile, canon.MaxDocument)
		if bad != nil {
			continue
		}
		for _, m := range []struct {
			name  string
			value *string
		}{{"runId", &plan.RunID}, {"commit", &plan.Commit}, {"environment", &plan.Environment}} {
			if *m.value == "" {
				*m.value = intake.Root.Get(m.name).Text()
			}
		}
	}
	return plan
}
