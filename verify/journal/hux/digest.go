package hux

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"finishline/verify/journal/flat"
)

// A digester makes digests of values that are the same for values that are
// deeply equal, numbers compared by their exact value (§4). It is the scratch
// of one goroutine.
type digester struct {
	buf     []byte
	members []member
	names   []byte
}

type member struct {
	name  []byte
	value flat.Value
}

// event is the digest of all members of an event but id, seq and ts.
func (d *digester) event(root flat.Value) uint64 {
	d.reset()
	d.object(root, func(name []byte) bool {
		return string(name) == "id" || string(name) == "seq" || string(name) == "ts"
	})
	return d.sum()
}

func (d *digester) value(v flat.Value) uint64 {
	d.reset()
	d.add(v)
	return d.sum()
}

func (d *digester) reset() {
	if cap(d.buf) > MaxLine { // a large event need not stay in memory
		*d = digester{}
	}
	d.buf, d.members, d.names = d.buf[:0], d.members[:0], d.names[:0]
}

func (d *digester) sum() uint64 {
	sum := sha256.Sum256(d.buf)
	return binary.LittleEndian.Uint64(sum[:])
}

// add writes a value so that no two different values have the same text.
func (d *digester) add(v flat.Value) {
	switch v.Kind() {
	case flat.Number:
		d.buf = v.Decimal().AppendNormal(append(d.buf, '#'))
		d.buf = append(d.buf, ',')
	case flat.String:
		d.string(v.Raw(), v.Escaped(), v.AppendText)
	case flat.Array:
		d.buf = append(d.buf, '[')
		for e := v.First(); e.Kind() != flat.Absent; e = e.Next(v) {
			d.add(e)
		}
		d.buf = append(d.buf, ']')
	case flat.Object:
		d.object(v, nil)
	default:
		d.buf = append(d.buf, "ant f"[v.Kind()])
	}
}

// string writes a text with its length before it.
func (d *digester) string(raw []byte, escaped bool, decode func([]byte) []byte) {
	d.buf = append(d.buf, '"', 0, 0, 0, 0)
	start := len(d.buf)
	if escaped {
		d.buf = decode(d.buf)
	} else {
		d.buf = append(d.buf, raw...)
	}
	binary.LittleEndian.PutUint32(d.buf[start-4:], uint32(len(d.buf)-start))
}

// object writes members in the order of their names.
func (d *digester) object(v flat.Value, skip func(name []byte) bool) {
	first := len(d.members)
	for m := v.First(); m.Kind() != flat.Absent; m = m.Next(v) {
		name, escaped := m.Name()
		if escaped {
			start := len(d.names)
			d.names = m.AppendName(d.names)
			name = d.names[start:]
		}
		if skip == nil || !skip(name) {
			d.members = append(d.members, member{name, m})
		}
	}
	sorted := d.members[first:]
	slices.SortFunc(sorted, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	d.buf = append(d.buf, '{')
	for i := range sorted {
		m := d.members[first+i]
		d.string(m.name, false, nil)
		d.add(m.value)
	}
	d.buf = append(d.buf, '}')
	d.members = d.members[:first]
}
