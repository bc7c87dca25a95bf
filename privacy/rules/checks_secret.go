package rules

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"finishline/canon"
)

// placeholder reports whether a secret only stands for one (contract 10
// §15.3).
func placeholder(s []byte) bool {
	var scratch [256]byte
	low := appendLower(scratch[:0], s)
	for _, w := range listed().placeholderWords {
		if bytes.Contains(low, w) {
			return true
		}
	}
	if repeats(s, 6) || ascends(low, 8) {
		return true
	}
	if distinct, n := countDistinct(s, 8); n >= 16 && distinct < 8 {
		return true
	}
	return bracketed(s) || bytes.Contains(s, []byte("...")) || bytes.Contains(s, []byte("***"))
}

func appendLower(dst, s []byte) []byte {
	for _, c := range s {
		dst = append(dst, lower(c))
	}
	return dst
}

// repeats reports whether a character is there n times in a row.
func repeats(s []byte, n int) bool {
	run := 0
	for i := 0; i < len(s); {
		size := 1
		if s[i] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(s[i:])
		}
		if i >= size && string(s[i-size:i]) == string(s[i:i+size]) {
			run++
		} else {
			run = 1
		}
		if run >= n {
			return true
		}
		i += size
	}
	return false
}

// ascends reports whether n letters or digits of a lower-cased text follow one
// another by code point, such as "abcdefgh".
func ascends(low []byte, n int) bool {
	run := 0
	for i, c := range low {
		switch {
		case !alnums.has(c):
			run = 0
		case run > 0 && low[i-1]+1 == c:
			run++
		default:
			run = 1
		}
		if run >= n {
			return true
		}
	}
	return false
}

// countDistinct counts the characters of a text and the distinct ones among
// them, the latter no further than enough.
func countDistinct(s []byte, enough int) (distinct, n int) {
	var seen [8]rune
	for i := 0; i < len(s); n++ {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(s[i:])
		}
		i += size
		if distinct < enough && !slices.Contains(seen[:distinct], r) {
			seen[distinct] = r
			distinct++
		}
	}
	return distinct, n
}

// bracketed reports whether the whole text has one of the forms in which
// documentation writes what the reader must fill in.
func bracketed(s []byte) bool {
	if len(s) == 0 || bytes.IndexByte(s, '\n') >= 0 {
		return false
	}
	first, last := s[0], s[len(s)-1]
	switch {
	case first == '$':
		return true
	case len(s) >= 2 && (first == '<' && last == '>' || first == '[' && last == ']' || first == '{' && last == '}' || first == '%' && last == '%'):
		return true
	}
	return len(bytes.Trim(s, "*")) == 0
}

func checkMixed(v *view, m match) bool {
	var up, low, digit bool
	for _, c := range v.text[m.from:m.to] {
		up, low, digit = up || isUpper(c), low || isLower(c), digit || isDigit(c)
	}
	return up && low && digit
}

func countDigits(s []byte) int {
	n := 0
	for _, c := range s {
		if isDigit(c) {
			n++
		}
	}
	return n
}

var pemBody = regexp.MustCompile(`^(?:[A-Za-z0-9+/]{16}|Proc-Type:|Version:|Comment:|DEK-Info:)`)

// checkPEM tells a key from code that speaks of keys: after the header there
// is nothing more, or the key.
func checkPEM(v *view, m match) bool {
	rest := v.text[m.end:]
	for len(rest) > 0 {
		if r, n := utf8.DecodeRune(rest); canon.IsSpace(r) {
			rest = rest[n:]
			continue
		}
		n := 0
		for n < len(rest) && rest[n] == '\\' {
			n++
		}
		if n == 0 || n == len(rest) || rest[n] != 'n' && rest[n] != 'r' {
			break
		}
		rest = rest[n+1:]
	}
	return len(rest) == 0 || pemBody.Match(rest)
}

// bech32 verifies a Bech32 text with the given human-readable part.
func bech32(s []byte, part string) bool {
	const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	low := appendLower(nil, s)
	if !bytes.HasPrefix(low, []byte(part+"1")) || len(low) < len(part)+1+6 {
		return false
	}
	sum := uint32(1)
	step := func(v byte) {
		top := sum >> 25
		sum = sum&0x1ffffff<<5 ^ uint32(v)
		for i, g := range [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	for i := range len(part) {
		step(part[i] >> 5)
	}
	step(0)
	for i := range len(part) {
		step(part[i] & 31)
	}
	for _, c := range low[len(part)+1:] {
		v := bytes.IndexByte([]byte(alphabet), c)
		if v < 0 {
			return false
		}
		step(byte(v))
	}
	return sum == 1
}

func checkPrivateKey(v *view, m match) bool {
	return bytes.Contains(decodeBase64(v.text[m.from:m.to]), []byte("PRIVATE KEY"))
}

// userPassword reports whether a text is base64 of user:password.
func userPassword(s []byte) bool {
	plain := bytes.TrimRight(s, "=")
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(plain)))
	n, err := base64.RawStdEncoding.Decode(out, plain)
	if err != nil {
		return false
	}
	for _, c := range out[:n] {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	_, password, found := bytes.Cut(out[:n], []byte(":"))
	return found && len(password) >= 4 && urlPassword(password)
}

// A reference to a variable in a template or a script.
var variable = regexp.MustCompile(`\$\{|\$[A-Za-z_]|\{\{|%[A-Z_][A-Z0-9_]*%`)

// urlPassword reports whether a password could be one that is in use.
func urlPassword(s []byte) bool {
	if len(s) < 3 || len(s) <= 5 && countDigits(s) == len(s) {
		return false
	}
	return !listed().defaultPasswords[string(appendLower(nil, s))] && !placeholder(s) && !variable.Match(s)
}

// jwt reports whether a text is a signed token, and not the one that every
// textbook shows.
func jwt(s []byte) bool {
	parts := bytes.SplitN(s, []byte("."), 3)
	if len(parts) != 3 {
		return false
	}
	header, ok := jsonObject(parts[0])
	if !ok {
		return false
	}
	alg, ok := header.Get("alg").Str()
	if !ok || strings.EqualFold(alg, "none") {
		return false
	}
	payload, ok := jsonObject(parts[1])
	return ok && !(payload.Get("sub").Is("1234567890") && payload.Get("name").Is("John Doe"))
}

func jsonObject(part []byte) (canon.Value, bool) {
	data, err := base64.RawURLEncoding.DecodeString(string(part))
	if err != nil {
		return canon.Value{}, false
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil || !doc.Root.IsObject() {
		return canon.Value{}, false
	}
	return doc.Root, true
}

// checkDiscord: the first part of a bot's token is its id.
func checkDiscord(v *view, m match) bool {
	first, _, _ := bytes.Cut(v.text[m.from:m.to], []byte("."))
	id := decodeBase64(first)
	return len(id) >= 17 && len(id) <= 20 && countDigits(id) == len(id)
}
