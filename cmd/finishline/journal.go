package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"finishline/verify/journal"
	"finishline/verify/journal/store"
)

// journalCmds are the commands about journals: the bridge's authenticated
// store, the Harness v2 journal, the HUX event stream and the mailbox. Signed
// checkpoints are in journal_checkpoint.go.
type journalCmds struct {
	Verify journalVerifyCmd `cmd:"" help:"Verify journals: what is in them, and who wrote it."`
	Head   journalHeadCmd   `cmd:"" help:"Print count and head of a bridge's journals, to expect them later."`
	Show   journalShowCmd   `cmd:"" help:"Tell what happened, run by run."`
	Stats  journalStatsCmd  `cmd:"" help:"Count what is in a journal."`
	Doctor journalDoctorCmd `cmd:"" help:"Say what keeps a bridge from starting, and what to do; changes nothing."`
	journalCheckpointCmds
}

// envIntegrityKey is where the bridge's integrity key comes from, unless it is
// in a file. There is no flag for it: arguments are seen by every process.
const envIntegrityKey = "UASH_BRIDGE_INTEGRITY_KEY"

// journalKindFlags say what a journal is where its beginning does not.
type journalKindFlags struct {
	Kind string `help:"What it is, when that cannot be told from its beginning: bridge, harness, hux, mailbox, bridge-event." enum:",bridge,harness,hux,mailbox,bridge-event" default:"" placeholder:"KIND"`
}

// detect finds out what lies at a path, and the path to open.
func (f journalKindFlags) detect(path string) (journal.Kind, string, error) {
	if f.Kind == "" {
		return journal.Detect(path)
	}
	kind, err := journal.ParseKind(f.Kind)
	if err != nil {
		return journal.Unknown, "", usageError{err}
	}
	return kind, journal.PathFor(kind, path), nil
}

// integrityKeyFlags are the flags of every command that reads a bridge's store.
type integrityKeyFlags struct {
	KeyFile string `name:"key-file" help:"The file with the bridge's integrity key, which only its owner may read; else the key comes from ${env_key}." placeholder:"FILE"`
}

// maxKeyFile bounds the file of an integrity key, in bytes.
const maxKeyFile = 64 << 10

// integrityKey is the key of the bridge, or none.
func (s *session) integrityKey(flags integrityKeyFlags) (store.Key, error) {
	fromEnv := s.getenv(envIntegrityKey)
	if flags.KeyFile == "" {
		return store.NewKey(fromEnv), nil
	}
	if fromEnv != "" {
		return store.Key{}, usagef("both --key-file and %s give a key: use one", envIntegrityKey)
	}
	text, err := readKeyFile(flags.KeyFile)
	if err != nil {
		return store.Key{}, err
	}
	if text == "" {
		return store.Key{}, fmt.Errorf("%s holds no key", flags.KeyFile)
	}
	return store.NewKey(text), nil
}

// readKeyFile reads a key: the text of the file without one line end at its
// end. A file that others may read is refused, since the key in it is not a
// secret any more.
func readKeyFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	switch {
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no regular file", path)
	case info.Mode().Perm()&0o077 != 0:
		return "", &advisedError{
			fmt.Sprintf("%s may be read or written by others than its owner (mode %04o)", path, info.Mode().Perm()),
			"chmod 600 the file, and ask who could read it until now: whoever has the key can forge the journal"}
	case info.Size() > maxKeyFile:
		return "", fmt.Errorf("%s is larger than %d bytes", path, maxKeyFile)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(now, info) {
		return "", errors.New(path + " was replaced while it was read")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return "", err
	}
	text := strings.TrimSuffix(string(data), "\n")
	return strings.TrimSuffix(text, "\r"), nil
}

// storeFlags are the flags of commands that verify a bridge's store.
type storeFlags struct {
	integrityKeyFlags
	MaxEvents    *int     `name:"max-events" help:"How many events a run of this bridge may have; else what UASH_BRIDGE_MAX_EVENTS_PER_RUN says, or 2048." placeholder:"N"`
	ArtifactRoot []string `name:"artifact-root" help:"Where the artifacts of a run are now: the root that the run recorded, =, and the directory. May be given several times." sep:"none" placeholder:"RECORDED=DIR"`
}

// storeOptions are the options that flags and environment give.
func (s *session) storeOptions(flags storeFlags, level levelFlags) (store.Options, error) {
	key, err := s.integrityKey(flags.integrityKeyFlags)
	if err != nil {
		return store.Options{}, err
	}
	most, err := s.maxEvents(flags.MaxEvents)
	if err != nil {
		return store.Options{}, err
	}
	opt := store.Options{Key: key, Pin: s.pin(), MaxEvents: most, Level: level.level(), Here: s.machine()}
	for _, m := range flags.ArtifactRoot {
		recorded, local, ok := strings.Cut(m, "=")
		if !ok || recorded == "" || local == "" {
			return store.Options{}, usagef("--artifact-root: found %q, expected RECORDED=DIR", m)
		}
		if info, err := os.Stat(local); err != nil {
			return store.Options{}, err
		} else if !info.IsDir() {
			return store.Options{}, fmt.Errorf("%s is no directory", local)
		}
		opt.Roots = append(opt.Roots, store.Root{Recorded: recorded, Local: local})
	}
	return opt, nil
}

// envMaxEvents is the bridge's own limit of events per run (contract 11,
// section 2.1).
const envMaxEvents = "UASH_BRIDGE_MAX_EVENTS_PER_RUN"

// maxEvents is the limit of events per run that is in force: the flag's, else the
// bridge's, else the format's.
func (s *session) maxEvents(flag *int) (int, error) {
	text, from := s.getenv(envMaxEvents), envMaxEvents
	if flag != nil {
		text, from = strconv.Itoa(*flag), "--max-events"
	}
	if text == "" {
		return store.MaxEvents, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > store.MaxEvents || strings.Trim(text, "0123456789") != "" {
		return 0, usagef("%s: found %.40q, expected 1 to %d", from, text, store.MaxEvents)
	}
	return n, nil
}

// machine is what this machine knows about processes, to tell whose lease lies
// in a data directory.
func (s *session) machine() store.Machine {
	host, err := os.Hostname()
	if err != nil {
		return store.Machine{} // every lease counts as another host's
	}
	return store.Machine{Host: host, Alive: processAlive}
}
