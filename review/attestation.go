package review

import (
	"context"
	"encoding/base64"
	"fmt"

	"finishline/canon"
	"finishline/verify"
)

// A stage evaluates the attestation (contract 02 §5 and §6). It remembers
// whether one of its base rules fired, because the signature is only checked
// when none did.
type stage struct {
	*verifier
	problem bool
}

// run follows the steps of contract 02 §6.
func (s *stage) run(ctx context.Context) {
	attestation := s.review.At("attestation")
	if !attestation.IsObject() {
		s.fail("review.attestation.missing", attestation, verify.What{Found: verify.Show(attestation.Value), Expected: "an attestation object"})
		s.note("the review is not signed, so neither the trust store nor a key was looked at")
		return
	}
	payload := PayloadBytes(s.review.Value)
	s.result.PayloadSHA256 = canon.SHA256(payload)
	s.pin()
	s.attestationMembers(attestation)
	live := s.liveStore()
	if live.Store == nil {
		s.note("no key was looked at: the trust store could not be used")
		return
	}
	s.reviewPin(live)
	s.committedStore(ctx, s.review.At("commit"), live)
	key, ok := s.selectKey(live.Store, attestation.At("keyId"))
	if !ok {
		s.note("the signature was not checked: no key to check it with")
		return
	}
	s.authorise(key)
	s.payloadDigest(attestation.At("payloadSha256"))
	if s.problem {
		s.note("the signature was not checked: what it rests on failed already")
		return
	}
	s.verifySignature(live.Store, key, payload, attestation.At("signature"))
}

func (s *stage) fail(rule string, at canon.Node, what verify.What) {
	s.failAt(rule, verify.At(s.path, at.Pointer), what)
}

func (s *stage) failAt(rule string, at verify.Place, what verify.What) { s.wrap(rule, at, what, nil) }

func (s *stage) wrap(rule string, at verify.Place, what verify.What, causes []verify.Finding) {
	s.out.Wrap(rule, at, what, causes)
	s.judge(rule)
}

// judge records whether a rule that fired is a problem of this stage. Strict
// rules are none, so that the base verdict is the same at both levels.
func (s *stage) judge(rule string) {
	if r, known := Table.Lookup(rule); !known || r.Severity == verify.Error && r.Level() == verify.Base {
		s.problem = true
	}
}

func (s *stage) merge(part *verify.Findings) {
	s.out.Merge(part)
	for _, f := range part.List() {
		s.judge(f.Rule)
	}
}

func (s *stage) note(text string) { s.result.Notes = append(s.result.Notes, text) }

func (s *stage) pin() {
	part := TrustTable.Collect(s.out.Level())
	s.in.Pin.Report(part)
	s.merge(part)
}

// attestationMembers evaluates contract 02 §5.
func (s *stage) attestationMembers(a canon.Node) {
	if m := a.At("scheme"); !m.Is("ed25519") {
		s.fail("review.attestation.scheme", m, verify.What{Found: verify.Show(m.Value), Expected: `"ed25519"`})
	}
	if m := a.At("keyId"); !canon.IsIdentifier(m.Value) {
		s.fail("review.attestation.key-id", m, verify.What{Found: verify.Show(m.Value), Expected: identifierText})
	}
	s.signedAt(a.At("signedAt"))
	s.signingOrder(a.At("signedAt"))
	if m := a.At("payloadSha256"); !canon.IsDigest(m.Value) {
		s.fail("review.attestation.payload-sha256", m, verify.What{Found: verify.Show(m.Value), Expected: digestText})
	}
	s.signatureText(a.At("signature"))
	if absent := AbsentMembers(s.review.Value); len(absent) > 0 {
		s.failAt("strict.canon.absent-member", verify.At(s.path, absent[0]), verify.What{
			Found: fmt.Sprintf("%d signed members are absent", len(absent)), Expected: "all members of the payload"})
	}
}

func (s *stage) signedAt(m canon.Node) {
	what := verify.What{Found: verify.Show(m.Value), Expected: rfc3339Text}
	text, ok := m.Str()
	if ok {
		_, ok = baseTime(text)
	}
	switch {
	case !ok:
		s.fail("review.attestation.signed-at", m, what)
	case !isStrictTime(text):
		s.fail("strict.review.signed-at", m, what)
	}
}

func (s *stage) signingOrder(signedAt canon.Node) {
	generatedAt := s.review.At("generatedAt")
	signed, ok1 := baseTime(signedAt.Text())
	generated, ok2 := baseTime(generatedAt.Text())
	if ok1 && ok2 && signed.Before(generated) {
		s.fail("strict.review.signed-before-generated", signedAt, verify.What{
			Found: verify.Show(signedAt.Value), Expected: "not before generatedAt, " + verify.Show(generatedAt.Value)})
	}
}

// signatureText evaluates the pattern of the signature, and at strict level
// that it is the one text of its bytes: written again it must be the same.
func (s *stage) signatureText(m canon.Node) {
	text, ok := m.Str()
	if !ok || !isSignatureText(text) {
		found := m.Kind().String()
		if ok {
			found = fmt.Sprintf("a text of %d bytes that is not base64", len(text))
		}
		s.fail("review.attestation.signature-encoding", m, verify.What{Found: found, Expected: "standard base64"})
		return
	}
	if sig, whole := decodeSignature(text); !whole || base64.StdEncoding.EncodeToString(sig[:]) != text {
		s.fail("strict.review.signature-not-canonical", m, verify.What{
			Found: "another spelling, or no 64 bytes", Expected: "86 characters and ==, unused bits zero"})
	}
}

func (s *stage) liveStore() *Live {
	live, part := LoadLive(s.in.Root, s.in.Pack, s.in.TrustStorePath, s.out.Level())
	s.merge(part)
	s.result.Trust = live
	if live.SHA256 != "" {
		s.in.artifacts.add(live.Path, live.SHA256)
	}
	return live
}

// reviewPin compares the pin with the live store and with the review.
func (s *stage) reviewPin(live *Live) {
	part := TrustTable.Collect(s.out.Level())
	s.in.Pin.ReportLive(part, live.Path, live.Store)
	s.merge(part)
	m := s.review.At("reviewTrustSha256")
	if s.in.Pin.State() != PinUsable || m.Is(s.in.Pin.String()) {
		return
	}
	hint := ""
	if m.Is(live.Store.Pin) {
		hint = "the review is bound to the store in this checkout, which is not the pinned one"
	}
	s.fail("trust.pin.review-mismatch", m, verify.What{Found: verify.Show(m.Value), Expected: s.in.Pin.String(), Hint: hint})
}

// selectKey finds the one active key of that name (contract 02 §6, step 6).
func (s *stage) selectKey(store *Store, keyID canon.Node) (Key, bool) {
	var active []Key
	revoked := 0
	for _, key := range store.Keys {
		switch {
		case !key.named(keyID.Value):
		case key.Status == StatusActive:
			active = append(active, key)
		case key.Status == StatusRevoked:
			revoked++
		}
	}
	if len(active) == 1 {
		return active[0], true
	}
	found, hint := "no such key in the store", "check attestation.keyId, or enrol the key and have the store reviewed and pinned again"
	switch {
	case len(active) > 1:
		found, hint = fmt.Sprintf("%d active keys of that name", len(active)), "give each key of the store a name of its own"
	case revoked > 0:
		found, hint = "a key that is revoked", "have the review signed again with an active key; reviews of a revoked key never verify"
	}
	s.fail("review.key.unresolved", keyID, verify.What{
		Found: found + ": " + verify.Show(keyID.Value), Expected: "exactly one active key", Hint: hint})
	return Key{}, false
}

// authorise evaluates whether the key may sign for the reviewer (step 7).
func (s *stage) authorise(key Key) {
	reviewer := s.review.At("roleProvenance").At(roleReviewer)
	if m := reviewer.At("actorId"); !key.ActorIDs.Allows(m.Value) {
		s.fail("review.key.actor", m, verify.What{
			Found: verify.Show(m.Value), Expected: "an actor in allowedActorIds of key " + verify.Quote(key.ID)})
	}
	if m := reviewer.At("actorType"); !key.ActorTypes.Allows(m.Value) {
		s.fail("review.key.actor-type", m, verify.What{
			Found: verify.Show(m.Value), Expected: "a type in allowedActorTypes of key " + verify.Quote(key.ID)})
	}
}

func (s *stage) payloadDigest(m canon.Node) {
	actual := s.result.PayloadSHA256
	if !canon.IsDigest(m.Value) || m.Is(actual) {
		return
	}
	hint := ""
	switch {
	case canon.LowerASCII(m.Text()) == actual:
		hint = "digests are compared exactly: write it in lower case"
	case len(AbsentMembers(s.review.Value)) > 0:
		hint = "a signed member is absent, and is signed as the bare word undefined: write the member, and sign again"
	}
	s.fail("review.attestation.payload-mismatch", m, verify.What{Found: verify.Show(m.Value), Expected: actual, Hint: hint})
}

// verifySignature is step 9: the key must be usable, and the signature must be
// that of the payload's bytes.
func (s *stage) verifySignature(store *Store, key Key, payload []byte, signature canon.Node) {
	if key.PublicErr != nil {
		s.fail("review.key.unusable", signature, verify.What{
			Found: "key " + verify.Quote(key.ID) + ": " + key.PublicErr.Error(), Expected: "an Ed25519 public key in publicKeyPem"})
		return
	}
	sig, whole := decodeSignature(signature.Text())
	if !whole || !key.Public.Verify(payload, sig) {
		found := "a signature that is not 64 bytes long"
		if whole {
			found = s.signedBy(store, key, payload, sig)
		}
		s.fail("review.attestation.signature", signature, verify.What{
			Found: found, Expected: "the signature of key " + verify.Quote(key.ID) + " over the canonical payload"})
		return
	}
	s.result.Keys = append(s.result.Keys, verify.KeyUse{KeyID: key.ID, Fingerprint: key.Public.Fingerprint(), Use: "review"})
}

// maxTriedKeys bounds the search for the key that did sign.
const maxTriedKeys = 100

// signedBy says whose signature it is when it is not that of the named key: it
// tells a wrong keyId from changed content. The answer is only for people.
func (s *stage) signedBy(store *Store, named Key, payload []byte, sig [64]byte) string {
	for _, other := range store.Keys[:min(len(store.Keys), maxTriedKeys)] {
		if other.PublicErr == nil && other.Public != named.Public && other.Public.Weakness() == (Weakness{}) && other.Public.Verify(payload, sig) {
			return fmt.Sprintf("the signature of key %s (%s)", verify.Quote(other.ID), other.Status)
		}
	}
	return "a signature of other content, or of a key that is not in the store"
}
