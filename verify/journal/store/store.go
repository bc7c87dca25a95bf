package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A Keep says what is kept of the accepted records of each journal.
type Keep int

// What can be kept; memory grows with it.
const (
	KeepNothing Keep = iota
	KeepEvents
	KeepLines // the canonical lines too
)

// Options say against what a store is verified.
type Options struct {
	// Key is the integrity key; without it only the structure is judged.
	Key Key
	// Pin is the operator's trust pin; "" compares none.
	Pin string
	// Roots say where artifact roots of the recording machine are now.
	Roots []Root
	// MaxEvents is the limit of records per run of the bridge in question; 0 is
	// the format's own, and more than that counts as that.
	MaxEvents int
	Level     verify.Level
	Keep      Keep
	// Seen is what is known of the journal from before, nil for nothing. It is
	// about one run.
	Seen *Seen
	// Here is what this machine knows about processes, for the leases.
	Here Machine
	// Workers is how many goroutines parse; 0 uses all cores.
	Workers int
	// Progress, when given, is told how many bytes of journals were read so
	// far. It is called from several goroutines, one at a time.
	Progress func(bytes int64)

	progressed *int64 // of the journals before
	// plainly has every document read by canon.Read and as a whole: tests hold
	// all that is faster to what this gives.
	plainly bool
}

func (o Options) maxEvents() int {
	if o.MaxEvents <= 0 || o.MaxEvents > MaxEvents {
		return MaxEvents
	}
	return o.MaxEvents
}

// progress is what the reader of one journal is to call.
func (o Options) progress(dir string) func(int64) {
	if o.Progress == nil {
		return nil
	}
	before := *o.progressed
	return func(n int64) {
		*o.progressed = before + n
		o.Progress(*o.progressed)
	}
}

// A Result is what was found in a store.
type Result struct {
	// Dir is the directory that was given.
	Dir string
	// Single says that it is one run directory, not a data directory.
	Single bool
	Runs   []*Run // in the order of their directory names
	// Unread says of entries of the data directory that could not be looked at
	// whether they are runs.
	Unread []string
	// General holds what belongs to no run: the key, the pin, the lease.
	General *verify.Findings
	Leases  Leases
	Level   verify.Level
	// Keyed says that a key was given and long enough to be one.
	Keyed bool
	// KeyGiven says that a key was given at all.
	KeyGiven bool

	hashes, matched int  // keyed hashes that were compared, and that matched
	unsound         bool // a structural rule failed somewhere
}

// Verify verifies a data directory or one run directory (11 §8). The error is
// that of a context which ended, or says that the directory cannot be listed.
func Verify(ctx context.Context, dir string, opt Options) (*Result, error) {
	opt.progressed = new(int64)
	res := &Result{Dir: dir, General: Table.Collect(opt.Level), Level: opt.Level, Keyed: opt.Key.usable(), KeyGiven: opt.Key.Given()}
	if opt.Key.TooShort() {
		res.General.Add("bridge.key.too-short", verify.Place{}, verify.What{Found: "a key of fewer than 32 bytes", Expected: "at least 32 bytes"})
	}
	if opt.Pin != "" && !canon.IsHex64(opt.Pin) {
		res.General.Add("bridge.pin.malformed", verify.Place{}, verify.What{Found: verify.Quote(opt.Pin), Expected: "64 hexadecimal digits"})
	}
	names, err := res.list(opt)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		r := &run{ctx: ctx, opt: opt, dir: filepath.Join(dir, name), name: name, prefix: name + "/"}
		if res.Single {
			r.dir, r.prefix = filepath.Clean(dir), "" // a final slash would hide that it is a link
		}
		found, err := r.verify()
		if err != nil {
			return nil, err
		}
		res.Runs = append(res.Runs, found)
		res.testKey(r)
	}
	res.suspectKey()
	return res, ctx.Err()
}

// list finds the run directories. A linked one is followed.
func (res *Result) list(opt Options) ([]string, error) {
	if is, err := looksLikeRun(res.Dir); err != nil {
		return nil, err
	} else if is {
		abs, err := filepath.Abs(res.Dir)
		if err != nil {
			return nil, fmt.Errorf("name the run directory: %w", err)
		}
		res.Single = true
		return []string{filepath.Base(abs)}, nil
	}
	res.Leases = ReadLeases(res.Dir, opt.Here)
	res.Leases.report(res.General)
	d, err := os.Open(res.Dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all, err := d.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list the data directory: %w", err)
	}
	if len(all) > MaxEntries {
		res.General.Add("datadir.too-many-entries", verify.At(".", ""), verify.What{Found: fmt.Sprintf("%d entries", len(all)), Expected: fmt.Sprintf("at most %d", MaxEntries)})
	}
	var names []string
	slices.Sort(all)
	for _, name := range all {
		is, err := isRunEntry(filepath.Join(res.Dir, name))
		if err != nil {
			res.Unread = append(res.Unread, err.Error())
		}
		if is {
			names = append(names, name)
		}
	}
	return names, nil
}

// isRunEntry reports whether an entry of a data directory is, or links to, the
// directory of a run. The error says that nobody can tell.
func isRunEntry(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case evidence.IsAbsent(err):
		return false, nil
	case err != nil:
		return false, trouble("the entry "+verify.Quote(filepath.Base(path)), err)
	case !info.IsDir():
		return false, nil
	}
	return looksLikeRun(path)
}
