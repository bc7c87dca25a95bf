package privacy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"unicode/utf8"
)

// blockSize is how much of a file is in memory at once, unless a line is
// longer.
const blockSize = 256 << 10

// errLongLine says that a text has a line beyond the bound of the level.
var errLongLine = errors.New("a line is longer than the bound")

// errLargeFile says that a file is larger than the bound, or grows without end.
var errLargeFile = errors.New("the file is larger than the bound")

// errManyFindings says that there are more findings than the bound allows.
var errManyFindings = errors.New("more findings than the bound")

// A content is what reading one file to its end gives.
type content struct {
	binary bool
	sha256 string
	size   int64
	found  []found
	extra  []Extra

	allowed int // matches that an allow-list of the extended rules dropped
}

// A found is a match that no allowance covers.
type found struct {
	detector     detectorID
	line, column int
	value        string // its fingerprint, not the value
	strict       bool   // only at strict level
}

// A reader reads one file once: it decides whether the file is a text, hashes
// it, and hands its lines to the detectors as they come. Only one block, or one
// line if that is longer, is in memory.
type reader struct {
	judge   judge
	active  mask // detectors that run
	maxLine int64
	maxSize int64
	mark    func(d detectorID, line int, value string) string // the fingerprint of a match
	budget  *budget
	scan    *fileScan // nil without an engine
	raw     bool      // lines are matched whatever the bytes are

	sum     hash.Hash
	out     content
	lines   int
	began   bool   // the byte order mark was looked for
	tooLong bool   // a line was too long; only whether it is a text is still open
	partial []byte // of a too long line: an incomplete character at the end of a block
}

// read reads in to its end. The error is of in, of ctx, or one of those above.
func (r *reader) read(ctx context.Context, in io.Reader, buf []byte) (content, error) {
	r.sum = sha256.New()
	held := 0 // bytes of buf that are not processed yet
	for {
		if err := ctx.Err(); err != nil {
			return r.out, err
		}
		n, err := in.Read(buf[held:])
		r.sum.Write(buf[held : held+n])
		if r.out.size += int64(n); r.out.size > r.maxSize {
			return r.out, errLargeFile
		}
		whole := held + n
		if err != nil && err != io.EOF {
			return r.out, err
		}
		if err == io.EOF {
			if failed := r.block(buf[:whole], lastBlock); failed != nil {
				return r.out, failed
			}
			return r.finish()
		}
		cut := r.wholeLines(buf[:whole], held)
		if failed := r.block(buf[:cut], moreBlocks); failed != nil {
			return r.out, failed
		}
		held = copy(buf, buf[cut:whole])
		if held == len(buf) { // one line fills it
			if int64(held) > r.maxLine {
				r.tooLong = true
				continue
			}
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// wholeLines returns how much of data can be processed: up to its last line
// end, which is not among the bytes seen before, or all of it when lines do not
// matter any more.
func (r *reader) wholeLines(data []byte, seen int) int {
	if r.out.binary && !r.raw || r.tooLong {
		return len(data)
	}
	end := bytes.LastIndexByte(data[seen:], '\n')
	if end < 0 {
		return 0
	}
	return seen + end + 1
}

type position int

const (
	moreBlocks position = iota
	lastBlock
)

func (r *reader) finish() (content, error) {
	if len(r.partial) > 0 {
		r.out.binary = true
	}
	r.out.sha256 = hex.EncodeToString(r.sum.Sum(nil))
	if r.scan != nil {
		r.out.extra, r.out.allowed = r.scan.close()
	}
	if r.out.binary && !r.raw {
		r.out.found, r.out.extra, r.out.allowed = nil, nil, 0
		return r.out, nil
	}
	if r.tooLong {
		return r.out, errLongLine
	}
	for range r.out.extra {
		if !r.budget.take() {
			return r.out, errManyFindings
		}
	}
	return r.out, nil
}

// block takes the next bytes of the file: whole lines, unless only the question
// is left whether it is a text.
func (r *reader) block(data []byte, at position) error {
	if r.out.binary && !r.raw || len(data) == 0 {
		return nil
	}
	if r.tooLong {
		r.checkOnly(data)
		return nil
	}
	if !utf8.Valid(data) {
		r.out.binary = true
		if !r.raw {
			return nil
		}
	}
	if !r.began {
		r.began = true
		data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	}
	if r.scan != nil {
		r.scan.write(data)
	}
	for len(data) > 0 && (!r.out.binary || r.raw) {
		one := data
		if end := bytes.IndexByte(data, '\n'); end >= 0 {
			one, data = bytes.TrimSuffix(data[:end], []byte{'\r'}), data[end+1:]
		} else {
			data = nil
		}
		if int64(len(one)) > r.maxLine {
			r.tooLong = true
			r.checkOnly(one)
			r.checkOnly(data)
			return nil
		}
		r.lines++
		if err := r.line(one); err != nil {
			return err
		}
	}
	return nil
}

// checkOnly looks whether data, which may begin and end within a character, is
// of a text.
func (r *reader) checkOnly(data []byte) {
	if len(r.partial) > 0 {
		data = append(r.partial, data...)
		r.partial = nil
	}
	end := len(data)
	for back := 1; back <= min(utf8.UTFMax-1, len(data)); back++ {
		if c := data[len(data)-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(data[len(data)-back:]) {
				end = len(data) - back
			}
			break
		}
	}
	r.partial = bytes.Clone(data[end:])
	data = data[:end]
	if !utf8.Valid(data) || words().look(data)&controlSeen != 0 {
		r.out.binary = true
	}
}

// line looks at one line, without its end.
func (r *reader) line(text []byte) error {
	seen := words().look(text)
	if seen&controlSeen != 0 {
		r.out.binary = true
		if !r.raw {
			return nil
		}
	}
	if seen &= r.active; seen == 0 {
		return nil
	}
	l := &line{text: string(text)}
	for d := range detectorID(len(detectors)) {
		if seen&d.mask() != 0 {
			if err := r.detect(d, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// detect collects the matches of one detector in one line.
func (r *reader) detect(d detectorID, l *line) error {
	column, counted := 1, 0
	for from := 0; from < len(l.text); {
		m, ok := detectors[d].find(l, from)
		if !ok {
			break
		}
		from = m.end
		verdict := r.judge.rule(d, l.text, m)
		if verdict == allowed || verdict == unfolded && !r.judge.strict() {
			continue
		}
		if !r.budget.take() {
			return errManyFindings
		}
		column += utf8.RuneCountInString(l.text[counted:m.start])
		counted = m.start
		r.out.found = append(r.out.found, found{
			detector: d, line: r.lines, column: column, strict: verdict == unfolded,
			value: r.mark(d, r.lines, l.text[m.start:m.end]),
		})
	}
	return nil
}
