package main

import "finishline/verify/finish"

type rcaCmds struct {
	Verify rcaVerifyCmd `cmd:"" help:"Verify a root-cause analysis."`
}

type rcaVerifyCmd struct {
	runFlags
	RCA string `name:"rca" help:"The analysis, relative to the run's directory." default:"rca/rca.json" placeholder:"PATH"`
}

func (rcaVerifyCmd) Help() string {
	return `A pass says that the command failed before the fix with the stated symptom, that the named cause was changed between the two commits, and that the same command passes at the fix, which is checked out.

Examples:
  finishline rca verify
  finishline rca verify --rca rca/second.json services/api`
}

func (c rcaVerifyCmd) Run(s *session) error {
	report, err := finish.RCA(s.ctx, s.run(c.runFlags), c.RCA)
	if err != nil {
		return err
	}
	return s.report(c.outputFlags, report)
}
