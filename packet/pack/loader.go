package pack

import (
	"fmt"
	"slices"
	"strings"
)

// The discovery loaders, in the order in which they are judged (06 §6).
const (
	loaderAgents = "AGENTS.md"
	loaderClaude = "CLAUDE.md"
)

var loaderNames = [...]string{loaderAgents, loaderClaude}

const (
	loaderStart = "<!-- valdris-sdlc-harness-loader:start -->"
	loaderEnd   = "<!-- valdris-sdlc-harness-loader:end -->"
)

// LoaderBlock is the block that a discovery loader must contain, with LF line
// ends and without a final one (06 §6). name is AGENTS.md or CLAUDE.md.
func LoaderBlock(name string) string {
	lines := []string{loaderStart}
	if name == loaderClaude {
		lines = append(lines, "@.valdris-harness/"+loaderClaude, "")
	}
	lines = append(lines,
		"## Valdris SDLC Harness discovery",
		"",
		"Before planning, editing, reviewing, or reporting completion in this repository, read and follow `.valdris-harness/"+name+
			"`. Treat `.valdris-harness/project-adapter.json` as the repository-specific source of truth and use the committed "+
			"nested runtime for Valdris commands and gates.",
		loaderEnd)
	return strings.Join(lines, "\n")
}

// A LoaderError says why the bytes of a discovery loader are refused. Rule is
// one of runtime.loader.not-text, .block-count and .block-mismatch.
type LoaderError struct {
	Rule     string
	Line     int // 1-based, 0 when no line is at fault
	Found    string
	Expected string
}

func (e *LoaderError) Error() string {
	return fmt.Sprintf("%s, expected %s (%s)", e.Found, e.Expected, e.Rule)
}

// CheckLoader judges the bytes of a discovery loader, live or committed: any
// text may surround the block, the block itself is exact (06 §6).
func CheckLoader(name string, data []byte) *LoaderError {
	if !isText(data) {
		return &LoaderError{Rule: ruleLoaderNotText, Found: "a NUL or bytes that are not UTF-8", Expected: "UTF-8 text"}
	}
	text := string(foldCRLF(data))
	for _, marker := range []string{loaderStart, loaderEnd} {
		if n := strings.Count(text, marker); n != 1 {
			return &LoaderError{Rule: ruleLoaderBlockCount,
				Found: fmt.Sprintf("%q %s", marker, times(n)), Expected: "each of the two markers exactly once"}
		}
	}
	from, to := strings.Index(text, loaderStart), strings.Index(text, loaderEnd)
	if to < from {
		return &LoaderError{Rule: ruleLoaderBlockCount, Line: lineAt(text, to),
			Found: "the end marker before the start marker", Expected: "the start marker first"}
	}
	block, want := text[from:to+len(loaderEnd)], LoaderBlock(name)
	if block == want {
		return nil
	}
	line, found, expected := firstDifference(block, want)
	return &LoaderError{Rule: ruleLoaderBlockMismatch, Line: lineAt(text, from) + line,
		Found: found, Expected: expected}
}

func times(n int) string {
	switch n {
	case 0:
		return "not at all"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// lineAt is the 1-based line of a byte offset.
func lineAt(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }

// firstDifference finds the first line, counted from 0, in which two texts
// differ.
func firstDifference(got, want string) (line int, found, expected string) {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for line < len(a) && line < len(b) && a[line] == b[line] {
		line++
	}
	return line, lineOf(a, line), lineOf(b, line)
}

func lineOf(lines []string, i int) string {
	if i >= len(lines) {
		return "no such line"
	}
	return fmt.Sprintf("line %q", lines[i])
}

// Loaders lists the discovery loaders that a commissioned pack needs in its
// target, in the order in which they are judged.
func Loaders() []string { return slices.Clone(loaderNames[:]) }
