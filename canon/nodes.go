package canon

import (
	"iter"
	"strconv"
)

// All yields the elements of an array as nodes, one at a time, and nothing for
// anything else. Walking a long array this way does not hold a pointer text
// for every element, as [Node.Items] does.
func (n Node) All() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i := range n.Elems() {
			if !yield(n.Index(i)) {
				return
			}
		}
	}
}

// Index is the element of an array at i, or an absent node that still knows
// its pointer.
func (n Node) Index(i int) Node {
	at := Node{Pointer: n.Pointer + "/" + strconv.Itoa(i)}
	if elems := n.Elems(); i >= 0 && i < len(elems) {
		at.Value = elems[i]
	}
	return at
}
