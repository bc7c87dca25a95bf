package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"finishline/canon"
	"finishline/internal/render"
	"finishline/verify"
	"finishline/verify/journal"
	"finishline/verify/journal/event"
	"finishline/verify/journal/store"
)

type journalShowCmd struct {
	bridgeArg
	PayloadPointer string `name:"payload-pointer" help:"JSON pointer from a line of a Harness v2 journal to its payload, or auto." placeholder:"POINTER"`
	Conversation   string `help:"Only this conversation of a HUX stream." placeholder:"ID"`
}

func (journalShowCmd) Help() string {
	return `Tells of each run of a bridge where its nodes stand, what happened in order, who had to approve what, which artifacts were sealed, and what failed. Times are what the clients wrote. It says above each run whether the run is authenticated; it gives no verdict, that is journal verify.

Of a run whose journal does not verify only the records before the first that fails are shown.

Of a Harness v2 journal it lists the records, and what each task and each attempt took in tokens and cost. Of a HUX stream it tells, conversation by conversation, the events, and how runs, approvals, held effects, delegations and tool runs ended.

Examples:
  finishline journal show run-d303f2ae33f1…
  finishline journal show --run tide-12 --artifact-root /srv/evidence/tide=tide ~/.uash/runs
  finishline journal show run/events.ndjson
  finishline journal show --conversation conv-a1 stream.ndjson`
}

func (c journalShowCmd) Run(s *session) error {
	kind, path, err := journal.Detect(c.Path)
	switch {
	case err != nil:
		return err
	case kind == journal.Harness:
		return s.showHarness(path, c.PayloadPointer, c.outputFlags)
	case kind == journal.HUX:
		return s.showHUX(path, c.Conversation, c.outputFlags)
	case kind != journal.Bridge:
		return usagef("%s is of the kind %s; there is a timeline of a bridge's store, of a Harness v2 journal and of a HUX stream", c.Path, kind)
	}
	res, err := c.read(s, path, store.KeepEvents)
	if err != nil {
		return err
	}
	return s.print(c.outputFlags, showValue(res), func(w io.Writer) {
		for i, r := range res.Runs {
			if i > 0 {
				fmt.Fprintln(w)
			}
			showRun(w, res, r)
		}
	})
}

// showRun tells of one run.
func showRun(w io.Writer, res *store.Result, r *store.Run) {
	fmt.Fprintf(w, "run %s: %s\n", runName(r), heldTo(res, r))
	if n := r.Findings().Errors(); n > 0 {
		fmt.Fprintf(w, "  %s against it (finishline journal verify); the records before the first that fails are shown\n", render.Count(n, "error"))
	}
	for _, u := range r.Unread {
		fmt.Fprintf(w, "  %s\n", shown(u))
	}
	for _, line := range []struct{ name, value string }{
		{"title", text(r.Snapshot, "title")}, {"agent", text(r.Snapshot, "agent")}, {"created", text(r.Snapshot, "createdAt")},
		{"root", shown(r.Root)}, {"status", statusOf(r)}, {"records", fmt.Sprint(r.Records)}, {"head", headText(r)},
	} {
		if line.value != "" {
			fmt.Fprintf(w, "  %-8s %s\n", line.name, line.value)
		}
	}
	if r.State != nil {
		showNodes(w, r.State)
	}
	showEvents(w, r)
	if r.State != nil {
		showApprovals(w, r.State)
		showArtifacts(w, r.State)
	}
}

func statusOf(r *store.Run) string {
	if r.State == nil {
		return ""
	}
	return r.State.Status
}

// maxCell bounds a text from the evidence in a listing, in bytes.
const maxCell = 120

func shown(s string) string { return verify.Print(s, maxCell) }

func text(v canon.Value, name string) string { return shown(canon.UTF8(v.Get(name).Text())) }

// section begins a titled table of what is told of a run; its caller flushes it.
func section(w io.Writer, title string) *tabwriter.Writer {
	fmt.Fprintf(w, "  %s\n", title)
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
}

// row writes a row of an indented table; empty cells at its end are left out.
func row(tab *tabwriter.Writer, cells ...string) {
	for len(cells) > 0 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	fmt.Fprintf(tab, "    %s\n", strings.Join(cells, "\t"))
}

func showNodes(w io.Writer, st *store.State) {
	tab := section(w, "nodes")
	for _, n := range event.Nodes() {
		row(tab, n.ID, st.NodeState(n.ID), whyNode(st, n.ID))
	}
	tab.Flush()
}

// whyNode says why a node failed or was skipped.
func whyNode(st *store.State, id string) string {
	for _, e := range st.Artifacts {
		switch {
		case !e.Get("nodeId").Is(id):
		case e.Get("failed").Truthy():
			return strings.TrimSpace(text(e, "failureReason") + recovery(e))
		case e.Get("skipped").Truthy():
			return text(e, "skipReason")
		default:
			return ""
		}
	}
	return ""
}

func recovery(e canon.Value) string {
	if to := text(e, "recoveryPath"); to != "" {
		return "; to recover: " + to
	}
	return ""
}

func showEvents(w io.Writer, r *store.Run) {
	if len(r.Links) == 0 {
		return
	}
	tab := section(w, "events")
	for i, l := range r.Links {
		ev := l.Event
		row(tab, fmt.Sprint(i), text(ev, "ts"), text(ev, "type"), text(ev, "nodeId"), text(ev, "status"), text(ev, "actor"), said(ev))
	}
	tab.Flush()
}

// said is an event in words: its message, and what it names.
func said(ev canon.Value) string {
	parts := []string{text(ev, "message")}
	for _, m := range []struct{ name, words string }{
		{"artifact", "artifact "}, {"skipReason", "skipped because "}, {"failureReason", "failed because "}, {"recoveryPath", "to recover: "},
		{"approvalScope", "scope "}, {"approvalOwner", "owner "}, {"selfHealPrUrl", "pull request "},
	} {
		if t := text(ev, m.name); t != "" {
			parts = append(parts, m.words+t)
		}
	}
	return strings.Join(parts, "; ")
}

func showApprovals(w io.Writer, st *store.State) {
	if len(st.Approvals) == 0 {
		return
	}
	tab := section(w, "approvals")
	for _, a := range st.Approvals {
		row(tab, text(a, "status"), text(a, "scope"), text(a, "owner"), text(a, "eventId"), text(a, "artifact"))
	}
	tab.Flush()
}

func showArtifacts(w io.Writer, st *store.State) {
	var present []canon.Value
	for _, e := range st.Artifacts {
		if e.Get("present").Truthy() {
			present = append(present, e)
		}
	}
	if len(present) == 0 {
		return
	}
	tab := section(w, "artifacts")
	for _, e := range present {
		path := cmp.Or(text(e, "evidenceArtifact"), text(e, "path"))
		row(tab, path, text(e, "nodeId"), cmp.Or(text(e.Get("verification"), "sha256"), "unchecked"))
	}
	tab.Flush()
}

// showValue is the answer for programs. Texts are as the listing has them.
func showValue(res *store.Result) canon.Value {
	var runs []canon.Value
	for _, r := range res.Runs {
		authenticated, structure := res.Words(r)
		members := []canon.Member{
			member("runId", canon.NewString(r.ID)), member("directory", canon.NewString(r.Dir)),
			member("authenticated", canon.NewString(authenticated)), member("structure", canon.NewString(structure)),
			member("records", canon.NewNumber(float64(r.Records))),
			member("events", eventValues(r)),
		}
		if r.State != nil {
			members = append(members, member("status", canon.NewString(r.State.Status)), member("nodes", nodeValues(r.State)),
				member("approvals", texts(r.State.Approvals, "status", "scope", "owner", "eventId", "artifact", "artifactDigest")),
				member("artifacts", artifactValues(r.State)))
		}
		runs = append(runs, canon.Build(members...))
	}
	return canon.NewArray(runs...)
}

func eventValues(r *store.Run) canon.Value {
	var events []canon.Value
	for _, l := range r.Links {
		events = append(events, l.Event)
	}
	return texts(events, "id", "ts", "type", "nodeId", "status", "actor", "message", "artifact", "skipReason", "failureReason", "recoveryPath", "approvalScope", "approvalOwner", "selfHealPrUrl")
}

// texts picks the texts of those names that are there.
func texts(list []canon.Value, names ...string) canon.Value {
	out := make([]canon.Value, len(list))
	for i, v := range list {
		var members []canon.Member
		for _, n := range names {
			if t := text(v, n); t != "" {
				members = append(members, member(n, canon.NewString(t)))
			}
		}
		out[i] = canon.Build(members...)
	}
	return canon.NewArray(out...)
}

func nodeValues(st *store.State) canon.Value {
	var nodes []canon.Value
	for _, n := range event.Nodes() {
		members := []canon.Member{member("node", canon.NewString(n.ID)), member("state", canon.NewString(st.NodeState(n.ID)))}
		if why := whyNode(st, n.ID); why != "" {
			members = append(members, member("why", canon.NewString(why)))
		}
		nodes = append(nodes, canon.Build(members...))
	}
	return canon.NewArray(nodes...)
}

func artifactValues(st *store.State) canon.Value {
	var list []canon.Value
	for _, e := range st.Artifacts {
		list = append(list, canon.Build(
			member("path", canon.NewString(text(e, "path"))), member("nodeId", canon.NewString(text(e, "nodeId"))),
			member("present", canon.NewBool(e.Get("present").Truthy())), member("required", canon.NewBool(e.Get("required").Truthy())),
			member("sha256", canon.NewString(text(e.Get("verification"), "sha256"))),
		))
	}
	return canon.NewArray(list...)
}
