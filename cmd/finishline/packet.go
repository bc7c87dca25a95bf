package main

import (
	"fmt"
	"io"
	"strings"

	"finishline/canon"
	"finishline/packet"
	"finishline/verify/finish"
)

type packetCmds struct {
	Verify  packetVerifyCmd  `cmd:"" help:"Verify a run packet and everything it binds."`
	Inspect packetInspectCmd `cmd:"" help:"Show what a packet binds to what, as a tree."`
	Bundle  packetBundleCmd  `cmd:"" help:"Print the digest of the evidence bundle, which a review signs."`
	Create  packetCreateCmd  `cmd:"" help:"Build the packet, verify it, and write it."`
}

type packetVerifyCmd struct {
	runFlags
	Packet             string   `help:"The packet, relative to the run's directory." default:"run/packet.json" placeholder:"PATH"`
	Historical         bool     `help:"Accept a historical result: the digests still hold, but nothing else was verified again."`
	AcceptNotEvaluated []string `name:"accept-not-evaluated" help:"Accept that this gate was not evaluated; the report repeats it." placeholder:"GATE"`
}

func (packetVerifyCmd) Help() string {
	return `Re-derives everything from bytes: inputs, required gates, proof, review and its signature, validation runtime, catalogs, source state. The pin of the trust store comes from ` + envPin + ` and from nowhere else.

Examples:
  finishline packet verify
  finishline packet verify --format json services/api
  finishline packet verify --historical --packet run/packet.json
  finishline packet verify --accept-not-evaluated smoke`
}

func (c packetVerifyCmd) Run(s *session) error {
	var history packet.HistoryUse
	if c.Historical {
		history = packet.IntegritySuffices
	}
	report, _, err := finish.Packet(s.ctx, s.run(c.runFlags), finish.PacketOptions{
		Path: c.Packet, History: history, AcceptNotEvaluated: c.AcceptNotEvaluated,
	})
	if err != nil {
		return err
	}
	return s.report(c.outputFlags, report)
}

type packetInspectCmd struct {
	runFlags
	Packet string `help:"The packet, relative to the run's directory." default:"run/packet.json" placeholder:"PATH"`
}

func (packetInspectCmd) Help() string {
	return `Shows each thing the packet names with its declared digest and what was found. It looks at the same bytes as packet verify and ends with the same exit status, but lists what holds as well as what does not.

Examples:
  finishline packet inspect
  finishline packet inspect --format json`
}

func (c packetInspectCmd) Run(s *session) error {
	report, outcome, err := finish.Packet(s.ctx, s.run(c.runFlags), finish.PacketOptions{Path: c.Packet})
	if err != nil {
		return err
	}
	s.exit = report.Verdict().ExitCode()
	value := canon.Build(
		canon.Member{Name: "schema", Value: canon.NewString("finishline.packet-tree.v1")},
		canon.Member{Name: "verdict", Value: canon.NewString(report.Verdict().String())},
		canon.Member{Name: "tree", Value: nodeValue(outcome.Tree)},
	)
	return s.print(c.outputFlags, value, func(w io.Writer) {
		printNode(w, outcome.Tree, "", "")
		fmt.Fprintf(w, "\n%s; finishline packet verify says why\n", report.Verdict())
	})
}

// printNode draws a node and what is below it.
func printNode(w io.Writer, n packet.Node, first, rest string) {
	line := n.Kind
	if n.Name != "" {
		line += " " + n.Name
	}
	if n.Path != "" {
		line += "  " + n.Path
	}
	fmt.Fprintf(w, "%s%s  %s\n", first, line, nodeState(n))
	for i, child := range n.Children {
		if i == len(n.Children)-1 {
			printNode(w, child, rest+"└─ ", rest+"   ")
		} else {
			printNode(w, child, rest+"├─ ", rest+"│  ")
		}
	}
}

func nodeState(n packet.Node) string {
	state := n.State.String()
	switch {
	case n.State == packet.NotLookedAt && n.Actual != "": // the packet itself: nothing declares its digest
		return short(n.Actual)
	case n.Declared != "" && n.Actual != "" && n.Declared != n.Actual:
		return fmt.Sprintf("%s: declared %s, found %s", state, short(n.Declared), short(n.Actual))
	case n.Actual != "":
		return state + " " + short(n.Actual)
	case n.Declared != "":
		return state + ", declared " + short(n.Declared)
	}
	return state
}

// short is enough of a digest to compare by eye.
func short(digest string) string {
	if len(digest) > 12 {
		return digest[:12]
	}
	return strings.TrimSpace(digest)
}

func nodeValue(n packet.Node) canon.Value {
	members := []canon.Member{
		{Name: "kind", Value: canon.NewString(n.Kind)},
		{Name: "state", Value: canon.NewString(n.State.String())},
	}
	for _, m := range []struct{ name, text string }{
		{"name", n.Name}, {"path", n.Path}, {"declared", n.Declared}, {"actual", n.Actual},
	} {
		if m.text != "" {
			members = append(members, canon.Member{Name: m.name, Value: canon.NewString(m.text)})
		}
	}
	if len(n.Children) > 0 {
		children := make([]canon.Value, len(n.Children))
		for i, child := range n.Children {
			children[i] = nodeValue(child)
		}
		members = append(members, canon.Member{Name: "children", Value: canon.NewArray(children...)})
	}
	return canon.Build(members...)
}
