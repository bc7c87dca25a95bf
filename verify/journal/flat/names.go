package flat

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"finishline/canon"
)

// fewNames is how many members an object may have before its names are sorted
// rather than compared one by one.
const fewNames = 24

// A nameSet is scratch for sorting the names of one object.
type nameSet struct {
	decoded []byte
	list    []sortName
}

type sortName struct {
	name []byte
	at   int // offset in the text
}

// note notes the name of the next member of the innermost object, and finds out
// whether it was there before. Most objects are small, and most names of one
// object differ in their hash, so that no two names are compared at all.
func (p *Parser) note(n *node) {
	top := &p.stack[len(p.stack)-1]
	top.count++
	if top.sort || n.flags&escapedName != 0 || top.count > fewNames {
		top.sort = true
		return
	}
	name := p.text[n.nameStart:n.nameEnd]
	bit := uint64(1) << hash(name)
	if top.seen&bit == 0 {
		top.seen |= bit
		return
	}
	end := uint32(len(p.nodes))
	for i := top.node + 1; i < end; i = p.nodes[i].next {
		m := &p.nodes[i]
		if m.nameEnd-m.nameStart == uint32(len(name)) && bytes.Equal(p.text[m.nameStart:m.nameEnd], name) {
			p.repeated(int(n.nameStart))
			return
		}
	}
}

func hash(name []byte) uint {
	h := uint(len(name))
	if h > 0 {
		h = h*31 + uint(name[0])*7 + uint(name[len(name)/2])*13 + uint(name[len(name)-1])*3
	}
	return h % 64
}

// repeated notes where a name stands that was there before. The first in the
// text is told.
func (p *Parser) repeated(at int) {
	if p.duplicate == 0 || at+1 < p.duplicate {
		p.duplicate = at + 1
	}
}

// findDuplicate compares the names of an object by sorting them.
func (p *Parser) findDuplicate(object Value) {
	s := &p.names
	s.decoded, s.list = s.decoded[:0], s.list[:0]
	for m := range object.Elems() {
		raw, escaped := m.Name()
		at := int(m.node().nameStart)
		if escaped {
			start := len(s.decoded)
			s.decoded = appendUnescaped(s.decoded, raw)
			raw = s.decoded[start:]
		}
		s.list = append(s.list, sortName{raw, at})
	}
	slices.SortFunc(s.list, func(a, b sortName) int {
		if c := bytes.Compare(a.name, b.name); c != 0 {
			return c
		}
		return a.at - b.at
	})
	for i := 1; i < len(s.list); i++ {
		if bytes.Equal(s.list[i].name, s.list[i-1].name) {
			p.repeated(s.list[i].at)
		}
	}
}

// appendUnescaped decodes the inside of a string whose grammar was checked. An
// unpaired surrogate becomes the three bytes its code point would have, as in
// package canon.
func appendUnescaped(dst, raw []byte) []byte {
	for len(raw) > 0 {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		c := raw[i+1]
		raw = raw[i+2:]
		if c != 'u' {
			dst = append(dst, canon.SimpleEscape(c))
			continue
		}
		u, _ := hex4(raw, 0)
		raw = raw[4:]
		if utf16.IsSurrogate(u) {
			if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
				second, _ := hex4(raw, 2)
				if r := utf16.DecodeRune(u, second); r != utf8.RuneError {
					dst = utf8.AppendRune(dst, r)
					raw = raw[6:]
					continue
				}
			}
			dst = append(dst, 0xE0|byte(u>>12), 0x80|byte(u>>6)&0x3F, 0x80|byte(u)&0x3F)
			continue
		}
		dst = utf8.AppendRune(dst, u)
	}
	return dst
}
