// Package sshkey brings Ed25519 keys from where people keep them: an OpenSSH
// key file, a PKCS#8 file, an ssh-agent. It knows nothing of reviews or trust
// stores, and of SSH only the forms of keys: what it makes are plain signatures
// of RFC 8032 over exactly the given bytes.
//
// Start with [ParseKeyFile] for a private key, which says at once which public
// key it is, also when it is encrypted, and gives a [Key] that signs once it is
// unlocked. [DialAgent] reaches a key that stays in its agent. [ParsePublic]
// reads a public key, for enrolling.
//
// What is promised: every signature is checked under the public key before it
// is given out, so that an agent that signs other bytes, or with another key,
// is an error. No error and no text holds key bytes or a passphrase. Private
// bytes are overwritten by Close, as far as Go allows: copies that the runtime
// or the parsers of keys made are out of reach, so a swap device or a core file
// may still see them.
//
// This is the only package of the offline program that dials a socket: the one
// of the agent, a Unix socket on this machine.
package sshkey

import (
	"crypto/ed25519"
	"errors"

	"golang.org/x/crypto/ssh"
)

// An Error says why a key cannot be used, and what to do about it. Neither text
// holds anything secret.
type Error struct{ Reason, Advice string }

func (e *Error) Error() string { return e.Reason }

// Hint is what to do about it.
func (e *Error) Hint() string { return e.Advice }

// ErrPassphrase says that the passphrase of a key file is wrong.
var ErrPassphrase error = &Error{"wrong passphrase", "the key stays locked; nothing was signed"}

// Fingerprint is that of a key as ssh-keygen -l prints it: SHA256: and the
// unpadded base64 of the digest of its SSH form.
func Fingerprint(key ed25519.PublicKey) string {
	public, err := ssh.NewPublicKey(key)
	if err != nil {
		return "no Ed25519 key" // not 32 bytes long
	}
	return ssh.FingerprintSHA256(public)
}

// ed25519Of takes the 32 bytes out of a key of SSH.
func ed25519Of(key ssh.PublicKey) (ed25519.PublicKey, bool) {
	holder, ok := key.(ssh.CryptoPublicKey)
	if !ok || key.Type() != ssh.KeyAlgoED25519 {
		return nil, false
	}
	public, ok := holder.CryptoPublicKey().(ed25519.PublicKey)
	return public, ok && len(public) == ed25519.PublicKeySize
}

// checked gives out a signature that verifies, and nothing else.
func checked(key ed25519.PublicKey, payload, signature []byte) ([]byte, error) {
	if len(signature) != ed25519.SignatureSize || !ed25519.Verify(key, payload, signature) {
		return nil, errNotOurs
	}
	return signature, nil
}

var errNotOurs = errors.New("the signature that came back is not that of this key over these bytes")
