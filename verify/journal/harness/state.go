package harness

import (
	"fmt"
	"slices"

	"finishline/verify"
	"finishline/verify/journal/flat"
)

// MaxState bounds, in bytes, what the cross-record rules may have to remember
// of a journal. They remember ids, not records: about 120 bytes for every
// attempt and 500 for every task, so that honest journals of many gigabytes
// stay far below. What is beyond is refused with a *[StateError], not judged.
const MaxState = 1 << 30

// A StateError says that a journal has more distinct ids than are remembered.
type StateError struct{ Line int }

func (e *StateError) Error() string {
	return fmt.Sprintf("line %d: the journal has more distinct ids than the %d MiB that are set aside for them", e.Line, MaxState>>20)
}

// runState is where the run stands (section 5).
type runState uint8

const (
	preamble runState = iota
	open
	final
	resumable
)

var runStateNames = [...]string{"preamble", "open", "final", "resumable"}

// state is what the cross-record rules remember (sections 5 and 6). It is fed
// the records in order.
type state struct {
	cfg *config
	out *verify.Findings
	// uncontracted are findings that count only if a key of taskContracts
	// turns out to be a task, which the last line may show.
	uncontracted *verify.Findings

	run        runState
	grace      bool // one run.open is accepted after open-first
	window     bool // a resume window is open
	windowUsed bool
	epoch      uint32 // how often the run was reopened
	terminal   kind   // the latest terminal record
	last       mark
	planFailed bool // a plan-error was seen
	openFirst  bool // harness.run.open-first fired

	runFacts
	planFacts
	early map[early]sightings // records before the first run.open

	texts     *interner // phases, bindings, digests, commits, receipts, …
	taskIDs   *interner
	taskNames *interner
	tasks     store[task]
	named     store[taskName]
	taskCount taskCount

	receipts    map[id]id // receipt to the task it was issued for
	checkpoints map[id]struct{}
	leases      map[flat.Decimal]lease
	leaseEpoch  flat.Decimal // the greatest
	intents     map[id]intent
	results     map[result]*pair

	reviews map[triple]*queue
	greens  map[double]*green
	retries map[double]id // the fingerprint of the latest failed retry
	stops   map[stop]struct{}
	parks   map[triple]*park

	attempts attempts

	cost int // bytes remembered, roughly
}

// A mark is where a finding that is made later will point.
type mark struct {
	line int
	kind kind
}

// Composite keys of section 5.
type (
	double struct{ task, phase id }          // K and G
	triple struct{ task, phase, binding id } // P and V
	stop   struct {
		double
		fingerprint id
	}
	result struct{ task, commit id }
)

func newState(cfg *config) *state {
	return &state{
		cfg: cfg, out: Table.Collect(verify.Strict), uncontracted: Table.Collect(verify.Strict),
		texts: newInterner(), taskIDs: newInterner(), taskNames: newInterner(),
		receipts: map[id]id{}, checkpoints: map[id]struct{}{}, leases: map[flat.Decimal]lease{},
		intents: map[id]intent{}, results: map[result]*pair{},
		reviews: map[triple]*queue{}, greens: map[double]*green{}, retries: map[double]id{}, stops: map[stop]struct{}{}, parks: map[triple]*park{},
		attempts: newAttempts(),
		runFacts: newRunFacts(),
		early:    map[early]sightings{},
	}
}

// apply takes the next record, and reports whether any other rule looks at it.
func (s *state) apply(r *record) (counts bool, err error) {
	if s.cost+s.interned() > MaxState {
		return false, &StateError{r.line}
	}
	s.last = mark{r.line, r.kind}
	t := s.nameTask(r)
	if !s.advance(r) {
		return false, nil
	}
	if kinds[r.kind].quality {
		s.identity(r, t)
	}
	s.dispatch(r, t)
	return true, nil
}

func (s *state) interned() int {
	total := 0
	for _, n := range [...]*interner{s.texts, s.taskIDs, s.taskNames, s.attempts.ids} {
		total += n.bytes + 32*n.len()
	}
	return total
}

// dispatch applies the rules of one kind.
func (s *state) dispatch(r *record, t id) {
	switch r.kind {
	case planStart:
		s.planStart(r)
	case planEnd:
		s.planEnd(r)
	case planError:
		s.planError()
	case runOpen:
		s.runOpen(r)
	case engineMigrated:
		s.engineMigrated(r)
	case runComplete, runIncomplete, runFailed, runInterrupted:
		s.ended(r)
	case supervisionRegistered:
		s.supervision(r)
	case quarantine:
		s.quarantined = true
	case taskStart:
		s.taskStart(r, t)
	case taskEnd:
		s.taskEnd(r, t)
	case provisionFailed:
		s.provisionFailed(r)
	case qualityPassed:
		s.qualityPassed(r, t)
	case taskCheckpoint:
		s.checkpoint(r, t)
	case integrationIntent:
		s.intent(r, t)
	case integrationApplied:
		s.applied(r, t)
	case integrationRecovered:
		s.recovered(r, t)
	case attemptPrompt, attemptReply, attemptUsage, attemptHeartbeat, attemptActivity:
		s.attempt(r)
	default:
		s.work(r, t)
	}
}

// advance moves the run state. It reports false for a record that no other
// rule looks at.
func (s *state) advance(r *record) bool {
	switch s.run {
	case preamble:
		switch r.kind {
		case supervisionRegistered, planStart, planError:
			return true
		case runOpen:
			s.run = open
			return true
		}
		s.fire("harness.run.open-first", r, "before any run.open", "run.open")
		s.openFirst, s.grace, s.run = true, true, open
		s.inOpen(r)
		return true
	case open:
		s.inOpen(r)
		return true
	}
	switch {
	case r.kind == planEnd:
		return true
	case terminal(r.kind):
		s.fire("harness.run.terminal-duplicate", r, "after "+kinds[s.terminal].name, "nothing after the end, unless the run is reopened first")
		return false
	case s.run == resumable && reopens(r.kind):
		s.reopen(r)
		return true
	}
	s.fire("harness.run.after-terminal", r, "after "+kinds[s.terminal].name, "nothing after the end, unless the run is reopened first")
	return false
}

func terminal(k kind) bool {
	return k == runComplete || k == runIncomplete || k == runFailed || k == runInterrupted
}

func reopens(k kind) bool {
	return k == runOpen || k == engineMigrated || k == supervisionRegistered || k == planStart
}

func (s *state) inOpen(r *record) {
	switch r.kind {
	case runOpen:
		switch {
		case s.window && !s.windowUsed:
			s.windowUsed, s.grace = true, false
		case s.grace:
			s.grace = false
		default:
			s.fire("harness.run.open-duplicate", r, "while the run is open", "run.open once, and once after each stop")
		}
		return
	case runComplete, runFailed:
		s.run, s.terminal = final, r.kind
	case runIncomplete, runInterrupted:
		s.run, s.terminal = resumable, r.kind
	}
	if !reopens(r.kind) && r.kind != planError {
		s.window = false
	}
}

// reopen forgets what a stop ends.
func (s *state) reopen(r *record) {
	s.run, s.window, s.windowUsed = open, true, r.kind == runOpen
	if s.windowUsed {
		s.grace = false
	}
	s.epoch++
	s.taskCount.suspended += s.taskCount.open
	s.taskCount.open = 0
	clear(s.reviews)
	clear(s.stops)
	s.reopenPlan()
}

// fire reports a rule about the record being looked at.
func (s *state) fire(rule string, r *record, found, expected string) {
	s.fireTo(s.out, rule, r, found, expected)
}

func (s *state) fireTo(out *verify.Findings, rule string, r *record, found, expected string) {
	if out.Full(rule) {
		out.Add(rule, verify.Place{}, verify.What{})
		return
	}
	out.Add(rule, verify.AtLine(s.cfg.Path, r.line), verify.What{Found: subject(r) + ": " + found, Expected: expected})
}

// fireAt reports a rule about an earlier record.
func (s *state) fireAt(rule string, at mark, found, expected string) {
	s.fireAtTo(s.out, rule, at, found, expected)
}

func (s *state) fireAtTo(out *verify.Findings, rule string, at mark, found, expected string) {
	if out.Full(rule) {
		out.Add(rule, verify.Place{}, verify.What{})
		return
	}
	out.Add(rule, verify.AtLine(s.cfg.Path, at.line), verify.What{Found: kinds[at.kind].name + ": " + found, Expected: expected})
}

// subject names a record by its kind and ids.
func subject(r *record) string {
	for _, n := range [...]name{nAttemptID, nCheckpointID, nReceiptID, nTaskID, nTask, nToken} {
		if b := r.textOf(n); b != nil {
			return kinds[r.kind].name + " with " + names[n] + " " + quote(b)
		}
	}
	return kinds[r.kind].name
}

// quote shows text of the journal.
func quote(b []byte) string {
	const most = 80
	if len(b) > 2*most { // bounds the work; the text is cut again
		b = b[:2*most]
	}
	q := verify.Quote(string(b))
	if len(q) > most {
		q = q[:most] + "…"
	}
	return q
}

// finish evaluates the rules of the end and hands out all findings.
func (s *state) finish() *verify.Findings {
	if s.opened.line == 0 && !s.openFirst && !s.planFailed {
		s.fireAt("harness.run.open-missing", s.last, "the last record, and no run.open before it", "run.open")
	}
	if s.run == open {
		s.unfinished()
	}
	s.finishRun()
	s.finishTasks()
	if s.run == final {
		s.finishWork()
		s.finishAttempts()
	}
	return s.out
}

// unfinished reports a run without an end: a warning, or an error when an end is
// demanded.
func (s *state) unfinished() {
	const rule = "harness.run.terminal-missing"
	what := verify.What{Found: kinds[s.last.kind].name + ": the last record, and the run is open", Expected: "run.complete, run.incomplete, run.failed or run.interrupted"}
	at := verify.AtLine(s.cfg.Path, s.last.line)
	if s.cfg.Demand&Terminal != 0 {
		appendRaised(s.out, rule, at, what)
		return
	}
	s.out.Add(rule, at, what)
}

// A leftover is what was left open at the end: by which record, and whose.
type leftover struct {
	mark
	who id
}

// fireLeft reports a rule about everything that was left open, in the order of
// the journal. Member is what the record calls its owner, whose text lies in
// texts.
func (s *state) fireLeft(rule string, left []leftover, member name, texts *interner, found, expected string) {
	slices.SortFunc(left, func(a, b leftover) int { return a.line - b.line })
	for _, l := range left {
		s.fireAt(rule, l.mark, names[member]+" "+quote(texts.text(l.who))+", "+found, expected)
	}
}
