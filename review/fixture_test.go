package review

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/gittest"
	"finishline/verify"
)

// A fixture is a target with a valid signed review, which a test changes and
// signs again. It is made from the vectors' plain case with their public test
// keys.
type fixture struct {
	t    testing.TB
	c    reviewCase
	repo *gittest.Repo
	in   Input
	doc  map[string]any
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	c := plainCase(t)
	f := &fixture{t: t, c: c, repo: newBuilder(t).build(t, c)}
	f.in = inputFor(t, f.repo.Path(c.Args.Target), verify.Strict)
	f.in.ReviewPath, f.in.Pin = c.Args.Review, ParsePin(c.Env[PinVariable])
	f.reset()
	return f
}

// again is the same target with the review and the inputs of the beginning, for
// a test that changes nothing else.
func (f *fixture) again(t testing.TB) *fixture {
	t.Helper()
	next := *f
	next.t = t
	next.reset()
	return &next
}

// reset takes the review of the vectors again.
func (f *fixture) reset() {
	f.t.Helper()
	f.doc = nil
	if err := json.Unmarshal([]byte(*f.c.Files[f.c.Args.Review]), &f.doc); err != nil {
		f.t.Fatal(err)
	}
}

// set changes the member that a JSON pointer leads to.
func (f *fixture) set(pointer string, value any) {
	f.t.Helper()
	tokens := strings.Split(pointer, "/")[1:]
	var at any = f.doc
	for i, token := range tokens {
		last := i == len(tokens)-1
		switch container := at.(type) {
		case map[string]any:
			if last {
				container[token] = value
			}
			at = container[token]
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n >= len(container) {
				f.t.Fatalf("no element %s in %s", token, pointer)
			}
			if last {
				container[n] = value
			}
			at = container[n]
		default:
			f.t.Fatalf("nothing at %s", pointer)
		}
	}
}

func (f *fixture) bytes() []byte {
	f.t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f.doc); err != nil {
		f.t.Fatal(err)
	}
	return b.Bytes()
}

func (f *fixture) value() canon.Value {
	f.t.Helper()
	doc, err := canon.Read(f.bytes(), canon.MaxReview)
	if err != nil {
		f.t.Fatal(err)
	}
	return doc.Root
}

// sign signs the present document with a test key.
func (f *fixture) sign(name string) {
	payload := PayloadBytes(f.value())
	f.set("/attestation/payloadSha256", canon.SHA256(payload))
	f.set("/attestation/signature", base64.StdEncoding.EncodeToString(ed25519.Sign(testSigner(name), payload)))
}

// verify writes the document and verifies it.
func (f *fixture) verify() *Result {
	f.t.Helper()
	f.repo.Write(f.c.Args.Review, f.bytes(), 0o644)
	return f.verifyFiles()
}

// verifyFiles verifies what is on disk.
func (f *fixture) verifyFiles() *Result {
	f.t.Helper()
	in := f.in
	in.Root = in.Root.Fresh()
	result, err := Verify(context.Background(), in)
	if err != nil {
		f.t.Fatal(err)
	}
	return result
}

// mustFind fails unless exactly the rules fired as errors.
func (f *fixture) mustFind(r *Result, rules ...string) {
	f.t.Helper()
	got := verify.RuleIDs(r.Findings.List(), verify.Error)
	if strings.Join(got, " ") != strings.Join(rules, " ") {
		f.t.Errorf("rules %v, want %v\n%s", got, rules, describe(r.Findings.List()))
	}
}
