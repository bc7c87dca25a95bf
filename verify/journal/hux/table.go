package hux

import (
	"crypto/sha256"
	"hash/maphash"
	"unsafe"
)

// A key stands for a name, or for names in a certain scope, in the tables that
// grow with the stream: the first 128 bits of a SHA-256. 104 of them are
// compared, so that two names that a table confuses cost 2^52 hashes to find;
// whoever makes them has gained that one of his own references is taken for
// another of his own.
type key [16]byte

// keyOf hashes a name.
func keyOf(name []byte) key { return key{}.of(name) }

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

// A table maps keys to numbers in 16 bytes for each entry and some free room,
// without a pointer that the garbage collector would follow: about 21 bytes
// for each entry. The zero table is empty.
type table struct {
	shards [256]shard // by the first byte of the key
	len    int
	seed   maphash.Seed
	seeded bool
}

type shard struct {
	slots []slot
	used  int
}

// place is where the search for a key begins, as a fraction of the slots. It is
// mixed with a seed, so that nobody can choose names that all begin at one
// place; nothing but time depends on the seed.
func (t *table) place(k key) uint64 { return maphash.Bytes(t.seed, k[:13]) >> 32 }

// A slot is free while its value is 0; values are stored plus one.
type slot struct {
	rest  [12]byte // bytes 1 to 12 of the key
	value uint32
}

// maxValue is the largest number that a table holds.
const maxValue = 1<<32 - 2

// get returns the number of a key, 0 for one that is not there.
func (t *table) get(k key) (value uint32, found bool) {
	s := &t.shards[k[0]]
	if len(s.slots) == 0 {
		return 0, false
	}
	p := s.find(k, t.place(k))
	if p.value == 0 {
		return 0, false
	}
	return p.value - 1, true
}

// put sets the number of a key.
func (t *table) put(k key, value uint32) {
	if !t.seeded {
		t.seed, t.seeded = maphash.MakeSeed(), true
	}
	s := &t.shards[k[0]]
	if s.used >= len(s.slots)*fullness/100 {
		t.grow(k[0])
	}
	p := s.find(k, t.place(k))
	if p.value == 0 {
		p.rest = [12]byte(k[1:13])
		s.used++
		t.len++
	}
	p.value = value + 1
}

// fullness is how many of a hundred slots are used at most, and growth by how
// many the slots grow then.
const (
	fullness = 85
	growth   = 25
)

func (s *shard) find(k key, place uint64) *slot {
	rest := [12]byte(k[1:13])
	i := int(place * uint64(len(s.slots)) >> 32)
	for {
		p := &s.slots[i]
		if p.value == 0 || p.rest == rest {
			return p
		}
		if i++; i == len(s.slots) {
			i = 0
		}
	}
}

func (t *table) grow(first byte) {
	s := &t.shards[first]
	old := s.slots
	s.slots = make([]slot, max(4, len(old)+len(old)*growth/100+1))
	for _, from := range old {
		if from.value != 0 {
			k := from.key(first)
			*s.find(k, t.place(k)) = from
		}
	}
}

// key is what of the key a slot has, which is all that tables look at.
func (s slot) key(first byte) (k key) {
	k[0] = first
	copy(k[1:], s.rest[:])
	return k
}

// bytes is the memory of the slots.
func (t *table) bytes() int64 {
	n := int64(0)
	for i := range t.shards {
		n += int64(len(t.shards[i].slots)) * 16
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
