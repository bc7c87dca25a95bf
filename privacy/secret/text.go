package secret

import "finishline/canon"

import "strings"

// A detector finds one shape of secret. find returns the first place at or
// after from that redaction would replace; its time is linear in the text when
// it is called again with the end of what it found.
type detector struct {
	kind  string // what a message calls it
	needs trigger
	find  func(s string, from int) (start, end int, ok bool)
	mask  func(found string) string
}

// detectors are rows a to h of contract 01, section 6.2, in that order, which
// is also the order of redaction.
var detectors = [...]detector{
	{"a private key", hasDash, findPrivateKey, fixed("[REDACTED PRIVATE KEY]")},
	{"a bearer token", hasB, findBearer, fixed("Bearer [REDACTED]")},
	{"an access token", hasUnderscore, findFineGrainedToken, fixed("[REDACTED TOKEN]")},
	{"an access token", hasUnderscore, findAccessToken, fixed("[REDACTED TOKEN]")},
	{"a provider key", hasDash, findProviderKey, fixed("[REDACTED TOKEN]")},
	{"a value assigned to a secret-like name", hasAssign, findAssignment, fixed(marker)},
	{"a connection URL with a password", hasAt, findConnection, maskConnection},
	{"a JSON web token", hasDot, findJWT, fixed("[REDACTED JWT]")},
}

const marker = "[REDACTED]"

func fixed(text string) func(string) string { return func(string) string { return text } }

// A trigger is a set of kinds of bytes. Most texts lack the byte that a
// detector cannot do without, so one pass over the text saves most searches.
type trigger uint8

const (
	hasDash trigger = 1 << iota
	hasUnderscore
	hasDot
	hasAt
	hasAssign
	hasB
)

var triggers = [256]trigger{
	'-': hasDash, '_': hasUnderscore, '.': hasDot, '@': hasAt,
	':': hasAssign, '=': hasAssign, 'b': hasB, 'B': hasB,
}

func triggersOf(s string) (t trigger) {
	for i := 0; i < len(s); i++ {
		t |= triggers[s[i]]
	}
	return t
}

// InText is secret-text(s): it reports whether a text discloses a secret, which
// is whether [Redact] would change it.
func InText(s string) bool { return Kind(s) != "" }

// Kind says what sort of secret a text discloses, in words for a message, such
// as "a bearer token"; "" when it discloses none.
func Kind(s string) string {
	has := triggersOf(s)
	if has == 0 {
		return ""
	}
	for i := range detectors {
		d := &detectors[i]
		if has&d.needs == 0 {
			continue
		}
		if _, _, ok := d.find(s, 0); ok {
			return d.kind
		}
	}
	return ""
}

// findPrivateKey is detector a: a BEGIN line and the nearest END line after it.
func findPrivateKey(s string, from int) (start, end int, ok bool) {
	start, body := findKeyLine(s, from, "-----BEGIN ")
	if start < 0 {
		return 0, 0, false
	}
	_, end = findKeyLine(s, body, "-----END ")
	return start, end, end >= 0
}

// findKeyLine finds a line such as -----BEGIN RSA PRIVATE KEY-----, and returns
// its start and end or -1.
func findKeyLine(s string, from int, opening string) (start, end int) {
	for {
		i := strings.Index(s[from:], opening)
		if i < 0 {
			return -1, -1
		}
		start = from + i
		from = start + len(opening)
		rest := s[from:]
		for _, algorithm := range [...]string{"RSA ", "EC ", "OPENSSH "} {
			if after, ok := strings.CutPrefix(rest, algorithm); ok {
				rest = after
				break
			}
		}
		if after, ok := strings.CutPrefix(rest, "PRIVATE KEY-----"); ok {
			return start, len(s) - len(after)
		}
	}
}

// findBearer is detector b.
func findBearer(s string, from int) (start, end int, ok bool) {
	const word, least = "bearer", 8
	for {
		i := strings.IndexAny(s[from:], "bB")
		if i < 0 {
			return 0, 0, false
		}
		start = from + i
		from = start + 1
		if !hasFoldPrefix(s[start:], word) || !boundary(s, start) {
			continue
		}
		value := canon.SkipSpace(s, start+len(word))
		if value == start+len(word) {
			continue
		}
		if end = runEnd(s, value, isBearerByte); end-value >= least {
			return start, end, true
		}
	}
}

// most is the longest secret part that detectors c, d and e know.
const most = 255

// findFineGrainedToken is detector c.
func findFineGrainedToken(s string, from int) (start, end int, ok bool) {
	const prefix, least = "github_pat_", 20
	for {
		i := strings.Index(s[from:], prefix)
		if i < 0 {
			return 0, 0, false
		}
		start = from + i
		end = runEnd(s, start+len(prefix), isWord)
		if n := end - start - len(prefix); n >= least && n <= most && boundary(s, start) {
			return start, end, true
		}
		from = end // no boundary, hence no match, further on in this word
	}
}

// findAccessToken is detector d.
func findAccessToken(s string, from int) (start, end int, ok bool) {
	const prefix, least = len("ghp_"), 30
	for {
		i := strings.Index(s[from:], "gh")
		if i < 0 || len(s)-from-i < prefix {
			return 0, 0, false
		}
		start = from + i
		from = start + 2
		if strings.IndexByte("pousr", s[start+2]) < 0 || s[start+3] != '_' || !boundary(s, start) {
			continue
		}
		end = runEnd(s, start+prefix, isAlnum)
		if n := end - start - prefix; n >= least && n <= most && boundary(s, end) {
			return start, end, true
		}
		from = end
	}
}

// findProviderKey is detector e. The key may hold dashes but must end at a word
// boundary, so of several possible ends the last within the bound counts.
func findProviderKey(s string, from int) (start, end int, ok bool) {
	const prefix, least = "sk-", 20
	for {
		i := strings.Index(s[from:], prefix)
		if i < 0 {
			return 0, 0, false
		}
		start = from + i
		from = start + len(prefix)
		if !boundary(s, start) {
			continue
		}
		end = runEnd(s[:min(len(s), from+most)], from, isDashed)
		for ; end-from >= least; end-- {
			if boundary(s, end) {
				return start, end, true
			}
		}
	}
}

// findConnection is detector g. Between the scheme and the @ lie only bytes of
// one class, so the first byte outside it decides for every scheme in the run.
func findConnection(s string, from int) (start, end int, ok bool) {
	for {
		i := strings.Index(s[from:], "://")
		if i < 0 {
			return 0, 0, false
		}
		sep := from + i
		from = sep + len("://")
		start = schemeBefore(s, sep)
		if start < 0 {
			continue
		}
		end = userInfoEnd(s, from)
		if end < len(s) && s[end] == '@' && hasPassword(s[from:end]) {
			return start, end + 1, true
		}
		from = end
	}
}

var connectionSchemes = [...]string{
	"postgres", "postgresql", "mysql", "mariadb", "mongodb", "mongodb+srv", "redis", "rediss", "mssql",
}

// schemeBefore returns where the scheme starts that ends at sep, or -1.
func schemeBefore(s string, sep int) int {
	for _, scheme := range connectionSchemes {
		start := sep - len(scheme)
		if start >= 0 && hasFoldPrefix(s[start:], scheme) && boundary(s, start) {
			return start
		}
	}
	return -1
}

// userInfoEnd returns the end of the run that neither @, WS, quotes nor angle
// brackets interrupt.
func userInfoEnd(s string, i int) int {
	for i < len(s) && strings.IndexByte("@\"'`<>", s[i]) < 0 && canon.SpaceAt(s, i) == 0 {
		i++
	}
	return i
}

// hasPassword reports whether user information has a colon with something after
// it that holds no slash.
func hasPassword(info string) bool {
	info = info[strings.LastIndexByte(info, '/')+1:]
	return len(info) > 0 && strings.IndexByte(info[:len(info)-1], ':') >= 0
}

func maskConnection(found string) string {
	return found[:strings.Index(found, "://")+len("://")] + marker + "@"
}

// findJWT is detector h: three dashed runs joined by dots. A start that fails
// fails for every later start in the same run.
func findJWT(s string, from int) (start, end int, ok bool) {
	const prefix, least = "eyJ", 8
	for {
		i := strings.Index(s[from:], prefix)
		if i < 0 {
			return 0, 0, false
		}
		start = from + i
		from = start + len(prefix)
		if !boundary(s, start) {
			continue
		}
		head := runEnd(s, from, isDashed)
		if head-from >= least && head < len(s) && s[head] == '.' {
			body := runEnd(s, head+1, isDashed)
			if body-head-1 >= least && body < len(s) && s[body] == '.' {
				end = runEnd(s, body+1, isDashed)
				for ; end-body-1 >= least; end-- {
					if boundary(s, end) {
						return start, end, true
					}
				}
			}
		}
		from = head
	}
}
