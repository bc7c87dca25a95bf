package produce

import (
	"finishline/canon"
	"finishline/privacy/secret"
)

// MinCapture is how much of a stream is captured at least, in bytes (03 D.2).
const MinCapture = 1 << 20

// captureLimit is how much of a stream is captured to be redacted, in bytes: a
// command that prints more is ended.
func captureLimit(maxOutputBytes int) int { return max(MinCapture, 4*maxOutputBytes) }

// A capture keeps what a stream says, up to a limit.
type capture struct {
	data  []byte
	limit int
	over  bool // something did not fit
}

// Write answers ErrEnough once something does not fit.
func (c *capture) Write(p []byte) (int, error) {
	fits := min(len(p), c.limit-len(c.data))
	c.data = append(c.data, p[:fits]...)
	if fits < len(p) {
		c.over = true
		return fits, ErrEnough
	}
	return fits, nil
}

// A stream is what may be persisted of an output.
type stream struct {
	text     string
	observed int // bytes of the whole redacted output
}

// bound redacts what a stream said and cuts it (03 D.4). cut says that the
// output may have been stopped in the middle of something.
func (r redactor) bound(c *capture, cut bool, maxBytes int) stream {
	whole := canon.DecodeUTF8(c.data)
	safe := whole
	if cut || c.over {
		safe = secret.DropUnsafeEnd(whole, r.known...)
	}
	redacted := r.text(safe)
	s := stream{text: secret.Cut(redacted, maxBytes), observed: len(redacted) + len(whole) - len(safe)}
	if c.over {
		s.observed++ // at least
	}
	return s
}

// jsonSize is the length of the text in a JSON document, without its quotes.
func (s stream) jsonSize() int {
	n := len(s.text)
	for i := 0; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"', c == '\\', c >= '\b' && c <= '\r' && c != '\v':
			n++
		case c < ' ':
			n += len(`\u0001`) - 1
		}
	}
	return n
}

func (s stream) value() canon.Value {
	return canon.Build(
		text("text", s.text),
		text("sha256", canon.TextDigest(s.text)),
		count("observedBytes", s.observed),
		count("persistedBytes", len(s.text)),
		flag("truncated", s.observed > len(s.text)),
	)
}

func text(name, s string) canon.Member { return member(name, canon.NewString(s)) }

func count(name string, n int) canon.Member { return member(name, canon.NewNumber(float64(n))) }

func flag(name string, b bool) canon.Member { return member(name, canon.NewBool(b)) }

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

// optional is a text, or null for "".
func optional(name, s string) canon.Member {
	if s == "" {
		return member(name, canon.NewNull())
	}
	return text(name, s)
}

func list(texts []string) canon.Value {
	values := make([]canon.Value, len(texts))
	for i, s := range texts {
		values[i] = canon.NewString(s)
	}
	return canon.NewArray(values...)
}
