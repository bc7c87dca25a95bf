package store_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/store"
)

// ceiling is a run of as many records as there may be, each as long as it may
// be.
func ceiling(b testing.TB, dir string) (run string, journal []byte) {
	events := make([]canon.Value, store.MaxEvents)
	for i := range events {
		events[i] = testEvent(i, "node.entered", "implement", "ok")
		room := 16384 - len(canon.Compact(events[i]))
		events[i] = canon.With(events[i], "message", str(strings.Repeat("m", room+len(fmt.Sprintf("step %d", i)))))
	}
	s := newScene("loom-of-many", events...)
	files := s.files()
	return write(b, dir, s.id, files), files[store.JournalFile]
}

// BenchmarkCeiling verifies the largest run: journal, snapshot and all.
func BenchmarkCeiling(b *testing.B) {
	dir := b.TempDir()
	run, journal := ceiling(b, dir)
	total := int64(0)
	for _, name := range []string{store.ConfigFile, store.JournalFile, store.SnapshotFile} {
		info, err := os.Stat(filepath.Join(run, name))
		if err != nil {
			b.Fatal(err)
		}
		total += info.Size()
	}
	for _, c := range []struct {
		name    string
		workers int
	}{{"one core", 1}, {"all cores", 0}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(total)
			b.ReportAllocs()
			for b.Loop() {
				opt := withKey(verify.Strict)
				opt.Workers = c.workers
				if res := verified(b, dir, opt); !res.Runs[0].Valid() || res.Runs[0].Records != store.MaxEvents {
					b.Fatal(res.Runs[0].Findings().List())
				}
			}
		})
	}
	b.Run("HMAC of the journal's bytes alone", func(b *testing.B) {
		b.SetBytes(int64(len(journal)))
		h := hmac.New(sha256.New, []byte(testKey))
		for b.Loop() {
			h.Reset()
			h.Write(journal)
			h.Sum(nil)
		}
	})
}
