package pack

import (
	"bytes"
	"unicode/utf8"

	"finishline/canon"
)

// isText reports whether bytes may be a pack's text: no NUL, well-formed UTF-8
// (06 §5). A byte order mark is an ordinary character.
func isText(data []byte) bool {
	return bytes.IndexByte(data, 0) < 0 && utf8.Valid(data)
}

// foldCRLF turns every CR LF into LF in one pass from the left: a CR before
// the pair stays. The result shares data when there is nothing to fold.
func foldCRLF(data []byte) []byte {
	if !bytes.Contains(data, crlf) {
		return data
	}
	return bytes.ReplaceAll(data, crlf, lf)
}

var crlf, lf = []byte("\r\n"), []byte("\n")

// A content is what the rules need to know of a file's bytes, so that the
// bytes themselves need not be kept.
type content struct {
	size int
	raw  string // D1 of the bytes
	text string // D1 of canonText(bytes), "" when the bytes are no text
}

func contentOf(data []byte) content {
	c := content{size: len(data), raw: canon.SHA256(data)}
	if isText(data) {
		c.text = c.raw
		if folded := foldCRLF(data); len(folded) != len(data) {
			c.text = canon.SHA256(folded)
		}
	}
	return c
}

func (c content) isText() bool { return c.text != "" }

// onlyLineEnds reports whether two different contents have the same text.
func onlyLineEnds(a, b content) bool { return a.raw != b.raw && a.isText() && a.text == b.text }
