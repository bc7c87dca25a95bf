package main

import (
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/crypto/ssh"

	"finishline/canon"
	"finishline/internal/runtest"
	"finishline/review"
	"finishline/verify"
)

// scriptReviewerKey writes the private key of the example's reviewer, which is
// public knowledge, as ssh-keygen would.
func scriptReviewerKey(ts *testscript.TestScript, neg bool, args []string) {
	block, err := ssh.MarshalPrivateKey(runtest.Key(), "jonas@desk")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(only(ts, args)), pem.EncodeToMemory(block), 0o600))
}

// scriptAwait waits until a file is there.
func scriptAwait(ts *testscript.TestScript, neg bool, args []string) {
	path := ts.MkAbs(filepath.Join(ts.Getenv("WORK"), only(ts, args)))
	for range 500 {
		if _, err := os.Lstat(path); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s did not appear", path)
}

// scriptFingerprint sets a variable to the fingerprint of a public key file, as
// ssh-keygen prints it.
func scriptFingerprint(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: fingerprint NAME FILE")
	}
	out, err := exec.Command("ssh-keygen", "-l", "-f", ts.MkAbs(args[1])).Output()
	ts.Check(err)
	ts.Setenv(args[0], strings.Fields(string(out))[1])
}

// scriptSignatureOf writes the payload of a review and its signature as they
// are given to OpenSSL.
func scriptSignatureOf(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: signature-of REVIEW PAYLOAD SIGNATURE")
	}
	doc, err := canon.Read([]byte(ts.ReadFile(args[0])), canon.MaxReview)
	ts.Check(err)
	signature, err := review.ParseSignature([]byte(doc.Root.Get("attestation").Get("signature").Text()))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), review.PayloadBytes(doc.Root), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), signature, 0o644))
}

// scriptPemOf writes the public key that a store has under a name.
func scriptPemOf(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: pem-of STORE KEYID FILE")
	}
	store, _ := review.ReadStore(args[0], []byte(ts.ReadFile(args[0])), verify.Strict)
	key, found := store.ActiveKey(args[1])
	if !found {
		ts.Fatalf("no active key %s", args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(key.PEM), 0o644))
}
