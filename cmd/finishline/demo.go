package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"finishline/canon"
	"finishline/internal/example"
	"finishline/internal/git"
	"finishline/internal/render"
	"finishline/verify"
	"finishline/verify/finish"
)

type demoCmd struct {
	Keep string `help:"Write the example run into this new directory and leave it there, instead of verifying it." placeholder:"DIR"`
	outputFlags
}

func (demoCmd) Help() string {
	return `Writes a complete run of a documentation task into a temporary repository and takes it across the whole finish line, as finishline verify does, at a moment at which it is fresh: pass. Then it does so with the run tampered with in five ways, repairing every digest that an intruder could; each is refused by a rule. Exit status 0 when all six verdicts are as they should be.

Examples:
  finishline demo
  finishline demo --keep lantern`
}

// A scene is one verification of the demonstration.
type scene struct {
	name, story string
	rule        string // that must refuse the run, "" for the run as it was closed
	report      *verify.Report
}

func (sc scene) asExpected() bool {
	if sc.rule == "" {
		return sc.report.Verdict() == verify.Pass
	}
	return sc.report.Verdict() == verify.Fail && len(trail(sc.report.Findings, sc.rule)) > 0
}

func (c demoCmd) Run(s *session) error {
	prog, err := git.Find(s.getenv("PATH"))
	if err != nil {
		return err
	}
	if c.Keep != "" {
		return c.keep(s, prog)
	}
	scenes, err := demoScenes(s.ctx, prog)
	if err != nil {
		return err
	}
	for _, sc := range scenes {
		if !sc.asExpected() {
			s.exit = verify.Fail.ExitCode()
		}
	}
	values := make([]canon.Value, len(scenes))
	for i, sc := range scenes {
		sc.report.Tool = verify.Tool{Name: "finishline", Version: version}
		values[i] = canon.Build(
			canon.Member{Name: "name", Value: canon.NewString(sc.name)},
			canon.Member{Name: "story", Value: canon.NewString(sc.story)},
			canon.Member{Name: "asExpected", Value: canon.NewBool(sc.asExpected())},
			canon.Member{Name: "report", Value: render.ReportValue(sc.report)},
		)
	}
	return s.print(c.outputFlags, canon.NewArray(values...), func(w io.Writer) {
		for i, sc := range scenes {
			printScene(w, i, sc, render.Style{Color: s.color})
		}
		if s.exit != 0 {
			fmt.Fprintln(w, "\nnot every verdict is as it should be: this build of finishline is broken")
		}
	})
}

// keep leaves the run to the reader, and says how to verify it.
func (c demoCmd) keep(s *session, prog git.Program) error {
	dir, err := filepath.Abs(c.Keep)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	run, err := example.Materialise(s.ctx, prog, dir)
	if err != nil {
		return err
	}
	now := example.Now.Format(time.RFC3339)
	value := canon.Build(canon.Member{Name: "directory", Value: canon.NewString(run.Dir)},
		canon.Member{Name: "pin", Value: canon.NewString(run.Pin)}, canon.Member{Name: "now", Value: canon.NewString(now)})
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "the example run is there; verify it under the pin that its operator has set, and as of the day it was closed\n"+
			"  cd %s\n  export %s=%s\n  finishline verify --now %s\n", word(c.Keep), envPin, run.Pin, now)
	})
}

// word is a path as a shell takes it for one.
func word(path string) string {
	const plain = "/._-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if strings.Trim(path, plain) == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// demoScenes takes the example across the finish line as it is, then with each
// tampering.
func demoScenes(ctx context.Context, prog git.Program) ([]scene, error) {
	dir, err := os.MkdirTemp("", "finishline-demo-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	run, err := example.Materialise(ctx, prog, dir)
	if err != nil {
		return nil, err
	}
	untouched := example.Tampering{Name: "the run as it was closed", Story: "nothing was changed", Apply: func(*example.Run) error { return nil }}
	var scenes []scene
	for _, t := range append([]example.Tampering{untouched}, example.Tamperings()...) {
		report, err := verifyTampered(ctx, prog, run, t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		scenes = append(scenes, scene{t.Name, t.Story, t.Rule, report})
	}
	return scenes, nil
}

// verifyTampered leaves the run as it was.
func verifyTampered(ctx context.Context, prog git.Program, run *example.Run, t example.Tampering) (*verify.Report, error) {
	if err := t.Apply(run); err != nil {
		return nil, err
	}
	report, _, err := finish.Line(ctx, finish.Run{Dir: run.Dir, Git: prog, Pin: run.Pin}, finish.LineOptions{Now: example.Now})
	if err != nil {
		return nil, err
	}
	return report, run.Reset()
}

// printScene shows what finishline verify says: of a refusal, the finding that
// tells this tampering and how many more there are, and the verdict. The notes,
// which are those of every run, are told once.
func printScene(w io.Writer, i int, sc scene, style render.Style) {
	if i > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d. %s\n   (%s)\n", i+1, sc.name, sc.story)
	shown := *sc.report
	if sc.rule != "" {
		shown.Notes = nil
	}
	findings, verdict := reportText(shown, style)
	if line := trail(shown.Findings, sc.rule); len(line) > 0 {
		more := len(shown.Findings) - 1
		shown.Findings = line
		if findings, _ = reportText(shown, style); more > 0 {
			findings += "and " + render.Count(more, "more finding") + "\n"
		}
	}
	if findings != "" {
		findings += "\n"
	}
	fmt.Fprint(w, indented(findings+verdict))
}

// reportText is a report in two parts, between which it leaves a line free.
func reportText(report verify.Report, style render.Style) (findings, verdict string) {
	var b strings.Builder
	render.Text(&b, &report, style)
	if findings, verdict, found := strings.Cut(b.String(), "\n\n"); found {
		return findings + "\n", verdict
	}
	return "", b.String()
}

// trail is the first finding that is of the rule, or that has it among its
// causes; then reduced to the causes that lead to it.
func trail(findings []verify.Finding, rule string) []verify.Finding {
	for _, f := range findings {
		if f.Rule == rule {
			f.Causes = nil
			return []verify.Finding{f}
		}
		if causes := trail(f.Causes, rule); causes != nil {
			f.Causes = slices.Clone(causes)
			return []verify.Finding{f}
		}
	}
	return nil
}

// indented has three spaces before each line that says something.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString("   ")
		}
		b.WriteString(line)
	}
	return b.String()
}
