package harness

import (
	"fmt"

	"finishline/verify/journal/flat"
)

// A taskName is what is known of a task string, which reviews, verification,
// fixes and budgets go by.
type taskName struct {
	task     id // the taskId it first stood for
	failed   bool
	findings int64        // of the latest FAIL
	revise   flat.Decimal // the latest attempt of review.revise, 0 for none
	retry    flat.Decimal // of verify.retry
	cap      flat.Decimal // of the latest budget.exhausted, 0 for none
	spent    uint32       // epoch + 1 in which the budget was exhausted
}

// A green is what is known of a task string in a phase.
type green struct {
	reviewFailed, verifyFailed bool // the latest of each
	rung                       int8 // of the latest fix, 0 for none
}

// A queue holds reviews that were asked for and not yet answered.
type queue struct {
	marks []mark
}

// A park is a place where work waits for a rate limit.
type park struct {
	since uint32 // epoch + 1 in which it waits, which ends when the run is reopened; 0 for not
	at    mark
	count flat.Decimal // the latest parkCount, 0 for none
}

// parkedAt is what is known of a place, and whether work waits there.
func (s *state) parkedAt(p triple) (at *park, parked bool) {
	at = s.parks[p]
	return at, at != nil && at.since == s.epoch+1
}

// identity applies the rules that hold for every quality identity.
func (s *state) identity(r *record, i id) {
	s.sameRun(r)
	n := s.name(r)
	switch {
	case n.task == 0:
		n.task = i
	case n.task != i:
		s.fire("harness.identity.task-map", r, "task "+quote(r.textOf(nTask))+" stands for another taskId before", quote(s.taskIDs.text(n.task)))
	}
	if t := s.tasks.at(i); !t.started && !t.toldWork {
		t.toldWork = true
		s.fire("harness.task.not-started-attempt", r, "no task-start before it", "task-start")
	}
}

// name is what is known of the task string of a record.
func (s *state) name(r *record) *taskName {
	i := s.taskNames.add(r.textOf(nTask))
	if before := s.named.peek(i); before == nil {
		s.cost += 160 * pieceLen
	}
	return s.named.at(i)
}

func (s *state) green(r *record) *green {
	key := double{s.taskNames.add(r.textOf(nTask)), s.texts.add(r.textOf(nPhase))}
	g := s.greens[key]
	if g == nil {
		g = &green{}
		s.greens[key] = g
		s.cost += 64
	}
	return g
}

// work applies the rules of reviews, verification, fixes, budgets, retries and
// rate limits.
func (s *state) work(r *record, i id) {
	switch r.kind {
	case reviewAttempt:
		s.reviewAsked(r)
	case reviewVerdict:
		s.reviewed(r)
	case reviewRevise:
		s.revised(r)
	case qualityGreen:
		if g := s.green(r); g.reviewFailed || g.verifyFailed {
			s.fire("harness.quality.green-unsupported", r, "the latest review or verification of this phase failed", "a PASS and a verification that passed")
		}
	case verifyPassed:
		s.green(r).verifyFailed = false
		if r.bad {
			s.fire("harness.verify.passed-nonzero", r, "a command with another code than 0", "code 0 for every command")
		}
	case verifyFailed:
		s.green(r).verifyFailed = true
		if r.get(nCode).number().Sign() == 0 {
			s.fire("harness.verify.failed-zero", r, "code 0", "another exit status")
		}
	case verifyRetry:
		s.verifyAgain(r)
	case fixRung:
		s.fix(r)
	case budgetExhausted:
		s.budget(r)
	case dispatchAttempt, gateAttempt, retryAttempt, retryStopLoss, rateLimitParked, rateLimitHeartbeat, rateLimitWoken:
		s.quality(r, i)
	}
}

func (s *state) reviewKey(r *record) triple {
	return triple{s.taskNames.add(r.textOf(nTask)), s.texts.add(r.textOf(nPhase)), s.texts.add(r.textOf(nBinding))}
}

func (s *state) reviewAsked(r *record) {
	key := s.reviewKey(r)
	q := s.reviews[key]
	if q == nil {
		q = &queue{}
		s.reviews[key] = q
		s.cost += 80
	}
	q.marks = append(q.marks, mark{r.line, r.kind})
	s.cost += 16
}

func (s *state) reviewed(r *record) {
	key := s.reviewKey(r)
	if q := s.reviews[key]; q == nil {
		s.fire("harness.review.verdict-without-attempt", r, "no review of this task, phase and binding is asked for", "review.attempt first")
	} else if q.marks = q.marks[1:]; len(q.marks) == 0 {
		delete(s.reviews, key)
	}
	failed := string(r.textOf(nVerdict)) == "FAIL"
	findings := r.get(nFindings).n
	switch {
	case failed && findings == 0:
		s.fire("harness.review.fail-without-findings", r, "FAIL with no finding", "a finding that says why")
	case !failed && r.bad:
		s.fire("harness.review.pass-with-blocking", r, "PASS with a finding that blocks", "FAIL, or findings that do not block")
	}
	s.green(r).reviewFailed = failed
	if failed {
		n := s.name(r)
		n.failed, n.findings = true, findings
	}
}

// follows reports whether a number is 1, or one more than the number before.
func follows(number, before flat.Decimal) bool {
	if number == flat.Int(1) {
		return true
	}
	return before.Sign() > 0 && succeeds(number, before)
}

// succeeds reports whether number is exactly before + 1.
func succeeds(number, before flat.Decimal) bool {
	var next flat.Sum
	next.Add(before)
	next.Add(flat.Int(1))
	return next.Cmp(number) == 0
}

func (s *state) revised(r *record) {
	n := s.name(r)
	attempt, findings := r.get(nAttempt).number(), r.get(nFindingsCount).number()
	if !n.failed {
		s.fire("harness.review.revise-without-fail", r, "no FAIL of this task before it", "review.verdict with FAIL first")
	} else if findings != flat.Int(n.findings) {
		s.fire("harness.review.revise-count", r, "findingsCount "+findings.String(), fmt.Sprintf("%d, as the latest FAIL has", n.findings))
	}
	if !follows(attempt, n.revise) {
		s.fire("harness.review.revise-order", r, "attempt "+attempt.String(), "1, or one more than "+n.revise.String())
	}
	n.revise = attempt
}

func (s *state) verifyAgain(r *record) {
	n := s.name(r)
	attempt := r.get(nAttempt).number()
	if r.get(nCode).number().Sign() == 0 {
		s.fire("harness.verify.retry-zero", r, "code 0", "the code of a failure")
	}
	if !follows(attempt, n.retry) {
		s.fire("harness.verify.retry-order", r, "attempt "+attempt.String(), "1, or one more than "+n.retry.String())
	}
	n.retry = attempt
}

// rungs are the steps of the repair ladder, from 1.
var rungs = map[string]int8{"dependency-repair": 1, "fixer": 2, "stronger-fixer": 3}

func (s *state) fix(r *record) {
	g := s.green(r)
	rung := rungs[string(r.textOf(nRung))]
	if rung < g.rung {
		s.fire("harness.fix.rung-order", r, "rung "+quote(r.textOf(nRung)), "no lower rung than before")
	}
	g.rung = rung
}

func (s *state) budget(r *record) {
	n := s.name(r)
	count, limit := r.get(nCount).number(), r.get(nCap).number()
	if count.Cmp(limit) < 0 {
		s.fire("harness.budget.count-below-cap", r, "count "+count.String(), "at least the cap, "+limit.String())
	}
	if n.cap.Sign() > 0 && n.cap != limit {
		s.fire("harness.budget.cap-changed", r, "cap "+limit.String(), n.cap.String()+", as before")
	}
	n.cap, n.spent = limit, s.epoch+1
}

// quality applies the rules of dispatches, gates, retries and rate limits,
// which carry the quality identity.
func (s *state) quality(r *record, i id) {
	phase := s.texts.add(r.textOf(nPhase))
	k := double{i, phase}
	p := triple{i, phase, s.texts.add(r.textOf(nBinding))}
	switch r.kind {
	case dispatchAttempt:
		if s.name(r).spent == s.epoch+1 {
			s.fire("harness.budget.dispatch-after", r, "the budget of task "+quote(r.textOf(nTask))+" is exhausted", "no further dispatch")
		}
		s.progress(r, p)
	case gateAttempt:
		s.progress(r, p)
	case retryAttempt:
		s.progress(r, p)
		s.retried(r, k)
	case retryStopLoss:
		s.stopLoss(r, k)
	default:
		s.limited(r, p)
	}
}

// progress reports work on something that is parked.
func (s *state) progress(r *record, p triple) {
	if at, parked := s.parkedAt(p); parked {
		s.fire("harness.rate-limit.progress-while-parked", r, fmt.Sprintf("parked since line %d", at.at.line), "rate-limit.woken first")
	}
}

func (s *state) retried(r *record, k double) {
	fingerprint := s.texts.add(r.textOf(nFailureFingerprint))
	if _, stopped := s.stops[stop{k, fingerprint}]; stopped {
		s.fire("harness.retry.after-stop-loss", r, "retrying this failure was stopped", "no further retry")
	}
	if string(r.textOf(nOutcome)) == "failed" {
		if _, known := s.retries[k]; !known {
			s.cost += 40
		}
		s.retries[k] = fingerprint
	}
}

func (s *state) stopLoss(r *record, k double) {
	fingerprint := s.texts.add(r.textOf(nFailureFingerprint))
	switch latest, failed := s.retries[k]; {
	case !failed:
		s.fire("harness.retry.stop-loss-without-failure", r, "no failed retry of this task and phase before it", "retry.attempt with outcome failed")
	case latest != fingerprint:
		s.fire("harness.retry.fingerprint-mismatch", r, "failureFingerprint "+quote(r.textOf(nFailureFingerprint)), quote(s.texts.text(latest))+", as the latest failed retry has")
	}
	key := stop{k, fingerprint}
	if _, stopped := s.stops[key]; stopped {
		s.fire("harness.retry.stop-loss-duplicate", r, "retrying this failure was stopped", "one stop-loss for one failure")
	}
	s.stops[key] = struct{}{}
	s.cost += 32
}

// limited applies the rules of rate limits.
func (s *state) limited(r *record, p triple) {
	at, parked := s.parkedAt(p)
	switch {
	case r.kind == rateLimitHeartbeat && !parked:
		s.fire("harness.rate-limit.heartbeat-without-parked", r, "not parked", "rate-limit.parked first")
	case r.kind == rateLimitWoken && !parked:
		s.fire("harness.rate-limit.woken-without-parked", r, "not parked", "rate-limit.parked first")
	case r.kind == rateLimitWoken:
		at.since = 0
	case r.kind == rateLimitParked:
		s.parked(r, p)
	}
}

func (s *state) parked(r *record, p triple) {
	at, parked := s.parkedAt(p)
	if at == nil {
		at = &park{}
		s.parks[p] = at
		s.cost += 128
	}
	if parked {
		s.fire("harness.rate-limit.parked-twice", r, fmt.Sprintf("parked since line %d", at.at.line), "rate-limit.woken first")
	} else {
		at.since, at.at = s.epoch+1, mark{r.line, r.kind}
	}
	if v := r.get(nParkCount); v.present() {
		count := v.number()
		if count.Cmp(at.count) <= 0 {
			s.fire("harness.rate-limit.park-count", r, "parkCount "+count.String(), "more than "+at.count.String())
		}
		at.count = count
	}
	if v := r.get(nResetAt); v.present() {
		if _, ok := parseInstant(v.b); !ok {
			s.fire("harness.rate-limit.reset-at", r, "resetAt "+quote(v.b), "a date-time such as 2026-05-04T10:15:00Z")
		}
	}
}

// finishWork evaluates the end rules of reviews and rate limits.
func (s *state) finishWork() {
	var asked, waiting []leftover
	for key, q := range s.reviews {
		asked = append(asked, leftover{q.marks[0], key.task})
	}
	for key := range s.parks {
		if at, parked := s.parkedAt(key); parked {
			waiting = append(waiting, leftover{at.at, key.task})
		}
	}
	s.fireLeft("harness.review.attempt-open", asked, nTask, s.taskNames, "no verdict", "review.verdict")
	s.fireLeft("harness.rate-limit.left-parked", waiting, nTaskID, s.taskIDs, "still parked when the run ended", "rate-limit.woken")
}
