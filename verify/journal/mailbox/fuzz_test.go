package mailbox_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"finishline/verify"
	"finishline/verify/journal/mailbox"
)

// FuzzExport holds: an export that passes is one of exactly as many JSON
// objects as there are lines, and compared with itself nothing of it is gone.
func FuzzExport(f *testing.F) {
	for _, v := range loadVectors(f) {
		if v.Kind == "mailbox-export" {
			f.Add(ndjson(f, v.Rows))
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "export")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := mailbox.Verify(t.Context(), mailbox.Input{Path: path, Form: mailbox.Export, Previous: bytes.NewReader(data), PreviousPath: "same"})
		if err != nil {
			t.Fatal(err)
		}
		if o.Findings.Has("mailbox.append-only.removed") {
			t.Errorf("rows are gone from themselves: %+v", o.Findings.List())
		}
		if o.Findings.Verdict() != verify.Pass {
			return
		}
		n := 0
		for line := range bytes.Lines(data) {
			var row map[string]any
			if err := json.Unmarshal(line, &row); err != nil || len(row) != 6 {
				t.Errorf("%q passes: %v", line, err)
			}
			n++
		}
		if n != o.Rows || o.Bytes != int64(len(data)) {
			t.Errorf("%d rows of %d, %d bytes of %d", o.Rows, n, o.Bytes, len(data))
		}
	})
}

// FuzzStore holds: whatever the database and its log hold, the files stay as
// they are, no copy is left behind, and there is an answer or a named trouble.
func FuzzStore(f *testing.F) {
	for _, v := range loadVectors(f) {
		if v.Kind != "mailbox-sqlite" {
			continue
		}
		db, err := os.ReadFile(filepath.Join(v.dir, v.File))
		if err != nil {
			f.Fatal(err)
		}
		wal, err := os.ReadFile(filepath.Join(v.dir, v.File+"-wal"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			f.Fatal(err)
		}
		f.Add(db, wal)
	}
	dir, temp := f.TempDir(), f.TempDir()
	f.Fuzz(func(t *testing.T, db, wal []byte) {
		path := filepath.Join(dir, "mailbox.db")
		os.Remove(path + "-wal")
		if err := os.WriteFile(path, db, 0o600); err != nil {
			t.Fatal(err)
		}
		if len(wal) > 0 {
			if err := os.WriteFile(path+"-wal", wal, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		before := contents(t, dir)
		o, err := mailbox.Verify(t.Context(), mailbox.Input{Path: path, TempDir: temp})
		var limit *mailbox.LimitError
		if err != nil && !errors.As(err, &limit) {
			t.Fatalf("%v", err)
		}
		if o != nil && o.Findings.Verdict() == verify.Pass && !bytes.HasPrefix(db, []byte("SQLite format 3\x00")) {
			t.Error("passes without a header")
		}
		after := contents(t, dir)
		if len(after) != len(before) || after["mailbox.db"] != before["mailbox.db"] || after["mailbox.db-wal"] != before["mailbox.db-wal"] {
			t.Error("the files of the store changed")
		}
		if left := contents(t, temp); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}
