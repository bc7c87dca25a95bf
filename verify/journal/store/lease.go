package store

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"

	"finishline/canon"
	"finishline/verify"
)

// Names and schemas of the leases of a data directory (11 §7.1).
const (
	LeaseFile      = ".bridge-process.lock"
	MutexFile      = ".bridge-process-recovery.lock"
	LeaseSchema    = "uash.bridge-process-lease.v1"
	RecoverySchema = "uash.bridge-process-recovery-lease.v1"
)

// A LeaseState says what the main lease of a data directory means for the next
// start of a bridge, as far as this machine can tell (11 §7.2, 7.3).
type LeaseState int

// The states.
const (
	LeaseNone      LeaseState = iota // no lease: nobody runs
	LeaseHeld                        // a process of this host that appears to be alive
	LeaseStale                       // a process of this host that is gone
	LeaseForeign                     // another host: nobody here can tell
	LeaseMalformed                   // no lease that a bridge would read
	LeaseUnread                      // it could not be looked at
)

var leaseNames = [...]string{"none", "held", "stale", "foreign-host", "malformed", "unread"}

func (s LeaseState) String() string { return leaseNames[min(max(int(s), 0), len(leaseNames)-1)] }

// A Lease is a lease file as it was found.
type Lease struct {
	State     LeaseState
	PID       string // as stored, "" when it is absent
	Host      string
	ID        string
	StartedAt string
	// Reason says why the state is malformed, or what could not be read.
	Reason string

	pid canon.Value
}

// Leases are the two lease files of a data directory. The recovery mutex blocks
// every start, whatever is in it.
type Leases struct {
	Main, Mutex Lease
	// MutexPresent says that there is a recovery mutex.
	MutexPresent bool
}

// A Machine is what this machine knows about processes; the zero Machine knows
// nothing.
type Machine struct {
	Host string
	// Alive reports whether a process of that id exists here.
	Alive func(pid int) bool
}

// ReadLeases looks at the leases of a data directory. It takes none.
func ReadLeases(dir string, here Machine) Leases {
	l := Leases{Main: readLease(dir, LeaseFile, LeaseSchema), Mutex: readLease(dir, MutexFile, RecoverySchema)}
	l.MutexPresent = exists(filepath.Join(dir, MutexFile))
	if l.Main.State == LeaseHeld {
		l.Main.State = l.Main.judge(here)
	}
	return l
}

// readLease reads a lease; a well-formed one counts as held until judged.
func readLease(dir, name, schema string) Lease {
	f, where, err := open(filepath.Join(dir, name), name, maxLease)
	switch where {
	case absent:
		if exists(filepath.Join(dir, name)) {
			return malformed("a symbolic link to nothing")
		}
		return Lease{}
	case unread:
		return Lease{State: LeaseUnread, Reason: err.Error()}
	case notRegular:
		return malformed("not a regular file")
	case tooLarge:
		return malformed("a file of " + err.Error())
	}
	defer f.Close()
	data, err := f.all()
	if err != nil {
		return Lease{State: LeaseUnread, Reason: err.Error()}
	}
	doc, err := canon.Read(data, maxLease)
	if err != nil {
		return malformed("no JSON")
	}
	v := doc.Root
	l := Lease{State: LeaseHeld, Host: v.Get("hostname").Text(), ID: v.Get("leaseId").Text(), StartedAt: v.Get("startedAt").Text(), pid: v.Get("pid")}
	if l.pid.Present() {
		l.PID = canon.TextForm(l.pid)
	}
	switch {
	case !v.IsObject():
		return malformed("no JSON object")
	case !v.Get("schema").Is(schema):
		l.State, l.Reason = LeaseMalformed, "its schema is "+verify.Show(v.Get("schema"))
	case l.ID == "":
		l.State, l.Reason = LeaseMalformed, "it has no leaseId"
	}
	return l
}

func malformed(reason string) Lease { return Lease{State: LeaseMalformed, Reason: reason} }

// judge tells a held lease from a stale one.
func (l Lease) judge(here Machine) LeaseState {
	if here.Host == "" || l.Host != here.Host {
		return LeaseForeign
	}
	if pid, ok := processID(l.pid); ok && here.Alive != nil && here.Alive(pid) {
		return LeaseHeld
	}
	return LeaseStale
}

// processID coerces a pid to a number as a bridge does; what is no positive
// whole number is no process.
func processID(v canon.Value) (pid int, ok bool) {
	f, ok := v.Finite()
	if text, isText := v.Str(); isText {
		var err error
		f, err = strconv.ParseFloat(canon.Trim(text), 64)
		ok = err == nil
	}
	if !ok || f != math.Trunc(f) || f <= 0 || f > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// report holds the main lease to strict level (11 §9).
func (l Leases) report(out *verify.Findings) {
	at := verify.At(LeaseFile, "")
	switch f, integral := l.Main.pid.Integer(); {
	case l.Main.State == LeaseNone || l.Main.State == LeaseUnread:
	case l.Main.State == LeaseMalformed:
		out.Add("lease.malformed", at, verify.What{Found: l.Main.Reason, Expected: "a lease of a bridge process"})
	case !integral || f <= 0:
		out.Add("lease.malformed", verify.At(LeaseFile, "/pid"), verify.What{Found: fmt.Sprintf("the process id %s", verify.Show(l.Main.pid)), Expected: "a whole number above 0"})
	}
}
