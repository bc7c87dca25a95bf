package main

import (
	"errors"

	"finishline/verify/gate/scaffold"
	"finishline/verify/readiness"
)

type gateNewCmd struct {
	Gate string `arg:"" help:"The gate: ai-assurance, code-intelligence, context, domain-assurance, eval, foundation, production, smoke or waivers."`
	runFlags
}

func (gateNewCmd) Help() string {
	return `Writes the document of a gate, bound to this run. Where the classification says that there is nothing to show (no AI workload, no domain pack, no waiver), it is complete. Everything else is a skeleton with all that the gate asks for: every status is pending, nothing has evidence, generatedAt is blank, and the gate refuses it until you have filled it in. Never overwrites a document.

Examples:
  finishline gate new ai-assurance
  finishline gate new foundation services/api`
}

func (c gateNewCmd) Run(s *session) error {
	err := s.draft(c.runFlags, func(p scaffold.Place) (scaffold.Draft, error) { return p.Gate(c.Gate, s.now()) })
	var basis *readiness.BasisError
	switch {
	case errors.As(err, new(*scaffold.UnknownGateError)):
		return usageError{err}
	case errors.As(err, &basis):
		return &advisedError{err.Error(), "make the " + basis.Document + " again from this run's documents"}
	}
	return err
}
