package main

import (
	"strings"

	"finishline/verify/gate/scaffold"
)

type routeCmds struct {
	New routeNewCmd `cmd:"" help:"Route the request of the run."`
}

type routeNewCmd struct {
	runFlags
	Reject []string `help:"A skill that was considered and not taken, and why. May be repeated." placeholder:"SKILL=REASON" sep:"none"`
}

func (routeNewCmd) Help() string {
	return `Writes run/route.json from intake, classification and the pack's skill registry: which skills work, within which bounds, and which gates the run must pass. Set the goal afterwards: the route may not change once there is one. Never overwrites a route.

Examples:
  finishline route new
  finishline route new --reject "valdris-bug-rca=nothing is broken"`
}

func (c routeNewCmd) Run(s *session) error {
	var rejected []scaffold.Rejected
	for _, r := range c.Reject {
		skill, reason, ok := strings.Cut(r, "=")
		if !ok || skill == "" || reason == "" {
			return usagef("--reject takes SKILL=REASON, not %q", r)
		}
		rejected = append(rejected, scaffold.Rejected{Skill: skill, Reason: reason})
	}
	return s.draft(c.runFlags, func(p scaffold.Place) (scaffold.Draft, error) { return p.Route(rejected, s.now()) })
}
