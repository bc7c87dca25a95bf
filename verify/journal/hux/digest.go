package hux

import (
	"hash/maphash"
	"math/bits"

	"finishline/verify/journal/flat"
)

// A digester makes digests of values that are the same for values that are
// deeply equal, numbers compared by their exact value (§4). Digests of one
// verification are compared with one another and never shown, so they are
// seeded: nobody can write two values for which they agree by design, and two
// that agree by chance are one pair in 2^64.
type digester struct {
	seed maphash.Seed
	a, b uint64 // of another seed, so that no text hashes to one of them by design
}

func newDigester() digester {
	other := maphash.MakeSeed()
	return digester{maphash.MakeSeed(), maphash.String(other, "a"), maphash.String(other, "b")}
}

// event is the digest of all members of an event but id, seq and ts.
func (d *digester) event(root flat.Value) uint64 {
	sum := uint64(0)
	for m := root.First(); m.Kind() != flat.Absent; m = m.Next(root) {
		if raw, escaped := m.Name(); escaped || len(raw) <= len("seq") {
			if name := m.AppendName(nil); string(name) == "id" || string(name) == "seq" || string(name) == "ts" {
				continue
			}
		}
		sum += d.member(m)
	}
	return sum
}

// member mixes a name with a value. The members of an object are added up,
// because their order does not count.
func (d *digester) member(m flat.Value) uint64 {
	name, escaped := m.Name()
	if escaped {
		name = m.AppendName(nil)
	}
	return d.mix(maphash.Bytes(d.seed, name), d.value(m))
}

func (d *digester) value(v flat.Value) uint64 {
	kind := uint64(v.Kind())
	switch v.Kind() {
	case flat.Number:
		n := v.Decimal()
		if i, small := n.Small(); small {
			return d.mix(kind, uint64(i))
		}
		return d.mix(^kind, maphash.Bytes(d.seed, n.AppendNormal(nil)))
	case flat.String:
		text := v.Raw()
		if v.Escaped() {
			text = v.AppendText(nil)
		}
		return d.mix(kind, maphash.Bytes(d.seed, text))
	case flat.Array:
		sum := d.mix(kind, 0)
		for e := v.First(); e.Kind() != flat.Absent; e = e.Next(v) {
			sum = d.mix(sum, d.value(e))
		}
		return sum
	case flat.Object:
		sum := uint64(0)
		for m := v.First(); m.Kind() != flat.Absent; m = m.Next(v) {
			sum += d.member(m)
		}
		return d.mix(kind, sum)
	}
	return d.mix(kind, 0)
}

// mix hashes two numbers, in their order.
func (d *digester) mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^d.a, b^d.b)
	high, low = bits.Mul64(high^d.b, low^a^d.a)
	return high ^ low
}
