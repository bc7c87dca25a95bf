package canon

import "unicode/utf8"

// DecodeUTF8 decodes the bytes of a text file as a JSON document's are decoded
// (contract 01, section 1, item 5): every maximal ill-formed subsequence
// becomes one U+FFFD. A byte order mark stays what it is, a character.
func DecodeUTF8(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	return string(decodeWHATWG(data))
}
