package rules

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// A Hit is one match that every condition of its rule accepted.
type Hit struct {
	Rule   *Rule
	View   View
	Line   int // from 1; 0 for a hit on the path of the file
	Column int // 1 + code points before the match in its line; 0 for a hit on the path
	Secret Secret
	// Verified says that the secret carries a checksum and that it holds, so
	// that it was issued by whom it names, or computed to look so. Most kinds
	// have none.
	Verified bool
}

// A Secret is what a hit found. It is there to be fingerprinted during the
// call that hands it over, and must not be kept: its bytes are used again. No
// verb of package fmt prints it.
type Secret struct{ text []byte }

// Fingerprint is the keyed fingerprint of contract 10 §15.5: the first 16
// hexadecimal digits of HMAC-SHA-256 over kind NUL path NUL secret.
func (s Secret) Fingerprint(key []byte, kind, path string) string {
	mac := hmac.New(sha256.New, key)
	io.WriteString(mac, kind+"\x00"+path+"\x00")
	mac.Write(s.text)
	return hex.EncodeToString(mac.Sum(nil))[:16]
}

// SHA256 is the digest of the secret, in lower-case hexadecimal, for an
// acceptance that names it so (contract 10 §15.5). It is not for printing: a
// short secret can be guessed from it.
func (s Secret) SHA256() string {
	sum := sha256.Sum256(s.text)
	return hex.EncodeToString(sum[:])
}

// Len is the length of the secret in bytes.
func (s Secret) Len() int { return len(s.text) }

// Format prints a marker in place of the secret, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, "[REDACTED]") }

// MarshalText gives the marker, so that no encoder gives the secret away.
func (s Secret) MarshalText() ([]byte, error) { return []byte("[REDACTED]"), nil }

// Stats counts what a scan looked at.
type Stats struct {
	Bytes   int64
	Lines   int    // line ends, and one for text after the last
	Hits    int    // hits handed over
	Allowed int    // matches that an allowlist of the configuration dropped
	Long    int    // lines longer than MaxLine, searched in overlapping pieces
	Tiers   [3]int // hits by tier
}
