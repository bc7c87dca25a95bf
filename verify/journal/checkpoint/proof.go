package checkpoint

import (
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"finishline/canon"
	"finishline/verify"
)

// Schemas of the two proofs.
const (
	InclusionSchema   = "finishline.journal-inclusion.v1"
	ConsistencySchema = "finishline.journal-consistency.v1"
)

// MaxProof bounds a proof document, in bytes: two notes, or one and a line,
// escaped, and a path.
const MaxProof = 1 << 20

// maxPath is more hashes than any path has: a tree of 2^62 records is that
// deep.
const maxPath = 64

// Prove writes the document which shows that the record of that index is one of
// those that a checkpoint commits to; line is its canonical line. The
// checkpoint must have passed [Verify] against this log.
func (l *Log) Prove(c *Opened, index int64, line []byte) ([]byte, error) {
	if index < 0 || index >= c.Size {
		return nil, &IndexError{index, c.Size}
	}
	path, err := tlog.ProveRecord(c.Size, index, tlog.HashReaderFunc(l.read))
	if err != nil {
		return nil, fmt.Errorf("prove record %d: %w", index, err)
	}
	if err := tlog.CheckRecord(path, c.Size, c.Root, index, tlog.RecordHash(line)); err != nil {
		return nil, fmt.Errorf("the proof of record %d that was just made does not verify: %w", index, err)
	}
	return canon.Pretty(canon.Build(
		canon.Member{Name: "schema", Value: canon.NewString(InclusionSchema)},
		canon.Member{Name: "checkpoint", Value: canon.NewString(string(c.File.Data))},
		canon.Member{Name: "index", Value: canon.NewNumber(float64(index))},
		canon.Member{Name: "line", Value: canon.NewString(string(line))},
		canon.Member{Name: "path", Value: hashes(path)},
	)), nil
}

// An IndexError says that a checkpoint does not commit to a record.
type IndexError struct{ Index, Size int64 }

func (e *IndexError) Error() string {
	return fmt.Sprintf("no record %d among the %d that the checkpoint commits to", e.Index, e.Size)
}

// Hint says what to do.
func (e *IndexError) Hint() string {
	return "records count from 0; a later record needs a later checkpoint"
}

// Consistency writes the document which shows that the second checkpoint only
// added records to the first. Both must have passed [Verify] against this log.
func (l *Log) Consistency(first, second *Opened) ([]byte, error) {
	if why := apart(first.Checkpoint, second.Checkpoint); why != "" {
		return nil, fmt.Errorf("nothing to prove between these checkpoints: %s", why)
	}
	var path tlog.TreeProof
	if first.Size > 0 {
		var err error
		if path, err = tlog.ProveTree(second.Size, first.Size, tlog.HashReaderFunc(l.read)); err != nil {
			return nil, fmt.Errorf("prove that %d records begin with %d: %w", second.Size, first.Size, err)
		}
	}
	if err := checkTree(path, first.Checkpoint, second.Checkpoint); err != nil {
		return nil, fmt.Errorf("the proof that was just made does not verify: %w", err)
	}
	return canon.Pretty(canon.Build(
		canon.Member{Name: "schema", Value: canon.NewString(ConsistencySchema)},
		canon.Member{Name: "first", Value: canon.NewString(string(first.File.Data))},
		canon.Member{Name: "second", Value: canon.NewString(string(second.File.Data))},
		canon.Member{Name: "path", Value: hashes(path)},
	)), nil
}

func hashes(path []tlog.Hash) canon.Value {
	list := make([]canon.Value, len(path))
	for i, h := range path {
		list[i] = canon.NewString(h.String())
	}
	return canon.NewArray(list...)
}

// apart says why two checkpoints are not an earlier and a later one of one log.
func apart(first, second Checkpoint) string {
	switch {
	case first.RunID != second.RunID:
		return fmt.Sprintf("one is of the run %s, the other of %s", first.RunID, second.RunID)
	case first.Origin != second.Origin:
		return "they have different origins"
	case second.Size < first.Size:
		return fmt.Sprintf("the second commits to %d records, the first to %d", second.Size, first.Size)
	}
	return ""
}

// checkTree checks the path between two checkpoints. Every log begins with
// nothing, which takes no hashes to show.
func checkTree(path []tlog.Hash, first, second Checkpoint) error {
	if first.Size > 0 {
		return tlog.CheckTree(path, second.Size, second.Root, first.Size, first.Root)
	}
	if len(path) > 0 {
		return errors.New("hashes from a log without records")
	}
	return nil
}

// A Proven is what a proof shows.
type Proven struct {
	// Index and Line are those of an inclusion proof, First and Second the
	// checkpoints: Second is the only one of an inclusion proof.
	Inclusion     bool
	Index         int64
	Line          string
	First, Second *Opened
}

// CheckProof verifies a proof with nothing but the keys that the caller trusts.
// It returns nil when there was a finding.
func CheckProof(out *verify.Findings, f File, keys []Verifier) *Proven {
	p := proof{out: out, f: f, rule: "ext.inclusion.mismatch", keys: keys}
	if !p.read() {
		return nil
	}
	if p.doc.At("schema").Is(ConsistencySchema) {
		p.rule = "ext.consistency.mismatch"
		return p.consistency()
	}
	return p.inclusion()
}

// proof is a document under verification.
type proof struct {
	out  *verify.Findings
	f    File
	rule string // the one that is broken
	doc  canon.Node
	keys []Verifier
}

func (p *proof) fail(pointer, found, expected string) {
	p.out.Add(p.rule, verify.At(p.f.Path, pointer), verify.What{Found: found, Expected: expected})
}

// read reads the document strictly.
func (p *proof) read() bool {
	doc, err := canon.Read(p.f.Data, MaxProof)
	if err != nil {
		p.fail("", err.Error(), "a JSON document")
		return false
	}
	if len(doc.Defects) > 0 {
		d := doc.Defects[0]
		p.fail(d.Pointer, d.Detail, "JSON with one reading")
		return false
	}
	p.doc = doc.Node()
	return true
}

// members demands exactly these members, the named ones strings.
func (p *proof) members(strings []string, others ...string) bool {
	for _, name := range append(strings[:len(strings):len(strings)], others...) {
		if !p.doc.Has(name) {
			p.fail("", "no member "+name, "a whole proof")
			return false
		}
	}
	for _, name := range strings {
		if n := p.doc.At(name); n.Kind() != canon.String {
			p.fail(n.Pointer, verify.Show(n.Value), "a string")
			return false
		}
	}
	if n := len(strings) + len(others); p.doc.Len() != n {
		p.fail("", verify.Show(p.doc.Value), fmt.Sprintf("%d members only", n))
		return false
	}
	return true
}

// path reads the hashes.
func (p *proof) path() ([]tlog.Hash, bool) {
	n := p.doc.At("path")
	if !n.IsArray() || n.Len() > maxPath {
		p.fail(n.Pointer, verify.Show(n.Value), fmt.Sprintf("an array of at most %d hashes", maxPath))
		return nil, false
	}
	list := make([]tlog.Hash, n.Len())
	for i, item := range n.Items() {
		s, ok := item.Str()
		h, err := parseHash(s)
		if !ok || err != nil {
			p.fail(item.Pointer, verify.Show(item.Value), "the padded base64 of 32 bytes")
			return nil, false
		}
		list[i] = h
	}
	return list, true
}

func (p *proof) open(member string) *Opened {
	n := p.doc.At(member)
	return Open(p.out, verify.At(p.f.Path, n.Pointer), File{Path: p.f.Path + " " + member, Data: []byte(n.Text())}, p.keys)
}

func (p *proof) inclusion() *Proven {
	if n := p.doc.At("schema"); !n.Is(InclusionSchema) {
		p.fail(n.Pointer, verify.Show(n.Value), InclusionSchema+" or "+ConsistencySchema)
		return nil
	}
	if !p.members([]string{"schema", "checkpoint", "line"}, "index", "path") {
		return nil
	}
	path, ok := p.path()
	if !ok {
		return nil
	}
	c := p.open("checkpoint")
	if c == nil {
		return nil
	}
	index, ok := p.doc.At("index").Integer()
	if !ok || index < 0 || index >= float64(c.Size) {
		p.fail("/index", verify.Show(p.doc.At("index").Value), fmt.Sprintf("an index below the %d records of the checkpoint", c.Size))
		return nil
	}
	line := p.doc.At("line").Text()
	if err := tlog.CheckRecord(path, c.Size, c.Root, int64(index), tlog.RecordHash([]byte(line))); err != nil {
		p.fail("", fmt.Sprintf("line, index and path give another root than %s", c.Root), "the root of the checkpoint")
		return nil
	}
	return &Proven{Inclusion: true, Index: int64(index), Line: line, Second: c}
}

func (p *proof) consistency() *Proven {
	if !p.members([]string{"schema", "first", "second"}, "path") {
		return nil
	}
	path, ok := p.path()
	if !ok {
		return nil
	}
	first, second := p.open("first"), p.open("second")
	if first == nil || second == nil {
		return nil
	}
	if why := apart(first.Checkpoint, second.Checkpoint); why != "" {
		p.fail("", why, "an earlier and a later checkpoint of one journal")
		return nil
	}
	if err := checkTree(path, first.Checkpoint, second.Checkpoint); err != nil {
		p.fail("/path", "hashes that do not lead from the first root to the second", "the path between them")
		return nil
	}
	return &Proven{First: first, Second: second}
}
