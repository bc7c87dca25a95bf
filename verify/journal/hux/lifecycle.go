package hux

// An opener is an opening event of a family (§5), in 12 bytes.
type opener struct {
	line  uint32
	where uint32 // conversation, family and whether it was closed
	// earlier is the opener before it that has the same correlation_id, plus
	// one. Closed ones are skipped over and forgotten as it is followed.
	earlier uint32
}

const (
	familyShift      = 28
	closedBit        = 1 << 31
	maxConversations = 1 << familyShift
)

func (o *opener) conversation() uint32 { return o.where & (maxConversations - 1) }
func (o *opener) family() family       { return family(o.where >> familyShift & 7) }
func (o *opener) closed() bool         { return o.where&closedBit != 0 }

// A pool finds the openers of one family.
type pool struct {
	bySubject     table // the latest of a detail id
	byCorrelation table // the latest of a correlation_id
}

// open enters an opening event.
func (s *stream) open(e *event, number uint32) {
	f := opens[e.kind]
	p := &s.pools[f]
	o := opener{line: uint32(e.line), where: number | uint32(f)<<familyShift}
	if e.has.is(hasCorrelation) {
		if latest, some := p.byCorrelation.get(e.correlation); some {
			o.earlier = latest + 1
		}
	}
	i := s.openers.add(o)
	if f == approvalFamily {
		s.askers[i] = e.identity
	}
	if e.has.is(hasSubject) {
		p.bySubject.put(e.subject, i)
	}
	if e.has.is(hasCorrelation) {
		p.byCorrelation.put(e.correlation, i)
	}
	if e.has.is(holdsID) {
		s.events.put(e.id, i|openerBit)
	}
}

// close pairs a closing event with its opener and judges the pair.
func (s *stream) close(e *event, number uint32) {
	f := closes[e.kind]
	rules := &pairings[f]
	i, paired := s.partner(f, e, number)
	if !paired {
		s.unresolvedEvent(rules.unpaired, e, "", "an earlier "+rules.name+" that it belongs to")
		return
	}
	o := s.openers.at(i)
	s.partnerLine = o.line
	if o.closed() && rules.twice != "" {
		s.fireLineOf(rules.twice, e, rules.name, o.line)
	}
	o.where |= closedBit
	switch f {
	case approvalFamily:
		if s.askers[i] == e.identity {
			s.fire("hux.approval.same-identity", e, "/identity", "another identity than the one that asked")
		}
	case effectFamily:
		if s.states.at(number).lastApproval <= o.line {
			s.unresolvedEvent("hux.side-effect.released-without-approval", e, "", "an approval.resolved between the block and the release")
		}
	}
}

// partner finds the opener of a closing event: the one that its parent is, else
// the latest of its detail id, else the latest open one of its correlation_id,
// else the latest of that.
func (s *stream) partner(f family, e *event, number uint32) (opener uint32, found bool) {
	if e.has.is(hasParent) {
		if ref, known := s.events.get(e.parent); known && ref&openerBit != 0 {
			i := ref &^ openerBit
			if o := s.openers.at(i); o.family() == f && o.conversation() == number {
				return i, true
			}
		}
	}
	p := &s.pools[f]
	if e.has.is(hasSubject) {
		if i, some := p.bySubject.get(e.subject); some {
			return i, true
		}
	}
	if e.has.is(hasCorrelation) {
		if latest, some := p.byCorrelation.get(e.correlation); some {
			if i, some := s.latestOpen(latest); some {
				return i, true
			}
			return latest, true
		}
	}
	return 0, false
}

// latestOpen follows the openers of one correlation_id back to one that is
// open, and lets every opener on the way point there, so that closed ones are
// passed over once.
func (s *stream) latestOpen(latest uint32) (opener uint32, found bool) {
	end := latest + 1
	for end != 0 && s.openers.at(end-1).closed() {
		end = s.openers.at(end - 1).earlier
	}
	for i := latest + 1; i != end; {
		o := s.openers.at(i - 1)
		i, o.earlier = o.earlier, end
	}
	return end - 1, end != 0
}

// leftOpen reports, at the end, what was opened and never closed.
func (s *stream) leftOpen() {
	for i := range uint32(s.openers.len) {
		o := s.openers.at(i)
		if rules := &pairings[o.family()]; !o.closed() && rules.leftOpen != "" {
			s.fireLine(rules.leftOpen, int(o.line), "", "a "+rules.name+" that nothing answers", "an answer before the stream ends")
		}
	}
	for i := range uint32(s.runStates.len) {
		if r := s.runStates.at(i); r.started != 0 && !r.ended {
			s.fireLine("hux.run.left-open", int(r.started), "/run_id", "a run.started that nothing ends", "run.completed, run.cancelled or run.failed")
		}
	}
}

// lifecycle applies the rules of §5 to an event that takes part in it.
func (s *stream) lifecycle(e *event, number uint32) {
	s.runs(e, number)
	if opens[e.kind] != noFamily {
		s.open(e, number)
	}
	if closes[e.kind] != noFamily {
		s.close(e, number)
	}
	switch e.kind {
	case approvalResolved:
		s.states.at(number).lastApproval = uint32(e.line)
	case memoryProposed, memoryCommitted, memoryForgotten, memorySuppressed, memoryRetrievalRemoved:
		if e.has.is(hasSubject) {
			s.memory(e)
		}
	case artifactCreated, artifactVersion, artifactPromoted:
		if e.has.is(hasSubject) {
			s.artifact(e)
		}
	case modeChanged:
		s.mode(e, number)
	}
}

// mode compares where a change of mode starts with where the last one led.
func (s *stream) mode(e *event, number uint32) {
	c := s.states.at(number)
	if c.state&moded != 0 && e.has.is(hasFrom) && e.from != c.mode {
		s.fire("hux.mode.discontinuity", e, "/detail/from", "the mode that the last change led to")
	}
	c.mode, c.state = e.to, c.state&^moded
	if e.has.is(hasTo) {
		c.state |= moded
	}
}
