package journal

import (
	"context"

	"finishline/verify"
	"finishline/verify/journal/bridgeevent"
	"finishline/verify/journal/lines"
)

// verifyBridgeEvents verifies a file of bridge-event.v1 documents.
func verifyBridgeEvents(ctx context.Context, in Input) (*verify.Report, error) {
	f, _, err := lines.Open(in.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o, err := bridgeevent.Verify(ctx, bridgeevent.Input{Path: in.Path, File: f, Level: in.Level, Progress: in.Progress})
	if err != nil {
		return nil, err
	}
	in.raise(o.Findings)
	return &verify.Report{
		Subject:  verify.Subject{Kind: "bridge events", Path: in.Path, SHA256: o.SHA256},
		Level:    in.Level,
		Findings: o.Findings.List(),
		Omitted:  o.Findings.Omitted(),
		Checked: []verify.Checked{{Verifier: bridgeevent.Table.Name, Rules: bridgeevent.Table.Count(in.Level),
			Artifacts: []verify.Artifact{{Path: in.Path, SHA256: o.SHA256}}}},
		Notes:   []string{several(o.Documents, "event"), notSigned},
		Results: results(in, number("events", o.Documents)),
	}, nil
}
