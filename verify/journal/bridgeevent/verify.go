package bridgeevent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"finishline/verify"
	"finishline/verify/journal/lines"
)

// Input is a file of documents.
type Input struct {
	// Path is how findings name the file, File its bytes from the start.
	Path string
	File io.ReadSeeker
	// Level changes nothing: documents are read strictly at both levels.
	Level verify.Level
	// Progress, when given, is told how many bytes were read so far.
	Progress func(bytes int64)
}

// An Outcome is what [Verify] found.
type Outcome struct {
	Findings  *verify.Findings
	Documents int
	Bytes     int64
	SHA256    string // of the file
}

// Verify verifies a file that holds one document on as many lines as it likes,
// or one document in each line; blank lines are skipped. Which of the two it
// is, its first line says: it holds a whole JSON value or it does not. A file
// that holds none at all is refused (doc.json). The error is the context's or
// that of reading; there is no outcome then.
func Verify(ctx context.Context, in Input) (*Outcome, error) {
	o := &Outcome{Findings: Table.Collect(in.Level)}
	digest := sha256.New()
	reader := lines.NewReader(in.File, lines.Options{MaxLine: MaxBytes, Tee: digest, Progress: in.Progress})
	for {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if line.Blank() {
			continue
		}
		if o.Documents == 0 && line.Terminated && unfinished(line) {
			return o.whole(in, digest)
		}
		o.Documents++
		o.line(in.Path, line, reader.Summary().BOM)
	}
	sum := reader.Summary()
	o.finish(in, sum.Bytes, digest)
	return o, nil
}

// line verifies the document of one line.
func (o *Outcome) line(path string, line lines.Line, bom bool) {
	at := verify.AtLine(path, line.Number)
	switch {
	case line.TooLong:
		o.tooLong(at, line.Size)
	case bom && line.Offset <= bomBytes:
		o.bom(at)
	default:
		Document(o.Findings, at, line.Text)
	}
}

const bomBytes = 3

func (o *Outcome) bom(at verify.Place) {
	o.Findings.Add("doc.json", at, verify.What{Found: "a byte order mark", Expected: "UTF-8 without one", Hint: "save the file without a byte order mark"})
}

func (o *Outcome) tooLong(at verify.Place, size int64) {
	o.Findings.Add("json.size", at, verify.What{Found: fmt.Sprintf("%d bytes", size), Expected: fmt.Sprintf("at most %d", MaxBytes)})
}

func (o *Outcome) finish(in Input, size int64, digest hash.Hash) {
	o.Bytes, o.SHA256 = size, hex.EncodeToString(digest.Sum(nil))
	if o.Documents == 0 {
		o.Findings.Add("doc.json", verify.At(in.Path, ""), verify.What{Found: "no JSON value", Expected: "at least one document"})
	}
}

// unfinished reports whether a line holds the beginning of a JSON value only.
func unfinished(line lines.Line) bool {
	if line.TooLong {
		return false
	}
	_, _, err := readMembers(line.Text, MaxDepth, tolerant...)
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// whole verifies a file that is one document.
func (o *Outcome) whole(in Input, digest hash.Hash) (*Outcome, error) {
	if _, err := in.File.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	digest.Reset()
	data, err := io.ReadAll(io.LimitReader(io.TeeReader(in.File, digest), MaxBytes+1))
	if err != nil {
		return nil, err
	}
	rest, err := io.Copy(digest, in.File)
	if err != nil {
		return nil, err
	}
	o.Documents = 1
	at := verify.At(in.Path, "")
	switch {
	case len(data) > MaxBytes:
		o.tooLong(at, int64(len(data))+rest)
	case len(data) >= bomBytes && string(data[:bomBytes]) == "\uFEFF":
		o.bom(at)
	default:
		Document(o.Findings, at, data)
	}
	o.finish(in, int64(len(data))+rest, digest)
	return o, nil
}
