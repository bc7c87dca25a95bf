package lines

import "io"

// Options say how a stream is read.
type Options struct {
	// MaxLine is the longest line in bytes, without its LF, that is kept;
	// DefaultMaxLine when it is not positive.
	MaxLine int
	// Workers is how many goroutines parse; as many as may run at once when it
	// is not positive, and never more than MaxWorkers.
	Workers int
	// Tee, when given, is written every byte of the stream, in order and before
	// it is parsed: a hash of exactly what was verified. It is called by one
	// goroutine at a time.
	Tee io.Writer
	// Progress, when given, is told after every read how many bytes were read
	// so far. Process calls it from a goroutine of its own.
	Progress func(bytes int64)
}

// A Reader reads one line after another. It is not safe for concurrent use.
type Reader struct {
	src   *source
	chunk chunk
	lines []Line
	next  int
}

// NewReader starts to read a stream.
func NewReader(r io.Reader, o Options) *Reader {
	return &Reader{src: newSource(r, o)}
}

// Next returns the next line. The error is io.EOF at the end of the stream, or
// the error of the stream; once there was one, every call returns it.
func (r *Reader) Next() (Line, error) {
	for r.next == len(r.lines) {
		if !r.src.next(&r.chunk) {
			if r.src.err != nil {
				return Line{}, r.src.err
			}
			return Line{}, io.EOF
		}
		r.lines, r.next = r.chunk.split(r.lines[:0], r.src.maxLine), 0
	}
	r.next++
	return r.lines[r.next-1], nil
}

// Summary says what was read so far. It is complete once Next has returned an
// error; until then it may be ahead of what Next has returned.
func (r *Reader) Summary() Summary { return r.src.sum }
