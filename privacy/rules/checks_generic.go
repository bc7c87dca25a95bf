package rules

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

// What a value may not begin with, because then it is a reference to something
// and not a secret: a path, an address, a digest, a date, a version.
var (
	generalStart = regexp.MustCompile(`^(?:/|\./|\.\./|~/|[A-Za-z][A-Za-z0-9+.-]*://|arn:|file:|urn:|sha(?:1|256|384|512)[-:]|[0-9]{4}-[0-9]{2}-[0-9]{2}|v?[0-9]+(?:\.[0-9]+)+)`)
	controlID    = regexp.MustCompile(`^[A-Z]+(?:-[A-Z]+)+-[0-9]{1,4}$`)
	plainWords   = regexp.MustCompile(`^[a-z]+(?:[-_.][a-z]+)*[-_.]?[0-9]{0,2}$`)
	dottedChain  = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*(?:\??\.[A-Za-z_$][A-Za-z0-9_$]*)+$`)
	identifier   = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)
)

// checkGeneric tells a secret from everything else that stands after a name
// and an operator in code, configuration and logs.
func checkGeneric(v *view, m match) bool {
	if excludedName(v.text[m.start:m.from]) {
		return false
	}
	value := bytes.TrimRight(v.text[m.from:m.to], `.\`)
	quoted := m.from > m.start && quotes.has(v.text[m.from-1])
	if utf8.RuneCount(value) < 8 || placeholder(value) || listed().defaultPasswords[string(appendLower(nil, value))] {
		return false
	}
	if !randomEnough(value, quoted) || generalStart.Match(value) || controlID.Match(value) || plainWords.Match(value) {
		return false
	}
	for _, part := range []string{"::", "->", "${"} {
		if bytes.Contains(value, []byte(part)) {
			return false
		}
	}
	return quoted || !isCode(value)
}

// excludedName reports whether the name at the start of a match is one of
// those that never name a secret.
func excludedName(before []byte) bool {
	var scratch [128]byte
	name := scratch[:0]
	for _, c := range before {
		if !names.has(c) {
			break
		}
		if c != '_' && c != '.' && c != '-' {
			name = append(name, lower(c))
		}
	}
	for _, w := range listed().excludedNames {
		if bytes.Contains(name, w) {
			return true
		}
	}
	return false
}

// randomEnough reports whether a value has the characters and the entropy of a
// secret.
func randomEnough(value []byte, quoted bool) bool {
	var letter, digit, special, other bool
	for _, c := range value {
		switch {
		case isDigit(c):
			digit = true
		case isAlpha(c):
			letter = true
			other = other || lower(c) > 'f'
		default:
			special = special || bytes.IndexByte([]byte("!@#$%^&*?"), c) >= 0
			other = true
		}
	}
	if !letter || !digit && !(quoted && special) {
		return false
	}
	least := 3.5
	switch n := utf8.RuneCount(value); {
	case n < 16:
		least = 2.75
	case !other:
		least = 3.0
	case n < 24:
		least = 3.25
	}
	return entropy(value) >= least
}

// isCode reports whether an unquoted value is part of a program.
func isCode(value []byte) bool {
	if dottedChain.Match(value) || identifier.Match(value) && countDigits(value) < 3 {
		return true
	}
	for _, part := range []string{"||", "&&", "==", "!=", "?"} {
		if bytes.Contains(value, []byte(part)) {
			return true
		}
	}
	return false
}

// checkDigestName: random text that is called a digest is one.
func checkDigestName(v *view, m match) bool {
	at := m.start
	skip := func(set byteSet) {
		for at > 0 && set.has(v.text[at-1]) {
			at--
		}
	}
	skip(spaces)
	switch before := v.text[:at]; {
	case bytes.HasSuffix(before, []byte(":=")), bytes.HasSuffix(before, []byte("=>")):
		at -= 2
	case at > 0 && (v.text[at-1] == ':' || v.text[at-1] == '='):
		at--
	default:
		return true
	}
	skip(spaces)
	if at > 0 && quotes.has(v.text[at-1]) {
		at--
	}
	end := at
	skip(names)
	name := make([]byte, 0, 64)
	for _, c := range v.text[max(at, end-256):end] {
		if c != '_' && c != '.' && c != '-' {
			name = append(name, lower(c))
		}
	}
	return !listed().digestName.Match(name)
}

var lowerWord = regexp.MustCompile(`^[a-z]+(?:[-_][a-z]+)*$`)

// pathLike reports whether a text reads as a path.
func pathLike(s []byte) bool {
	segments := bytes.Split(s, []byte("/"))
	words := 0
	for _, seg := range segments {
		if lowerWord.Match(seg) {
			words++
		}
	}
	return len(segments) >= 3 && 2*words >= len(segments)
}

// wordy reports whether 35 % of a text lie in runs of four and more lower-case
// letters, as in a generated identifier.
func wordy(s []byte) bool {
	in, run := 0, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && isLower(s[i]) {
			run++
			continue
		}
		if run >= 4 {
			in += run
		}
		run = 0
	}
	return 100*in >= 35*len(s)
}

func checkNotText(v *view, m match) bool {
	s := v.text[m.from:m.to]
	for len(s) > 0 && s[len(s)-1] == '=' {
		s = s[:len(s)-1]
	}
	_, text := decodeRun(make([]byte, 0, len(s)), s)
	return !text
}
