package mailbox

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"finishline/verify"
)

// MaxRows bounds the rows of an export: their ids are kept to find repeated and
// removed ones. The rows of a store are streamed and only bounded by MaxStore.
const MaxRows = 1 << 20

// A key is a digest of an event id, or of the other columns of a row, short
// enough to keep a million of them.
type key [16]byte

func keyOf(cells ...cell) key {
	h := sha256.New()
	for _, c := range cells {
		writeCell(h, c)
	}
	return key(h.Sum(nil)[:len(key{})])
}

// writeCell writes a cell so that no two lists of cells give the same bytes.
func writeCell(h hash.Hash, c cell) {
	text := c.text
	if c.kind == otherCell {
		text = c.other
	}
	var head [17]byte
	head[0] = byte(c.kind)
	binary.BigEndian.PutUint64(head[1:], uint64(c.integer))
	binary.BigEndian.PutUint64(head[9:], uint64(len(text)))
	h.Write(head[:])
	io.WriteString(h, text)
}

func (w row) idKey() key { return keyOf(w.id) }

// contentKey covers every column but the id.
func (w row) contentKey() key { return keyOf(w.source, w.eventType, w.lane, w.payload, w.ts) }

// history is an earlier export to compare with: its rows in their order, and
// where the row of an event id is among them. It holds no pointers, since there
// may be a million.
type history struct {
	path     string
	place    map[key]int32 // by the key of the id
	lines    []int
	contents []key
	seen     []bool
}

// readHistory reads the earlier export. What is wrong with its lines is
// reported under its path: a row that cannot be read cannot be compared.
func readHistory(ctx context.Context, out *verify.Findings, in Input, digest hash.Hash) (*history, error) {
	h := &history{place: map[key]int32{}, path: in.PreviousPath}
	e := export{out: out, path: in.PreviousPath}
	err := e.read(ctx, in.Previous, readOptions{tee: digest}, func(at verify.Place, w row) error {
		id := w.idKey()
		if _, twice := h.place[id]; twice {
			e.duplicate(at, w)
			return nil
		}
		if len(h.lines) == MaxRows {
			return &LimitError{Path: in.PreviousPath, What: "rows", Most: MaxRows}
		}
		h.place[id] = int32(len(h.lines))
		h.lines, h.contents, h.seen = append(h.lines, at.Line), append(h.contents, w.contentKey()), append(h.seen, false)
		return nil
	})
	return h, err
}

// compare holds a row against the earlier one of its id.
func (h *history) compare(out *verify.Findings, at verify.Place, w row, number int) {
	if h == nil {
		return
	}
	i, known := h.place[w.idKey()]
	if !known {
		return
	}
	if !h.seen[i] && h.contents[i] != w.contentKey() {
		out.Add("mailbox.append-only.changed", at, verify.What{
			Found:    fmt.Sprintf("row %d (%s) has another content", number, w.id),
			Expected: fmt.Sprintf("that of line %d of %s", h.lines[i], h.path),
		})
	}
	h.seen[i] = true
}

// missing reports the rows of the earlier export that were not seen again.
func (h *history) missing(out *verify.Findings, path string) {
	if h == nil {
		return
	}
	for i, seen := range h.seen {
		if !seen {
			out.Add("mailbox.append-only.removed", verify.AtLine(h.path, h.lines[i]), verify.What{
				Found:    "no row with the event id of this line in " + path,
				Expected: "every earlier row",
			})
		}
	}
}

// A LimitError says that an input is beyond a bound, and so was not verified to
// its end.
type LimitError struct {
	Path string
	What string // "bytes", "rows"
	Most int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: more than %d %s, which is the most that is read", e.Path, e.Most, e.What)
}

// Hint says what to do.
func (e *LimitError) Hint() string {
	return "finishline limits tells the bounds; a mailbox of that size is verified in parts, as exports"
}

// isLimit reports whether reading stopped at a bound.
func isLimit(err error) bool { return errors.As(err, new(*LimitError)) }
