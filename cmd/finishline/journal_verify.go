package main

import (
	"fmt"
	"os"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal"
	"finishline/verify/journal/checkpoint"
	"finishline/verify/journal/harness"
	"finishline/verify/journal/hux"
	"finishline/verify/journal/lines"
	"finishline/verify/journal/store"
)

type journalVerifyCmd struct {
	Paths []string `arg:"" help:"A bridge's data directory or the directory of one run, a Harness v2 journal, a HUX stream, a mailbox." placeholder:"PATH"`
	journalKindFlags
	storeFlags
	anchorFlags
	harnessFlags
	FailOn string `name:"fail-on" help:"With warning, a warning fails a journal too; not for a bridge's store." enum:",warning" default:"" placeholder:"warning"`
	huxFlags
	mailboxFlags
	outputFlags
	levelFlags
}

// anchorFlags are about what commits to the last record of a bridge's journal.
type anchorFlags struct {
	ExpectHead    string   `name:"expect-head" help:"The digest of the last record as it was noted before." placeholder:"DIGEST" group:"A bridge's journal, against rollback and cutting"`
	ExpectCount   int      `name:"expect-count" help:"The number of records as it was noted before." default:"-1" placeholder:"N" group:"A bridge's journal, against rollback and cutting"`
	Checkpoint    []string `help:"A signed checkpoint of the journal; give several oldest first." placeholder:"FILE" sep:"none" group:"A bridge's journal, against rollback and cutting"`
	TrustedKey    []string `name:"trusted-key" help:"A verifier key that may have signed a checkpoint." placeholder:"VKEY" sep:"none" group:"A bridge's journal, against rollback and cutting"`
	RequireAnchor bool     `name:"require-anchor" help:"Incomplete unless something commits to the last record." group:"A bridge's journal, against rollback and cutting"`
}

// huxFlags are the options of contract 21, section 1.
type huxFlags struct {
	SchemaDir      string  `name:"schema-dir" help:"A directory with other schemas." placeholder:"DIR" group:"A HUX stream"`
	Allowlist      string  `help:"Another list of the members that detail may have." placeholder:"FILE" group:"A HUX stream"`
	SecretPatterns string  `name:"secret-patterns" help:"Other patterns of secrets." placeholder:"FILE" group:"A HUX stream"`
	AfterSeq       *string `name:"after-seq" help:"The file is a resumed window: only events after this seq are expected." placeholder:"N" group:"A HUX stream"`
	Conversation   string  `help:"Judge only this conversation." placeholder:"ID" group:"A HUX stream"`
	RequireClosed  bool    `name:"require-closed" help:"What is left open at the end is an error." group:"A HUX stream"`
}

type mailboxFlags struct {
	Previous string `help:"An earlier export of the mailbox: no row of it may have been removed or changed." placeholder:"FILE" group:"A mailbox"`
}

func (journalVerifyCmd) Help() string {
	return `What it is is told from its beginning. Nothing is written, no lease is taken, no torn tail is cut.

Of a bridge's store two verdicts are given. The authenticated one needs the integrity key, which comes from ` + envIntegrityKey + ` or from a file that only its owner may read. The other is about the structure: it needs no key, and anybody could have written what passes it. Without the key the result is structure-only, unauthenticated, and never a pass.

                                                          with key   without
  each event, configuration and snapshot was written
    by a holder of the key                                yes        no
  order, no gap in the middle, no duplicate ids, bounds,
    event rules                                           yes        yes
  the last records were not dropped                       only if the snapshot is newer
  the directory was not set back to an older state        no         no
  the journal is of this run                              yes        only by the snapshot's copy
  journal, snapshot and configuration were not edited
    together by somebody without the key                  yes        no
  nothing was edited by somebody with the key             no         no
  files match the sealed SHA-256                          yes        match an unauthenticated claim
  approvals follow from the events                        yes        yes, consistency only
  a person approved                                       no         no
  times are true                                          no         no

A run is anchored when something commits to its last record: a checkpoint that verifies, the expected head or count, or the snapshot of a complete run that has all records. Otherwise the last records may have been cut together with the snapshot.

The other journals are not signed: a pass says that nothing in them contradicts their format.

Examples:
  finishline journal verify ~/.uash/runs
  finishline journal verify --key-file bridge.key --artifact-root /srv/evidence/tide=tide run-d303f2ae33f1…
  finishline journal verify --checkpoint day1.note --trusted-key auditor+0f6a9b1c+AQx… run-d303f2ae33f1…
  finishline journal verify --require-terminal run/events.ndjson
  finishline journal verify --previous monday.ndjson mailbox.db`
}

func (c journalVerifyCmd) Run(s *session) error {
	defer boundMemory()()
	in, err := c.input(s)
	if err != nil {
		return err
	}
	inputs := make([]journal.Input, len(c.Paths))
	for i, path := range c.Paths {
		inputs[i] = in
		if inputs[i].Kind, inputs[i].Path, err = c.detect(path); err != nil {
			return err
		}
	}
	if err := c.fits(inputs); err != nil {
		return err
	}
	var reports []*verify.Report
	for _, one := range inputs {
		report, err := c.verify(s, one)
		if err != nil {
			return err
		}
		reports = append(reports, report)
	}
	return s.report(c.outputFlags, journal.Together(reports))
}

// verify verifies one journal; a large one shows its progress.
func (c journalVerifyCmd) verify(s *session, in journal.Input) (*verify.Report, error) {
	b := s.bar(journal.Size(in.Kind, in.Path), c.Quiet)
	defer b.stop()
	in.Progress = b.set
	if in.Kind == journal.Mailbox && c.Previous != "" {
		f, _, err := lines.Open(c.Previous)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in.Mailbox.Previous, in.Mailbox.PreviousPath = f, c.Previous
	}
	return journal.Verify(s.ctx, in)
}

// fits refuses options that no journal at hand has a use for: they would look as
// if they had been heeded.
func (c journalVerifyCmd) fits(inputs []journal.Input) error {
	if len(inputs) > 1 && (c.ExpectHead != "" || c.ExpectCount >= 0 || len(c.Checkpoint) > 0) {
		return usagef("a checkpoint, an expected head and an expected count are about one journal: give one PATH")
	}
	for _, g := range []struct {
		kind journal.Kind
		used bool
		what string
	}{
		{journal.Bridge, c.KeyFile != "" || len(c.ArtifactRoot) > 0 || c.MaxEvents != nil || c.anchorFlags.used(), "the integrity key, --max-events, artifact roots, checkpoints and anchors are about a bridge's store"},
		{journal.Harness, c.harnessFlags.used(), "pointers, --max-line-bytes, --run-dir, --strict-tail and --require-terminal are about a Harness v2 journal"},
		{journal.HUX, c.huxFlags != huxFlags{}, "schemas, lists, windows and conversations are about a HUX stream"},
		{journal.Mailbox, c.mailboxFlags != mailboxFlags{}, "--previous is about a mailbox"},
	} {
		if g.used && !slices.ContainsFunc(inputs, func(in journal.Input) bool { return in.Kind == g.kind }) {
			return usagef("%s; this is of the kind %s", g.what, inputs[0].Kind)
		}
	}
	if c.FailOn != "" && slices.ContainsFunc(inputs, func(in journal.Input) bool { return in.Kind == journal.Bridge }) {
		return usagef("--fail-on is not for a bridge's store, whose warnings say what a bridge settles by itself")
	}
	return nil
}

func (f anchorFlags) used() bool {
	return f.ExpectHead != "" || f.ExpectCount >= 0 || len(f.Checkpoint) > 0 || len(f.TrustedKey) > 0 || f.RequireAnchor
}

func (c journalVerifyCmd) input(s *session) (in journal.Input, err error) {
	in.Level = c.level()
	if in.Store, err = s.storeOptions(c.storeFlags, c.levelFlags); err != nil {
		return in, err
	}
	if err := c.anchors(s, &in); err != nil {
		return in, err
	}
	in.Harness = c.harnessFlags.options()
	if in.HUX, err = c.huxFlags.options(s); err != nil {
		return in, err
	}
	if c.FailOn != "" {
		in.Harness.Demand |= harness.NoWarnings
		in.HUX.Options.Demand |= hux.NoWarnings
		in.FailOn = verify.Warning
	}
	in.Mailbox.TempDir = os.TempDir()
	return in, nil
}

func (f anchorFlags) anchors(s *session, in *journal.Input) error {
	if f.RequireAnchor {
		in.Demand = store.DemandAnchor
	}
	switch {
	case f.ExpectCount < -1:
		return usagef("--expect-count: found %d, expected 0 or more", f.ExpectCount)
	case f.ExpectHead != "" && !canon.IsHex64(f.ExpectHead):
		return usagef("--expect-head: found %q, expected 64 hexadecimal digits", f.ExpectHead)
	case f.ExpectHead != "" && f.ExpectCount == 0:
		return usagef("--expect-count 0 says that there is no record, so there is no head to expect")
	case f.ExpectHead != "" || f.ExpectCount >= 0:
		in.Store.Seen = &store.Seen{Count: f.ExpectCount, Head: f.ExpectHead}
	}
	if len(f.Checkpoint) > 0 && len(f.TrustedKey) == 0 {
		return usagef("--checkpoint needs the key of its signer: --trusted-key")
	}
	if len(f.Checkpoint) == 0 && len(f.TrustedKey) > 0 {
		return usagef("--trusted-key is about checkpoints: --checkpoint")
	}
	for _, text := range f.TrustedKey {
		key, err := checkpoint.ParseVerifier(text)
		if err != nil {
			return err
		}
		in.Trusted = append(in.Trusted, key)
	}
	for _, path := range f.Checkpoint {
		data, err := s.readInput(path)
		if err != nil {
			return err
		}
		in.Checkpoints = append(in.Checkpoints, checkpoint.File{Path: path, Data: data})
	}
	return nil
}

func (f huxFlags) options(s *session) (journal.HUXInput, error) {
	in := journal.HUXInput{SchemaDir: f.SchemaDir, Options: hux.Options{Conversation: f.Conversation}}
	if f.RequireClosed {
		in.Options.Demand |= hux.Closed
	}
	for _, file := range []struct {
		path string
		read func([]byte) error
	}{
		{f.Allowlist, func(data []byte) (err error) { in.Options.Allowlist, err = hux.ReadAllowlist(data); return err }},
		{f.SecretPatterns, func(data []byte) (err error) { in.Options.Secrets, err = hux.ReadPatterns(data); return err }},
	} {
		if file.path == "" {
			continue
		}
		data, err := s.readInput(file.path)
		if err != nil {
			return in, err
		}
		if err := file.read(data); err != nil {
			return in, fmt.Errorf("%s: %w", file.path, err)
		}
	}
	if f.AfterSeq != nil {
		after, err := hux.ParseAfter(*f.AfterSeq)
		if err != nil {
			return in, usagef("--after-seq: %v", err)
		}
		in.Options.After = after
	}
	return in, nil
}
