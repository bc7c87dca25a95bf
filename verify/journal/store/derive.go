package store

import (
	"path"
	"regexp"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/event"
)

// agreement is what comparing configuration and snapshot gives (11 §4.3).
type agreement int

const (
	agrees agreement = iota
	recovered
	disagrees
)

// agree compares the configuration's payload with what a snapshot of so many
// events says the configuration is. Elsewhere are the members whose path cannot
// be compared on this machine.
func agree(config, snapshot canon.Value, events int) (a agreement, elsewhere []string) {
	d, elsewhere := derive(config, snapshot)
	if noPath(snapshot) != "" {
		return disagrees, elsewhere
	}
	if canon.Same(config, d) {
		return agrees, elsewhere
	}
	null := func(v canon.Value) bool { return v.IsNull() }
	switch {
	case events > 0,
		!null(d.Get("adapterPolicy")), !null(d.Get("commissionedRuntime")):
		return disagrees, elsewhere
	case null(d.Get("artifactRoot")) && given(config.Get("artifactRoot")),
		given(config.Get("adapterPolicy")):
	default:
		return disagrees, elsewhere
	}
	again := snapshot
	for _, name := range []string{"artifactRoot", "adapterPath", "adapterPolicy", "commissionedRuntime"} {
		again = canon.With(again, name, config.Get(name))
	}
	if d, _ = derive(config, again); noPath(again) == "" && canon.Same(config, d) {
		return recovered, elsewhere
	}
	return disagrees, elsewhere
}

// given reports whether a member is there and not null.
func given(v canon.Value) bool { return v.Present() && !v.IsNull() }

var pathMembers = []string{"artifactRoot", "adapterPath"}

// noPath names the first path of a snapshot that is none: what is not a text
// cannot be made absolute, and nothing in a configuration agrees with it.
func noPath(snapshot canon.Value) string {
	for _, name := range pathMembers {
		v := snapshot.Get(name)
		if _, isText := v.Str(); v.Truthy() && !isText {
			return name
		}
	}
	return ""
}

// derive makes D of a snapshot. Where a path of it means something only on the
// bridge's machine, the configuration's value is taken.
func derive(config, snapshot canon.Value) (d canon.Value, elsewhere []string) {
	version := snapshot.Get("contractVersion")
	if !version.Truthy() {
		version = canon.NewString(event.ContractVersion)
	}
	members := edit{}
	members.set("schema", canon.NewString(ConfigSchema))
	members.set("contractVersion", version)
	members.set("runId", snapshot.Get("id"))
	members.set("createdAt", snapshot.Get("createdAt"))
	for _, name := range pathMembers {
		v, comparable := absolute(snapshot.Get(name), config.Get(name))
		if !comparable {
			elsewhere = append(elsewhere, name)
		}
		members.set(name, v)
	}
	for _, name := range []string{"adapterPolicy", "commissionedRuntime"} {
		v := snapshot.Get(name)
		if !v.Present() {
			v = canon.NewNull()
		}
		members.set(name, v)
	}
	members.set("reviewTrustSha256", snapshot.Get("reviewTrustSha256"))
	return canon.Build(members...), elsewhere
}

// absolute is a path of the snapshot as the configuration has it: absolute and
// lexically normalised, null when empty. A relative path, and one of the other
// kind of system, cannot be compared here; the configuration's value, whatever
// it is, stands for it then.
func absolute(v, configured canon.Value) (value canon.Value, comparable bool) {
	text, isText := v.Str()
	switch {
	case !v.Truthy():
		return canon.NewNull(), true
	case !isText:
		return v, true
	case strings.HasPrefix(text, "/"):
		return canon.NewString(path.Clean(text)), true
	case windowsAbsolute.MatchString(text) && canon.Same(v, configured):
		return v, true
	}
	return configured, false
}

var windowsAbsolute = regexp.MustCompile(`^(?:[A-Za-z]:[\\/]|\\\\)`)

// compareSealed holds configuration and snapshot against each other and
// against the operator's pin.
func (r *run) compareSealed(out *verify.Findings) (a agreement) {
	a, elsewhere := agree(r.config.payload, r.snapshot.value, r.past.events)
	for _, name := range elsewhere {
		out.Add("runconfig.root.not-evaluated", r.at(SnapshotFile, "/"+name), verify.What{
			Found: verify.Show(r.snapshot.value.Get(name)), Expected: "an absolute path of this kind of system, to compare with " + verify.Show(r.config.value.Get(name))})
	}
	switch a {
	case disagrees:
		if name := noPath(r.snapshot.value); name != "" {
			out.Add("runconfig.snapshot-mismatch", r.at(SnapshotFile, "/"+name), expects(r.snapshot.value.Get(name), "a path or null"))
			break
		}
		d, _ := derive(r.config.payload, r.snapshot.value)
		member, what := difference(r.config.payload, d)
		out.Add("runconfig.snapshot-mismatch", r.at(ConfigFile, member), what)
	case recovered:
		out.Add("runconfig.first-event-seal-recovered", r.at(ConfigFile, ""), verify.What{
			Found: "a configuration that binds a root or an adapter which the snapshot does not know yet"})
	}
	return a
}

// difference names the first member in which a configuration differs from what
// the snapshot gives.
func difference(config, derived canon.Value) (pointer string, what verify.What) {
	for _, m := range derived.Members() {
		if v := config.Get(m.Name); !canon.Same(v, m.Value) {
			return "/" + canon.EscapePointer(m.Name), verify.What{Found: verify.Show(v), Expected: verify.Show(m.Value) + ", as the snapshot says"}
		}
	}
	for _, m := range config.Members() {
		if !derived.Has(m.Name) {
			return "/" + canon.EscapePointer(m.Name), verify.What{Found: verify.Show(m.Value), Expected: "no such member, as the snapshot says"}
		}
	}
	return "", verify.What{Found: "members in another order", Expected: "the order of the format"}
}
