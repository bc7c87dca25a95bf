package main

import (
	"os"
	"strings"
	"testing"

	"finishline/internal/git"
	"finishline/internal/render"
)

// Every scene of the demonstration ends as it should, tells its tampering
// first, and is short enough to be read. Of a swapped key the finish line says
// first that the store is not the committed one, then that it is not the pinned
// one.
func TestDemo(t *testing.T) {
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	scenes, err := demoScenes(t.Context(), prog)
	if err != nil {
		t.Fatal(err)
	}
	const most = 14
	for i, sc := range scenes {
		var b strings.Builder
		printScene(&b, i, sc, render.Style{})
		text := b.String()
		if !sc.asExpected() {
			t.Errorf("not as it should be: %s", text)
			continue
		}
		if n := strings.Count(text, "\n"); n > most {
			t.Errorf("%s: %d lines, more than %d", sc.name, n, most)
		}
		if sc.rule == "" {
			continue
		}
		first := sc.report.Findings[:1]
		if sc.rule == "trust.pin.live-mismatch" {
			first = sc.report.Findings[:2]
		}
		if len(trail(first, sc.rule)) == 0 {
			t.Errorf("%s: the report begins with %s, not with %s", sc.name, sc.report.Findings[0].Rule, sc.rule)
		}
		if !strings.Contains(text, "("+sc.rule+")") {
			t.Errorf("%s: its rule is not shown: %s", sc.name, text)
		}
	}
	if len(scenes) != 6 {
		t.Errorf("%d scenes, want 6", len(scenes))
	}
}

func TestWord(t *testing.T) {
	for path, want := range map[string]string{
		"lantern": "lantern", "../a-b/c_1.d": "../a-b/c_1.d", "a b": "'a b'", "it's": `'it'\''s'`, "~x": "'~x'",
	} {
		if got := word(path); got != want {
			t.Errorf("%q is written as %s, want %s", path, got, want)
		}
	}
}
