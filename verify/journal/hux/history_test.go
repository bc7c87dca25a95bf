package hux

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"finishline/internal/vectors"
)

func history(t *testing.T, data []byte, depth Depth) (*History, *Result) {
	t.Helper()
	h := &History{Depth: depth}
	r, err := Tell(context.Background(), bytes.NewReader(data), Options{}, h)
	must(t, err)
	return h, r
}

// The history of the vectors' sound stream, by hand.
func TestHistory(t *testing.T) {
	data := readFile(t, filepath.Join(vectors.Dir(t, "hux"), "stream-a", "events.ndjson"))
	h, r := history(t, data, Timeline)
	if len(h.Conversations) != 1 || h.Omitted != 0 || r.Tally.Events != 40 {
		t.Fatalf("%+v", h)
	}
	c := h.Conversations[0]
	got := fmt.Sprintf("%s %d events, seq %s to %s, %s to %s, turn %s, spent %s and %s, %d failures", c.ID, c.Events, c.FirstSeq, c.LastSeq, c.FirstTime, c.LastTime, c.LastTurn, c.RunSpend.String(), c.DelegationSpend.String(), c.Failures)
	if want := "conv-a1 40 events, seq 0 to 39, 2026-06-01T08:00:07.5Z to 2026-06-01T08:04:40.5Z, turn 3, spent 0.87 and 0.11, 3 failures"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var spans []string
	for name, list := range map[string][]*Span{"1 run": c.Runs, "2 approval": c.Approvals, "3 delegation": c.Delegations, "4 effect": c.Effects, "5 tool": c.ToolRuns} {
		for _, s := range list {
			spans = append(spans, fmt.Sprintf("%s %s: %q, lines %d to %d, %s by %s", name, s.ID, s.What, s.Opened, s.Closed, s.Outcome, s.ClosedBy))
		}
	}
	for _, want := range []string{
		`1 run run-01: "Run started", lines 4 to 17, ok by agent-a`, `1 run run-02: "Second run", lines 34 to 36, budget by agent-a`, `1 run run-03: "Third run", lines 39 to 40, run.cancelled by u-17`,
		`2 approval ap-1: "Asks to send the mail", lines 13 to 14, granted by u-17`, `3 delegation del-1: "Chart delegated", lines 7 to 8, ok by agent-a`, `3 delegation del-2: "Retry elsewhere", lines 37 to 38, busy by agent-a`,
		`4 effect fx-1: "Sending mail is held", lines 12 to 15, side_effect.released by agent-a`, `5 tool call-1: "Reads the ledger", lines 5 to 6, ok by agent-a`,
	} {
		if !strings.Contains(strings.Join(spans, "\n"), want) {
			t.Errorf("no %s in\n%s", want, strings.Join(spans, "\n"))
		}
	}
	if len(spans) != 8 || len(c.Timeline) != 40 || len(c.Failed) != 3 || c.Failed[0].Kind != "budget.exhausted" {
		t.Errorf("%d spans, %d entries, failed %+v", len(spans), len(c.Timeline), c.Failed)
	}
	if a := c.Artifacts; len(a) != 1 || fmt.Sprintf("%+v", *a[0]) != "{ID:art-1 Created:9 Versions:[1 2] Promoted:[2 to library]}" {
		t.Errorf("artifacts %+v", *a[0])
	}
	if tool := c.Tools["ledger.read"]; tool == nil || tool.Calls != 1 || tool.Results != 1 || tool.Milliseconds.String() != "412" || fmt.Sprint(c.ToolNames()) != "[ledger.read]" {
		t.Errorf("tools %+v", tool)
	}
	if e := c.Timeline[12]; e != (Entry{13, "12", "2026-06-01T08:01:31.5Z", "approval.requested", "Asks to send the mail", "run-01", "ap-1"}) {
		t.Errorf("entry %+v", e)
	}
}

// A history of a damaged stream tells what is sound, and the result what is
// not.
func TestHistoryOfADamagedStream(t *testing.T) {
	data := readFile(t, filepath.Join(vectors.Dir(t, "hux"), "stream-a", "events.ndjson"))
	list := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	list[4] = []byte("{")
	h, r := history(t, joined(list), Timeline)
	c := h.Conversations[0]
	if !r.Skipped || c.Events != 39 || len(c.Runs) != 3 || c.Runs[0].Closed != 17 {
		t.Errorf("%+v, runs %+v", r.Tally, c.Runs[0])
	}
	for _, f := range r.Findings {
		if across(f.Rule) {
			t.Errorf("judged although lines are in error: %+v", f)
		}
	}
}

// What is kept is bounded, and told so.
func TestHistoryIsBounded(t *testing.T) {
	const most = 1000
	data, events := generated(t, 2<<20)
	h := &History{Depth: Timeline, most: most}
	_, err := Tell(context.Background(), bytes.NewReader(data), Options{}, h)
	must(t, err)
	total := 0
	for _, c := range h.Conversations {
		total += len(c.Timeline) + len(c.Runs) + len(c.Approvals) + len(c.Delegations) + len(c.Effects) + len(c.ToolRuns) + len(c.Failed) + len(c.Tools)
	}
	if total > most || total < most*9/10 || h.Omitted == 0 {
		t.Errorf("%d kept of %d events, %d omitted", total, events, h.Omitted)
	}
	counts, _ := history(t, data, Counts)
	calls := 0
	for _, c := range counts.Conversations {
		calls += c.Tools["ledger.read"].Calls
		if len(c.Timeline)+len(c.ToolRuns) > 0 {
			t.Fatal("a timeline was kept")
		}
	}
	if counts.Omitted != 0 || calls < events/8 {
		t.Errorf("%d calls of %d events, %d omitted", calls, events, counts.Omitted)
	}
}
