package secret

import "finishline/canon"

import "strings"

// maxAssigned is the longest name that counts as assigned to.
const maxAssigned = 128

// findAssignment is detector f, the secret assignment: a name that announces a
// secret, an optional closing quote, ":" or "=", and a value that is not yet
// redacted. What it finds is the value.
func findAssignment(s string, from int) (start, end int, ok bool) {
	for pos := from; ; {
		name, value, found := nextAssigned(s, pos)
		if !found {
			return 0, 0, false
		}
		if !isAssignmentName(name) {
			pos = value
			continue
		}
		t := s[value:]
		if n := redactedLen(t); n > 0 {
			pos = value + n
			continue
		}
		if q := QuoteLen(t); q > 0 {
			return value, value + quotedLen(t, q), true
		}
		switch n := bareLen(t); {
		case n == 0:
			pos = value + 1
		case t[:n] == marker:
			pos = value + n
		default:
			return value, value + n, true
		}
	}
}

// nextAssigned finds the next name that something is assigned to, and where the
// value starts. A name is a whole run of name bytes that starts with a letter.
func nextAssigned(s string, pos int) (name string, value int, found bool) {
	for i := pos; i < len(s); {
		if !isNameByte(s[i]) {
			i++
			continue
		}
		end := runEnd(s, i, isNameByte)
		whole := i == 0 || !isNameByte(s[i-1])
		if whole && isLetter(s[i]) && end-i <= maxAssigned {
			if value, ok := afterOperator(s, end); ok {
				return s[i:end], value, true
			}
		}
		i = end
	}
	return "", 0, false
}

// afterOperator skips what may stand between a name and its value.
func afterOperator(s string, i int) (value int, ok bool) {
	i = canon.SkipSpace(s, i+QuoteLen(s[i:]))
	if i >= len(s) || s[i] != ':' && s[i] != '=' {
		return 0, false
	}
	return canon.SkipSpace(s, i+1), true
}

// QuoteLen is the length of the quote, escaped any number of times, that starts
// t, or 0.
func QuoteLen(t string) int {
	i := 0
	for i < len(t) && t[i] == '\\' {
		i++
	}
	if i < len(t) && isQuote(t[i]) {
		return i + 1
	}
	return 0
}

// redactedLen is the length of the already redacted value that starts t, or 0.
func redactedLen(t string) int {
	open := QuoteLen(t)
	n := placeholderLen(t[open:])
	if n == 0 {
		return 0
	}
	n += open
	if closed := n + QuoteLen(t[n:]); terminated(t[closed:]) {
		return closed
	}
	return 0
}

// terminated reports whether what follows a value ends it: blanks, then a
// separator, a closing bracket, a line end, or nothing.
func terminated(t string) bool {
	t = strings.TrimLeft(t, " \t")
	return t == "" || strings.IndexByte(",;}]\n", t[0]) >= 0 || strings.HasPrefix(t, "\r\n")
}

// quotedLen is the length of the value that starts with a quote of q bytes. It
// ends with the first equal quote on the line that ends a value, else with the
// last one on the line, else with the line.
func quotedLen(t string, q int) int {
	line := t
	if i := strings.IndexAny(t, "\r\n"); i >= 0 {
		line = t[:i]
	}
	quote, last := t[:q], 0
	for at := q; ; {
		i := strings.Index(line[at:], quote)
		if i < 0 {
			break
		}
		at += i + q
		if last = at; terminated(t[at:]) {
			break
		}
	}
	if last == 0 {
		return len(line)
	}
	return last
}

// bareLen is the length of the unquoted value that starts t.
func bareLen(t string) int {
	if i := strings.IndexAny(t, "\r\n,;}"); i >= 0 {
		return i
	}
	return len(t)
}

// placeholderLen is the length of the safe placeholder that starts t, in any
// ASCII case, or 0.
func placeholderLen(t string) int {
	for _, fixed := range [...]string{"[redacted]", "<redacted>", "[placeholder]", "<placeholder>"} {
		if hasFoldPrefix(t, fixed) {
			return len(fixed)
		}
	}
	const worded = "[redacted "
	if !hasFoldPrefix(t, worded) {
		return 0
	}
	end := runEnd(t, len(worded), func(c byte) bool { return isLetter(c) || c == ' ' })
	if end == len(worded) || end == len(t) || t[end] != ']' {
		return 0
	}
	return end + 1
}
