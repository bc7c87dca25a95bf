package finish

import (
	"finishline/canon"
	"finishline/privacy"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A Journal is what is known of a run besides its documents: its id, and its
// approval records as they are after all its events (07 §8.4). A record that
// is no object backs nothing.
type Journal struct {
	// RunID is the id under which the run was recorded; "" leaves out the two
	// rules that compare it.
	RunID     string
	Approvals []canon.Value
	// Artifacts are the entries of its artifact ledger, nil when it is not at
	// hand: those that are required belong to the privacy scan (10 §11).
	Artifacts []privacy.BridgeArtifact
}

// CheckBindings binds the documents of a run to its journal (09 §5, step 6):
// route and goal are of this run, the route was approved as it is now, every
// waiver and every approval in the domain assurance is backed by a granted
// approval of the run. It adds what fails to out, whose table is
// [BindingTable].
func CheckBindings(out *verify.Findings, root *evidence.Root, journal Journal) {
	b := binder{out: out, root: root, journal: journal}
	before := out.Errors()
	route, goal, waivers, domain := b.read(routePath), b.read(goalPath), b.read(evidence.WaiverPath), b.read(domainPath)
	if out.Errors() > before {
		return
	}
	b.walkable(waivers, waivers.Node, "waivers")
	b.walkable(domain, domain.Node, "packs", "controls", "evidence")
	if out.Errors() > before {
		return
	}
	b.runID("finish.route.run-id", route, route.At("runId"))
	b.runID("finish.goal.run-id", goal, goal.At("goalId"))
	if !b.grants(route)[grantOf(canon.NewString("route"), canon.Value{})] {
		out.Add("finish.route.approval-missing", verify.At(route.path, ""), verify.What{
			Found: "no granted approval for these bytes", Expected: "an approval with scope route and artifactDigest " + route.sha256})
	}
	evidence.CorrelateWaivers(out, waivers.path, waivers.At("waivers"), journal.Approvals)
	b.domain(domain)
}

type binder struct {
	out     *verify.Findings
	root    *evidence.Root
	journal Journal
}

func (b *binder) read(path string) *paper {
	p, _, at, what := readPaper(b.root, b.out.Level(), path)
	if p == nil {
		b.out.Add("finish.binding.unreadable", at, what)
	}
	return p
}

// walkable demands that a member is a list without null, and so on for its
// elements. A falsy member is an empty list.
func (b *binder) walkable(p *paper, n canon.Node, names ...string) {
	list := n.At(names[0])
	if list.Truthy() && !list.IsArray() {
		b.out.Add("finish.binding.unreadable", verify.At(p.path, list.Pointer), verify.What{Found: verify.Show(list.Value), Expected: "an array"})
	}
	for e := range list.All() {
		if e.IsNull() {
			b.out.Add("finish.binding.unreadable", verify.At(p.path, e.Pointer), verify.What{Found: "null", Expected: "an object"})
		} else if len(names) > 1 {
			b.walkable(p, e, names[1:]...)
		}
	}
}

func (b *binder) runID(rule string, p *paper, n canon.Node) {
	if want := b.journal.RunID; want != "" && !n.Is(want) {
		b.out.Add(rule, verify.At(p.path, n.Pointer), verify.What{Found: verify.Show(n.Value), Expected: verify.Quote(want) + ", the id of the run"})
	}
}

// A grant is a scope and an event that an approval was granted with, as texts
// that two scalars share exactly when they are the same.
type grant struct{ scope, event string }

// grants are the granted approvals of a document's very bytes.
func (b *binder) grants(p *paper) map[grant]bool {
	list := map[grant]bool{}
	for _, r := range b.journal.Approvals {
		scope, event := r.Get("scope"), r.Get("eventId")
		if r.Get("status").Is("granted") && isScalar(scope) && r.Get("artifact").Is(p.path) && r.Get("artifactDigest").Is(p.sha256) {
			list[grantOf(scope, event)] = true
			list[grantOf(scope, canon.Value{})] = true
		}
	}
	return list
}

func grantOf(scope, event canon.Value) grant {
	return grant{string(canon.Compact(scope)), string(canon.Compact(event))}
}

func isScalar(v canon.Value) bool { return v.Present() && !v.IsArray() && !v.IsObject() }

// domain demands that every approval among the evidence of the domain controls
// names an event of the journal.
func (b *binder) domain(p *paper) {
	const rule = "finish.domain.approval-uncorrelated"
	granted := b.grants(p)
	check := func(item canon.Node) {
		scope, event := item.Get("scope"), item.Get("bridgeEventId")
		if !item.Get("type").Is(evidence.TypeApproval) || isScalar(scope) && isScalar(event) && granted[grantOf(scope, event)] {
			return
		}
		b.out.Add(rule, verify.At(p.path, item.Pointer), verify.What{
			Found:    "event " + verify.Show(event) + ", scope " + verify.Show(scope),
			Expected: "a granted approval of the run with this event and scope, for the bytes " + p.sha256})
	}
	for pack := range p.At("packs").All() {
		for control := range pack.At("controls").All() {
			for item := range control.At("evidence").All() {
				check(item)
			}
		}
	}
}
