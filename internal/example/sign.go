package example

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"

	"finishline/canon"
	"finishline/review"
)

// ThrowAwayKey is the key whose seed is the digest of a sentence: public
// knowledge, for runs that mean nothing.
func ThrowAwayKey(sentence string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(sentence))
	return ed25519.NewKeyFromSeed(seed[:])
}

// PublicKeyPEM is a public key as a trust store writes it (01 §7.3).
func PublicKeyPEM(key ed25519.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), nil
}

// Sign completes a review that lacks them with the payload's digest and the
// signature (02 §7).
func Sign(doc canon.Value, key ed25519.PrivateKey) canon.Value {
	payload := review.PayloadBytes(doc)
	signature := base64.StdEncoding.EncodeToString(ed25519.Sign(key, payload))
	attestation := canon.With(doc.Get("attestation"), "payloadSha256", canon.NewString(canon.SHA256(payload)))
	attestation = canon.With(attestation, "signature", canon.NewString(signature))
	return canon.With(doc, "attestation", attestation)
}
