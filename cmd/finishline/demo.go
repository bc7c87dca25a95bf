package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"finishline/canon"
	"finishline/internal/example"
	"finishline/internal/git"
	"finishline/internal/render"
	"finishline/verify"
	"finishline/verify/finish"
)

type demoCmd struct {
	Keep string `help:"Write the example run into this new directory and leave it there, instead of verifying it." type:"path" placeholder:"DIR"`
	outputFlags
}

func (demoCmd) Help() string {
	return `Writes a complete run of a documentation task into a temporary repository and verifies it: pass. Then it verifies the run tampered with in five ways, repairing every digest that an intruder could; each is refused by a rule. Exit status 0 when all six verdicts are as they should be.

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

func (c demoCmd) keep(s *session, prog git.Program) error {
	if err := os.Mkdir(c.Keep, 0o755); err != nil {
		return err
	}
	run, err := example.Materialise(s.ctx, prog, c.Keep)
	if err != nil {
		return err
	}
	value := canon.Build(canon.Member{Name: "directory", Value: canon.NewString(run.Dir)},
		canon.Member{Name: "pin", Value: canon.NewString(run.Pin)})
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "the example run is there; its operator has set\n  export %s=%s\n", envPin, run.Pin)
	})
}

// demoScenes builds and verifies the example, then each tampering of a fresh
// one.
func demoScenes(ctx context.Context, prog git.Program) ([]scene, error) {
	untouched := example.Tampering{Name: "the run as it was closed", Story: "nothing was changed", Apply: func(*example.Run) error { return nil }}
	var scenes []scene
	for _, t := range append([]example.Tampering{untouched}, example.Tamperings()...) {
		report, err := verifyTampered(ctx, prog, t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		scenes = append(scenes, scene{t.Name, t.Story, t.Rule, report})
	}
	return scenes, nil
}

func verifyTampered(ctx context.Context, prog git.Program, t example.Tampering) (*verify.Report, error) {
	dir, err := os.MkdirTemp("", "finishline-demo-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	run, err := example.Materialise(ctx, prog, dir)
	if err != nil {
		return nil, err
	}
	if err := t.Apply(run); err != nil {
		return nil, err
	}
	report, _, err := finish.Packet(ctx, finish.Run{Dir: dir, Git: prog, Pin: run.Pin}, finish.PacketOptions{})
	return report, err
}

// printScene shows the verdict and, of a refusal, the finding that tells this
// tampering; what else was refused is counted.
func printScene(w io.Writer, i int, sc scene, style render.Style) {
	if i > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d. %s\n   (%s)\n", i+1, sc.name, sc.story)
	shown := *sc.report
	more := 0
	if sc.rule != "" {
		if line := trail(sc.report.Findings, sc.rule); len(line) > 0 {
			shown.Findings, more = line, len(sc.report.Findings)-1
		}
	}
	var b indented
	render.Text(&b, &shown, style)
	fmt.Fprint(w, b.String())
	if more > 0 {
		fmt.Fprintf(w, "   and %s\n", render.Count(more, "more finding"))
	}
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

// indented collects text with three spaces before each line that has any.
type indented struct {
	text   []byte
	inLine bool
}

func (b *indented) Write(p []byte) (int, error) {
	for _, c := range p {
		if !b.inLine && c != '\n' {
			b.text = append(b.text, "   "...)
		}
		b.inLine = c != '\n'
		b.text = append(b.text, c)
	}
	return len(p), nil
}

func (b *indented) String() string { return string(b.text) }
