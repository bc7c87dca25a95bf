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

// A table maps keys to numbers in about 14 bytes for each entry, without a
// pointer that the garbage collector would follow. The zero table is empty.
type table struct {
	shards *[shards]shard // by the first byte of the key; nil while empty
	len    int
}

const shards = 256

// A shard is a hash table whose entries are in the order of their keys: each is
// as near after its place as those before it allow, so that a search ends at
// the first larger key, growing copies from one end to the other, and nearly
// every slot can be used.
type shard struct {
	slots []slot // the last slack ones are nobody's place, and the very last is free
	used  int
}

// A slot is free while its value is 0; values are stored plus one.
type slot struct {
	high, low uint32 // bytes 1 to 8 of the key
	value     uint32
}

// maxValue is the largest number that a table holds.
const maxValue = 1<<32 - 2

// fullness is how many of a hundred slots are used at most, and growth by how
// many the slots grow then.
const (
	fullness = 93
	growth   = 16
	slack    = 16
)

func (k *key) slot() slot {
	return slot{high: binary.BigEndian.Uint32(k[1:]), low: binary.BigEndian.Uint32(k[5:])}
}

// get returns the number of a key, 0 for one that is not there.
func (t *table) get(k key) (value uint32, found bool) {
	if t.shards == nil || len(t.shards[k[0]].slots) == 0 {
		return 0, false
	}
	s := &t.shards[k[0]]
	if i, found := s.find(k.slot()); found {
		return s.slots[i].value - 1, true
	}
	return 0, false
}

// touch reads the place of a key and nothing else, so that it is near when it is
// needed. A place is anywhere in memory: one search waits for it as long as it
// takes to judge an event, but many touches in a row wait at the same time.
func (t *table) touch(k *key) uint32 {
	if t.shards == nil {
		return 0
	}
	s := &t.shards[k[0]]
	if len(s.slots) == 0 {
		return 0
	}
	return s.slots[s.place(binary.BigEndian.Uint32(k[1:]))].high
}

// put sets the number of a key.
func (t *table) put(k key, value uint32) {
	if t.shards == nil {
		t.shards = new([shards]shard)
	}
	s := &t.shards[k[0]]
	if s.used >= (len(s.slots)-slack)*fullness/100 {
		s.grow()
	}
	entry := k.slot()
	i, found := s.find(entry)
	entry.value = value + 1
	if found {
		s.slots[i] = entry
		return
	}
	for !s.insert(i, entry) {
		s.grow()
		i, _ = s.find(entry)
	}
	s.used++
	t.len++
}

// place is where the search for a key begins: the key as a fraction of the
// slots.
func (s *shard) place(high uint32) int {
	return int(uint64(high) * uint64(len(s.slots)-slack) >> 32)
}

// find is the slot of a key, or the one before which it belongs.
func (s *shard) find(k slot) (i int, found bool) {
	for i = s.place(k.high); ; i++ {
		switch p := &s.slots[i]; {
		case p.value == 0 || p.high > k.high:
			return i, false
		case p.high == k.high && p.low == k.low:
			return i, true
		}
	}
}

// insert puts an entry before slot i, and those from there on to the next free
// slot one further. It reports false when only the very last slot is free.
func (s *shard) insert(i int, entry slot) bool {
	free := i
	for s.slots[free].value != 0 {
		free++
	}
	if free == len(s.slots)-1 {
		return false
	}
	copy(s.slots[i+1:free+1], s.slots[i:free])
	s.slots[i] = entry
	return true
}

func (s *shard) grow() {
	old, more := s.slots, growth
	for {
		places := max(4, len(old)-slack+len(old)*more/100+1)
		s.slots = make([]slot, places+slack)
		if s.fill(old) {
			return
		}
		more *= 2 // many keys at the end: their places must spread
	}
}

// fill copies entries in their order, and reports whether they have room.
func (s *shard) fill(from []slot) bool {
	next := 0
	for i := range from {
		if from[i].value == 0 {
			continue
		}
		next = max(next, s.place(from[i].high))
		if next == len(s.slots)-1 {
			return false
		}
		s.slots[next] = from[i]
		next++
	}
	return true
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
