package render

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"finishline/verify"
)

// How a report reads in a terminal. A finding is one line, lower case, without
// a full stop: where, what was found, what was expected, the rule. What to do
// follows as a hint, what explains it as "because" lines below. Many findings of
// one rule in a row are shown in part and counted. The verdict is
// the last line, so that it is still on the screen after a long report. A pass
// is that one line, after any warnings. Colour repeats what the words say.

// Text writes the report for people.
func Text(w io.Writer, r *verify.Report, style Style) error {
	p := &printer{w: bufio.NewWriter(w), style: style}
	p.findings(r.Findings, "")
	for _, id := range slices.Sorted(maps.Keys(r.Omitted)) {
		p.printf("%s: %d more of the same, not shown\n", id, r.Omitted[id])
	}
	if p.lines > 0 {
		p.printf("\n")
	}
	p.summary(r)
	return p.w.Flush()
}

type printer struct {
	w     *bufio.Writer
	style Style
	lines int
}

func (p *printer) printf(format string, args ...any) {
	p.lines++
	fmt.Fprintf(p.w, format, args...)
}

// shownOfRule is how many findings of one rule in a row are shown in full; one
// cause often breaks the same rule in many places.
const shownOfRule = 2

// findings prints findings; a long row of one rule is cut short, and counted.
func (p *printer) findings(list []verify.Finding, indent string) {
	for len(list) > 0 {
		row := 1
		for row < len(list) && alike(list[0], list[row]) {
			row++
		}
		shown := row
		if row > shownOfRule+1 {
			shown = shownOfRule
		}
		for _, f := range list[:shown] {
			p.finding(f, indent)
		}
		if shown < row {
			p.printf("%sand %d more of %s, the last at %s (--format json lists all)\n", indent, row-shown, list[0].Rule, strings.TrimSuffix(place(list[row-1]), ": "))
		}
		list = list[row:]
	}
}

func alike(a, b verify.Finding) bool {
	return a.Rule == b.Rule && a.Severity == b.Severity && a.NotEvaluated == b.NotEvaluated
}

func (p *printer) finding(f verify.Finding, indent string) {
	label := ""
	if f.Severity != verify.Error {
		label = p.paint(yellow, f.Severity.String()) + ": "
	} else if f.NotEvaluated {
		label = p.paint(yellow, "not evaluated") + ": "
	}
	if indent != "" {
		label = "because " + label
	}
	p.printf("%s%s%s%s (%s)\n", indent, label, p.paint(bold, place(f)), said(f), f.Rule)
	if f.Hint != "" {
		p.printf("%s  hint: %s\n", indent, f.Hint)
	}
	p.findings(f.Causes, indent+"  ")
}

// place is where, with a colon, or nothing for the run as a whole.
func place(f verify.Finding) string {
	switch {
	case f.Artifact == "" && f.Pointer == "":
		return ""
	case f.Line > 0 && f.Pointer == "":
		return fmt.Sprintf("%s:%d: ", f.Artifact, f.Line)
	case f.Line > 0:
		return fmt.Sprintf("%s:%d#%s: ", f.Artifact, f.Line, f.Pointer)
	case f.Pointer != "":
		return f.Artifact + "#" + f.Pointer + ": "
	}
	return f.Artifact + ": "
}

func said(f verify.Finding) string {
	switch {
	case f.Found == "" && f.Expected == "":
		return "refused"
	case f.Expected == "":
		return f.Found
	case f.Found == "":
		return "expected " + f.Expected
	}
	return "found " + f.Found + ", expected " + f.Expected
}

func (p *printer) summary(r *verify.Report) {
	verdict := r.Verdict()
	color := map[verify.Verdict]string{verify.Pass: green, verify.Fail: red, verify.Incomplete: yellow}[verdict]
	p.printf("%s: %s%s\n", p.paint(color, verdict.String()), subject(r), details(r))
	for _, reason := range r.Withheld {
		p.printf("  not a pass: %s\n", reason)
	}
	if verdict == verify.Incomplete && verify.Fold(r.Findings) == verify.Pass && len(r.Withheld) == 0 {
		p.printf("  nothing was looked at, so nothing is known\n")
	}
	for _, gate := range r.Accepted {
		p.printf("  accepted as not evaluated: %s\n", gate)
	}
	for _, note := range r.Notes {
		p.printf("  note: %s\n", note)
	}
}

func subject(r *verify.Report) string {
	if r.Subject.Path == "" {
		return r.Subject.Kind
	}
	return r.Subject.Kind + " " + r.Subject.Path
}

func details(r *verify.Report) string {
	errors, warnings, open := 0, 0, 0
	for _, f := range r.Findings {
		switch {
		case f.Severity == verify.Error && f.NotEvaluated:
			open++
		case f.Severity == verify.Error:
			errors++
		case f.Severity == verify.Warning:
			warnings++
		}
	}
	rules, artifacts := 0, map[string]bool{}
	for _, c := range r.Checked {
		rules += c.Rules
		for _, a := range c.Artifacts {
			artifacts[a.Path] = true
		}
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{errors, "error"}, {open, "not evaluated"}, {warnings, "warning"}} {
		if part.n > 0 {
			parts = append(parts, Count(part.n, part.what))
		}
	}
	parts = append(parts, Count(rules, "rule"), Count(len(artifacts), "artifact"), r.Level.String()+" level")
	return " (" + strings.Join(parts, ", ") + ")"
}

// Count writes a number and its unit, with a plural s where one is due.
func Count(n int, unit string) string {
	if n != 1 && unit != "not evaluated" {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

const (
	bold   = "1"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
)

func (p *printer) paint(code, s string) string {
	if !p.style.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
