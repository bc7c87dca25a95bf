package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/internal/render"
	"finishline/verify"
	"finishline/verify/journal/hux"
	"finishline/verify/journal/lines"
)

// history reads a HUX stream for a listing. A conversation that the stream does
// not have is an error, not an empty listing.
func (s *session) history(path, conversation string, depth hux.Depth, output outputFlags) (*hux.History, *hux.Result, error) {
	f, size, err := lines.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	b := s.bar(size, output.Quiet)
	defer b.stop()
	h := &hux.History{Depth: depth}
	r, err := hux.Tell(s.ctx, f, hux.Options{Name: path, Conversation: conversation, Lines: lines.Options{Progress: b.set}}, h)
	if err == nil && conversation != "" && r.Tally.Events == 0 {
		err = fmt.Errorf("%s: no event of the conversation %.120q", path, conversation)
	}
	return h, r, err
}

// showHUX tells what happened in each conversation of a HUX stream, or in one
// of them.
func (s *session) showHUX(path, conversation string, output outputFlags) error {
	h, r, err := s.history(path, conversation, hux.Timeline, output)
	if err != nil {
		return err
	}
	return s.print(output, huxValue(h, r), func(w io.Writer) {
		printStreamHead(w, h, r)
		for _, c := range h.Conversations {
			printConversation(w, c)
			printSpans(w, "runs", c.Runs)
			printTimeline(w, c)
			printSpans(w, "approvals", c.Approvals)
			printSpans(w, "held effects", c.Effects)
			printSpans(w, "delegations", c.Delegations)
			printSpans(w, "tool runs", c.ToolRuns)
			printMade(w, c)
			printFailed(w, c)
		}
	})
}

// statsHUX counts what is in a HUX stream.
func (s *session) statsHUX(path, conversation string, output outputFlags) error {
	h, r, err := s.history(path, conversation, hux.Counts, output)
	if err != nil {
		return err
	}
	return s.print(output, huxValue(h, r), func(w io.Writer) {
		printStreamHead(w, h, r)
		for _, c := range h.Conversations {
			printConversation(w, c)
			label := "kinds"
			for _, k := range kindsByCount(c.Kinds) {
				fmt.Fprintf(w, "  %-9s %6d  %s\n", label, c.Kinds[k], k)
				label = ""
			}
			label = "tools"
			for _, name := range c.ToolNames() {
				fmt.Fprintf(w, "  %-9s %6d  %s\n", label, c.Tools[name].Calls, cmp.Or(shown(name), "without a name")+toolText(c.Tools[name]))
				label = ""
			}
			fmt.Fprintf(w, "  %-9s %s USD by runs, %s USD by delegations, as the events say\n", "spent", c.RunSpend.String(), c.DelegationSpend.String())
		}
	})
}

// printStreamHead says what the listing rests on.
func printStreamHead(w io.Writer, h *hux.History, r *hux.Result) {
	fmt.Fprintf(w, "HUX stream: %s in %s; not signed, not verified here\n", render.Count(r.Tally.Events, "event"), render.Count(len(h.Conversations), "conversation"))
	if n := len(verify.RuleIDs(r.Findings, verify.Error)); n > 0 {
		fmt.Fprintf(w, "  finishline journal verify finds %s broken; what is in error is left out\n", render.Count(n, "rule"))
	}
	if r.Torn {
		fmt.Fprintln(w, "  the last line is no complete event")
	}
	if r.Tally.Others > 0 {
		fmt.Fprintf(w, "  %s of other conversations\n", render.Count(r.Tally.Others, "event"))
	}
	if h.Omitted > 0 {
		fmt.Fprintf(w, "  %d further entries are left out; no more than %d are kept\n", h.Omitted, hux.MaxEntries)
	}
}

func printConversation(w io.Writer, c *hux.Conversation) {
	fmt.Fprintf(w, "conversation %s: %s, seq %s to %s, lines %d to %d\n", shown(c.ID), render.Count(c.Events, "event"), c.FirstSeq, c.LastSeq, c.FirstLine, c.LastLine)
	fmt.Fprintf(w, "  %-9s %s to %s, as the events say\n", "times", shown(c.FirstTime), shown(c.LastTime))
	if c.Failures > 0 {
		fmt.Fprintf(w, "  %-9s %d\n", "failures", c.Failures)
	}
}

func printSpans(w io.Writer, title string, spans []*hux.Span) {
	if len(spans) == 0 {
		return
	}
	tab := section(w, title)
	for _, sp := range spans {
		row(tab, cmp.Or(shown(sp.ID), "without an id"), spanText(sp), shown(sp.What))
	}
	tab.Flush()
}

// spanText says how a span ended, and who ended it.
func spanText(sp *hux.Span) string {
	if sp.Closed == 0 {
		return fmt.Sprintf("open since line %d", sp.Opened)
	}
	text := fmt.Sprintf("%s, lines %d to %d", shown(sp.Outcome), sp.Opened, sp.Closed)
	if sp.ClosedBy != "" {
		text += " by " + shown(sp.ClosedBy)
	}
	if sp.ClosedAgain > 0 {
		text += ", ended " + render.Count(sp.ClosedAgain+1, "time")
	}
	return text
}

func printTimeline(w io.Writer, c *hux.Conversation) {
	tab := section(w, "events")
	for i, e := range c.Timeline {
		if i == maxEntries {
			row(tab, fmt.Sprintf("and %d more", len(c.Timeline)-i))
			break
		}
		row(tab, e.Seq, shown(e.Time), e.Kind, strings.TrimSpace(shown(e.Run)+" "+shown(e.Subject)), shown(e.Summary))
	}
	tab.Flush()
}

func printMade(w io.Writer, c *hux.Conversation) {
	if len(c.Artifacts) == 0 {
		return
	}
	tab := section(w, "artifacts")
	for _, a := range c.Artifacts {
		created := "created before this file"
		if a.Created > 0 {
			created = fmt.Sprintf("created in line %d", a.Created)
		}
		row(tab, shown(a.ID), created, listed("versions ", a.Versions), listed("promoted ", a.Promoted))
	}
	tab.Flush()
}

// listed joins texts after a word, if there are any.
func listed(word string, texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return word + shown(strings.Join(texts, ", "))
}

func printFailed(w io.Writer, c *hux.Conversation) {
	if len(c.Failed) == 0 {
		return
	}
	tab := section(w, "failed")
	for _, e := range c.Failed {
		row(tab, e.Seq, e.Kind, strings.TrimSpace(shown(e.Run)+" "+shown(e.Subject)), shown(e.Summary))
	}
	tab.Flush()
}

func toolText(t *hux.ToolCount) string {
	text := fmt.Sprintf(", %s, %d failed", render.Count(t.Results, "result"), t.Failures)
	if !t.Milliseconds.Zero() {
		text += ", " + t.Milliseconds.String() + " ms in all"
	}
	return text
}

// kindsByCount are kinds, the most frequent first.
func kindsByCount(n map[string]int) []string {
	return slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b))
	})
}

// huxValue is the answer for programs. Texts are as the listing has them, and
// numbers that may be of any size are texts.
func huxValue(h *hux.History, r *hux.Result) canon.Value {
	conversations := []canon.Value{}
	for _, c := range h.Conversations {
		conversations = append(conversations, conversationValue(c, h.Depth))
	}
	return canon.Build(
		member("events", whole(r.Tally.Events)), member("eventsOfOthers", whole(r.Tally.Others)), member("torn", canon.NewBool(r.Torn)),
		member("errors", canon.NewArray(textValues(verify.RuleIDs(r.Findings, verify.Error))...)), member("omitted", whole(h.Omitted)),
		member("conversations", canon.NewArray(conversations...)),
	)
}

func conversationValue(c *hux.Conversation, depth hux.Depth) canon.Value {
	var kinds, tools []canon.Member
	for _, k := range kindsByCount(c.Kinds) {
		kinds = append(kinds, member(k, whole(c.Kinds[k])))
	}
	for _, name := range c.ToolNames() {
		t := c.Tools[name]
		tools = append(tools, member(shown(name), canon.Build(member("calls", whole(t.Calls)), member("results", whole(t.Results)),
			member("failures", whole(t.Failures)), member("milliseconds", canon.NewString(t.Milliseconds.String())))))
	}
	members := []canon.Member{
		member("conversationId", canon.NewString(shown(c.ID))), member("events", whole(c.Events)),
		member("firstSeq", canon.NewString(c.FirstSeq)), member("lastSeq", canon.NewString(c.LastSeq)),
		member("firstLine", whole(c.FirstLine)), member("lastLine", whole(c.LastLine)),
		member("firstTime", canon.NewString(shown(c.FirstTime))), member("lastTime", canon.NewString(shown(c.LastTime))),
		member("failures", whole(c.Failures)), member("runSpendUsd", canon.NewString(c.RunSpend.String())),
		member("delegationSpendUsd", canon.NewString(c.DelegationSpend.String())),
		member("kinds", canon.Build(kinds...)), member("tools", canon.Build(tools...)),
	}
	if depth == hux.Timeline {
		members = append(members, member("runs", spanValues(c.Runs)), member("approvals", spanValues(c.Approvals)), member("heldEffects", spanValues(c.Effects)),
			member("delegations", spanValues(c.Delegations)), member("toolRuns", spanValues(c.ToolRuns)), member("artifacts", madeValues(c.Artifacts)),
			member("failed", timelineValues(c.Failed)), member("timeline", timelineValues(c.Timeline)))
	}
	return canon.Build(members...)
}

func whole(n int) canon.Value { return canon.NewNumber(float64(n)) }

// textValues are texts as values.
func textValues(list []string) []canon.Value {
	values := make([]canon.Value, len(list))
	for i, text := range list {
		values[i] = canon.NewString(shown(text))
	}
	return values
}

// named are members with texts; empty ones are left out.
func named(pairs ...string) []canon.Member {
	var members []canon.Member
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			members = append(members, member(pairs[i], canon.NewString(shown(pairs[i+1]))))
		}
	}
	return members
}

func spanValues(spans []*hux.Span) canon.Value {
	values := []canon.Value{}
	for _, sp := range spans {
		members := append(named("id", sp.ID, "summary", sp.What, "openedTime", sp.OpenedTime, "closedTime", sp.ClosedTime, "outcome", sp.Outcome, "closedBy", sp.ClosedBy),
			member("openedLine", whole(sp.Opened)))
		if sp.Closed > 0 {
			members = append(members, member("closedLine", whole(sp.Closed)), member("closedAgain", whole(sp.ClosedAgain)))
		}
		values = append(values, canon.Build(members...))
	}
	return canon.NewArray(values...)
}

func madeValues(list []*hux.Artifact) canon.Value {
	values := []canon.Value{}
	for _, a := range list {
		values = append(values, canon.Build(append(named("id", a.ID), member("createdLine", whole(a.Created)),
			member("versions", canon.NewArray(textValues(a.Versions)...)), member("promoted", canon.NewArray(textValues(a.Promoted)...)))...))
	}
	return canon.NewArray(values...)
}

func timelineValues(list []hux.Entry) canon.Value {
	values := []canon.Value{}
	for _, e := range list {
		values = append(values, canon.Build(append(named("seq", e.Seq, "time", e.Time, "kind", e.Kind, "summary", e.Summary, "runId", e.Run, "subject", e.Subject), member("line", whole(e.Line)))...))
	}
	return canon.NewArray(values...)
}
