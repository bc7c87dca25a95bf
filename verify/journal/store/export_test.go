package store

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os"
	"path/filepath"
	"testing"

	"finishline/canon"
)

// A recorder is a hash that keeps what it is written.
type recorder struct {
	hash.Hash
	text bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) { return r.text.Write(p) }
func (r *recorder) Reset()                      { r.text.Reset() }

// MessageForTest is the message of a keyed hash, and the binding of a
// snapshot's.
func MessageForTest(t *testing.T, dir, file, runID string, index int) (message []byte, binding string) {
	rec := &recorder{Hash: sha256.New()}
	m := &mac{h: rec}
	switch file {
	case ConfigFile:
		m.config(readConfig(dir, Key{}).payload)
	case SnapshotFile:
		s := readSnapshot(dir, Key{})
		i := s.value.Get("snapshotIntegrity")
		binding = snapshotBinding(i.Get("eventCount"), i.Get("journalHeadDigest"))
		m.snapshot(binding, s.payload)
	case JournalFile:
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := canon.Read(bytes.Split(data, []byte("\n"))[index], canon.MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		m.record(runID, doc.Root.Get("integrity").Get("previousDigest").Text(), canon.Compact(doc.Root.Get("event")))
	}
	return rec.text.Bytes(), binding
}

func HashForTest(key string, message []byte) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write(message)
	return hex.EncodeToString(h.Sum(nil))
}

// ProjectForTest replays events from the base of a policy.
func ProjectForTest(policy canon.Value, events []canon.Value) *State {
	s := base(policy)
	for _, ev := range events {
		s.apply(ev)
	}
	return s
}
