package flat

import (
	"math"
	"strconv"

	"finishline/canon"
)

// Tree is the value as package canon reads it, if its text is the very one that
// [canon.Compact] writes of it. Whoever needs that text has it in [Value.Raw],
// between quotes for a string, and need not write it again.
//
// Not ok says nothing about the text: it may be white space, an escape that is
// not needed, a number in another spelling or beyond 2^53, or a member name that
// is escaped or starts with a digit, which may stand in another order. The text
// must have been parsed without a problem. The strings of the tree are copies.
func (v Value) Tree() (tree canon.Value, ok bool) {
	if v.p == nil {
		return canon.Value{}, false
	}
	tree, size := v.tree()
	n := v.node()
	// What is more than tokens is white space.
	return tree, size == v.written(int(n.end-n.start))
}

// written is the length of a value's text, of which the node leaves out the
// quotes of a string.
func (v Value) written(between int) int {
	if v.Kind() == String {
		return between + 2
	}
	return between
}

// another is the size of a text that is not canonical; no text is that long.
const another = math.MinInt / 2

// tree makes the tree, and counts the bytes of its compact text; the number is
// negative where that text is spelled in another way.
func (v Value) tree() (tree canon.Value, size int) {
	raw := v.Raw()
	switch v.Kind() {
	case Null:
		return canon.NewNull(), len(raw)
	case True, False:
		return canon.NewBool(v.Kind() == True), len(raw)
	case Number:
		return v.number()
	case String:
		return v.text()
	case Array:
		return v.array()
	}
	return v.object()
}

// maxExact is 2^53 - 1: beyond it, canon tells of numbers that are not exact.
const maxExact = 1<<53 - 1

func (v Value) number() (canon.Value, int) {
	raw := v.Raw()
	if i, ok := v.Small(); ok && len(raw) <= safeLiteral && (i != 0 || len(raw) == 1) {
		return canon.NewNumber(float64(i)), len(raw)
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.Abs(f) > maxExact || string(canon.Compact(canon.NewNumber(f))) != string(raw) {
		return canon.Value{}, another
	}
	return canon.NewNumber(f), len(raw)
}

func (v Value) text() (canon.Value, int) {
	raw := v.Raw()
	if !v.Escaped() {
		return canon.NewString(string(raw)), len(raw) + 2
	}
	s := canon.NewString(string(v.AppendText(nil)))
	if text := canon.Compact(s); string(text[1:len(text)-1]) != string(raw) {
		return canon.Value{}, another
	}
	return s, len(raw) + 2
}

func (v Value) array() (canon.Value, int) {
	elems, size := []canon.Value{}, len("[]")
	for e := range v.Elems() {
		tree, n := e.tree()
		if n < 0 {
			return canon.Value{}, another
		}
		if len(elems) > 0 {
			size += len(",")
		}
		elems, size = append(elems, tree), size+n
	}
	return canon.NewArray(elems...), size
}

// sharedNames are member names of trees that were made lately: records repeat a
// few names over and over, and one copy of each is enough.
type sharedNames [64]string

// maxShared is the longest name that is kept.
const maxShared = 32

func (s *sharedNames) of(name []byte) string {
	if len(name) > maxShared {
		return string(name)
	}
	slot := &s[hash(name)]
	if *slot != string(name) {
		*slot = string(name)
	}
	return *slot
}

func (v Value) object() (canon.Value, int) {
	var room [24]canon.Member
	members, size := room[:0], len("{}")
	for e := range v.Elems() {
		name, escaped := e.Name()
		if escaped || len(name) > 0 && '0' <= name[0] && name[0] <= '9' {
			return canon.Value{}, another
		}
		tree, n := e.tree()
		if n < 0 {
			return canon.Value{}, another
		}
		if len(members) > 0 {
			size += len(",")
		}
		members, size = append(members, canon.Member{Name: v.p.shared.of(name), Value: tree}), size+len(name)+len(`"":`)+n
	}
	return canon.Build(members...), size
}
