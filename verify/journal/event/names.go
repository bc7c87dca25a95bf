package event

import (
	"strings"

	"finishline/canon"
)

// MaxRunID is the most bytes of a run id (11 §2).
const MaxRunID = 128

// IsRunID reports whether a text is a run id (11 §2): letters, digits and
// . _ -, the first a letter or digit. Case counts.
func IsRunID(text string) bool {
	if len(text) == 0 || len(text) > MaxRunID {
		return false
	}
	for i := range len(text) {
		c := text[i]
		alphanumeric := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !alphanumeric && (i == 0 || !strings.ContainsRune("._-", rune(c))) {
			return false
		}
	}
	return true
}

// IsStorageKey reports whether a text has the form of the name of a run's
// directory (11 §2).
func IsStorageKey(text string) bool {
	digest, ok := strings.CutPrefix(text, "run-")
	return ok && canon.IsLowerHex(digest, 64)
}
