package main

import (
	"fmt"
	"io"

	"finishline/canon"
	"finishline/internal/atomicfile"
	"finishline/verify"
	"finishline/verify/journal"
	"finishline/verify/journal/checkpoint"
	"finishline/verify/journal/store"
)

// journalCheckpointCmds are the commands about signed checkpoints of a bridge's
// journal (contract 11, section 11).
type journalCheckpointCmds struct {
	Checkpoint  journalCheckpointCmd  `cmd:"" help:"Sign for the records that a bridge's journal has now."`
	Prove       journalProveCmd       `cmd:"" help:"Prove that one record is in a journal, for somebody who does not have it."`
	Consistency journalConsistencyCmd `cmd:"" help:"Prove that a journal only grew from one checkpoint to another."`
	CheckProof  journalCheckProofCmd  `cmd:"" name:"check-proof" help:"Check a proof with nothing but a verifier key."`
	Keygen      journalKeygenCmd      `cmd:"" help:"Make a key that signs checkpoints."`
}

// documentOut say where a document goes.
type documentOut struct {
	Out string `help:"Write it to this new file; standard output unless given. An existing file is never overwritten." placeholder:"FILE"`
}

// runArg is the run whose journal a command needs.
type runArg struct {
	Dir string `arg:"" name:"run" help:"The directory of one run in a bridge's data directory (run-…)." placeholder:"RUN"`
}

type journalCheckpointCmd struct {
	runArg
	Signer     string   `required:"" help:"The signer key file that keygen wrote; only its owner may be able to read it." placeholder:"FILE"`
	Previous   string   `help:"The checkpoint before this one, which is compared with the journal first." placeholder:"FILE"`
	Origin     string   `help:"Name the journal otherwise than finishline/run-…: a URL without its schema." placeholder:"NAME"`
	TrustedKey []string `name:"trusted-key" help:"A verifier key that may have signed the previous checkpoint, if the signer's own did not." sep:"none" placeholder:"VKEY"`
	documentOut
	storeFlags
	outputFlags
}

func (journalCheckpointCmd) Help() string {
	return `Verifies the run with the integrity key and signs only when the authenticated verdict is valid, at strict level. The checkpoint commits to the records that are there: kept on another medium, it shows later whether they were set back, cut or rewritten, also by somebody who has the integrity key.

The signer's key should not be where the bridge can read it.

Examples:
  finishline journal keygen --name example.org/journal --out journal.key
  finishline journal checkpoint --signer journal.key --out day1.note run-d303f2ae33f1…
  finishline journal checkpoint --signer journal.key --previous day1.note --out day2.note run-d303f2ae33f1…`
}

func (c journalCheckpointCmd) Run(s *session) error {
	if err := c.nowhere(c.outputFlags); err != nil {
		return err
	}
	signer, err := readSigner(c.Signer)
	if err != nil {
		return err
	}
	keys, err := parseVerifiers(c.TrustedKey)
	if err != nil {
		return err
	}
	r, err := s.openRun(c.Dir, c.storeFlags)
	if err != nil {
		return err
	}
	if !r.authenticated() {
		return r.refuse(s, c.outputFlags, "nothing was signed: a checkpoint needs the authenticated verdict of the run first")
	}
	var previous []byte
	if c.Previous != "" {
		opened, err := r.checkpoints(s, append(keys, signer.Verifier), c.Previous)
		if err != nil {
			return err
		}
		if opened == nil {
			return r.refuse(s, c.outputFlags, "nothing was signed: the previous checkpoint does not hold")
		}
		previous = opened[0].File.Data
	}
	text, err := r.log.Checkpoint(c.Origin, previous)
	if err != nil {
		return err
	}
	note, err := checkpoint.Sign(text, signer)
	if err != nil {
		return err
	}
	return c.write(s, c.outputFlags, note, fmt.Sprintf("signed as %s for %s of run %s", signer.Verifier.ID(), records(text.Size), text.RunID),
		member("checkpoint", canon.NewString(string(note))), member("digest", canon.NewString(checkpoint.Digest(note))),
		member("origin", canon.NewString(text.Origin)), member("records", canon.NewNumber(float64(text.Size))),
		member("runId", canon.NewString(text.RunID)), member("key", canon.NewString(signer.Verifier.ID())))
}

type journalKeygenCmd struct {
	Name string `required:"" help:"Who signs, and where: printable text without spaces and +." placeholder:"NAME"`
	Out  string `required:"" help:"The new file of the signer key, which only its owner can read. An existing file is never overwritten." placeholder:"FILE"`
	outputFlags
}

func (journalKeygenCmd) Help() string {
	return `Makes an Ed25519 key for checkpoints in the form of golang.org/x/mod/sumdb/note. The signer key in the file is secret. The verifier key, which is printed, is for everybody who is to trust it; hand it over on another way than the journal.

Examples:
  finishline journal keygen --name example.org/journal --out journal.key`
}

func (c journalKeygenCmd) Run(s *session) error {
	secret, public, err := checkpoint.GenerateKey(s.random, c.Name)
	if err != nil {
		return err
	}
	if err := atomicfile.CreatePrivate(c.Out, []byte(secret)); err != nil {
		return err
	}
	value := canon.Build(member("verifierKey", canon.NewString(public)), member("signerFile", canon.NewString(c.Out)))
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "verifier key  %s\nsigner key    in %s; keep it secret, and away from the bridge\n", public, c.Out)
	})
}

// An openedRun is the verified run of a command, and its journal as checkpoints
// see it.
type openedRun struct {
	result *store.Result
	run    *store.Run
	log    *checkpoint.Log
	// found is what checkpoints add to the findings.
	found *verify.Findings
	files []checkpoint.File
}

// openRun verifies the one run at a path, at strict level.
func (s *session) openRun(path string, flags storeFlags) (*openedRun, error) {
	opt, err := s.storeOptions(flags, levelFlags{})
	if err != nil {
		return nil, err
	}
	opt.Keep = store.KeepLines
	kind, dir, err := journal.Detect(path)
	if err != nil {
		return nil, err
	}
	if kind != journal.Bridge {
		return nil, usagef("%s is a journal of the kind %s; checkpoints are of a bridge's journal", path, kind)
	}
	res, err := store.Verify(s.ctx, dir, opt)
	if err != nil {
		return nil, err
	}
	if len(res.Runs) != 1 {
		return nil, &journal.OneRunError{Path: path, Runs: len(res.Runs)}
	}
	log, err := journal.LogOf(res.Runs[0])
	if err != nil {
		return nil, err
	}
	return &openedRun{result: res, run: res.Runs[0], log: log, found: checkpoint.Table.Collect(verify.Strict)}, nil
}

// authenticated reports whether the authenticated verdict is valid.
func (r *openedRun) authenticated() bool { return r.holds(r.run.Authenticated) }

// sound reports whether the stronger verdict that there is is valid.
func (r *openedRun) sound() bool { return r.holds(r.run.Findings()) }

func (r *openedRun) holds(verdict *verify.Findings) bool {
	return verdict != nil && verdict.Errors() == 0 && len(r.run.Unread) == 0 && r.result.General.Errors() == 0
}

// refuse gives the report that says why nothing was made.
func (r *openedRun) refuse(s *session, flags outputFlags, why string) error {
	report := r.result.Report(store.NoDemand)
	report.Findings = append(report.Findings, r.found.List()...)
	report.Withheld = append(report.Withheld, why)
	checked := verify.Checked{Verifier: checkpoint.Table.Name, Rules: checkpoint.Table.Count(verify.Strict)}
	for _, f := range r.files {
		checked.Artifacts = append(checked.Artifacts, verify.Artifact{Path: f.Path, SHA256: canon.SHA256(f.Data)})
	}
	if len(checked.Artifacts) > 0 {
		report.Checked = append(report.Checked, checked)
	}
	return s.report(flags, report)
}

// checkpoints holds the journal against checkpoints, each by itself. It returns
// nil when one of them does not hold.
func (r *openedRun) checkpoints(s *session, keys []checkpoint.Verifier, paths ...string) ([]*checkpoint.Opened, error) {
	var list []*checkpoint.Opened
	for _, path := range paths {
		data, err := s.readInput(path)
		if err != nil {
			return nil, err
		}
		f := checkpoint.File{Path: path, Data: data}
		r.files = append(r.files, f)
		list = append(list, checkpoint.Verify(r.found, r.log, []checkpoint.File{f}, keys)...)
	}
	if len(list) != len(paths) {
		return nil, nil
	}
	return list, nil
}

func readSigner(path string) (checkpoint.Signer, error) {
	text, err := readKeyFile(path)
	if err != nil {
		return checkpoint.Signer{}, err
	}
	signer, err := checkpoint.ParseSigner(text)
	if err != nil {
		return checkpoint.Signer{}, fmt.Errorf("%s: %w", path, err)
	}
	return signer, nil
}

func parseVerifiers(texts []string) ([]checkpoint.Verifier, error) {
	var keys []checkpoint.Verifier
	for _, text := range texts {
		key, err := checkpoint.ParseVerifier(text)
		if err != nil {
			return nil, fmt.Errorf("--trusted-key: %w", err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// nowhere refuses to make a document that nobody would see.
func (f documentOut) nowhere(flags outputFlags) error {
	if f.Out == "" && flags.Quiet {
		return usagef("--quiet prints nothing, so --out must say where to write")
	}
	return nil
}

// write writes a document: to the file, with a line that says so, or to
// standard output as it is.
func (f documentOut) write(s *session, flags outputFlags, document []byte, line string, members ...canon.Member) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if f.Out != "" {
		if err := atomicfile.Create(f.Out, document); err != nil {
			return err
		}
		members = append(members, member("file", canon.NewString(f.Out)))
	}
	return s.print(flags, canon.Build(members...), func(w io.Writer) {
		if f.Out == "" {
			w.Write(document)
			return
		}
		fmt.Fprintf(w, "%s: %s\n", line, f.Out)
	})
}

// records counts records in words.
func records(n int64) string {
	if n == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", n)
}
