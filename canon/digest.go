package canon

import (
	"crypto/sha256"
	"encoding/hex"
)

// SHA256 is D1, the digest of raw bytes, as 64 lower-case hexadecimal
// characters.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Digest is D2, the digest of canon(v).
func Digest(v Value) string { return SHA256(Canonical(v)) }

// TextDigest is D3, the digest of the UTF-8 of a string itself, without
// quotes. An unpaired surrogate counts as U+FFFD.
//
// The text is hashed in pieces: a conversion of all of it to bytes would copy
// a megabyte for every stream of a proof.
func TextDigest(s string) string {
	s = UTF8(s)
	h := sha256.New()
	var piece [4096]byte
	for len(s) > 0 {
		n := copy(piece[:], s)
		h.Write(piece[:n])
		s = s[n:]
	}
	return hex.EncodeToString(h.Sum(nil))
}

// SemanticDigest is the digest of compact(v) (contract 09b, section 1).
func SemanticDigest(v Value) string { return SHA256(Compact(v)) }

// IsHex64 reports whether s is 64 hexadecimal digits of either case: the
// digest pattern of contract 01, section 3. Upper case passes the pattern and
// then fails every comparison, because computed digests are lower-case.
func IsHex64(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isHexDigit(s[i]) {
			return false
		}
	}
	return true
}

// IsLowerHex reports whether a text consists of lower-case hexadecimal digits and
// has that many of them.
func IsLowerHex[T string | []byte](text T, length int) bool {
	if len(text) != length {
		return false
	}
	for i := range length {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// IsDigest applies the digest pattern to a document's member as base level
// does: to its text form, so that a one-element array, however nested, is
// tried as its element (contract 01, section 3). Such a value passes here and
// fails every comparison; strict level reports strict.digest.non-string.
func IsDigest(v Value) bool {
	for depth := 0; depth <= MaxDepth && v.IsArray() && v.Len() == 1; depth++ {
		v = v.Elems()[0]
	}
	return IsHex64(v.Text())
}

func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// HasUpperHex reports whether s has one of A to F (strict.digest.upper-case,
// strict.commit.upper-case).
func HasUpperHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'F' {
			return true
		}
	}
	return false
}
