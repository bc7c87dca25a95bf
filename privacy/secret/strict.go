package secret

import "strings"

const keyBegin, keyEnd = "-----BEGIN", "PRIVATE KEY-----"

// HasPrivateKeyMarker reports whether a text has the BEGIN line of a private
// key of any kind on one line, its END line present or not
// (strict.secrets.private-key-marker).
func HasPrivateKeyMarker(s string) bool {
	_, _, ok := findKeyMarker(s, 0)
	return ok
}

// findKeyMarker finds such a line, from its dashes to its dashes.
func findKeyMarker(s string, from int) (start, end int, ok bool) {
	for {
		i := strings.Index(s[from:], keyBegin)
		if i < 0 {
			return 0, 0, false
		}
		start = from + i
		line := s[start+len(keyBegin):]
		if n := strings.IndexAny(line, "\r\n"); n >= 0 {
			line = line[:n]
		}
		if n := strings.Index(line, keyEnd); n >= 0 {
			return start, start + len(keyBegin) + n + len(keyEnd), true
		}
		from = start + len(keyBegin) + len(line) // nothing more on this line
	}
}

// HasCloudToken reports whether a text has a token in the shape of one of four
// cloud services (strict.secrets.cloud-token).
func HasCloudToken(s string) bool {
	for _, find := range cloudTokens {
		if _, _, ok := find(s, 0); ok {
			return true
		}
	}
	return false
}

var cloudTokens = [...]func(s string, from int) (start, end int, ok bool){
	findCloudKeyID, findChatToken, findForgeToken, findAPIKey,
}

// findCloudKeyID finds a word of AKIA or ASIA and 16 capitals or digits.
func findCloudKeyID(s string, from int) (start, end int, ok bool) {
	const length = 20
	capital := func(c byte) bool { return isUpper(c) || isDigit(c) }
	for {
		i := strings.Index(s[from:], "IA")
		if i < 0 {
			return 0, 0, false
		}
		start, from = from+i-len("AK"), from+i+1
		if start < 0 || !strings.HasPrefix(s[start:], "AK") && !strings.HasPrefix(s[start:], "AS") {
			continue
		}
		end = start + length
		if end <= len(s) && boundary(s, start) && boundary(s, end) && runEnd(s[:end], start, capital) == end {
			return start, end, true
		}
	}
}

// findChatToken finds xoxb- and its kin with at least 10 more bytes.
func findChatToken(s string, from int) (start, end int, ok bool) {
	const prefix, least = len("xoxb-"), 10
	return findWord(s, from, "xox", func(at int) (end int, ok bool) {
		value := at + prefix
		if value > len(s) || strings.IndexByte("abeoprs", s[at+3]) < 0 || s[at+4] != '-' {
			return 0, false
		}
		end = runEnd(s, value, func(c byte) bool { return isAlnum(c) || c == '-' })
		return end, end-value >= least
	})
}

// findForgeToken finds glpat- with at least 20 more bytes.
func findForgeToken(s string, from int) (start, end int, ok bool) {
	const prefix, least = "glpat-", 20
	return findWord(s, from, prefix, func(at int) (end int, ok bool) {
		value := at + len(prefix)
		end = runEnd(s, value, isDashed)
		return end, end-value >= least
	})
}

// findAPIKey finds AIza with 35 more bytes and then a word boundary.
func findAPIKey(s string, from int) (start, end int, ok bool) {
	const prefix, length = "AIza", 39
	return findWord(s, from, prefix, func(at int) (end int, ok bool) {
		end = at + length
		return end, end <= len(s) && boundary(s, end) && runEnd(s[:end], at, isDashed) == end
	})
}

// findWord asks check about each occurrence of part that starts at a word
// boundary, until it accepts one and says where that ends.
func findWord(s string, from int, part string, check func(at int) (end int, ok bool)) (start, end int, ok bool) {
	for {
		i := strings.Index(s[from:], part)
		if i < 0 {
			return 0, 0, false
		}
		start = from + i
		if boundary(s, start) {
			if end, ok = check(start); ok {
				return start, end, true
			}
		}
		from = start + 1
	}
}

// Mask makes a text fit for a message: what any detector finds, the strict ones
// included, is replaced, and from the BEGIN line of a private key without an
// END line everything is. It is not the redaction of the contract, which
// documents are compared with.
func Mask(s string) string {
	s = RedactStable(s)
	for _, find := range cloudTokens {
		d := detector{find: find, mask: fixed("[REDACTED TOKEN]")}
		s = d.redact(s)
	}
	if start, _, ok := findKeyMarker(s, 0); ok {
		s = s[:start] + "[REDACTED PRIVATE KEY]"
	}
	return s
}
