package review

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"

	"filippo.io/edwards25519"
	"pgregory.net/rapid"
)

// testSigner is one of the public throw-away keys of the vectors: its seed is
// the SHA-256 of a phrase, so no secret is written down.
func testSigner(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte("finishline throw-away test signing key " + name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func publicOf(signer ed25519.PrivateKey) PublicKey {
	return PublicKey(signer.Public().(ed25519.PublicKey))
}

// pemOf writes a key as a store should hold it.
func pemOf(k PublicKey) string { return block(k.spki()) }

func block(der []byte) string {
	return "-----BEGIN PUBLIC KEY-----\n" + base64.StdEncoding.EncodeToString(der) + "\n-----END PUBLIC KEY-----\n"
}

func TestParsePublicKey(t *testing.T) {
	key := publicOf(testSigner("A"))
	other := publicOf(testSigner("B"))
	good, der := pemOf(key), key.spki()
	body := base64.StdEncoding.EncodeToString(der)
	begin, end := "-----BEGIN PUBLIC KEY-----\n", "-----END PUBLIC KEY-----\n"
	certificate := strings.ReplaceAll(pemOf(other), "PUBLIC KEY", "CERTIFICATE")
	looseBits := strings.Replace(body, "pA=", "pB=", 1)
	if looseBits == body {
		t.Fatal("the test key does not end as the test supposes")
	}
	for _, c := range []struct {
		name, text   string
		base, strict bool
	}{
		{"canonical", good, true, true},
		{"without final line end", strings.TrimSuffix(good, "\n"), true, true},
		{"CRLF", strings.ReplaceAll(good, "\n", "\r\n"), true, true},
		{"many final line ends", good + "\n\r\n\n", true, true},
		{"short lines", begin + body[:7] + "\n" + body[7:30] + "\n" + body[30:] + "\n" + end, true, true},
		{"text before", "x\n" + good, true, false},
		{"text after", good + "x\n", true, false},
		{"another label before", certificate + good, true, false},
		{"a second block", good + pemOf(other), true, false},
		{"trailing spaces", strings.ReplaceAll(good, "\n", "  \n"), true, false},
		{"trailing tab", strings.Replace(good, "\n", "\t\n", 1), true, false},
		{"a lone CR at the end", strings.TrimSuffix(good, "\n") + "\r", true, false},
		{"loose pad bits", begin + looseBits + "\n" + end, true, false},
		{"long-form lengths", block(longForm(key)), true, false},
		{"leading zeros in a length", block(append([]byte{0x30, 0x83, 0, 0, 42}, der[2:]...)), true, false},
		{"trailing DER byte", block(append(bytes.Clone(der), 0)), true, false},

		{"empty", "", false, false},
		{"marker only", "see BEGIN PUBLIC KEY", false, false},
		{"headers", begin + "Owner: marsh\n\n" + body + "\n" + end, false, false},
		{"empty headers", begin + "\n" + body + "\n" + end, false, false},
		{"one line", strings.ReplaceAll(good, "\n", ""), false, false},
		{"CR line ends", strings.ReplaceAll(good, "\n", "\r"), false, false},
		{"leading space", " " + good, false, false},
		{"space in the base64", begin + body[:8] + " " + body[8:] + "\n" + end, false, false},
		{"no END", begin + body + "\n", false, false},
		{"another END", begin + body + "\n-----END PRIVATE KEY-----\n", false, false},
		{"END without dashes", begin + body + "\n-----END PUBLIC KEY\n", false, false},
		{"no padding", begin + strings.TrimRight(body, "=") + "\n" + end, false, false},
		{"padding in the middle", begin + "MA==" + body + "\n" + end, false, false},
		{"URL alphabet", begin + strings.Replace(body, "w", "_", 1) + "\n" + end, false, false},
		{"lower-case label", strings.ToLower(begin) + body + "\n" + strings.ToLower(end), false, false},
		{"label RSA PUBLIC KEY", strings.ReplaceAll(good, "PUBLIC", "RSA PUBLIC"), false, false},
		{"inside another block", "-----BEGIN X-----\n" + good + "-----END X-----\n", false, false},
		{"after a block without END", "-----BEGIN X-----\n" + good, false, false},
		{"a broken first block", begin + "!\n" + end + good, false, false},
		{"another algorithm first", block(spkiOf(0x6e, 32)) + good, false, false},
		{"X25519", block(spkiOf(0x6e, 32)), false, false},
		{"Ed448", block(spkiOf(0x71, 57)), false, false},
		{"31 bytes", block(spkiOf(0x70, 31)), false, false},
		{"33 bytes", block(spkiOf(0x70, 33)), false, false},
		{"NULL parameters", block(unhex(t, "302c300706032b65700500032100"+hex.EncodeToString(key[:]))), false, false},
		{"unused bits", block(unhex(t, "302a300506032b6570032101"+hex.EncodeToString(key[:]))), false, false},
		{"indefinite length", block(append(append([]byte{0x30, 0x80}, der[2:]...), 0, 0)), false, false},
		{"length beyond the end", block(append([]byte{0x30, 0x7f}, der[2:]...)), false, false},
		{"huge length", block(append([]byte{0x30, 0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, der[2:]...)), false, false},
		{"an element after the key", block(append(append([]byte{0x30, 44}, der[2:]...), 5, 0)), false, false},
		{"OpenSSH line", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 BEGIN PUBLIC KEY", false, false},
		{"DER cut short", block(der[:20]), false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParsePublicKey(c.text)
			if (err == nil) != c.base || c.base && got != key {
				t.Errorf("base: %x, %v; want accepted %v", got, err, c.base)
			}
			if err != nil && !IsKeyError(err) {
				t.Errorf("base: %T is no *KeyError", err)
			}
			if got, err := ParseStrictPublicKey(c.text); (err == nil) != c.strict || c.strict && got != key {
				t.Errorf("strict: %x, %v; want accepted %v", got, err, c.strict)
			}
		})
	}
	// What makes the strict rule necessary: the standard library takes all of it.
	if b, _ := pem.Decode([]byte("x\n" + begin + "Owner: marsh\n\n" + body[:8] + " " + body[8:] + "\n" + end)); b == nil {
		t.Error("encoding/pem refused what this test is about")
	}
}

// spkiOf is a SubjectPublicKeyInfo of the algorithm 1.3.101.last with a key of
// size zero bytes.
func spkiOf(last byte, size int) []byte {
	bits := append([]byte{0x03, byte(size + 1), 0}, make([]byte, size)...)
	content := append([]byte{0x30, 5, 6, 3, 0x2b, 0x65, last}, bits...)
	return append([]byte{0x30, byte(len(content))}, content...)
}

// longForm writes the key with every length in the long form.
func longForm(k PublicKey) []byte {
	algorithm := []byte{0x30, 0x81, 6, 6, 0x81, 3, 0x2b, 0x65, 0x70}
	bits := append([]byte{0x03, 0x82, 0, 33, 0}, k[:]...)
	content := append(algorithm, bits...)
	return append([]byte{0x30, 0x81, byte(len(content))}, content...)
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// order is L, the order of the prime-order subgroup.
func order() *big.Int {
	l, _ := new(big.Int).SetString("27742317777372353535851937790883648493", 10)
	return l.Add(l, new(big.Int).Lsh(big.NewInt(1), 252))
}

func littleEndian(n *big.Int) (out [32]byte) {
	for i, b := range n.FillBytes(make([]byte, 32)) {
		out[31-i] = b
	}
	return out
}

// TestWeakKeys shows that each kind of weak key is accepted by the standard
// library and by base level, as the format says, and refused at strict level.
func TestWeakKeys(t *testing.T) {
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	identity := littleEndian(big.NewInt(1))
	highIdentity := littleEndian(new(big.Int).Add(p, big.NewInt(1)))
	negativeZero := identity
	negativeZero[31] |= 0x80
	minus1 := littleEndian(new(big.Int).Sub(p, big.NewInt(1)))
	mixed, err := new(edwards25519.Point).SetBytes(minus1[:])
	if err != nil {
		t.Fatal(err)
	}
	mixed.Add(mixed, edwards25519.NewGeneratorPoint())
	for _, c := range []struct {
		name string
		key  PublicKey
		want Weakness
	}{
		{"a generated key", publicOf(testSigner("A")), Weakness{}},
		{"the generator", PublicKey(edwards25519.NewGeneratorPoint().Bytes()), Weakness{}},
		{"the identity", identity, Weakness{SmallOrder: true}},
		{"order 2", minus1, Weakness{SmallOrder: true}},
		{"order 4", [32]byte{}, Weakness{SmallOrder: true}},
		{"order 8", PublicKey(unhex(t, "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")), Weakness{SmallOrder: true}},
		{"the identity with y beyond p", highIdentity, Weakness{NotCanonical: true, SmallOrder: true}},
		{"the identity with a sign", negativeZero, Weakness{NotCanonical: true, SmallOrder: true}},
		{"outside the subgroup", PublicKey(mixed.Bytes()), Weakness{Mixed: true}},
		{"no point", littleEndian(big.NewInt(2)), Weakness{NotCanonical: true}},
	} {
		if got := c.key.Weakness(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	// Under the identity, R = [S]B verifies every message: the forgery that
	// strict level exists for.
	one := littleEndian(big.NewInt(1))
	forged := [64]byte(append(edwards25519.NewGeneratorPoint().Bytes(), one[:]...))
	for _, key := range []PublicKey{identity, highIdentity, negativeZero} {
		if !key.Verify([]byte("any message at all"), forged) {
			t.Errorf("base level refused the forgery under %x, so the test shows nothing", key)
		}
	}
	if _, err := ParseStrictPublicKey(pemOf(identity)); err != nil {
		t.Errorf("the encoding of the identity is fine, and its weakness another rule: %v", err)
	}
}

// TestVerificationEquation checks the claims of contract 02 §7 one by one.
func TestVerificationEquation(t *testing.T) {
	signer, message := testSigner("A"), []byte("message")
	key, sig := publicOf(signer), [64]byte(ed25519.Sign(signer, message))
	if !key.Verify(message, sig) {
		t.Fatal("a good signature is refused")
	}
	s := new(big.Int)
	for i := range 32 {
		s.Or(s, new(big.Int).Lsh(big.NewInt(int64(sig[32+i])), uint(8*i)))
	}
	high := littleEndian(s.Add(s, order()))
	malleable := [64]byte(append(bytes.Clone(sig[:32]), high[:]...))
	if key.Verify(message, malleable) {
		t.Error("S + L is accepted")
	}
	// R in another encoding: under the identity with S = 0, R is the identity;
	// its non-canonical texts must not match.
	zero := [32]byte{}
	identity := PublicKey(littleEndian(big.NewInt(1)))
	if !identity.Verify(message, [64]byte(append(identity[:], zero[:]...))) {
		t.Error("the canonical identity as R is refused under the identity key")
	}
	negative := identity
	negative[31] |= 0x80
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	beyond := littleEndian(p.Add(p, big.NewInt(1)))
	for _, r := range [][32]byte{negative, beyond} {
		if identity.Verify(message, [64]byte(append(r[:], zero[:]...))) {
			t.Errorf("the non-canonical R %x is accepted", r)
		}
	}
	if notPoint := PublicKey(littleEndian(big.NewInt(2))); notPoint.Verify(message, sig) {
		t.Error("a key that is no point verifies")
	}
}

func TestSignatureText(t *testing.T) {
	sig := [64]byte(ed25519.Sign(testSigner("A"), []byte("m")))
	canonical := base64.StdEncoding.EncodeToString(sig[:])
	digits := strings.TrimRight(canonical, "=")
	last := strings.IndexByte(alphabet, digits[85])
	loose := digits[:85] + string(alphabet[last|1])
	for _, c := range []struct {
		name, text     string
		pattern, whole bool
	}{
		{"canonical", canonical, true, true},
		{"one pad", digits + "=", true, true},
		{"no pad", digits, true, true},
		{"loose bits", loose + "==", true, true},
		{"three pads", digits + "===", false, false},
		{"pad in front", "=" + digits, false, false},
		{"pad inside", digits[:40] + "=" + digits[40:], false, false},
		{"line end", canonical + "\n", false, false},
		{"line end inside", canonical[:64] + "\n" + canonical[64:], false, false},
		{"URL alphabet", strings.Repeat("-", 86) + "==", false, false},
		{"empty", "", false, false},
		{"pads only", "==", false, false},
		{"one digit less", digits[:85], true, false},
		{"one digit more", digits + "A", true, false},
		{"one digit", "A", true, false},
	} {
		if got := isSignatureText(c.text); got != c.pattern {
			t.Errorf("%s: pattern %v, want %v", c.name, got, c.pattern)
		}
		if !c.pattern {
			continue
		}
		got, whole := decodeSignature(c.text)
		if whole != c.whole || whole && got != sig {
			t.Errorf("%s: 64 bytes %v, want %v", c.name, whole, c.whole)
		}
	}
	// encoding/base64 ignores line ends even in its strict mode, which is why
	// nothing here relies on it for refusing a text.
	if _, err := base64.StdEncoding.Strict().DecodeString(canonical[:64] + "\n" + canonical[64:]); err != nil {
		t.Error("encoding/base64 changed; revisit the comment above")
	}
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func TestSignatureTextAgreesWithBase64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sig := [64]byte(rapid.SliceOfN(rapid.Byte(), 64, 64).Draw(t, "signature"))
		text := base64.StdEncoding.EncodeToString(sig[:])
		if got, whole := decodeSignature(text); !isSignatureText(text) || !whole || got != sig {
			t.Fatalf("%q decodes to %x, want %x", text, got, sig)
		}
	})
}
