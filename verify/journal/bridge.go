package journal

import (
	"context"
	"fmt"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/checkpoint"
	"finishline/verify/journal/store"
)

func verifyBridge(ctx context.Context, in Input) (*verify.Report, error) {
	opt := in.Store
	opt.Level, opt.Progress = in.Level, in.Progress
	if len(in.Checkpoints) > 0 {
		opt.Keep = store.KeepLines
	}
	res, err := store.Verify(ctx, in.Path, opt)
	if err != nil {
		return nil, err
	}
	var signed *verify.Findings
	if len(in.Checkpoints) > 0 || opt.Seen != nil {
		if len(res.Runs) != 1 {
			return nil, &OneRunError{in.Path, len(res.Runs)}
		}
	}
	if len(in.Checkpoints) > 0 {
		if signed, err = verifyCheckpoints(res.Runs[0], in); err != nil {
			return nil, err
		}
	}
	rep := res.Report(in.Demand)
	if signed != nil {
		rep.Findings = append(rep.Findings, signed.List()...)
		rep.Checked = append(rep.Checked, verify.Checked{Verifier: checkpoint.Table.Name, Rules: checkpoint.Table.Count(in.Level), Artifacts: artifacts(in.Checkpoints)})
		if !settled(res.Runs[0]) {
			rep.Notes = append(rep.Notes, "checkpoints were not compared with the journal, which fails by itself")
		}
	}
	rep.Results = results(in, canon.Member{Name: "bridge", Value: res.Value()})
	return rep, nil
}

// A OneRunError says that what is expected of one run was asked of several, or
// of none.
type OneRunError struct {
	Path string
	Runs int
}

func (e *OneRunError) Error() string {
	return fmt.Sprintf("%s holds %d runs; a checkpoint, an expected head and an expected count are about one", e.Path, e.Runs)
}

// Hint says what to do.
func (e *OneRunError) Hint() string { return "give the directory of the run, run-…, itself" }

// verifyCheckpoints holds the journal of a run to its checkpoints, once its own
// rules passed (11 §11.1).
func verifyCheckpoints(r *store.Run, in Input) (*verify.Findings, error) {
	out := checkpoint.Table.Collect(in.Level)
	if !settled(r) {
		return out, nil
	}
	log, err := LogOf(r)
	if err != nil {
		return nil, err
	}
	passed := checkpoint.Verify(out, log, in.Checkpoints, in.Trusted)
	if out.Errors() == 0 && len(passed) > 0 && checkpoint.Covered(passed) == log.Size() && r.Valid() {
		r.AnchoredBy("a signed checkpoint")
	}
	return out, nil
}

// settled reports whether the rules of configuration and journal passed, so
// that checkpoints can be compared.
func settled(r *store.Run) bool {
	if r.ID == "" || len(r.Unread) > 0 {
		return false
	}
	for _, f := range r.Findings().List() {
		family, _, _ := strings.Cut(f.Rule, ".")
		if f.Severity == verify.Error && (family == "runconfig" || family == "journal" || family == "datadir") {
			return false
		}
	}
	return true
}

// LogOf is the journal of a run as checkpoints see it. The run must have been
// verified with KeepLines.
func LogOf(r *store.Run) (*checkpoint.Log, error) {
	log := &checkpoint.Log{RunID: r.ID, StorageKey: r.Dir, Config: r.ConfigDigest}
	for i, l := range r.Links {
		if l.Canonical == nil {
			return nil, fmt.Errorf("record %d of %s was read without its line", i, r.Dir)
		}
		if err := log.Append(l.Canonical, l.Digest); err != nil {
			return nil, err
		}
	}
	return log, nil
}

func artifacts(files []checkpoint.File) (list []verify.Artifact) {
	for _, f := range files {
		list = append(list, verify.Artifact{Path: f.Path, SHA256: canon.SHA256(f.Data)})
	}
	return list
}
