package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/checkpoint"
	"finishline/verify/journal/harness"
	"finishline/verify/journal/mailbox"
	"finishline/verify/journal/store"
)

// Input is a journal to be verified, and what its verifier is told. Options of
// other kinds are not looked at.
type Input struct {
	Kind  Kind
	Path  string // as Detect gives it
	Level verify.Level

	Store  store.Options
	Demand store.Demand
	// Checkpoints are signed notes about the one run at Path, oldest first, and
	// Trusted the keys that may have signed them.
	Checkpoints []checkpoint.File
	Trusted     []checkpoint.Verifier

	Harness harness.Options
	HUX     HUXInput
	Mailbox mailbox.Input
	// FailOn is the least severity that fails a mailbox and bridge events:
	// verify.Error, or verify.Warning.
	FailOn verify.Severity

	// Progress, when given, is told how many bytes were read so far. It is
	// called from other goroutines.
	Progress func(bytes int64)
}

// Verify verifies a journal and makes the report. The error is trouble with
// reading, or a context that ended; there is no report then.
func Verify(ctx context.Context, in Input) (*verify.Report, error) {
	switch in.Kind {
	case Bridge:
		return verifyBridge(ctx, in)
	case Harness:
		return verifyHarness(ctx, in)
	case HUX:
		return verifyHUX(ctx, in)
	case Mailbox:
		return verifyMailbox(ctx, in)
	case BridgeEvent:
		return verifyBridgeEvents(ctx, in)
	}
	return nil, fmt.Errorf("%s: no verifier for a journal of kind %s", in.Path, in.Kind)
}

// Size is how many bytes a verifier will read, as far as that is known
// beforehand.
func Size(kind Kind, path string) int64 {
	if kind != Bridge {
		return fileSize(path)
	}
	if store.IsRunDirectory(path) {
		return fileSize(filepath.Join(path, store.JournalFile))
	}
	total := int64(0)
	names, err := filepath.Glob(filepath.Join(escapeGlob(path), "*", store.JournalFile))
	if err != nil {
		return 0
	}
	for _, name := range names {
		total += fileSize(name)
	}
	return total
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// escapeGlob makes a path a pattern that matches it alone.
func escapeGlob(path string) string {
	escaped := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		switch c := path[i]; c {
		case '*', '?', '[', '\\':
			escaped = append(escaped, '\\', c)
		default:
			escaped = append(escaped, c)
		}
	}
	return string(escaped)
}

func verifyMailbox(ctx context.Context, in Input) (*verify.Report, error) {
	in.Mailbox.Path, in.Mailbox.Level, in.Mailbox.Progress = in.Path, in.Level, in.Progress
	o, err := mailbox.Verify(ctx, in.Mailbox)
	if err != nil {
		return nil, err
	}
	in.raise(o.Findings)
	return &verify.Report{
		Subject:  verify.Subject{Kind: "mailbox", Path: in.Path},
		Level:    in.Level,
		Findings: o.Findings.List(),
		Omitted:  o.Findings.Omitted(),
		Checked:  []verify.Checked{{Verifier: mailbox.Table.Name, Rules: mailbox.Table.Count(in.Level), Artifacts: o.Artifacts}},
		Withheld: o.Withheld,
		Notes:    append([]string{several(o.Rows, "row"), notSigned}, o.Notes...),
		Results:  results(in, canon.Member{Name: "rows", Value: canon.NewNumber(float64(o.Rows))}),
	}, nil
}

// raise makes errors of the findings that are to fail the journal.
func (in Input) raise(found *verify.Findings) {
	if in.FailOn == verify.Warning {
		found.RaiseWarnings()
	}
}

// results is the answer of one journal for programs.
func results(in Input, members ...canon.Member) []canon.Member {
	entry := canon.Build(append([]canon.Member{
		{Name: "kind", Value: canon.NewString(in.Kind.String())},
		{Name: "path", Value: canon.NewString(in.Path)},
	}, members...)...)
	return []canon.Member{{Name: "journals", Value: canon.NewArray(entry)}}
}
