package privacy

import "sync"

// Most lines hold nothing that any detector could match. One pass over a line's
// bytes, through a table of all the words that a match cannot do without, tells
// which detectors are worth running, and whether the line has a character that
// makes its file binary.

// A mask is a set of detectors, and of what else the pass sees.
type mask uint32

const (
	controlSeen mask = 1 << 30 // a control character that no text has
)

func (d detectorID) mask() mask { return 1 << d }

// triggers are, by detector, words in lower case one of which every match
// holds.
func triggers() map[detectorID][]string {
	join := func(firsts, seconds []string) (all []string) {
		for _, a := range firsts {
			for _, b := range seconds {
				all = append(all, a+b, a+"_"+b, a+"-"+b)
			}
		}
		return all
	}
	assigned := []string{"token", "secret", "auth", "password", "credential", "dsn"}
	assigned = append(assigned, join([]string{"api", "private"}, []string{"key"})...)
	assigned = append(assigned, join([]string{"connection"}, []string{"url", "string"})...)
	assigned = append(assigned, join(databases, []string{"url"})...)
	return map[detectorID][]string{
		privateKey:        {"private key-----"},
		awsAccessKey:      {"akia"},
		githubToken:       {"ghp_", "gho_", "ghu_", "ghs_", "ghr_"},
		githubFineGrained: {"github_pat_"},
		providerKey:       {"sk-"},
		bearerToken:       {"bearer"},
		secretAssignment:  assigned,
		connection:        {"postgres://", "sql://", "mariadb://", "mongodb://", "mongodb+srv://", "redis://", "rediss://"},
		windowsPath:       {`/users/`, `\users`, `users\`},
		unixPath:          {"/users/", "/home/", "/root"},
		email:             {"@"},
		uuid:              {"-1", "-2", "-3", "-4", "-5"},
		namedID:           join(identified, []string{"id"}),
	}
}

// An automaton finds all words in one pass: the classic automaton of Aho and
// Corasick, as a table over the classes of bytes that the words distinguish.
type automaton struct {
	classOf [256]uint8
	next    []uint16 // state*classes + class
	marks   []mask   // by state
	classes int
	quiet   uint16 // states below have no mark
}

// words is made when a first line is scanned: it takes some milliseconds, and
// most commands never scan.
var words = sync.OnceValue(func() *automaton { return newAutomaton(triggers()) })

// look returns the marks of a line.
func (a *automaton) look(line []byte) (m mask) {
	state := uint16(0)
	width, quiet := a.classes, a.quiet
	for _, b := range line {
		state = a.next[int(state)*width+int(a.classOf[b])]
		if state >= quiet {
			m |= a.marks[state]
		}
	}
	return m
}

// A node is a state while the automaton is built.
type node struct {
	child map[byte]int
	fail  int
	mark  mask
}

func newAutomaton(words map[detectorID][]string) *automaton {
	nodes := []node{{child: map[byte]int{}}}
	insert := func(word string, m mask) {
		at := 0
		for i := range len(word) {
			to, ok := nodes[at].child[word[i]]
			if !ok {
				to = len(nodes)
				nodes = append(nodes, node{child: map[byte]int{}})
				nodes[at].child[word[i]] = to
			}
			at = to
		}
		nodes[at].mark |= m
	}
	for d := range detectorID(len(detectors)) {
		for _, w := range words[d] {
			insert(w, d.mask())
		}
	}
	for b := range 0x80 {
		if isControl(byte(b)) {
			insert(string(rune(b)), controlSeen)
		}
	}
	order := linkFailures(nodes)
	return tabulate(nodes, order)
}

// isControl reports whether no text holds the character: U+0000 to U+001F
// without TAB, LF and CR, and U+007F (10 §4).
func isControl(b byte) bool { return b < ' ' && b != '\t' && b != '\n' && b != '\r' || b == 0x7F }

// linkFailures gives each state the longest other state that ends like it, and
// the marks of that one, breadth first. It returns the order.
func linkFailures(nodes []node) (order []int) {
	order = []int{0}
	for i := 0; i < len(order); i++ {
		at := order[i]
		for b := range 256 {
			to, ok := nodes[at].child[byte(b)]
			if !ok {
				continue
			}
			order = append(order, to)
			if at != 0 {
				nodes[to].fail = follow(nodes, nodes[at].fail, byte(b))
			}
			nodes[to].mark |= nodes[nodes[to].fail].mark
		}
	}
	return order
}

func follow(nodes []node, at int, b byte) int {
	for {
		if to, ok := nodes[at].child[b]; ok {
			return to
		}
		if at == 0 {
			return 0
		}
		at = nodes[at].fail
	}
}

// tabulate numbers the states without a mark first, the start state as 0, and
// writes the table.
func tabulate(nodes []node, order []int) *automaton {
	a := &automaton{}
	used := map[byte]uint8{}
	for _, n := range nodes {
		for b := range n.child {
			if _, ok := used[b]; !ok {
				used[b] = uint8(len(used) + 1)
			}
		}
	}
	a.classes = len(used) + 1
	for b := range 256 {
		low := byte(b)
		if low >= 'A' && low <= 'Z' {
			low += 'a' - 'A'
		}
		a.classOf[b] = used[low]
	}
	number := make([]uint16, len(nodes))
	n := uint16(0)
	for _, marked := range []bool{false, true} {
		if marked {
			a.quiet = n
		}
		for _, at := range order {
			if (nodes[at].mark != 0) == marked {
				number[at] = n
				n++
			}
		}
	}
	a.next = make([]uint16, len(nodes)*a.classes)
	a.marks = make([]mask, len(nodes))
	for at := range nodes {
		a.marks[number[at]] = nodes[at].mark
		for b, c := range used {
			a.next[int(number[at])*a.classes+int(c)] = number[follow(nodes, at, b)]
		}
	}
	return a
}
