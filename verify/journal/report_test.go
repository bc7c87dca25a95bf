package journal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"finishline/canon"
	"finishline/internal/render"
	"finishline/internal/schematest"
	"finishline/internal/vectors"
	"finishline/schemas"
	"finishline/verify"
	"finishline/verify/journal"
	"finishline/verify/journal/harness"
	"finishline/verify/journal/store"
)

// The report of each kind of journal, alone and with others, is what the
// schema says; and each pass is one of what was looked at.
func TestReports(t *testing.T) {
	schema := schematest.Compile(t, schemas.Report())
	events := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(events, []byte(`{"schema":"bridge-event.v1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var reports []*verify.Report
	for _, c := range []struct {
		kind journal.Kind
		path string
		want verify.Verdict
	}{
		{journal.Bridge, filepath.Join(vectors.Dir(t, "journal"), "valid-small", "data"), verify.Pass},
		{journal.Bridge, filepath.Join(vectors.Dir(t, "journal"), "legacy-plain-name", "data"), verify.Fail},
		{journal.Harness, filepath.Join(vectors.Dir(t, "harness-journal"), "mini", "events.ndjson"), verify.Pass},
		{journal.HUX, filepath.Join(vectors.Dir(t, "hux"), "stream-a", "events.ndjson"), verify.Pass},
		{journal.Mailbox, filepath.Join(vectors.Dir(t, "mailbox"), "db-ok", "mailbox.db"), verify.Pass},
		{journal.BridgeEvent, events, verify.Fail},
	} {
		in := journal.Input{Kind: c.kind, Path: c.path, Harness: harness.Options{}, Store: store.Options{Key: store.NewKey("journal-vector-integrity-key-" + "0001-abcdefgh")}}
		in.Mailbox.TempDir = t.TempDir()
		var read int64
		in.Progress = func(n int64) { read = n }
		report, err := journal.Verify(t.Context(), in)
		if err != nil {
			t.Fatalf("%s: %v", c.path, err)
		}
		if got := report.Verdict(); got != c.want {
			t.Errorf("%s: %s, want %s; %v %v", c.path, got, c.want, report.Findings, report.Withheld)
		}
		if c.want == verify.Pass && read != journal.Size(c.kind, c.path) {
			t.Errorf("%s: told of %d bytes, there are %d", c.path, read, journal.Size(c.kind, c.path))
		}
		valid(t, schema, c.path, report)
		reports = append(reports, report)
	}
	valid(t, schema, "all together", journal.Together(reports))
}

func valid(t *testing.T, schema *jsonschema.Schema, name string, report *verify.Report) {
	t.Helper()
	report.Tool = verify.Tool{Name: "finishline", Version: "0"}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(canon.Canonical(render.ReportValue(report))))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
