package sshkey

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// testKey is a key that is public knowledge: its seed is one byte, repeated.
func testKey(b byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
}

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

func openSSHFile(t testing.TB, key crypto.PrivateKey, passphrase string) []byte {
	t.Helper()
	var block *pem.Block
	var err error
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(key, "a comment")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "a comment", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block)
}

func pkcs8File(t testing.TB, key crypto.PrivateKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE" + " KEY", Bytes: der})
}

func publicLine(t testing.TB, key crypto.PublicKey) string {
	t.Helper()
	public, err := ssh.NewPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(ssh.MarshalAuthorizedKey(public)), "\n")
}

func ecdsaKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// mustRefuse fails unless err is an *Error that says so, with advice.
func mustRefuse(t *testing.T, err error, reason string) {
	t.Helper()
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatalf("error %v, want %q", err, reason)
	}
	if !strings.Contains(refused.Reason, reason) || refused.Hint() == "" {
		t.Errorf("refused with %q (hint %q), want %q", refused.Reason, refused.Hint(), reason)
	}
}

func TestParsePublic(t *testing.T) {
	key := publicOf(testKey(1))
	line := publicLine(t, key)
	for name, text := range map[string]string{
		"the bare line":         line,
		"with a comment":        line + " ada@desk of two words",
		"with a line end":       line + "\n",
		"with CRLF":             line + " ada\r\n",
		"among comments":        "# ada's key\n\n" + line + "\n# end\n",
		"tabs between":          strings.Replace(line, " ", "\t", 1),
		"spaces around":         "   " + line + "   ",
		"without final newline": "\n" + line,
	} {
		got, err := ParsePublic([]byte(text))
		if err != nil || !got.Equal(key) {
			t.Errorf("%s: %x, %v", name, got, err)
		}
	}
	other := publicLine(t, publicOf(testKey(2)))
	blob := strings.Fields(line)[1]
	for _, c := range []struct{ name, text, reason string }{
		{"nothing", "", "no public key"},
		{"only the type", "ssh-ed25519", "no public key"},
		{"only the key", blob, "no public key"},
		{"prose", "my key is the one of last week", "no public key"},
		{"two keys", line + "\n" + other, "more than one"},
		{"the same key twice", line + "\n" + line, "more than one"},
		{"another algorithm", publicLine(t, &ecdsaKey(t).PublicKey), "another algorithm"},
		{"another algorithm under the name", "ssh-ed25519 " + strings.Fields(publicLine(t, &ecdsaKey(t).PublicKey))[1], "its key is another"},
		{"options", `restrict,command="x" ` + line, "authorized_keys"},
		{"a security token's key", "sk-ssh-ed25519@openssh.com " + blob, "security token"},
		{"a certificate", "ssh-ed25519-cert-v01@openssh.com " + blob, "certificate"},
		{"cut short", line[:len(line)-8], "cannot be read"},
		{"no padding bits", strings.TrimRight(line, "=") + "=", "not base64"},
		{"bytes after the key", "ssh-ed25519 " + blob + "AAAA", "cannot be read"},
		{"too large", line + strings.Repeat("\n", MaxFile), "larger"},
		{"a private key", string(openSSHFile(t, testKey(1), "")), "private key"},
		{"a PKCS#8 key", string(pkcs8File(t, testKey(1))), "private key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParsePublic([]byte(c.text))
			mustRefuse(t, err, c.reason)
		})
	}
}

func TestFingerprintIsThatOfSSH(t *testing.T) {
	// ssh-keygen -l of the key whose seed is 32 bytes of 01
	const want = "SHA256:fe85JkIjo8VPe+XqXJGH5Mau1EMFdK1OdKvJUFicyA8"
	public, err := ssh.NewPublicKey(publicOf(testKey(1)))
	if err != nil {
		t.Fatal(err)
	}
	if got := Fingerprint(publicOf(testKey(1))); got != ssh.FingerprintSHA256(public) || got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
}

func TestKeyFilesSign(t *testing.T) {
	key := testKey(3)
	payload := []byte(`{"canonical":"bytes"}`)
	for _, c := range []struct {
		name, passphrase string
		data             []byte
	}{
		{"OpenSSH", "", openSSHFile(t, key, "")},
		{"OpenSSH, encrypted", "correct horse", openSSHFile(t, key, "correct horse")},
		{"PKCS#8", "", pkcs8File(t, key)},
		{"PKCS#8 with text around", "", append([]byte("Bag attributes\n"), append(pkcs8File(t, key), "\nend\n"...)...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := ParseKeyFile(c.data)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if !f.Public().Equal(publicOf(key)) || f.Encrypted() != (c.passphrase != "") {
				t.Fatalf("public %x, encrypted %v", f.Public(), f.Encrypted())
			}
			if f.Encrypted() {
				_, err := f.Sign(payload)
				mustRefuse(t, err, "encrypted")
				for _, wrong := range []string{"", "correct horse ", "CORRECT HORSE"} {
					if err := f.Unlock([]byte(wrong)); !errors.Is(err, ErrPassphrase) || !f.Encrypted() {
						t.Fatalf("passphrase %q: %v", wrong, err)
					}
				}
				if err := f.Unlock([]byte(c.passphrase)); err != nil {
					t.Fatal(err)
				}
			}
			signature, err := f.Sign(payload)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(signature, ed25519.Sign(key, payload)) {
				t.Errorf("signature %x is not that of RFC 8032", signature)
			}
		})
	}
}

func TestKeyFilesThatAreRefused(t *testing.T) {
	rsaLike := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE" + " KEY", Bytes: []byte{1}})
	encrypted := pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE" + " KEY", Bytes: []byte{1}})
	open := openSSHFile(t, testKey(4), "")
	forged := bytes.Clone(testKey(4))
	copy(forged[ed25519.SeedSize:], publicOf(testKey(5)))
	for _, c := range []struct {
		name   string
		data   []byte
		reason string
	}{
		{"nothing", nil, "no private key"},
		{"prose", []byte("the key is in the safe"), "no private key"},
		{"the public half", []byte(publicLine(t, publicOf(testKey(4)))), "public half"},
		{"a public PEM", []byte("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"), "another PEM block"},
		{"PKCS#1", rsaLike, "another algorithm"},
		{"an EC key", openSSHFile(t, ecdsaKey(t), ""), "another algorithm"},
		{"an encrypted EC key", openSSHFile(t, ecdsaKey(t), "x"), "another algorithm"},
		{"an EC key in PKCS#8", pkcs8File(t, ecdsaKey(t)), "another algorithm"},
		{"encrypted PKCS#8", encrypted, "encrypted PKCS#8"},
		{"two blocks", bytes.Join([][]byte{open, open}, nil), "more than one"},
		{"a damaged block", bytes.Replace(open, open[60:64], []byte("AAAA"), 1), "damaged"},
		{"PKCS#8 of something else", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE" + " KEY", Bytes: []byte{0x30, 0}}), "damaged"},
		{"a public half that is not the key's", openSSHFile(t, ed25519.PrivateKey(forged), ""), "damaged"},
		{"too large", make([]byte, MaxFile+1), "larger"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := ParseKeyFile(c.data)
			if err == nil {
				t.Fatalf("accepted, public %x", f.Public())
			}
			mustRefuse(t, err, c.reason)
			if len(c.data) > 0 && !allZero(c.data) {
				t.Error("the refused bytes were not overwritten")
			}
		})
	}
}

// A file that shows one public key and holds another is not opened: its
// signatures would be looked for under the wrong key.
func TestEncryptedKeyWithAnotherPublicHalf(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	const passphrase = "correct horse"
	data := openSSHFile(t, testKey(6), passphrase)
	block, _ := pem.Decode(data)
	real, shown := publicOf(testKey(6)), publicOf(testKey(7))
	if bytes.Count(block.Bytes, real) != 1 {
		t.Fatal("the file does not show its public key once")
	}
	block.Bytes = bytes.Replace(block.Bytes, real, shown, 1)
	f, err := ParseKeyFile(pem.EncodeToMemory(block))
	if err != nil {
		t.Fatal(err)
	}
	if !f.Public().Equal(shown) {
		t.Fatal("the forgery did not take")
	}
	mustRefuse(t, f.Unlock([]byte(passphrase)), "damaged")
	if !f.Encrypted() {
		t.Error("the key was kept")
	}
}

func TestCloseOverwrites(t *testing.T) {
	data := openSSHFile(t, testKey(8), "")
	f, err := ParseKeyFile(data)
	if err != nil {
		t.Fatal(err)
	}
	private := f.private
	f.Close()
	if !allZero(data) || !allZero(private) {
		t.Error("key bytes are left")
	}
	if _, err := f.Sign([]byte("x")); err == nil {
		t.Error("a closed key signs")
	}
}

func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// No text that is shown to people holds a part of the key.
func FuzzKeyFile(f *testing.F) {
	f.Add(openSSHFile(f, testKey(9), ""), []byte(""))
	f.Add(openSSHFile(f, testKey(9), "pass"), []byte("pass"))
	f.Add(pkcs8File(f, testKey(9)), []byte(""))
	f.Add([]byte(publicLine(f, publicOf(testKey(9)))), []byte(""))
	f.Fuzz(func(t *testing.T, data, passphrase []byte) {
		kept := bytes.Clone(data)
		if public, err := ParsePublic(data); err == nil {
			again, err := ParsePublic([]byte(publicLine(t, public)))
			if err != nil || !again.Equal(public) {
				t.Fatalf("%x does not come back: %v", public, err)
			}
		}
		file, err := ParseKeyFile(data)
		if err != nil {
			var refused *Error
			if !errors.As(err, &refused) || refused.Advice == "" {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		defer file.Close()
		if len(kept) < 4096 { // a large file may ask for a slow derivation
			if err := file.Unlock(passphrase); err != nil {
				return
			}
		}
		if file.Encrypted() {
			return
		}
		signature, err := file.Sign(passphrase)
		if err != nil || !ed25519.Verify(file.Public(), passphrase, signature) {
			t.Fatalf("signature %x: %v", signature, err)
		}
	})
}
