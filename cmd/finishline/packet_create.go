package main

import (
	"fmt"
	"io"

	"finishline/canon"
	"finishline/internal/render"
	"finishline/packet"
	"finishline/verify"
	"finishline/verify/finish"
)

// createFlags are the flags of the commands that build packets.
type createFlags struct {
	runFlags
	RunID              string   `name:"run-id" help:"The run. The intake says it unless given." placeholder:"ID"`
	Environment        string   `help:"The environment. The intake says it unless given." placeholder:"NAME"`
	Commit             string   `help:"The commit, which HEAD must be. The intake says it unless given." placeholder:"ID"`
	Level              string   `help:"The assurance level: structural, semantic or authoritative." default:"structural" placeholder:"LEVEL"`
	Gate               []string `help:"A gate whose artifact is supplied. May be repeated, then for every gate that is required; without it all of them are taken." placeholder:"NAME" sep:"none"`
	AcceptNotEvaluated []string `name:"accept-not-evaluated" help:"Accept that this gate was not evaluated." placeholder:"GATE"`
}

func (c createFlags) options(s *session) finish.CreateOptions {
	return finish.CreateOptions{
		RunID: c.RunID, Commit: c.Commit, Environment: c.Environment, AssuranceLevel: c.Level, Gates: c.Gate,
		Now: s.now(), AcceptNotEvaluated: c.AcceptNotEvaluated,
	}
}

type packetCreateCmd struct{ createFlags }

func (packetCreateCmd) Help() string {
	return `Builds run/packet.json of what lies in the run's directory at its own paths: the four inputs, the artifacts of the gates that follow from them, the validation runtime, the catalogs, and an inventory of all evidence that Git does not track. The packet is verified as it would be written, and written only when it passes. A packet is never written over.

Before it come the proof, and a review that was signed over the bundle that finishline packet bundle prints.

Examples:
  finishline packet create
  finishline packet create --level semantic services/api
  finishline packet create --gate portable-proof --gate independent-review --gate trajectory`
}

func (c packetCreateCmd) Run(s *session) error {
	report, draft, err := finish.CreatePacket(s.ctx, s.run(c.runFlags), c.options(s))
	if err != nil {
		return err
	}
	if draft.Refused() {
		return s.report(c.outputFlags, report)
	}
	sum := canon.SHA256(canon.Pretty(draft.Document))
	value := canon.Build(
		member("schema", canon.NewString("finishline.packet-created.v1")), member("path", canon.NewString(packet.DefaultPath)),
		member("sha256", canon.NewString(sum)), member("requiredGates", stringList(draft.RequiredGates)),
		member("inventory", canon.NewNumber(float64(draft.Document.Get("artifactInventory").Len()))),
		member("evidenceBundleSha256", canon.NewString(draft.Digests.BundleSHA256)),
	)
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "wrote %s: %s, %s in the inventory%s\n", packet.DefaultPath, render.Count(len(draft.RequiredGates), "gate"),
			render.Count(draft.Document.Get("artifactInventory").Len(), "file"), warningsText(report))
	})
}

// warningsText tells of warnings where success is one line.
func warningsText(r *verify.Report) string {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == verify.Warning {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return ", " + render.Count(n, "warning") + " (finishline packet verify shows them)"
}

type packetBundleCmd struct {
	createFlags
	AcceptedSet bool `name:"accepted-set" help:"Print the digest of the gates that precede closure and review instead, for the closure of a semantic or authoritative run."`
}

func (packetBundleCmd) Help() string {
	return `Prints the digest of the evidence bundle: what a review signs. It is verified as far as it can be without the review, so that nobody reviews what can never become a packet; nothing is written. The JSON form holds the bundle and the packet's skeleton as well.

Examples:
  finishline packet bundle
  finishline packet bundle --format json > bundle.json
  finishline packet bundle --level semantic --accepted-set`
}

func (c packetBundleCmd) Run(s *session) error {
	stage := packet.BeforeReview
	if c.AcceptedSet {
		stage = packet.BeforeClosure
	}
	report, draft, err := finish.BuildPacket(s.ctx, s.run(c.runFlags), c.options(s), stage)
	if err != nil {
		return err
	}
	if draft.Refused() {
		return s.report(c.outputFlags, report)
	}
	if c.AcceptedSet {
		value := canon.Build(member("schema", canon.NewString("finishline.accepted-set.v1")),
			member("acceptedGateArtifactsSha256", canon.NewString(draft.Digests.AcceptedGatesSHA256)))
		return s.print(c.outputFlags, value, func(w io.Writer) { fmt.Fprintln(w, draft.Digests.AcceptedGatesSHA256) })
	}
	value := canon.Build(
		member("schema", canon.NewString("finishline.evidence-bundle.v1")),
		member("evidenceBundleSha256", canon.NewString(draft.Digests.BundleSHA256)),
		member("bundle", draft.Digests.Bundle), member("skeleton", draft.Document),
	)
	return s.print(c.outputFlags, value, func(w io.Writer) { fmt.Fprintln(w, draft.Digests.BundleSHA256) })
}

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }
