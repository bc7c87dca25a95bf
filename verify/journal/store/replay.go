package store

import (
	"path"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify/journal/event"
)

// Run statuses (11 §3.3).
const (
	StatusRunning  = "running"
	StatusApproval = "approval"
	StatusBlocked  = "blocked"
	StatusComplete = "complete"
)

// A State is what a run comes to: the projection of its events (11 §5).
type State struct {
	Status    string
	Mode      string
	Source    string
	Node      string        // current node
	Approvals []canon.Value // records
	Artifacts []canon.Value // entries
	// SelfHealOpen says that the last self-heal detection has no proposal.
	SelfHealOpen bool
	// Events is how many were applied.
	Events int

	last   canon.Value // event
	policy canon.Value
	root   string // under which the artifacts are
}

// base is the state of a run without events under an adapter policy, which may
// be absent (11 §5.1).
func base(policy canon.Value) *State {
	s := &State{Status: StatusRunning, Approvals: []canon.Value{}, policy: policy}
	required := policy.Get("requiredNodes")
	for _, n := range event.Nodes() {
		needed := n.ID == event.NodeProve || n.ID == event.NodeHandoff || !required.IsArray() ||
			slices.ContainsFunc(required.Elems(), func(v canon.Value) bool { return v.Is(n.ID) })
		s.Artifacts = append(s.Artifacts, newEntry(configuredPath(policy, n), n, needed))
	}
	return s
}

func configuredPath(policy canon.Value, n event.Node) string {
	if own := policy.Get("artifactByNode").Get(n.ID).Text(); canon.Trim(own) != "" {
		return own
	}
	return n.Artifact
}

func newEntry(path string, n event.Node, required bool) canon.Value {
	return canon.Build(
		canon.Member{Name: "path", Value: canon.NewString(path)},
		canon.Member{Name: "label", Value: canon.NewString(n.Label)},
		canon.Member{Name: "nodeId", Value: canon.NewString(n.ID)},
		canon.Member{Name: "required", Value: canon.NewBool(required)},
		canon.Member{Name: "present", Value: canon.NewBool(false)},
	)
}

// A past is what matters of a snapshot's events once they are known to be those
// of the journal.
type past struct {
	events       int
	last         canon.Value
	selfHealOpen bool
	// projected is the base with all of them applied; nil until somebody asks
	// for it, where the events are still there.
	projected *State
}

// pastOf goes through the events of a snapshot.
func pastOf(events []canon.Value) *past {
	p := &past{}
	for _, ev := range events {
		p.add(ev)
	}
	return p
}

func (p *past) add(ev canon.Value) {
	p.events++
	p.last = ev
	p.selfHealOpen = selfHealAfter(p.selfHealOpen, ev)
	if p.projected != nil {
		p.projected.apply(ev)
	}
}

// ofSnapshot is the state that a snapshot states, with that past. Its artifacts
// count only where the caller says so: after a recovered first-event seal they
// start anew.
func ofSnapshot(snapshot, policy canon.Value, artifacts stated, p *past) *State {
	s := base(policy)
	s.Status = snapshot.Get("status").Text()
	s.Mode, s.Source, s.Node = snapshot.Get("mode").Text(), snapshot.Get("eventSource").Text(), snapshot.Get("currentNodeId").Text()
	s.Approvals = statedApprovals(snapshot)
	if list := snapshot.Get("artifacts"); artifacts == keepStated && list.Len() > 0 && list.IsArray() {
		s.Artifacts = slices.Clone(list.Elems())
	}
	s.Events, s.last, s.SelfHealOpen = p.events, p.last, p.selfHealOpen
	return s
}

type stated int

const (
	keepStated stated = iota
	dropStated
)

// statedApprovals reads the approvals of a snapshot; a text is a record of an
// older layout (11 §5).
func statedApprovals(snapshot canon.Value) []canon.Value {
	list := []canon.Value{}
	for _, a := range snapshot.Get("approvals").Elems() {
		if scope, ok := a.Str(); ok {
			a = canon.Build(
				canon.Member{Name: "scope", Value: canon.NewString(scope)},
				canon.Member{Name: "status", Value: canon.NewString("granted")},
				canon.Member{Name: "owner", Value: canon.NewString("unknown")},
				canon.Member{Name: "migratedFromLegacy", Value: canon.NewBool(true)},
			)
		}
		list = append(list, a)
	}
	return list
}

// apply applies one event (11 §5.2).
func (s *State) apply(ev canon.Value) {
	for _, m := range []struct {
		name string
		to   *string
	}{{"runMode", &s.Mode}, {"eventSource", &s.Source}, {"nodeId", &s.Node}} {
		if text := ev.Get(m.name).Text(); text != "" {
			*m.to = text
		}
	}
	s.move(ev)
	s.Events++
	s.approve(ev)
	s.enter(ev)
	s.SelfHealOpen = selfHealAfter(s.SelfHealOpen, ev)
	s.last = ev
	s.Status = statusAfter(ev, s.Approvals)
}

// move takes over the artifact root that an event carries (11 §5.2). What a
// relative one means only the bridge knew, and a path of another kind of system
// cannot be compared here; then the root stays (11 §4.3).
func (s *State) move(ev canon.Value) {
	if root := ev.Get("artifactRoot").Text(); strings.HasPrefix(root, "/") {
		s.root = path.Clean(root)
	}
}

func (s *State) approve(ev canon.Value) {
	t, status := ev.Get("type"), "pending"
	switch {
	case t.Is(event.ApprovalGranted):
		status = "granted"
	case t.Is(event.ApprovalDenied):
		status = "denied"
	case t.Is(event.ApprovalRequested), ev.Get("status").Is("needs_approval"):
	default:
		return
	}
	scope, owner := ev.Get("approvalScope"), ev.Get("approvalOwner")
	record := edit{}
	i := slices.IndexFunc(s.Approvals, func(a canon.Value) bool {
		return canon.Same(a.Get("scope"), scope) && canon.Same(a.Get("owner"), owner)
	})
	if i >= 0 {
		record = slices.Clone(s.Approvals[i].Members())
	}
	record.set("scope", scope)
	record.set("owner", owner)
	record.set("nodeId", ev.Get("nodeId"))
	record.set("status", canon.NewString(status))
	record.set("eventId", ev.Get("id"))
	record.set("artifact", ev.Get("artifact"))
	if sum := ev.Get("artifactVerification").Get("sha256"); status == "granted" && ev.Get("artifact").Truthy() && sum.Present() {
		record.set("artifactDigest", sum)
	}
	if i >= 0 {
		s.Approvals[i] = canon.Build(record...)
	} else {
		s.Approvals = append(s.Approvals, canon.Build(record...))
	}
}

// enter updates the artifact ledger.
func (s *State) enter(ev canon.Value) {
	target := s.target(ev)
	if !slices.ContainsFunc(s.Artifacts, func(e canon.Value) bool { return canon.Same(e.Get("path"), target) }) {
		n, _ := event.NodeOf(ev.Get("nodeId").Text())
		s.Artifacts = append(s.Artifacts, newEntry(target.Text(), n, true))
	}
	for i, e := range s.Artifacts {
		if canon.Same(e.Get("path"), target) {
			s.Artifacts[i] = effect(e, ev)
		}
	}
}

// target is the path of the entry that an event is about.
func (s *State) target(ev canon.Value) canon.Value {
	if ev.Get("type").Is(event.ArtifactWritten) {
		return ev.Get("artifact")
	}
	id := ev.Get("nodeId")
	for _, e := range s.Artifacts {
		if canon.Same(e.Get("nodeId"), id) {
			return e.Get("path")
		}
	}
	n, _ := event.NodeOf(id.Text())
	return canon.NewString(configuredPath(s.policy, n))
}

// effect is an entry after an event.
func effect(entry, ev canon.Value) canon.Value {
	e := edit(slices.Clone(entry.Members()))
	t, status := ev.Get("type"), ev.Get("status")
	claim := ev.Get("artifactVerification")
	switch {
	case t.Is(event.NodeSkipped), status.Is("skipped"):
		e.mark("skipped")
		e.set("skipReason", canon.FirstTruthy(ev.Get("skipReason"), ev.Get("message")))
		e.set("evidenceArtifact", ev.Get("artifact"))
	case t.Is(event.NodeFailed), status.Is("failed"), status.Is("blocked"):
		e.mark("failed")
		e.set("failureReason", canon.FirstTruthy(ev.Get("failureReason"), ev.Get("message")))
		e.set("recoveryPath", ev.Get("recoveryPath"))
		e.set("evidenceArtifact", ev.Get("artifact"))
	case t.Is(event.ArtifactWritten):
		e.mark("present")
		e.set("evidenceArtifact", ev.Get("artifact"))
		e.set("verification", claim)
	case t.Is(event.ApprovalGranted) && ev.Get("nodeId").Is(event.NodeRedzone):
		e.mark("present")
		e.set("evidenceArtifact", canon.FirstTruthy(ev.Get("artifact"), entry.Get("path")))
		if !claim.IsObject() {
			claim = stub
		}
		claim = canon.With(claim, "source", canon.NewString("human-approval-event"))
		e.set("verification", canon.With(claim, "eventId", ev.Get("id")))
	default:
		return entry
	}
	return canon.Build(e...)
}

// stub stands for the claim of a grant that sealed none.
var stub = canon.Build(canon.Member{Name: "checked", Value: canon.NewBool(false)}, canon.Member{Name: "exists", Value: canon.NewBool(false)})

// grantMembers are what a grant adds to its claim.
var grantMembers = []string{"source", "eventId"}

// isStub reports whether a claim in an entry comes from a grant without one.
func isStub(claim canon.Value) bool {
	return claim.Get("source").Present() && canon.Same(without(claim, grantMembers...), stub)
}

// An edit is an object under change. Setting an absent value removes a member.
type edit []canon.Member

func (e *edit) set(name string, v canon.Value) {
	i := slices.IndexFunc(*e, func(m canon.Member) bool { return m.Name == name })
	switch {
	case !v.Present() && i >= 0:
		*e = slices.Delete(*e, i, i+1)
	case !v.Present():
	case i >= 0:
		(*e)[i].Value = v
	default:
		*e = append(*e, canon.Member{Name: name, Value: v})
	}
}

// mark sets the three flags of an entry, of which one holds.
func (e *edit) mark(flag string) {
	for _, name := range []string{"present", "skipped", "failed"} {
		e.set(name, canon.NewBool(name == flag))
	}
}

// selfHealAfter reports whether a detection is still without a proposal after an
// event.
func selfHealAfter(open bool, ev canon.Value) bool {
	switch t := ev.Get("type"); {
	case t.Is(event.SelfHealDetected):
		return true
	case t.Is(event.SelfHealOpened), t.Is(event.SelfHealProposed):
		return false
	}
	return open
}

// statusAfter derives the status of a run from its last event and its approvals
// (11 §5.3). Without events, last is absent.
func statusAfter(last canon.Value, approvals []canon.Value) string {
	t, status := last.Get("type"), last.Get("status")
	switch {
	case !last.Present():
		return StatusRunning
	case t.Is(event.ApprovalRequested), status.Is("needs_approval"):
		return StatusApproval
	case t.Is(event.ApprovalDenied), t.Is(event.RunBlocked), t.Is(event.NodeFailed), status.Is("blocked"), status.Is("failed"):
		return StatusBlocked
	case t.Is(event.RunCompleted):
		return StatusComplete
	case slices.ContainsFunc(approvals, unresolved):
		return StatusApproval
	}
	return StatusRunning
}

// unresolved reports whether an approval keeps the run from completing.
func unresolved(a canon.Value) bool {
	return a.Get("status").Is("pending") || a.Get("status").Is("denied")
}

// Node states (13 §8).
const (
	NodePassed        = "passed"
	NodeActive        = "active"
	NodeFailed        = "failed"
	NodeSkipped       = "skipped"
	NodePending       = "pending"
	NodeNeedsApproval = "needs_approval"
)

// NodeState derives the one state of a node from the artifact ledger and the
// approvals, never from what an event claims (13 §8).
func (s *State) NodeState(id string) string {
	i := slices.IndexFunc(s.Artifacts, func(e canon.Value) bool { return e.Get("nodeId").Is(id) })
	var entry canon.Value
	if i >= 0 {
		entry = s.Artifacts[i]
	}
	waits := func(a canon.Value) bool { return unresolved(a) && a.Get("nodeId").Is(id) }
	current := s.Node
	if current == "" {
		current = "intake"
	}
	switch {
	case entry.Get("failed").Truthy():
		return NodeFailed
	case entry.Get("skipped").Truthy():
		return NodeSkipped
	case slices.ContainsFunc(s.Approvals, waits):
		return NodeNeedsApproval
	case entry.Get("present").Truthy():
		return NodePassed
	case current == id && s.Status != StatusComplete:
		return NodeActive
	}
	return NodePending
}
