package checkpoint_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"finishline/verify"
	"finishline/verify/journal/checkpoint"
)

// A seeded reader gives the same bytes for the same seed.
type seeded struct {
	state [32]byte
	left  []byte
}

func seed(s string) *seeded { return &seeded{state: sha256.Sum256([]byte(s))} }

func (r *seeded) Read(p []byte) (int, error) {
	for i := range p {
		if len(r.left) == 0 {
			r.state = sha256.Sum256(r.state[:])
			r.left = r.state[:]
		}
		p[i], r.left = r.left[0], r.left[1:]
	}
	return len(p), nil
}

func signer(t testing.TB, name string) checkpoint.Signer {
	t.Helper()
	text, _, err := checkpoint.GenerateKey(seed(name), name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := checkpoint.ParseSigner(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func made(n int, salt string) journal {
	j := journal{RunID: "atlas-7", StorageKey: fmt.Sprintf("run-%x", sha256.Sum256([]byte("atlas-7"))), Config: strings.Repeat("c0", 32)}
	for i := range n {
		line := fmt.Sprintf(`{"event":{"id":"e%d%s"}}`, i, salt)
		j.Records = append(j.Records, record{line, fmt.Sprintf("%x", sha256.Sum256([]byte("digest "+line)))})
	}
	return j
}

func sign(t testing.TB, l *checkpoint.Log, previous []byte, s checkpoint.Signer) []byte {
	t.Helper()
	c, err := l.Checkpoint("", previous)
	if err != nil {
		t.Fatal(err)
	}
	data, err := checkpoint.Sign(c, s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func verified(l *checkpoint.Log, s checkpoint.Signer, notes ...[]byte) ([]*checkpoint.Opened, *verify.Findings) {
	out := checkpoint.Table.Collect(verify.Strict)
	var files []checkpoint.File
	for _, n := range notes {
		files = append(files, checkpoint.File{Path: "c", Data: n})
	}
	return checkpoint.Verify(out, l, files, []checkpoint.Verifier{s.Verifier}), out
}

// What is made here, golang.org/x/mod reads: the note, and both proofs.
func TestInteroperable(t *testing.T) {
	s := signer(t, "example.org/journal")
	text := s.Verifier.ID()
	for n := 1; n <= 9; n++ {
		j := made(n, "")
		l := j.log(t)
		data := sign(t, l, nil, s)
		opened, err := note.Open(data, note.VerifierList(s.Verifier.Verifier))
		if err != nil {
			t.Fatalf("note.Open: %v", err)
		}
		if id := fmt.Sprintf("%s+%08x", opened.Sigs[0].Name, opened.Sigs[0].Hash); id != text {
			t.Errorf("signed by %s, want %s", id, text)
		}
		lines := strings.Split(opened.Text, "\n")
		root, err := tlog.ParseHash(lines[2])
		if err != nil {
			t.Fatal(err)
		}
		passed, out := verified(l, s, data)
		if len(passed) != 1 {
			t.Fatalf("%+v", out.List())
		}
		for i := range n {
			document, err := l.Prove(passed[0], int64(i), []byte(j.Records[i].Line))
			if err != nil {
				t.Fatal(err)
			}
			var p struct {
				Index int64            `json:"index"`
				Line  string           `json:"line"`
				Path  tlog.RecordProof `json:"path"`
			}
			if err := json.Unmarshal(document, &p); err != nil {
				t.Fatal(err)
			}
			if err := tlog.CheckRecord(p.Path, int64(n), root, p.Index, tlog.RecordHash([]byte(p.Line))); err != nil {
				t.Errorf("tlog.CheckRecord: %v", err)
			}
		}
	}
}

// Signature lines that others add change nothing, and are kept.
func TestForeignLinesAreKept(t *testing.T) {
	s, witness := signer(t, "example.org/journal"), signer(t, "witness.example")
	l := made(4, "").log(t)
	data := sign(t, l, nil, s)
	n, err := note.Open(data, note.VerifierList(s.Verifier.Verifier))
	if err != nil {
		t.Fatal(err)
	}
	both, err := note.Sign(n, witness.Signer)
	if err != nil {
		t.Fatal(err)
	}
	passed, out := verified(l, s, both)
	if len(passed) != 1 || !bytes.Equal(passed[0].File.Data, both) || len(passed[0].Signers) != 1 {
		t.Fatalf("%+v %+v", passed, out.List())
	}
	if passed, _ := verified(l, witness, both); len(passed) != 1 {
		t.Error("the witness's own line does not count for those who trust it")
	}
	document, err := l.Prove(passed[0], 2, []byte(made(4, "").Records[2].Line))
	if err != nil || !strings.Contains(string(document), witness.Verifier.Name()) {
		t.Errorf("the proof has lost the line of the witness: %v\n%s", err, document)
	}
}

// Whatever happens to a journal after it was signed for, a checkpoint shows it,
// unless the records it commits to are all there and unchanged.
func TestTamperedJournal(t *testing.T) {
	s := signer(t, "example.org/journal")
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(r, "records")
		at := rapid.IntRange(1, n).Draw(r, "signed")
		j := made(n, "")
		early := j
		early.Records = j.Records[:at]
		data := sign(t, early.log(t), nil, s)
		want := []record(nil)
		want = append(want, early.Records...)

		now := made(n, "")
		i := rapid.IntRange(0, n-1).Draw(r, "record")
		k := rapid.IntRange(0, n-1).Draw(r, "other")
		switch rapid.SampledFrom([]string{"none", "flip", "drop", "duplicate", "swap", "truncate", "digest"}).Draw(r, "what") {
		case "flip":
			now.Records[i].Line += "x"
		case "drop":
			now.Records = append(now.Records[:i:i], now.Records[i+1:]...)
		case "duplicate":
			now.Records = append(now.Records[:i+1:i+1], now.Records[i:]...)
		case "swap":
			now.Records[i], now.Records[k] = now.Records[k], now.Records[i]
		case "truncate":
			now.Records = now.Records[:i]
		case "digest":
			now.Records[i].Digest = strings.Repeat("e", 64)
		}
		passed, out := verified(now.log(t), s, data)
		same := len(now.Records) >= at && linesEqual(now.Records[:min(at, len(now.Records))], want)
		if same != (len(passed) == 1) || same != (out.Verdict() == verify.Pass) {
			t.Errorf("same prefix %t, passed %d, %+v", same, len(passed), out.List())
		}
	})
}

// linesEqual compares what a checkpoint commits to: the lines, and the digest
// text of the last.
func linesEqual(a, b []record) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Line != b[i].Line {
			return false
		}
	}
	return a[len(a)-1].Digest == b[len(b)-1].Digest
}

// Every text that Parse accepts is the text of what it gives, so no two texts
// are one checkpoint.
func TestParseIsExact(t *testing.T) {
	l := made(5, "").log(t)
	c, err := l.Checkpoint("", nil)
	if err != nil {
		t.Fatal(err)
	}
	text := c.Text()
	rapid.Check(t, func(r *rapid.T) {
		b := []byte(text)
		for range rapid.IntRange(0, 3).Draw(r, "edits") {
			i := rapid.IntRange(0, len(b)-1).Draw(r, "at")
			switch rapid.IntRange(0, 2).Draw(r, "edit") {
			case 0:
				b[i] = rapid.SampledFrom([]byte("\n 0aA-+=/\r.")).Draw(r, "byte")
			case 1:
				b = append(b[:i:i], b[i+1:]...)
			case 2:
				b = append(b[:i+1:i+1], b[i:]...)
			}
		}
		if got, err := checkpoint.Parse(string(b)); err == nil && got.Text() != string(b) {
			t.Errorf("%q is read as %q", b, got.Text())
		}
	})
}

// A proof shows one record at one index, and nothing else.
func TestProofsBind(t *testing.T) {
	s := signer(t, "example.org/journal")
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(r, "records")
		j := made(n, "")
		l := j.log(t)
		passed, _ := verified(l, s, sign(t, l, nil, s))
		i := rapid.IntRange(0, n-1).Draw(r, "index")
		document, err := l.Prove(passed[0], int64(i), []byte(j.Records[i].Line))
		if err != nil {
			t.Fatal(err)
		}
		var p map[string]any
		if err := json.Unmarshal(document, &p); err != nil {
			t.Fatal(err)
		}
		k := rapid.IntRange(0, n).Draw(r, "other")
		valid := k == i
		switch rapid.SampledFrom([]string{"index", "line", "checkpoint"}).Draw(r, "what") {
		case "index":
			p["index"] = k
		case "line":
			p["line"] = append(j.Records, record{Line: "another"})[k].Line
		case "checkpoint":
			p["checkpoint"] = string(sign(t, made(n, "x").log(t), nil, s))
			valid = false
		}
		forged, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		out := checkpoint.Table.Collect(verify.Strict)
		got := checkpoint.CheckProof(out, checkpoint.File{Path: "p", Data: forged}, []checkpoint.Verifier{s.Verifier})
		if valid != (got != nil) {
			t.Errorf("index %d of %d, other %d: valid %t, proven %v", i, n, k, valid, got)
		}
		if got != nil && got.Line != j.Records[got.Index].Line {
			t.Errorf("%q is proven to be record %d", got.Line, got.Index)
		}
	})
}

// A log of n records is consistent with every longer one that begins with it.
func TestConsistencyOfEveryPair(t *testing.T) {
	s := signer(t, "example.org/journal")
	whole := made(10, "")
	l := whole.log(t)
	var notes []*checkpoint.Opened
	for n := range len(whole.Records) + 1 {
		part := whole
		part.Records = whole.Records[:n]
		passed, out := verified(l, s, sign(t, part.log(t), nil, s))
		if len(passed) != 1 {
			t.Fatalf("%+v", out.List())
		}
		notes = append(notes, passed[0])
	}
	for i, first := range notes {
		for k, second := range notes {
			document, err := l.Consistency(first, second)
			if (err == nil) != (i <= k) {
				t.Fatalf("%d to %d: %v", i, k, err)
			}
			if err != nil {
				continue
			}
			out := checkpoint.Table.Collect(verify.Strict)
			p := checkpoint.CheckProof(out, checkpoint.File{Path: "p", Data: document}, []checkpoint.Verifier{s.Verifier})
			if p == nil || p.Inclusion || p.First.Size != int64(i) || p.Second.Size != int64(k) {
				t.Errorf("%d to %d: %+v", i, k, out.List())
			}
		}
	}
}

func TestKeys(t *testing.T) {
	secret, public, err := checkpoint.GenerateKey(seed("k"), "example.org/k")
	if err != nil {
		t.Fatal(err)
	}
	v, err := checkpoint.ParseVerifier(public)
	if err != nil || v.Name() != "example.org/k" || len(v.Public) != 32 {
		t.Fatalf("%v %+v", err, v)
	}
	s, err := checkpoint.ParseSigner(secret)
	if err != nil || s.Verifier.ID() != v.ID() {
		t.Fatalf("%v", err)
	}
	// The point of order 1 as a key: every message has a signature under it.
	small, err := note.NewEd25519VerifierKey("small", append([]byte{1}, make([]byte, 31)...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := note.NewVerifier(small); err != nil {
		t.Fatalf("the control is no verifier key at all: %v", err)
	}
	name, rest, _ := strings.Cut(public, "+")
	for what, text := range map[string]string{
		"small order": small, "signer": strings.TrimSpace(secret), "empty": "", "line feed": public + "\n", "other name": "x" + public,
		"upper-case hash": name + "+" + strings.ToUpper(rest[:8]) + rest[8:], "line feed inside": public[:len(public)-9] + "\n" + public[len(public)-9:],
		"too long": public + strings.Repeat("A", checkpoint.MaxKey),
	} {
		if text == public {
			continue // the hash has no letters
		}
		if _, err := checkpoint.ParseVerifier(text); err == nil || strings.Contains(err.Error(), rest[9:]) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, text := range map[string]string{
		"verifier": public, "empty": "", "two lines": secret + secret, "space": " " + secret, "cut": secret[:len(secret)-3],
		"line feed inside": secret[:len(secret)-9] + "\n" + secret[len(secret)-9:], "too long": secret + strings.Repeat("A", checkpoint.MaxKey),
	} {
		if _, err := checkpoint.ParseSigner(text); err == nil || strings.Contains(err.Error(), secret[30:50]) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, bad := range []string{"", "a b", "a+b", "a\u00a0b", "a\x00b", "\xff", strings.Repeat("a", 257)} {
		if _, _, err := checkpoint.GenerateKey(seed("k"), bad); err == nil {
			t.Errorf("a key named %q", bad)
		}
	}
}

func TestProveRefuses(t *testing.T) {
	s := signer(t, "example.org/journal")
	j := made(3, "")
	l := j.log(t)
	passed, _ := verified(l, s, sign(t, l, nil, s))
	for _, index := range []int64{-1, 3, 1 << 40} {
		if document, err := l.Prove(passed[0], index, []byte(j.Records[0].Line)); err == nil {
			t.Errorf("record %d: %s", index, document)
		}
	}
	if document, err := l.Prove(passed[0], 1, []byte(j.Records[0].Line)); err == nil {
		t.Errorf("another line: %s", document)
	}
	if _, err := l.Checkpoint("https://example.org", nil); err == nil {
		t.Error("an origin with a schema")
	}
}
