package flat

import (
	"iter"
	"unsafe"
)

// A Kind says what a value is. The zero Kind is Absent.
type Kind uint8

// The kinds of a value.
const (
	Absent Kind = iota
	Null
	False
	True
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"absent", "null", "false", "true", "a number", "a string", "an array", "an object"}

// String names the kind as a message would.
func (k Kind) String() string { return kindNames[k] }

// A node is one value of the text. Offsets are into the text.
type node struct {
	nameStart, nameEnd uint32 // of a member's name, without its quotes
	start, end         uint32 // of the value; of a string without its quotes
	next               uint32 // index of the node after this one and all in it
	kind               Kind
	flags              uint8
}

const (
	escapedName  = 1 << iota // the name holds an escape
	escapedText              // the string holds an escape
	plainInteger             // a number of digits only, with at most a sign
)

// NodeBytes is what one value costs while it is held.
const NodeBytes = int(unsafe.Sizeof(node{}))

// A Value is one value of the text that was parsed last. The zero Value is
// Absent.
type Value struct {
	p *Parser
	i int
}

func (v Value) node() *node { return &v.p.nodes[v.i] }

// Kind reports what v is.
func (v Value) Kind() Kind {
	if v.p == nil {
		return Absent
	}
	return v.node().kind
}

// Raw is the text of the value: of a string what is between its quotes, of a
// number its literal, else everything from the first byte to the last.
func (v Value) Raw() []byte {
	if v.p == nil {
		return nil
	}
	n := v.node()
	return v.p.text[n.start:n.end]
}

// Escaped reports whether a string holds escapes, so that Raw is not its text.
func (v Value) Escaped() bool { return v.p != nil && v.node().flags&escapedText != 0 }

// AppendText appends the text of a string to dst.
func (v Value) AppendText(dst []byte) []byte {
	if v.Escaped() {
		return appendUnescaped(dst, v.Raw())
	}
	return append(dst, v.Raw()...)
}

// Is reports whether v is exactly the string s.
func (v Value) Is(s string) bool {
	if v.Kind() != String {
		return false
	}
	if v.Escaped() {
		return string(appendUnescaped(nil, v.Raw())) == s
	}
	return string(v.Raw()) == s
}

// Decimal is the value of a number.
func (v Value) Decimal() Decimal {
	n := v.node()
	return parseDecimal(v.p.text[n.start:n.end], n.flags&plainInteger != 0)
}

// Small is the value of a number that is written as an integer of at most 18
// characters. It is faster than Decimal, which reads every number.
func (v Value) Small() (i int64, ok bool) {
	n := v.node()
	if n.flags&plainInteger == 0 || n.end-n.start > smallDigits {
		return 0, false
	}
	return parseSmall(v.p.text[n.start:n.end]), true
}

// Next is the value after v in the same object or array, or Absent.
func (v Value) Next(parent Value) Value {
	next := int(v.node().next)
	if next >= int(parent.node().next) {
		return Value{}
	}
	return Value{v.p, next}
}

// First is the first member or element of an object or array, or Absent.
func (v Value) First() Value {
	switch v.Kind() {
	case Object, Array:
		if v.i+1 < int(v.node().next) {
			return Value{v.p, v.i + 1}
		}
	}
	return Value{}
}

// Elems are the elements of an array, or the values of an object, in order;
// nothing for other values.
func (v Value) Elems() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for e := v.First(); e.p != nil; e = e.Next(v) {
			if !yield(e) {
				return
			}
		}
	}
}

// Name is the name of a member as the text has it between its quotes, and
// whether it holds escapes. AppendName decodes them.
func (v Value) Name() (raw []byte, escaped bool) {
	n := v.node()
	return v.p.text[n.nameStart:n.nameEnd], n.flags&escapedName != 0
}

// AppendName appends the name of a member to dst.
func (v Value) AppendName(dst []byte) []byte {
	raw, escaped := v.Name()
	if escaped {
		return appendUnescaped(dst, raw)
	}
	return append(dst, raw...)
}

// named reports whether a member has that name.
func (v Value) named(name string) bool {
	raw, escaped := v.Name()
	if escaped {
		return string(appendUnescaped(nil, raw)) == name
	}
	return string(raw) == name
}

// Get returns the member of that name, or Absent. Of names that occur twice,
// which Parse refuses, it is the first.
func (v Value) Get(name string) Value {
	if v.Kind() == Object {
		for e := v.First(); e.p != nil; e = e.Next(v) {
			if e.named(name) {
				return e
			}
		}
	}
	return Value{}
}

// Len is the number of members or elements.
func (v Value) Len() int {
	count := 0
	for range v.Elems() {
		count++
	}
	return count
}

// Within yields v and every value in it, in the order of the text.
func (v Value) Within() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.p == nil {
			return
		}
		for i := v.i; i < int(v.node().next); i++ {
			if !yield(Value{v.p, i}) {
				return
			}
		}
	}
}
