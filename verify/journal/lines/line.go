package lines

import "bytes"

// A Line is one physical line. Its Text belongs to the reader: it holds until
// the next call of Next, or until Deliver returns.
type Line struct {
	// Text is the line without its LF; a CR before the LF is still there. Of
	// a line that is TooLong it is the first bytes only.
	Text []byte
	// Number counts from 1, blank lines included.
	Number int
	// Offset is where the line starts in the stream, in bytes.
	Offset int64
	// Size is the length in bytes without the LF, also of a line TooLong.
	Size int64
	// Terminated says that an LF follows. Only the last line of a stream may
	// lack it.
	Terminated bool
	// TooLong says that Size is beyond Options.MaxLine.
	TooLong bool
}

// End is the offset of the first byte after the line and its LF.
func (l *Line) End() int64 {
	if l.Terminated {
		return l.Offset + l.Size + 1
	}
	return l.Offset + l.Size
}

// Blank reports whether the line holds nothing but JSON white space. A line
// that is too long is not blank, whatever it starts with.
func (l *Line) Blank() bool {
	if l.TooLong {
		return false
	}
	for _, c := range l.Text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// CRLF reports whether the line ends in CR LF.
func (l *Line) CRLF() bool {
	return l.Terminated && !l.TooLong && bytes.HasSuffix(l.Text, cr)
}

// WithoutCR is the text without a CR at its end.
func (l *Line) WithoutCR() []byte { return bytes.TrimSuffix(l.Text, cr) }

var (
	cr  = []byte{'\r'}
	bom = []byte{0xEF, 0xBB, 0xBF}
)

// A Summary says what was read.
type Summary struct {
	Lines int   // physical lines, the tail included
	Bytes int64 // all bytes of the stream, the byte order mark included
	// BOM says that the stream starts with a UTF-8 byte order mark.
	BOM bool
	// Tail is the length in bytes of what follows the last LF; 0 for a stream
	// that ends in LF, and for an empty one.
	Tail int64
}
