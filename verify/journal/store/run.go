package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/event"
)

// A Run is what was found about one run directory.
type Run struct {
	// Dir is the directory's name, which a conforming bridge derives from the
	// run id.
	Dir string
	// ID is the run id, "" when neither configuration nor snapshot tells.
	ID string
	// Structure and Authenticated hold the findings of the two verdicts;
	// Authenticated is nil without a key.
	Structure, Authenticated *verify.Findings
	// Beyond are warnings about events that are valid in a journal although a
	// stricter reading of contract 13 is not satisfied. They are outside both
	// verdicts.
	Beyond []verify.Finding
	// Unread says what could not be looked at, so that there is no verdict.
	Unread []string

	// Records is how many records of the journal the stronger of the verdicts
	// accepts, and Head the digest text of the last of them, "" for none.
	Records int
	Head    string
	Torn    *Torn // what follows the last line feed, nil when nothing does
	// ConfigDigest is integrity.digest of the configuration, as stored.
	ConfigDigest string
	// Behind is how many records the snapshot does not have yet, -1 without a
	// snapshot.
	Behind int
	// State is the run after replay, nil when the files do not agree so far.
	State *State
	// Root is the artifact root that the configuration binds, "" for none.
	Root string
	// Anchored says that something outside the last record commits to it, and
	// Anchor what.
	Anchored bool
	Anchor   string
	// Links are the accepted records, with what Options.Keep asked for.
	Links []Link
	// Artifacts are the files of the run that were read, with their digests.
	Artifacts []verify.Artifact
	// Snapshot is run.json as it was read, but for its events, which are those
	// of the journal; absent when it was not read. Nothing in it has been
	// verified unless the findings pass.
	Snapshot canon.Value

	movedOn bool // a file changed while it was read
}

// A Link is an accepted record of a journal.
type Link struct {
	Line   int // in the file
	Digest string
	// Event is the event, absent unless KeepEvents was asked for.
	Event canon.Value
	// Canonical is the record's line in canonical form, nil unless KeepLines
	// was asked for (11 §11.1).
	Canonical []byte
}

// Findings are those of the stronger verdict that there is.
func (r *Run) Findings() *verify.Findings {
	if r.Authenticated != nil {
		return r.Authenticated
	}
	return r.Structure
}

// Valid reports whether no error rule of the stronger verdict fired, and
// everything was looked at.
func (r *Run) Valid() bool { return r.Findings().Errors() == 0 && len(r.Unread) == 0 }

// StorageKey is the directory name of a run id (11 §2).
func StorageKey(runID string) string {
	sum := sha256.Sum256([]byte(runID))
	return "run-" + hex.EncodeToString(sum[:])
}

// run is a run directory under verification.
type run struct {
	ctx    context.Context
	opt    Options
	dir    string // to open
	name   string // of the directory
	prefix string // of artifact names in findings: "" or the name and a slash

	config, snapshot *sealed
	past             *past  // of the snapshot
	journal          *chain // nil until it is evaluated
	bound            *verify.Findings
	agreement        agreement
	state            *State
	result           *Run
}

// self is the run directory as findings name it.
func (r *run) self() verify.Place {
	if r.prefix == "" {
		return verify.At(".", "")
	}
	return verify.At(strings.TrimSuffix(r.prefix, "/"), "")
}

func (r *run) at(file, pointer string) verify.Place { return verify.At(r.prefix+file, pointer) }

// verify reads the run and gives its verdicts. The error is the context's.
func (r *run) verify() (*Run, error) {
	result, err := r.once()
	if err != nil || !result.movedOn {
		return result, err
	}
	return r.again()
}

// again reads the run a second time, after a file changed while it was read.
func (r *run) again() (*Run, error) {
	fresh := &run{ctx: r.ctx, opt: r.opt, dir: r.dir, name: r.name, prefix: r.prefix}
	result, err := fresh.once()
	*r = *fresh
	return result, err
}

func (r *run) once() (*Run, error) {
	r.result = &Run{Dir: r.name, Behind: -1}
	r.config = readConfig(r.dir, r.opt.Key)
	beside, err := r.readBeside()
	if err != nil {
		return nil, err
	}
	if beside == nil {
		r.snapshot = readSnapshot(r.dir, r.opt.Key)
		r.past = pastOf(r.snapshot.value.Get("events").Elems())
	}
	for _, s := range []*sealed{r.config, r.snapshot} {
		r.note(s.unread)
		r.artifact(s.kind.file, s.sha256)
	}
	if beside != nil {
		r.evaluated(beside)
	}
	if r.result.Structure, err = r.verdict(structure); err != nil {
		return nil, err
	}
	if r.opt.Key.usable() {
		if r.result.Authenticated, err = r.verdict(authenticated); err != nil {
			return nil, err
		}
	}
	r.finish()
	return r.result, nil
}

func (r *run) note(err error) {
	if err != nil {
		r.result.Unread = append(r.result.Unread, verify.Print(r.prefix+err.Error(), verify.MaxHint))
		var changed *changedError
		r.result.movedOn = r.result.movedOn || errors.As(err, &changed)
	}
}

func (r *run) artifact(file, sum string) {
	if sum != "" {
		r.result.Artifacts = append(r.result.Artifacts, verify.Artifact{Path: r.prefix + file, SHA256: sum})
	}
}

// verdict evaluates the rules in the order of section 8.
func (r *run) verdict(m mode) (*verify.Findings, error) {
	out := Table.Collect(r.opt.Level)
	for _, s := range []*sealed{r.config, r.snapshot} {
		for i := range s.failing(m) {
			s.failing(m)[i].report(out, r.prefix+s.kind.file)
		}
	}
	id, matches := r.identity(out, m)
	if matches {
		if err := r.readJournal(id); err != nil {
			return nil, err
		}
		r.reportJournal(out, m)
	}
	if out.Errors() == 0 && matches && r.journal.unread == nil {
		r.compareSeen(out, m)
	}
	if out.Errors() == 0 && matches && r.snapshot.usable(m) && r.journal.unread == nil {
		if err := r.bind(); err != nil {
			return nil, err
		}
		out.Merge(r.bound)
		r.result.State = r.state // of the last verdict, the stronger one
	} else {
		r.result.State = nil
	}
	r.strict(out, m)
	return out, nil
}

// identity evaluates section 4.2 as far as it does not need the journal. It
// returns the run id, and whether the directory is named after it.
func (r *run) identity(out *verify.Findings, m mode) (id string, matches bool) {
	at := r.self()
	if !event.IsStorageKey(r.name) {
		out.Add("datadir.legacy-name", at, verify.What{Found: verify.Quote(r.name), Expected: "run- and 64 lower-case hexadecimal digits"})
	}
	c, s := "", ""
	if r.config.usable(m) {
		c = r.config.value.Get("runId").Text()
	}
	if r.snapshot.usable(m) {
		s = r.snapshot.value.Get("id").Text()
	}
	id = c
	if id == "" {
		id = s
	}
	switch {
	case id == "" && (r.config.unread != nil || r.snapshot.unread != nil): // nobody knows
	case id == "":
		out.Add("datadir.no-identity", at, verify.What{Found: "neither a configuration nor a snapshot that holds", Expected: "one of them, to tell which run this is"})
	case c != "" && s != "" && c != s:
		out.Add("datadir.identity-disagree", at, verify.What{Found: "configuration of " + verify.Quote(c) + ", snapshot of " + verify.Quote(s), Expected: "one run"})
	}
	matches = id != "" && StorageKey(id) == r.name
	if id != "" && !matches {
		out.Add("datadir.key-mismatch", at, verify.What{Found: "files of the run " + verify.Quote(id), Expected: "them in " + StorageKey(id)})
	}
	if r.config.where == absent && r.snapshot.where != absent {
		out.Add("runconfig.missing", r.at(ConfigFile, ""), verify.What{Found: "no such file", Expected: "the sealed configuration of the run"})
	}
	return id, matches
}

// readJournal reads the journal once; both verdicts use it, since a directory
// is named after one run id only.
func (r *run) readJournal(id string) error {
	if r.journal != nil {
		return nil
	}
	how := r.reading(id)
	if r.snapshot.usable(structure) {
		how.snapshot = r.snapshot.value.Get("events").Elems()
		how.keepFrom = min(how.keepFrom, len(how.snapshot))
	}
	journal, err := readJournal(r.ctx, r.dir, r.prefix+JournalFile, how)
	if err != nil {
		return err
	}
	r.evaluated(journal)
	return nil
}

// reading is how the journal of a run is read while nothing is known of its
// snapshot.
func (r *run) reading(id string) reading {
	how := reading{runID: id, key: r.opt.Key, most: r.opt.maxEvents(), keepFrom: keepNothing,
		keepLine: r.opt.Keep == KeepLines, plainly: r.opt.plainly, workers: r.opt.Workers, progress: r.opt.progress(r.dir)}
	if r.opt.Keep != KeepNothing {
		how.keepFrom = 0
	}
	return how
}

// evaluated notes the journal.
func (r *run) evaluated(journal *chain) {
	r.journal = journal
	r.note(journal.unread)
	r.artifact(JournalFile, journal.sha256)
	r.result.Torn, r.result.Beyond = journal.torn, journal.beyond
}

// reportJournal reports the journal and what of section 4.2 depends on it.
func (r *run) reportJournal(out *verify.Findings, m mode) {
	j := r.journal
	if j.torn != nil {
		out.Add("journal.tail.torn", r.at(JournalFile, ""), verify.What{
			Found: fmt.Sprintf("%d bytes after the last line feed, which is byte %d", j.torn.Lost, j.torn.Keep), Expected: "a line feed at the end"})
	}
	n, failed := j.accepted(m)
	for i := range failed {
		failed[i].report(out, r.prefix+JournalFile)
	}
	if r.snapshot.where != absent || len(failed) > 0 || j.unread != nil {
		return
	}
	switch {
	case n > 0:
		out.Add("snapshot.missing", r.at(SnapshotFile, ""), verify.What{Found: fmt.Sprintf("no such file beside a journal of %d records", n), Expected: "the snapshot of the run"})
	case r.config.usable(m):
		out.Add("snapshot.orphan-config", r.at(ConfigFile, ""), verify.What{Found: "a configuration of a run that has neither snapshot nor events"})
	}
}

// bind evaluates, once, the rules that hold journal, snapshot, configuration
// and artifacts together; they stop at the first that fails.
func (r *run) bind() error {
	if r.bound != nil {
		return nil
	}
	r.bound = Table.Collect(r.opt.Level)
	out := r.bound
	if r.compareEvents(out); out.Errors() > 0 {
		return nil
	}
	if r.agreement = r.compareSealed(out); out.Errors() > 0 {
		return nil
	}
	if r.comparePin(out); out.Errors() > 0 {
		return nil
	}
	r.replay(out)
	if out.Errors() > 0 {
		return nil
	}
	return r.checkArtifacts(out)
}

// compareEvents holds snapshot and journal against each other (11 §4.4).
func (r *run) compareEvents(out *verify.Findings) {
	events, links := r.past.events, r.journal.records
	integrity := r.snapshot.value.Get("snapshotIntegrity")
	if events > len(links) {
		out.Add("snapshot.events.ahead", r.at(SnapshotFile, "/events"), verify.What{
			Found: fmt.Sprintf("%d events, the journal has %d records", events, len(links)), Expected: "no more events than records"})
		return
	}
	if i := r.journal.diverged; i >= 0 {
		out.Add("snapshot.events.diverge", r.at(SnapshotFile, fmt.Sprintf("/events/%d", i)), verify.What{
			Found: fmt.Sprintf("another event than line %d of the journal", links[i].line), Expected: "the events of the journal"})
		return
	}
	if n, _ := integrity.Get("eventCount").Integer(); n != float64(events) {
		out.Add("snapshot.binding.count-mismatch", r.at(SnapshotFile, "/snapshotIntegrity/eventCount"), verify.What{
			Found: verify.Show(integrity.Get("eventCount")), Expected: fmt.Sprintf("%d, the number of its events", events)})
		return
	}
	if head := integrity.Get("journalHeadDigest").Text(); head != r.journal.head(events) {
		want := "null, for no events"
		if events > 0 {
			want = fmt.Sprintf("%s, the digest of record %d", verify.Quote(r.journal.head(events)), events-1)
		}
		out.Add("snapshot.binding.head-mismatch", r.at(SnapshotFile, "/snapshotIntegrity/journalHeadDigest"), expects(integrity.Get("journalHeadDigest"), want))
		return
	}
	if behind := len(links) - events; behind > 0 {
		out.Add("snapshot.behind", r.at(SnapshotFile, ""), verify.What{Found: fmt.Sprintf("%d events, the journal has %d records", events, len(links))})
	}
}

// replay derives the state of the run and its status.
func (r *run) replay(out *verify.Findings) {
	policy, artifacts := r.config.value.Get("adapterPolicy"), keepStated
	if r.agreement == recovered {
		artifacts = dropStated
	}
	s := ofSnapshot(r.snapshot.value, policy, artifacts, r.past)
	s.root = r.config.value.Get("artifactRoot").Text() // the snapshot's too, as they agree
	level := s.Events == len(r.journal.records)
	if want := statusAfter(s.last, s.Approvals); level && s.Status != want {
		out.Add("snapshot.status.mismatch", r.at(SnapshotFile, "/status"), expects(r.snapshot.value.Get("status"), verify.Quote(want)+", as its events say"))
		return
	}
	for _, l := range r.journal.records[s.Events:] {
		s.apply(l.event)
	}
	r.state = s
}

// comparePin compares the pin under which the run was created with the
// operator's.
func (r *run) comparePin(out *verify.Findings) {
	sealed := r.config.value.Get("reviewTrustSha256")
	if pin := canon.LowerASCII(r.opt.Pin); canon.IsHex64(pin) && !sealed.Is(pin) {
		out.Add("runconfig.pin-mismatch", r.at(ConfigFile, "/reviewTrustSha256"), expects(sealed, pin+", the operator's pin"))
	}
}

// finish fills in what the result tells of the run.
func (r *run) finish() {
	res := r.result
	m := structure
	if res.Authenticated != nil {
		m = authenticated
	}
	switch {
	case r.config.usable(m):
		res.ID = r.config.value.Get("runId").Text()
	case r.snapshot.usable(m):
		res.ID = r.snapshot.value.Get("id").Text()
	}
	res.ConfigDigest = r.config.value.Get("integrity").Get("digest").Text()
	res.Root = r.config.value.Get("artifactRoot").Text()
	if r.snapshot.value.IsObject() {
		res.Snapshot = without(r.snapshot.value, "events")
	}
	if r.journal != nil {
		res.Records, _ = r.journal.accepted(m)
		res.Head = r.journal.head(res.Records)
		if r.opt.Keep != KeepNothing {
			for _, l := range r.journal.records[:res.Records] {
				res.Links = append(res.Links, Link{Line: l.line, Digest: l.digest, Event: l.event, Canonical: l.canonical})
			}
		}
	}
	if r.snapshot.usable(m) && r.journal != nil {
		res.Behind = max(0, res.Records-r.past.events)
	}
	r.anchor()
}

// path of a file of the run on this machine.
func (r *run) path(file string) string { return filepath.Join(r.dir, file) }
