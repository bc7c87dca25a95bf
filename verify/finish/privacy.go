package finish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"finishline/canon"
	"finishline/packet"
	"finishline/privacy"
	"finishline/verify"
	"finishline/verify/evidence"
)

// PrivacyTable holds the rules of the privacy step of the finish line (09 §5
// step 3; 14 §6 step 4). Both wrap findings of package privacy.
var PrivacyTable = verify.NewTable("finish-privacy", []verify.Rule{
	{ID: "finish.privacy.closure", Contract: "09 §5", Fails: "the files that a completed run is published with cannot all be found", Why: "what is not found is not scanned", Do: "see the causes; finishline privacy closure shows every path and what names it", Eval: verify.Wraps},
	{ID: "finish.privacy.failed", Contract: "09 §5", Fails: "the privacy scan of those files finds something, or cannot be made", Why: "evidence is handed on, and what it discloses cannot be taken back", Do: "see the causes; finishline privacy redact writes a redacted copy of a log or document", Eval: verify.Wraps},
}, privacy.Table)

// Bounds of the scan (10 §11); one that exceeds them counts as failed.
const (
	PrivacyTimeout   = 120 * time.Second
	MaxPrivacyOutput = 16 << 20 // bytes of its report
)

// A PrivacyOutcome is what the privacy step of a run says.
type PrivacyOutcome struct {
	Closure  *privacy.Closure
	Result   *privacy.Result // nil when the closure has no path
	Findings *verify.Findings
	// Told are problems of the closure that another part of the report has
	// already told: what is missing for a gate is missing here too.
	Told int
}

// privacy finds the closure of the run's evidence and scans it. known reports
// whether an artifact has a finding already that is at least as bad as one of
// the closure would be.
func (l *line) privacy(ctx context.Context, known func(path string) bool) (*PrivacyOutcome, error) {
	o := &PrivacyOutcome{Findings: PrivacyTable.Collect(l.run.Level)}
	o.Closure = privacy.FindClosure(l.root, l.opt.artifacts(), l.packetPath(), l.run.Level)
	causes := privacy.Table.Collect(l.run.Level)
	for _, p := range slices.Concat(o.Closure.Problems, o.Closure.Hardening) {
		if p.Path != "" && known(p.Path) {
			o.Told++
			continue
		}
		p.Tell(causes)
	}
	if list := causes.List(); len(list) > 0 {
		o.Findings.Wrap("finish.privacy.closure", verify.Place{}, verify.What{
			Found: count(causes.Errors(), "path") + " of the run that cannot be scanned as things are", Expected: "a file of the run at each"}, list)
	}
	if len(o.Closure.Paths) == 0 {
		return o, nil
	}
	return o, l.scan(ctx, o)
}

// scan scans what the closure found, and holds what was scanned against what
// the other verifiers have read.
func (l *line) scan(ctx context.Context, o *PrivacyOutcome) error {
	names, err := privacy.Embedded()
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, PrivacyTimeout)
	defer cancel()
	o.Result, err = privacy.Scan(limited, l.root.Dir(), privacy.Options{
		Mode: privacy.Include, Include: o.Closure.Names(), Level: l.run.Level, Names: names,
	})
	causes := privacy.Table.Collect(l.run.Level)
	found := ""
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		found = fmt.Sprintf("the scan takes longer than %d s", int(PrivacyTimeout/time.Second))
	case err != nil:
		return err
	default:
		o.Result.Tell(causes)
		l.compareScanned(o.Result, causes)
		if n := len(o.Result.Findings); n > privacy.MaxFindings && len(canon.Canonical(o.Result.Value())) > MaxPrivacyOutput {
			found = fmt.Sprintf("the report of the scan is larger than %d MiB", MaxPrivacyOutput>>20)
		} else if causes.Errors() > 0 {
			found = fmt.Sprintf("%s in %s", count(causes.Errors(), "finding"), count(len(o.Result.Files), "file"))
			if o.Result.Error != nil {
				found = "the scan cannot be made"
			}
		}
	}
	if list := causes.List(); found != "" || len(list) > 0 {
		o.Findings.Wrap("finish.privacy.failed", verify.Place{}, verify.What{Found: found, Expected: "no finding"}, list)
	}
	return nil
}

func count(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// compareScanned makes sure that the bytes that were scanned are those that
// were verified.
func (l *line) compareScanned(r *privacy.Result, causes *verify.Findings) {
	read := map[string]string{}
	for _, a := range l.root.Artifacts() {
		read[a.Path] = a.SHA256
	}
	for _, f := range r.Files {
		if sum, ok := read[f.Path]; ok && sum != f.SHA256 {
			causes.Add("privacy.read.failed", verify.At(f.Path, ""), verify.What{Found: "the file changed between its verification and its scan"})
		}
	}
}

// packetPath is where the packet is, relative to the run's directory.
func (l *line) packetPath() string {
	if l.opt.PacketPath != "" {
		return l.opt.PacketPath
	}
	return packet.DefaultPath
}

// artifacts are the entries of the run's ledger, as far as they are known.
func (o LineOptions) artifacts() []privacy.BridgeArtifact {
	if o.Journal == nil {
		return nil
	}
	return o.Journal.Artifacts
}

// Privacy finds the closure of a run by itself and, unless that is all that is
// asked for, scans it.
func Privacy(ctx context.Context, run Run, opt PrivacyOptions) (*verify.Report, *PrivacyOutcome, error) {
	root, err := evidence.Open(run.Dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	l := &line{run: run, root: root, opt: LineOptions{PacketPath: opt.PacketPath, Journal: &Journal{Artifacts: opt.Artifacts}}}
	report := &verify.Report{Subject: verify.Subject{Kind: "closure", Path: "of the run's evidence"}, Level: run.Level, Omitted: map[string]int{}}
	if opt.Scan == ClosureOnly {
		o := &PrivacyOutcome{Closure: privacy.FindClosure(root, opt.Artifacts, l.packetPath(), run.Level), Findings: privacy.Table.Collect(run.Level)}
		for _, p := range slices.Concat(o.Closure.Problems, o.Closure.Hardening) {
			p.Tell(o.Findings)
		}
		report.Findings, report.Omitted = o.Findings.List(), o.Findings.Omitted()
		report.Checked = []verify.Checked{{Verifier: privacy.Table.Name, Rules: privacy.Table.Count(run.Level), Artifacts: root.Artifacts()}}
		report.Notes = []string{"the files were found, not scanned; --scan scans them"}
		return report, o, nil
	}
	o, err := l.privacy(ctx, func(string) bool { return false })
	if err != nil {
		return nil, nil, err
	}
	report.Findings, report.Omitted = o.Findings.List(), o.Findings.Omitted()
	report.Checked = []verify.Checked{o.checked(run.Level)}
	return report, o, nil
}

// PrivacyOptions are what a caller may say about the privacy step by itself.
type PrivacyOptions struct {
	PacketPath string
	Artifacts  []privacy.BridgeArtifact
	Scan       ScanOrNot
}

// A ScanOrNot says whether the files of a closure are scanned.
type ScanOrNot int

// The closure alone, or its scan as well.
const (
	ClosureOnly ScanOrNot = iota
	ClosureAndScan
)

// checked says what the step looked at.
func (o *PrivacyOutcome) checked(level verify.Level) verify.Checked {
	c := verify.Checked{Verifier: privacy.Table.Name, Rules: privacy.Table.Count(level) + PrivacyTable.Count(level)}
	if o.Result != nil {
		c.Artifacts = o.Result.Artifacts()
	}
	return c
}

// A PrivacyPolicy says for which runs the privacy step is made.
type PrivacyPolicy int

const (
	// PrivacyPortable makes it for runs whose project adapter requires the
	// portable finish line (14 §3.2). The zero value.
	PrivacyPortable PrivacyPolicy = iota
	// PrivacyAlways makes it for every run.
	PrivacyAlways
)

// addPrivacy makes the privacy step, last: what keeps a path from being scanned
// has mostly been told by the verifier of its document. A historical packet is
// about another commit, and so about other files.
func (l *line) addPrivacy(ctx context.Context, r *verify.Report) error {
	if l.outcome.Packet.Result.Historical {
		return nil
	}
	if l.opt.Privacy != PrivacyAlways && !l.portable() {
		r.Notes = append(r.Notes, "no privacy scan: the project adapter does not require the portable finish line (finishLineAssurance.packetRequired); --privacy scans what the run refers to")
		return nil
	}
	o, err := l.privacy(ctx, func(path string) bool {
		return slices.ContainsFunc(r.Findings, func(f verify.Finding) bool {
			return f.Artifact == path && f.Severity == verify.Error && !f.NotEvaluated
		})
	})
	if err != nil {
		return err
	}
	l.outcome.Privacy = o
	r.Findings = append(r.Findings, o.Findings.List()...)
	for id, n := range o.Findings.Omitted() {
		r.Omitted[id] += n
	}
	r.Checked = append(r.Checked, o.checked(l.run.Level))
	if o.Told > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("paths that the privacy scan could not reach for a reason told above: %d", o.Told))
	}
	if l.opt.artifacts() == nil {
		r.Notes = append(r.Notes, "the privacy scan covers what the run's documents refer to; the artifact ledger of its journal was not given")
	}
	return nil
}

const adapterPath = "project-adapter.json"

// portable reports whether the project adapter, of the pack or of the run's
// directory, requires the portable finish line. One that cannot be read does.
func (l *line) portable() bool {
	if requiresPacket(l.root, l.run.Level) {
		return true
	}
	if l.pack.Dir == l.root.Dir() {
		return false
	}
	root, err := evidence.Open(l.pack.Dir)
	if err != nil {
		return true
	}
	defer root.Close()
	return requiresPacket(root, l.run.Level)
}

func requiresPacket(root *evidence.Root, level verify.Level) bool {
	if there, err := root.Exists(adapterPath); err == nil && !there {
		return false
	}
	_, doc, err := root.ReadDocument(adapterPath, level, (*evidence.Root).OwnFile, canon.MaxDocument)
	return err != nil || doc.Root.Get("finishLineAssurance").Get("packetRequired").IsBool(true)
}
