package rules

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// An automaton finds where the factors of many rules end in a text, in one
// pass and one step by byte: it is the deterministic form of "anything, then
// one of the factors". For literals it is what Aho and Corasick describe.
type automaton struct {
	class  [256]uint8 // what a byte is to the automaton
	next   []uint32   // by state and class: the next state, times the number of classes
	accept uint32     // the first state in which a factor ends
	ends   [][]int32  // by state from there on: which factors
	width  uint32     // number of classes
}

// How large an automaton may become. A set of rules that needs more is
// divided.
const maxStates = 1 << 14

// errStates is why an automaton was not built.
type errStates struct{}

func (errStates) Error() string { return "the automaton has too many states" }

// A start says where a factor may begin.
type start uint8

const (
	inLine start = iota // anywhere; a line feed ends what has begun
	inText              // anywhere; a line feed is a character like others
	atOnce              // at the beginning of the text
)

// build makes the automaton of the factors, of at most so many states.
func build(factors []*syntax.Regexp, from start, most int) (*automaton, error) {
	n := &nfa{from: from, most: most}
	for i, f := range factors {
		prog, err := syntax.Compile(f.Simplify())
		if err != nil {
			return nil, err
		}
		n.add(int32(i), prog)
	}
	return n.determine()
}

// An nfa is the instructions of all factors in one list.
type nfa struct {
	from   start
	most   int
	insts  []nfaInst
	starts []int32
	class  [256]uint8
	sample []byte  // a byte of each class
	seen   []int32 // by instruction: the turn in which it was reached
	turn   int32
}

type nfaInst struct {
	op       syntax.InstOp
	set      byteSet
	out, arg int32 // of a match, arg is the factor
}

func (n *nfa) add(factor int32, prog *syntax.Prog) {
	base := int32(len(n.insts))
	for i := range prog.Inst {
		in := &prog.Inst[i]
		made := nfaInst{op: in.Op, out: base + int32(in.Out), arg: base + int32(in.Arg)}
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			made.op = syntax.InstRune
			for c := range utf8.RuneSelf {
				if (c != '\n' || n.from == inText) && in.MatchRune(rune(c)) {
					made.set.add(byte(c))
				}
			}
		case syntax.InstMatch:
			made.arg = factor
		}
		n.insts = append(n.insts, made)
	}
	n.starts = append(n.starts, base+int32(prog.Start))
}

// classes divides the bytes into those that no instruction tells apart.
func (n *nfa) classes() {
	known := map[string]uint8{}
	sets := map[byteSet]bool{}
	var distinct []byteSet
	for i := range n.insts {
		if in := &n.insts[i]; in.op == syntax.InstRune && !sets[in.set] {
			sets[in.set] = true
			distinct = append(distinct, in.set)
		}
	}
	key := make([]byte, len(distinct))
	for c := range 256 {
		for i := range distinct {
			key[i] = 0
			if distinct[i].has(byte(c)) {
				key[i] = 1
			}
		}
		class, ok := known[string(key)]
		if !ok {
			class = uint8(len(n.sample))
			known[string(key)] = class
			n.sample = append(n.sample, byte(c))
		}
		n.class[c] = class
	}
}

// closure adds the instructions that are reached from pc without a byte.
func (n *nfa) closure(set []int32, pc int32) []int32 {
	if n.seen[pc] == n.turn {
		return set
	}
	n.seen[pc] = n.turn
	switch in := &n.insts[pc]; in.op {
	case syntax.InstAlt, syntax.InstAltMatch:
		return n.closure(n.closure(set, in.out), in.arg)
	case syntax.InstCapture, syntax.InstNop:
		return n.closure(set, in.out)
	case syntax.InstRune, syntax.InstMatch:
		return append(set, pc)
	}
	return set
}

// A move is what an instruction does with a byte.
type move struct {
	classes []uint8 // that it takes
	to      []int32 // the instructions it leads to
}

func (n *nfa) moves() []move {
	list := make([]move, len(n.insts))
	for pc := range n.insts {
		in := &n.insts[pc]
		if in.op != syntax.InstRune {
			continue
		}
		for c, sample := range n.sample {
			if in.set.has(sample) {
				list[pc].classes = append(list[pc].classes, uint8(c))
			}
		}
		n.turn++
		list[pc].to = n.closure(nil, in.out)
	}
	return list
}

// determine makes the automaton. Where factors begin anywhere, every state
// holds the starts besides what it is known by, so that what those lead to is
// computed once.
func (n *nfa) determine() (*automaton, error) {
	n.classes()
	n.seen = make([]int32, len(n.insts))
	n.turn = 1
	var begin []int32
	for _, pc := range n.starts {
		begin = n.closure(begin, pc)
	}
	d := &determiner{nfa: n, width: len(n.sample), known: map[string]int{}, moves: n.moves()}
	d.fresh = make([][]int32, d.width)
	row := make([]int, d.width)
	if n.from == atOnce {
		slices.Sort(begin)
		d.state(begin)
		dead := d.state(nil)
		for c := range row {
			row[c] = dead
		}
	} else {
		d.state(nil)
		sets := d.step(begin)
		for c := range sets {
			d.fresh[c] = slices.Clone(sets[c])
			row[c] = d.state(sets[c])
		}
	}
	for s := 0; s < len(d.states); s++ {
		d.rows = append(d.rows, slices.Clone(row))
		for c, set := range d.step(d.states[s]) {
			if len(set) > 0 {
				d.rows[s][c] = d.state(set)
			}
		}
		if len(d.states) > n.most {
			return nil, errStates{}
		}
	}
	return d.automaton(), nil
}

type determiner struct {
	nfa    *nfa
	width  int
	moves  []move
	fresh  [][]int32 // by class: what the starts lead to
	known  map[string]int
	states [][]int32 // sorted instructions, the starts left out
	rows   [][]int
	key    []byte
	sets   [][]int32
}

// step gives for each class what it leads to from some instructions and, if
// there is such, from the starts. The sets are used again by the next step.
func (d *determiner) step(from []int32) [][]int32 {
	if d.sets == nil {
		d.sets = make([][]int32, d.width)
	}
	for c := range d.sets {
		d.sets[c] = d.sets[c][:0]
	}
	for _, pc := range from {
		m := &d.moves[pc]
		for _, c := range m.classes {
			d.sets[c] = append(d.sets[c], m.to...)
		}
	}
	for c, set := range d.sets {
		if len(set) > 0 {
			set = append(set, d.fresh[c]...)
			slices.Sort(set)
			d.sets[c] = slices.Compact(set)
		}
	}
	return d.sets
}

func (d *determiner) state(set []int32) int {
	d.key = d.key[:0]
	for _, pc := range set {
		d.key = binary.LittleEndian.AppendUint32(d.key, uint32(pc))
	}
	s, ok := d.known[string(d.key)]
	if !ok {
		s = len(d.states)
		d.known[string(d.key)] = s
		d.states = append(d.states, slices.Clone(set))
	}
	return s
}

// automaton puts the states in which factors end behind the others.
func (d *determiner) automaton() *automaton {
	a := &automaton{class: d.nfa.class, width: uint32(d.width), next: make([]uint32, len(d.states)*d.width)}
	place := make([]int, len(d.states))
	count := 0
	for accepting := range 2 {
		for s, set := range d.states {
			var ends []int32
			for _, pc := range set {
				if d.nfa.insts[pc].op == syntax.InstMatch {
					ends = append(ends, d.nfa.insts[pc].arg)
				}
			}
			if (len(ends) > 0) != (accepting == 1) {
				continue
			}
			place[s] = count
			count++
			if accepting == 1 {
				slices.Sort(ends)
				a.ends = append(a.ends, slices.Compact(ends))
			}
		}
		if accepting == 0 {
			a.accept = uint32(count * d.width)
		}
	}
	for s, row := range d.rows {
		for c, to := range row {
			a.next[place[s]*d.width+c] = uint32(place[to] * d.width)
		}
	}
	return a
}
