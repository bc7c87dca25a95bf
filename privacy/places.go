package privacy

import "finishline/canon"

import "strings"

// findWindowsPath is detector 9:
// [a-z]:(?:\\{1,4}|/)users(?:\\{1,4}|/)[^W"'`,;]+
func findWindowsPath(l *line, from int) (match, bool) {
	const folder = "users"
	s := l.text
	for at := from; at+len(folder) < len(s); at++ {
		if s[at]|0x20 != 'u' || !hasFold(s[at:], folder) {
			continue
		}
		start, ok := driveBefore(s, at)
		if !ok || start < from {
			continue
		}
		sep := at + len(folder)
		if s[sep] != '/' && s[sep] != '\\' {
			continue
		}
		// A second to fourth backslash belongs to the rest as well.
		if end := until(s, sep+1, pathStop); end > sep+1 {
			return match{start: start, end: end}, true
		}
	}
	return match{}, false
}

// driveBefore finds a drive letter at a word boundary, its colon and a slash or
// one to four backslashes that end at i.
func driveBefore(s string, i int) (start int, ok bool) {
	colon := i
	for colon > 0 && s[colon-1] == '\\' {
		colon--
	}
	if n := i - colon; n > 4 {
		return 0, false
	} else if n == 0 {
		if i == 0 || s[i-1] != '/' {
			return 0, false
		}
		colon = i - 1
	}
	if colon < 2 || s[colon-1] != ':' {
		return 0, false
	}
	start = colon - 2
	letter := lower(s[start])
	return start, letter >= 'a' && letter <= 'z' && boundary(s, start)
}

// findUnixPath is detector 10: a home directory of a user, or that of root.
func findUnixPath(l *line, from int) (match, bool) {
	s := l.text
	for {
		i := strings.IndexByte(s[from:], '/')
		if i < 0 {
			return match{}, false
		}
		start := from + i
		from = start + 1
		if start > 0 && is(s[start-1], pathLeft) {
			continue
		}
		if end, ok := homePath(s, start); ok {
			return match{start: start, end: end}, true
		}
	}
}

func homePath(s string, start int) (end int, ok bool) {
	rest := s[start:]
	for _, home := range [...]string{"/users/", "/home/"} {
		if !hasFold(rest, home) {
			continue
		}
		user := start + len(home)
		end := untilByte(s, user, pathStop, '/')
		if end == user {
			return 0, false
		}
		if end < len(s) && s[end] == '/' {
			end = until(s, end+1, pathStop)
		}
		return end, true
	}
	const root = "/root"
	if !hasFold(rest, root) {
		return 0, false
	}
	end = start + len(root)
	switch {
	case end == len(s), is(s[end], rootStop), canon.SpaceAt(s, end) > 0:
		return end, true
	case s[end] == '/':
		return until(s, end+1, rootStop), true
	}
	return 0, false
}

// untilByte is [until] with one more byte to stop at.
func untilByte(s string, i int, stop class, b byte) int {
	for i < len(s) && s[i] != b && !is(s[i], stop) && canon.SpaceAt(s, i) == 0 {
		i++
	}
	return i
}

// findEmail is detector 11: [a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}\b at a word
// boundary. Neither side of the @ holds another one, so each is looked at by
// itself, and no two look at the same byte on the same side.
func findEmail(l *line, from int) (match, bool) {
	s := l.text
	for next := from; ; {
		i := strings.IndexByte(s[next:], '@')
		if i < 0 {
			return match{}, false
		}
		at := next + i
		next = at + 1
		start := at
		for start > from && is(s[start-1], mailUser) {
			start--
		}
		for start < at && !boundary(s, start) {
			start++
		}
		if start == at {
			continue
		}
		if end, ok := domainEnd(s, at+1); ok {
			return match{start: start, end: end}, true
		}
	}
}

// domainEnd returns the end of the longest domain name at i: something, a dot,
// and two or more letters up to a word boundary.
func domainEnd(s string, i int) (end int, ok bool) {
	letters := 0 // before at
	whole := run(s, i, mailHost)
	for at := whole; at > i+1; at-- {
		switch c := lower(s[at-1]); {
		case c >= 'a' && c <= 'z':
			letters++
		case c == '.' && letters >= 2 && (at+letters == len(s) || !is(s[at+letters], word)):
			return at + letters, true
		default:
			letters = 0
		}
	}
	return 0, false
}

// identified are the names that, joined with id, name an identifier.
var identified = []string{"user", "customer", "account", "tenant", "employee", "run", "thread", "session"}

// findNamedID is detector 13: such a name, an operator and a value of six or
// more characters with a digit, which something that ends a value must follow.
func findNamedID(l *line, from int) (match, bool) {
	s := l.text
	for op := nextOperator(s, from); op >= 0; op = nextOperator(s, op+1) {
		start, ok := identifierName(s, operator(s, op))
		if !ok || start < from {
			continue
		}
		value := canon.SkipSpace(s, op+1)
		if value < len(s) && isQuote(s[value]) {
			value++
		}
		if end, ok := l.identifier(value); ok {
			return match{start: start, end: end, value: span{value, end}}, true
		}
	}
	return match{}, false
}

func identifierName(s string, end int) (start int, ok bool) {
	for _, name := range identified {
		if at := nameStart(s, end, name+" id"); at >= 0 && boundary(s, at) {
			return at, true
		}
	}
	return 0, false
}

// An idRun is a run of the bytes that a named id is made of: several operators
// can lie in one, and each looks at what is left of it.
type idRun struct{ start, end, lastDigit int }

// identifier returns the end of the value of a named id that starts at i.
func (l *line) identifier(i int) (end int, ok bool) {
	const least = 6
	s := l.text
	if i >= len(s) || !is(s[i], alnum) {
		return 0, false
	}
	if l.ids.end <= i || i < l.ids.start {
		r := idRun{start: i, end: i, lastDigit: -1}
		for ; r.end < len(s) && is(s[r.end], idByte); r.end++ {
			if c := s[r.end]; c >= '0' && c <= '9' {
				r.lastDigit = r.end
			}
		}
		l.ids = r
	}
	end = l.ids.end
	if end-i < least || l.ids.lastDigit < i {
		return 0, false
	}
	return end, end == len(s) || is(s[end], afterID) || canon.SpaceAt(s, end) > 0
}
