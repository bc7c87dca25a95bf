package harness

import (
	"finishline/verify/journal/flat"
)

// A val is what the cross-record rules need of a member. Its bytes belong to
// the batch it came with.
type val struct {
	b    []byte // the text of a string, the literal of a number
	n    int64  // a small integer; the length of a list
	kind flat.Kind
	wide bool // a number that is no small integer: its value is in b
}

func (v val) present() bool { return v.kind != flat.Absent }
func (v val) isText() bool  { return v.kind == flat.String }
func (v val) isTrue() bool  { return v.kind == flat.True }

// number is the exact value of a number.
func (v val) number() flat.Decimal {
	if v.wide {
		return flat.ParseNumber(v.b)
	}
	return flat.Int(v.n)
}

// An item is an element of a list of texts, or a member of a map or of a
// usageDelta.
type item struct {
	name []byte
	v    val
}

// A record is a payload that the schema accepts.
type record struct {
	vals []val  // by field of the kind
	list []item // of its textList, textMap or usageDelta
	line int
	kind kind
	// bad says of a review that a finding blocks, of a verification that a
	// command failed.
	bad bool
}

// get is the member of that name, absent if the kind has none.
func (r *record) get(n name) val {
	if i := kinds[r.kind].at[n]; i >= 0 {
		return r.vals[i]
	}
	return val{}
}

func (r *record) has(n name) bool { return r.get(n).present() }

// textOf is the text of a member, nil when it is no string.
func (r *record) textOf(n name) []byte {
	if v := r.get(n); v.isText() {
		return v.b
	}
	return nil
}
