package hux

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/journal/lines"
)

// FuzzVerify judges any bytes. Nothing panics; the answer does not depend on
// the workers; the verdict follows from the findings, which are in order, and
// each says what was found and expected; demanding more refuses more; a window
// from the start never finds what the whole stream does not, but for what it
// leaves open.
func FuzzVerify(f *testing.F) {
	dir := vectors.Dir(f, "hux")
	for _, file := range caseFiles(f, dir) {
		var c vectorCase
		vectors.Read(f, file, &c)
		data := c.input(f, filepath.Dir(file))
		if len(data) > 8<<10 {
			data = data[len(data)-8<<10:]
		}
		f.Add(data)
	}
	f.Add([]byte("[" + numberedEvent(1) + "," + numberedEvent(2) + "]"))
	f.Add([]byte(numberedEvent(1) + "\r\n\n" + numberedEvent(2)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := checkedResult(t, data, Options{})
		one := checkedResult(t, data, Options{Lines: lines.Options{Workers: 1}})
		if d := cmp.Diff(r.Findings, one.Findings); d != "" || r.Tally != one.Tally {
			t.Fatalf("one worker says otherwise:\n%s", d)
		}
		verdict := verify.Fold(r.Findings)
		if strict := checkedResult(t, data, Options{Demand: Closed | NoWarnings}); verdict == verify.Fail && verify.Fold(strict.Findings) != verify.Fail {
			t.Fatal("demanding more accepts more")
		}
		if verdict == verify.Pass && r.LookedAtNothing() {
			t.Fatal("a pass without an event")
		}
		if verdict == verify.Fail && r.Skipped && len(verify.RuleIDs(r.Findings, verify.Error)) == 0 {
			t.Fatal("skipped without an error")
		}
		after, err := ParseAfter("-1")
		must(t, err)
		window := checkedResult(t, data, Options{After: after})
		if verdict == verify.Pass && verify.Fold(window.Findings) != verify.Pass {
			t.Fatalf("a window finds more: %s, whole: %s", told(window), told(r))
		}
	})
}

func checkedResult(t *testing.T, data []byte, o Options) *Result {
	t.Helper()
	r, err := Verify(context.Background(), bytes.NewReader(data), o)
	must(t, err)
	for i, f := range r.Findings {
		if f.Found == "" || f.Expected == "" || f.Hint == "" || f.Line < 1 {
			t.Fatalf("a finding does not say what it should: %+v", f)
		}
		if _, known := Table.Lookup(f.Rule); !known {
			t.Fatalf("unknown rule %s", f.Rule)
		}
		if i > 0 && (f.Line < r.Findings[i-1].Line || f.Line == r.Findings[i-1].Line && f.Rule < r.Findings[i-1].Rule) {
			t.Fatalf("out of order: %+v", r.Findings)
		}
		if f.Pointer != "" && !strings.HasPrefix(f.Pointer, "/") {
			t.Fatalf("not a pointer: %q", f.Pointer)
		}
	}
	return r
}

// Every rule fires somewhere in the vectors or in the tests of this package.
func TestEveryRuleFires(t *testing.T) {
	fired := map[string]bool{"hux.schema.unresolved": true} // TestVectorsHUX
	note := func(r *Result) {
		for _, f := range r.Findings {
			fired[f.Rule] = true
		}
	}
	dir := vectors.Dir(t, "hux")
	for _, file := range caseFiles(t, dir) {
		var c vectorCase
		vectors.Read(t, file, &c)
		if o, unresolved := c.options(t); unresolved == nil {
			note(judge(t, c.input(t, filepath.Dir(file)), o))
		}
	}
	a, b := numberedEvent(1), numberedEvent(2)
	for _, text := range []string{
		"\xef\xbb\xbf" + a + "\n", "\n" + a + "\r\n" + b, strings.Repeat("x", MaxLine+1) + "\n", "{\"\xff\":1}\n", "{\n", `{"x":"\ud800"}` + "\n", strings.Repeat(`{"x":`, 65) + "1" + strings.Repeat("}", 65) + "\n",
		runEvent("c1", 1, "run.started") + runEvent("c2", 2, "run.started"),
		runEvent("c1", 1, "run.started") + runEvent("c1", 2, "delegation.started"),
		memoryEvent(1, "memory.suppressed"),
	} {
		note(judge(t, []byte(text), Options{}))
	}
	for _, rule := range Table.Rules() {
		if !fired[rule.ID] {
			t.Errorf("nothing fires %s", rule.ID)
		}
	}
}

func runEvent(conversation string, n int, kind string) string {
	return strings.NewReplacer(`"message.user"`, `"`+kind+`"`, `"conversation_id":"c"`, `"conversation_id":"`+conversation+`","run_id":"r"`).Replace(numberedEvent(n)) + "\n"
}

func memoryEvent(n int, kind string) string {
	return strings.NewReplacer(`"message.user"`, `"`+kind+`","detail":{"memory_id":"m"}`).Replace(numberedEvent(n)) + "\n"
}
