package main

import (
	"os"

	"finishline/verify/gate/scaffold"
)

type intakeCmds struct {
	New intakeNewCmd `cmd:"" help:"Write the intake of a request."`
}

type intakeNewCmd struct {
	runFlags
	RunID       string   `name:"run-id" required:"" help:"The name of the run." placeholder:"ID"`
	Environment string   `required:"" help:"Where the run works, such as local or ci." placeholder:"NAME"`
	Profile     string   `required:"" help:"How much assurance is asked for: prototype, production, enterprise or regulated." placeholder:"PROFILE"`
	Commit      string   `help:"The commit that the run is about; HEAD unless given." placeholder:"ID"`
	Request     string   `xor:"request" required:"" help:"What is asked for." placeholder:"TEXT"`
	RequestFile string   `name:"request-file" xor:"request" required:"" help:"A file with what is asked for; - reads standard input." placeholder:"FILE"`
	Actor       string   `required:"" help:"The person who asks." placeholder:"NAME"`
	Outcome     string   `required:"" help:"What is different afterwards." placeholder:"TEXT"`
	Stop        []string `required:"" help:"A condition under which the work is done. May be repeated." placeholder:"TEXT" sep:"none"`
	Allow       []string `help:"An action that is allowed. May be repeated." placeholder:"TEXT" sep:"none"`
	Forbid      []string `help:"An action that is forbidden, beyond those that always are. May be repeated." placeholder:"TEXT" sep:"none"`
	Constraint  []string `help:"A constraint. May be repeated." placeholder:"TEXT" sep:"none"`
	Exclude     []string `help:"What is no part of the request. May be repeated." placeholder:"TEXT" sep:"none"`
}

func (intakeNewCmd) Help() string {
	return `Writes run/intake.json, received now. The budget is the one that the classifier gives such a request. Never overwrites an intake.

Examples:
  finishline intake new --run-id docs-2026-11 --environment local --profile prototype \
    --request "Reword the readme for the winter edition." --actor "Ines Maron" \
    --outcome "a newcomer can start" --allow "edit the documentation" --stop "the documentation checks pass"`
}

func (c intakeNewCmd) Run(s *session) error {
	request := c.Request
	if c.RequestFile != "" {
		data, err := s.readInput(c.RequestFile)
		if err != nil {
			return err
		}
		request = string(data)
	}
	commit, err := c.commit(s)
	if err != nil {
		return err
	}
	return s.draft(c.runFlags, func(scaffold.Place) (scaffold.Draft, error) {
		draft, err := scaffold.Intake(scaffold.Request{
			RunID: c.RunID, Profile: c.Profile, Commit: commit, Environment: c.Environment, Text: request, Actor: c.Actor, Outcome: c.Outcome,
			Constraints: c.Constraint, Exclusions: c.Exclude, Allowed: c.Allow, Forbidden: c.Forbid, Stopping: c.Stop,
		}, s.now())
		return draft, unknownProfile(err)
	})
}

// commit is the one that the run is about.
func (c intakeNewCmd) commit(s *session) (string, error) {
	if c.Commit != "" {
		return c.Commit, nil
	}
	if _, err := os.Stat(c.Dir); err != nil {
		return "", err
	}
	repo, err := s.openRepo(s.ctx, c.gitFlags, c.Dir)
	if err != nil {
		return "", err
	}
	defer repo.Close()
	head, err := repo.Head(s.ctx)
	return head.ID, err
}
