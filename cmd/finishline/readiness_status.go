package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"finishline/canon"
	"finishline/internal/render"
	"finishline/verify/readiness"
)

type readinessStatusCmd struct {
	Dir string `arg:"" optional:"" default:"." help:"The run's directory." type:"path"`
	assessmentFlags
	Route   string `help:"The route, relative to the run's directory." default:"run/route.json" placeholder:"PATH"`
	Waivers string `help:"The waiver ledger, relative to the run's directory." default:"waivers/waivers.json" placeholder:"PATH"`
	clockFlags
	outputFlags
}

func (readinessStatusCmd) Help() string {
	return `An overview while the assessment is being filled in: which layers must be required and why, how many of their controls are passed, and what goes stale first. It gives no verdict; documents that are not there yet are left out.

Examples:
  finishline readiness status
  finishline readiness status --now 2026-05-11T12:05:00Z services/api
  finishline readiness status --format json`
}

func (c readinessStatusCmd) Run(s *session) error {
	if err := directory(c.Dir, "name the run's directory; --assessment names a file in it"); err != nil {
		return err
	}
	now, err := s.clock(c.clockFlags)
	if err != nil {
		return err
	}
	var docs readiness.Documents
	read := 0
	for _, d := range []struct {
		path string
		to   *canon.Value
	}{{c.Assessment, &docs.Assessment}, {c.Classification, &docs.Classification}, {c.Route, &docs.Route}, {c.Waivers, &docs.Waivers}} {
		doc, err := s.readDocument(filepath.Join(c.Dir, d.path), canon.MaxDocument)
		switch {
		case err == nil:
			*d.to = doc.Root
			read++
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	if read == 0 {
		return &advisedError{c.Dir + ": no assessment, classification, route or waiver ledger there", "name the run's directory, which has " + c.Assessment + " or " + c.Route}
	}
	overview, err := readiness.Status(docs, now.UnixMilli())
	if err != nil {
		return err
	}
	return s.print(c.outputFlags, overviewValue(overview), func(w io.Writer) { printOverview(w, overview) })
}

func printOverview(w io.Writer, o *readiness.Overview) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range o.Layers {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\n", l.ID, stated(l.Applicability), stated(l.Status), controlCount(l), because(l))
	}
	tab.Flush()
	fmt.Fprintln(w)
	for _, line := range []struct{ name, value string }{
		{"schema", stated(o.Schema)}, {"profile", stated(o.Profile)}, {"tier", stated(o.Tier)}, {"stale first", deadline(o.First)},
	} {
		fmt.Fprintf(w, "%-12s %s\n", line.name, line.value)
	}
}

func stated(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func controlCount(l readiness.LayerOverview) string {
	passed := 0
	for _, c := range l.Controls {
		if c.Status == "passed" {
			passed++
		}
	}
	return fmt.Sprintf("%d of %s passed", passed, render.Count(len(l.Controls), "control"))
}

// because says why a layer must be required, and whether that is not met.
func because(l readiness.LayerOverview) string {
	var parts []string
	for _, f := range l.Forced {
		parts = append(parts, strings.TrimSpace(f.Kind.String()+" "+f.From))
	}
	text := strings.Join(parts, ", ")
	if l.Unmet() {
		text = "must be required: " + text
	}
	return text
}

func deadline(d *readiness.Deadline) string {
	if d == nil {
		return "-"
	}
	text := fmt.Sprintf("%s at %s", d.Kind, d.At())
	if d.Control != "" {
		text += " (" + d.Control + ")"
	}
	if d.Past {
		text += ", already stale"
	}
	return text
}

func overviewValue(o *readiness.Overview) canon.Value {
	layers := make([]canon.Value, len(o.Layers))
	for i, l := range o.Layers {
		layers[i] = layerValue(l)
	}
	return canon.Build(
		textField("schema", "finishline.readiness-status.v1"), textField("assessmentSchema", o.Schema), textField("profile", o.Profile),
		textField("tier", o.Tier), canon.Member{Name: "layers", Value: canon.NewArray(layers...)}, canon.Member{Name: "first", Value: deadlineValue(o.First)},
	)
}

func textField(name, s string) canon.Member {
	return canon.Member{Name: name, Value: canon.NewString(s)}
}

func numberField(name string, n int) canon.Member {
	return canon.Member{Name: name, Value: canon.NewNumber(float64(n))}
}

func layerValue(l readiness.LayerOverview) canon.Value {
	forced := make([]canon.Value, len(l.Forced))
	for i, f := range l.Forced {
		forced[i] = canon.Build(textField("by", f.Kind.String()), textField("from", f.From))
	}
	controls := make([]canon.Value, len(l.Controls))
	for i, c := range l.Controls {
		controls[i] = canon.Build(textField("id", c.ID), canon.Member{Name: "listed", Value: canon.NewBool(c.Listed)},
			textField("status", c.Status), numberField("evidence", c.Evidence), canon.Member{Name: "proofTypes", Value: stringList(c.ProofTypes)},
			canon.Member{Name: "first", Value: deadlineValue(c.First)})
	}
	return canon.Build(
		textField("layer", l.ID), canon.Member{Name: "listed", Value: canon.NewBool(l.Listed)}, textField("applicability", l.Applicability),
		textField("status", l.Status), textField("owner", l.Owner), canon.Member{Name: "forced", Value: canon.NewArray(forced...)},
		canon.Member{Name: "unmet", Value: canon.NewBool(l.Unmet())}, canon.Member{Name: "asked", Value: stringList(l.Asked)},
		canon.Member{Name: "controls", Value: canon.NewArray(controls...)}, numberField("untimed", l.Untimed),
		canon.Member{Name: "first", Value: deadlineValue(l.First)},
	)
}

// deadlineValue is null when nothing has a known end.
func deadlineValue(d *readiness.Deadline) canon.Value {
	if d == nil {
		return canon.NewNull()
	}
	return canon.Build(textField("kind", d.Kind.String()), textField("layer", d.Layer), textField("control", d.Control),
		textField("pointer", d.Pointer), textField("member", d.Member), textField("at", d.At()), canon.Member{Name: "past", Value: canon.NewBool(d.Past)})
}
