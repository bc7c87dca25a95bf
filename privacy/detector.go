package privacy

import (
	"strings"

	"finishline/canon"
	"finishline/privacy/secret"
)

// A detectorID numbers the detectors of the base set in the order of contract
// 10, section 6, which is also the order of findings within a line.
type detectorID int

const (
	privateKey detectorID = iota
	awsAccessKey
	githubToken
	githubFineGrained
	providerKey
	bearerToken
	secretAssignment
	connection
	windowsPath
	unixPath
	email
	uuid
	namedID
)

// releaseDetectors is how many of them release mode runs: the first.
const releaseDetectors = 10

// Categories of findings (10 §4 and §6).
const (
	secretCategory      = "secret"
	userPathCategory    = "local-user-path"
	emailCategory       = "non-example-email"
	idCategory          = "non-example-id"
	symlinkCategory     = "unapproved-symlink"
	binaryCategory      = "unapproved-binary"
	operationalCategory = "raw-operational-evidence"
	sourceMapCategory   = "unscannable-release-source-map"
	releaseBinCategory  = "unscannable-release-binary"
	gateErrorCategory   = "gate-error"
)

// A match is what a detector found in a line, in bytes. value is the captured
// group, empty where the expression has none.
type match struct {
	start, end int
	value      span
}

type span struct{ start, end int }

// A detector finds matches of one expression: the first one that starts at or
// after from and ends within the line. Its time, called again from each end, is
// linear in the line.
type detector struct {
	name     string
	category string
	what     string // for people
	find     func(l *line, from int) (match, bool)
}

var detectors = [...]detector{
	privateKey:        {"private-key", secretCategory, "the BEGIN line of a private key", findPrivateKey},
	awsAccessKey:      {"aws-access-key", secretCategory, "an AWS access key id", findAccessKeyID},
	githubToken:       {"github-token", secretCategory, "a GitHub token", lift(secret.NextAccessToken)},
	githubFineGrained: {"github-fine-grained-token", secretCategory, "a fine-grained GitHub token", lift(secret.NextFineGrainedToken)},
	providerKey:       {"provider-key", secretCategory, "a provider key", lift(secret.NextProviderKey)},
	bearerToken:       {"bearer-token", secretCategory, "a bearer token", findBearer},
	secretAssignment:  {"secret-assignment", secretCategory, "a value assigned to a secret-like name", findAssignment},
	connection:        {"connection-credential", secretCategory, "a connection URL with a password", findConnection},
	windowsPath:       {"windows-user-path", userPathCategory, "a path below a user's folder", findWindowsPath},
	unixPath:          {"unix-user-path", userPathCategory, "a path below a home directory", findUnixPath},
	email:             {"email", emailCategory, "an e-mail address", findEmail},
	uuid:              {"uuid", idCategory, "a UUID", findUUID},
	namedID:           {"named-id", idCategory, "a named identifier", findNamedID},
}

func (d detectorID) rule() string { return "privacy.content." + detectors[d].name }

// A line is one line of a text, without its end, and what the detectors learned
// about it that later searches need not find out again.
type line struct {
	text string
	// ahead are the last searches for a byte, by byte: see [line.index].
	ahead map[byte]span
	// ids is the last run of bytes that a named id is made of.
	ids idRun
}

// index returns the first of one byte from i on, or -1. A search that was made
// from an earlier place and leads beyond i is not repeated, so that many
// searches cost one pass over the line.
func (l *line) index(b byte, i int) int {
	if known, ok := l.ahead[b]; ok && known.start <= i && (known.end < 0 || known.end >= i) {
		return known.end
	}
	at := strings.IndexByte(l.text[i:], b)
	if at >= 0 {
		at += i
	}
	if l.ahead == nil {
		l.ahead = map[byte]span{}
	}
	l.ahead[b] = span{i, at}
	return at
}

func lift(find func(s string, from int) (start, end int, ok bool)) func(*line, int) (match, bool) {
	return func(l *line, from int) (match, bool) {
		start, end, ok := find(l.text, from)
		return match{start: start, end: end}, ok
	}
}

// findPrivateKey is detector 1: -----begin (?:rsa |ec |openssh )?private key-----
func findPrivateKey(l *line, from int) (match, bool) {
	const dashes = "-----"
	s := l.text
	for {
		i := strings.Index(s[from:], dashes)
		if i < 0 {
			return match{}, false
		}
		after := from + i + len(dashes)
		for after < len(s) && s[after] == '-' { // of a longer row, the last five
			after++
		}
		from = after
		if end, ok := keyLabel(s, after); ok {
			return match{start: after - len(dashes), end: end}, true
		}
	}
}

// keyLabel reads what follows the dashes.
func keyLabel(s string, i int) (end int, ok bool) {
	const begin, key = "begin ", "private key-----"
	if !hasFold(s[i:], begin) {
		return 0, false
	}
	i += len(begin)
	for _, algorithm := range [...]string{"rsa ", "ec ", "openssh "} {
		if hasFold(s[i:], algorithm) {
			i += len(algorithm)
			break
		}
	}
	return i + len(key), hasFold(s[i:], key)
}

// findAccessKeyID is detector 2: \bAKIA[0-9A-Z]{16}\b
func findAccessKeyID(l *line, from int) (match, bool) {
	const prefix, length = "AKIA", 20
	s := l.text
	for {
		i := strings.Index(s[from:], prefix)
		if i < 0 {
			return match{}, false
		}
		start := from + i
		from = start + 1
		end := start + length
		if end <= len(s) && boundary(s, start) && boundary(s, end) && capitals(s[start:end]) {
			return match{start: start, end: end}, true
		}
	}
}

func capitals(s string) bool {
	for i := range len(s) {
		if !is(s[i], alnum) || s[i] >= 'a' {
			return false
		}
	}
	return true
}

// findBearer is detector 6: \bbearer[W]+[a-z0-9._~+/=-]{16,}\b
func findBearer(l *line, from int) (match, bool) {
	const name, least = "bearer", 16
	s := l.text
	for ; from+len(name) <= len(s); from++ {
		if s[from]|0x20 != 'b' || !hasFold(s[from:], name) || !boundary(s, from) {
			continue
		}
		value := canon.SkipSpace(s, from+len(name))
		if value == from+len(name) {
			continue
		}
		end := run(s, value, bearing)
		for end-value >= least && !boundary(s, end) {
			end--
		}
		if end-value >= least {
			return match{start: from, end: end}, true
		}
	}
	return match{}, false
}

// findUUID is detector 12: five groups of hexadecimal digits, of a version from
// 1 to 5 and the usual variant.
func findUUID(l *line, from int) (match, bool) {
	const first, length = 8, 36
	s := l.text
	for at := from + first; at < len(s); at++ {
		if s[at] != '-' {
			continue
		}
		start := at - first
		end := start + length
		if end > len(s) {
			break
		}
		if boundary(s, start) && boundary(s, end) && isUUID(s[start:end]) {
			return match{start: start, end: end}, true
		}
	}
	return match{}, false
}

func isUUID(s string) bool {
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !is(s[i], hexDigit) {
				return false
			}
		}
	}
	return s[14] >= '1' && s[14] <= '5' && strings.IndexByte("89abAB", s[19]) >= 0
}

// A Detector is one of the base set, for commands that list them.
type Detector struct{ Rule, Category, What string }

// Detectors lists the base set in the order of the contract.
func Detectors() []Detector {
	list := make([]Detector, len(detectors))
	for d, x := range detectors {
		list[d] = Detector{detectorID(d).rule(), x.category, x.what}
	}
	return list
}
