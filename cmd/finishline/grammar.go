package main

import (
	"reflect"
	"strings"
)

// grammar is the command line. A command group is a struct of its own, in the
// file of its name.
type grammar struct {
	Verify         verifyCmd          `cmd:"" help:"Verify a whole run: may it cross the finish line?"`
	Packet         packetCmds         `cmd:"" help:"Verify a run packet, show what it binds, or build one."`
	Review         reviewCmds         `cmd:"" help:"Verify a signed review, or show what is signed."`
	Proof          proofCmds          `cmd:"" help:"Verify a proof of commands."`
	RCA            rcaCmds            `cmd:"" name:"rca" help:"Verify a root-cause analysis."`
	Gate           gateCmds           `cmd:"" help:"Judge or begin the document of one gate, or list the gates."`
	Readiness      readinessCmds      `cmd:"" help:"Verify, show or begin an assessment of production readiness."`
	Waivers        waiverCmds         `cmd:"" help:"Verify a waiver ledger."`
	Journal        journalCmds        `cmd:"" help:"Verify, show and anchor journals."`
	Pack           packCmds           `cmd:"" help:"Write the first pack of a repository."`
	Intake         intakeCmds         `cmd:"" help:"Write the intake of a request."`
	Classification classificationCmds `cmd:"" help:"Classify the request of a run."`
	Route          routeCmds          `cmd:"" help:"Route the request of a run."`
	Goal           goalCmds           `cmd:"" help:"Write the goal of a run, or complete it."`
	Trajectory     trajectoryCmds     `cmd:"" help:"Write the trajectory of a run."`
	Runtime        runtimeCmds        `cmd:"" help:"Compute the validation runtime that a packet names."`
	Trust          trustCmds          `cmd:"" help:"Check, pin and compare review trust stores."`
	Canon          canonCmd           `cmd:"" help:"Print the canonical form of a JSON document, or its digests."`
	Privacy        privacyCmds        `cmd:"" help:"Scan for secrets and personal data, and redact them."`
	Rules          rulesCmd           `cmd:"" help:"List every rule."`
	Explain        explainCmd         `cmd:"" help:"Tell a rule in full."`
	Limits         limitsCmd          `cmd:"" help:"List every bound and where it applies."`
	Demo           demoCmd            `cmd:"" help:"Verify an example run, then five tamperings of it."`
	Version        versionCmd         `cmd:"" help:"Print the version."`
}

// grammarFor is a grammar for these arguments: where they begin with the name
// of a command, that command alone, since reading the tags of all of them is
// most of what a short command would take. Everything else - help, mistakes -
// needs to know every command.
func grammarFor(args []string) any {
	all := reflect.TypeFor[grammar]()
	for i := range all.NumField() {
		field := all.Field(i)
		name, named := field.Tag.Lookup("name")
		if !named {
			name = strings.ToLower(field.Name)
		}
		if len(args) > 0 && args[0] == name {
			return reflect.New(reflect.StructOf([]reflect.StructField{field})).Interface()
		}
	}
	return &grammar{}
}
