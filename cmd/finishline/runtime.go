package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"finishline/verify"
	"finishline/verify/finish"
)

type runtimeCmds struct {
	Bind runtimeBindCmd `cmd:"" help:"Compute the validation runtime at HEAD."`
}

type runtimeBindCmd struct {
	runFlags
	Commit string `help:"The commit that HEAD must be; HEAD itself unless given." placeholder:"ID"`
}

func (runtimeBindCmd) Help() string {
	return `The validation runtime is the set of committed scripts, catalogs, skill registry and, in a commissioned pack, adapter and loaders. Packet and review name it by its set digest. The JSON form is the object that a packet holds.

Examples:
  finishline runtime bind
  finishline runtime bind --format json > runtime.json
  finishline runtime bind --runtime services/api/.valdris-harness services/api`
}

func (c runtimeBindCmd) Run(s *session) error {
	report, binding, err := finish.Runtime(s.ctx, s.run(c.runFlags), c.Commit)
	if err != nil {
		return err
	}
	if binding == nil || report.Verdict() != verify.Pass {
		return s.report(c.outputFlags, report)
	}
	return s.print(c.outputFlags, binding.Value(), func(w io.Writer) {
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, f := range binding.Files {
			fmt.Fprintf(tab, "%s\t%s\t%s\n", short(f.SHA256), f.Kind, f.Path)
		}
		tab.Flush()
		fmt.Fprintln(w)
		for _, line := range []struct{ name, value string }{
			{"commit", binding.Commit}, {"target", binding.TargetPath}, {"runtime", binding.RuntimePath},
			{"runtime digest", binding.RuntimeSHA256}, {"trust store", binding.ReviewTrustSHA256}, {"set digest", binding.SetSHA256},
		} {
			fmt.Fprintf(w, "%-15s %s\n", line.name, line.value)
		}
	})
}
