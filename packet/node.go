package packet

// A Node is one thing that a packet binds, for a person or program that wants
// to see what is bound to what (finishline packet inspect). A tree of nodes
// explains a packet; the verdict is in the findings alone.
type Node struct {
	// Kind is packet, input, gate, support, inventory, catalog, runtime,
	// application, bundle, closure or binding.
	Kind string
	// Name tells nodes of a kind apart: the input, the gate, the binding.
	Name string
	// Path is that of the artifact, relative to the target; for catalogs
	// relative to the pack root.
	Path string
	// Declared is the digest that the packet (or the document that binds this
	// node) states, Actual the one that was computed; "" when there is none.
	Declared, Actual string
	State            State
	Children         []Node
}

// A State says how declared and actual digest of a node compare.
type State int

// The states of a node. The zero state claims nothing.
const (
	NotLookedAt State = iota // not evaluated in this mode, or not reached
	Same                     // exactly the declared digest
	Differs                  // another one
	Unreadable               // declared, but there is nothing to hash
	Unbound                  // needed, but not declared
)

var stateNames = [...]string{"not-looked-at", "same", "differs", "unreadable", "unbound"}

func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		s = NotLookedAt
	}
	return stateNames[s]
}

// MarshalText gives the state's name.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// stateOf compares two digests. Nothing equals an empty one.
func stateOf(declared, actual string) State {
	if declared != "" && declared == actual {
		return Same
	}
	return Differs
}
