package secret

// The byte classes of the contract's expressions. They are ASCII-only; bytes of
// other characters belong to none of them.

func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool  { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return isUpper(c) || isLower(c) }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
func isQuote(c byte) bool  { return c == '"' || c == '\'' }

// isWord is what \b looks at.
func isWord(c byte) bool { return isAlnum(c) || c == '_' }

// isDashed is [A-Za-z0-9_-], the alphabet of base64url.
func isDashed(c byte) bool { return isWord(c) || c == '-' }

// isNameByte is C, the alphabet of assigned names.
func isNameByte(c byte) bool { return isDashed(c) || c == '.' }

// isBearerByte is the alphabet of a bearer token.
func isBearerByte(c byte) bool {
	switch c {
	case '.', '_', '~', '+', '/', '=', '-':
		return true
	}
	return isAlnum(c)
}

func lower(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}

// hasFoldPrefix reports whether s starts with prefix, which is in lower case,
// in any ASCII case.
func hasFoldPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		if lower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}

// boundary is \b at index i of s.
func boundary(s string, i int) bool {
	before := i > 0 && isWord(s[i-1])
	after := i < len(s) && isWord(s[i])
	return before != after
}

// runEnd returns the end of the run of bytes of a class that starts at i.
func runEnd(s string, i int, class func(byte) bool) int {
	for i < len(s) && class(s[i]) {
		i++
	}
	return i
}
