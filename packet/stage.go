package packet

// A Stage says how far a packet under construction is (contract 05, §12). The
// verifier is the same at every stage; only what comes after the stage is not
// missed yet.
type Stage int

// The stages, the last one first.
const (
	// Finished: with review, role provenance and bindings. The zero value, and
	// the only stage of a packet that is verified as such.
	Finished Stage = iota
	// BeforeReview: everything that the evidence bundle is made of, which a
	// review signs.
	BeforeReview
	// BeforeClosure: everything that the accepted gate set is made of, which
	// the closure of a semantic or authoritative run names.
	BeforeClosure
)

// reviewed reports whether the packet must have what follows from the review.
func (s Stage) reviewed() bool { return s == Finished }

// lacks reports whether a gate comes only after the stage.
func (s Stage) lacks(gate string) bool {
	return s != Finished && gate == GateReview || s == BeforeClosure && gate == GateClosure
}
