package rules

import (
	"bytes"
	"hash/crc32"
	"slices"
)

// Checks that are a checksum, so that what passes them is no accident.
var checksumChecks = []string{"bech32", "iban", "card"}

// verified reports whether a secret carries a checksum that holds (contract 10
// §15.4). One that does not hold means nothing: there are longer and newer
// forms, and a mistyped key is still a leak.
func verified(r *Rule, secret []byte) bool {
	if slices.ContainsFunc(r.Checks, func(c string) bool { return slices.Contains(checksumChecks, c) }) {
		return true
	}
	prefix, body, found := bytes.Cut(secret, []byte("_"))
	if !found || len(body) != 36 {
		return false
	}
	switch string(prefix) {
	case "ghp", "gho", "ghu", "ghs", "ghr", "npm":
		return string(body[30:]) == base62(crc32.ChecksumIEEE(body[:30]))
	}
	return false
}

// base62 writes a number in six digits.
func base62(n uint32) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var text [6]byte
	for i := range text {
		text[len(text)-1-i] = digits[n%62]
		n /= 62
	}
	return string(text[:])
}
