package store

import (
	"fmt"
	"strings"

	"finishline/canon"
	"finishline/verify"
)

// Seen is what somebody knows of a journal from an earlier look at it
// (11 §4.6).
type Seen struct {
	Count int    // records, -1 when it is not known
	Head  string // digest text of the last of them, "" when it is not known
}

// compareSeen holds the journal to what was seen before.
func (r *run) compareSeen(out *verify.Findings, m mode) {
	seen := r.opt.Seen
	if seen == nil {
		return
	}
	n, _ := r.journal.accepted(m)
	at := r.at(JournalFile, "")
	switch i := seen.Count - 1; {
	case seen.Count > n:
		out.Add("journal.observed.rollback", at, verify.What{Found: fmt.Sprintf("%d records", n), Expected: fmt.Sprintf("at least %d", seen.Count)})
	case seen.Head == "":
	case seen.Count < 0 && r.journal.find(seen.Head, n) < 0:
		out.Add("journal.observed.fork", at, verify.What{Found: fmt.Sprintf("%d records, none with this digest", n), Expected: "a record with the digest " + verify.Quote(seen.Head)})
	case seen.Count >= 0 && r.journal.head(seen.Count) != seen.Head:
		out.Add("journal.observed.fork", at, verify.What{Found: fmt.Sprintf("record %d with the digest %s", i, verify.Quote(r.journal.head(seen.Count))), Expected: verify.Quote(seen.Head)})
	}
}

// find returns the index of the last of n records with that digest, or -1.
func (c *chain) find(digest string, n int) int {
	for i := n - 1; i >= 0; i-- {
		if c.records[i].digest == digest {
			return i
		}
	}
	return -1
}

// anchor says what outside the last record commits to it (11 §8).
func (r *run) anchor() {
	res, seen := r.result, r.opt.Seen
	if !res.Valid() || r.journal == nil {
		return
	}
	switch {
	case seen != nil && seen.Head != "" && seen.Head == res.Head:
		res.AnchoredBy("the expected head")
	case seen != nil && seen.Count == res.Records:
		res.AnchoredBy("the expected count")
	case res.State != nil && res.State.Status == StatusComplete && res.Behind == 0:
		res.AnchoredBy("the snapshot of the complete run")
	}
}

// AnchoredBy records that something commits to the last record, such as a
// checkpoint that the caller has verified.
func (r *Run) AnchoredBy(what string) { r.Anchored, r.Anchor = true, what }

// testKey notes whether the key opens anything in a run.
func (res *Result) testKey(r *run) {
	for _, s := range []*sealed{r.config, r.snapshot} {
		res.hash(s.hashed, s.forged != nil)
	}
	if r.journal != nil {
		res.hash(r.journal.firstSeen, r.journal.forged == 0)
	}
	for _, f := range r.result.Structure.List() {
		family, _, _ := strings.Cut(f.Rule, ".")
		switch {
		case f.Severity != verify.Error, f.Rule == "runconfig.pin-mismatch":
		case family == "datadir", family == "runconfig", family == "snapshot", family == "journal":
			res.unsound = true
		}
	}
}

func (res *Result) hash(compared, differs bool) {
	if compared {
		res.hashes++
	}
	if compared && !differs {
		res.matched++
	}
}

// suspectKey tells a wrong key from tampering, as far as that is possible.
func (res *Result) suspectKey() {
	if res.Keyed && res.hashes > 0 && res.matched == 0 && !res.unsound {
		res.General.Add("bridge.key.mismatch-suspected", verify.Place{}, verify.What{
			Found: fmt.Sprintf("none of %d keyed hashes is that of this key, and nothing else is wrong", res.hashes)})
	}
}

// The two verdicts in words.
const (
	saysValid   = "valid"
	saysInvalid = "invalid"
	saysUnknown = "not evaluated"
)

// Words are the two verdicts of a run. Authenticated is never "valid" without
// a key.
func (res *Result) Words(r *Run) (authenticated, structure string) {
	word := func(f *verify.Findings) string {
		switch {
		case f == nil:
			return saysUnknown
		case f.Errors() > 0:
			return saysInvalid
		case len(r.Unread) > 0:
			return saysUnknown
		}
		return saysValid
	}
	return word(r.Authenticated), word(r.Structure)
}

// KeylessWording is how every result without a key reads (11 §8).
const KeylessWording = "structure-only, unauthenticated"

// Demand is what a caller asks for beyond the rules.
type Demand int

// The demands.
const (
	NoDemand     Demand = iota
	DemandAnchor        // a run that is not anchored is incomplete
)

// Report makes the report of a verification: the findings of the stronger
// verdict, both verdicts in words, and why a pass is withheld.
func (res *Result) Report(demand Demand) *verify.Report {
	rep := &verify.Report{Subject: verify.Subject{Kind: "bridge store", Path: res.Dir}, Level: res.Level, Omitted: map[string]int{}}
	if res.Single {
		rep.Subject.Kind = "bridge run"
	}
	checked := verify.Checked{Verifier: Table.Name, Rules: Table.Count(res.Level)}
	add := func(f *verify.Findings) {
		rep.Findings = append(rep.Findings, f.List()...)
		for id, n := range f.Omitted() {
			rep.Omitted[id] += n
		}
	}
	add(res.General)
	for _, r := range res.Runs {
		add(r.Findings())
		beyond := Table.Collect(res.Level)
		beyond.Append(r.Beyond...)
		add(beyond)
		checked.Artifacts = append(checked.Artifacts, r.Artifacts...)
	}
	rep.Checked = []verify.Checked{checked}
	res.withhold(rep, demand)
	res.notes(rep)
	rep.Results = []canon.Member{{Name: "bridgeStore", Value: res.Value()}}
	return rep
}

// withhold says why a pass is not given although no rule failed.
func (res *Result) withhold(rep *verify.Report, demand Demand) {
	if !res.Keyed {
		why := "no integrity key was given, so anybody could have written these files"
		if res.KeyGiven {
			why = "the integrity key that was given cannot be one"
		}
		rep.Withheld = append(rep.Withheld, KeylessWording+": "+why)
	}
	rep.Withheld = append(rep.Withheld, res.Unread...)
	for _, r := range res.Runs {
		rep.Withheld = append(rep.Withheld, r.Unread...)
	}
	if l := res.Leases.Main; l.State == LeaseUnread {
		rep.Withheld = append(rep.Withheld, l.Reason)
	}
	open := map[string]int{}
	for _, f := range rep.Findings {
		if f.Severity == verify.Warning && strings.HasSuffix(f.Rule, ".not-evaluated") {
			if open[f.Rule]++; open[f.Rule] == 1 {
				rep.Withheld = append(rep.Withheld, f.Rule+": "+f.Found)
			}
		}
	}
	if demand == DemandAnchor {
		for _, r := range res.Runs {
			if !r.Anchored {
				rep.Withheld = append(rep.Withheld, fmt.Sprintf("run %s is not anchored: %s", r.name(), notAnchored))
			}
		}
	}
}

const notAnchored = "its last records may have been cut together with the snapshot"

// name is the run id, or the directory where no id is known.
func (r *Run) name() string {
	if r.ID == "" {
		return verify.Quote(r.Dir)
	}
	return r.ID
}

// maxNotes is how many runs a report has a line for; the others are counted,
// and in its JSON form.
const maxNotes = 20

func (res *Result) notes(rep *verify.Report) {
	loose, valid := false, false
	for i, r := range res.Runs {
		valid = valid || r.Valid()
		loose = loose || r.Valid() && !r.Anchored
		if i < maxNotes {
			rep.Notes = append(rep.Notes, res.line(r))
		}
	}
	if more := len(res.Runs) - maxNotes; more > 0 {
		rep.Notes = append(rep.Notes, fmt.Sprintf("and %d more runs (--format json lists all)", more))
	}
	if loose {
		rep.Notes = append(rep.Notes, "a run that is not anchored looks the same when its last records were cut together with the snapshot; a checkpoint, --expect-head or --expect-count shows whether they were")
	}
	if valid {
		rep.Notes = append(rep.Notes, "nothing here shows that the directory is not an older state of itself, that events are true, or that a person approved")
	}
}

// line tells of one run: both verdicts, how much there is, and whether it is
// anchored.
func (res *Result) line(r *Run) string {
	auth, structure := res.Words(r)
	text := fmt.Sprintf("run %s: authenticated %s, structure %s", r.name(), auth, structure)
	if !res.Keyed {
		text = fmt.Sprintf("run %s: structure %s (%s)", r.name(), structure, KeylessWording)
	}
	text += fmt.Sprintf(", %d records", r.Records)
	if r.Records == 1 {
		text = strings.TrimSuffix(text, "s")
	}
	if r.Head != "" {
		text += ", head " + r.Head
	}
	if r.State != nil {
		text += ", status " + r.State.Status
	}
	if r.Anchored {
		return text + ", anchored by " + r.Anchor
	}
	return text + ", not anchored"
}

// Value is the result for programs.
func (res *Result) Value() canon.Value {
	str := canon.NewString
	runs := make([]canon.Value, len(res.Runs))
	for i, r := range res.Runs {
		auth, structure := res.Words(r)
		head := canon.NewNull()
		if r.Head != "" {
			head = str(r.Head)
		}
		members := []canon.Member{
			{Name: "directory", Value: str(r.Dir)}, {Name: "runId", Value: str(r.ID)},
			{Name: "authenticated", Value: str(auth)}, {Name: "structure", Value: str(structure)},
			{Name: "anchored", Value: canon.NewBool(r.Anchored)},
			{Name: "records", Value: canon.NewNumber(float64(r.Records))}, {Name: "head", Value: head},
		}
		if r.Anchored {
			members = append(members, canon.Member{Name: "anchor", Value: str(r.Anchor)})
		}
		if r.State != nil {
			members = append(members, canon.Member{Name: "status", Value: str(r.State.Status)})
		}
		members = append(members, canon.Member{Name: "structureRules", Value: ruleList(r.Structure)})
		runs[i] = canon.Build(members...)
	}
	lease := res.Leases.Main.State
	if res.Single {
		lease = LeaseUnread // it lies beside the run
	}
	return canon.Build(
		canon.Member{Name: "keyed", Value: canon.NewBool(res.Keyed)},
		canon.Member{Name: "lease", Value: str(lease.String())},
		canon.Member{Name: "recoveryMutex", Value: canon.NewBool(res.Leases.MutexPresent)},
		canon.Member{Name: "runs", Value: canon.NewArray(runs...)},
	)
}

func ruleList(f *verify.Findings) canon.Value {
	list := []canon.Value{}
	for _, id := range verify.RuleIDs(f.List(), verify.Error) {
		list = append(list, canon.NewString(id))
	}
	return canon.NewArray(list...)
}
