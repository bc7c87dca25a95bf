package secret

import (
	"regexp"

	"finishline/canon"
)

// Detectors c, d, e and h are case-sensitive; b and g run on a text whose A to
// Z were lower-cased (contract 01, section 6.2).
var (
	privateKeyBlock = regexp.MustCompile(`(?s)-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----.*-----END (?:RSA |EC |OPENSSH )?PRIVATE KEY-----`)
	bearer          = regexp.MustCompile(`\bbearer[` + canon.SpaceClass + `]+[a-z0-9._~+/=-]{8,}`)
	tokens          = regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{20,255}\b|\bgh[pousr]_[A-Za-z0-9]{30,255}\b|\bsk-[A-Za-z0-9_-]{20,255}\b`)
	jwt             = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\b`)
)

// InText reports whether s discloses a secret.
func InText(s string) bool {
	return privateKeyBlock.MatchString(s) || bearer.MatchString(canon.LowerASCII(s)) || tokens.MatchString(s) || jwt.MatchString(s)
}

// Redact replaces the secrets in s.
func Redact(s string) string {
	if !InText(s) {
		return s
	}
	return "[REDACTED]"
}
