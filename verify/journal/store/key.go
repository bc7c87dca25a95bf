package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"

	"finishline/canon"
)

// MinKey is the least length of an integrity key in bytes (11 §1).
const MinKey = 32

// A Key is the bridge's integrity key: the bytes of the text as given, neither
// trimmed nor decoded. The zero Key is no key. It prints as nothing.
type Key struct{ secret []byte }

// NewKey makes a key of a text; the empty text is no key.
func NewKey(text string) Key { return Key{[]byte(text)} }

// Given reports whether there is a key at all, be it too short.
func (k Key) Given() bool { return len(k.secret) > 0 }

// TooShort reports whether a given key is shorter than MinKey.
func (k Key) TooShort() bool { return k.Given() && len(k.secret) < MinKey }

func (k Key) usable() bool { return len(k.secret) >= MinKey }

// String and GoString keep the key out of messages.
func (k Key) String() string   { return "[integrity key]" }
func (k Key) GoString() string { return k.String() }

// Schemas of the sealed files; each starts the message of its keyed hash, so
// that a seal of one kind never is one of another.
const (
	JournalSchema  = "uash.bridge-event-journal.v1"
	ConfigSchema   = "uash.bridge-run-config.v1"
	SnapshotSchema = "uash.bridge-run-snapshot.v1"
)

// A mac computes keyed hashes, one after another (11 §3).
type mac struct {
	h    hash.Hash
	sum  [sha256.Size]byte
	head []byte // scratch for the start of a message
}

func (k Key) mac() *mac { return &mac{h: hmac.New(sha256.New, k.secret)} }

// start begins a message: the parts, each followed by a zero byte.
func (m *mac) start(parts ...string) io.Writer {
	m.head = m.head[:0]
	for _, p := range parts {
		m.head = append(append(m.head, p...), 0)
	}
	m.h.Reset()
	m.h.Write(m.head) // a hash never fails to write
	return m.h
}

// matches compares the digest of the message with its text, as bytes and in
// constant time.
func (m *mac) matches(text string) bool {
	want, err := hex.DecodeString(text)
	return err == nil && hmac.Equal(m.h.Sum(m.sum[:0]), want)
}

// record starts and writes the message of a journal record.
func (m *mac) record(runID, previous string, event []byte) {
	m.start(JournalSchema, canon.UTF8(runID), previous).Write(event)
}

func (m *mac) config(payload canon.Value) {
	canon.CompactTo(m.start(ConfigSchema), payload)
}

func (m *mac) snapshot(binding string, payload canon.Value) {
	canon.CompactTo(m.start(SnapshotSchema, binding), payload)
}

// bindingOf is the middle part of the snapshot's message, of its integrity
// member.
func bindingOf(integrity canon.Value) string {
	count, head := integrity.Get("eventCount"), integrity.Get("journalHeadDigest")
	if !head.Present() {
		head = canon.NewNull()
	}
	return string(canon.Compact(canon.Build(canon.Member{Name: "eventCount", Value: count}, canon.Member{Name: "journalHeadDigest", Value: head})))
}

// without is an object without some members.
func without(v canon.Value, names ...string) canon.Value {
	var rest []canon.Member
	for _, m := range v.Members() {
		if !slices.Contains(names, m.Name) {
			rest = append(rest, m)
		}
	}
	return canon.Build(rest...)
}
