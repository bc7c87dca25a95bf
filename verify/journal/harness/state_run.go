package harness

import (
	"bytes"
	"fmt"
	"slices"

	"finishline/verify/journal/flat"
)

// resumeIdentity are the members that must not change when a run is reopened.
var resumeIdentity = [...]name{nRepoRoot, nBaseCommit, nIntegrationRef, nPlanDigest, nSourceDigest}

// runFacts are what is known of the run as a whole.
type runFacts struct {
	opened      mark            // the first run.open
	first       [nameCount]id   // its text members
	contracts   map[id]id       // its taskContracts, task to digest; nil for none
	keyed       bool            // a key of them is a task
	anyTask     bool            // the journal has a taskId
	engine      id              // in force
	engines     map[id]bool     // every toSha
	reopened    map[id][]mark   // later run.opens by an engine that nothing announced so far
	runID       id              // the first
	generated   flat.Decimal    // the greatest generation
	tokens      map[id]struct{} // of supervisors
	head        id              // of the integration: latest applied or recovered
	quarantined bool
}

func newRunFacts() runFacts {
	return runFacts{engines: map[id]bool{}, reopened: map[id][]mark{}, tokens: map[id]struct{}{}}
}

// planFacts are what is known of the plan.
type planFacts struct {
	planned    bool // a plan-start was seen
	planOpen   bool
	planBroken bool // a plan-error, and no plan-start since
	counted    bool // a plan-start had a taskCount
	planTasks  flat.Decimal
	endOfPlan  stretch // of the latest plan-end since the run was opened or reopened
	endOfRun   stretch // of the latest terminal record
}

// A stretch is how a record says that the run or plan ended.
type stretch struct{ head, land id }

func (s *state) reopenPlan() {
	s.planOpen = false
	s.endOfPlan, s.endOfRun = stretch{}, stretch{}
}

// contractOf is the digest that the contract map has for a task. A task of the
// journal that is a key proves that the map counts.
func (s *state) contractOf(t id) (digest id, ok bool) {
	digest, ok = s.contracts[t]
	return digest, ok
}

func (s *state) runOpen(r *record) {
	if s.opened.line == 0 {
		s.firstOpen(r)
		return
	}
	s.sameIdentity(r)
	if v := r.textOf(nEngineSha); v != nil {
		s.resumedBy(s.texts.add(v), mark{r.line, r.kind})
	}
}

// sameIdentity compares a later run.open with the first one: the first member
// that differs is told.
func (s *state) sameIdentity(r *record) {
	for _, n := range resumeIdentity {
		if v := r.textOf(n); v != nil && s.first[n] != 0 && !bytes.Equal(v, s.texts.text(s.first[n])) {
			s.fire("harness.run.resume-identity", r, fmt.Sprintf("%s is %s", names[n], quote(v)), quote(s.texts.text(s.first[n]))+", as when the run began")
			return
		}
	}
	if r.has(nTaskContracts) && s.contracts != nil && !s.sameContracts(r) {
		s.fire("harness.run.resume-identity", r, "other taskContracts", "the taskContracts of when the run began")
	}
}

func (s *state) firstOpen(r *record) {
	s.opened = mark{r.line, r.kind}
	for _, n := range append(resumeIdentity[:], nEngineSha) {
		if v := r.textOf(n); v != nil {
			s.first[n] = s.texts.add(v)
		}
	}
	if s.first[nEngineSha] != 0 {
		s.engine = s.first[nEngineSha]
	}
	if r.has(nTaskContracts) {
		s.contract(r)
	}
	s.judgeEarly()
}

// contract notes the taskContracts of the first run.open.
func (s *state) contract(r *record) {
	s.contracts = make(map[id]id, len(r.list))
	for _, it := range r.list {
		t := s.taskIDs.add(it.name)
		s.contracts[t] = s.texts.add(it.v.b)
		s.keyed = s.keyed || s.tasks.at(t).occurs
		s.cost += 32
	}
}

func (s *state) sameContracts(r *record) bool {
	if len(r.list) != len(s.contracts) {
		return false
	}
	for _, it := range r.list {
		digest, ok := s.contracts[s.taskIDs.find(it.name)]
		if !ok || !bytes.Equal(s.texts.text(digest), it.v.b) {
			return false
		}
	}
	return true
}

// resumedBy notes the engine of a later run.open, for the rule about engines
// that were never announced.
func (s *state) resumedBy(engine id, at mark) {
	first := s.first[nEngineSha]
	if first == 0 || engine == first || s.engines[engine] {
		return
	}
	s.reopened[engine] = append(s.reopened[engine], at)
	s.cost += 24
}

func (s *state) engineMigrated(r *record) {
	from, to := r.textOf(nFromSha), r.textOf(nToSha)
	if s.engine != 0 && !bytes.Equal(from, s.texts.text(s.engine)) {
		s.fire("harness.engine.from-mismatch", r, "from "+quote(from), quote(s.texts.text(s.engine))+", the engine in force")
	}
	if bytes.Equal(from, to) {
		s.fire("harness.engine.noop", r, "from and to "+quote(from), "another engine")
	}
	s.engine = s.texts.add(to)
	s.engines[s.engine] = true
	delete(s.reopened, s.engine)
}

func (s *state) supervision(r *record) {
	generation := r.get(nGeneration).number()
	if generation.Cmp(s.generated) <= 0 {
		s.fire("harness.supervision.generation", r, "generation "+generation.String(), "more than "+s.generated.String())
	} else {
		s.generated = generation
	}
	token := s.texts.add(r.textOf(nToken))
	if _, used := s.tokens[token]; used {
		s.fire("harness.supervision.token-reuse", r, "the token of an earlier supervisor", "a token of its own")
	}
	s.tokens[token] = struct{}{}
}

// sameRun compares a runId with the first one of the journal.
func (s *state) sameRun(r *record) {
	v := r.textOf(nRunID)
	switch {
	case v == nil:
	case s.runID == 0:
		s.runID = s.texts.add(v)
	case !bytes.Equal(v, s.texts.text(s.runID)):
		s.fire("harness.identity.run-id", r, "runId "+quote(v), quote(s.texts.text(s.runID)))
	}
}

func (s *state) planStart(r *record) {
	s.sameRun(r)
	if s.planOpen {
		s.fire("harness.plan.start-duplicate", r, "while a plan is open", "plan-end first")
	}
	s.planned, s.planOpen, s.planBroken = true, true, false
	if v := r.get(nTaskCount); v.present() {
		s.counted, s.planTasks = true, v.number()
	}
}

func (s *state) planError() {
	s.planFailed, s.planBroken, s.planOpen = true, true, false
}

func (s *state) planEnd(r *record) {
	if !s.planned {
		s.fire("harness.plan.end-without-start", r, "no plan-start before it", "plan-start")
	}
	s.planOpen = false
	for _, it := range r.list {
		t := s.tasks.peek(s.taskIDs.find(it.name))
		if t != nil && t.everEnded && !bytes.Equal(it.v.b, s.texts.text(t.status)) {
			s.fire("harness.plan.status-mismatch", r, fmt.Sprintf("status %s of task %s", quote(it.v.b), quote(it.name)), quote(s.texts.text(t.status))+", as its task-end says")
			break
		}
	}
	s.endOfPlan = s.agree(r, s.endOfRun)
}

// agree compares how plan-end and the terminal record of one stretch say that
// the run ended.
func (s *state) agree(r *record, other stretch) stretch {
	var own stretch
	for _, x := range []struct {
		n     name
		rule  string
		own   *id
		other id
	}{{nIntegrationHead, "harness.plan.head-mismatch", &own.head, other.head}, {nLandStatus, "harness.plan.land-status-mismatch", &own.land, other.land}} {
		v := r.textOf(x.n)
		if v == nil {
			continue
		}
		*x.own = s.texts.add(v)
		if x.other != 0 && *x.own != x.other {
			s.fire(x.rule, r, names[x.n]+" "+quote(v), quote(s.texts.text(x.other))+", as the other record says")
		}
	}
	return own
}

// ended applies the rules of the terminal records.
func (s *state) ended(r *record) {
	status := r.textOf(nStatus)
	contradicts := r.kind == runComplete && (statusBad.has(status) || statusIncomplete.has(status)) ||
		(r.kind == runFailed || r.kind == runIncomplete) && statusDone.has(status)
	if contradicts {
		s.fire("harness.run.status-contradiction", r, "status "+quote(status), "a status that agrees with "+kinds[r.kind].name)
	}
	if head := r.textOf(nIntegrationHead); head != nil && s.head != 0 && !bytes.Equal(head, s.texts.text(s.head)) {
		s.fire("harness.run.head-mismatch", r, "integrationHead "+quote(head), quote(s.texts.text(s.head))+", the last integrated result")
	}
	s.endOfRun = s.agree(r, s.endOfPlan)
	switch r.kind {
	case runComplete:
		s.completed(r)
	case runFailed, runIncomplete:
		if s.taskCount.open > 0 {
			const rule = "harness.task.left-open"
			s.fire(rule, r, fmt.Sprintf("%d tasks open%s", s.taskCount.open, s.suchAs(rule, s.isOpen)), "every task ended")
		}
	}
}

func (s *state) completed(r *record) {
	c := &s.taskCount
	if left := c.open + c.suspended; left > 0 {
		const rule = "harness.run.complete-open-tasks"
		s.fire(rule, r, fmt.Sprintf("%d tasks open or suspended%s", left, s.suchAs(rule, func(t *task) bool { return t.open })), "every task ended")
	}
	if len(s.intents) > 0 {
		s.fire("harness.run.complete-open-intent", r, fmt.Sprintf("%d integrations announced and not applied, the first in line %d", len(s.intents), s.firstIntent()), "none")
	}
	if c.bad > 0 {
		const rule = "harness.run.complete-bad-task"
		s.fire(rule, r, fmt.Sprintf("%d tasks ended badly%s", c.bad, s.suchAs(rule, (*task).isBad)), "none")
	}
	if s.planBroken {
		s.fire("harness.run.complete-after-plan-error", r, "a plan-error and no plan-start after it", "a plan that was executed")
	}
	if s.quarantined {
		s.fire("harness.run.complete-quarantined", r, "something was quarantined", "nothing quarantined")
	}
	if s.counted && flat.Int(int64(c.seen)).Cmp(s.planTasks) < 0 {
		s.fire("harness.run.complete-task-count", r, fmt.Sprintf("%d tasks started or ended", c.seen), s.planTasks.String()+", as the plan says")
	}
}

// suchAs names the first task of the journal that is so, where a finding will
// tell it: nobody walks over all tasks for one that is only counted.
func (s *state) suchAs(rule string, is func(*task) bool) string {
	if s.out.Full(rule) {
		return ""
	}
	for i := id(1); int(i) <= s.taskIDs.len(); i++ {
		if t := s.tasks.peek(i); t != nil && is(t) {
			return ", such as " + quote(s.taskIDs.text(i))
		}
	}
	return ""
}

// firstIntent is the line of the first integration that is announced.
func (s *state) firstIntent() int {
	first := 0
	for _, x := range s.intents {
		if first == 0 || x.at.line < first {
			first = x.at.line
		}
	}
	return first
}

// finishRun evaluates the end rules of the run.
func (s *state) finishRun() {
	if len(s.contracts) > 0 && s.anyTask && !s.keyed {
		s.fireAt("harness.run.contracts-unkeyed", s.opened, fmt.Sprintf("%d keys of taskContracts, none of them a task of the journal", len(s.contracts)), "taskContracts keyed by taskId")
	}
	if s.keyed {
		s.out.Merge(s.uncontracted)
	}
	var strange []leftover
	for engine, marks := range s.reopened {
		for _, at := range marks {
			strange = append(strange, leftover{at, engine})
		}
	}
	s.fireLeft("harness.engine.unannounced-change", strange, nEngineSha, s.texts, "neither the first engine nor that of any engine.migrated", "engine.migrated for every change")
}

// A wordSet is a set of words that are compared without regard to ASCII case.
type wordSet []string

var (
	statusDone       = wordSet{"passed", "pass", "done", "complete", "completed", "success", "succeeded", "landed", "integrated", "merged", "ok"}
	statusBad        = wordSet{"failed", "fail", "failure", "error", "errored", "blocked", "quarantined", "cancelled", "canceled", "aborted", "interrupted"}
	statusNeutral    = wordSet{"skipped", "deferred", "noop"}
	statusIncomplete = wordSet{"incomplete"}
	blocking         = wordSet{"blocker", "blocking", "critical", "high", "error"}
)

func (w wordSet) has(b []byte) bool {
	return slices.ContainsFunc(w, func(word string) bool {
		if len(word) != len(b) {
			return false
		}
		for i, c := range b {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != word[i] {
				return false
			}
		}
		return true
	})
}
