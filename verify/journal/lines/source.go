package lines

import (
	"bytes"
	"errors"
	"io"
)

// Bounds of the reader.
const (
	// BatchBytes is about how many bytes one batch holds.
	BatchBytes = 128 << 10
	// BatchLines is the most lines one batch holds.
	BatchLines = 4096
	// Peek is how many bytes of a line that is too long are shown.
	Peek = 256
	// DefaultMaxLine bounds lines where Options does not say otherwise.
	DefaultMaxLine = 1 << 20
	// readBytes is how much is asked of the stream at once.
	readBytes = 256 << 10
	// maxEmptyReads is how often a stream may answer a read with nothing.
	maxEmptyReads = 100
)

// A chunk is what the source cuts off the stream: whole lines, or a part of one
// line that is too long.
type chunk struct {
	text   []byte // owned by the chunk; lines with their LF
	number int    // of the first line
	offset int64  // of the first line
	// long is the size of the one line of this chunk when it was too long to be
	// kept; text then is its beginning. 0 for every other chunk.
	long       int64
	terminated bool // of the long line
}

// split appends the lines of the chunk to list.
func (c *chunk) split(list []Line, maxLine int) []Line {
	if c.long > 0 {
		return append(list, Line{Text: c.text, Number: c.number, Offset: c.offset, Size: c.long, Terminated: c.terminated, TooLong: true})
	}
	text, number, offset := c.text, c.number, c.offset
	for len(text) > 0 {
		line, rest, terminated := bytes.Cut(text, lf)
		l := Line{Text: line, Number: number, Offset: offset, Size: int64(len(line)), Terminated: terminated}
		if len(line) > maxLine {
			l.Text, l.TooLong = line[:min(Peek, maxLine)], true
		}
		list = append(list, l)
		number++
		offset += int64(len(text) - len(rest))
		text = rest
	}
	return list
}

var lf = []byte{'\n'}

// A source cuts a stream into chunks. It is the one place that knows where
// lines end.
type source struct {
	r        io.Reader
	tee      io.Writer
	progress func(int64)
	maxLine  int

	buf        []byte
	start, end int  // of what was read and not yet handed out
	scanned    int  // bytes after start known to hold no LF
	begun, eof bool // eof: nothing more comes, because of err or the end
	err        error
	offset     int64 // of buf[start]
	sum        Summary
}

func newSource(r io.Reader, o Options) *source {
	s := &source{r: r, tee: o.Tee, progress: o.Progress, maxLine: o.MaxLine}
	if s.maxLine <= 0 {
		s.maxLine = DefaultMaxLine
	}
	s.buf = make([]byte, readBytes)
	return s
}

// next fills c with the next lines. It reports false at the end; s.err then
// says whether the stream ended in an error.
func (s *source) next(c *chunk) bool {
	if !s.begun {
		s.begin()
	}
	for {
		data := s.buf[s.start:s.end]
		if i := bytes.IndexByte(data[s.scanned:], '\n'); i >= 0 {
			s.take(c, cut(data, s.scanned+i+1))
			return true
		}
		s.scanned = len(data)
		switch {
		case len(data) > s.maxLine:
			return s.skip(c)
		case !s.eof:
			s.fill()
		case len(data) == 0 || s.err != nil: // a line that an error cut short was not read
			return false
		default:
			s.sum.Tail = int64(len(data))
			s.take(c, len(data))
			return true
		}
	}
}

// begin looks for a byte order mark.
func (s *source) begin() {
	s.begun = true
	for !s.eof && s.end < len(bom) {
		s.fill()
	}
	if bytes.HasPrefix(s.buf[:s.end], bom) {
		s.sum.BOM = true
		s.start, s.offset = len(bom), int64(len(bom))
	}
}

// cut says how much of data, whose first line ends at first, makes one chunk.
func cut(data []byte, first int) int {
	if first >= BatchBytes {
		return first
	}
	window := data[:min(len(data), BatchBytes)]
	end := bytes.LastIndexByte(window, '\n') + 1
	if bytes.Count(window[:end], lf) <= BatchLines {
		return end
	}
	end = 0
	for range BatchLines {
		end += bytes.IndexByte(window[end:], '\n') + 1
	}
	return end
}

// take hands out the first n bytes.
func (s *source) take(c *chunk, n int) {
	data := s.buf[s.start : s.start+n]
	c.text = append(c.text[:0], data...)
	c.number, c.offset, c.long = s.sum.Lines+1, s.offset, 0
	s.sum.Lines += bytes.Count(data, lf)
	if data[n-1] != '\n' {
		s.sum.Lines++
	}
	s.drop(n)
}

func (s *source) drop(n int) {
	s.start += n
	s.offset += int64(n)
	s.scanned = 0
}

// skip reads over a line that is longer than is kept, of which the buffer
// holds the beginning. It reports false when the stream fails before the line
// ends.
func (s *source) skip(c *chunk) bool {
	c.text = append(c.text[:0], s.buf[s.start:s.start+min(Peek, s.maxLine)]...)
	c.number, c.offset, c.terminated = s.sum.Lines+1, s.offset, false
	s.sum.Lines++
	for {
		if i := bytes.IndexByte(s.buf[s.start:s.end], '\n'); i >= 0 {
			s.drop(i)
			c.long, c.terminated = s.offset-c.offset, true
			s.drop(1)
			return true
		}
		s.drop(s.end - s.start)
		if s.eof {
			c.long = s.offset - c.offset
			s.sum.Tail = c.long
			return s.err == nil
		}
		s.fill()
	}
}

var errNoProgress = errors.New("the stream keeps answering with nothing")

// fill reads once, growing the buffer when a line fills it.
func (s *source) fill() {
	switch {
	case s.start == s.end:
		s.start, s.end = 0, 0
	case s.end < len(s.buf):
	case s.start > 0:
		s.end = copy(s.buf, s.buf[s.start:s.end])
		s.start = 0
	default:
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for range maxEmptyReads {
		n, err := s.r.Read(s.buf[s.end:])
		if n > 0 && s.tee != nil {
			if _, terr := s.tee.Write(s.buf[s.end : s.end+n]); terr != nil && err == nil {
				err = terr
			}
		}
		s.end += n
		s.sum.Bytes += int64(n)
		if n > 0 && s.progress != nil {
			s.progress(s.sum.Bytes)
		}
		if err != nil {
			s.eof = true
			if err != io.EOF {
				s.err = err
			}
		}
		if n > 0 || err != nil {
			return
		}
	}
	s.eof, s.err = true, errNoProgress
}
