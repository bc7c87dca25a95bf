package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/journal"
)

func TestDetect(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bridge := filepath.Join(vectors.Dir(t, "journal"), "valid-small", "data")
	run := filepath.Join(bridge, "run-1d058f9106c8fe0d5b2d7f586ba8ffe25497cab256f2339ad6782d5df68d0a82")
	harnessRun := filepath.Join(vectors.Dir(t, "harness-journal"), "mini")
	hux := filepath.Join(vectors.Dir(t, "hux"), "stream-a", "events.ndjson")
	leased := filepath.Dir(file("leased/.bridge-process.lock", "{}"))
	for _, c := range []struct {
		path string
		want journal.Kind
		open string
	}{
		{bridge, journal.Bridge, bridge},
		{run, journal.Bridge, run},
		{filepath.Join(run, "events.jsonl"), journal.Bridge, run},
		{filepath.Join(run, "run.json"), journal.Bridge, run},
		{leased, journal.Bridge, leased},
		{harnessRun, journal.Harness, filepath.Join(harnessRun, "events.ndjson")},
		{filepath.Join(harnessRun, "events.ndjson"), journal.Harness, filepath.Join(harnessRun, "events.ndjson")},
		{hux, journal.HUX, hux},
		{file("array.json", ` [ {"id":"a","schema":"hux.event.v1"}]`), journal.HUX, ""},
		{file("wrapped.ndjson", "{\"seq\":1,\"payload\":{\"kind\":\"run.open\"}}\n"), journal.Harness, ""},
		{file("bom.ndjson", "\xEF\xBB\xBF{\"kind\":\"run.open\"}\n"), journal.Harness, ""},
		{file("late.ndjson", "\n\nnot json\n{\"kind\":\"run.open\"}\n"), journal.Harness, ""},
		{file("events.ndjson", "all damaged"), journal.Harness, ""},
		{file("export.ndjson", `{"event_id":"evt-1","payload_json":"{}"}`), journal.Mailbox, ""},
		{file("store", "SQLite format 3\x00rest"), journal.Mailbox, ""},
	} {
		kind, open, err := journal.Detect(c.path)
		if c.open == "" {
			c.open = c.path
		}
		if err != nil || kind != c.want || open != c.open {
			t.Errorf("%s: %s, %s, %v; want %s, %s", c.path, kind, open, err, c.want, c.open)
		}
	}
	for _, path := range []string{file("notes/readme", "x"), filepath.Dir(file("plain/readme", "x")), file("empty", ""), file("other.json", `[{"schema":"other"}]`), os.DevNull} {
		kind, _, err := journal.Detect(path)
		var unknown *journal.UnknownError
		if kind != journal.Unknown || !errors.As(err, &unknown) {
			t.Errorf("%s: %s, %v; want an UnknownError", path, kind, err)
		}
	}
	both := filepath.Dir(filepath.Dir(file("both/run-x/run.json", "{}")))
	file("both/events.ndjson", "{}")
	if kind, _, err := journal.Detect(both); kind != journal.Unknown || err == nil {
		t.Errorf("two journals in one directory: %s, %v", kind, err)
	}
}

// Several journals pass together only if each does by itself.
func TestTogether(t *testing.T) {
	one := func(path string, severity verify.Severity, withheld ...string) *verify.Report {
		r := &verify.Report{Subject: verify.Subject{Kind: "journal", Path: path}, Withheld: withheld,
			Checked: []verify.Checked{{Verifier: "v", Rules: 1, Artifacts: []verify.Artifact{{Path: path, SHA256: "0"}}}}}
		if severity != verify.Note {
			r.Findings = []verify.Finding{{Rule: "x.y", Severity: severity, Artifact: path}}
		}
		return r
	}
	nothing := &verify.Report{Subject: verify.Subject{Kind: "journal", Path: "n"}}
	pass, fail, open := one("a", verify.Warning), one("b", verify.Error), one("c", verify.Note, "no key")
	for _, c := range []struct {
		name string
		list []*verify.Report
		want verify.Verdict
	}{
		{"two passes", []*verify.Report{pass, one("d", verify.Note)}, verify.Pass},
		{"a failure", []*verify.Report{pass, fail}, verify.Fail},
		{"something withheld", []*verify.Report{open, pass}, verify.Incomplete},
		{"a failure outranks it", []*verify.Report{open, fail, pass}, verify.Fail},
		{"one that looked at nothing", []*verify.Report{pass, nothing}, verify.Incomplete},
	} {
		if got := journal.Together(c.list).Verdict(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte(`{"kind":"run.open"}`))
	f.Add([]byte("SQLite format 3\x00"))
	f.Add([]byte("[[[["))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "journal")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		kind, open, err := journal.Detect(path)
		if (kind == journal.Unknown) == (err == nil) || err == nil && kind != journal.Bridge && open != path {
			t.Errorf("%s, %s, %v", kind, open, err)
		}
	})
}
