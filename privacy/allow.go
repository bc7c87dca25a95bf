package privacy

import (
	"regexp"
	"strings"

	"finishline/canon"
	"finishline/privacy/secret"
	"finishline/verify"
)

// A judge decides which matches of one file are findings (10 §7 and §8).
type judge struct {
	release bool
	level   verify.Level
	fixture bool // the path is a fixture path
	assets  bool // the path is that of a file that lists server files
}

func (j judge) strict() bool { return j.level == verify.Strict }

func newJudge(path string, mode Mode, level verify.Level) judge {
	low := canon.LowerASCII(path)
	return judge{
		release: mode == Release, level: level, fixture: fixturePath.MatchString(low), assets: serverFiles.MatchString(low),
	}
}

// The expressions of the allowances run on what a detector has found, never on
// a text.
var (
	fixturePath = ascii(`scripts/verify-[^/]+\.mjs|examples/.*`)
	serverFiles = ascii(`(?:.*/)?required-server-files\.js(?:on)?`)

	variable   = ascii(`\$\{\{[W]*secrets\.[a-z_][a-z0-9_]*[W]*\}\}|\$\{[a-z_][a-z0-9_]*\}|\$[a-z_][a-z0-9_]*|process\.env\.[a-z_][a-z0-9_]*`)
	literal    = ascii(`undefined|null|true|false|configured|required|missing`)
	identifier = ascii("[a-z_$][a-z0-9_$]*(?:\\??\\.[a-z_$][a-z0-9_$]*|\\[[a-z0-9_$.'\"`-]+\\])*")
	call       = ascii("[a-z_$][a-z0-9_$]*(?:\\??\\.[a-z_$][a-z0-9_$]*)*\\([^\"'`]*\\)")
	fixture    = ascii(`(?:fixture|synthetic|verify|example)-[a-z0-9_-]+`)
	exampleID  = ascii(`example(?:[-_.:][a-z0-9]+)+`)
	fixtureID  = ascii(`(?:synthetic|fixture|verify)(?:[-_.:][a-z0-9]+)+`)
	userPlace  = ascii(`.*[/\\](?:<user>|\$\{user\})(?:[/\\].*)?`)
	// minified is the one expression that looks at letter case.
	minified = regexp.MustCompile(`^[A-Za-z_$]\.[A-Za-z_$][A-Za-z0-9_$?.()[\]|&!=:+*/-]*$`)
)

// ascii compiles an expression that a text, in lower case, matches as a whole.
// A W in a class is WS.
func ascii(expr string) *regexp.Regexp {
	return regexp.MustCompile(`^(?s:` + strings.ReplaceAll(expr, "[W]", "["+canon.SpaceClass+"]") + `)$`)
}

// A ruling is what becomes of a match.
type ruling int

const (
	reported ruling = iota
	// unfolded: the format allows it, strict level does not, since it takes a
	// character for an ASCII letter that is none (privacy.strict.ascii-case).
	unfolded
	allowed
)

// rule judges one match of a line.
func (j judge) rule(d detectorID, s string, m match) ruling {
	text := s[m.start:m.end]
	value := s[m.value.start:m.value.end]
	if j.release {
		if d == secretAssignment && !quotedBefore(s, m.value.start) {
			return j.bareInRelease(value)
		}
		if releaseAllows(d, text, value) || j.assets && detectors[d].category == userPathCategory {
			return allowed
		}
	}
	switch d {
	case secretAssignment:
		return j.assignment(s, m)
	case connection:
		return placeholder(value)
	case windowsPath, unixPath:
		return allowIf(userPlace.MatchString(canon.LowerASCII(text)))
	case email:
		return allowIf(isExampleHost(text[strings.LastIndexByte(text, '@')+1:]))
	case namedID:
		low := canon.LowerASCII(value)
		return allowIf(exampleID.MatchString(low) || j.fixture && fixtureID.MatchString(low))
	}
	return reported
}

func allowIf(ok bool) ruling {
	if ok {
		return allowed
	}
	return reported
}

func isExampleHost(host string) bool {
	switch canon.LowerASCII(host) {
	case "example.com", "example.org", "example.net", "example.invalid":
		return true
	}
	return false
}

// assignment judges an assigned value (10 §7).
func (j judge) assignment(s string, m match) ruling {
	value := s[m.value.start:m.value.end]
	if j.fixture && fixture.MatchString(canon.LowerASCII(value)) {
		return allowed
	}
	if !j.fixture && !safeEnd(s[m.end:]) {
		return reported
	}
	verdict := placeholder(value)
	if verdict == allowed || reference(value) {
		return allowed
	}
	if url, ok := findConnection(&line{text: value}, 0); ok {
		verdict = max(verdict, placeholder(value[url.value.start:url.value.end]))
	}
	return verdict
}

// placeholder is the predicate of that name. The format lower-cases with the
// rules of Unicode, which make an ASCII letter of one other character, the
// Kelvin sign.
func placeholder(v string) ruling {
	v = canon.LowerASCII(canon.Trim(v))
	if isPlaceholder(v) {
		return allowed
	}
	const kelvin = "\u212A"
	if strings.Contains(v, kelvin) && isPlaceholder(strings.ReplaceAll(v, kelvin, "k")) {
		return unfolded
	}
	return reported
}

func isPlaceholder(low string) bool {
	switch low {
	case "<redacted>", "[redacted]", "<placeholder>", "[placeholder]":
		return true
	}
	return variable.MatchString(low)
}

// reference is the predicate of that name. Any text in the shape of an
// identifier is one.
func reference(v string) bool {
	v = canon.LowerASCII(canon.Trim(v))
	return literal.MatchString(v) || identifier.MatchString(v) || call.MatchString(v)
}

// safeEnd reports whether the rest of a line ends the value before it: an
// optional quote, blanks, then , ; } ] # or nothing.
func safeEnd(rest string) bool {
	rest = rest[secret.QuoteLen(rest):]
	rest = strings.TrimLeft(rest, " \t")
	return rest == "" || strings.IndexByte(",;}]#", rest[0]) >= 0
}

func quotedBefore(s string, i int) bool { return i > 0 && isQuote(s[i-1]) }

// bareInRelease judges an assigned value without a quote before it (10 §8):
// bundles are code, and code assigns expressions.
func (j judge) bareInRelease(value string) ruling {
	low := canon.LowerASCII(canon.Trim(value))
	switch {
	case strings.HasPrefix(value, "=="), value == sameOrigin, literal.MatchString(low), minified.MatchString(value),
		strings.ContainsAny(value, ".[(") && reference(value):
		return allowed
	}
	return placeholder(value)
}

const sameOrigin = "same-origin"

// storageWord is a word of a public interface that looks like a provider key.
var storageWord = strings.Join([]string{"sk", "async", "storage", "instance"}, "-")

// releaseAllows are the allowances of a bundle beside the general ones.
func releaseAllows(d detectorID, text, value string) bool {
	switch d {
	case secretAssignment:
		return value == sameOrigin
	case providerKey:
		return canon.LowerASCII(text) == storageWord
	case windowsPath, unixPath:
		return placeholderRoot(text)
	}
	return false
}

// placeholderRoot reports whether a path begins with /ROOT/ or with a drive and
// ROOT, in capitals.
func placeholderRoot(text string) bool {
	if strings.HasPrefix(text, "/ROOT/") {
		return true
	}
	const drive = len("C:/")
	if len(text) <= drive+len("ROOT") || text[1] != ':' {
		return false
	}
	slash := func(b byte) bool { return b == '/' || b == '\\' }
	return slash(text[2]) && text[drive:drive+4] == "ROOT" && slash(text[drive+4])
}
