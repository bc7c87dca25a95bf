package store

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
)

// strict adds what section 9 has against the run. When the compatible verdict
// fails already, strict findings only inform.
func (r *run) strict(out *verify.Findings, m mode) {
	s := Table.Collect(verify.Strict)
	r.residue(s)
	if !out.Strict() {
		out.Merge(s) // what a crash left behind is told at both levels (11 §6.5)
		return
	}
	r.strictFiles(s)
	r.strictConfig(s)
	r.strictSnapshot(s)
	if r.journal != nil {
		for i := range r.journal.strict {
			r.journal.strict[i].report(s, r.prefix+JournalFile)
		}
		if r.journal.marked {
			s.Add("strict.bom", verify.AtLine(r.prefix+JournalFile, 1), verify.What{Found: "a byte order mark", Expected: "none"})
		}
	}
	if r.config.usable(m) && r.snapshot.usable(m) {
		r.projection(s)
	}
	if out.Errors() == 0 {
		out.Merge(s)
		return
	}
	for _, f := range s.List() {
		if f.Severity == verify.Error {
			f.Severity = verify.Note
		}
		out.Append(f)
	}
}

// strictFiles looks at how the files lie there, not at what is in them.
func (r *run) strictFiles(out *verify.Findings) {
	self := r.self()
	if isLink(r.dir) {
		out.Add("strict.symlink", self, verify.What{Found: "a run directory that is a symbolic link", Expected: "the directory itself"})
	}
	r.permissions(out, self)
	for _, name := range stateFiles {
		if isLink(r.path(name)) {
			out.Add("strict.symlink", r.at(name, ""), verify.What{Found: "a symbolic link", Expected: "the file itself"})
		}
	}
}

// permissions warns of a directory and files that others may access. What is a
// link has no mode of its own.
func (r *run) permissions(out *verify.Findings, self verify.Place) {
	var open []string
	for _, name := range append([]string{"."}, stateFiles...) {
		if info, err := os.Stat(r.path(name)); err == nil && info.Mode().Perm()&0o077 != 0 {
			open = append(open, fmt.Sprintf("%s with mode %04o", name, info.Mode().Perm()))
		}
	}
	if len(open) > 0 {
		out.Add("strict.permissions", self, verify.What{Found: strings.Join(open, ", "), Expected: "no access for group and others"})
	}
}

// residue warns of files that the format does not know.
func (r *run) residue(out *verify.Findings) {
	dir, err := os.Open(r.dir)
	if err != nil {
		return // the state files say so
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxRunEntries)
	if err != nil {
		return
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(stateFiles, name) {
			out.Add("strict.residue", r.at(name, ""), verify.What{Found: "a file of another name", Expected: "only " + strings.Join(stateFiles, ", ")})
		}
	}
}

var configMembers = []string{"schema", "contractVersion", "runId", "createdAt", "artifactRoot", "adapterPath", "adapterPolicy", "commissionedRuntime", "reviewTrustSha256"}

func (r *run) strictConfig(out *verify.Findings) {
	c := r.config
	if r.strictDocument(out, c, "strict.runconfig.non-canonical"); !c.value.IsObject() {
		return
	}
	integrity := c.value.Get("integrity")
	r.strictIntegrity(out, c, integrity, []string{"digest"})
	p := c.payload
	if what, ok := configDiffers(p); ok {
		out.Add("strict.runconfig.fields", r.at(ConfigFile, ""), what)
	}
}

// configDiffers says what is not as 11 §3.2 has it.
func configDiffers(p canon.Value) (verify.What, bool) {
	var names []string
	for _, m := range p.Members() {
		names = append(names, m.Name)
	}
	if !slices.Equal(names, configMembers) {
		return verify.What{Found: "members " + strings.Join(names, ", "), Expected: "exactly " + strings.Join(configMembers, ", ")}, true
	}
	textOrNull := func(v canon.Value) bool { _, ok := v.Str(); return ok || v.IsNull() }
	objectOrNull := func(v canon.Value) bool { return v.IsObject() || v.IsNull() }
	_, created := p.Get("createdAt").Str()
	pin := p.Get("reviewTrustSha256").Text()
	for _, check := range []struct {
		name string
		ok   bool
		want string
	}{
		{"schema", p.Get("schema").Is(ConfigSchema), ConfigSchema},
		{"contractVersion", p.Get("contractVersion").Is("uash.connector-events.v0.5"), "uash.connector-events.v0.5"},
		{"createdAt", created, "a text"},
		{"artifactRoot", textOrNull(p.Get("artifactRoot")), "a path or null"},
		{"adapterPath", textOrNull(p.Get("adapterPath")), "a path or null"},
		{"adapterPolicy", objectOrNull(p.Get("adapterPolicy")), "an object or null"},
		{"commissionedRuntime", objectOrNull(p.Get("commissionedRuntime")), "an object or null"},
		{"reviewTrustSha256", canon.IsHex64(pin) && !canon.HasUpperHex(pin), "64 lower-case hexadecimal digits"},
	} {
		if !check.ok {
			return verify.What{Found: check.name + " is " + verify.Show(p.Get(check.name)), Expected: check.want}, true
		}
	}
	return verify.What{}, false
}

var snapshotMembers = []string{
	"id", "title", "task", "repo", "branch", "lane", "agent", "status", "risk", "mode", "eventSource", "currentNodeId", "artifactRoot", "adapterPath",
	"adapterPolicy", "commissionedRuntime", "reviewTrustSha256", "auth", "createdAt", "updatedAt", "approvals", "artifacts", "events", "contractVersion",
}

func (r *run) strictSnapshot(out *verify.Findings) {
	s := r.snapshot
	if r.strictDocument(out, s, "strict.snapshot.non-canonical"); !s.value.IsObject() {
		return
	}
	integrity := s.value.Get("snapshotIntegrity")
	r.strictIntegrity(out, s, integrity, []string{"journalHeadDigest", "digest"})
	for _, m := range s.payload.Members() {
		if !slices.Contains(snapshotMembers, m.Name) {
			out.Add("strict.snapshot.unknown-field", r.at(SnapshotFile, "/"+canon.EscapePointer(m.Name)), verify.What{Found: "a member named " + verify.Quote(m.Name), Expected: "only members of the format"})
		}
	}
	if events := s.value.Get("events"); !events.IsArray() {
		out.Add("strict.snapshot.events-type", r.at(SnapshotFile, "/events"), expects(events, "an array"))
	}
}

// strictDocument is what both sealed documents are held to.
func (r *run) strictDocument(out *verify.Findings, s *sealed, canonical string) {
	if s.bom {
		out.Add("strict.bom", r.at(s.kind.file, ""), verify.What{Found: "a byte order mark", Expected: "none"})
	}
	for _, d := range s.defects {
		if rule, ok := strictOf[d.Rule]; ok {
			out.Add(rule, verify.Place{Artifact: r.prefix + s.kind.file, Pointer: d.Pointer, Line: d.Line}, verify.What{Found: d.Detail})
		}
	}
	if s.value.IsObject() && !s.canonic {
		out.Add(canonical, r.at(s.kind.file, ""), verify.What{Found: "the document in another layout, spelling or order of its envelope", Expected: "the canonical text"})
	}
}

func (r *run) strictIntegrity(out *verify.Findings, s *sealed, integrity canon.Value, digests []string) {
	pointer := "/" + s.kind.integrity
	if what, ok := envelopeDiffers(integrity, s.kind.integrityMembers()); ok {
		out.Add("strict.envelope-unknown-field", r.at(s.kind.file, pointer), what)
	}
	for _, name := range digests {
		if v := integrity.Get(name).Text(); canon.IsHex64(v) && canon.HasUpperHex(v) {
			out.Add("strict.digest-case", r.at(s.kind.file, pointer+"/"+name), verify.What{Found: verify.Quote(v), Expected: "lower-case hexadecimal"})
		}
	}
}

// projection replays the snapshot's own events and compares what it states with
// what they give.
func (r *run) projection(out *verify.Findings) {
	if r.past.events > r.opt.maxEvents() {
		return // snapshot.events.ahead of any journal there can be
	}
	s := r.projected()
	stated := statedApprovals(r.snapshot.value)
	if at, ok := firstDifference(s.Approvals, stated, sameApproval); !ok {
		out.Add("strict.snapshot.projection", r.at(SnapshotFile, fmt.Sprintf("/approvals/%d", at)), verify.What{
			Found: describe(stated, at, "scope"), Expected: describe(s.Approvals, at, "scope") + ", as the events give"})
	}
	if r.past.events == 0 {
		return
	}
	artifacts := r.snapshot.value.Get("artifacts").Elems()
	if at, ok := firstDifference(s.Artifacts, artifacts, sameEntry); !ok {
		out.Add("strict.snapshot.projection", r.at(SnapshotFile, fmt.Sprintf("/artifacts/%d", at)), verify.What{
			Found: describe(artifacts, at, "path"), Expected: describe(s.Artifacts, at, "path") + ", as the events give"})
	}
}

// projected is what the snapshot's events give from the base of the
// configuration's policy.
func (r *run) projected() *State {
	if r.past.projected == nil {
		s := base(r.config.value.Get("adapterPolicy"))
		for _, ev := range r.snapshot.value.Get("events").Elems() {
			s.apply(ev)
		}
		r.past.projected = s
	}
	return r.past.projected
}

// firstDifference compares what the events give with what is stated.
func firstDifference(given, stated []canon.Value, same func(given, stated canon.Value) bool) (at int, ok bool) {
	for i := range max(len(given), len(stated)) {
		if i >= len(given) || i >= len(stated) || !same(given[i], stated[i]) {
			return i, false
		}
	}
	return 0, true
}

func sameApproval(given, stated canon.Value) bool {
	if !given.IsObject() || !stated.IsObject() {
		return canon.Equal(given, stated)
	}
	return canon.Equal(without(given, "updatedAt"), without(stated, "updatedAt"))
}

// sameEntry takes a claim that says unchecked as that: the format fixes of such
// a stub that nothing was checked, and not what else it holds. What it says of
// the grant must be true.
func sameEntry(given, stated canon.Value) bool {
	want, got := given.Get("verification"), stated.Get("verification")
	if !isStub(want) || !got.IsObject() {
		return canon.Equal(given, stated)
	}
	for _, m := range want.Members() {
		v := got.Get(m.Name)
		if optional := slices.Contains(grantMembers, m.Name); optional && !v.Present() {
			continue
		}
		if !canon.Equal(v, m.Value) {
			return false
		}
	}
	return canon.Equal(given, canon.With(stated, "verification", want))
}

// describe says in a few words what stands at a place of a list.
func describe(list []canon.Value, at int, name string) string {
	if at >= len(list) {
		return "nothing"
	}
	v := list[at]
	text := verify.Show(v.Get(name))
	for _, m := range []string{"status", "artifact", "present", "skipped", "failed"} {
		if x := v.Get(m); x.Present() {
			text += ", " + m + " " + verify.Show(x)
		}
	}
	return text
}
