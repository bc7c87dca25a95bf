package finish

import (
	"context"

	"finishline/internal/git"
	"finishline/packet"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// A Run is where a run's evidence lies and what the operator says about it.
type Run struct {
	// Dir is the target directory T (06 §1).
	Dir string
	// Pack is the pack root R, "" to find it: .valdris-harness below Dir when
	// that exists, else Dir.
	Pack string
	// Git is the Git to use; GitErr says why there is none.
	Git    git.Program
	GitErr error
	// Pin is the value of the operator's UASH_REVIEW_TRUST_SHA256.
	Pin   string
	Level verify.Level
}

// PacketOptions are what a caller may say about a packet.
type PacketOptions struct {
	// Path is the packet, relative to the run's directory; "" for the default.
	Path string
	// History says what a historical result is worth.
	History packet.HistoryUse
	// AcceptNotEvaluated names gates that may stay without a validator.
	AcceptNotEvaluated []string
}

// Packet verifies a run packet and everything it binds (contract 05). The
// outcome is there for those who want more than the report.
func Packet(ctx context.Context, run Run, opt PacketOptions) (*verify.Report, *packet.Outcome, error) {
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
	outcome, err := packet.Verify(ctx, packet.Input{
		Target: root, PacketPath: opt.Path, Pack: selected, Git: run.Git, GitErr: run.GitErr,
		Pin: review.ParsePin(run.Pin), Level: run.Level,
		Delegates: packet.Native(gates), AcceptNotEvaluated: opt.AcceptNotEvaluated, History: opt.History,
	})
	if err != nil {
		return nil, nil, err
	}
	return &outcome.Report, outcome, nil
}

// ReviewOptions are what a caller may say about a review.
type ReviewOptions struct {
	// Path is the review, relative to the run's directory; "" for the default.
	Path string
	// TrustStore is a location of the trust store that the caller supplies,
	// "" for the canonical one. No other place is accepted.
	TrustStore string
	// Proposed is the review as it would be written, for producers; nil to
	// read the file.
	Proposed []byte
}

// Review verifies a signed review by itself (contract 02). The report says
// what a pass does not mean.
func Review(ctx context.Context, run Run, opt ReviewOptions) (*verify.Report, error) {
	root, err := evidence.Open(run.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	in := review.Input{
		Root: root, ReviewPath: opt.Path, TrustStorePath: opt.TrustStore,
		Pin: review.ParsePin(run.Pin), GitErr: run.GitErr, Level: run.Level,
	}
	if in.ReviewPath == "" {
		in.ReviewPath = review.DefaultPath
	}
	if opt.Proposed != nil {
		proposed, refused := root.With(in.ReviewPath, opt.Proposed)
		if refused != nil {
			return nil, refused
		}
		in.Root = proposed
	}
	if in.GitErr == nil {
		if in.Repo, in.GitErr = git.Open(ctx, run.Git, run.Dir); in.Repo != nil {
			defer in.Repo.Close()
		}
	}
	result, err := review.Verify(ctx, in)
	if err != nil {
		return nil, err
	}
	report := &verify.Report{
		Subject: verify.Subject{Kind: "review", Path: in.ReviewPath, SHA256: result.SHA256},
		Level:   run.Level, Findings: result.Findings.List(), Omitted: result.Findings.Omitted(),
		Checked: []verify.Checked{result.Checked()}, Trust: result.TrustUsed(), Notes: result.Notes,
	}
	if result.Verdict() != result.Findings.Verdict() {
		report.Withheld = append(report.Withheld, noSignature)
	}
	return report, nil
}

// Runtime computes the validation runtime of a run at a commit, "" for HEAD
// (contract 06). The binding is nil when it could not be computed; the report
// says why.
func Runtime(ctx context.Context, run Run, commit string) (*verify.Report, *pack.Binding, error) {
	root, err := evidence.Open(run.Dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	selected, err := pack.Select(root, run.Pack)
	if err != nil {
		return nil, nil, err
	}
	in := pack.Input{Target: root, Pack: selected, RepoErr: run.GitErr, Commit: commit, Pin: review.ParsePin(run.Pin), Level: run.Level}
	if in.RepoErr == nil {
		if in.Repo, in.RepoErr = git.Open(ctx, run.Git, run.Dir); in.Repo != nil {
			defer in.Repo.Close()
		}
	}
	if in.Repo != nil && in.Commit == "" {
		if head, err := in.Repo.Head(ctx); err == nil {
			in.Commit = head.ID
		}
	}
	binding, findings := pack.Bind(ctx, in)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	report := &verify.Report{
		Subject: verify.Subject{Kind: "validation runtime", Path: run.Pack}, Level: run.Level,
		Findings: findings.List(), Omitted: findings.Omitted(),
		Checked: []verify.Checked{{Verifier: pack.Table.Name, Rules: pack.Table.Count(run.Level), Artifacts: files(binding)}},
	}
	return report, binding, nil
}

func files(b *pack.Binding) []verify.Artifact {
	if b == nil {
		return nil
	}
	list := make([]verify.Artifact, len(b.Files))
	for i, f := range b.Files {
		list[i] = verify.Artifact{Path: f.Path, SHA256: f.SHA256}
	}
	return list
}
