package finish

import (
	"context"
	"fmt"
	"time"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
	"finishline/verify/rca"
)

// GateOptions are what a caller may say about a single gate.
type GateOptions struct {
	// Now is the clock, the zero time for none.
	Now time.Time
	// Mode says what the goal gate asks of a goal's status.
	Mode gate.Mode
}

// Gate judges the document of one gate of the aggregate by itself (contracts
// 07 to 09b). That it agrees with other documents, with the clock and with the
// checked-out commit is for [Line] to say. An unknown name is an
// *UnknownGateError.
func Gate(ctx context.Context, run Run, name string, opt GateOptions) (*verify.Report, error) {
	g, ok := findGate(name)
	if !ok {
		return nil, &UnknownGateError{name, AggregateGates()}
	}
	l, err := openLine(ctx, run, LineOptions{Now: opt.Now})
	if err != nil {
		return nil, err
	}
	defer l.close()
	judges := l.gates
	if opt.Mode != gate.FinishLine {
		judges, err = gate.NewRun(gate.Options{Target: l.root, Pack: gate.Pack{Dir: l.pack.Dir, Present: l.pack.Present},
			Level: run.Level, Head: l.head, Now: opt.Now, Mode: opt.Mode})
		if err != nil {
			return nil, err
		}
		defer judges.Close()
	}
	result := judges.Judge(ctx, g)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	checked := checkedGate(judges, g)
	report := &verify.Report{
		Subject: verify.Subject{Kind: g.Name, Path: g.Artifact}, Level: run.Level,
		Findings: result.Findings.List(), Omitted: result.Findings.Omitted(), Checked: []verify.Checked{checked},
		Notes: []string{"one gate by itself; finishline verify also compares the documents with each other, the clock and HEAD"},
	}
	if len(checked.Artifacts) > 0 {
		report.Subject.SHA256 = checked.Artifacts[0].SHA256
	}
	for _, n := range result.NotEvaluated {
		report.Withheld = append(report.Withheld, notEvaluated(n))
	}
	return report, nil
}

func findGate(name string) (gate.Gate, bool) {
	for _, g := range allGates() {
		if g.Name == name {
			return g, true
		}
	}
	return gate.Gate{}, false
}

// A GateInfo tells of a gate of the aggregate.
type GateInfo struct {
	Name, Artifact string
	Runs           string // when it does
	Rules          int    // of its own
}

// Gates lists the gates of the aggregate in their order (09 §2).
func Gates(level verify.Level) []GateInfo {
	var list []GateInfo
	for _, g := range allGates() {
		info := GateInfo{Name: g.Name, Artifact: g.Artifact, Runs: "always", Rules: g.Table.Count(level)}
		switch {
		case g.Name == authoritativeGateName:
			info.Runs = "when its document exists"
		case conditional(g.Name):
			info.Runs = "when the route requires it"
		}
		list = append(list, info)
	}
	return list
}

// RCA verifies a root-cause analysis by itself (contract 04). Path is relative
// to the run's directory, "" for the default.
func RCA(ctx context.Context, run Run, path string) (*verify.Report, error) {
	if path == "" {
		path = rca.DefaultPath
	}
	root, err := evidence.Open(run.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	in := rca.Input{Root: root, Path: path, GitError: run.GitErr, Level: run.Level}
	if in.GitError == nil {
		if in.Repo, in.GitError = git.Open(ctx, run.Git, run.Dir); in.Repo != nil {
			defer in.Repo.Close()
		}
	}
	o, err := rca.Verify(ctx, in)
	if err != nil {
		return nil, err
	}
	return &verify.Report{
		Subject: verify.Subject{Kind: "root-cause analysis", Path: path, SHA256: o.SHA256}, Level: run.Level,
		Findings: o.Findings.List(), Omitted: o.Findings.Omitted(), Checked: []verify.Checked{checkedRCA(o, path, run.Level)},
	}, nil
}

func checkedRCA(o *rca.Outcome, path string, level verify.Level) verify.Checked {
	checked := verify.Checked{Verifier: rca.Table.Name, Rules: rca.Table.Count(level)}
	if o.SHA256 != "" {
		checked.Artifacts = []verify.Artifact{{Path: path, SHA256: o.SHA256}}
	}
	return checked
}

// WaiverOptions are what a caller may say about a waiver ledger.
type WaiverOptions struct {
	// Path is the ledger, relative to the run's directory; "" for the default.
	Path string
	// Now is the clock that waivers may have expired by.
	Now time.Time
	// Approvals are the approval records of the run as they are after all its
	// events; nil when there are none at hand, and the report says so.
	Approvals []canon.Value
}

// Waivers verifies a waiver ledger by itself (contract 07, section 8).
func Waivers(ctx context.Context, run Run, opt WaiverOptions) (*verify.Report, error) {
	path := opt.Path
	if path == "" {
		path = evidence.WaiverPath
	}
	root, err := evidence.Open(run.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	out := evidence.Waivers.Collect(run.Level)
	ledger := evidence.VerifyWaivers(out, root, path, evidence.WaiverOptions{Now: canon.NewString(instant(opt.Now.UnixMilli()))})
	report := &verify.Report{Subject: verify.Subject{Kind: "waiver ledger", Path: path}, Level: run.Level}
	if list := ledger.At("waivers"); opt.Approvals != nil {
		evidence.CorrelateWaivers(out, path, list, opt.Approvals)
	} else if list.Len() > 0 {
		report.Notes = append(report.Notes, fmt.Sprintf("not evaluated: whether approvals of the run back its waivers, %d listed (waiver.correlation.missing-approval); no approval records were given", list.Len()))
	}
	report.Findings, report.Omitted = out.List(), out.Omitted()
	checked := verify.Checked{Verifier: evidence.Waivers.Name, Rules: evidence.Waivers.Count(run.Level), Artifacts: root.Artifacts()}
	if len(checked.Artifacts) == 1 {
		report.Subject.SHA256 = checked.Artifacts[0].SHA256
	}
	report.Checked = []verify.Checked{checked}
	return report, ctx.Err()
}
