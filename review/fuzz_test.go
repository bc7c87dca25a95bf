package review

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// strictHasAll fails when a base error is missing at strict level, or when a
// finding could not be printed.
func strictHasAll(t *testing.T, base, strict []verify.Finding) {
	t.Helper()
	strictIDs := verify.RuleIDs(strict, verify.Error)
	for _, id := range verify.RuleIDs(base, verify.Error) {
		if !slices.Contains(strictIDs, id) {
			t.Errorf("%s is only found at base level", id)
		}
		if strings.HasPrefix(id, "strict.") {
			t.Errorf("%s fires at base level", id)
		}
	}
	if verify.Fold(strict) == verify.Pass && verify.Fold(base) != verify.Pass {
		t.Error("strict level passes what base level refuses")
	}
	for _, f := range strict {
		if len(f.Found) > verify.MaxText || strings.ContainsAny(f.Found+f.Expected+f.Hint+f.Pointer, "\x00\x1b\r\n") {
			t.Errorf("unprintable finding %+v", f)
		}
	}
}

func FuzzTrustStore(f *testing.F) {
	type suite struct {
		Document rawText `json:"document"`
		Text     string  `json:"text"`
	}
	for _, file := range []string{"stores.json", "spellings.json"} {
		for _, c := range load[suite](f, "trust", file) {
			f.Add([]byte(string(c.Document) + c.Text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		store, base := ReadStore("store", data, verify.Base)
		again, strict := ReadStore("store", data, verify.Strict)
		strictHasAll(t, base.List(), strict.List())
		if (store == nil) != (again == nil) {
			t.Fatal("the levels read different stores")
		}
		if store == nil {
			if base.Verdict() != verify.Fail {
				t.Error("an unreadable store is no failure")
			}
			return
		}
		if changes := Diff(store, again); len(changes) != 0 {
			t.Errorf("a store differs from itself: %v", changes)
		}
		for _, key := range store.Keys {
			if key.PublicErr == nil && strict.Verdict() == verify.Pass && key.Public.Weakness() != (Weakness{}) {
				t.Errorf("strict level passes the weak key %x", key.Public)
			}
			if strict.Verdict() == verify.Pass && key.PublicErr != nil {
				t.Errorf("strict level passes a key without material: %v", key.PublicErr)
			}
		}
	})
}

func FuzzPEM(f *testing.F) {
	key := publicOf(testSigner("A"))
	for _, c := range load[struct {
		PEM string `json:"publicKeyPem"`
	}](f, "review", "signatures.json") {
		f.Add(c.PEM)
	}
	f.Add(block(longForm(key)))
	f.Add("x\r\n" + strings.ReplaceAll(pemOf(key), "\n", " \r\n"))
	f.Fuzz(func(t *testing.T, text string) {
		base, err := ParsePublicKey(text)
		if err != nil && !IsKeyError(err) {
			t.Fatalf("%T is no *KeyError", err)
		}
		strict, strictErr := ParseStrictPublicKey(text)
		if strictErr == nil && (err != nil || strict != base) {
			t.Fatalf("strict reads %x, base %x (%v)", strict, base, err)
		}
		if err != nil {
			return
		}
		// What was read can be written, and reads as itself at both levels.
		if again, err := ParseStrictPublicKey(pemOf(base)); err != nil || again != base {
			t.Fatalf("%x written and read again: %x, %v", base, again, err)
		}
	})
}

// FuzzReview verifies arbitrary reviews in a target without Git.
func FuzzReview(f *testing.F) {
	cases := loadCases(f)
	plain := cases["valid-plain"]
	for _, c := range cases {
		if text := c.Files[c.Args.Review]; text != nil {
			f.Add([]byte(*text))
		}
	}
	dir := f.TempDir()
	for path, text := range plain.Git.CommitFiles {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	root, err := evidence.Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { root.Close() })
	pin := ParsePin(plain.Env[PinVariable])
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, "review.json"), data, 0o644); err != nil {
			t.Fatal(err)
		}
		at := func(level verify.Level) *Result {
			r, err := Verify(context.Background(), Input{Root: root.Fresh(), ReviewPath: "review.json", Pin: pin, Level: level})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		base, strict := at(verify.Base), at(verify.Strict)
		strictHasAll(t, base.Findings.List(), strict.Findings.List())
		// Without a repository nothing passes and no signature counts.
		if base.Verdict() == verify.Pass || len(base.Keys) > 0 {
			t.Errorf("verdict %v, keys %v without a repository", base.Verdict(), base.Keys)
		}
		doc, err := canon.Read(data, canon.MaxReview)
		if (err == nil) != (base.Document != nil) {
			t.Errorf("read: %v, document %v", err, base.Document)
		}
		if err == nil && base.PayloadSHA256 != "" && base.PayloadSHA256 != PayloadSHA256(doc.Root) {
			t.Error("the payload digest is not that of the document")
		}
	})
}

// rawText keeps a JSON value as text.
type rawText string

// UnmarshalJSON takes the text as it is.
func (r *rawText) UnmarshalJSON(data []byte) error { *r = rawText(data); return nil }

func BenchmarkTrustCheck(b *testing.B) {
	var keys []string
	for i := range 100 {
		name := string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		keys = append(keys, keyOf(name, "active", pemOf(publicOf(testSigner(name))), `,"allowedActorIds":["ann","bea"]`))
	}
	data := []byte(`{"schema":"` + StoreSchema + `","keys":[` + strings.Join(keys, ",") + `]}`)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, out := ReadStore("store", data, verify.Strict); out.Verdict() != verify.Pass {
			b.Fatal(describe(out.List()))
		}
	}
}

func BenchmarkReviewVerify(b *testing.B) {
	f := newFixture(b)
	for b.Loop() {
		if r := f.verifyFiles(); r.Verdict() != verify.Pass {
			b.Fatal(describe(r.Findings.List()))
		}
	}
}
