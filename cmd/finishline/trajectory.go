package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"finishline/verify/gate/scaffold"
	"finishline/verify/gate/workload"
)

type trajectoryCmds struct {
	New trajectoryNewCmd `cmd:"" help:"Write the trajectory of the run."`
}

type trajectoryNewCmd struct {
	runFlags
	Trace   string   `required:"" help:"The log of what was done, relative to the run's directory." placeholder:"PATH"`
	Attempt []string `required:"" help:"An attempt, as NAME=VALUE separated by semicolons: id, outcome, started, completed, toolCalls, tokens, costUsd, wallClockMinutes, and action once for each action. May be repeated, in order." placeholder:"ATTEMPT" sep:"none"`
}

func (trajectoryNewCmd) Help() string {
	return `Writes trajectory/trajectory.json from the goal and what you counted: how often the work was attempted, what each attempt did and what it used. Nothing is assumed: an attempt without a count is refused. Never overwrites a trajectory.

Examples:
  finishline trajectory new --trace trajectory/trace.txt \
    --attempt "id=reword;outcome=succeeded;started=2026-11-02T08:00:00Z;completed=2026-11-02T09:10:00Z;toolCalls=9;tokens=4200;costUsd=0.25;wallClockMinutes=40;action=edit the documentation"`
}

func (c trajectoryNewCmd) Run(s *session) error {
	var attempts []scaffold.Attempt
	for _, text := range c.Attempt {
		a, err := parseAttempt(text)
		if err != nil {
			return err
		}
		attempts = append(attempts, a)
	}
	return s.draft(c.runFlags, func(p scaffold.Place) (scaffold.Draft, error) { return p.Trajectory(attempts, c.Trace, s.now()) })
}

func parseAttempt(list string) (scaffold.Attempt, error) {
	a := scaffold.Attempt{Actions: []string{}, Usage: map[string]float64{}}
	counted := workload.BudgetFields[1:] // attempts themselves are counted
	texts := map[string]*string{"id": &a.ID, "outcome": &a.Outcome, "started": &a.StartedAt, "completed": &a.CompletedAt}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(list, ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		text, isText := texts[name]
		switch {
		case !ok:
			return a, usagef("--attempt takes NAME=VALUE separated by semicolons, not %q", part)
		case name == "action":
			a.Actions = append(a.Actions, value)
			continue
		case seen[name]:
			return a, usagef("--attempt says %s twice", name)
		case isText:
			*text = value
		case slices.Contains(counted, name):
			n, err := strconv.ParseFloat(value, 64)
			if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
				return a, usagef("--attempt: %s is %q, not a number", name, value)
			}
			a.Usage[name] = n
		default:
			return a, usagef("--attempt has no %q", name)
		}
		seen[name] = true
	}
	for _, name := range append([]string{"id", "outcome", "started", "completed"}, counted...) {
		if !seen[name] {
			return a, usagef("--attempt lacks %s", name)
		}
	}
	return a, nil
}
