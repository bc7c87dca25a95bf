package mailbox_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/journal/mailbox"
)

// A vector is a case of the area.
type vector struct {
	Name     string            `json:"case"`
	Kind     string            `json:"kind"`
	Rows     []json.RawMessage `json:"rows"`
	Previous []json.RawMessage `json:"previous"`
	File     string            `json:"file"`
	Expect   struct {
		Valid    bool     `json:"valid"`
		Rules    []string `json:"rules"`
		Warnings []string `json:"warnings"`
		Notes    []string `json:"notes"`
	} `json:"expect"`
	dir string // of the case's file
}

func loadVectors(t testing.TB) []vector {
	t.Helper()
	dir := vectors.Dir(t, "mailbox")
	var files []string
	for _, pattern := range []string{"*.json", "*/case.json"} {
		list, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	var list []vector
	for _, file := range files {
		v := vector{dir: filepath.Dir(file)}
		vectors.Read(t, file, &v)
		list = append(list, v)
	}
	return list
}

// ndjson writes rows as an export.
func ndjson(t testing.TB, rows []json.RawMessage) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, r := range rows {
		if err := json.Compact(&b, r); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// input is what a case gives, with every path in a directory of the test.
func (v vector) input(t testing.TB, level verify.Level) mailbox.Input {
	t.Helper()
	in := mailbox.Input{Level: level, TempDir: t.TempDir()}
	switch v.Kind {
	case "mailbox-export":
		in.Path = filepath.Join(t.TempDir(), "export.ndjson")
		if err := os.WriteFile(in.Path, ndjson(t, v.Rows), 0o600); err != nil {
			t.Fatal(err)
		}
		if v.Previous != nil {
			in.Previous, in.PreviousPath = bytes.NewReader(ndjson(t, v.Previous)), "previous.ndjson"
		}
	case "mailbox-sqlite":
		in.Path = filepath.Join(v.dir, v.File)
	default:
		t.Fatalf("unknown kind %q", v.Kind)
	}
	return in
}

// contents are the files of a directory, by name.
func contents(t testing.TB, dir string) map[string][32]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][32]byte{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = sha256.Sum256(data)
	}
	return files
}

func TestVectorsMailbox(t *testing.T) {
	tally := vectors.NewTally(t, "mailbox")
	for _, v := range loadVectors(t) {
		tally.Case(v.Name, func(t *testing.T) {
			for _, level := range []verify.Level{verify.Strict, verify.Base} {
				in := v.input(t, level)
				before := contents(t, filepath.Dir(in.Path))
				o, err := mailbox.Verify(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				if after := contents(t, filepath.Dir(in.Path)); !reflect.DeepEqual(before, after) {
					t.Errorf("%s: the files beside the store changed", level)
				}
				if left := contents(t, in.TempDir); len(left) > 0 {
					t.Errorf("%s: the private copy was left behind", level)
				}
				for severity, want := range map[verify.Severity][]string{verify.Error: v.Expect.Rules, verify.Warning: v.Expect.Warnings, verify.Note: v.Expect.Notes} {
					if got := verify.RuleIDs(o.Findings.List(), severity); !vectors.SameRules(got, want) {
						t.Errorf("%s: %ss %q, want %q: %+v", level, severity, got, want, o.Findings.List())
					}
				}
				if valid := o.Findings.Verdict() == verify.Pass; valid != v.Expect.Valid {
					t.Errorf("%s: valid %t, want %t", level, valid, v.Expect.Valid)
				}
				if want := len(v.Rows); v.Kind == "mailbox-export" && o.Rows != want && !slices.Contains(v.Expect.Rules, "mailbox.row.shape") {
					t.Errorf("%s: %d rows, want %d", level, o.Rows, want)
				}
			}
		})
	}
}
