package main

import (
	"fmt"
	"io"

	"finishline/canon"
	"finishline/privacy/secret"
	"finishline/verify"
	"finishline/verify/proof/produce"
)

type proofWriteCmd struct {
	Commands []string `arg:"" name:"command" help:"A command line for the shell, as one argument. May be repeated; they run one after the other."`
	Output   string   `help:"Where the proof is written, below the current directory. It must not exist." default:"proof/proof.json" placeholder:"PATH"`
	RunID    string   `name:"run-id" help:"The run that the proof is of." placeholder:"ID"`
	Summary  string   `help:"What the commands show, in a sentence." placeholder:"TEXT"`
	outputFlags
}

func (proofWriteCmd) Help() string {
	return `Runs commands and writes the bridge's proof (uash.proof.v1) of them. Each is a line for the shell, runs in the current directory with your environment and an empty standard input, and a failing one does not stop the others. The digest of each output is that of its unchanged bytes; the end that is quoted is redacted.

The file is written even when a command failed, but is no proof then.

Exit status: 0 every command passed, 1 one failed, 2 nothing was written.

Examples:
  finishline proof write 'go vet ./...' 'go test ./...'
  finishline proof write --run-id docs-2026-11 --summary "the guide builds" 'make -C docs'`
}

func (c proofWriteCmd) Run(s *session) error {
	system := s.producer(".")
	meter := s.meter("command", c.Quiet)
	system.Watch = meter.watch
	written, err := produce.Write(s.ctx, system, produce.WriteOptions{
		RunID: c.RunID, Summary: c.Summary, Output: c.Output, Commands: c.Commands,
	})
	meter.stop()
	if err != nil {
		return asUsage(err)
	}
	status := "passed"
	if !written.Passed() {
		status, s.exit = "failed", verify.Fail.ExitCode()
	}
	written.Artifact = secret.Mask(written.Artifact)
	value := canon.Build(
		canon.Member{Name: "ok", Value: canon.NewBool(written.Passed())},
		canon.Member{Name: "status", Value: canon.NewString(status)},
		canon.Member{Name: "artifact", Value: canon.NewString(written.Artifact)},
	)
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d of %d commands passed; written to %s\n", status, written.Commands-written.Failed, written.Commands, written.Artifact)
	})
}
