package finish

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/packet"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
	"finishline/verify/rca"
)

// LineOptions are what a caller may say about the whole finish line.
type LineOptions struct {
	// Now is the clock. It must be given.
	Now time.Time
	// PacketPath is the packet, relative to the run's directory; "" for the
	// default.
	PacketPath string
	Head       HeadPolicy
	// AcceptNotEvaluated names gates, out of [AcceptableGates], that may stay
	// without an evaluation. The report repeats those that did.
	AcceptNotEvaluated []string
	// Privacy says for which runs the privacy step is made.
	Privacy PrivacyPolicy
	// Journal is what is known of the run besides its documents; nil leaves
	// the bindings to it out, and the report says so.
	Journal *Journal
}

// A LineOutcome is the report of a whole finish line in its parts.
type LineOutcome struct {
	Aggregate *Aggregate
	Packet    *packet.Outcome
	// Review and RCA are nil when the packet verified them, or nothing asks
	// for them.
	Review *review.Result
	RCA    *rca.Outcome
	// Bindings are nil without a journal.
	Bindings *verify.Findings
	// Privacy is nil where the privacy step was not made.
	Privacy *PrivacyOutcome
}

// packetNames are the gates that the packet knows by another name.
var packetNames = map[string]string{"workload-classification": string(packet.Classification)}

// AcceptableGates lists the names that can be accepted as not evaluated: the
// gates of the aggregate, and what the packet has validators for under another
// name.
func AcceptableGates() []string {
	names := AggregateGates()
	for _, name := range packet.Delegable() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// accepted sorts what a caller accepts by who evaluates it.
func accepted(names []string) (aggregate, ofPacket []string, err error) {
	for _, name := range names {
		if known := AcceptableGates(); !slices.Contains(known, name) {
			return nil, nil, &UnknownGateError{name, known}
		}
		for own, other := range packetNames {
			if name == other {
				name = own
			}
		}
		aggregate = append(aggregate, name)
		if other, renamed := packetNames[name]; renamed {
			name = other
		}
		if slices.Contains(packet.Delegable(), name) {
			ofPacket = append(ofPacket, name)
		}
	}
	return aggregate, ofPacket, nil
}

// Line verifies a whole run: the aggregate (contract 09), the packet with its
// review, proof and root-cause analysis (05), and what of these the packet
// could not verify, by itself; with a journal also the bindings to it (09 §5,
// step 6), and for portable runs the privacy scan of what their documents refer
// to (step 3). Everything is verified, whatever failed before, each file is read
// once and each gate judged once. One report holds the findings in the order
// aggregate, bindings, review, analysis, packet, privacy; what one part has
// told, no other repeats.
func Line(ctx context.Context, run Run, opt LineOptions) (*verify.Report, *LineOutcome, error) {
	forAggregate, forPacket, err := accepted(opt.AcceptNotEvaluated)
	if err != nil {
		return nil, nil, err
	}
	l, err := openLine(ctx, run, opt)
	if err != nil {
		return nil, nil, err
	}
	defer l.close()

	var group errgroup.Group
	o := &l.outcome
	group.Go(func() (err error) {
		o.Aggregate, err = RunAggregate(ctx, l.gates, AggregateOptions{Head: opt.Head, AcceptNotEvaluated: forAggregate})
		return err
	})
	group.Go(func() (err error) {
		o.Packet, err = packet.Verify(ctx, packet.Input{
			Target: l.root, PacketPath: opt.PacketPath, Pack: l.pack, Git: run.Git, GitErr: run.GitErr, Repo: l.repo,
			Pin: review.ParsePin(run.Pin), Level: run.Level, Delegates: packet.Native(l.gates), AcceptNotEvaluated: forPacket,
		})
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	if err := l.rest(ctx); err != nil {
		return nil, nil, err
	}
	report := l.report()
	if err := l.addPrivacy(ctx, report); err != nil {
		return nil, nil, err
	}
	return report, o, nil
}

// A line is a finish line under verification: what all its parts share.
type line struct {
	run     Run
	opt     LineOptions
	root    *evidence.Root
	pack    pack.Pack
	repo    *git.Repo // nil when there is none; repoErr says why
	repoErr error
	head    string // "" when unknown; headErr says why
	headErr error
	gates   *gate.Run
	outcome LineOutcome
}

func openLine(ctx context.Context, run Run, opt LineOptions) (l *line, err error) {
	l = &line{run: run, opt: opt}
	if l.root, err = evidence.Open(run.Dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.pack, err = pack.Select(l.root, run.Pack); err != nil {
		return nil, err
	}
	l.openRepo(ctx)
	l.gates, err = gate.NewRun(gate.Options{
		Target: l.root, Pack: gate.Pack{Dir: l.pack.Dir, Present: l.pack.Present}, Level: run.Level, Head: l.head, Now: opt.Now,
		Committed: committedPackOf(ctx, l.repo, l.head, l.pack.Dir),
	})
	return l, err
}

// openRepo opens the repository and asks it what is checked out.
func (l *line) openRepo(ctx context.Context) {
	if l.repoErr = l.run.GitErr; l.repoErr == nil {
		l.repo, l.repoErr = git.Open(ctx, l.run.Git, l.root.Dir())
	}
	l.headErr = l.repoErr
	if l.repo != nil {
		var head git.Head
		if head, l.headErr = l.repo.Head(ctx); l.headErr == nil {
			l.head = head.ID
		}
	}
}

func (l *line) close() {
	if l.gates != nil {
		l.gates.Close()
	}
	if l.repo != nil {
		l.repo.Close()
	}
	l.root.Close()
}

// verified reports whether the packet verified a part itself.
func (l *line) verified(verifier string) bool {
	return slices.ContainsFunc(l.outcome.Packet.Checked, func(c verify.Checked) bool { return c.Verifier == verifier })
}

// rest verifies what the packet could not: a packet that is missing, or names
// no review, must not hide what is wrong with the review. A historical packet
// is about another commit, where neither can be verified.
func (l *line) rest(ctx context.Context) error {
	o := &l.outcome
	if l.opt.Journal != nil {
		o.Bindings = BindingTable.Collect(l.run.Level)
		CheckBindings(o.Bindings, l.root, *l.opt.Journal)
	}
	if o.Packet.Result.Historical {
		return nil
	}
	var err error
	if !l.verified(review.Table.Name) {
		o.Review, err = review.Verify(ctx, review.Input{
			Root: l.root, ReviewPath: review.DefaultPath, Pin: review.ParsePin(l.run.Pin), Repo: l.repo, GitErr: l.repoErr, Level: l.run.Level,
		})
	}
	if err == nil && !l.verified(rca.Table.Name) && l.needsRCA() {
		o.RCA, err = rca.Verify(ctx, rca.Input{Root: l.root, Repo: l.repo, GitError: l.repoErr, Level: l.run.Level})
	}
	return err
}

// needsRCA reports whether the run owes a root-cause analysis, or has one.
func (l *line) needsRCA() bool {
	if exists, err := l.root.Exists(rca.DefaultPath); exists || err != nil {
		return true
	}
	value := func(path string) canon.Value {
		_, doc, err := l.root.ReadDocument(path, l.run.Level, (*evidence.Root).OwnFile, canon.MaxDocument)
		if err != nil {
			return canon.Value{}
		}
		return doc.Root
	}
	return packet.Derivation{Intake: value(intakePath), Classification: value(classificationPath), Route: value(routePath)}.NeedsRCA()
}

// report joins the parts.
func (l *line) report() *verify.Report {
	o := &l.outcome
	r := &verify.Report{
		Subject: verify.Subject{Kind: "run", Path: o.Packet.Subject.Path, SHA256: o.Packet.Subject.SHA256}, Level: l.run.Level,
		Omitted: map[string]int{}, Trust: o.Packet.Trust, Withheld: o.Aggregate.withheld(),
		Results: []canon.Member{member("aggregate", o.Aggregate.Value())},
	}
	told := tellings{}
	told.add(r, o.Aggregate.Findings.List(), o.Aggregate.Findings.Omitted())
	r.Checked = append(r.Checked, o.Aggregate.Checked...)
	l.reportRest(r, told)
	told.add(r, o.Packet.Findings, o.Packet.Omitted)
	for _, c := range o.Packet.Checked {
		if c.Verifier == packet.Table.Name {
			// The root is shared: what it had read when the packet was done is
			// a matter of timing.
			c.Artifacts = l.root.Artifacts()
		}
		if !slices.ContainsFunc(r.Checked, func(other verify.Checked) bool { return other.Verifier == c.Verifier }) {
			r.Checked = append(r.Checked, c)
		}
	}
	r.Withheld = append(r.Withheld, o.Packet.Withheld...)
	r.Notes = append(l.notes(), o.Packet.Notes...)
	r.Accepted = slices.Clone(o.Aggregate.Accepted)
	for _, name := range o.Packet.Accepted {
		if name != string(packet.Classification) && !slices.Contains(r.Accepted, name) {
			r.Accepted = append(r.Accepted, name)
		}
	}
	return r
}

// reportRest adds bindings, review and analysis, where they were verified
// here.
func (l *line) reportRest(r *verify.Report, told tellings) {
	o := &l.outcome
	if o.Bindings != nil {
		told.add(r, o.Bindings.List(), o.Bindings.Omitted())
		r.Checked = append(r.Checked, verify.Checked{Verifier: BindingTable.Name, Rules: BindingTable.Count(l.run.Level)})
	}
	if o.Review != nil {
		told.add(r, o.Review.Findings.List(), o.Review.Findings.Omitted())
		r.Checked = append(r.Checked, o.Review.Checked())
		r.Trust = o.Review.TrustUsed()
		r.Notes = append(r.Notes, o.Review.Notes...)
		if o.Review.Verdict() != o.Review.Findings.Verdict() {
			r.Withheld = append(r.Withheld, noSignature)
		}
	}
	if o.RCA != nil {
		told.add(r, o.RCA.Findings.List(), o.RCA.Findings.Omitted())
		r.Checked = append(r.Checked, checkedRCA(o.RCA, rca.DefaultPath, l.run.Level))
	}
}

const noSignature = "no signature was verified"

// notes say what the verdict does not rest on.
func (l *line) notes() []string {
	var notes []string
	o := &l.outcome
	if !o.Aggregate.Compared {
		notes = append(notes, "the documents were not compared with each other, with the clock and with HEAD, since a gate failed")
	}
	if l.head == "" {
		notes = append(notes, fmt.Sprintf("head: unknown: %v", l.headErr))
	}
	if o.Bindings == nil {
		notes = append(notes, "not evaluated: what the run's journal says of its waivers and approvals; no approval records were given")
	}
	return notes
}

// tellings are the findings that a report has, on top or as a cause.
type tellings map[telling]bool

type telling struct {
	rule, artifact, pointer, found string
	line                           int
	severity                       verify.Severity
	open                           bool
}

func tellingOf(f verify.Finding) telling {
	return telling{f.Rule, f.Artifact, f.Pointer, f.Found, f.Line, f.Severity, f.NotEvaluated}
}

// add takes findings into a report, without those that it has already. A
// finding whose causes are all known keeps its own words and loses them. The
// verdict stays what it would be: what is left out is in the report, at the
// same severity.
func (t tellings) add(r *verify.Report, list []verify.Finding, omitted map[string]int) {
	for _, f := range list {
		if t[tellingOf(f)] {
			continue
		}
		if !slices.ContainsFunc(f.Causes, func(c verify.Finding) bool { return !t[tellingOf(c)] }) {
			f.Causes = nil
		}
		r.Findings = append(r.Findings, f)
		t.note(f)
	}
	for id, n := range omitted {
		r.Omitted[id] += n
	}
}

// note takes note of a finding, and of the causes that it counts for: one that
// decides less than its cause has not told it.
func (t tellings) note(f verify.Finding) {
	t[tellingOf(f)] = true
	for _, c := range f.Causes {
		if c.Severity != verify.Error || f.Severity == verify.Error && (c.NotEvaluated || !f.NotEvaluated) {
			t.note(c)
		}
	}
}
