package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"finishline/canon"
	"finishline/review"
	"finishline/verify"
)

type trustCmds struct {
	Check    trustCheckCmd    `cmd:"" help:"Check a trust store, and that it is the pinned one."`
	Pin      trustPinCmd      `cmd:"" help:"Print the pin of a trust store that you have read."`
	Diff     trustDiffCmd     `cmd:"" help:"Show what a new trust store changes, before its pin is trusted."`
	New      trustNewCmd      `cmd:"" help:"Make a trust store without keys."`
	Add      trustAddCmd      `cmd:"" help:"Enrol a reviewer's public key in a trust store."`
	Revoke   trustRevokeCmd   `cmd:"" help:"Revoke a key of a trust store."`
	Restrict trustRestrictCmd `cmd:"" help:"Let fewer actors sign with a key of a trust store."`
}

const storeArgHelp = "A trust store; - reads standard input."

type trustCheckCmd struct {
	Store string `arg:"" optional:"" default:"controls/review-trust.v1.json" help:"${storeHelp}"`
	outputFlags
	levelFlags
}

func (trustCheckCmd) Help() string {
	return `The pin is read from ` + envPin + ` and from nowhere else; without it the answer is incomplete (exit 2), because nobody vouches for the store.

Examples:
  finishline trust check
  finishline trust check .valdris-harness/controls/review-trust.v1.json
  git show main:controls/review-trust.v1.json | finishline trust check -`
}

func (c trustCheckCmd) Run(s *session) error {
	data, err := s.readInput(c.Store)
	if err != nil {
		return err
	}
	out := review.TrustTable.Collect(c.level())
	pin := review.ParsePin(s.pin())
	pin.Report(out)
	store, findings := review.ReadStore(c.Store, data, c.level())
	out.Merge(findings)
	trust := &verify.Trust{Pin: pin.String()}
	if store != nil {
		pin.ReportLive(out, c.Store, store)
	}
	report := storeReport(c.Store, data, c.level(), out)
	report.Trust = trust
	return s.report(c.outputFlags, report)
}

func storeReport(path string, data []byte, level verify.Level, out *verify.Findings) *verify.Report {
	sum := canon.SHA256(data)
	return &verify.Report{
		Subject: verify.Subject{Kind: "trust store", Path: path, SHA256: sum},
		Level:   level, Findings: out.List(), Omitted: out.Omitted(),
		Checked: []verify.Checked{{
			Verifier: review.TrustTable.Name, Rules: review.TrustTable.Count(level),
			Artifacts: []verify.Artifact{{Path: path, SHA256: sum}},
		}},
	}
}

type trustPinCmd struct {
	Store string `arg:"" optional:"" default:"controls/review-trust.v1.json" help:"${storeHelp}"`
	outputFlags
	levelFlags
}

func (trustPinCmd) Help() string {
	return `The pin is the digest of the store's canonical form, so white space and member order do not change it. A store that breaks a rule has no pin (exit 1). Read the store before you set its pin: whoever can sign with one of its keys can close a run.

Examples:
  finishline trust pin
  export ` + envPin + `="$(finishline trust pin controls/review-trust.v1.json)"`
}

func (c trustPinCmd) Run(s *session) error {
	data, err := s.readInput(c.Store)
	if err != nil {
		return err
	}
	store, findings := review.ReadStore(c.Store, data, c.level())
	if store == nil || findings.Errors() > 0 {
		return s.report(c.outputFlags, storeReport(c.Store, data, c.level(), findings))
	}
	value := canon.Build(canon.Member{Name: "pin", Value: canon.NewString(store.Pin)})
	return s.print(c.outputFlags, value, func(w io.Writer) { fmt.Fprintln(w, store.Pin) })
}

type trustDiffCmd struct {
	Old string `arg:"" help:"The store whose pin is trusted now; - reads standard input."`
	New string `arg:"" help:"The store that would replace it; - reads standard input."`
	outputFlags
	levelFlags
}

func (trustDiffCmd) Help() string {
	return `Lists every change of meaning with its risk, and both pins. Exit status 1 when a change is of high risk: more people or other keys could then close a run. Equal pins mean no change at all.

Examples:
  finishline trust diff trusted.json controls/review-trust.v1.json
  git show main:controls/review-trust.v1.json | finishline trust diff - controls/review-trust.v1.json`
}

func (c trustDiffCmd) Run(s *session) error {
	if c.Old == "-" && c.New == "-" {
		return usagef("only one of the two stores can be standard input")
	}
	var stores [2]*review.Store
	for i, path := range []string{c.Old, c.New} {
		data, err := s.readInput(path)
		if err != nil {
			return err
		}
		store, findings := review.ReadStore(path, data, c.level())
		if store == nil || findings.Errors() > 0 {
			return s.report(c.outputFlags, storeReport(path, data, c.level(), findings))
		}
		stores[i] = store
	}
	changes := review.Diff(stores[0], stores[1])
	for _, change := range changes {
		if change.Risk == review.RiskHigh {
			s.exit = verify.Fail.ExitCode()
		}
	}
	return s.print(c.outputFlags, diffValue(stores, changes), func(w io.Writer) { printDiff(w, stores, changes) })
}

// printDiff shows both pins and what changed, with the risk of each change.
func printDiff(w io.Writer, stores [2]*review.Store, changes []review.Change) {
	fmt.Fprintf(w, "old pin  %s\nnew pin  %s\n", stores[0].Pin, stores[1].Pin)
	if len(changes) == 0 {
		fmt.Fprintln(w, "no change")
		return
	}
	fmt.Fprintln(w)
	high := false
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, change := range changes {
		id := change.KeyID
		if id == "" {
			id = "(the store)"
		}
		high = high || change.Risk == review.RiskHigh
		fmt.Fprintf(tab, "%s risk\t%s\t%s\t%s\n", change.Risk, id, change.Kind, change.Detail)
	}
	tab.Flush()
	if high {
		fmt.Fprintf(w, "\nhint: look at each high-risk change with the key's owner before you set %s to the new pin\n", envPin)
	}
}

func diffValue(stores [2]*review.Store, changes []review.Change) canon.Value {
	text := func(name, s string) canon.Member { return canon.Member{Name: name, Value: canon.NewString(s)} }
	values := make([]canon.Value, len(changes))
	for i, change := range changes {
		members := []canon.Member{text("change", string(change.Kind)), text("risk", string(change.Risk)), text("detail", change.Detail)}
		if change.KeyID != "" {
			members = append(members, text("keyId", change.KeyID))
		}
		values[i] = canon.Build(members...)
	}
	return canon.Build(text("schema", "finishline.trust-diff.v1"), text("oldPin", stores[0].Pin), text("newPin", stores[1].Pin),
		canon.Member{Name: "changes", Value: canon.NewArray(values...)})
}
