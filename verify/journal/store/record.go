package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/event"
	"finishline/verify/journal/flat"
	"finishline/verify/journal/lines"
)

const chainScheme = "hmac-sha256-chain"

// A parsed is what a worker makes of one line that holds a record.
type parsed struct {
	line  int
	early []problem // size, JSON, shape and schema: before the chain is looked at

	previous  canon.Value // stored, empty values read as null
	genesis   bool        // it is stored as a literal null
	digest    string      // as stored
	seal      sealChecks  // scheme, form and keyed hash; then contract and claim
	id        string
	event     canon.Value
	text      []byte // of the event in its line, where that is its compact text; held until it is delivered
	canonical []byte // the line in canonical form, when kept
	beyond    []verify.Finding
	strict    []problem
}

// A parser turns lines into records. Each worker has one.
type parser struct {
	runID    string
	artifact string
	mac      *mac // nil without a usable key
	keep     bool // canonical lines
	plainly  bool // see Options

	lean flat.Parser
	text []byte // scratch for the compact text of an event
}

// lineOf is the text between the line terminators, LF or CRLF.
func lineOf(l *lines.Line) []byte {
	if l.TooLong {
		return l.Text
	}
	return l.WithoutCR()
}

// parse reads one line, which is not empty.
func (p *parser) parse(l *lines.Line) parsed {
	text := lineOf(l)
	r := parsed{line: l.Number}
	if l.TooLong {
		r.early = one("journal.line.too-large", verify.What{Found: fmt.Sprintf("%d bytes", l.Size), Expected: fmt.Sprintf("at most %d", MaxRecord)})
		return r
	}
	if !utf8.Valid(text) {
		r.addStrict("strict.utf8", "", verify.What{Found: "bytes that are not well-formed UTF-8"})
		text = []byte(canon.DecodeUTF8(text))
	}
	if len(text) > MaxRecord {
		r.early = one("journal.line.too-large", verify.What{Found: fmt.Sprintf("%d bytes", len(text)), Expected: fmt.Sprintf("at most %d", MaxRecord)})
		return r
	}
	doc := p.canonical(&r, text)
	if doc == nil {
		var err error
		if doc, err = canon.Read(text, maxDecoded); err != nil {
			r.early = one("journal.line.json-invalid", verify.What{Found: syntax(err), Expected: "one JSON value"})
			return r
		}
	}
	p.record(&r, doc, text)
	return r
}

// leanDepth is the deepest record that is read as canonical text. In a snapshot
// its event lies one level deeper, far from where canon.Read ends.
const leanDepth = 64

// canonical reads a line that is spelled canonically, as nearly all are, at a
// fraction of what [canon.Read] takes and without writing the event's text
// again, which is in the line. It returns nil for every other line; what is odd
// about it, if anything, is for canon.Read to find.
func (p *parser) canonical(r *parsed, text []byte) *canon.Document {
	if p.plainly || p.lean.Parse(text, leanDepth).Code != flat.OK {
		return nil
	}
	root, ok := p.lean.Root().Tree()
	if !ok || !root.IsObject() || len(p.lean.Root().Raw()) != len(text) { // white space around it
		return nil
	}
	if ev := p.lean.Root().Get("event"); ev.Kind() == flat.Object {
		r.text = ev.Raw()
	}
	return &canon.Document{Root: root}
}

// maxDecoded bounds the decoded text that is read as JSON.
const maxDecoded = 3 * (MaxRecord + 1)

func one(rule string, what verify.What) []problem { return []problem{{rule: rule, what: what}} }

func syntax(err error) string {
	var re *canon.ReadError
	if errors.As(err, &re) {
		return fmt.Sprintf("%s (column %d)", re.Reason, re.Column)
	}
	return err.Error()
}

func (r *parsed) addStrict(rule, pointer string, what verify.What) {
	r.strict = append(r.strict, problem{rule: rule, pointer: pointer, line: r.line, what: what})
}

// record checks the record of a line as far as it shows by itself.
func (p *parser) record(r *parsed, doc *canon.Document, text []byte) {
	root := doc.Root
	r.event = root.Get("event")
	switch {
	case !root.IsObject():
		r.early = one("journal.record.shape", verify.What{Found: verify.Show(root), Expected: "an object with event and integrity"})
		return
	case !r.event.IsObject():
		r.early = []problem{{rule: "journal.record.shape", pointer: "/event", what: expects(r.event, "an object")}}
		return
	case !root.Get("schema").Is(JournalSchema):
		r.early = []problem{{rule: "journal.record.schema", pointer: "/schema", what: expects(root.Get("schema"), JournalSchema)}}
		return
	}
	eventText := r.text
	if eventText == nil {
		p.text = canon.AppendCompact(p.text[:0], r.event)
		eventText = p.text
	}
	r.id = r.event.Get("id").Text()
	r.strictRecord(doc, text, eventText)
	p.integrity(r, root.Get("integrity"), eventText)
	p.contract(r, len(eventText))
	if p.keep {
		r.canonical = canon.Compact(canonicalRecord(root))
	}
}

// integrity checks the seal of a record.
func (p *parser) integrity(r *parsed, integrity canon.Value, eventText []byte) {
	r.previous = integrity.Get("previousDigest")
	r.genesis = r.previous.IsNull()
	if !r.previous.Truthy() {
		r.previous = canon.NewNull()
	}
	digest := integrity.Get("digest")
	r.digest = digest.Text()
	switch {
	case !integrity.Get("scheme").Is(chainScheme):
		r.seal.before = []problem{{rule: "journal.integrity.scheme", pointer: "/integrity/scheme", what: expects(integrity.Get("scheme"), chainScheme)}}
	case !canon.IsHex64(r.digest):
		r.seal.before = []problem{{rule: "journal.integrity.digest-format", pointer: "/integrity/digest", what: expects(digest, "64 hexadecimal digits")}}
	case p.mac != nil:
		p.mac.record(p.runID, r.previous.Text(), eventText)
		if !p.mac.matches(r.digest) {
			r.seal.forged = &problem{rule: "journal.integrity.mac-mismatch", pointer: "/integrity/digest", what: verify.What{
				Found: "another keyed hash", Expected: "that of this event after its predecessor, in this run, under the integrity key"}}
		}
	}
}

// contract checks the event and its sealed claim, which come after the seal.
func (p *parser) contract(r *parsed, size int) {
	at := verify.Place{Artifact: p.artifact, Pointer: "/event", Line: r.line}
	invalid, beyond := event.Stored(r.event, size, at)
	r.beyond = beyond
	if len(invalid) > 0 {
		found := invalid[0].Rule
		if len(invalid) > 1 {
			found = fmt.Sprintf("%s and %d more", found, len(invalid)-1)
		}
		r.seal.after = []problem{{rule: "journal.event.contract", pointer: "/event", causes: invalid,
			what: verify.What{Found: "an event that breaks " + found, Expected: "an event of " + event.ContractVersion}}}
		return
	}
	r.seal.after = claimProblems(r.event)
}

// needsClaim reports whether an event must carry a sealed artifact claim
// (11 §3.1).
func needsClaim(ev canon.Value) bool {
	t := ev.Get("type")
	return t.Is(event.ArtifactWritten) || t.Is(event.ApprovalGranted) && ev.Get("artifact").Truthy()
}

func claimProblems(ev canon.Value) (list []problem) {
	if !needsClaim(ev) {
		return nil
	}
	claim := ev.Get("artifactVerification")
	add := func(rule, member, want string) {
		p := problem{rule: "journal.seal." + rule, pointer: "/event/artifactVerification"}
		if p.what = expects(claim, want); member != "" {
			p.pointer += "/" + member
			p.what = expects(claim.Get(member), want)
		}
		list = append(list, p)
	}
	if !claim.IsObject() {
		add("missing", "", "the claim that the bridge sealed about the artifact")
		return list
	}
	for _, m := range []string{"checked", "exists"} {
		if !claim.Get(m).IsBool(true) {
			add("flags", m, "true")
		}
	}
	for _, m := range []string{"path", "realPath"} {
		if _, ok := claim.Get(m).Str(); !ok {
			add("paths", m, "a path")
		}
	}
	if n, ok := claim.Get("size").Finite(); !ok || n < 0 {
		add("size", "size", "a number of bytes, 0 or more")
	}
	if n, ok := claim.Get("mtimeMs").Finite(); !ok || n < 0 {
		add("mtime", "mtimeMs", "a number of milliseconds, 0 or more")
	}
	if !sealedDigest(claim) {
		add("sha256", "sha256", "64 lower-case hexadecimal digits")
	}
	return list
}

// sealedDigest reports whether a claim has a lower-case SHA-256.
func sealedDigest(claim canon.Value) bool {
	return canon.IsLowerHex(claim.Get("sha256").Text(), 64)
}

var (
	recordMembers    = []string{"schema", "event", "integrity"}
	integrityMembers = []string{"scheme", "previousDigest", "digest"}
)

// canonicalRecord is the record with its envelope in canonical order; members
// the format does not know come after those it does (11 §9).
func canonicalRecord(root canon.Value) canon.Value {
	if i := root.Get("integrity"); i.IsObject() {
		root = canon.With(root, "integrity", ordered(i, integrityMembers...))
	}
	return ordered(root, recordMembers...)
}

// inOrder reports whether the named members of an object come first and in that
// order, as far as it has them: whether [ordered] leaves it as it is.
func inOrder(v canon.Value, names []string) bool {
	next := 0
	for _, m := range v.Members() {
		switch i := slices.Index(names, m.Name); {
		case i < 0:
			next = len(names)
		case i < next:
			return false
		default:
			next = i + 1
		}
	}
	return true
}

// isCanonical compares a decoded line with the canonical text of its record, of
// which the event is written already.
func (r *parsed) isCanonical(root canon.Value, text, eventText []byte) bool {
	if r.text != nil { // all is spelled canonically, in the order in which it is
		return inOrder(root, recordMembers) && inOrder(root.Get("integrity"), integrityMembers)
	}
	for i, m := range root.Members() {
		if i >= len(recordMembers) || m.Name != recordMembers[i] {
			return bytes.Equal(text, canon.Compact(canonicalRecord(root)))
		}
	}
	integrity := root.Get("integrity")
	if integrity.IsObject() {
		integrity = ordered(integrity, integrityMembers...)
	}
	m := matcher{rest: text}
	m.text(`{"schema":`)
	m.Write(canon.Compact(root.Get("schema")))
	m.text(`,"event":`)
	m.Write(eventText)
	if integrity.Present() {
		m.text(`,"integrity":`)
		m.Write(canon.Compact(integrity))
	}
	m.text("}")
	return m.matched()
}

// strictRecord is what section 9 has against a line. Text is decoded.
func (r *parsed) strictRecord(doc *canon.Document, text, eventText []byte) {
	root := doc.Root
	for _, d := range doc.Defects {
		if rule, ok := strictOf[d.Rule]; ok {
			r.addStrict(rule, d.Pointer, verify.What{Found: d.Detail})
		}
	}
	if !r.isCanonical(root, text, eventText) {
		r.addStrict("strict.journal.non-canonical", "", verify.What{Found: "a record that is spelled or ordered otherwise", Expected: "the canonical text of the record"})
	}
	r.envelope(root, recordMembers, "")
	r.envelope(root.Get("integrity"), integrityMembers, "/integrity")
	for _, m := range r.event.Members() {
		if !event.IsMember(m.Name) {
			r.addStrict("strict.event-unknown-field", "/event/"+canon.EscapePointer(m.Name), verify.What{Found: "a member named " + verify.Quote(m.Name), Expected: "only members of the event contract"})
		}
	}
	for _, name := range integrityMembers[1:] {
		if v := root.Get("integrity").Get(name).Text(); canon.IsHex64(v) && canon.HasUpperHex(v) {
			r.addStrict("strict.digest-case", "/integrity/"+name, verify.What{Found: verify.Quote(v), Expected: "lower-case hexadecimal"})
		}
	}
}

// strictOf names what the reader of JSON found in the words of section 9.
// Ill-formed UTF-8 of a journal line is reported before the line is decoded.
var strictOf = map[string]string{
	"strict.json.duplicate-key":  "strict.duplicate-key",
	"strict.json.lone-surrogate": "strict.surrogate",
	"strict.json.invalid-utf8":   "strict.utf8",
}

func (r *parsed) envelope(v canon.Value, want []string, pointer string) {
	if what, ok := envelopeDiffers(v, want); ok {
		r.addStrict("strict.envelope-unknown-field", pointer, what)
	}
}

// envelopeDiffers reports a member that an envelope lacks or has beyond those
// of the format.
func envelopeDiffers(v canon.Value, want []string) (verify.What, bool) {
	differs := func(found string) (verify.What, bool) {
		return verify.What{Found: found, Expected: "exactly " + strings.Join(want, ", ")}, true
	}
	for _, n := range want {
		if !v.Has(n) {
			return differs("no member " + n)
		}
	}
	for _, m := range v.Members() {
		if !slices.Contains(want, m.Name) {
			return differs("a member named " + verify.Quote(m.Name))
		}
	}
	return verify.What{}, false
}
