package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"finishline/canon"
	"finishline/internal/render"
	"finishline/verify/journal/harness"
	"finishline/verify/journal/lines"
)

// harnessFlags are the options of contract 20, section 1.
type harnessFlags struct {
	PayloadPointer  string  `name:"payload-pointer" help:"JSON pointer from a line to its payload, or auto; the line itself unless given." placeholder:"POINTER" group:"A Harness v2 journal"`
	SeqPointer      *string `name:"seq-pointer" help:"JSON pointer to the sequence number of a line." placeholder:"POINTER" group:"A Harness v2 journal"`
	TsPointer       *string `name:"ts-pointer" help:"JSON pointer to the timestamp of a line." placeholder:"POINTER" group:"A Harness v2 journal"`
	PrevHashPointer *string `name:"prev-hash-pointer" help:"JSON pointer to the SHA-256 of the line before." placeholder:"POINTER" group:"A Harness v2 journal"`
	MaxLineBytes    int     `name:"max-line-bytes" help:"The longest accepted line." default:"0" placeholder:"N" group:"A Harness v2 journal"`
	StrictTail      bool    `name:"strict-tail" help:"A torn or unterminated tail is an error." group:"A Harness v2 journal"`
	RequireTerminal bool    `name:"require-terminal" help:"A run without an end is an error." group:"A Harness v2 journal"`
	RunDir          string  `name:"run-dir" help:"The directory with the files that the journal names; they are checked too." placeholder:"DIR" group:"A Harness v2 journal"`
}

func (f harnessFlags) used() bool { return f != harnessFlags{} }

func (f harnessFlags) options() harness.Options {
	o := harness.Options{Payload: f.PayloadPointer, Seq: f.SeqPointer, Timestamp: f.TsPointer, PrevHash: f.PrevHashPointer, MaxLine: f.MaxLineBytes, RunDir: f.RunDir}
	if f.StrictTail {
		o.Demand |= harness.StrictTail
	}
	if f.RequireTerminal {
		o.Demand |= harness.Terminal
	}
	return o
}

// overview reads a Harness v2 journal for a listing; tell gets every record.
func (s *session) overview(path string, pointer string, output outputFlags, tell func(harness.Entry) error) (*harness.Overview, error) {
	f, size, err := lines.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := s.bar(size, output.Quiet)
	defer b.stop()
	return harness.Show(s.ctx, f, harness.Options{Path: path, Payload: pointer, Progress: b.set}, tell)
}

// maxEntries bounds the records of a timeline that are listed; the others are
// counted.
const maxEntries = 10000

func (s *session) showHarness(path, pointer string, output outputFlags) error {
	var entries []harness.Entry
	o, err := s.overview(path, pointer, output, func(e harness.Entry) error {
		if len(entries) < maxEntries {
			entries = append(entries, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	value := canon.Build(append(overviewMembers(o), member("entries", entryValues(entries)))...)
	return s.print(output, value, func(w io.Writer) {
		printHead(w, o)
		tab := section(w, "records")
		for _, e := range entries {
			row(tab, fmt.Sprint(e.Line), e.Kind, strings.TrimSpace(strings.Join([]string{e.Task, e.Phase, e.Attempt}, " ")), entryText(e))
		}
		tab.Flush()
		if more := o.Records - o.Bad - len(entries); more > 0 {
			fmt.Fprintf(w, "    and %d more\n", more)
		}
		printTasks(w, o)
	})
}

func entryText(e harness.Entry) string {
	if e.Ignored {
		return strings.TrimSpace(e.Text + " (after the end of the run)")
	}
	return e.Text
}

func printHead(w io.Writer, o *harness.Overview) {
	fmt.Fprintf(w, "run %s: not signed, not verified here\n", cmp.Or(o.RunID, "without an id"))
	for _, line := range []struct{ name, value string }{
		{"plan", o.Plan}, {"state", o.State}, {"ended", o.Ended}, {"lines", fmt.Sprintf("%d, %d records, %d blank", o.Lines, o.Records, o.Blank)},
	} {
		if line.value != "" {
			fmt.Fprintf(w, "  %-9s %s\n", line.name, line.value)
		}
	}
	if o.Stretches > 1 {
		fmt.Fprintf(w, "  %-9s %d times\n", "opened", o.Stretches)
	}
	if o.Bad > 0 {
		fmt.Fprintf(w, "  %-9s %d lines that finishline journal verify refuses, the first is line %d\n", "left out", o.Bad, o.FirstBad)
	}
	if o.Torn {
		fmt.Fprintf(w, "  %-9s the last line is no complete record\n", "torn")
	}
	if !o.Resolved {
		fmt.Fprintf(w, "  %-9s no payload was found; give --payload-pointer\n", "payload")
	}
}

// printTasks prints what each task and each attempt cost.
func printTasks(w io.Writer, o *harness.Overview) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(o.Tasks) > 0 {
		fmt.Fprintln(w, "  tasks")
		for _, t := range o.Tasks {
			row(tab, cmp.Or(t.ID, t.Name), cmp.Or(t.Status, "open"), render.Count(t.Attempts, "attempt"), usage(t.Usage))
		}
		tab.Flush()
	}
	if len(o.Attempts) > 0 {
		fmt.Fprintln(w, "  attempts")
		for _, a := range o.Attempts {
			row(tab, a.ID, strings.TrimSpace(a.Task+" "+a.Phase), a.Seat, a.Model, cmp.Or(a.Reply, "no reply"), usage(a.Usage))
		}
		tab.Flush()
	}
	fmt.Fprintf(w, "  total     %s\n", usage(o.Total))
}

// usage says what was used. What is not known is not counted as nothing.
func usage(u harness.Usage) string {
	text := fmt.Sprintf("%s in, %s out, %s cached, %s USD", u.Input.String(), u.Output.String(), u.Cached.String(), u.Cost.String())
	if u.Partial > 0 {
		text += fmt.Sprintf(", %d by heartbeats only", u.Partial)
	}
	if u.Unknown > 0 {
		text += fmt.Sprintf(", %d unknown", u.Unknown)
	}
	return text
}

func overviewMembers(o *harness.Overview) []canon.Member {
	n := func(i int) canon.Value { return canon.NewNumber(float64(i)) }
	var kinds []canon.Member
	for _, k := range o.Kinds {
		kinds = append(kinds, member(k.Kind, n(k.Count)))
	}
	tasks := []canon.Value{}
	for _, t := range o.Tasks {
		tasks = append(tasks, canon.Build(member("taskId", canon.NewString(t.ID)), member("name", canon.NewString(t.Name)), member("status", canon.NewString(t.Status)),
			member("attempts", n(t.Attempts)), member("usage", usageValue(t.Usage))))
	}
	attempts := []canon.Value{}
	for _, a := range o.Attempts {
		attempts = append(attempts, canon.Build(member("attemptId", canon.NewString(a.ID)), member("line", n(a.Line)), member("task", canon.NewString(a.Task)),
			member("phase", canon.NewString(a.Phase)), member("seat", canon.NewString(a.Seat)), member("model", canon.NewString(a.Model)),
			member("reply", canon.NewString(a.Reply)), member("heartbeats", n(a.Heartbeats)), member("usage", usageValue(a.Usage))))
	}
	return []canon.Member{
		member("runId", canon.NewString(o.RunID)), member("plan", canon.NewString(o.Plan)), member("state", canon.NewString(o.State)),
		member("ended", canon.NewString(o.Ended)), member("opened", n(o.Stretches)), member("lines", n(o.Lines)), member("records", n(o.Records)),
		member("blankLines", n(o.Blank)), member("refusedLines", n(o.Bad)), member("torn", canon.NewBool(o.Torn)), member("kinds", canon.Build(kinds...)),
		member("tasks", canon.NewArray(tasks...)), member("attempts", canon.NewArray(attempts...)), member("total", usageValue(o.Total)),
	}
}

// usageValue has the numbers as texts: they are exact.
func usageValue(u harness.Usage) canon.Value {
	n := func(i int) canon.Value { return canon.NewNumber(float64(i)) }
	return canon.Build(
		member("inputTokens", canon.NewString(u.Input.String())), member("outputTokens", canon.NewString(u.Output.String())),
		member("cachedTokens", canon.NewString(u.Cached.String())), member("costUsd", canon.NewString(u.Cost.String())),
		member("reported", n(u.Reported)), member("partial", n(u.Partial)), member("unknown", n(u.Unknown)),
	)
}

func entryValues(entries []harness.Entry) canon.Value {
	list := make([]canon.Value, len(entries))
	for i, e := range entries {
		members := []canon.Member{member("line", canon.NewNumber(float64(e.Line))), member("kind", canon.NewString(e.Kind))}
		for _, m := range []struct{ name, value string }{{"task", e.Task}, {"phase", e.Phase}, {"attempt", e.Attempt}, {"text", e.Text}} {
			if m.value != "" {
				members = append(members, member(m.name, canon.NewString(m.value)))
			}
		}
		list[i] = canon.Build(append(members, member("ignored", canon.NewBool(e.Ignored)))...)
	}
	return canon.NewArray(list...)
}

func (s *session) statsHarness(path, pointer string, output outputFlags) error {
	o, err := s.overview(path, pointer, output, nil)
	if err != nil {
		return err
	}
	return s.print(output, canon.Build(overviewMembers(o)...), func(w io.Writer) {
		printHead(w, o)
		label := "kinds"
		for _, k := range o.Kinds {
			fmt.Fprintf(w, "  %-9s %6d  %s\n", label, k.Count, k.Kind)
			label = ""
		}
		fmt.Fprintf(w, "  %-9s %d tasks, %d attempts\n", "work", len(o.Tasks), len(o.Attempts))
		fmt.Fprintf(w, "  %-9s %s\n", "total", usage(o.Total))
	})
}
