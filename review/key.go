package review

import (
	"bytes"
	"crypto/ed25519"

	"filippo.io/edwards25519"

	"finishline/canon"
)

// A PublicKey is the 32 bytes of an Ed25519 public key (RFC 8032 §5.1.5). Two
// keys are the same key when their bytes are equal, whatever their names.
type PublicKey [ed25519.PublicKeySize]byte

// Fingerprint is the SHA-256 of the 32 bytes, as lower-case hex.
func (k PublicKey) Fingerprint() string { return canon.SHA256(k[:]) }

// Verify checks an Ed25519 signature (pure, no context) over message with the
// cofactorless equation of contract 02 §7: S below the group order, and the
// encoding of [S]B - [h]A equal to the bytes R. A key in a non-canonical
// encoding or of small order is accepted here, as the format does; refusing it
// is the business of [PublicKey.Weakness].
func (k PublicKey) Verify(message []byte, signature [ed25519.SignatureSize]byte) bool {
	return ed25519.Verify(k[:], message, signature[:])
}

// spki is the one DER SubjectPublicKeyInfo of the key: 44 bytes.
func (k PublicKey) spki() []byte {
	return append([]byte("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"), k[:]...)
}

// A Weakness is a reason for which strict level refuses key bytes.
type Weakness struct {
	NotCanonical bool // strict.trust.key-not-canonical
	SmallOrder   bool // strict.trust.key-small-order: order 1, 2, 4 or 8
	Mixed        bool // strict.trust.key-small-order: outside the prime-order subgroup
}

// Weakness examines the key as a point of the curve (contract 01 §7.3). Bytes
// that are no point at all are NotCanonical.
func (k PublicKey) Weakness() Weakness {
	point, err := new(edwards25519.Point).SetBytes(k[:])
	if err != nil {
		return Weakness{NotCanonical: true}
	}
	w := Weakness{NotCanonical: !bytes.Equal(point.Bytes(), k[:])}
	identity := edwards25519.NewIdentityPoint()
	switch {
	case new(edwards25519.Point).MultByCofactor(point).Equal(identity) == 1:
		w.SmallOrder = true
	case !inPrimeSubgroup(point):
		w.Mixed = true
	}
	return w
}

// inPrimeSubgroup reports whether [L]P is the identity, L being the order of
// the prime subgroup. Scalars are kept modulo L, so it compares [L-1]P with -P
// instead.
func inPrimeSubgroup(p *edwards25519.Point) bool {
	one, err := new(edwards25519.Scalar).SetCanonicalBytes(append([]byte{1}, make([]byte, 31)...))
	if err != nil {
		return false // cannot be: 1 is below L
	}
	minusOne := new(edwards25519.Scalar).Negate(one)
	multiple := new(edwards25519.Point).VarTimeDoubleScalarBaseMult(minusOne, p, edwards25519.NewScalar()) // nothing here is secret
	return multiple.Equal(new(edwards25519.Point).Negate(p)) == 1
}

// isSignatureText is the pattern ^[A-Za-z0-9+/]+={0,2}$ of contract 02 §5.
func isSignatureText(s string) bool {
	digits := len(s)
	for pad := 0; pad < 2 && digits > 0 && s[digits-1] == '='; pad++ {
		digits--
	}
	for i := range digits {
		if _, ok := base64Digit(s[i]); !ok {
			return false
		}
	}
	return digits > 0
}

// decodeSignature decodes a text that matches the pattern as base level does:
// n digits give floor(6n/8) bytes, unused low bits are ignored. It reports
// whether the result is a signature of 64 bytes.
func decodeSignature(s string) (sig [ed25519.SignatureSize]byte, ok bool) {
	for len(s) > 0 && s[len(s)-1] == '=' {
		s = s[:len(s)-1]
	}
	if len(s)*6/8 != len(sig) {
		return sig, false
	}
	acc, bits, n := uint32(0), 0, 0
	for i := range len(s) {
		digit, valid := base64Digit(s[i])
		if !valid {
			return sig, false
		}
		acc, bits = acc<<6|uint32(digit), bits+6
		if bits >= 8 && n < len(sig) {
			bits -= 8
			sig[n] = byte(acc >> bits)
			n++
		}
	}
	return sig, true
}

func base64Digit(c byte) (value byte, ok bool) {
	switch {
	case c >= 'A' && c <= 'Z':
		return c - 'A', true
	case c >= 'a' && c <= 'z':
		return c - 'a' + 26, true
	case c >= '0' && c <= '9':
		return c - '0' + 52, true
	case c == '+':
		return 62, true
	case c == '/':
		return 63, true
	}
	return 0, false
}
