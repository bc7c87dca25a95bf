package store

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/event"
)

// A sealed is one of the two sealed documents of a run, as it was read.
type sealed struct {
	kind  sealedKind
	where presence
	sealChecks
	value     canon.Value // the document; absent when it could not be read
	payload   canon.Value // without its integrity member
	sha256    string      // of the file
	hashed    bool        // a keyed hash was compared
	canonic   bool        // the file has the canonical bytes, once compared
	comparing sync.WaitGroup
	defects   []canon.Defect
	bom       bool
	unread    error // not looked at
}

// A sealedKind is what differs between configuration and snapshot.
type sealedKind struct {
	family    string // of rules
	file      string
	integrity string // member
	maxBytes  int64
}

var (
	configKind   = sealedKind{"runconfig", ConfigFile, "integrity", MaxConfig}
	snapshotKind = sealedKind{"snapshot", SnapshotFile, "snapshotIntegrity", MaxSnapshot}
)

func (s *sealed) present() bool { return s.where == present && s.unread == nil }

// usable reports whether the document passed its own checks.
func (s *sealed) usable(m mode) bool { return s.present() && len(s.failing(m)) == 0 }

func (s *sealed) fail(rule, pointer string, what verify.What) {
	s.before = append(s.before, problem{rule: s.kind.family + "." + rule, pointer: pointer, what: what})
}

const scheme = "hmac-sha256"

// readConfig reads run-config.json of a run directory and checks it by itself
// (11 §4.3).
func readConfig(dir string, key Key) *sealed {
	s := read(dir, configKind)
	defer s.comparing.Wait()
	if !s.value.IsObject() {
		return s
	}
	integrity := s.value.Get("integrity")
	if !integrity.Get("scheme").Is(scheme) {
		s.fail("integrity.scheme", "/integrity/scheme", expects(integrity.Get("scheme"), scheme))
		return s
	}
	digest := integrity.Get("digest")
	if !canon.IsHex64(digest.Text()) {
		s.fail("integrity.digest-format", "/integrity/digest", expects(digest, "64 hexadecimal digits"))
		return s
	}
	if key.usable() {
		m := key.mac()
		m.config(s.payload)
		s.compare(m, digest.Text(), "/integrity/digest")
	}
	s.identity("runId")
	return s
}

// readSnapshot reads run.json of a run directory and checks it by itself
// (11 §4.4).
func readSnapshot(dir string, key Key) *sealed {
	s := read(dir, snapshotKind)
	defer s.comparing.Wait()
	if !s.value.IsObject() {
		return s
	}
	if !key.usable() {
		s.judgeSnapshot(nil)
		return s
	}
	s.judgeSnapshot(func() *mac {
		m := key.mac()
		m.snapshot(bindingOf(s.value.Get(s.kind.integrity)), s.payload)
		return m
	})
	return s
}

// judgeSnapshot checks a snapshot that was read. Message returns a mac that has
// the message of its keyed hash; it is nil without a usable key.
func (s *sealed) judgeSnapshot(message func() *mac) {
	integrity := s.value.Get("snapshotIntegrity")
	count, head, digest := integrity.Get("eventCount"), integrity.Get("journalHeadDigest"), integrity.Get("digest")
	n, integral := count.Integer()
	switch {
	case !integrity.Get("schema").Is(SnapshotSchema):
		s.fail("integrity.schema", "/snapshotIntegrity/schema", expects(integrity.Get("schema"), SnapshotSchema))
	case !integrity.Get("scheme").Is(scheme):
		s.fail("integrity.scheme", "/snapshotIntegrity/scheme", expects(integrity.Get("scheme"), scheme))
	case !integral || n < 0:
		s.fail("integrity.event-count", "/snapshotIntegrity/eventCount", expects(count, "a whole number, 0 or more"))
	case head.Present() && !head.IsNull() && !canon.IsHex64(head.Text()):
		s.fail("integrity.head-format", "/snapshotIntegrity/journalHeadDigest", expects(head, "64 hexadecimal digits, or null"))
	case !canon.IsHex64(digest.Text()):
		s.fail("integrity.digest-format", "/snapshotIntegrity/digest", expects(digest, "64 hexadecimal digits"))
	default:
		if message != nil {
			s.compare(message(), digest.Text(), "/snapshotIntegrity/digest")
		}
		s.identity("id")
	}
}

func expects(v canon.Value, want string) verify.What {
	return verify.What{Found: verify.Show(v), Expected: want}
}

func (s *sealed) compare(m *mac, digest, pointer string) {
	s.hashed = true
	if !m.matches(digest) {
		s.forged = &problem{rule: s.kind.family + ".integrity.mac-mismatch", pointer: pointer,
			what: verify.What{Found: "another keyed hash", Expected: "that of this document under the integrity key"}}
	}
}

func (s *sealed) identity(member string) {
	if id, ok := s.value.Get(member).Str(); !ok || !event.IsRunID(id) {
		s.after = append(s.after, problem{rule: s.kind.family + ".run-id.invalid", pointer: "/" + member,
			what: expects(s.value.Get(member), "1 to 128 letters, digits and . _ -, the first a letter or digit")})
	}
}

// read reads the document as far as it is one.
func read(dir string, kind sealedKind) *sealed {
	s := &sealed{kind: kind}
	f, where, err := open(filepath.Join(dir, kind.file), kind.file, kind.maxBytes)
	s.where = where
	switch where {
	case absent:
		return s
	case unread:
		s.unread = err
		return s
	case notRegular:
		s.fail("file.not-regular", "", verify.What{Found: "not a regular file", Expected: "a file"})
		return s
	case tooLarge:
		s.fail("file.too-large", "", verify.What{Found: err.Error(), Expected: fmt.Sprintf("at most %d bytes", kind.maxBytes)})
		return s
	}
	defer f.Close()
	data, err := f.all()
	if err != nil {
		s.unread = err
		return s
	}
	var hashing sync.WaitGroup
	hashing.Go(func() { s.sha256 = canon.SHA256(data) })
	s.parse(data)
	hashing.Wait()
	return s
}

func (s *sealed) parse(data []byte) {
	s.bom = bytes.HasPrefix(data, []byte("\xEF\xBB\xBF"))
	doc, err := canon.Read(data, int(s.kind.maxBytes))
	if err != nil {
		p := problem{rule: s.kind.family + ".json.invalid", what: verify.What{Found: err.Error(), Expected: "a JSON object"}}
		var re *canon.ReadError
		if errors.As(err, &re) {
			p.line, p.what.Found = re.Line, re.Reason
		}
		if s.bom {
			p.what.Found = "a byte order mark before the document"
		}
		s.before = append(s.before, p)
		return
	}
	if !doc.Root.IsObject() {
		s.fail("json.invalid", "", expects(doc.Root, "a JSON object"))
		return
	}
	s.value, s.defects = doc.Root, doc.Defects
	s.payload = without(doc.Root, s.kind.integrity)
	s.comparing.Go(func() { s.canonic = s.isCanonical(data) })
}

// isCanonical compares the file with the text a conforming writer gives the
// document: pretty, the integrity member last and in order, a final LF.
func (s *sealed) isCanonical(data []byte) bool {
	integrity := s.value.Get(s.kind.integrity)
	doc := s.payload
	if integrity.Present() {
		doc = canon.With(doc, s.kind.integrity, ordered(integrity, s.kind.integrityMembers()...))
	}
	m := &matcher{rest: data}
	canon.PrettyTo(m, doc) // a matcher takes everything
	m.Write([]byte{'\n'})
	return m.matched()
}

func (k sealedKind) integrityMembers() []string {
	if k.integrity == "integrity" {
		return []string{"scheme", "digest"}
	}
	return []string{"schema", "scheme", "eventCount", "journalHeadDigest", "digest"}
}

// ordered is an object with the named members first, as far as it has them.
func ordered(v canon.Value, names ...string) canon.Value {
	if !v.IsObject() {
		return v
	}
	members := make([]canon.Member, 0, v.Len())
	known := map[string]bool{}
	for _, n := range names {
		known[n] = true
		if v.Has(n) {
			members = append(members, canon.Member{Name: n, Value: v.Get(n)})
		}
	}
	for _, m := range v.Members() {
		if !known[m.Name] {
			members = append(members, m)
		}
	}
	return canon.Build(members...)
}

// A matcher is written a text piece by piece and compares it with another.
type matcher struct {
	rest   []byte
	differ bool
}

func (m *matcher) Write(p []byte) (int, error) {
	if m.differ || !bytes.HasPrefix(m.rest, p) {
		m.differ = true
		return len(p), nil
	}
	m.rest = m.rest[len(p):]
	return len(p), nil
}

func (m *matcher) text(s string) {
	if rest, ok := bytes.CutPrefix(m.rest, []byte(s)); ok && !m.differ {
		m.rest = rest
		return
	}
	m.differ = true
}

// matched reports whether exactly the other text was written.
func (m *matcher) matched() bool { return !m.differ && len(m.rest) == 0 }
