package canon

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// IsSpace reports whether c is WS of contract 01, section 4. It differs from
// unicode.IsSpace in U+0085 (no) and U+FEFF (yes).
func IsSpace(c rune) bool {
	switch {
	case c >= '\t' && c <= '\r', c == ' ', c == 0xA0, c == 0x1680,
		c >= 0x2000 && c <= 0x200A, c == 0x2028, c == 0x2029,
		c == 0x202F, c == 0x205F, c == 0x3000, c == 0xFEFF:
		return true
	}
	return false
}

// SpaceAt is the length in bytes of the WS character that starts at index i of s,
// 0 when there is none.
func SpaceAt(s string, i int) int {
	if i >= len(s) {
		return 0
	}
	if c := s[i]; c < utf8.RuneSelf {
		if c == ' ' || c >= '\t' && c <= '\r' {
			return 1
		}
		return 0
	}
	if c, n := utf8.DecodeRuneInString(s[i:]); IsSpace(c) {
		return n
	}
	return 0
}

// SkipSpace returns the end of the run of WS that starts at index i of s.
func SkipSpace(s string, i int) int {
	for {
		n := SpaceAt(s, i)
		if n == 0 {
			return i
		}
		i += n
	}
}

// SpaceClass is WS as the inside of an RE2 character class.
const SpaceClass = `\t-\r \x{00A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}`

// Trim strips WS at both ends.
func Trim(s string) string { return strings.TrimFunc(s, IsSpace) }

// NonEmpty reports whether v is a string of at least min UTF-16 units after
// trimming: non-empty(min) of contract 01, section 4.
func NonEmpty(v Value, min int) bool {
	s, ok := v.Str()
	return ok && UTF16Len(Trim(s)) >= min
}

// IsIdentifier reports whether v is a string that is an identifier of
// contract 01, section 4.
func IsIdentifier(v Value) bool {
	s, ok := v.Str()
	return ok && Identifier(s)
}

// Identifier reports whether s has 1 to 256 ASCII characters, the first
// alphanumeric, the others also of ". _ : / -".
func Identifier(s string) bool {
	if s == "" || len(s) > 256 || !IsAlnum(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; !IsAlnum(c) && !strings.ContainsRune("._:/-", rune(c)) {
			return false
		}
	}
	return true
}

// IsAlnum reports whether c is an ASCII letter or digit.
func IsAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// LowerASCII lower-cases A to Z and nothing else: all case-insensitive
// matching of the formats is ASCII-only.
func LowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// TextForm is the text of a value where a contract applies a text rule to any
// value (05 §4.3, 09b §4.3): a string itself; null, booleans and numbers as in
// canonical JSON, so that an overflowed literal is null; an array its elements' text forms joined by commas, null and
// absent ones empty; an object the fixed text [object Object]; absent the word
// undefined.
func TextForm(v Value) string {
	switch v.Kind() {
	case String:
		return v.Text()
	case Object:
		return "[object Object]"
	case Array:
		var b strings.Builder
		for i, e := range v.Elems() {
			if i > 0 {
				b.WriteByte(',')
			}
			if e.Present() && !e.IsNull() {
				b.WriteString(TextForm(e))
			}
		}
		return b.String()
	}
	return string(canonicalTolerant(v))
}

// EscapePointer escapes one token of a JSON pointer (RFC 6901).
func EscapePointer(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// A Node is a value together with the JSON pointer that leads to it, so that a
// finding can say where it was.
type Node struct {
	Value
	Pointer string
}

// Node returns the document's root as a node with the empty pointer.
func (d *Document) Node() Node { return Node{Value: d.Root} }

// At is the member of that name, or an absent node that still knows its
// pointer.
func (n Node) At(name string) Node {
	return Node{n.Get(name), n.Pointer + "/" + EscapePointer(name)}
}

// Items returns the elements of an array as nodes, nil for anything else.
func (n Node) Items() []Node {
	elems := n.Elems()
	if elems == nil {
		return nil
	}
	nodes := make([]Node, len(elems))
	for i, e := range elems {
		nodes[i] = Node{e, n.Pointer + "/" + strconv.Itoa(i)}
	}
	return nodes
}
