package harness

import "hash/maphash"

// An id stands for a text that was seen in the journal; 0 stands for none.
type id uint32

// An interner gives every distinct text a number. It holds texts back to back,
// without a pointer per text, so that a journal with a million ids costs
// little more than their bytes.
type interner struct {
	seed   maphash.Seed
	table  []id // open addressing; a power of two, at most half full
	places []place
	chunks [][]byte
	bytes  int
}

// A place is where the text of an id lies.
type place struct{ chunk, start, length uint32 }

// chunkBytes is how much is set aside for texts at once.
const chunkBytes = 64 << 10

func newInterner() *interner {
	return &interner{seed: maphash.MakeSeed(), table: make([]id, 64), places: make([]place, 1, 32)}
}

// find is the id of a text, 0 if it was never added.
func (n *interner) find(text []byte) id {
	_, found := n.slot(text)
	return found
}

func (n *interner) slot(text []byte) (at uint64, found id) {
	mask := uint64(len(n.table) - 1)
	at = maphash.Bytes(n.seed, text) & mask
	for n.table[at] != 0 {
		if string(n.text(n.table[at])) == string(text) {
			return at, n.table[at]
		}
		at = (at + 1) & mask
	}
	return at, 0
}

// add is the id of a text, a new one if it was never added.
func (n *interner) add(text []byte) id {
	at, found := n.slot(text)
	if found != 0 {
		return found
	}
	if 2*len(n.places) >= len(n.table) {
		n.grow()
		at, _ = n.slot(text)
	}
	last := len(n.chunks) - 1
	if last < 0 || cap(n.chunks[last])-len(n.chunks[last]) < len(text) {
		n.chunks = append(n.chunks, make([]byte, 0, max(chunkBytes, len(text))))
		last++
	}
	start := len(n.chunks[last])
	n.chunks[last] = append(n.chunks[last], text...)
	n.bytes += len(text)
	made := id(len(n.places))
	n.places = append(n.places, place{uint32(last), uint32(start), uint32(len(text))})
	n.table[at] = made
	return made
}

func (n *interner) grow() {
	n.table = make([]id, 2*len(n.table))
	mask := uint64(len(n.table) - 1)
	for i := 1; i < len(n.places); i++ {
		at := maphash.Bytes(n.seed, n.text(id(i))) & mask
		for n.table[at] != 0 {
			at = (at + 1) & mask
		}
		n.table[at] = id(i)
	}
}

// text is the text of an id; none of 0.
func (n *interner) text(i id) []byte {
	if i == 0 {
		return nil
	}
	p := n.places[i]
	return n.chunks[p.chunk][p.start : p.start+p.length : p.start+p.length]
}

// len is how many texts there are.
func (n *interner) len() int { return len(n.places) - 1 }

// A store holds one T for every id, in pieces that never move.
type store[T any] struct{ pieces [][]T }

const pieceLen = 1024

// at is the T of an id.
func (s *store[T]) at(i id) *T {
	for int(i)/pieceLen >= len(s.pieces) {
		s.pieces = append(s.pieces, make([]T, pieceLen))
	}
	return &s.pieces[i/pieceLen][i%pieceLen]
}

// peek is the T of an id, nil for 0 and for ids it was never asked for.
func (s *store[T]) peek(i id) *T {
	if i == 0 || int(i)/pieceLen >= len(s.pieces) {
		return nil
	}
	return &s.pieces[i/pieceLen][i%pieceLen]
}
