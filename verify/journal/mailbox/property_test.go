package mailbox_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/journal/mailbox"
)

// An event is a row as an export has it.
type event struct {
	ID      string `json:"event_id"`
	Source  string `json:"source"`
	Type    string `json:"event_type"`
	Lane    string `json:"lane"`
	Payload string `json:"payload_json"`
	TS      int64  `json:"ts"`
}

// events draws rows with ids of their own, most of them good.
func events() *rapid.Generator[[]event] {
	return rapid.Custom(func(t *rapid.T) []event {
		list := make([]event, rapid.IntRange(0, 6).Draw(t, "rows"))
		for i := range list {
			list[i] = event{
				ID:      fmt.Sprintf("evt-%d-%06d", 1718000000000000000+i, i),
				Source:  rapid.SampledFrom([]string{"cc", "codex", "cc", "cursor", "CC"}).Draw(t, "source"),
				Type:    rapid.SampledFrom([]string{"stop", "stop", "Stop", ""}).Draw(t, "type"),
				Lane:    rapid.SampledFrom([]string{"fast", "gate", "release", "slow"}).Draw(t, "lane"),
				Payload: rapid.SampledFrom([]string{"{}", `{"a":1}`, `{"a":"` + "\u00fc\u2028" + `"}`, `{"a":1,"a":2}`, "[]", "", "\uFEFF{}"}).Draw(t, "payload"),
				TS:      rapid.SampledFrom([]int64{1718000000000000001, 1718000000000000002, 1718000000123, 1, 0, -5}).Draw(t, "ts"),
			}
		}
		if len(list) > 0 && rapid.Bool().Draw(t, "oddID") {
			list[0].ID = "x"
		}
		return list
	})
}

func exportOf(t testing.TB, list []event) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, e := range list {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func writeExport(t testing.TB, dir string, list []event) string {
	t.Helper()
	path := filepath.Join(dir, "export.ndjson")
	if err := os.WriteFile(path, exportOf(t, list), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The same rows fire the same rules, whether they are in a store, in its log or
// in an export.
func TestStoreAndExportAgree(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		list := events().Draw(r, "events")
		exported, err := mailbox.Verify(t.Context(), mailbox.Input{Path: writeExport(t, dir, list), TempDir: temp})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "mailbox.db")
		for _, p := range []string{path, path + "-wal", path + "-shm"} {
			os.Remove(p)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		run(t, db, "PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", "PRAGMA synchronous = OFF", unchecked)
		if rapid.Bool().Draw(r, "folded") {
			run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
		}
		for _, e := range list {
			if _, err := db.Exec("INSERT INTO bridge_events VALUES (?, ?, ?, ?, ?, ?)", e.ID, e.Source, e.Type, e.Lane, e.Payload, e.TS); err != nil {
				t.Fatal(err)
			}
		}
		stored, err := mailbox.Verify(t.Context(), mailbox.Input{Path: path, TempDir: temp})
		if err != nil {
			t.Fatal(err)
		}
		without := slices.DeleteFunc(allIDs(stored), func(id string) bool { return id == "mailbox.schema.check-missing" })
		if got := allIDs(exported); !vectors.SameRules(got, without) || exported.Rows != len(list) || stored.Rows != len(list) {
			t.Errorf("export %q, store %q, %d and %d rows of %+v", got, without, exported.Rows, stored.Rows, list)
		}
	})
}

// With an earlier export, nothing that happens to its rows is missed, and
// appending is no change.
func TestAppendOnly(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		list := make([]event, rapid.IntRange(1, 8).Draw(r, "rows"))
		for i := range list {
			list[i] = event{fmt.Sprintf("evt-%d-%06d", i, i), "cc", "Stop", "fast", "{}", 1718000000000000000 + int64(i)}
		}
		n := rapid.IntRange(1, len(list)).Draw(r, "earlier")
		earlier := exportOf(t, list[:n])
		now := slices.Clone(list)
		i := rapid.IntRange(0, len(list)-1).Draw(r, "row")
		want := ""
		if i < n {
			want = "mailbox.append-only.changed"
		}
		switch rapid.SampledFrom([]string{"nothing", "drop", "truncate", "source", "type", "lane", "payload", "ts", "swap"}).Draw(r, "what") {
		case "nothing", "swap": // the order is not what is kept
			now[0], now[i], want = now[i], now[0], ""
		case "drop":
			now = slices.Delete(now, i, i+1)
			if want != "" {
				want = "mailbox.append-only.removed"
			}
		case "truncate":
			now = now[:i]
			if want != "" {
				want = "mailbox.append-only.removed"
			}
		case "source":
			now[i].Source = "codex"
		case "type":
			now[i].Type = "Stop "
		case "lane":
			now[i].Lane = "gate"
		case "payload":
			now[i].Payload = "{ }"
		case "ts":
			now[i].TS++
		}
		o, err := mailbox.Verify(t.Context(), mailbox.Input{Path: writeExport(t, dir, now), Previous: bytes.NewReader(earlier), PreviousPath: "earlier.ndjson"})
		if err != nil {
			t.Fatal(err)
		}
		var wanted []string
		if want != "" {
			wanted = []string{want}
		}
		if got := verify.RuleIDs(o.Findings.List(), verify.Error); !vectors.SameRules(got, wanted) {
			t.Errorf("%q, want %q: %+v", got, wanted, o.Findings.List())
		}
	})
}
