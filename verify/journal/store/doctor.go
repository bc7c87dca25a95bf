package store

import (
	"fmt"
	"slices"
	"strings"

	"finishline/verify"
)

// A Need says what a finding of the doctor asks for.
type Need int

// The needs.
const (
	Fine   Need = iota // nothing to do: the bridge goes on by itself
	Look               // somebody should know
	Person             // nothing goes on until somebody acts
)

var needNames = [...]string{"fine", "look", "act"}

func (n Need) String() string { return needNames[min(max(int(n), 0), len(needNames)-1)] }

// An Advice says what is there, and what a person should do about it.
type Advice struct {
	Need  Need
	Where string // a file or a run
	Found string
	Do    string
}

// Advise says what state a store is in: its leases, and of each run what a
// bridge would make of it at its next start (11 §6.5, §7.3). Nothing is changed.
func (res *Result) Advise() []Advice {
	var list []Advice
	if !res.Single { // a run has no lease of its own
		list = res.Leases.advise()
	}
	for _, f := range res.General.List() {
		if strings.HasPrefix(f.Rule, "bridge.") || strings.HasPrefix(f.Rule, "datadir.") {
			list = append(list, Advice{Look, f.Rule, f.Found, f.Hint})
		}
	}
	for _, u := range res.Unread {
		list = append(list, Advice{Person, res.Dir, u, "let somebody look who may read it"})
	}
	for _, r := range res.Runs {
		list = append(list, r.advise()...)
	}
	return list
}

func (l Leases) advise() (list []Advice) {
	if l.MutexPresent {
		list = append(list, Advice{Person, MutexFile, "the recovery mutex of a start that did not end" + l.Mutex.who(),
			"make sure that no bridge is starting, then remove the file; no bridge starts beside it, whatever is in it"})
	}
	a := Advice{Where: LeaseFile}
	switch l.Main.State {
	case LeaseNone:
		a.Found, a.Do = "no lease: no bridge runs", "nothing"
	case LeaseHeld:
		a.Need, a.Found = Look, "held by a process that is alive"+l.Main.who()
		a.Do = "stop that bridge to start another; if the process is no bridge (in a container ids repeat), remove the file"
	case LeaseStale:
		a.Found, a.Do = "left behind by a process that is gone"+l.Main.who(), "nothing; the next start takes it over"
	case LeaseForeign:
		a.Need, a.Found = Person, "held by another host"+l.Main.who()
		a.Do = "see on that host whether the bridge runs; if it does not, remove the file"
	case LeaseUnread:
		a.Need, a.Found, a.Do = Person, l.Main.Reason, "let somebody look who may read it"
	default:
		a.Need, a.Found = Person, "no lease that a bridge would read: "+l.Main.Reason
		a.Do = "make sure that no bridge runs, then remove the file"
	}
	return append(list, a)
}

// who names the process of a lease.
func (l Lease) who() string {
	if l.ID == "" && l.PID == "" {
		return ""
	}
	show := func(s string) string { return verify.Print(s, 60) }
	return fmt.Sprintf(" (process %s on %s since %s)", show(l.PID), show(l.Host), show(l.StartedAt))
}

// recoverable are warnings that a bridge settles by itself.
var recoverable = []string{"journal.tail.torn", "snapshot.behind", "snapshot.orphan-config", "runconfig.first-event-seal-recovered"}

// advise says of a run what a start and an opening would make of it.
func (r *Run) advise() (list []Advice) {
	for _, u := range r.Unread {
		list = append(list, Advice{Person, r.name(), u, "let somebody look who may read it; if a bridge is writing, look again or verify a copy"})
	}
	healthy := true
	for _, f := range r.Findings().List() {
		a := Advice{Where: f.Artifact, Found: said(f), Do: f.Hint}
		switch {
		case f.Severity == verify.Error && atStart(f.Rule):
			a.Need, a.Found = Person, a.Found+": refuses the start of the whole bridge"
		case f.Severity == verify.Error && strings.HasPrefix(f.Rule, "strict."):
			a.Need, a.Found = Look, a.Found+": a hardened bridge refuses the run"
		case f.Severity == verify.Error:
			a.Need, a.Found = Person, a.Found+": the run is quarantined"
		case slices.Contains(recoverable, f.Rule):
		case f.Severity == verify.Warning && f.Rule != "artifact.not-evaluated":
			a.Need = Look
		default:
			continue
		}
		healthy = false
		list = append(list, a)
	}
	if healthy && len(r.Unread) == 0 {
		state := "opens"
		if r.State != nil {
			state += ", status " + r.State.Status
		}
		list = append(list, Advice{Where: r.name(), Found: state, Do: "nothing"})
	}
	return list
}

// said is a finding in one clause.
func said(f verify.Finding) string {
	if f.Found == "" {
		return f.Rule
	}
	return f.Found + " (" + f.Rule + ")"
}

// atStart reports whether a rule is checked for every run before a bridge
// starts (phase S of 11 §4), so that one run keeps all from being served.
func atStart(rule string) bool {
	family, _, _ := strings.Cut(rule, ".")
	switch family {
	case "datadir", "journal":
		return !strings.HasPrefix(rule, "journal.observed.")
	case "runconfig":
		return rule != "runconfig.snapshot-mismatch" && rule != "runconfig.pin-mismatch"
	case "snapshot":
		return !strings.HasPrefix(rule, "snapshot.events.") && !strings.HasPrefix(rule, "snapshot.binding.") && rule != "snapshot.status.mismatch"
	}
	return false
}
