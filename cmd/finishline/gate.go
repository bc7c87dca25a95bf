package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"finishline/canon"
	"finishline/verify/finish"
	"finishline/verify/gate"
)

type gateCmds struct {
	Verify gateVerifyCmd `cmd:"" help:"Judge the document of one gate by itself."`
	List   gateListCmd   `cmd:"" help:"List the gates of the finish line."`
	New    gateNewCmd    `cmd:"" help:"Write the document of a gate, or its skeleton."`
}

type gateVerifyCmd struct {
	Gate string `arg:"" help:"The gate; finishline gate list shows them."`
	runFlags
	clockFlags
	Active bool `help:"Accept a goal that is still pending or in progress."`
}

func (gateVerifyCmd) Help() string {
	return `For use while a run is under way: the document must hold up by itself and against those it was made from. That it agrees with all others, with the clock and with the commit that is checked out is looked at by finishline verify.

Examples:
  finishline gate verify route
  finishline gate verify goal --active
  finishline gate verify foundation --format json services/api`
}

func (c gateVerifyCmd) Run(s *session) error {
	now, err := s.clock(c.clockFlags)
	if err != nil {
		return err
	}
	opt := finish.GateOptions{Now: now}
	if c.Active {
		if c.Gate != "goal" {
			return usagef("--active is about the gate goal, not %s", c.Gate)
		}
		opt.Mode = gate.Active
	}
	report, err := finish.Gate(s.ctx, s.run(c.runFlags), c.Gate, opt)
	if err != nil {
		return err
	}
	return s.report(c.outputFlags, report)
}

type gateListCmd struct {
	outputFlags
	levelFlags
}

func (gateListCmd) Help() string {
	return `Lists the gates in the order in which a report names them, with their documents, when they run, and how many rules of their own they have.

Examples:
  finishline gate list
  finishline gate list --format json`
}

func (c gateListCmd) Run(s *session) error {
	list := finish.Gates(c.level())
	values := make([]canon.Value, len(list))
	for i, g := range list {
		values[i] = canon.Build(
			canon.Member{Name: "gate", Value: canon.NewString(g.Name)},
			canon.Member{Name: "artifact", Value: canon.NewString(g.Artifact)},
			canon.Member{Name: "runs", Value: canon.NewString(g.Runs)},
			canon.Member{Name: "rules", Value: canon.NewNumber(float64(g.Rules))},
		)
	}
	return s.print(c.outputFlags, canon.NewArray(values...), func(w io.Writer) {
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, g := range list {
			fmt.Fprintf(tab, "%s\t%s\t%s\t%d rules\n", g.Name, g.Artifact, g.Runs, g.Rules)
		}
		tab.Flush()
	})
}
