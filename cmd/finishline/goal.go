package main

import (
	"errors"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/gate/scaffold"
	"finishline/verify/proof"
)

type goalCmds struct {
	New      goalNewCmd      `cmd:"" help:"Write the goal of the run."`
	Complete goalCompleteCmd `cmd:"" help:"Complete the goal, with the evidence for each condition."`
}

type goalNewCmd struct {
	runFlags
	Owner string `required:"" help:"Who answers for the goal." placeholder:"NAME"`
}

func (goalNewCmd) Help() string {
	return `Writes goal/goal.json from intake, classification and route: in progress, every stopping condition pending. Never overwrites a goal.

Examples:
  finishline goal new --owner "Ines Maron"`
}

func (c goalNewCmd) Run(s *session) error {
	return s.draft(c.runFlags, func(p scaffold.Place) (scaffold.Draft, error) { return p.Goal(c.Owner, s.now()) })
}

type goalCompleteCmd struct {
	runFlags
	Proof    []string `help:"A stopping condition and a proof that shows it, relative to the run's directory. May be repeated." placeholder:"CONDITION=PATH" sep:"none"`
	Evidence string   `help:"Further evidence: a JSON object with an array of items for each condition; - reads standard input." placeholder:"FILE"`
	Summary  string   `help:"What was reached." default:"all stopping conditions hold" placeholder:"TEXT"`
}

func (goalCompleteCmd) Help() string {
	return `Writes the next revision of goal/goal.json: completed. Each stopping condition passes only with evidence: the commands of a proof that verifies, passed and is of this run (finishline proof write makes one), or items of typed evidence. The goal gate judges the result as at the finish line; otherwise the goal stays as it is.

Examples:
  finishline proof write --run-id docs-2026-11 --output qa/checks.json 'make -C docs check'
  finishline goal complete --proof the-documentation-checks-pass=qa/checks.json
  finishline goal complete --evidence approvals.json --summary "released to the testers"`
}

func (c goalCompleteCmd) Run(s *session) error {
	shown := scaffold.Shown{Tool: "finishline", ToolVersion: version, Summary: c.Summary}
	for _, p := range c.Proof {
		condition, path, ok := strings.Cut(p, "=")
		if !ok || condition == "" || path == "" {
			return usagef("--proof takes CONDITION=PATH, not %q", p)
		}
		shown.Proofs = append(shown.Proofs, scaffold.Showing{Condition: condition, Path: path})
	}
	if c.Evidence != "" {
		doc, err := s.readDocument(c.Evidence, canon.MaxDocument)
		if err != nil {
			return err
		}
		if !doc.Root.IsObject() {
			return usagef("%s: %s, not an object with an array for each condition", c.Evidence, doc.Root.Kind())
		}
		shown.Evidence = doc.Root
	}
	err := s.draft(c.runFlags, func(p scaffold.Place) (scaffold.Draft, error) { return p.CompleteGoal(shown, s.now()) })
	var bad *scaffold.ProofError
	if errors.As(err, &bad) && len(bad.Findings) > 0 {
		return s.report(c.outputFlags, &verify.Report{
			Subject: verify.Subject{Kind: "proof", Path: bad.Path}, Level: c.level(), Findings: bad.Findings,
			Checked: []verify.Checked{{Verifier: proof.UASHTable.Name, Rules: proof.UASHTable.Count(c.level())}},
			Notes:   []string{"nothing was written"},
		})
	}
	return err
}
