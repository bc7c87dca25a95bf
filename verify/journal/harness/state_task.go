package harness

import (
	"bytes"
	"fmt"
	"slices"

	"finishline/verify"
	"finishline/verify/journal/flat"
)

// statusClass is what the status of a task says (section 5).
type statusClass uint8

const (
	statusUnknown statusClass = iota
	done
	bad
	neutral
)

func classify(status []byte) statusClass {
	switch {
	case statusDone.has(status):
		return done
	case statusBad.has(status):
		return bad
	case statusNeutral.has(status):
		return neutral
	}
	return statusUnknown
}

// A task is what is known of a taskId.
type task struct {
	epoch      uint32 // of its latest start
	status     id     // of its latest task-end
	class      statusClass
	occurs     bool // a record has this taskId
	started    bool // had a task-start
	everEnded  bool // had a task-end
	open       bool // or suspended, when the run was reopened since
	ended      bool
	told       bool // harness.task.not-started
	toldWork   bool // harness.task.not-started-attempt
	integrated id   // the latest result that was integrated for it
}

// taskCount counts tasks by where they stand, so that no rule walks over all
// of them.
type taskCount struct {
	started   int // distinct tasks with a task-start
	seen      int // distinct tasks with a task-start or task-end
	open      int
	suspended int
	bad       int // ended, with a latest status that is bad
}

// nameTask notes the taskId of a record.
func (s *state) nameTask(r *record) id {
	v := r.textOf(nTaskID)
	if v == nil {
		return 0
	}
	t := s.taskIDs.add(v)
	task := s.tasks.at(t)
	if !task.occurs {
		task.occurs, s.anyTask = true, true
		s.cost += 32
		if _, key := s.contracts[t]; key {
			s.keyed = true
		}
	}
	return t
}

// isOpen reports whether a task is open, and not suspended.
func (s *state) isOpen(t *task) bool { return t.open && t.epoch == s.epoch }

// isBad reports whether a task ended, and badly.
func (t *task) isBad() bool { return t.ended && t.class == bad }

// leave takes a task out of the counts of where it stands.
func (s *state) leave(t *task) {
	switch {
	case s.isOpen(t):
		s.taskCount.open--
	case t.open:
		s.taskCount.suspended--
	case t.isBad():
		s.taskCount.bad--
	}
	t.open, t.ended = false, false
}

func (s *state) taskStart(r *record, i id) {
	t := s.tasks.at(i)
	switch {
	case s.isOpen(t):
		s.fire("harness.task.start-duplicate", r, "while it is open", "task-end first")
	case t.ended && t.class == done:
		s.fire("harness.task.restart-after-success", r, "after status "+quote(s.texts.text(t.status)), "no further start")
	}
	s.contracted(r, i)
	if !t.started {
		s.taskCount.started++
		if s.counted && flat.Int(int64(s.taskCount.started)).Cmp(s.planTasks) > 0 {
			s.fire("harness.plan.task-count-exceeded", r, fmt.Sprintf("task %d", s.taskCount.started), "at most "+s.planTasks.String()+", as the plan says")
		}
		if !t.everEnded {
			s.taskCount.seen++
		}
	}
	s.leave(t)
	t.started, t.open, t.epoch = true, true, s.epoch
	s.taskCount.open++
}

const (
	ruleUncontracted  = "harness.task.uncontracted"
	foundUncontracted = "no key of the run's taskContracts"
	wantContracted    = "a task of the run"
)

// contracted looks for a task that starts in the contract map.
func (s *state) contracted(r *record, i id) {
	if s.opened.line == 0 {
		s.remember(early{kind: r.kind, task: i}, r)
		return
	}
	if _, ok := s.contractOf(i); len(s.contracts) > 0 && !ok {
		s.fireTo(s.uncontracted, ruleUncontracted, r, foundUncontracted, wantContracted)
	}
}

func (s *state) taskEnd(r *record, i id) {
	t := s.tasks.at(i)
	blockedBy := r.get(nBlockedBy)
	blocked := blockedBy.present() || r.get(nBlockedDeps).n > 0
	if !t.started && !blocked {
		s.fire("harness.task.end-without-start", r, "no task-start before it", "task-start, or blockedBy or blockedDeps")
	}
	if t.ended && !blocked {
		s.fire("harness.task.end-duplicate", r, "it has ended", "task-start first, or blockedBy or blockedDeps")
	}
	own := s.taskIDs.text(i)
	if blockedBy.present() && bytes.Equal(blockedBy.b, own) || slices.ContainsFunc(r.list, func(it item) bool { return bytes.Equal(it.v.b, own) }) {
		s.fire("harness.task.blocked-self", r, "blocked by itself", "another task")
	}
	status := r.textOf(nStatus)
	class := classify(status)
	if class == done && r.has(nFailure) {
		s.fire("harness.task.failure-on-success", r, "status "+quote(status)+" and a failure", "one of the two")
	}
	if class == statusUnknown {
		s.fire("harness.task.status-unknown", r, "status "+quote(status), "a status such as done, failed or skipped")
	}
	if commit := r.textOf(nCommitSha); commit != nil && t.integrated != 0 && !bytes.Equal(commit, s.texts.text(t.integrated)) {
		s.fire("harness.task.commit-mismatch", r, "commitSha "+quote(commit), quote(s.texts.text(t.integrated))+", as it was integrated")
	}
	if !t.started && !t.everEnded {
		s.taskCount.seen++
	}
	s.leave(t)
	t.ended, t.everEnded, t.status, t.class = true, true, s.texts.add(status), class
	if class == bad {
		s.taskCount.bad++
	}
}

func (s *state) provisionFailed(r *record) {
	if r.get(nExitCode).number().Sign() == 0 && r.get(nCmd).isText() {
		s.fire("harness.provision.exit-zero", r, "exitCode 0", "another exit status")
	}
}

// begun reports a task that something is recorded for before it started.
func (s *state) begun(r *record, i id) {
	t := s.tasks.at(i)
	if !t.started && !t.told {
		t.told = true
		s.fire("harness.task.not-started", r, "no task-start before it", "task-start")
	}
}

func (s *state) qualityPassed(r *record, i id) {
	s.begun(r, i)
	receipt := s.texts.add(r.textOf(nReceiptID))
	if _, issued := s.receipts[receipt]; issued {
		s.fire("harness.quality.receipt-duplicate", r, "issued before", "a receipt of its own")
		return // it stays the receipt of the first
	}
	s.receipts[receipt] = i
	s.cost += 32
}

// Integrations and checkpoints are compared by these members: the integration
// five.
type five struct{ plan, contract, receipt, base, commit id }

func (s *state) fiveOf(r *record) five {
	return five{
		s.texts.add(r.textOf(nPlanDigest)), s.texts.add(r.textOf(nTaskContractDigest)), s.texts.add(r.textOf(nQualityReceipt)),
		s.texts.add(r.textOf(nBaseCommit)), s.texts.add(r.textOf(nResultCommit)),
	}
}

// bindings are the rules that checkpoints and intents share.
type bindings struct{ unknown, other, plan, contract string }

var (
	checkpointBindings = bindings{"harness.checkpoint.receipt-unknown", "harness.checkpoint.receipt-task", "harness.checkpoint.plan-digest", "harness.checkpoint.contract-digest"}
	intentBindings     = bindings{"harness.integration.receipt-unknown", "harness.integration.receipt-task", "harness.integration.plan-digest", "harness.integration.contract-digest"}
)

func (s *state) bound(rules bindings, r *record, i id, f five) {
	switch issuedTo, issued := s.receipts[f.receipt]; {
	case !issued:
		s.fire(rules.unknown, r, "qualityReceipt "+quote(s.texts.text(f.receipt)), "a receipt that was issued before")
	case issuedTo != i:
		s.fire(rules.other, r, "the receipt of task "+quote(s.taskIDs.text(issuedTo)), "a receipt of this task")
	}
	if s.opened.line == 0 {
		s.remember(early{r.kind, i, f.plan, f.contract}, r)
		return
	}
	if plan := s.first[nPlanDigest]; plan != 0 && plan != f.plan {
		s.fire(rules.plan, r, "planDigest "+quote(s.texts.text(f.plan)), s.asOpened(plan))
	}
	if contract, ok := s.contractOf(i); ok && contract != f.contract {
		s.fire(rules.contract, r, "taskContractDigest "+quote(s.texts.text(f.contract)), s.asOpened(contract))
	}
}

// asOpened is what a record should say, which run.open said first.
func (s *state) asOpened(text id) string {
	return quote(s.texts.text(text)) + ", as run.open has it"
}

// A lease is who held a lease epoch.
type lease struct {
	token id
	mixed bool // more than one token was seen
}

func (s *state) checkpoint(r *record, i id) {
	s.begun(r, i)
	f := s.fiveOf(r)
	s.dependencies(r)
	own := s.texts.add(r.textOf(nCheckpointID))
	if _, used := s.checkpoints[own]; used {
		s.fire("harness.checkpoint.id-duplicate", r, "used before", "an id of its own")
	}
	s.checkpoints[own] = struct{}{}
	s.bound(checkpointBindings, r, i, f)
	s.leased(r)
	p := s.pairOf(i, f.commit)
	s.disagree(r, p.applied.others(f), "an integration.applied")
	p.checkpoints.count(s, f)
}

func (s *state) dependencies(r *record) {
	unknown, repeated := -1, -1
	seen := make(map[id]struct{}, len(r.list))
	for n, it := range r.list {
		dep := s.texts.add(it.v.b)
		if _, known := s.checkpoints[dep]; !known && unknown < 0 {
			unknown = n
		}
		if _, twice := seen[dep]; twice && repeated < 0 {
			repeated = n
		}
		seen[dep] = struct{}{}
	}
	if unknown >= 0 {
		s.fire("harness.checkpoint.dependency-unknown", r, "depends on "+quote(r.list[unknown].v.b), "ids of checkpoints before it")
	}
	if repeated >= 0 {
		s.fire("harness.checkpoint.dependency-duplicate", r, "lists "+quote(r.list[repeated].v.b)+" again", "every dependency once")
	}
}

func (s *state) leased(r *record) {
	epoch, token := r.get(nLeaseEpoch).number(), s.texts.add(r.textOf(nLeaseToken))
	if epoch.Cmp(s.leaseEpoch) < 0 {
		s.fire("harness.checkpoint.lease-epoch", r, "leaseEpoch "+epoch.String(), "at least "+s.leaseEpoch.String())
	} else {
		s.leaseEpoch = epoch
	}
	held, known := s.leases[epoch]
	switch {
	case !known:
		s.leases[epoch] = lease{token: token}
		s.cost += 80
	case held.mixed || held.token != token:
		s.leases[epoch] = lease{token: held.token, mixed: true}
		s.fire("harness.checkpoint.lease-token", r, "another leaseToken than before in leaseEpoch "+epoch.String(), "one token for each epoch")
	}
}

// A pair is what is known of one result of one task: whether it was
// integrated, and in which forms it was checkpointed and applied.
type pair struct {
	integrated           bool
	checkpoints, applied forms
}

// forms counts records by their integration five. Nearly every result has one
// form; in a journal that gives a result a million, each costs no more.
type forms struct {
	first    five
	all, own int // records in all, and of the first form
	more     map[five]int
}

func (f *forms) count(s *state, own five) {
	f.all++
	switch {
	case f.own == 0:
		f.first, f.own = own, 1
		return
	case f.first == own:
		f.own++
		return
	case f.more == nil:
		f.more = map[five]int{}
		s.cost += 300
	case f.more[own] == 0:
		s.cost += 64
	}
	f.more[own]++
}

// others is how many records have another form.
func (f *forms) others(own five) int {
	if f.own > 0 && f.first == own {
		return f.all - f.own
	}
	return f.all - f.more[own]
}

func (s *state) pairOf(task, commit id) *pair {
	key := result{task, commit}
	p := s.results[key]
	if p == nil {
		p = &pair{}
		s.results[key] = p
		s.cost += 120
	}
	return p
}

// disagree reports the earlier records of the other sort about the same result
// that differ, each as a finding.
func (s *state) disagree(r *record, others int, other string) {
	const rule = "harness.checkpoint.integration-mismatch"
	told := min(others, verify.MaxPerRule)
	for range told {
		s.fire(rule, r, "differs from "+other+" of the same result", "the same plan, contract, receipt and base")
	}
	s.out.AddCounted(rule, others-told)
}

// An intent is an integration that was announced.
type intent struct {
	five
	at mark
}

func (s *state) intent(r *record, i id) {
	s.begun(r, i)
	f := s.fiveOf(r)
	if _, open := s.intents[i]; open {
		s.fire("harness.integration.intent-duplicate", r, "while an integration of the task is announced", "integration.applied or integration.recovered first")
	}
	s.bound(intentBindings, r, i, f)
	s.intents[i] = intent{f, mark{r.line, r.kind}}
}

func (s *state) applied(r *record, i id) {
	s.begun(r, i)
	f := s.fiveOf(r)
	announced, ok := s.intents[i]
	switch {
	case !ok:
		s.fire("harness.integration.intent-missing", r, "no integration of the task is announced", "integration.intent first")
	case announced.five != f:
		s.fire("harness.integration.field-mismatch", r, fmt.Sprintf("differs from the intent on line %d in %s", announced.at.line, announced.differs(f)), "what was announced")
	}
	delete(s.intents, i)
	base := s.head
	if base == 0 {
		base = s.first[nBaseCommit]
	}
	if base != 0 && base != f.base {
		s.fire("harness.integration.base-discontinuity", r, "baseCommit "+quote(s.texts.text(f.base)), quote(s.texts.text(base))+", where the branch was")
	}
	p := s.pairOf(i, f.commit)
	s.disagree(r, p.checkpoints.others(f), "a task.checkpoint")
	p.applied.count(s, f)
	s.integrate(p, i, f.commit)
}

// integrate notes a result as the head of the integration.
func (s *state) integrate(p *pair, i, commit id) {
	p.integrated = true
	s.head = commit
	s.tasks.at(i).integrated = commit
}

func (f five) differs(g five) string {
	switch {
	case f.plan != g.plan:
		return "planDigest"
	case f.contract != g.contract:
		return "taskContractDigest"
	case f.receipt != g.receipt:
		return "qualityReceipt"
	case f.base != g.base:
		return "baseCommit"
	}
	return "resultCommit"
}

func (s *state) recovered(r *record, i id) {
	s.begun(r, i)
	commit := s.texts.add(r.textOf(nResultCommit))
	p := s.pairOf(i, commit)
	announced, ok := s.intents[i]
	switch {
	case ok && announced.commit == commit:
		delete(s.intents, i)
	case p.integrated:
		s.fire("harness.integration.recovered-after-applied", r, "applied or recovered before", "one record for one integration")
	default:
		s.fire("harness.integration.recovered-orphan", r, "resultCommit "+quote(r.textOf(nResultCommit)), "an integration that was announced")
	}
	s.integrate(p, i, commit)
}

// finishTasks evaluates the end rules of integrations.
func (s *state) finishTasks() {
	if s.run != final && s.run != resumable || s.terminal == runComplete {
		return
	}
	var left []leftover
	for task, intent := range s.intents {
		left = append(left, leftover{intent.at, task})
	}
	s.fireLeft("harness.integration.intent-unresolved", left, nTaskID, s.taskIDs, "announced, and neither applied nor recovered when the run stopped", "integration.applied or integration.recovered")
}
