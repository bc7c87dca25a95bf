package checkpoint_test

import (
	"testing"

	"golang.org/x/mod/sumdb/note"

	"finishline/verify"
	"finishline/verify/journal/checkpoint"
)

// FuzzNote holds: a checkpoint that passes is one that note.Open opens under a
// trusted key and whose text is exactly what was read; what is not opened has a
// finding.
func FuzzNote(f *testing.F) {
	var keys []checkpoint.Verifier
	j := made(7, "")
	for _, v := range loadVectors(f) {
		for _, n := range v.Notes {
			f.Add([]byte(n))
		}
		if v.Name == "ok-two-keys" {
			keys, j = v.keys(f), *v.Log
		}
	}
	log := j.log(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		out := checkpoint.Table.Collect(verify.Strict)
		passed := checkpoint.Verify(out, log, []checkpoint.File{{Path: "c", Data: data}}, keys)
		if len(passed) == 0 != (out.Verdict() == verify.Fail) {
			t.Fatalf("%d passed, %+v", len(passed), out.List())
		}
		if len(passed) == 0 {
			return
		}
		opened := false
		for _, k := range keys {
			n, err := note.Open(data, note.VerifierList(k.Verifier))
			opened = opened || err == nil && n.Text == passed[0].Text()
		}
		if !opened {
			t.Errorf("note.Open opens %q under no key", data)
		}
	})
}

// FuzzProof holds: a proof either shows something or has a finding, and what it
// shows is in a checkpoint by a trusted key.
func FuzzProof(f *testing.F) {
	var keys []checkpoint.Verifier
	for _, v := range loadVectors(f) {
		if v.Kind == "checkpoint-proof" {
			f.Add([]byte(v.Proof))
			keys = v.keys(f)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out := checkpoint.Table.Collect(verify.Strict)
		p := checkpoint.CheckProof(out, checkpoint.File{Path: "p", Data: data}, keys)
		if p == nil != (out.Verdict() == verify.Fail) {
			t.Fatalf("proven %v, %+v", p, out.List())
		}
		if p != nil && (len(p.Second.Signers) == 0 || p.Inclusion && p.Index >= p.Second.Size) {
			t.Errorf("%+v", p)
		}
	})
}

// FuzzKeys holds: a key that is read is written the same way.
func FuzzKeys(f *testing.F) {
	for _, v := range loadVectors(f) {
		for _, k := range v.Keys {
			f.Add(k)
		}
	}
	secret, _, err := checkpoint.GenerateKey(seed("f"), "f")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(secret)
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := checkpoint.ParseVerifier(text); err == nil {
			if again, err := note.NewEd25519VerifierKey(v.Name(), v.Public); err != nil || again != text {
				t.Errorf("%q is written %q: %v", text, again, err)
			}
		}
		if s, err := checkpoint.ParseSigner(text); err == nil {
			c, err := made(1, "").log(t).Checkpoint("", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := checkpoint.Sign(c, s); err != nil {
				t.Error(err)
			}
		}
	})
}
