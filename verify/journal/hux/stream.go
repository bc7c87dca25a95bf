package hux

import (
	"fmt"
	"strings"

	"finishline/verify"
	"finishline/verify/journal/flat"
)

// Bounds of what is kept of a stream.
const (
	// MaxLines is the most lines of a file.
	MaxLines = maxValue
	// MaxState is the most memory in bytes that the rules about several events
	// may take. An event costs about 14 bytes for its id, and as much again
	// for each of an opening event, its detail id, its correlation_id, an
	// idempotency_key, a run, a memory and an artifact: about 30 bytes for an
	// event of an ordinary stream.
	MaxState = 2 << 30
)

// mapEntry is about what an entry of a small map takes.
const mapEntry = 24

// A LimitError says that a stream has more of something than is kept track of.
// It was not judged to its end.
type LimitError struct {
	What string
	Most int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("more than %d %s; the stream was not judged to its end", e.Most, e.What)
}

// A stream holds what the rules about several events need to know of those
// that came before (§4 to §6). Events are added in the order of the file, on
// one goroutine.
type stream struct {
	options *Options
	window  *flat.Decimal
	out     *verify.Findings
	reader  *worker // to describe an event

	conversations table // conversation_id
	states        list[conversation]

	events  table // id: conversation or opener
	waitFor table // a parent that has not come
	waiters list[waiting]
	retries table // idempotency_key: digest of what it stands for

	openers list[opener]
	pools   [familyCount]pool
	askers  map[uint32]uint64 // identity, by the number of an approval's opener

	runsByID     table
	runStates    list[run]
	runsAnywhere table

	memories table

	artifactsByID table
	artifacts     list[artifact]
	versions      table

	touched uint32 // keeps the compiler from leaving out what prepare reads

	// partnerLine is the line of what the last event closed, 0 for nothing.
	partnerLine uint32
	// beyond says that a rule was not applied because of the window.
	beyond bool
	// wide is the memory of numbers that are too large for a machine word.
	wide int64
	// told keeps what waiting events wait for, of the first of them.
	told map[uint32]string
}

func newStream(o *Options) *stream {
	return &stream{options: o, window: o.After, out: Table.Collect(o.Level), reader: newWorker(o), askers: map[uint32]uint64{}, told: map[uint32]string{}}
}

// prepare brings near what the rules will look up of the next events: the keys
// that are new, or that were last seen long ago.
func (s *stream) prepare(events []event) {
	touched := uint32(0)
	for i := range events {
		e := &events[i]
		if e.has.is(hasID) {
			touched += s.events.touch(&e.id)
		}
		if e.has.is(hasRetry) {
			touched += s.retries.touch(&e.retry)
		}
		if f := opens[e.kind]; f != noFamily {
			if e.has.is(hasSubject) {
				touched += s.pools[f].bySubject.touch(&e.subject)
			}
			if e.has.is(hasCorrelation) {
				touched += s.pools[f].byCorrelation.touch(&e.correlation)
			}
		}
	}
	s.touched = touched
}

// add judges the next event.
func (s *stream) add(e *event) {
	s.partnerLine = 0
	if number, takesPart := s.order(e); takesPart {
		s.lifecycle(e, number)
	}
}

// end judges what is known only when the stream has ended.
func (s *stream) end() {
	s.orphans()
	s.leftOpen()
	if s.beyond {
		s.fireLine("hux.window.unresolved", 1, "", "events that refer to what came before the window", "the whole stream")
	}
}

// check bounds what is kept.
func (s *stream) check(line int) error {
	switch {
	case line > MaxLines:
		return &LimitError{"lines", MaxLines}
	case s.states.len >= maxConversations:
		return &LimitError{"conversations", maxConversations}
	case s.bytes() > MaxState:
		return &LimitError{"bytes of state", MaxState}
	}
	return nil
}

// bytes is about how much memory the state takes.
func (s *stream) bytes() int64 {
	n := int64(0)
	for _, t := range []*table{&s.conversations, &s.events, &s.waitFor, &s.retries, &s.runsByID, &s.runsAnywhere, &s.memories, &s.artifactsByID, &s.versions} {
		n += t.bytes()
	}
	for i := range s.pools {
		n += s.pools[i].bySubject.bytes() + s.pools[i].byCorrelation.bytes()
	}
	return n + s.wide + s.states.bytes() + s.waiters.bytes() + s.openers.bytes() +
		int64(len(s.askers))*mapEntry + s.runStates.bytes() + s.artifacts.bytes()
}

// fire reports a rule about an event, with the value at a pointer.
func (s *stream) fire(rule string, e *event, pointer, expected string) {
	if s.full(rule) {
		return
	}
	s.report(rule, e.line, pointer, s.show(e, pointer), expected)
}

// fireAfter is fire with a number in what is expected.
func (s *stream) fireAfter(rule string, e *event, pointer, expected string, n flat.Decimal) {
	if s.full(rule) {
		return
	}
	s.report(rule, e.line, pointer, s.show(e, pointer), expected+n.String())
}

// fireLineOf reports that something happened again, and where it did before.
func (s *stream) fireLineOf(rule string, e *event, what string, line uint32) {
	if s.full(rule) {
		return
	}
	s.report(rule, e.line, "", "another one for the "+what+fmt.Sprintf(" of line %d", line), "one only")
}

// fireLine reports a rule about an earlier line.
func (s *stream) fireLine(rule string, line int, pointer, found, expected string) {
	if s.full(rule) {
		return
	}
	s.report(rule, line, pointer, found, expected)
}

// unresolved reports a rule unless the stream is a window, before which the
// answer may lie (§6).
func (s *stream) unresolved(rule string, line int, pointer, found, expected string) {
	if s.window != nil {
		s.beyond = true
		return
	}
	s.fireLine(rule, line, pointer, found, expected)
}

// unresolvedEvent is unresolved for the event at hand.
func (s *stream) unresolvedEvent(rule string, e *event, pointer, expected string) {
	if s.window != nil {
		s.beyond = true
		return
	}
	s.fire(rule, e, pointer, expected)
}

// full counts a finding that need not be described, because enough of its rule
// are kept.
func (s *stream) full(rule string) bool {
	if !s.out.Full(rule) {
		return false
	}
	s.out.Add(rule, verify.Place{}, verify.What{})
	return true
}

func (s *stream) report(rule string, line int, pointer, found, expected string) {
	at := verify.Place{Artifact: s.options.Name, Pointer: pointer, Line: line}
	what := verify.What{Found: found, Expected: expected}
	if s.options.Demand&Closed != 0 && leftOpenRules[rule] {
		add(s.out, rule, verify.Error, at, what)
		return
	}
	s.out.Add(rule, at, what)
}

// leftOpenRules are the rules that Closed makes errors.
var leftOpenRules = map[string]bool{
	"hux.approval.left-open": true, "hux.tool.left-open": true,
	"hux.delegation.left-open": true, "hux.run.left-open": true,
}

// add reports a rule with another severity than its own.
func add(out *verify.Findings, rule string, severity verify.Severity, at verify.Place, what verify.What) {
	r, _ := Table.Lookup(rule)
	if r.Severity == severity {
		out.Add(rule, at, what)
		return
	}
	out.Append(verify.Finding{
		Rule: rule, Severity: severity, Artifact: at.Artifact, Pointer: at.Pointer, Line: at.Line,
		Found: what.Found, Expected: what.Expected, Hint: r.Do,
	})
}

// show reads the event again to tell what is at a pointer; with none, what the
// event is.
func (s *stream) show(e *event, pointer string) string {
	v := s.read(e)
	if pointer == "" {
		if id := subjects[e.kind]; id != "" && e.has.is(hasSubject) {
			return e.kind.String() + " of " + s.reader.show(v.Get("detail").Get(id))
		}
		return e.kind.String()
	}
	for _, name := range strings.Split(pointer[1:], "/") {
		v = v.Get(name)
	}
	return s.reader.show(v)
}

// maxTold is how many waiting events are remembered by what they wait for.
const maxTold = 1000

// remember keeps the parent that a waiting event names, for its finding.
func (s *stream) remember(waiter uint32, e *event) {
	if len(s.told) < maxTold {
		s.told[waiter] = s.show(e, "/parent_event_id")
	}
}

func (s *stream) recall(waiter uint32) string {
	text := s.told[waiter]
	if text == "" {
		return "the parent_event_id of this line"
	}
	delete(s.told, waiter)
	return text
}

// read parses an event again; a worker has found its text sound.
func (s *stream) read(e *event) flat.Value {
	s.reader.parser.Parse(e.text, MaxDepth)
	return s.reader.parser.Root()
}
