package privacy

import (
	"strings"
	"unicode/utf8"

	"finishline/canon"
	"finishline/privacy/secret"
)

// databases are the names that, joined with url or dsn, name a connection.
var databases = []string{
	"database", "db", "postgres", "postgresql", "mysql", "mariadb", "mongo", "mongodb", "redis", "cache", "mssql",
}

// assignable are the names of detector 7 by their last letter, with [_-]? as a
// space.
var assignable = func() (byLast [256][]string) {
	names := []string{
		"access token", "refresh token", "api key", "auth", "authorization", "client secret", "private key", "password",
		"credential", "credentials", "secret", "token", "dsn", "connection string", "connection url",
	}
	for _, db := range databases {
		names = append(names, db+" url", db+" dsn")
	}
	for _, name := range names {
		last := name[len(name)-1]
		byLast[last] = append(byLast[last], name)
	}
	return byLast
}()

// minBareUnits is the least length of a value that stands in no brackets, in
// UTF-16 units.
const minBareUnits = 8

// findAssignment is detector 7. Whatever stands between a name and its operator
// excludes operators, so each operator has at most one name, at its left; and
// all starts within the chain of words that ends with that name succeed or fail
// together, so the leftmost one decides.
func findAssignment(l *line, from int) (match, bool) {
	s := l.text
	for op := nextOperator(s, from); op >= 0; op = nextOperator(s, op+1) {
		start, ok := assignedName(s, from, operator(s, op))
		if !ok {
			continue
		}
		value := canon.SkipSpace(s, op+1)
		value += secret.QuoteLen(s[value:])
		if end, ok := l.assignedValue(value); ok {
			return match{start: start, end: end, value: span{value, end}}, true
		}
	}
	return match{}, false
}

// assignedName finds the longest chain of words that starts at or after from
// and ends with a name that announces a secret.
func assignedName(s string, from, end int) (start int, ok bool) {
	if end == 0 {
		return 0, false
	}
	for _, name := range assignable[lower(s[end-1])] {
		at := nameStart(s, end, name)
		if at < max(from, 0) || at > 0 && is(s[at-1], alnum) {
			continue
		}
		if !ok || at < start {
			start, ok = at, true
		}
	}
	if !ok {
		return 0, false
	}
	for start-1 > from && (s[start-1] == '_' || s[start-1] == '-') && is(s[start-2], alnum) {
		first := start - 2
		for first > from && is(s[first-1], alnum) {
			first--
		}
		if first > 0 && is(s[first-1], alnum) { // the rest of a word that an earlier match took
			break
		}
		start = first
	}
	return start, true
}

// nameStart returns where the name starts that ends at end, or -1. A space of
// the pattern stands for [_-]?.
func nameStart(s string, end int, pattern string) int {
	for i := len(pattern) - 1; i >= 0; i-- {
		if pattern[i] == ' ' {
			if end > 0 && (s[end-1] == '_' || s[end-1] == '-') {
				end--
			}
			continue
		}
		if end == 0 || lower(s[end-1]) != pattern[i] {
			return -1
		}
		end--
	}
	return end
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

// assignedValue returns the end of the value that starts at i: something in
// brackets, a variable, or at least [minBareUnits] of anything else.
func (l *line) assignedValue(i int) (end int, ok bool) {
	s := l.text
	if i >= len(s) {
		return 0, false
	}
	rest := s[i:]
	switch {
	case rest[0] == '<':
		end, ok = l.bracketed(i, 1, '>')
	case rest[0] == '[':
		end, ok = l.bracketed(i, 1, ']')
	case strings.HasPrefix(rest, "${{"):
		if end, ok = l.bracketed(i, 3, '}'); ok && end < len(s) && s[end] == '}' {
			return end + 1, true
		}
		ok = false
	}
	if !ok && strings.HasPrefix(rest, "${") {
		end, ok = l.bracketed(i, 2, '}')
	}
	if ok {
		return end, true
	}
	end = until(s, i, valueStop)
	return end, canon.UTF16Len(s[i:end]) >= minBareUnits
}

// bracketed finds the closing byte after an opening of n bytes at i, with
// something in between that holds no lone CR.
func (l *line) bracketed(i, n int, closing byte) (end int, ok bool) {
	end = l.index(closing, i+n)
	if end <= i+n {
		return 0, false
	}
	if cr := l.index('\r', i+n); cr >= 0 && cr < end {
		return 0, false
	}
	return end + 1, true
}

// findConnection is detector 8: a database scheme, ://, a user that may be
// empty, a colon, a password, @ and the rest. The user and the password hold no
// slash, so each :// is looked at by itself.
func findConnection(l *line, from int) (match, bool) {
	s := l.text
	for {
		i := strings.Index(s[from:], "://")
		if i < 0 {
			return match{}, false
		}
		sep := from + i
		start := secret.ConnectionScheme(s, sep)
		if m, ok := credential(s, sep+len("://")); ok && start >= from {
			m.start = start
			return m, true
		}
		from = sep + len("://")
	}
}

// credential reads what follows the scheme; the value of the match is the
// password.
func credential(s string, i int) (match, bool) {
	colon := connectionStop(s, i, ":\"'`@/")
	if colon == len(s) || s[colon] != ':' {
		return match{}, false
	}
	at := connectionStop(s, colon+1, "@\"'`/")
	if at == len(s) || s[at] != '@' || at == colon+1 {
		return match{}, false
	}
	end := connectionStop(s, at+1, "\"'`<>")
	return match{end: end, value: span{colon + 1, at}}, end > at+1
}

// connectionStop returns the first index from i on where WS or one of the bytes
// stands, or the end.
func connectionStop(s string, i int, stop string) int {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if c == ' ' || c >= '\t' && c <= '\r' || strings.IndexByte(stop, c) >= 0 {
				break
			}
		} else if canon.SpaceAt(s, i) > 0 {
			break
		}
		i++
	}
	return i
}
