package review

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"finishline/canon"
)

// held is a signer that has its key at hand.
type held struct{ ed25519.PrivateKey }

func (h held) Public() ed25519.PublicKey           { return h.PrivateKey.Public().(ed25519.PublicKey) }
func (h held) Sign(payload []byte) ([]byte, error) { return ed25519.Sign(h.PrivateKey, payload), nil }

// A liar signs something else.
type liar struct{ held }

func (l liar) Sign(payload []byte) ([]byte, error) { return l.held.Sign(append(payload, ' ')) }

var signingTime = time.Date(2026, time.May, 4, 9, 30, 15, 999, time.FixedZone("", 2*60*60))

// draft starts to sign the fixture's review anew.
func (f *fixture) draft() *Draft {
	f.t.Helper()
	d, err := NewDraft(f.value(), "heron/reviewer-2026", signingTime)
	if err != nil {
		f.t.Fatal(err)
	}
	return d
}

func (f *fixture) verifyDocument(doc canon.Value) *Result {
	f.t.Helper()
	f.repo.Write(f.c.Args.Review, canon.Pretty(doc), 0o644)
	return f.verifyFiles()
}

// A draft lacks its signature and nothing else, and a signed one verifies.
func TestSigning(t *testing.T) {
	f := newFixture(t)
	d := f.draft()
	if d.SignedAt() != "2026-05-04T07:30:15Z" || d.KeyID() != "heron/reviewer-2026" {
		t.Errorf("drafted for %s at %s", d.KeyID(), d.SignedAt())
	}
	f.mustFind(f.verifyDocument(d.Document()), AwaitedRule)
	signed, err := d.Sign(publicOf(testSigner("A")), held{testSigner("A")})
	if err != nil {
		t.Fatal(err)
	}
	r := f.verifyDocument(signed)
	f.mustFind(r)
	if len(r.Keys) != 1 || r.PayloadSHA256 != canon.SHA256(d.Payload()) || !bytes.Equal(d.Payload(), PayloadBytes(signed)) {
		t.Errorf("keys %v, payload %s", r.Keys, r.PayloadSHA256)
	}
	if _, err := d.Sign(publicOf(testSigner("A")), held{testSigner("B")}); err == nil {
		t.Error("another key signed")
	}
	if _, err := d.Sign(publicOf(testSigner("A")), liar{held{testSigner("A")}}); err == nil {
		t.Error("a signature over other bytes is attached")
	}
	if _, err := d.Attach(publicOf(testSigner("A")), ed25519.Sign(testSigner("B"), d.Payload())); err == nil {
		t.Error("the signature of another key is attached")
	}
}

// What is drafted, written, and taken up again has the same payload; a change
// in between does not get the signature.
func TestDetachedSigning(t *testing.T) {
	f := newFixture(t)
	d := f.draft()
	signature := ed25519.Sign(testSigner("A"), d.Payload())
	reread := func(doc canon.Value) canon.Value {
		again, err := canon.Read(canon.Pretty(doc), canon.MaxReview)
		if err != nil {
			t.Fatal(err)
		}
		return again.Root
	}
	later, err := ResumeDraft(reread(d.Document()))
	if err != nil || !bytes.Equal(later.Payload(), d.Payload()) {
		t.Fatalf("another payload after a round trip: %v", err)
	}
	signed, err := later.Attach(publicOf(testSigner("A")), signature)
	if err != nil {
		t.Fatal(err)
	}
	f.mustFind(f.verifyDocument(signed))
	for _, name := range append(slices.Clone(signedMembers), "attestation") {
		changed := canon.With(d.Document(), name, canon.NewString("changed"))
		if name == "attestation" {
			changed = canon.With(d.Document(), name, canon.With(d.Document().Get(name), "signedAt", canon.NewString("2026-05-04T07:30:16Z")))
		}
		later, err := ResumeDraft(reread(changed))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var refused *SignError
		if _, err := later.Attach(publicOf(testSigner("A")), signature); !errors.As(err, &refused) {
			t.Errorf("%s was changed, and the signature attached: %v", name, err)
		}
	}
}

func TestReviewsThatCannotBeDrafted(t *testing.T) {
	f := newFixture(t)
	whole := f.value()
	for _, name := range signedMembers {
		var members []canon.Member
		for _, m := range whole.Members() {
			if m.Name != name {
				members = append(members, m)
			}
		}
		_, err := NewDraft(canon.Build(members...), "heron/reviewer-2026", signingTime)
		var refused *SignError
		if !errors.As(err, &refused) || !strings.Contains(refused.Reason, "/"+name) || refused.Hint() == "" {
			t.Errorf("without %s: %v", name, err)
		}
	}
	for _, doc := range []canon.Value{{}, canon.NewNull(), canon.NewArray(), canon.With(whole, "attestation", canon.NewNull())} {
		if _, err := ResumeDraft(doc); err == nil {
			t.Errorf("%s is taken up", canon.Compact(doc))
		}
	}
}

func TestParseSignature(t *testing.T) {
	raw := ed25519.Sign(testSigner("A"), []byte("x"))
	b64, digits := base64.StdEncoding.EncodeToString(raw), hex.EncodeToString(raw)
	for name, data := range map[string]string{
		"raw": string(raw), "base64": b64, "base64 and line end": b64 + "\n", "base64 and CRLF": b64 + "\r\n",
		"hexadecimal": digits, "upper-case hexadecimal": "  " + strings.ToUpper(digits) + "\n",
	} {
		got, err := ParseSignature([]byte(data))
		if err != nil || !bytes.Equal(got, raw) {
			t.Errorf("%s: %x, %v", name, got, err)
		}
	}
	for name, data := range map[string]string{
		"nothing": "", "one byte less": string(raw[:63]), "one byte more": string(raw) + "\n",
		"unpadded base64": strings.TrimRight(b64, "="), "URL base64": strings.Repeat("_", 86) + "==",
		"unused bits": b64[:85] + "B==", "broken base64": b64[:40] + "\n" + b64[40:], "half hexadecimal": digits[:126],
		"no digits": strings.Repeat("g", 128), "SSH signature": "-----BEGIN SSH SIGNATURE-----\n" + b64,
	} {
		var refused *SignError
		if got, err := ParseSignature([]byte(data)); !errors.As(err, &refused) || refused.Hint() == "" {
			t.Errorf("%s: %x, %v", name, got, err)
		}
	}
}

// What is signed here is a signature to OpenSSL, and the other way round: the
// payload's bytes themselves, without a digest before.
func TestOpenSSLAgrees(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("OpenSSL is not at hand to compare with:", err)
	}
	f := newFixture(t)
	d := f.draft()
	signed, err := d.Sign(publicOf(testSigner("A")), held{testSigner("A")})
	if err != nil {
		t.Fatal(err)
	}
	signature, err := ParseSignature([]byte(signed.Get("attestation").Get("signature").Text()))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	openssl := func(args ...string) error { return exec.Command("openssl", args...).Run() }
	public := write("public.pem", []byte(publicOf(testSigner("A")).PEM()))
	verify := func(payload, signature []byte) error {
		return openssl("pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", public,
			"-in", write("payload", payload), "-sigfile", write("signature", signature))
	}
	if err := verify(d.Payload(), signature); err != nil {
		t.Errorf("openssl refuses the signature: %v", err)
	}
	if err := verify(append(d.Payload(), '\n'), signature); err == nil {
		t.Error("openssl accepts the signature for other bytes")
	}

	private := filepath.Join(dir, "private.pem")
	if err := openssl("genpkey", "-algorithm", "ed25519", "-out", private); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "theirs")
	if err := openssl("pkeyutl", "-sign", "-rawin", "-inkey", private, "-in", write("payload", d.Payload()), "-out", out); err != nil {
		t.Fatal(err)
	}
	pub := filepath.Join(dir, "theirs.pem")
	if err := openssl("pkey", "-in", private, "-pubout", "-out", pub); err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(pub)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ParseStrictPublicKey(string(pem))
	if err != nil {
		t.Fatal(err)
	}
	if key.PEM() != string(pem) {
		t.Errorf("a key is written as %q, openssl writes %q", key.PEM(), pem)
	}
	theirs, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if theirs, err = ParseSignature(theirs); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Attach(key, theirs); err != nil {
		t.Errorf("the signature of openssl is refused: %v", err)
	}
}

func TestKeysOfAStore(t *testing.T) {
	a, b, c := publicOf(testSigner("A")), publicOf(testSigner("B")), publicOf(testSigner("C"))
	store := strictStore(t,
		keyOf("free", "active", pemOf(a), ""),
		keyOf("ada", "active", pemOf(b), `,"allowedActorIds":["ada"],"allowedActorTypes":["human"]`),
		keyOf("gone", "revoked", pemOf(c), ""))
	for public, want := range map[PublicKey]string{a: "free", b: "ada", c: "gone", {9}: ""} {
		if key, found := store.KeyOf(public); found != (want != "") || key.ID != want {
			t.Errorf("found %q, want %q", key.ID, want)
		}
	}
	for actor, want := range map[string]string{"ada human": "free ada", "ada agent": "free", "grace human": "free"} {
		id, kind, _ := strings.Cut(actor, " ")
		doc := object(member("roleProvenance", object(member("independentReviewer", object(text("actorId", id), text("actorType", kind))))))
		var names []string
		for _, key := range store.KeysFor(doc) {
			names = append(names, key.ID)
		}
		if strings.Join(names, " ") != want {
			t.Errorf("%s may sign with %v, want %s", actor, names, want)
		}
	}
}

// The skeleton of a review lacks what only the reviewer can give, and a change
// of the run is told by the member that no longer fits.
func TestNewReview(t *testing.T) {
	f := newFixture(t)
	doc := f.value()
	role := func(name string) Role {
		r := doc.Get("roleProvenance").Get(name)
		return Role{r.Get("actorId").Text(), r.Get("sessionId").Text(), r.Get("executionId").Text(), r.Get("actorType").Text()}
	}
	binding := RunBinding{
		RunID: doc.Get("runId").Text(), Commit: doc.Get("commit").Text(), Environment: doc.Get("environment").Text(),
		Subject: doc.Get("subject").Get("artifact").Text(), SubjectSHA256: doc.Get("subject").Get("sha256").Text(),
		RouteSHA256:   doc.Get("roleProvenance").Get("scout").Get("evidence").Get("sha256").Text(),
		TrustSHA256:   f.in.Pin.String(),
		RuntimeSHA256: doc.Get("validationRuntimeSha256").Text(), BundleSHA256: doc.Get("evidenceBundleSha256").Text(),
	}
	roles := Roles{role("scout"), role("implementer"), role("verifier"), role("independentReviewer")}
	for _, summary := range []string{"", "read it all, and the checks are the right ones"} {
		skeleton := New(binding, roles, summary, signingTime)
		want := SkeletonRules(summary)
		slices.Sort(want)
		f.mustFind(f.verifyDocument(skeleton), want...)
		if err := binding.Check(skeleton); err != nil {
			t.Errorf("a fresh review is stale: %v", err)
		}
	}
	skeleton := New(binding, roles, "read it all, and the checks are the right ones", signingTime)
	draft, err := NewDraft(skeleton, "heron/reviewer-2026", signingTime)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := draft.Sign(publicOf(testSigner("A")), held{testSigner("A")})
	if err != nil {
		t.Fatal(err)
	}
	f.mustFind(f.verifyDocument(signed))

	for pointer, change := range map[string]func(*RunBinding){
		"/runId":                   func(b *RunBinding) { b.RunID += "x" },
		"/commit":                  func(b *RunBinding) { b.Commit = strings.Repeat("a", 40) },
		"/environment":             func(b *RunBinding) { b.Environment = "" },
		"/subject/artifact":        func(b *RunBinding) { b.Subject = "out/other.txt" },
		"/subject/sha256":          func(b *RunBinding) { b.SubjectSHA256 = b.BundleSHA256 },
		"/reviewTrustSha256":       func(b *RunBinding) { b.TrustSHA256 = b.BundleSHA256 },
		"/validationRuntimeSha256": func(b *RunBinding) { b.RuntimeSHA256 = b.BundleSHA256 },
		"/evidenceBundleSha256":    func(b *RunBinding) { b.BundleSHA256 = strings.ToUpper(b.BundleSHA256) },
	} {
		other := binding
		change(&other)
		var stale *StaleError
		if err := other.Check(skeleton); !errors.As(err, &stale) || stale.Pointer != pointer || stale.More != 0 || stale.Hint() == "" {
			t.Errorf("%s: %v", pointer, err)
		}
	}
	var stale *StaleError
	if err := (RunBinding{}).Check(canon.Value{}); !errors.As(err, &stale) || stale.More != 7 {
		t.Errorf("nothing is bound to nothing: %v", err)
	}
}
