package main

import (
	"fmt"
	"time"

	"finishline/canon"
	"finishline/verify/finish"
)

// clockFlags are the flags of every command that compares something with the
// clock.
type clockFlags struct {
	Now string `help:"Verify as of this moment, as RFC 3339 with a zone, such as 2026-05-11T12:05:00Z; the clock of this machine unless given." placeholder:"TIME"`
}

// clock is the moment to verify at.
func (s *session) clock(flags clockFlags) (time.Time, error) {
	if flags.Now == "" {
		return s.now(), nil
	}
	ms, ok := canon.Timestamp(flags.Now)
	if !ok {
		return time.Time{}, usagef("--now: %q is no timestamp such as 2026-05-11T12:05:00Z", flags.Now)
	}
	return time.UnixMilli(ms), nil
}

// journalFlags are the flags of commands that compare a run with what its
// journal says.
type journalFlags struct {
	Approvals string `help:"The run's approval records, as the bridge shows them: a JSON array, or an object with a member approvals; - reads standard input." placeholder:"FILE"`
}

// approvals reads the records; nil when there is no file of them.
func (s *session) approvals(flags journalFlags) ([]canon.Value, error) {
	if flags.Approvals == "" {
		return nil, nil
	}
	doc, err := s.readDocument(flags.Approvals, canon.MaxDocument)
	if err != nil {
		return nil, err
	}
	if len(doc.Defects) > 0 {
		d := doc.Defects[0]
		return nil, fmt.Errorf("%s: %s%s: %s", flags.Approvals, d.Rule, d.Pointer, d.Detail)
	}
	list := doc.Root
	if list.IsObject() {
		list = list.Get("approvals")
	}
	if !list.IsArray() {
		return nil, fmt.Errorf("%s: found no array of approval records", flags.Approvals)
	}
	return append([]canon.Value{}, list.Elems()...), nil
}

type verifyCmd struct {
	runFlags
	clockFlags
	journalFlags
	Packet             string   `help:"The packet, relative to the run's directory." default:"run/packet.json" placeholder:"PATH"`
	RunID              string   `name:"run-id" help:"The id under which the run was recorded; with --approvals, route and goal must be of it." placeholder:"ID"`
	RequireHead        bool     `name:"require-head" help:"Refuse an enterprise or regulated run where no commit is known to be checked out."`
	Privacy            bool     `help:"Scan what the run refers to for secrets and personal data, also where its project adapter does not require the portable finish line."`
	AcceptNotEvaluated []string `name:"accept-not-evaluated" help:"Accept that this gate was not evaluated; the report repeats it." placeholder:"GATE"`
}

func (verifyCmd) Help() string {
	return `Says whether a run may cross the finish line. Every gate that applies is judged; when none failed, its documents are compared with each other, with the clock and with the commit that is checked out; the packet is verified with its review, its proof and, where the run owes one, its root-cause analysis. Everything is looked at, whatever failed before.

Where the project adapter requires the portable finish line, every file that the documents refer to is scanned for secrets and personal data; finishline privacy closure shows them.

The pin of the trust store comes from ` + envPin + ` and from nowhere else. Whether the run's journal backs its waivers and approvals is only looked at when its records are given.

Examples:
  finishline verify
  finishline verify --format json services/api
  finishline verify --now 2026-05-11T12:05:00Z
  finishline verify --approvals approvals.json --run-id KILN-ORRERY
  finishline verify --accept-not-evaluated skill-registry
  finishline verify --privacy`
}

func (c verifyCmd) Run(s *session) error {
	now, err := s.clock(c.clockFlags)
	if err != nil {
		return err
	}
	opt := finish.LineOptions{Now: now, PacketPath: c.Packet, AcceptNotEvaluated: c.AcceptNotEvaluated}
	if c.RequireHead {
		opt.Head = finish.HeadRequired
	}
	if c.Privacy {
		opt.Privacy = finish.PrivacyAlways
	}
	records, err := s.approvals(c.journalFlags)
	switch {
	case err != nil:
		return err
	case records != nil:
		opt.Journal = &finish.Journal{RunID: c.RunID, Approvals: records}
	case c.RunID != "":
		return usagef("--run-id is compared together with --approvals")
	}
	report, _, err := finish.Line(s.ctx, s.run(c.runFlags), opt)
	if err != nil {
		return err
	}
	return s.report(c.outputFlags, report)
}
