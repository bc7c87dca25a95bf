package main

import "finishline/verify/finish"

type waiverCmds struct {
	Verify waiversVerifyCmd `cmd:"" help:"Verify a waiver ledger."`
}

type waiversVerifyCmd struct {
	runFlags
	clockFlags
	journalFlags
	Waivers string `help:"The ledger, relative to the run's directory." default:"waivers/waivers.json" placeholder:"PATH"`
}

func (waiversVerifyCmd) Help() string {
	return `A waiver documents a risk that a person accepted for a time. It never turns a failed control into a pass. With the approval records of the run, each waiver must be backed by a granted one.

Examples:
  finishline waivers verify
  finishline waivers verify --now 2026-05-11T12:05:00Z
  finishline waivers verify --approvals approvals.json services/api`
}

func (c waiversVerifyCmd) Run(s *session) error {
	now, err := s.clock(c.clockFlags)
	if err != nil {
		return err
	}
	records, err := s.approvals(c.journalFlags)
	if err != nil {
		return err
	}
	report, err := finish.Waivers(s.ctx, s.run(c.runFlags), finish.WaiverOptions{Path: c.Waivers, Now: now, Approvals: records})
	if err != nil {
		return err
	}
	return s.report(c.outputFlags, report)
}
