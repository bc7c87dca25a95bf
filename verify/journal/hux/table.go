package hux

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"unsafe"
)

// A key stands for a name, or for names in a certain scope, in the tables that
// grow with the stream: a SHA-256 of the name after a secret that is drawn anew
// for every verification, so that nobody can write names that a table confuses
// or that gather in one place of it. Tables compare 72 bits: in a stream of two
// million events any two names are confused in one verification of 2^31.
// Nothing else depends on the secret.
type key [16]byte

// newSecret draws the key that all others are derived from.
func newSecret() (k key) {
	seed := maphash.MakeSeed()
	binary.LittleEndian.PutUint64(k[:8], maphash.String(seed, "first"))
	binary.LittleEndian.PutUint64(k[8:], maphash.String(seed, "second"))
	return k
}

// of hashes a name in a scope that is itself a key.
func (k key) of(name []byte) key {
	const short = 110 // two blocks of SHA-256
	if len(name) > short {
		h := sha256.New()
		h.Write(k[:])
		h.Write(name)
		return key(h.Sum(nil)[:16])
	}
	var text [short + 16]byte
	copy(text[:], k[:])
	n := copy(text[16:], name)
	sum := sha256.Sum256(text[:16+n])
	return key(sum[:16])
}

// A table maps keys to numbers in about 15 bytes for each entry, without a
// pointer that the garbage collector would follow. The zero table is empty.
type table struct {
	shards *[shards]shard // by the first byte of the key; nil while empty
	len    int
}

const shards = 256

type shard struct {
	slots []slot
	used  int
}

// A slot is free while its value is 0; values are stored plus one. Slots are in
// the order of high as far as collisions let them, so that growing copies them
// from one end to the other.
type slot struct {
	high, low uint32 // bytes 1 to 8 of the key
	value     uint32
}

// maxValue is the largest number that a table holds.
const maxValue = 1<<32 - 2

// fullness is how many of a hundred slots are used at most, and growth by how
// many the slots grow then.
const (
	fullness = 90
	growth   = 15
)

func (k *key) slot() slot {
	return slot{high: binary.BigEndian.Uint32(k[1:]), low: binary.BigEndian.Uint32(k[5:])}
}

// get returns the number of a key, 0 for one that is not there.
func (t *table) get(k key) (value uint32, found bool) {
	if t.shards == nil || len(t.shards[k[0]].slots) == 0 {
		return 0, false
	}
	p := t.shards[k[0]].find(k.slot())
	if p.value == 0 {
		return 0, false
	}
	return p.value - 1, true
}

// put sets the number of a key.
func (t *table) put(k key, value uint32) {
	if t.shards == nil {
		t.shards = new([shards]shard)
	}
	s := &t.shards[k[0]]
	if s.used >= len(s.slots)*fullness/100 {
		s.grow()
	}
	entry := k.slot()
	p := s.find(entry)
	if p.value == 0 {
		s.used++
		t.len++
	}
	entry.value = value + 1
	*p = entry
}

// find is the slot of a key, or the free one where it belongs.
func (s *shard) find(k slot) *slot {
	slots := s.slots
	for i := int(uint64(k.high) * uint64(len(slots)) >> 32); ; i++ {
		if i >= len(slots) {
			i = 0
		}
		if p := &slots[i]; p.value == 0 || p.high == k.high && p.low == k.low {
			return p
		}
	}
}

func (s *shard) grow() {
	old := s.slots
	s.slots = make([]slot, max(4, len(old)+len(old)*growth/100+1))
	for i := range old {
		if from := &old[i]; from.value != 0 {
			*s.find(*from) = *from
		}
	}
}

// bytes is the memory of the slots.
func (t *table) bytes() int64 {
	if t.shards == nil {
		return 0
	}
	n := int64(unsafe.Sizeof(*t.shards))
	for i := range t.shards {
		n += int64(len(t.shards[i].slots)) * int64(unsafe.Sizeof(slot{}))
	}
	return n
}

// A list is a growing array that is never copied to grow.
type list[T any] struct {
	blocks [][]T
	len    int
}

const listBlock = 1 << 12

// add appends a value and returns its number.
func (l *list[T]) add(v T) uint32 {
	if l.len == len(l.blocks)*listBlock {
		size := listBlock
		if l.len == 0 {
			size = 16 // most streams are short
		}
		l.blocks = append(l.blocks, make([]T, 0, size))
	}
	b := &l.blocks[l.len/listBlock]
	*b = append(*b, v)
	l.len++
	return uint32(l.len - 1)
}

// at points to a value, until the next add.
func (l *list[T]) at(i uint32) *T { return &l.blocks[i/listBlock][i%listBlock] }

// bytes is the memory of the values.
func (l *list[T]) bytes() int64 {
	var v T
	return int64(len(l.blocks)) * listBlock * int64(unsafe.Sizeof(v))
}
