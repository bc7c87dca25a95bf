package hux

// A memory is what happened to a memory_id of a conversation, as bits.
const (
	proposed   uint32 = 1 << iota // ever
	committed                     // ever
	suppressed                    // since the last proposal
	forgotten                     // since the last proposal
	gone                          // forgotten, and neither proposed nor committed since
	superseded                    // by a commit
)

// memory applies the rules about memories.
func (s *stream) memory(e *event) {
	m, _ := s.memories.get(e.subject)
	known := m&(proposed|committed) != 0
	const at = "/detail/memory_id"
	switch e.kind {
	case memoryProposed:
		m = m&^(suppressed|forgotten|gone) | proposed
	case memoryCommitted:
		if m&proposed == 0 {
			s.unresolvedEvent("hux.memory.committed-unproposed", e, at, "a memory that was proposed before")
		}
		if m&suppressed != 0 {
			s.fire("hux.memory.committed-after-suppressed", e, at, "a new proposal after memory.suppressed")
		}
		if m&forgotten != 0 {
			s.fire("hux.memory.committed-after-forgotten", e, at, "a new proposal after memory.forgotten")
		}
		m = m&^gone | committed
	case memoryForgotten:
		if !known {
			s.unresolvedEvent("hux.memory.forgotten-unknown", e, at, "a memory that was proposed or committed before")
		}
		if m&gone != 0 {
			s.fire("hux.memory.forgotten-twice", e, at, "a memory that is not forgotten yet")
		}
		m |= forgotten | gone
	case memorySuppressed:
		if !known {
			s.unresolvedEvent("hux.memory.suppressed-unknown", e, at, "a memory that was proposed or committed before")
		}
		m |= suppressed
	case memoryRetrievalRemoved:
		if m&committed == 0 {
			s.unresolvedEvent("hux.memory.retrieval-removed-unknown", e, at, "a memory that was committed before")
		}
	}
	s.memories.put(e.subject, m)
	if e.kind == memoryCommitted {
		s.supersede(e)
	}
}

// supersede judges what a commit supersedes; one finding of each rule for each
// event.
func (s *stream) supersede(e *event) {
	const at = "/detail/supersedes"
	if e.has.is(supersedesSelf) {
		s.fire("hux.memory.supersedes-self", e, at, "other memories than its own")
	}
	var unknown, dead, fork bool
	for _, k := range e.supersedes {
		m, _ := s.memories.get(k)
		unknown = unknown || m&committed == 0
		dead = dead || m&gone != 0
		fork = fork || m&superseded != 0
	}
	for _, k := range e.supersedes { // only now: a repeated id is no fork
		m, _ := s.memories.get(k)
		s.memories.put(k, m|superseded)
	}
	if unknown {
		s.unresolvedEvent("hux.memory.supersedes-unknown", e, at, "memories that were committed before")
	}
	if dead {
		s.fire("hux.memory.supersedes-forgotten", e, at, "memories that are not forgotten")
	}
	if fork {
		s.fire("hux.memory.supersedes-fork", e, at, "memories that no other commit superseded")
	}
}
