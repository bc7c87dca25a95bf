package sshkey

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"

	"golang.org/x/crypto/ssh"
)

// A KeyFile is a private key file: OpenSSH's own form, encrypted or not, or an
// unencrypted PKCS#8 block. Close it when the key is no longer needed.
type KeyFile struct {
	public  ed25519.PublicKey
	private ed25519.PrivateKey // nil while it is encrypted
	data    []byte
}

// ParseKeyFile reads a private key file of at most [MaxFile] bytes and takes
// the slice over: [KeyFile.Close] overwrites it, and so does an error, which is
// an *Error.
func ParseKeyFile(data []byte) (*KeyFile, error) {
	f := &KeyFile{data: data}
	if err := f.parse(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *KeyFile) parse() error {
	if len(f.data) > MaxFile {
		return &Error{"larger than a key file can be", adviceKeyFile}
	}
	block, rest := pem.Decode(f.data)
	if block == nil {
		return notPrivate(f.data)
	}
	defer clear(block.Bytes)
	if bytes.Contains(rest, []byte("-----BEGIN ")) {
		return &Error{"more than one PEM block", adviceKeyFile}
	}
	switch block.Type {
	case "OPENSSH PRIVATE KEY":
		return f.parseOpenSSH()
	case "PRIVATE KEY":
		return f.parsePKCS8(block.Bytes)
	case "ENCRYPTED PRIVATE KEY":
		return &Error{"an encrypted PKCS#8 key cannot be opened here",
			"sign the bytes of finishline review payload --out with openssl, which asks for the passphrase, and bring the signature with finishline review attach"}
	}
	if strings.HasSuffix(block.Type, "PRIVATE KEY") {
		return errAlgorithm
	}
	return &Error{"no private key, but another PEM block", adviceKeyFile}
}

const adviceKeyFile = "give an Ed25519 private key: the file of ssh-keygen -t ed25519, or a PKCS#8 PEM file"

var errAlgorithm error = &Error{"a key of another algorithm than Ed25519", adviceKeyFile}

func notPrivate(data []byte) error {
	if _, err := ParsePublic(data); err == nil {
		return &Error{"this is the public half of a key", "give the private key file, which has the same name without .pub, or --agent when an agent holds it"}
	}
	return &Error{"no private key", adviceKeyFile}
}

func (f *KeyFile) parseOpenSSH() error {
	raw, err := ssh.ParseRawPrivateKey(f.data)
	var missing *ssh.PassphraseMissingError
	if errors.As(err, &missing) {
		public, ok := ed25519Of(missing.PublicKey)
		if !ok {
			return errAlgorithm
		}
		f.public = public
		return nil
	}
	if err != nil {
		return errDamaged
	}
	return f.take(raw)
}

var errDamaged error = &Error{"a key file that is damaged, or of a form that is not supported", adviceKeyFile}

func (f *KeyFile) parsePKCS8(der []byte) error {
	raw, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return errDamaged
	}
	return f.take(raw)
}

// take keeps a private key and works out its public half, rather than
// believing the one that is written beside it.
func (f *KeyFile) take(raw any) error {
	if pointer, ok := raw.(*ed25519.PrivateKey); ok {
		raw = *pointer
	}
	written, ok := raw.(ed25519.PrivateKey)
	if !ok || len(written) != ed25519.PrivateKeySize {
		return errAlgorithm
	}
	defer clear(written)
	seed := written.Seed()
	defer clear(seed)
	private := ed25519.NewKeyFromSeed(seed)
	public := bytes.Clone(private[ed25519.SeedSize:])
	if !bytes.Equal(private, written) || f.public != nil && !bytes.Equal(public, f.public) {
		clear(private)
		return errDamaged
	}
	f.public, f.private = public, private
	return nil
}

// Public is the public half, which is readable without a passphrase.
func (f *KeyFile) Public() ed25519.PublicKey { return f.public }

// Encrypted reports whether a passphrase is needed.
func (f *KeyFile) Encrypted() bool { return f.private == nil }

// Unlock opens an encrypted key file. The error is [ErrPassphrase] or another
// *Error. The passphrase stays the caller's, who should overwrite it.
func (f *KeyFile) Unlock(passphrase []byte) error {
	if !f.Encrypted() {
		return nil
	}
	raw, err := ssh.ParseRawPrivateKeyWithPassphrase(f.data, passphrase)
	switch {
	case errors.Is(err, x509.IncorrectPasswordError), err != nil && len(passphrase) == 0:
		return ErrPassphrase
	case err != nil:
		return errDamaged
	}
	return f.take(raw)
}

// Sign signs the payload with the key, which must not be encrypted any more.
func (f *KeyFile) Sign(payload []byte) ([]byte, error) {
	if f.Encrypted() {
		return nil, &Error{"the key is encrypted", "unlock it with its passphrase first"}
	}
	return checked(f.public, payload, ed25519.Sign(f.private, payload))
}

// Close overwrites what is secret.
func (f *KeyFile) Close() {
	clear(f.data)
	clear(f.private)
	f.data, f.private = nil, nil
}
