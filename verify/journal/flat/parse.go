package flat

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"
)

// A Code says what is wrong with a text. Of several problems the one with the
// least code is told: the order of contract 20, section 2.
type Code uint8

// The problems of a text.
const (
	OK        Code = iota
	UTF8           // not valid UTF-8
	Syntax         // not exactly one JSON text (RFC 8259)
	Duplicate      // an object repeats a member name, compared after unescaping
	Surrogate      // a string or name escapes an unpaired surrogate
	Depth          // nested deeper than was allowed; the outermost container is depth 1
)

// A Problem is what is wrong with a text, and where: a byte offset into it.
type Problem struct {
	Code   Code
	Offset int
	Reason string // of a Syntax problem
}

// A Parser reads texts. The zero Parser is ready; it is for one goroutine.
type Parser struct {
	text  []byte
	nodes []node
	stack []frame
	names nameSet

	surrogate, duplicate, depth int // offset + 1 of the first, 0 for none
	large                       bool
	skip                        bool // inDeepArray
	shared                      sharedNames
	keep                        int // values to keep memory for, keepNodes when 0
}

// safeLiteral is the most characters of a literal without an exponent that is
// surely below 2^53 in size.
const safeLiteral = 15

// Large reports whether the text holds a number that may be 2^53 or more: one
// of many digits, or with an exponent. Most texts have none.
func (p *Parser) Large() bool { return p.large }

// A frame is an array or object that is still open.
type frame struct {
	node   uint32
	count  uint32 // members so far
	seen   uint64 // a bit for the hash of every name so far
	object bool
	// deep says that the container is nested too deep for its values to be
	// kept. Of such arrays, one frame stands for as many as are directly in
	// one another, count of them: a text of a million brackets costs nothing.
	deep bool
	// sort says that names must be compared all at once, when the object ends:
	// there are many, or some are escaped.
	sort bool
}

// keepNodes is how many values a parser keeps memory for between texts.
const keepNodes = 1 << 14

// Parse reads a text of exactly one JSON value, with white space around it.
// Values can be looked at unless the problem is UTF8, Syntax or Depth.
func (p *Parser) Parse(text []byte, maxDepth int) Problem {
	p.Release()
	p.text, p.nodes, p.stack = text, p.nodes[:0], p.stack[:0]
	p.surrogate, p.duplicate, p.depth, p.large, p.skip = 0, 0, 0, false, false
	if at := invalidUTF8(text); at >= 0 {
		return Problem{Code: UTF8, Offset: at}
	}
	if uint64(len(text)) > math.MaxUint32 {
		return Problem{Code: Syntax, Reason: "a text of more than 4 GiB"}
	}
	if at, reason := p.parse(maxDepth); reason != "" {
		p.nodes = p.nodes[:0]
		return Problem{Code: Syntax, Offset: at, Reason: reason}
	}
	switch {
	case p.duplicate > 0:
		return Problem{Code: Duplicate, Offset: p.duplicate - 1}
	case p.surrogate > 0:
		return Problem{Code: Surrogate, Offset: p.surrogate - 1}
	case p.depth > 0:
		return Problem{Code: Depth, Offset: p.depth - 1}
	}
	return Problem{}
}

// Release gives back memory that a large text took. Its values are gone then.
// The next Parse does it too.
func (p *Parser) Release() {
	keep := max(p.keep, keepNodes)
	if cap(p.nodes) > keep {
		p.nodes = nil
	}
	if cap(p.stack) > keep {
		p.stack = nil
	}
	if cap(p.names.list) > keep {
		p.names = nameSet{}
	}
}

// Keep has the parser keep the memory of texts of up to so many bytes: for one
// parser that is shared by those who meet a large text now and then.
func (p *Parser) Keep(bytes int) { p.keep = bytes/2 + 2 }

// Root is the outermost value of the text.
func (p *Parser) Root() Value {
	if len(p.nodes) == 0 {
		return Value{}
	}
	return Value{p, 0}
}

func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}

const (
	reasonEnd   = "the text ends inside a JSON value"
	reasonValue = "no JSON value where one must stand"
	reasonAfter = "text after the end of the JSON value"
)

// parse walks the text with a stack of its own, so that no nesting exhausts the
// goroutine's.
func (p *Parser) parse(maxDepth int) (at int, reason string) {
	text := p.text
	i := p.space(0)
	var name node // of the member whose value comes next
	for {
		if i >= len(text) {
			if len(p.nodes) == 0 {
				return i, "no JSON value"
			}
			return i, reasonEnd
		}
		n := name
		n.start = uint32(i)
		switch c := text[i]; {
		case c == '"':
			end, escaped, why := p.str(i + 1)
			if why != "" {
				return end, why
			}
			n.kind, n.start, n.end = String, uint32(i+1), uint32(end)
			if escaped {
				n.flags |= escapedText
			}
			i = end + 1
		case c == '{' || c == '[':
			n.kind = Object
			if c == '[' {
				n.kind = Array
			}
			p.open(n, i, maxDepth)
			i = p.space(i + 1)
			if i < len(text) && text[i] == c+2 { // } and ] follow { and [ by two
				break // an empty one, closed below
			}
			if c == '{' {
				if i, name, reason = p.name(i); reason != "" {
					return i, reason
				}
			} else {
				name = node{}
			}
			continue
		case c == '-' || '0' <= c && c <= '9':
			end, plain, why := number(text, i)
			if why != "" {
				return end, why
			}
			n.kind, n.end = Number, uint32(end)
			if plain {
				n.flags |= plainInteger
			}
			if end-i > safeLiteral || !plain && bytes.ContainsAny(text[i:end], "eE") {
				p.large = true
			}
			i = end
		default:
			word, kind := literal(c)
			if len(text)-i < len(word) || string(text[i:i+len(word)]) != word || kind == Absent {
				return i, reasonValue
			}
			i += len(word)
			n.kind, n.end = kind, uint32(i)
		}
		if n.kind < Array && !p.skip {
			n.next = uint32(len(p.nodes) + 1)
			p.push(n)
		}
		// A value has ended, or an empty container is about to. Go up until
		// another value follows.
		for {
			if len(p.stack) == 0 {
				if i = p.space(i); i != len(text) {
					return i, reasonAfter
				}
				return 0, ""
			}
			if i = p.space(i); i >= len(text) {
				return i, reasonEnd
			}
			top := &p.stack[len(p.stack)-1]
			object := top.object
			if text[i] == ',' {
				i = p.space(i + 1)
				name = node{}
				if object {
					if i, name, reason = p.name(i); reason != "" {
						return i, reason
					}
				}
				break
			}
			if object && text[i] != '}' || !object && text[i] != ']' {
				return i, "neither a comma nor the end of the array or object"
			}
			i++
			p.close(top, i)
		}
	}
}

// inDeepArray reports whether the innermost container is an array whose values
// nobody will look at.
func (p *Parser) inDeepArray() bool {
	top := len(p.stack) - 1
	return top >= 0 && p.stack[top].deep && !p.stack[top].object
}

func (p *Parser) push(n node) {
	if len(p.nodes) == cap(p.nodes) {
		p.grow()
	}
	p.nodes = append(p.nodes, n)
}

// grow makes room for more values: at once for all there can be, when there
// are many.
func (p *Parser) grow() {
	more := 64 + len(p.nodes)
	if len(p.nodes) >= keepNodes {
		more = max(more/8, len(p.text)/2+2-len(p.nodes)) // brackets take less than two bytes each
	}
	p.nodes = slices.Grow(p.nodes, more)
}

// open begins an array or object at offset i.
func (p *Parser) open(n node, i, maxDepth int) {
	f := frame{node: uint32(len(p.nodes)), object: n.kind == Object, deep: len(p.stack) >= maxDepth}
	if f.deep && p.depth == 0 {
		p.depth = i + 1
	}
	if f.deep && !f.object {
		if p.inDeepArray() {
			p.stack[len(p.stack)-1].count++
			return
		}
		f.count = 1
	}
	p.push(n)
	p.stack = append(p.stack, f)
	p.skip = f.deep && !f.object
}

// close ends the innermost container.
func (p *Parser) close(top *frame, end int) {
	if top.deep && !top.object {
		if top.count--; top.count > 0 {
			return
		}
	}
	n := &p.nodes[top.node]
	n.end, n.next = uint32(end), uint32(len(p.nodes))
	if top.sort {
		p.findDuplicate(Value{p, int(top.node)})
	}
	if top.deep { // what was in it is of no more use
		p.nodes = p.nodes[:top.node+1]
		n.next = top.node + 1
	}
	p.stack = p.stack[:len(p.stack)-1]
	if p.skip = p.inDeepArray(); p.skip {
		p.nodes = p.nodes[:len(p.nodes)-1]
	}
}

func literal(c byte) (string, Kind) {
	switch c {
	case 't':
		return "true", True
	case 'f':
		return "false", False
	case 'n':
		return "null", Null
	}
	return "", Absent
}

func (p *Parser) space(i int) int {
	for i < len(p.text) && (p.text[i] == ' ' || p.text[i] == '\t' || p.text[i] == '\r' || p.text[i] == '\n') {
		i++
	}
	return i
}

// name reads a member's name and the colon after it, and notes the name in the
// innermost object.
func (p *Parser) name(i int) (after int, n node, reason string) {
	text := p.text
	if i >= len(text) {
		return i, n, reasonEnd
	}
	if text[i] != '"' {
		return i, n, "no member name where one must stand"
	}
	end, escaped, why := p.str(i + 1)
	if why != "" {
		return end, n, why
	}
	n.nameStart, n.nameEnd = uint32(i+1), uint32(end)
	if escaped {
		n.flags = escapedName
	}
	p.note(&n)
	if i = p.space(end + 1); i >= len(text) {
		return i, n, reasonEnd
	}
	if text[i] != ':' {
		return i, n, "no colon after a member name"
	}
	return p.space(i + 1), n, ""
}
