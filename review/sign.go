package review

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"finishline/canon"
)

// A Signer holds an Ed25519 key, or reaches one that its owner keeps elsewhere.
type Signer interface {
	// Public is the public key.
	Public() ed25519.PublicKey
	// Sign gives the 64 bytes of the pure Ed25519 signature (RFC 8032) over
	// exactly the payload.
	Sign(payload []byte) ([]byte, error)
}

// A SignError says why a review is not signed, and what to do about it.
type SignError struct{ Reason, Advice string }

func (e *SignError) Error() string { return e.Reason }

// Hint is what to do about it.
func (e *SignError) Hint() string { return e.Advice }

// A Draft is a review whose attestation lacks nothing but the signature
// (contract 02 §5 and §7). Everything that is signed is settled in it: the key
// by its name and the time of signing too.
type Draft struct {
	doc     canon.Value
	payload []byte
}

// NewDraft starts the signing of a review with the key of that name. Whatever
// attestation the review has is replaced. The error is a *SignError: the review
// is no object, or lacks members that are signed.
func NewDraft(review canon.Value, keyID string, signedAt time.Time) (*Draft, error) {
	attestation := object(text("scheme", "ed25519"), text("keyId", keyID),
		text("signedAt", signedAt.UTC().Truncate(time.Second).Format(time.RFC3339)))
	return draftOf(canon.With(review, "attestation", attestation))
}

// ResumeDraft takes up a review that [Draft.Document] was written of: its
// attestation names key and time. A signature in it does not matter. The error
// is a *SignError.
func ResumeDraft(review canon.Value) (*Draft, error) {
	attestation := review.Get("attestation")
	if !attestation.IsObject() {
		return nil, &SignError{"the review names no key to be signed with",
			"finishline review payload --out FILE settles key and time, and writes the bytes to sign"}
	}
	return draftOf(canon.With(review, "attestation", canon.Pick(attestation, signedAttestation...)))
}

func draftOf(doc canon.Value) (*Draft, error) {
	if absent := AbsentMembers(doc); len(absent) > 0 {
		return nil, &SignError{"the review lacks " + absent[0] + ", which is signed",
			"finishline review new writes a review with all members"}
	}
	d := &Draft{payload: PayloadBytes(doc)}
	attestation := canon.With(doc.Get("attestation"), "payloadSha256", canon.NewString(canon.SHA256(d.payload)))
	d.doc = canon.With(doc, "attestation", attestation)
	return d, nil
}

// KeyID names the key that the review is to be signed with.
func (d *Draft) KeyID() string { return d.doc.Get("attestation").Get("keyId").Text() }

// SignedAt is the time of signing, as it is signed.
func (d *Draft) SignedAt() string { return d.doc.Get("attestation").Get("signedAt").Text() }

// Payload is the bytes to sign.
func (d *Draft) Payload() []byte { return d.payload }

// Document is the review without its signature. A verifier has one thing to
// say against it: [AwaitedRule].
func (d *Draft) Document() canon.Value { return d.doc }

// AwaitedRule is the rule that the document of a draft breaks, because it is
// not signed yet.
const AwaitedRule = "review.attestation.signature-encoding"

// Sign has the payload signed with the key, which is the one that the trust
// store has under [Draft.KeyID], and gives the signed review. Another key of
// the signer is refused before it signs anything.
func (d *Draft) Sign(key PublicKey, s Signer) (canon.Value, error) {
	if !bytes.Equal(s.Public(), key[:]) {
		return canon.Value{}, &SignError{"the signer has another key than " + d.KeyID(), "sign with the key that the trust store has under that name"}
	}
	signature, err := s.Sign(d.payload)
	if err != nil {
		return canon.Value{}, err
	}
	return d.Attach(key, signature)
}

// Attach puts a signature into the review, if it is that of the key over the
// payload. The error is a *SignError.
func (d *Draft) Attach(key PublicKey, signature []byte) (canon.Value, error) {
	if len(signature) != ed25519.SignatureSize || !key.Verify(d.payload, [ed25519.SignatureSize]byte(signature)) {
		return canon.Value{}, &SignError{"the signature is not that of key " + d.KeyID() + " over the payload of this review",
			"sign the bytes of finishline review payload --out as they are: pure Ed25519, no digest and nothing added, and do not change the review meanwhile"}
	}
	attestation := canon.With(d.doc.Get("attestation"), "signature", canon.NewString(base64.StdEncoding.EncodeToString(signature)))
	return canon.With(d.doc, "attestation", attestation), nil
}

// MaxSignatureFile bounds what [ParseSignature] reads, in bytes.
const MaxSignatureFile = 4 << 10

// ParseSignature reads a signature that was made elsewhere: the 64 raw bytes,
// or a text of them in hexadecimal (128 digits) or in base64 (88 characters
// with padding), which white space may surround. The error is a *SignError.
func ParseSignature(data []byte) ([]byte, error) {
	if len(data) == ed25519.SignatureSize {
		return data, nil
	}
	const advice = "give the 64 bytes that openssl pkeyutl -sign -rawin -inkey KEY -in PAYLOAD -out FILE writes, or their base64 or hexadecimal text"
	written := strings.TrimSpace(string(data))
	if strings.HasPrefix(written, "-----BEGIN ") {
		return nil, &SignError{"a signature in an envelope, which covers other bytes than the payload", advice}
	}
	var signature []byte
	var err error
	switch len(written) {
	case hex.EncodedLen(ed25519.SignatureSize):
		signature, err = hex.DecodeString(written)
	case base64.StdEncoding.EncodedLen(ed25519.SignatureSize):
		signature, err = base64.StdEncoding.Strict().DecodeString(written)
	}
	if err != nil || len(signature) != ed25519.SignatureSize {
		return nil, &SignError{fmt.Sprintf("%d bytes that are no Ed25519 signature", len(data)), advice}
	}
	return signature, nil
}

// KeyOf finds the key of a store by its bytes, whatever its status.
func (s *Store) KeyOf(public PublicKey) (Key, bool) {
	for _, key := range s.Keys {
		if key.PublicErr == nil && key.Public == public {
			return key, true
		}
	}
	return Key{}, false
}

// ActiveKey finds the one active key of that name.
func (s *Store) ActiveKey(keyID string) (Key, bool) {
	found := Key{}
	for _, key := range s.Keys {
		if key.ID != keyID || keyID == "" || key.Status != StatusActive {
			continue
		}
		if found.ID != "" {
			return Key{}, false
		}
		found = key
	}
	return found, found.ID != ""
}

// KeysFor lists the active keys that may sign for the independent reviewer that
// a review names.
func (s *Store) KeysFor(review canon.Value) []Key {
	reviewer := review.Get("roleProvenance").Get(roleReviewer)
	var keys []Key
	for _, key := range s.Keys {
		if key.Status == StatusActive && key.ActorIDs.Allows(reviewer.Get("actorId")) && key.ActorTypes.Allows(reviewer.Get("actorType")) {
			keys = append(keys, key)
		}
	}
	return keys
}
