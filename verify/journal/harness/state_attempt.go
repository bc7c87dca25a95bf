package harness

import (
	"bytes"
	"math"

	"finishline/verify/journal/flat"
)

// attempts are what is known of the worker calls of a journal. There may be
// many, so that each takes little room.
type attempts struct {
	ids  *interner
	list store[attempt]
	// wide are the numbers that are no small integers, of all attempts.
	wide []flat.Decimal
	// sums are the usageDeltas of attempts whose sum is no small integer.
	sums map[id]*[2]flat.Sum
}

func newAttempts() attempts {
	return attempts{ids: newInterner(), sums: map[id]*[2]flat.Sum{}}
}

// A packed is a number of at least 0: itself when it is small, else the place
// of it in attempts.wide, as -1 - index.
type packed int64

func (a *attempts) pack(v val) packed {
	if !v.wide {
		return packed(v.n)
	}
	d := v.number()
	if n, ok := d.Small(); ok {
		return packed(n)
	}
	a.wide = append(a.wide, d)
	return packed(-len(a.wide))
}

func (a *attempts) unpack(p packed) flat.Decimal {
	if p >= 0 {
		return flat.Int(int64(p))
	}
	return a.wide[-1-p]
}

// An attempt is one worker call.
type attempt struct {
	line            int // of its prompt
	timeout         packed
	elapsed, events packed // of its latest heartbeat
	pid             packed
	tokens          [2]int64 // input and output reported by heartbeats, while small
	account, model  id       // of the prompt; 0 for none
	prompted        bool
	beat            bool // had a heartbeat
	replied         bool
	used            bool // had a usage record
	summed          bool // tokens are in attempts.sums
}

// attempt applies the rules of attempts.
func (s *state) attempt(r *record) {
	i := s.attempts.ids.find(r.textOf(nAttemptID))
	if r.kind == attemptPrompt {
		s.prompted(r)
		return
	}
	if i == 0 {
		s.fire("harness.attempt.orphan", r, "no prompt of this attempt before it", "attempt.prompt first")
		return
	}
	a := s.attempts.list.at(i)
	switch r.kind {
	case attemptReply:
		s.replied(r, a)
	case attemptUsage:
		s.used(r, a, i)
	case attemptHeartbeat:
		s.heartbeat(r, a, i)
	}
}

func (s *state) prompted(r *record) {
	a := s.attempts.list.at(s.attempts.ids.add(r.textOf(nAttemptID)))
	if a.prompted {
		s.fire("harness.attempt.prompt-duplicate", r, "prompted before", "an id of its own")
		return
	}
	*a = attempt{prompted: true, line: r.line, timeout: s.attempts.pack(r.get(nTimeoutSecs)), model: s.texts.add(r.textOf(nModel))}
	if v := r.textOf(nAccount); v != nil {
		a.account = s.texts.add(v)
	}
	s.cost += 96
}

func (s *state) replied(r *record, a *attempt) {
	if a.replied {
		s.fire("harness.attempt.reply-duplicate", r, "replied before", "one reply")
	}
	a.replied = true
	if r.get(nValid).kind == flat.False && r.has(nVerdict) {
		s.fire("harness.attempt.reply-verdict-invalid", r, "valid: false and a verdict", "a verdict only of a valid reply")
	}
	if v := r.textOf(nAccount); v != nil && a.account != 0 && !bytes.Equal(v, s.texts.text(a.account)) {
		s.fire("harness.attempt.account-changed", r, "account "+quote(v), quote(s.texts.text(a.account))+", as prompted")
	}
}

func (s *state) used(r *record, a *attempt, i id) {
	if a.used {
		s.fire("harness.attempt.usage-duplicate", r, "a usage record before it", "one usage record")
	}
	a.used = true
	if model := r.textOf(nModel); len(model) > 0 && len(s.texts.text(a.model)) > 0 && !bytes.Equal(model, s.texts.text(a.model)) {
		s.fire("harness.attempt.model-changed", r, "model "+quote(model), quote(s.texts.text(a.model))+", as prompted")
	}
	for side, n := range tokenNames {
		v := r.get(n)
		if v.present() && s.reportedMore(a, i, side, v) {
			s.fire("harness.attempt.usage-below-delta", r, names[n]+" "+v.number().String(), "at least what its heartbeats add up to")
			return
		}
	}
}

var tokenNames = [2]name{nInputTokens, nOutputTokens}

func (s *state) reportedMore(a *attempt, i id, side int, v val) bool {
	if a.summed {
		return s.attempts.sums[i][side].Cmp(v.number()) > 0
	}
	if !v.wide {
		return a.tokens[side] > v.n
	}
	return flat.Int(a.tokens[side]).Cmp(v.number()) > 0
}

// report adds a usageDelta.
func (s *state) report(a *attempt, i id, side int, v val) {
	if !a.summed && !v.wide && a.tokens[side] < math.MaxInt64/8 { // a small integer is less than that
		a.tokens[side] += v.n
		return
	}
	if !a.summed {
		a.summed = true
		sums := &[2]flat.Sum{}
		for side := range sums {
			sums[side].Add(flat.Int(a.tokens[side]))
		}
		s.attempts.sums[i] = sums
		s.cost += 200
	}
	sum := &s.attempts.sums[i][side]
	before := sum.Limbs()
	sum.Add(v.number())
	s.cost += 48 * (sum.Limbs() - before)
}

func (s *state) heartbeat(r *record, a *attempt, i id) {
	elapsed, events, timeout, pid := r.get(nElapsedSecs), r.get(nEventCount), r.get(nTimeoutSecs), r.get(nPid)
	at := &s.attempts
	if a.replied {
		s.fire("harness.attempt.heartbeat-after-reply", r, "after the reply", "no heartbeat after the reply")
	}
	if compare(timeout, at, a.timeout) != 0 {
		s.fire("harness.attempt.heartbeat-timeout", r, "timeoutSecs "+timeout.number().String(), at.unpack(a.timeout).String()+", as prompted")
	}
	if elapsed.number().Cmp(timeout.number()) > 0 {
		s.fire("harness.attempt.heartbeat-overrun", r, "elapsedSecs "+elapsed.number().String(), "at most timeoutSecs, "+timeout.number().String())
	}
	if a.beat {
		if compare(elapsed, at, a.elapsed) < 0 {
			s.fire("harness.attempt.heartbeat-elapsed", r, "elapsedSecs "+elapsed.number().String(), "at least "+at.unpack(a.elapsed).String())
		}
		if compare(events, at, a.events) < 0 {
			s.fire("harness.attempt.heartbeat-events", r, "eventCount "+events.number().String(), "at least "+at.unpack(a.events).String())
		}
		if compare(pid, at, a.pid) != 0 {
			s.fire("harness.attempt.heartbeat-pid", r, "pid "+pid.number().String(), at.unpack(a.pid).String()+", as before")
		}
	}
	before := len(at.wide)
	a.beat, a.elapsed, a.events, a.pid = true, at.pack(elapsed), at.pack(events), at.pack(pid)
	for n := before; n < len(at.wide); n++ {
		s.cost += 64 + at.wide[n].Size()
	}
	for _, it := range r.list {
		for side, n := range tokenNames {
			if string(it.name) == names[n] {
				s.report(a, i, side, it.v)
			}
		}
	}
}

// compare compares a member with a number that was kept.
func compare(v val, at *attempts, p packed) int {
	if !v.wide && p >= 0 {
		switch {
		case v.n < int64(p):
			return -1
		case v.n > int64(p):
			return 1
		}
		return 0
	}
	return v.number().Cmp(at.unpack(p))
}

// finishAttempts evaluates the end rule of attempts.
func (s *state) finishAttempts() {
	for i := 1; i <= s.attempts.ids.len(); i++ {
		if a := s.attempts.list.at(id(i)); !a.replied {
			s.fireAt("harness.attempt.no-reply", mark{a.line, attemptPrompt}, "no reply of attempt "+quote(s.attempts.ids.text(id(i))), "attempt.reply")
		}
	}
}
