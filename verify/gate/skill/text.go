package skill

import (
	"strings"
	"unicode/utf8"

	"finishline/canon"
)

// A Matter holds the values of a front matter by key.
type Matter map[string]string

// FrontMatter reads the block between the leading --- line and the next line
// that starts with ---. Lines without a colon after their first character are
// skipped; of a repeated key the last value counts. A text without such a block
// has no values.
func FrontMatter(text string) Matter {
	values := Matter{}
	block, ok := matterBlock(text)
	if !ok {
		return values
	}
	for line := range strings.SplitSeq(block, "\n") {
		key, value, found := strings.Cut(line, ":")
		if found && key != "" {
			values[canon.Trim(key)] = unquote(canon.Trim(value))
		}
	}
	return values
}

// matterBlock is what stands between the two --- lines. A byte order mark in
// front hides it.
func matterBlock(text string) (block string, ok bool) {
	rest, ok := strings.CutPrefix(text, "---")
	if !ok {
		return "", false
	}
	rest = strings.TrimPrefix(rest, "\r")
	rest, ok = strings.CutPrefix(rest, "\n")
	if !ok {
		return "", false
	}
	block, _, ok = strings.Cut(rest, "\n---")
	return block, ok
}

// unquote removes one quote character at each end, each by itself.
func unquote(s string) string {
	if s != "" && isQuote(s[0]) {
		s = s[1:]
	}
	if s != "" && isQuote(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// Field is the value of a quoted field of an agent file: the first
//
//	name: "value"
//
// at the start of a line, indented by exactly two spaces, with nothing but
// white space after the closing quote. The value may span lines and knows no
// escapes. It is "" where there is none.
func Field(text, name string) string {
	prefix := "  " + name + ":"
	for line := range lineStarts(text) {
		rest, ok := strings.CutPrefix(line, prefix)
		if !ok {
			continue
		}
		rest, ok = strings.CutPrefix(strings.TrimLeftFunc(rest, canon.IsSpace), `"`)
		if !ok {
			continue
		}
		value, after, closed := strings.Cut(rest, `"`)
		if closed && blankLine(after) {
			return value
		}
	}
	return ""
}

// ImplicitInvocation reports whether an agent file allows a skill to be invoked
// implicitly: the line policy: followed by the line of that setting.
func ImplicitInvocation(text string) bool {
	for line := range lineStarts(text) {
		rest, ok := strings.CutPrefix(line, "policy:")
		if !ok {
			continue
		}
		rest, ok = strings.CutPrefix(strings.TrimPrefix(rest, "\r"), "\n  allow_implicit_invocation:")
		if !ok {
			continue
		}
		after, ok := strings.CutPrefix(strings.TrimLeftFunc(rest, canon.IsSpace), "true")
		if ok && blankLine(after) {
			return true
		}
	}
	return false
}

// lineStarts yields the rest of the text from every start of a line: the start
// of the text, and after LF, CR, U+2028 and U+2029.
func lineStarts(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if !yield(text) {
			return
		}
		for i := 0; i < len(text); {
			c, n := utf8.DecodeRuneInString(text[i:])
			i += n
			if isLineEnd(c) && !yield(text[i:]) {
				return
			}
		}
	}
}

func isLineEnd(c rune) bool { return c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029 }

// blankLine reports whether only white space stands up to the end of the line.
func blankLine(rest string) bool {
	for _, c := range rest {
		if isLineEnd(c) {
			return true
		}
		if !canon.IsSpace(c) {
			return false
		}
	}
	return true
}
