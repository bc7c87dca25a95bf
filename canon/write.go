package canon

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/gowebpki/jcs"
)

// maxJCS is the longest text that the reference implementation of RFC 8785
// canonicalises. It keeps a tree of about 70 bytes per value, so a longer
// hostile text would cost memory out of proportion; our own writer, which the
// tests hold equal to it, needs none.
const maxJCS = 1 << 20

// Canonical returns canon(v) of contract 01, section 2: the bytes that are
// signed and hashed. On everything RFC 8785 accepts they are that standard's
// bytes, up to 1 MiB from its reference implementation. Unpaired surrogates,
// infinities and absent members, which only base level gets this far, are
// written as sections 2.3, 2.4 and 2.6 say. It never fails.
func Canonical(v Value) []byte {
	w := writer{order: readingOrder}
	w.value(v)
	if w.beyondJCS || len(w.out) > maxJCS || (!v.IsObject() && !v.IsArray()) {
		return canonicalTolerant(v)
	}
	out, err := jcs.Transform(w.out)
	if err != nil {
		// The text was just written from a tree that JCS covers, so this is
		// out of reach; the tolerant writer gives the same bytes.
		return canonicalTolerant(v)
	}
	return out
}

func canonicalTolerant(v Value) []byte {
	w := writer{order: canonicalOrder}
	w.value(v)
	return w.out
}

// Compact returns compact(v) of contract 09b, section 1: the text of every
// "same JSON" comparison and of semantic digests. Members keep their reading
// order, array-index names first. It is not canonical JSON.
func Compact(v Value) []byte {
	w := writer{order: readingOrder}
	w.value(v)
	return w.out
}

// AppendCompact appends [Compact] of v to dst.
func AppendCompact(dst []byte, v Value) []byte {
	w := writer{order: readingOrder, out: dst}
	w.value(v)
	return w.out
}

// Same reports whether a and b are both absent, or both present with equal
// compact texts (contract 09b, section 1): member order matters, null differs
// from absent, 1 equals 1.0.
func Same(a, b Value) bool {
	if !a.Present() || !b.Present() {
		return a.Present() == b.Present()
	}
	if x, ok := a.Str(); ok {
		if y, ok := b.Str(); ok {
			return x == y
		}
	}
	return alike(a, b) || string(Compact(a)) == string(Compact(b))
}

// alike reports whether two values are the same tree, which is more than having
// the same text: most that are the same are alike, and no text is made for them.
func alike(a, b Value) bool {
	switch x := a.v.(type) {
	case []Value:
		y, ok := b.v.([]Value)
		return ok && slices.EqualFunc(x, y, alike)
	case *object:
		y, ok := b.v.(*object)
		return ok && (x == y || slices.EqualFunc(x.members, y.members, func(m, n Member) bool { return m.Name == n.Name && alike(m.Value, n.Value) }))
	case float64:
		y, ok := b.v.(float64)
		return ok && x == y
	case nil, null, bool, string:
		return a.v == b.v
	}
	return false
}

// Equal reports whether a and b have the same canonical form.
func Equal(a, b Value) bool { return string(Canonical(a)) == string(Canonical(b)) }

// HasAbsent reports whether v, an object made by [Build] or [Pick], holds an
// absent member at any depth (strict.canon.absent-member).
func HasAbsent(v Value) bool {
	for _, e := range v.Elems() {
		if HasAbsent(e) {
			return true
		}
	}
	for _, m := range v.Members() {
		if !m.Value.Present() || HasAbsent(m.Value) {
			return true
		}
	}
	return false
}

type memberOrder int

const (
	readingOrder memberOrder = iota
	canonicalOrder
)

type writer struct {
	out       []byte
	order     memberOrder
	beyondJCS bool // something was written that RFC 8785 has no answer for

	layout layout
	depth  int       // of containers that are open, where that is written
	sink   io.Writer // where out goes in pieces, nil to keep it
	err    error     // of the sink
}

func (w *writer) value(v Value) {
	switch x := v.v.(type) {
	case nil:
		w.beyondJCS = true
		w.out = append(w.out, "undefined"...)
	case null:
		w.out = append(w.out, "null"...)
	case bool:
		w.out = strconv.AppendBool(w.out, x)
	case float64:
		w.number(x)
	case string:
		w.string(x)
	case []Value:
		w.out = append(w.out, '[')
		for i := range x {
			w.between(i)
			w.value(x[i])
		}
		w.closeWith(']', len(x))
	case *object:
		w.object(x)
	}
}

func (w *writer) object(o *object) {
	members := o.members
	if w.order == canonicalOrder {
		members = slices.Clone(members)
		slices.SortFunc(members, func(a, b Member) int { return CompareUTF16(a.Name, b.Name) })
	} else {
		members = indexNamesFirst(members)
	}
	w.out = append(w.out, '{')
	for i := range members {
		w.between(i)
		w.string(members[i].Name)
		w.out = append(w.out, ':')
		if w.layout == indented {
			w.out = append(w.out, ' ')
		}
		w.value(members[i].Value)
	}
	w.closeWith('}', len(members))
}

// indexNamesFirst puts the names that are array indexes, in numeric order,
// before the others.
func indexNamesFirst(members []Member) []Member {
	if !slices.ContainsFunc(members, func(m Member) bool { _, ok := arrayIndex(m.Name); return ok }) {
		return members
	}
	members = slices.Clone(members)
	slices.SortStableFunc(members, func(a, b Member) int {
		ia, aok := arrayIndex(a.Name)
		ib, bok := arrayIndex(b.Name)
		switch {
		case aok && bok:
			return cmp.Compare(ia, ib)
		case aok:
			return -1
		case bok:
			return 1
		}
		return 0
	})
	return members
}

// arrayIndex recognises canonical decimals from 0 to 4294967294.
func arrayIndex(name string) (uint64, bool) {
	if name == "" || len(name) > 10 || (name[0] == '0' && len(name) > 1) {
		return 0, false
	}
	for i := 0; i < len(name); i++ {
		if name[i] < '0' || name[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(name, 10, 64)
	return n, err == nil && n <= 4294967294
}

func (w *writer) number(f float64) {
	if math.IsInf(f, 0) {
		w.beyondJCS = true
		w.out = append(w.out, "null"...)
		return
	}
	text, err := jcs.NumberToJSON(f)
	if err != nil { // NaN: no literal reads as one
		w.beyondJCS = true
		text = "null"
	}
	w.out = append(w.out, text...)
}

const lowerHex = "0123456789abcdef"

func (w *writer) string(s string) {
	w.out = append(w.out, '"')
	start := 0
	for i := plainUntil(s, 0); i < len(s); i = plainUntil(s, i) {
		c := s[i]
		if c == 0xED {
			u := surrogateAt(s[i:])
			if u == 0 {
				i++
				continue
			}
			w.beyondJCS = true
			w.out = append(w.out, s[start:i]...)
			w.out = appendUnicodeEscape(w.out, uint16(u))
			i += 3
			start = i
			continue
		}
		w.out = append(w.out, s[start:i]...)
		w.out = appendEscape(w.out, c)
		i++
		start = i
	}
	w.out = append(w.out, s[start:]...)
	w.out = append(w.out, '"')
}

// plainUntil is the index, i or later, of the first byte that is not written as
// it is: a control character, a quote, a backslash, or the lead byte that an
// unpaired surrogate may have. Eight bytes are looked at a time.
func plainUntil(s string, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, slash, lead := x^ones*'"', x^ones*'\\', x^(ones*0xED)
		// The top bit of a byte is set where it is below 0x20, or where one of
		// the differences is zero; a borrow can set it above such a byte only.
		found := (x-ones*0x20)&^x | (quote-ones)&^quote | (slash-ones)&^slash | (lead-ones)&^lead
		if found&tops != 0 {
			break
		}
	}
	for i < len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c == 0xED {
			break
		}
		i++
	}
	return i
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	return appendUnicodeEscape(dst, uint16(c))
}

func appendUnicodeEscape(dst []byte, u uint16) []byte {
	return append(dst, '\\', 'u', lowerHex[u>>12], lowerHex[u>>8&15], lowerHex[u>>4&15], lowerHex[u&15])
}
