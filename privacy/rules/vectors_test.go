package rules

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"finishline/internal/vectors"
)

// A vectorLine is one case of lines.jsonl.
type vectorLine struct {
	ID     string   `json:"id"`
	Text   string   `json:"text"`
	Parts  []string `json:"parts"`
	Expect []string `json:"expect"`
}

func (l vectorLine) text() string { return l.Text + strings.Join(l.Parts, "") }

func vectorLines(t testing.TB) []vectorLine {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectors.Dir(t, "privacy-extended"), "lines.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []vectorLine
	for scan := bufio.NewScanner(bytes.NewReader(data)); scan.Scan(); {
		var l vectorLine
		if err := json.Unmarshal(scan.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

// The engine of the extended set is made once for all tests.
var extendedOnce = sync.OnceValues(func() (*Engine, error) { return Extended().Compile() })

func extendedEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := extendedOnce()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// kindsIn gives the set of kinds in a text, sorted.
func kindsIn(e *Engine, text string) []string {
	kinds := []string{}
	e.Scan("file.txt", []byte(text), func(h Hit) { kinds = append(kinds, h.Rule.Kind) })
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// The exact set of kinds of each line; recall and precision by kind with -v.
func TestVectorsExtended(t *testing.T) {
	e := extendedEngine(t)
	tally := vectors.NewTally(t, "privacy-extended")
	type score struct{ right, missed, wrong int }
	scores := map[string]*score{}
	of := func(kind string) *score {
		if scores[kind] == nil {
			scores[kind] = &score{}
		}
		return scores[kind]
	}
	for _, line := range vectorLines(t) {
		tally.Case(line.ID, func(t *testing.T) {
			got := kindsIn(e, line.text())
			for _, kind := range got {
				if slices.Contains(line.Expect, kind) {
					of(kind).right++
				} else {
					of(kind).wrong++
				}
			}
			for _, kind := range line.Expect {
				if !slices.Contains(got, kind) {
					of(kind).missed++
				}
			}
			if !slices.Equal(got, line.Expect) {
				t.Errorf("%q: kinds %q, expected %q", line.text(), got, line.Expect)
			}
		})
	}
	var table strings.Builder
	total := score{}
	row := func(kind string, s score) {
		fmt.Fprintf(&table, "%-28s %6d %8.3f %9.3f\n", kind, s.right+s.missed, ratio(s.right, s.missed), ratio(s.right, s.wrong))
	}
	for _, r := range Extended().Rules {
		if s := scores[r.Kind]; s != nil {
			row(r.Kind, *s)
			total.right, total.missed, total.wrong = total.right+s.right, total.missed+s.missed, total.wrong+s.wrong
		}
	}
	row("all", total)
	t.Logf("%-28s %6s %8s %9s\n%s", "kind", "lines", "recall", "precision", table.String())
	if ratio(total.right, total.missed) < 1 || ratio(total.right, total.wrong) < 0.99 {
		t.Errorf("recall %.3f, precision %.3f; at least 1 and 0.99 are needed", ratio(total.right, total.missed), ratio(total.right, total.wrong))
	}
}

func ratio(right, other int) float64 {
	if right+other == 0 {
		return 1
	}
	return float64(right) / float64(right+other)
}
