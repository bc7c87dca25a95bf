package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"finishline/canon"
	"finishline/privacy"
	"finishline/verify/finish"
)

type privacyClosureCmd struct {
	Dir       string `arg:"" optional:"" default:"." help:"The run's directory." type:"path"`
	Packet    string `help:"The packet, relative to the run's directory." default:"run/packet.json" placeholder:"PATH"`
	Artifacts string `help:"The artifact ledger of the run's journal: a JSON array of entries, or an object with a member artifacts; - reads standard input." placeholder:"FILE"`
	Scan      bool   `help:"Scan the files too, as finishline verify does."`
	outputFlags
	levelFlags
}

func (privacyClosureCmd) Help() string {
	return `A completed run is published with every file that its documents refer to. This follows the references from the documents that every run has, and shows each file with what names it. A file that cannot be found keeps a run from being completed.

Examples:
  finishline privacy closure
  finishline privacy closure --scan
  finishline privacy closure --artifacts ledger.json --format json services/api`
}

func (c privacyClosureCmd) Run(s *session) error {
	artifacts, err := s.ledger(c.Artifacts)
	if err != nil {
		return err
	}
	opt := finish.PrivacyOptions{PacketPath: c.Packet, Artifacts: artifacts}
	if c.Scan {
		opt.Scan = finish.ClosureAndScan
	}
	report, o, err := finish.Privacy(s.ctx, finish.Run{Dir: c.Dir, Level: c.level()}, opt)
	if err != nil {
		return err
	}
	paths := make([]canon.Value, len(o.Closure.Paths))
	for i, p := range o.Closure.Paths {
		members := []canon.Member{member("path", canon.NewString(p.Shown())), member("from", canon.NewString(p.Why.From))}
		if p.Why.Pointer != "" {
			members = append(members, member("pointer", canon.NewString(p.Why.Pointer)))
		}
		paths[i] = canon.Build(members...)
	}
	report.Results = append(report.Results, member("closure", canon.NewArray(paths...)))
	if c.Format == "text" && !c.Quiet {
		printClosure(s.stdout, o.Closure)
	}
	return s.report(c.outputFlags, report)
}

func printClosure(w io.Writer, c *privacy.Closure) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range c.Paths {
		fmt.Fprintf(tab, "%s\t%s\n", p.Shown(), p.Why)
	}
	tab.Flush()
	fmt.Fprintln(w)
}

// ledger reads the entries of an artifact ledger; nil when there is no file of
// them.
func (s *session) ledger(path string) ([]privacy.BridgeArtifact, error) {
	if path == "" {
		return nil, nil
	}
	doc, err := s.readDocument(path, canon.MaxDocument)
	if err != nil {
		return nil, err
	}
	list := doc.Root
	if list.IsObject() {
		list = list.Get("artifacts")
	}
	if !list.IsArray() || len(doc.Defects) > 0 {
		return nil, fmt.Errorf("%s: found no array of ledger entries, or one with defects", path)
	}
	entries := []privacy.BridgeArtifact{}
	for i, v := range list.Elems() {
		entry, wrong := ledgerEntry(v)
		if wrong != "" {
			return nil, fmt.Errorf("%s: entry %d: %s", path, i, wrong)
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// ledgerEntry reads one entry. What is not as it should be is an error, since an
// entry that does not count takes a file out of the scan.
func ledgerEntry(v canon.Value) (entry privacy.BridgeArtifact, wrong string) {
	name, ok := v.Get("path").Str()
	if !ok {
		return entry, "no path"
	}
	required, hasRequired := v.Get("required").Bool()
	skipped, hasSkipped := v.Get("skipped").Bool()
	evidence, hasEvidence := v.Get("evidenceArtifact").Str()
	switch {
	case !hasRequired:
		return entry, "required is neither true nor false"
	case !hasSkipped && v.Get("skipped").Kind() != canon.Absent:
		return entry, "skipped is neither true nor false"
	case !hasEvidence && v.Get("evidenceArtifact").Kind() > canon.Null:
		return entry, "evidenceArtifact is no path"
	}
	return privacy.BridgeArtifact{Path: name, EvidencePath: evidence, Required: required, Skipped: skipped}, ""
}
