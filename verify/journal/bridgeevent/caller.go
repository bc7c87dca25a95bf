package bridgeevent

import (
	"context"
	"errors"
	"fmt"
	"io"

	"finishline/verify"
	"finishline/verify/journal/lines"
)

// A Caller feeds notices to a registry and keeps the promises that section 3
// makes for callers: one notice that is refused is reported and stops no other,
// and a source that nobody registered costs a line of warning and no more.
type Caller struct {
	Registry *Registry
	// Emit takes the events, in order. Its error stops the loop.
	Emit func(Event) error
	// Warn takes one line of warning, without a line feed.
	Warn func(line string)
}

// Notices counts what became of the notices of a [Caller].
type Notices struct {
	Events  int // normalised and emitted
	Refused int // with a finding each
	Skipped int // of a source that is not registered
}

// Lines normalises a stream with one notice in each line. An empty line is a
// notice without bytes, and refused. Once all input is read, out's verdict says
// whether any notice was refused.
func (c Caller) Lines(ctx context.Context, out *verify.Findings, path, source string, r io.Reader) (Notices, error) {
	var n Notices
	reader := lines.NewReader(r, lines.Options{MaxLine: MaxBytes})
	for {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if err := ctx.Err(); err != nil {
			return n, err
		}
		at := verify.AtLine(path, line.Number)
		if line.TooLong {
			n.Refused++
			out.Add("json.size", at, verify.What{Found: fmt.Sprintf("%d bytes", line.Size), Expected: fmt.Sprintf("at most %d", MaxBytes)})
			continue
		}
		text := line.Text
		if line.Number == 1 && reader.Summary().BOM { // it is of the notice, which is no JSON then
			text = append([]byte("\uFEFF"), text...)
		}
		if err := c.one(out, at, source, text, &n); err != nil {
			return n, err
		}
	}
}

// One normalises a single notice.
func (c Caller) One(out *verify.Findings, at verify.Place, source string, raw []byte) (Notices, error) {
	var n Notices
	err := c.one(out, at, source, raw, &n)
	return n, err
}

func (c Caller) one(out *verify.Findings, at verify.Place, source string, raw []byte, n *Notices) error {
	event, handled := c.Registry.Normalize(out, at, source, raw)
	switch {
	case !handled:
		n.Skipped++
		c.Warn(fmt.Sprintf("no adapter for source %s: the notice is skipped", verify.Quote(source)))
	case event == nil:
		n.Refused++
	default:
		n.Events++
		return c.Emit(*event)
	}
	return nil
}
