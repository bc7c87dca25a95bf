package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"finishline/canon"
	"finishline/verify/journal"
	"finishline/verify/journal/store"
)

type journalStatsCmd struct {
	bridgeArg
	PayloadPointer string `name:"payload-pointer" help:"JSON pointer from a line of a Harness v2 journal to its payload, or auto." placeholder:"POINTER"`
	Conversation   string `help:"Only this conversation of a HUX stream." placeholder:"ID"`
}

func (journalStatsCmd) Help() string {
	return `Counts the events of a bridge by type, node, actor and status, run by run; only records that verify are counted. Counts the records of a Harness v2 journal by kind, with the tokens and the cost of all attempts, and the events of a HUX stream by conversation, kind and tool.

Examples:
  finishline journal stats ~/.uash/runs
  finishline journal stats --format json --run tide-12 ~/.uash/runs`
}

func (c journalStatsCmd) Run(s *session) error {
	kind, path, err := journal.Detect(c.Path)
	switch {
	case err != nil:
		return err
	case kind == journal.Harness:
		return s.statsHarness(path, c.PayloadPointer, c.outputFlags)
	case kind == journal.HUX:
		return s.statsHUX(path, c.Conversation, c.outputFlags)
	case kind != journal.Bridge:
		return s.statsOther(journal.Input{Kind: kind, Path: path, Level: c.level()}, c.outputFlags)
	}
	res, err := c.read(s, path, store.KeepEvents)
	if err != nil {
		return err
	}
	var stats []runStats
	for _, r := range res.Runs {
		stats = append(stats, statsOf(r))
	}
	values := make([]canon.Value, len(stats))
	for i, st := range stats {
		values[i] = st.value(res, res.Runs[i])
	}
	return s.print(c.outputFlags, canon.NewArray(values...), func(w io.Writer) {
		for i, st := range stats {
			st.print(w, res, res.Runs[i])
		}
	})
}

// runStats are the counts of one run.
type runStats struct {
	counts []counted
	bytes  int
	first  string // times as the clients wrote them, in the order of the journal
	last   string
}

// counted counts the values of one member of events.
type counted struct {
	member, name string
	n            map[string]int
}

func statsOf(r *store.Run) runStats {
	st := runStats{counts: []counted{
		{"type", "types", map[string]int{}}, {"nodeId", "nodes", map[string]int{}},
		{"actor", "actors", map[string]int{}}, {"status", "statuses", map[string]int{}},
	}}
	for _, l := range r.Links {
		for _, c := range st.counts {
			c.n[text(l.Event, c.member)]++
		}
		st.bytes += len(canon.Compact(l.Event))
		st.first = cmp.Or(st.first, text(l.Event, "ts"))
		st.last = cmp.Or(text(l.Event, "ts"), st.last)
	}
	return st
}

// byCount are names, the most frequent first.
func (c counted) byCount() []string {
	return slices.SortedFunc(maps.Keys(c.n), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.n[b], c.n[a]), cmp.Compare(a, b))
	})
}

func (st runStats) print(w io.Writer, res *store.Result, r *store.Run) {
	fmt.Fprintf(w, "run %s: %s\n", runName(r), heldTo(res, r))
	fmt.Fprintf(w, "  %-9s %d, %d bytes of events\n", "records", r.Records, st.bytes)
	if st.first != "" {
		fmt.Fprintf(w, "  %-9s %s to %s, as the clients wrote them\n", "times", st.first, st.last)
	}
	for _, c := range st.counts {
		label := c.name
		for _, name := range c.byCount() {
			fmt.Fprintf(w, "  %-9s %6d  %s\n", label, c.n[name], name)
			label = ""
		}
	}
}

func (st runStats) value(res *store.Result, r *store.Run) canon.Value {
	authenticated, structure := res.Words(r)
	members := []canon.Member{
		member("runId", canon.NewString(r.ID)), member("directory", canon.NewString(r.Dir)),
		member("authenticated", canon.NewString(authenticated)), member("structure", canon.NewString(structure)),
		member("records", canon.NewNumber(float64(r.Records))), member("eventBytes", canon.NewNumber(float64(st.bytes))),
		member("first", canon.NewString(st.first)), member("last", canon.NewString(st.last)),
	}
	for _, c := range st.counts {
		var list []canon.Member
		for _, name := range c.byCount() {
			list = append(list, member(name, canon.NewNumber(float64(c.n[name]))))
		}
		members = append(members, member(c.name, canon.Build(list...)))
	}
	return canon.Build(members...)
}

// statsOther prints what the verifier of a HUX stream or a mailbox counted.
func (s *session) statsOther(in journal.Input, output outputFlags) error {
	in.Mailbox.TempDir = os.TempDir()
	b := s.bar(journal.Size(in.Kind, in.Path), output.Quiet)
	in.Progress = b.set
	report, err := journal.Verify(s.ctx, in)
	b.stop()
	if err != nil {
		return err
	}
	value := report.Results[0].Value.Elems()[0]
	return s.print(output, value, func(w io.Writer) {
		for _, m := range value.Members() {
			if m.Value.IsObject() {
				for _, k := range m.Value.Members() {
					n, _ := k.Value.Num()
					fmt.Fprintf(w, "  %-13s %6.0f  %s\n", "", n, shown(k.Name))
				}
				continue
			}
			fmt.Fprintf(w, "  %-13s %s\n", m.Name, canon.TextForm(m.Value))
		}
	})
}
