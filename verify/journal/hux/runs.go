package hux

// A run of one conversation.
type run struct {
	started   uint32 // line of run.started, 0 for never
	early     uint32 // line of the first event before it, 0 for none
	ended     bool
	exhausted bool // budget.exhausted was seen
}

// elsewhere is what the table of all runs holds: the conversation that started
// the run first, and manyBit once another one has started it too.
const manyBit = 1 << 31

// runs applies the rules about runs.
func (s *stream) runs(e *event, number uint32) {
	if !e.has.is(hasRun) {
		if e.kind.isRun() {
			s.fire("hux.run.id-missing", e, "/run_id", "the id of the run")
		}
		return
	}
	i, known := s.runsByID.get(e.run)
	if !known {
		i = s.runStates.add(run{})
		s.runsByID.put(e.run, i)
	}
	r := s.runStates.at(i)
	switch {
	case e.kind == runStarted:
		s.runStart(e, r, number)
	case e.kind.endsRun():
		if r.started == 0 {
			s.unresolvedEvent("hux.run.end-without-start", e, "/run_id", "a run that was started in this conversation")
		}
		if r.ended {
			s.fire("hux.run.end-duplicate", e, "/kind", "one end of a run")
		}
		r.ended = true
	default:
		s.runEvent(e, r)
	}
	if r.exhausted && (e.kind == toolCall || e.kind == delegationStarted) {
		s.fire("hux.budget.tool-after-exhausted", e, "/run_id", "no further work in a run whose budget is used up")
	}
	r.exhausted = r.exhausted || e.kind == budgetExhausted
}

// runEvent judges an event of a run that neither starts nor ends it.
func (s *stream) runEvent(e *event, r *run) {
	if r.ended {
		s.fire("hux.run.event-after-end", e, "/run_id", "no event of a run after its end")
	}
	if r.started == 0 && r.early == 0 {
		r.early = uint32(e.line)
	}
}

func (s *stream) runStart(e *event, r *run, number uint32) {
	if r.started != 0 {
		s.fireLineOf("hux.run.start-duplicate", e, "run", r.started)
	} else {
		r.started = uint32(e.line)
		if r.early != 0 {
			s.fireLine("hux.run.event-before-start", int(r.early), "/run_id", "a run that starts only later", "an event of a run after run.started")
		}
	}
	first, known := s.runsAnywhere.get(e.runAnywhere)
	switch {
	case !known:
		s.runsAnywhere.put(e.runAnywhere, number)
	case first != number:
		s.fire("hux.run.other-conversation", e, "/run_id", "a run that no other conversation started")
		s.runsAnywhere.put(e.runAnywhere, first|manyBit)
	}
}
