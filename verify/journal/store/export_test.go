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
		binding = bindingOf(s.value.Get("snapshotIntegrity"))
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

// PlainlyForTest has nothing read in the faster ways.
func PlainlyForTest(o Options) Options {
	o.plainly = true
	return o
}

// BesideForTest reports whether the snapshot of a run directory is read beside
// its journal.
func BesideForTest(t testing.TB, dir string, o Options) bool {
	t.Helper()
	o.progressed = new(int64)
	r := &run{ctx: t.Context(), opt: o, dir: dir, name: filepath.Base(dir), config: readConfig(dir, o.Key)}
	journal, err := r.readBeside()
	if err != nil {
		t.Fatal(err)
	}
	return journal != nil
}

// LaidOutForTest reports whether a text in pieces is exactly the pretty text of
// a value at a depth, of which the compact text is given.
func LaidOutForTest(compact, text []byte, depth, pieceBytes int) bool {
	c := &companion{src: readAhead(bytes.NewReader(text), pieceBytes)}
	defer c.src.close()
	return c.laidOut(compact, depth) && !c.more()
}

// InOrderForTest reports whether an envelope is in canonical order, and the same
// by putting it in that order.
func InOrderForTest(v canon.Value) (inOrderNow, unchanged bool) {
	return inOrder(v, integrityMembers), canon.Same(v, ordered(v, integrityMembers...))
}
