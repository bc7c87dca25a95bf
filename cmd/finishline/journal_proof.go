package main

import (
	"fmt"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/checkpoint"
)

type journalProveCmd struct {
	runArg
	Index      int64    `required:"" help:"The record, counted from 0." placeholder:"N"`
	Checkpoint string   `required:"" help:"The checkpoint that the proof rests on." placeholder:"FILE"`
	TrustedKey []string `name:"trusted-key" required:"" help:"A verifier key that may have signed a checkpoint; may be given several times." sep:"none" placeholder:"VKEY"`
	documentOut
	storeFlags
	outputFlags
}

func (journalProveCmd) Help() string {
	return `The proof holds the record, the checkpoint and the hashes between them, and nothing of the other records. Whoever has the verifier key checks it with check-proof, or with any program that knows RFC 9162. The integrity key is not needed.

Examples:
  finishline journal prove --index 12 --checkpoint day2.note --trusted-key example.org/journal+0f6a9b1c+AQx… --out approval.proof run-d303f2ae33f1…`
}

func (c journalProveCmd) Run(s *session) error {
	if err := c.nowhere(c.outputFlags); err != nil {
		return err
	}
	r, opened, err := s.provable(c.Dir, c.storeFlags, c.outputFlags, c.TrustedKey, c.Checkpoint)
	if opened == nil {
		return err
	}
	if c.Index < 0 || c.Index >= opened[0].Size {
		return &checkpoint.IndexError{Index: c.Index, Size: opened[0].Size}
	}
	document, err := r.log.Prove(opened[0], c.Index, r.run.Links[c.Index].Canonical)
	if err != nil {
		return err
	}
	return c.write(s, c.outputFlags, document, fmt.Sprintf("record %d of run %s is proven to be among %s", c.Index, r.log.RunID, records(opened[0].Size)),
		member("proof", canon.NewString(string(document))))
}

type journalConsistencyCmd struct {
	Old        string   `arg:"" help:"The earlier checkpoint." placeholder:"OLD"`
	New        string   `arg:"" help:"The later checkpoint." placeholder:"NEW"`
	Dir        string   `name:"run" required:"" help:"The directory of the run (run-…)." placeholder:"RUN"`
	TrustedKey []string `name:"trusted-key" required:"" help:"A verifier key that may have signed a checkpoint; may be given several times." sep:"none" placeholder:"VKEY"`
	documentOut
	storeFlags
	outputFlags
}

func (journalConsistencyCmd) Help() string {
	return `The proof shows to somebody who has both checkpoints, and not the journal, that every record of the earlier one is still there and unchanged.

Examples:
  finishline journal consistency --run run-d303f2ae33f1… --trusted-key example.org/journal+0f6a9b1c+AQx… --out growth.proof day1.note day2.note`
}

func (c journalConsistencyCmd) Run(s *session) error {
	if err := c.nowhere(c.outputFlags); err != nil {
		return err
	}
	r, opened, err := s.provable(c.Dir, c.storeFlags, c.outputFlags, c.TrustedKey, c.Old, c.New)
	if opened == nil {
		return err
	}
	document, err := r.log.Consistency(opened[0], opened[1])
	if err != nil {
		return err
	}
	return c.write(s, c.outputFlags, document, fmt.Sprintf("%s of run %s are proven to begin with the earlier %d", records(opened[1].Size), r.log.RunID, opened[0].Size),
		member("proof", canon.NewString(string(document))))
}

type journalCheckProofCmd struct {
	Proof      string   `arg:"" help:"The proof that prove or consistency wrote; - reads standard input." placeholder:"FILE"`
	TrustedKey []string `name:"trusted-key" required:"" help:"A verifier key that may have signed a checkpoint; may be given several times." sep:"none" placeholder:"VKEY"`
	outputFlags
}

func (journalCheckProofCmd) Help() string {
	return `A pass says that the record is the one of that index in the journal that was signed for, or that the later journal begins with the earlier one. It does not say that the event is true; that is up to whoever signed the checkpoint.

Examples:
  finishline journal check-proof --trusted-key example.org/journal+0f6a9b1c+AQx… approval.proof`
}

func (c journalCheckProofCmd) Run(s *session) error {
	keys, err := parseVerifiers(c.TrustedKey)
	if err != nil {
		return err
	}
	data, err := s.readInput(c.Proof)
	if err != nil {
		return err
	}
	out := checkpoint.Table.Collect(verify.Strict)
	proven := checkpoint.CheckProof(out, checkpoint.File{Path: c.Proof, Data: data}, keys)
	sum := canon.SHA256(data)
	report := &verify.Report{
		Subject:  verify.Subject{Kind: "journal proof", Path: c.Proof, SHA256: sum},
		Findings: out.List(), Omitted: out.Omitted(),
		Checked: []verify.Checked{{Verifier: checkpoint.Table.Name, Rules: checkpoint.Table.Count(verify.Strict), Artifacts: []verify.Artifact{{Path: c.Proof, SHA256: sum}}}},
	}
	if proven != nil {
		report.Notes, report.Results = proofNotes(proven), []canon.Member{member("proof", proofValue(proven))}
		report.Trust = &verify.Trust{Keys: keyUses(proven)}
	}
	return s.report(c.outputFlags, report)
}

// proofNotes say what a proof shows.
func proofNotes(p *checkpoint.Proven) []string {
	if p.Inclusion {
		return []string{
			fmt.Sprintf("record %d of run %s, among %s: %s", p.Index, p.Second.RunID, records(p.Second.Size), verify.Print(p.Line, verify.MaxText)),
			"signed for by " + p.Second.Signers[0].ID(),
		}
	}
	return []string{
		fmt.Sprintf("%s of run %s begin with the earlier %d", records(p.Second.Size), p.Second.RunID, p.First.Size),
		"signed for by " + p.First.Signers[0].ID() + " and " + p.Second.Signers[0].ID(),
	}
}

func proofValue(p *checkpoint.Proven) canon.Value {
	members := []canon.Member{
		member("runId", canon.NewString(p.Second.RunID)), member("origin", canon.NewString(p.Second.Origin)),
		member("records", canon.NewNumber(float64(p.Second.Size))),
	}
	if p.Inclusion {
		return canon.Build(append(members, member("index", canon.NewNumber(float64(p.Index))), member("line", canon.NewString(p.Line)))...)
	}
	return canon.Build(append(members, member("earlierRecords", canon.NewNumber(float64(p.First.Size))))...)
}

// keyUses are the keys that a proof rests on, each once.
func keyUses(p *checkpoint.Proven) []verify.KeyUse {
	var list []verify.KeyUse
	for _, o := range []*checkpoint.Opened{p.First, p.Second} {
		if o == nil {
			continue
		}
		for _, k := range o.Signers {
			use := verify.KeyUse{KeyID: k.ID(), Fingerprint: canon.SHA256(k.Public), Use: "checkpoint"}
			if !slices.Contains(list, use) {
				list = append(list, use)
			}
		}
	}
	return list
}

// provable opens a run and checkpoints of it. It returns none when it has
// reported why nothing is proven.
func (s *session) provable(run string, flags storeFlags, output outputFlags, trusted []string, paths ...string) (*openedRun, []*checkpoint.Opened, error) {
	keys, err := parseVerifiers(trusted)
	if err != nil {
		return nil, nil, err
	}
	r, err := s.openRun(run, flags)
	if err != nil {
		return nil, nil, err
	}
	if !r.sound() {
		return nil, nil, r.refuse(s, output, "nothing was proven: the journal does not hold by itself")
	}
	opened, err := r.checkpoints(s, keys, paths...)
	if err != nil {
		return nil, nil, err
	}
	if opened == nil {
		return nil, nil, r.refuse(s, output, "nothing was proven: a checkpoint does not hold against this journal")
	}
	return r, opened, nil
}
