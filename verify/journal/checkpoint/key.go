package checkpoint

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"finishline/review"
)

// A Verifier is a key that the caller trusts to sign checkpoints.
type Verifier struct {
	note.Verifier
	Public ed25519.PublicKey
}

// ID names the key as the first two parts of its text do: name+hash.
func (v Verifier) ID() string { return fmt.Sprintf("%s+%08x", v.Name(), v.KeyHash()) }

// A KeyError says why a text is no usable key. It never holds the text.
type KeyError struct{ Reason, Advice string }

func (e *KeyError) Error() string { return e.Reason }

// Hint says what to do.
func (e *KeyError) Hint() string { return e.Advice }

// MaxKey bounds the text of a key, in bytes.
const MaxKey = 1 << 10

// ParseVerifier reads a verifier key, <name>+<hash>+<key>, exactly as
// note.GenerateKey prints it: Ed25519, algorithm byte 1. The error is a
// *[KeyError].
func ParseVerifier(text string) (Verifier, error) {
	const advice = "give the line that finishline journal keygen printed: <name>+<hash>+<key>"
	if strings.HasPrefix(text, "PRIVATE+KEY+") {
		return Verifier{}, &KeyError{"this is a signer key, which is secret; a verifier key was expected", advice}
	}
	if len(text) > MaxKey {
		return Verifier{}, &KeyError{"too long for a verifier key", advice}
	}
	v, err := note.NewVerifier(text)
	if err != nil {
		return Verifier{}, &KeyError{"no verifier key: " + err.Error(), advice}
	}
	public, err := publicBytes(text)
	if err != nil {
		return Verifier{}, &KeyError{"no verifier key: " + err.Error(), advice}
	}
	if again, err := note.NewEd25519VerifierKey(v.Name(), public); err != nil || again != text {
		return Verifier{}, &KeyError{"no verifier key in its one spelling", advice}
	}
	if w := review.PublicKey(public).Weakness(); w != (review.Weakness{}) {
		return Verifier{}, &KeyError{"the verifier key is no point of the prime-order group: anybody could sign for it", "have its owner make another one with finishline journal keygen"}
	}
	return Verifier{v, public}, nil
}

// publicBytes are the 32 bytes of a verifier key that note has read.
func publicBytes(text string) ([]byte, error) {
	_, rest, _ := strings.Cut(text, "+") // the name has no +, the base64 may
	_, encoded, _ := strings.Cut(rest, "+")
	key, err := base64.StdEncoding.DecodeString(encoded)
	switch {
	case err != nil:
		return nil, err
	case len(key) != 1+ed25519.PublicKeySize:
		return nil, errors.New("not 32 bytes")
	}
	return key[1:], nil
}

// A Signer is a key that signs checkpoints, and its public half.
type Signer struct {
	note.Signer
	Verifier Verifier
}

// ParseSigner reads the text of a signer key file: one line,
// PRIVATE+KEY+<name>+<hash>+<key>, with or without a final line feed. The error
// is a *[KeyError].
func ParseSigner(text string) (Signer, error) {
	const advice = "give the file that finishline journal keygen wrote"
	line := strings.TrimSuffix(text, "\n")
	if len(line) > MaxKey {
		return Signer{}, &KeyError{"too long for a signer key", advice}
	}
	s, err := note.NewSigner(line)
	if err != nil {
		return Signer{}, &KeyError{"no signer key", advice}
	}
	rest := strings.TrimPrefix(line, "PRIVATE+KEY+"+s.Name()+"+")
	_, encoded, _ := strings.Cut(rest, "+")
	seed, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(seed) != 1+ed25519.SeedSize || base64.StdEncoding.EncodeToString(seed) != encoded {
		return Signer{}, &KeyError{"no signer key in its one spelling", advice}
	}
	public := ed25519.NewKeyFromSeed(seed[1:]).Public().(ed25519.PublicKey)
	text, err = note.NewEd25519VerifierKey(s.Name(), public)
	if err != nil {
		return Signer{}, &KeyError{"no signer key", advice}
	}
	v, err := ParseVerifier(text)
	if err != nil {
		return Signer{}, err
	}
	return Signer{s, v}, nil
}

// GenerateKey makes a key pair of that name, with randomness from the caller:
// the text of the signer key file, which is secret, and the verifier key. The
// error is a *[KeyError] for a name that notes cannot carry, or that of the
// randomness.
func GenerateKey(random io.Reader, name string) (signer, verifier string, err error) {
	if !validName(name) {
		return "", "", &KeyError{
			Reason: "a key name is 1 to 256 bytes of printable text without spaces and without +",
			Advice: "name it after who signs and where, such as example.org/journal",
		}
	}
	signer, verifier, err = note.GenerateKey(random, name)
	return signer + "\n", verifier, err
}
