package finish

import (
	"context"

	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/readiness"
)

// ReadinessOptions are what a caller may say about an assessment of production
// readiness. Paths are relative to the run's directory, "" for the default.
type ReadinessOptions struct {
	Path           string
	Classification string
	// Catalog is a control catalog to judge by; "" for the embedded one.
	Catalog string
	Legacy  readiness.LegacyPolicy
}

// Readiness verifies an assessment of production readiness by itself (contract
// 08). The report says what was not looked at, and of a historical assessment
// that it closes nothing.
func Readiness(ctx context.Context, run Run, opt ReadinessOptions) (*verify.Report, error) {
	root, err := evidence.Open(run.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	in := readiness.Input{Root: root, Path: opt.Path, Classification: opt.Classification, Catalog: opt.Catalog, Legacy: opt.Legacy, Level: run.Level}
	o, err := readiness.Verify(ctx, in)
	if err != nil {
		return nil, err
	}
	if in.Path == "" {
		in.Path = readiness.DefaultPath
	}
	checked := verify.Checked{Verifier: readiness.Table.Name, Rules: readiness.Table.Count(run.Level), Artifacts: root.Artifacts()}
	if o.Catalog.SHA256 != "" {
		checked.Artifacts = append(checked.Artifacts, o.Catalog)
	}
	report := &verify.Report{
		Subject: verify.Subject{Kind: "production readiness", Path: in.Path, SHA256: o.SHA256}, Level: run.Level,
		Findings: o.Findings.List(), Omitted: o.Findings.Omitted(), Checked: []verify.Checked{checked},
		Notes: o.Notes(),
	}
	return report, nil
}
