package mailbox

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"finishline/verify"
	"finishline/verify/journal/bridgeevent"
	"finishline/verify/journal/lines"
)

// MaxLine bounds a line of an export: a payload as long as it may be, whose
// every byte is escaped by a backslash, and room for the rest (json.size).
const MaxLine = 2*MaxPayload + 64<<10

// export reads an export: one row in each line.
type export struct {
	out  *verify.Findings
	path string
}

// readOptions are what the reader of a whole input gets besides the lines.
type readOptions struct {
	tee      io.Writer
	progress func(bytes int64)
}

// read calls each for every row of the right shape, and reports the other
// lines.
func (e export) read(ctx context.Context, r io.Reader, o readOptions, each func(at verify.Place, w row) error) error {
	reader := lines.NewReader(r, lines.Options{MaxLine: MaxLine, Tee: o.tee, Progress: o.progress})
	for {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		at := verify.AtLine(e.path, line.Number)
		if line.TooLong {
			e.out.Add("json.size", at, verify.What{Found: fmt.Sprintf("%d bytes", line.Size), Expected: fmt.Sprintf("at most %d", MaxLine)})
			continue
		}
		if line.Number == 1 && reader.Summary().BOM {
			e.shape(at, "a byte order mark")
			continue
		}
		w, wrong := parseRow(line.Text)
		if wrong != "" {
			e.shape(at, wrong)
			continue
		}
		if err := each(at, w); err != nil {
			return err
		}
	}
}

func (e export) shape(at verify.Place, found string) {
	e.out.Add("mailbox.row.shape", at, verify.What{Found: found, Expected: "a strict JSON object of exactly event_id, source, event_type, lane, payload_json and ts"})
}

func (e export) duplicate(at verify.Place, w row) {
	e.out.Add("mailbox.row.event-id-duplicate", at, verify.What{Found: w.id.String() + " again", Expected: "each event id once"})
}

// parseRow reads one line; wrong says what is, when it has another shape.
func parseRow(text []byte) (w row, wrong string) {
	m, isObject, err := bridgeevent.ReadStrict(text)
	switch {
	case err != nil:
		return w, err.Error()
	case !isObject:
		return w, "no object"
	}
	for _, c := range []struct {
		name string
		to   *cell
	}{
		{"event_id", &w.id}, {"source", &w.source}, {"event_type", &w.eventType}, {"lane", &w.lane}, {"payload_json", &w.payload},
	} {
		v := m.Get(c.name)
		if v.Kind() != '"' {
			return w, "no string " + c.name
		}
		s, err := jsontext.AppendUnquote(nil, v)
		if err != nil { // out of reach: the text was read strictly
			return w, err.Error()
		}
		*c.to = cell{kind: textCell, text: string(s)}
	}
	ts := m.Get("ts")
	if ts.Kind() != '0' {
		return w, "no number ts"
	}
	w.ts = numberCell(string(ts))
	if len(m.Names()) != len(columns) {
		return w, fmt.Sprintf("%d members", len(m.Names()))
	}
	w.payloadSize = int64(len(w.payload.text))
	return w, ""
}

// numberCell is the value of a number literal; other than a 64-bit integer it
// is only named.
func numberCell(literal string) cell {
	if n, ok := bridgeevent.Integer(literal); ok {
		return cell{kind: integerCell, integer: n}
	}
	return cell{other: "the number " + literal[:min(len(literal), 40)]}
}
