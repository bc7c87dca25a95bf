// Package flat reads one JSON text, such as a line of a journal, into a flat
// array of values: no allocation per value, exact numbers, and every departure
// from strict JSON told by name. It is for hot paths; documents are read with
// package canon, and a fuzz test holds the two to the same answer.
//
//	var p flat.Parser // one per goroutine, used again for every text
//	if problem := p.Parse(line, maxDepth); problem.Code != flat.OK {
//		...
//	}
//	for m := range p.Root().Elems() { name, _ := m.Name() ... }
//
// What a [Value] says holds until the next Parse, and as long as the text is
// not changed. Memory is at most [NodeBytes] bytes for every two bytes of the
// longest text, and what a hostile text made large is given back by the next
// small one.
package flat
