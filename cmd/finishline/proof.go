package main

import (
	"finishline/canon"
	"finishline/verify"
	"finishline/verify/proof"
)

type proofCmds struct {
	Verify proofVerifyCmd `cmd:"" help:"Verify a proof: uash.proof.v1 or valdris.portable-proof.v1."`
	Run    proofRunCmd    `cmd:"" help:"Run a command and write a portable proof of it."`
	Write  proofWriteCmd  `cmd:"" help:"Run commands and write the bridge's proof uash.proof.v1."`
}

type proofVerifyCmd struct {
	Proof string `arg:"" optional:"" default:"proof/portable.json" help:"A proof; - reads standard input."`
	RunID string `name:"run-id" help:"The run that the proof must be of (uash.proof.v1)."`
	Repo  string `help:"Also compare a portable proof with the repository of this directory: nothing may have changed since." type:"path" placeholder:"DIR"`
	gitFlags
	outputFlags
	levelFlags
}

func (proofVerifyCmd) Help() string {
	return `A valid proof is not always a successful one: a portable proof of a failed or flaky command is a valid document, and the packet refuses it. The last line says what the proof proves.

Examples:
  finishline proof verify
  finishline proof verify --repo .
  finishline proof verify --run-id docs-2026-11 proof/proof.json`
}

func (c proofVerifyCmd) Run(s *session) error {
	data, err := s.readInput(c.Proof)
	if err != nil {
		return err
	}
	result := proof.Read(data, c.Proof, c.level(), proof.Options{RunID: c.RunID})
	sum := canon.SHA256(data)
	report := &verify.Report{
		Subject: verify.Subject{Kind: "proof", Path: c.Proof, SHA256: sum},
		Level:   c.level(),
		Checked: []verify.Checked{{
			Verifier: result.Table.Name, Rules: result.Table.Count(c.level()),
			Artifacts: []verify.Artifact{{Path: c.Proof, SHA256: sum}},
		}},
	}
	parts := []*verify.Findings{result.Findings}
	if p := result.Portable; p != nil {
		report.Notes = append(report.Notes, "the command's outcome is "+string(p.Outcome().Status)+
			"; a proof shows that its parts belong together, a signed review shows where it comes from")
		if c.Repo != "" {
			part, err := c.againstRepo(s, p, report)
			if err != nil {
				return err
			}
			parts = append(parts, part)
		}
	} else if c.Repo != "" && result.UASH != nil {
		return usagef("--repo needs a portable proof; %s is none", c.Proof)
	}
	for _, part := range parts {
		report.Findings = append(report.Findings, part.List()...)
	}
	report.Omitted = result.Findings.Omitted()
	return s.report(c.outputFlags, report)
}
