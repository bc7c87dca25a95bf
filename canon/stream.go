package canon

import "io"

// A layout says what stands between the tokens of a text.
type layout int

const (
	tight    layout = iota // nothing
	indented               // two spaces a level, a space after each colon
)

// spillBytes is about how much of a text that goes to a sink is kept at once.
const spillBytes = 32 << 10

// CompactTo writes [Compact] of v to w in pieces, so that the text of a large
// value is never in memory as a whole. The error is that of w.
func CompactTo(w io.Writer, v Value) error { return writeTo(w, v, tight) }

// PrettyTo writes the compact text of v to w in pieces, laid out with two
// spaces a level, one element a line and "[]" and "{}" for empty containers,
// without a final line feed (contract 11, section 1.2). Unlike [Pretty] it has
// a text for unpaired surrogates: the escapes of the compact form.
func PrettyTo(w io.Writer, v Value) error { return writeTo(w, v, indented) }

func writeTo(sink io.Writer, v Value, l layout) error {
	w := writer{order: readingOrder, layout: l, sink: sink}
	w.value(v)
	w.spill(0)
	return w.err
}

// between stands before element or member i of a container.
func (w *writer) between(i int) {
	if i > 0 {
		w.out = append(w.out, ',')
	} else {
		w.depth++
	}
	w.newline()
	w.spill(spillBytes)
}

// closeWith ends a container of n elements or members.
func (w *writer) closeWith(end byte, n int) {
	if n > 0 {
		w.depth--
		w.newline()
	}
	w.out = append(w.out, end)
}

func (w *writer) newline() {
	if w.layout != indented {
		return
	}
	w.out = append(w.out, '\n')
	for range w.depth {
		w.out = append(w.out, ' ', ' ')
	}
}

// spill hands over what was written once there are at least so many bytes.
func (w *writer) spill(least int) {
	if w.sink == nil || len(w.out) < least {
		return
	}
	if w.err == nil {
		_, w.err = w.sink.Write(w.out)
	}
	w.out = w.out[:0]
}
