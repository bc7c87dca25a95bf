package hux

import (
	"encoding/binary"

	"finishline/verify/journal/flat"
)

// What is known of a conversation so far (§4, and what §5 keeps of it once).
type conversation struct {
	seq, turn    flat.Decimal
	latest       instant
	mode         key    // to of the last mode.changed
	lastApproval uint32 // line of the last approval.resolved, 0 for none
	state        conversationState
}

type conversationState uint8

const (
	numbered conversationState = 1 << iota // seq is set
	turned                                 // turn is set
	timed                                  // latest is set
	moded                                  // mode is set
)

// order applies the rules of §4, and of §6 about the number. It returns the
// conversation, and whether the event takes part in §5.
func (s *stream) order(e *event) (number uint32, takesPart bool) {
	number, known := s.conversations.get(e.conversation)
	if !known {
		number = s.states.add(conversation{})
		s.conversations.put(e.conversation, number)
	}
	c := s.states.at(number)
	s.sequence(c, e)
	if e.has.is(hasTime) {
		switch {
		case c.state&timed == 0 || c.latest.before(e.at):
			c.latest, c.state = e.at, c.state|timed
		case e.at.before(c.latest):
			s.fire("hux.ts.order", e, "/ts", "not before an earlier event of the conversation")
		}
	}
	s.place(e, number)
	return number, !s.retried(e)
}

// sequence compares an event with the one before it in its conversation.
func (s *stream) sequence(c *conversation, e *event) {
	if e.has.is(hasSeq) {
		if s.window != nil && e.seq.Cmp(*s.window) <= 0 {
			s.fireAfter("hux.resume.not-after", e, "/seq", "more than ", *s.window)
		}
		switch {
		case c.state&numbered == 0:
		case e.seq.Cmp(c.seq) <= 0:
			s.fireAfter("hux.seq.not-increasing", e, "/seq", "more than ", c.seq)
		case !follows(e.seq, c.seq):
			s.fireAfter("hux.seq.gap", e, "/seq", "one more than ", c.seq)
		}
		s.wide += wideBytes(e.seq) - wideBytes(c.seq)
		c.seq, c.state = e.seq, c.state|numbered
	}
	if e.has.is(hasTurn) {
		if c.state&turned != 0 && e.turn.Cmp(c.turn) < 0 {
			s.fireAfter("hux.turn.decreasing", e, "/turn", "at least ", c.turn)
		}
		s.wide += wideBytes(e.turn) - wideBytes(c.turn)
		c.turn, c.state = e.turn, c.state|turned
	}
}

// wideBytes is the memory of a number beyond its own size.
func wideBytes(n flat.Decimal) int64 {
	if _, small := n.Small(); small {
		return 0
	}
	return int64(len(n.AppendNormal(nil)))
}

// An event is known by its conversation, or by the opening event it is:
// openerBit tells which of them a number in the table of events is.
const openerBit = 1 << 31

// place enters an event into the table of all events, and judges its parent. An
// id that occurs twice stands for the first event that has it.
func (s *stream) place(e *event, number uint32) {
	if e.has.is(hasID) {
		if _, repeated := s.events.get(e.id); repeated {
			s.fire("hux.id.duplicate", e, "/id", "an id that no earlier event has")
		} else {
			e.has |= holdsID
			s.events.put(e.id, number)
			s.resolveWaiting(e, number)
		}
	}
	if !e.has.is(hasParent) {
		return
	}
	switch ref, known := s.events.get(e.parent); {
	case e.has.is(hasID) && e.parent == e.id:
		s.fire("hux.parent.forward", e, "/parent_event_id", "an earlier event, not the event itself")
	case known && s.conversationOf(ref) != number:
		s.fire("hux.parent.cross-conversation", e, "/parent_event_id", "an event of the same conversation")
	case !known:
		s.wait(e, number)
	}
}

// conversationOf gives the conversation of an entry of the table of events.
func (s *stream) conversationOf(ref uint32) uint32 {
	if ref&openerBit != 0 {
		return s.openers.at(ref &^ openerBit).conversation()
	}
	return ref
}

// A waiting event names a parent that has not been seen yet. What it comes to
// is known when the parent comes, or at the end.
type waiting struct {
	line         uint32
	conversation uint32
	next         uint32 // another one that waits for the same parent, plus one
}

func (s *stream) wait(e *event, number uint32) {
	w := waiting{line: uint32(e.line), conversation: number}
	if other, some := s.waitFor.get(e.parent); some {
		w.next = other + 1
	}
	i := s.waiters.add(w)
	s.waitFor.put(e.parent, i)
	s.remember(i, e)
}

// resolveWaiting judges those whose parent has come after them.
func (s *stream) resolveWaiting(e *event, number uint32) {
	if s.waitFor.len == 0 {
		return
	}
	first, some := s.waitFor.get(e.id)
	if !some {
		return
	}
	for i := first + 1; i != 0; {
		w := s.waiters.at(i - 1)
		rule, expected := "hux.parent.forward", "an earlier event"
		if w.conversation != number {
			rule, expected = "hux.parent.cross-conversation", "an event of the same conversation"
		}
		s.fireLine(rule, int(w.line), "/parent_event_id", s.recall(i-1), expected)
		i, w.line = w.next, 0
	}
}

// orphans reports, at the end, those whose parent never came.
func (s *stream) orphans() {
	for i := range uint32(s.waiters.len) {
		if w := s.waiters.at(i); w.line != 0 {
			s.unresolved("hux.parent.unknown", int(w.line), "/parent_event_id", s.recall(i), "the id of an event of this file")
		}
	}
}

// retried applies the rules about idempotency keys, and reports whether one of
// them fired.
func (s *stream) retried(e *event) bool {
	if !e.has.is(hasRetry) {
		return false
	}
	// 32 bits of the digest tell the two rules apart, which are both errors.
	content := uint32(e.content % maxValue)
	stored, seen := s.retries.get(e.retry)
	if !seen {
		s.retries.put(e.retry, content)
		return false
	}
	if stored == content || s.retriedAs(e) {
		s.fire("hux.idempotency.duplicate", e, "/idempotency_key", "no second event for a key of the conversation")
	} else {
		s.fire("hux.idempotency.conflict", e, "/idempotency_key", "no second event for a key of the conversation, and never other content")
	}
	return true
}

// retriedAs reports whether an event that differs from the first of its key
// equals a later one, and remembers it for those to come.
func (s *stream) retriedAs(e *event) bool {
	var content [8]byte
	binary.BigEndian.PutUint64(content[:], e.content)
	k := e.retry.of(content[:])
	if _, seen := s.retries.get(k); seen {
		return true
	}
	s.retries.put(k, 0)
	return false
}
