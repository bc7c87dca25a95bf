package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal"
	"finishline/verify/journal/store"
)

// bridgeArg are the flags of commands that look at a bridge's store and give no
// verdict.
type bridgeArg struct {
	Path  string `arg:"" help:"A bridge's data directory or the directory of one run." placeholder:"PATH"`
	RunID string `name:"run" help:"Only the run of this id." placeholder:"ID"`
	storeFlags
	levelFlags
	outputFlags
}

// bridge is the path of a bridge's store, and an error for any other journal.
func (a bridgeArg) bridge() (string, error) {
	kind, path, err := journal.Detect(a.Path)
	if err == nil && kind != journal.Bridge {
		err = usagef("%s is of the kind %s, not a bridge's store", a.Path, kind)
	}
	return path, err
}

// read verifies the store, and keeps of each journal what is asked for.
func (a bridgeArg) read(s *session, path string, keep store.Keep) (*store.Result, error) {
	opt, err := s.storeOptions(a.storeFlags, a.levelFlags)
	if err != nil {
		return nil, err
	}
	b := s.bar(journal.Size(journal.Bridge, path), a.Quiet)
	defer b.stop()
	opt.Keep, opt.Progress = keep, b.set
	res, err := store.Verify(s.ctx, path, opt)
	if err != nil {
		return nil, err
	}
	return res, a.narrow(res)
}

// narrow leaves the one run that was asked for.
func (a bridgeArg) narrow(res *store.Result) error {
	if a.RunID != "" {
		var found []*store.Run
		for _, r := range res.Runs {
			if r.ID == a.RunID || r.Dir == a.RunID {
				found = append(found, r)
			}
		}
		if res.Runs = found; len(found) == 0 {
			return fmt.Errorf("%s: no run %s there", a.Path, verify.Quote(a.RunID))
		}
	}
	if len(res.Runs) == 0 {
		return fmt.Errorf("%s: no run there", a.Path)
	}
	return nil
}

type journalHeadCmd struct {
	bridgeArg
}

func (journalHeadCmd) Help() string {
	return `Prints a line for each run: id, number of records, digest of the last record, and what it was held to. Note them where the owner of the directory cannot change them; journal verify --expect-count --expect-head shows later whether the journal was cut, set back or rewritten since. A signed checkpoint (journal checkpoint) does the same for people who trust a key instead of a note.

A run that does not verify is named, its head is not given, and the exit status is that of its verdict.

Examples:
  finishline journal head ~/.uash/runs
  finishline journal head --run tide-12 --format json ~/.uash/runs`
}

func (c journalHeadCmd) Run(s *session) error {
	path, err := c.bridge()
	if err != nil {
		return err
	}
	res, err := c.read(s, path, store.KeepNothing)
	if err != nil {
		return err
	}
	for _, r := range res.Runs {
		if v := r.Findings().Verdict(); v == verify.Fail {
			s.exit = v.ExitCode()
		} else if len(r.Unread) > 0 && s.exit == 0 {
			s.exit = verify.ExitTrouble
		}
	}
	return s.print(c.outputFlags, headValue(res), func(w io.Writer) {
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, r := range res.Runs {
			fmt.Fprintf(tab, "%s\t%d\t%s\t%s\n", runName(r), r.Records, headText(r), heldTo(res, r))
		}
		tab.Flush()
	})
}

// runName is the id of a run, or its directory where no id is known.
func runName(r *store.Run) string {
	if r.ID == "" {
		return verify.Print(r.Dir, verify.MaxText)
	}
	return r.ID
}

func headText(r *store.Run) string {
	if r.Head == "" || !r.Valid() {
		return "-"
	}
	return r.Head
}

// heldTo says in the words of the contract what a run was held to.
func heldTo(res *store.Result, r *store.Run) string {
	authenticated, structure := res.Words(r)
	if !res.Keyed {
		return "structure " + structure + " (" + store.KeylessWording + ")"
	}
	return "authenticated " + authenticated
}

func headValue(res *store.Result) canon.Value {
	var runs []canon.Value
	for _, r := range res.Runs {
		authenticated, structure := res.Words(r)
		head := canon.NewNull()
		if h := headText(r); h != "-" {
			head = canon.NewString(h)
		}
		runs = append(runs, canon.Build(
			member("runId", canon.NewString(r.ID)), member("directory", canon.NewString(r.Dir)),
			member("records", canon.NewNumber(float64(r.Records))), member("head", head),
			member("authenticated", canon.NewString(authenticated)), member("structure", canon.NewString(structure)),
		))
	}
	return canon.NewArray(runs...)
}
