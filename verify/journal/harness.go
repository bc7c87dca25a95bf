package journal

import (
	"context"
	"fmt"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/harness"
	"finishline/verify/journal/lines"
)

func verifyHarness(ctx context.Context, in Input) (*verify.Report, error) {
	f, _, err := lines.Open(in.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o := in.Harness
	o.Path, o.Progress = in.Path, in.Progress
	res, err := harness.Verify(ctx, f, o)
	if err != nil {
		return nil, err
	}
	payload := canon.NewNull()
	if res.Resolved {
		payload = canon.NewString(res.Payload)
	}
	kinds := make([]canon.Member, len(res.Kinds))
	for i, k := range res.Kinds {
		kinds[i] = number(k.Kind, k.Count)
	}
	rep := &verify.Report{
		Subject:  verify.Subject{Kind: "Harness v2 journal", Path: in.Path, SHA256: res.SHA256},
		Level:    in.Level,
		Findings: res.Findings.List(),
		Omitted:  res.Findings.Omitted(),
		Checked:  []verify.Checked{{Verifier: harness.Table.Name, Rules: harness.Table.Count(in.Level), Artifacts: []verify.Artifact{{Path: in.Path, SHA256: res.SHA256}}}},
		Notes:    []string{harnessLine(res), notSigned},
		Results: results(in, number("lines", res.Lines), number("records", res.Records), number("blankLines", res.Blank),
			canon.Member{Name: "payloadPointer", Value: payload}, canon.Member{Name: "state", Value: canon.NewString(res.State)},
			canon.Member{Name: "torn", Value: canon.NewBool(res.Torn)}, canon.Member{Name: "kinds", Value: canon.Build(kinds...)}),
	}
	if res.Records == 0 && verify.Fold(rep.Findings) == verify.Pass {
		rep.Withheld = append(rep.Withheld, "no record was judged")
	}
	return rep, nil
}

// notSigned is what a pass of a journal without a seal does not mean.
const notSigned = "the journal is not signed: whoever can write the file can write another history"

func harnessLine(res *harness.Result) string {
	line := fmt.Sprintf("%d records of %d kinds in %d lines", res.Records, len(res.Kinds), res.Lines)
	if res.State != "" {
		line += ", the run is " + res.State
	}
	if res.Resolved && res.Payload != "" {
		line += ", payload at " + verify.Print(res.Payload, verify.MaxText)
	}
	return line
}
