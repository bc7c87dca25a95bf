package secret

import (
	"regexp"
	"strings"

	"finishline/canon"
)

// The expressions of contract 01, section 6.2, as they stand there. The package
// itself does not use them; the tests compare its scans with them.

const (
	ws     = canon.SpaceClass
	stores = `(?:postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|redis|cache|mssql)`
)

var (
	reLowerUpper   = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	reCapitals     = regexp.MustCompile(`([A-Z]+)([A-Z][a-z])`)
	reNotAlnum     = regexp.MustCompile(`[^A-Za-z0-9]+`)
	reSecretName   = regexp.MustCompile(`(?:^|_)(?:api_?key|auth|authorization|credentials?|database_?url|db_?url|dsn|connection_?(?:string|url)|password|private_?key|secret|` + stores + `_?(?:url|dsn))(?:_|$)`)
	reSensitive    = regexp.MustCompile(`(?:^|_)(?:access|refresh|auth|authorization|bearer|session|api|oauth|csrf)_tokens?(?:_|$)`)
	reMetricWord   = regexp.MustCompile(`^(?:counts?|budgets?)$`)
	reNameByte     = regexp.MustCompile(`[A-Za-z0-9_.-]$`)
	reUsageMetric  = regexp.MustCompile(`^(?:(?:prompt|completion|input|output|total)_)?tokens$`)
	reAssignName   = regexp.MustCompile(`(?:^|_)(?:access_token|refresh_token|api_key|auth|authorization|client_secret|private_key|password|dsn|connection_(?:string|url)|database_url|db_url|credentials?|secret|token|` + stores + `_(?:url|dsn))$`)
	reFlag         = regexp.MustCompile(`^--[A-Za-z][A-Za-z0-9_.-]{0,127}$`)
	reFlagName     = regexp.MustCompile(`(?:^|_)(?:access_key(?:_id)?|access_token|api_key|api_secret|api_token|auth|auth_token|authorization|bearer_token|client_secret|connection_string|connection_url|credentials?|database_url|db_url|dsn|encryption_key|oauth_token|password|passphrase|private_key|refresh_token|secret|secret_access_key|secret_key|service_account_key|session_token|signing_key|token|webhook_secret|` + stores + `_(?:url|dsn))$`)
	rePlaceholder  = regexp.MustCompile(`^(?:\[redacted(?: [a-z ]+)?\]|<redacted>|\[placeholder\]|<placeholder>)$`)
	reAssigned     = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.-]*)(?:\\*["'])?[` + ws + `]*[:=][` + ws + `]*`)
	reRedacted     = regexp.MustCompile(`^((?:\\*["'])?(?:\[redacted(?: [a-z ]+)?\]|<redacted>|\[placeholder\]|<placeholder>)(?:\\*["'])?)[ \t]*(?:[,;}\]\n]|\r\n|\z)`)
	reOpeningQuote = regexp.MustCompile(`^\\*["']`)
	reBare         = regexp.MustCompile(`^[^\r\n,;}]*`)
	reLine         = regexp.MustCompile(`^[^\r\n]*`)
	reTerminated   = regexp.MustCompile(`^[ \t]*(?:[,;}\]\n]|\r\n|\z)`)
	reMarker       = regexp.MustCompile(`-----BEGIN[^\r\n]*PRIVATE KEY-----`)
	reCloud        = regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bglpat-[A-Za-z0-9_-]{20,}|\bAIza[A-Za-z0-9_-]{35}\b`)
)

// reDetectors are rows a to h without f; those marked i in the contract run on
// a lower-cased copy, and group 1 of g is what redaction keeps.
var reDetectors = map[byte]*regexp.Regexp{
	'a': regexp.MustCompile(`(?s)-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----.*?-----END (?:RSA |EC |OPENSSH )?PRIVATE KEY-----`),
	'b': regexp.MustCompile(`\bbearer[` + ws + `]+[a-z0-9._~+/=-]{8,}`),
	'c': regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{20,255}\b`),
	'd': regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{30,255}\b`),
	'e': regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,255}\b`),
	'g': regexp.MustCompile("\\b((?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\\+srv)?|rediss?|mssql)://)[^@" + ws + "\"'`<>]*:[^@" + ws + "\"'`<>/]+@"),
	'h': regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\b`),
}

var oracleMarks = map[byte]string{
	'a': "[REDACTED PRIVATE KEY]", 'b': "Bearer [REDACTED]", 'c': "[REDACTED TOKEN]",
	'd': "[REDACTED TOKEN]", 'e': "[REDACTED TOKEN]", 'h': "[REDACTED JWT]",
}

func oracleNormalize(name string) string {
	name = reLowerUpper.ReplaceAllString(name, "${1}_${2}")
	name = reCapitals.ReplaceAllString(name, "${1}_${2}")
	name = reNotAlnum.ReplaceAllString(name, "_")
	return strings.ToLower(strings.Trim(name, "_"))
}

func oracleName(name string) Name {
	m := oracleNormalize(name)
	words := strings.Split(m, "_")
	pair, loose := false, false
	for i := 0; i < len(words); i++ {
		if words[i] == "token" && i+1 < len(words) && reMetricWord.MatchString(words[i+1]) {
			pair = true
			i++
			continue
		}
		loose = loose || words[i] == "token" || words[i] == "tokens"
	}
	named := reSecretName.MatchString(m) || reSensitive.MatchString(m)
	return Name{m, named || loose, !named && (pair || reUsageMetric.MatchString(m))}
}

// oracleAssignment walks the five steps of the scan and returns the spans of
// the values that fire.
func oracleAssignment(s string) (values [][2]int) {
	for pos := 0; ; {
		name, v := "", -1
		for i := pos; i < len(s) && v < 0; i++ {
			if i > 0 && reNameByte.MatchString(s[i-1:i]) {
				continue
			}
			if m := reAssigned.FindStringSubmatchIndex(s[i:]); m != nil && m[3] <= 128 {
				name, v = s[i:i+m[3]], i+m[1]
			}
		}
		if v < 0 {
			return values
		}
		t := s[v:]
		if !reAssignName.MatchString(oracleNormalize(name)) {
			pos = v
			continue
		}
		if m := reRedacted.FindStringSubmatchIndex(canon.LowerASCII(t)); m != nil {
			pos = v + m[3]
			continue
		}
		var n int
		if q := reOpeningQuote.FindString(t); q != "" {
			n = oracleQuoted(t, q)
		} else {
			u := reBare.FindString(t)
			if u == "" {
				pos = v + 1
				continue
			}
			n = len(u)
			if u == "[REDACTED]" {
				pos = v + 10
				continue
			}
		}
		values = append(values, [2]int{v, v + n})
		pos = v + n
	}
}

func oracleQuoted(t, q string) int {
	line, last := reLine.FindString(t), 0
	for i := len(q); i+len(q) <= len(line); i++ {
		if line[i:i+len(q)] == q {
			last = i + len(q)
			if reTerminated.MatchString(t[last:]) {
				return last
			}
		}
	}
	if last > 0 {
		return last
	}
	return len(line)
}

func oracleFires(s string) bool {
	for row, re := range reDetectors {
		text := s
		if row == 'b' || row == 'g' {
			text = canon.LowerASCII(s)
		}
		if re.MatchString(text) {
			return true
		}
	}
	return len(oracleAssignment(s)) > 0
}

func oracleRedact(s string) string {
	for row := byte('a'); row <= 'h'; row++ {
		if row == 'f' {
			var b strings.Builder
			done := 0
			for _, v := range oracleAssignment(s) {
				b.WriteString(s[done:v[0]] + "[REDACTED]")
				done = v[1]
			}
			s = b.String() + s[done:]
			continue
		}
		text := s
		if row == 'b' || row == 'g' {
			text = canon.LowerASCII(s)
		}
		var b strings.Builder
		done := 0
		for _, m := range reDetectors[row].FindAllStringSubmatchIndex(text, -1) {
			b.WriteString(s[done:m[0]])
			if row == 'g' {
				b.WriteString(s[m[2]:m[3]] + "[REDACTED]@")
			} else {
				b.WriteString(oracleMarks[row])
			}
			done = m[1]
		}
		s = b.String() + s[done:]
	}
	return s
}
