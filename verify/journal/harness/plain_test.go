package harness

import (
	"encoding/json"
	"math/big"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The rules across records once more, in the plainest way: every rule looks at
// all records before the one at hand. What the streaming rules remember is held
// to this.

type told struct {
	line  int
	kind  string
	m     map[string]any
	epoch int // how often the run was reopened before it
}

func (r *told) text(n string) string { s, _ := r.m[n].(string); return s }
func (r *told) has(n string) bool    { _, ok := r.m[n]; return ok }
func (r *told) str(n string) bool    { _, ok := r.m[n].(string); return ok }

func (r *told) num(n string) *big.Rat {
	v, ok := r.m[n].(json.Number)
	if !ok {
		return nil
	}
	q, _ := new(big.Rat).SetString(string(v))
	return q
}

func (r *told) list(n string) []any          { l, _ := r.m[n].([]any); return l }
func (r *told) dict(n string) map[string]any { d, _ := r.m[n].(map[string]any); return d }

type plainRules struct {
	live  []*told // without those after the end
	all   []*told
	found []spot
	state string
}

func (p *plainRules) fire(rule string, line int) {
	r, _ := Table.Lookup("harness." + rule)
	p.found = append(p.found, spot{"harness." + rule, r.Severity.String(), line})
}

// before is the latest record before position i that a condition holds for.
func (p *plainRules) before(i int, cond func(*told) bool) *told {
	for j := i - 1; j >= 0; j-- {
		if cond(p.live[j]) {
			return p.live[j]
		}
	}
	return nil
}

func (p *plainRules) count(i int, cond func(*told) bool) (n int) {
	for _, r := range p.live[:i] {
		if cond(r) {
			n++
		}
	}
	return n
}

func isKind(kinds ...string) func(*told) bool {
	return func(r *told) bool { return slices.Contains(kinds, r.kind) }
}

func plainSpots(t testing.TB, data []byte) []spot {
	p := &plainRules{}
	for i, line := range splitLines(data) {
		m := decode(t, line).(map[string]any)
		p.all = append(p.all, &told{line: i + 1, kind: m["kind"].(string), m: m})
	}
	p.run()
	for i, r := range p.live {
		p.plan(i, r)
		p.tasks(i, r)
		p.integration(i, r)
		p.work(i, r)
		p.limits(i, r)
		p.attempts(i, r)
	}
	p.end()
	sort.SliceStable(p.found, func(i, j int) bool {
		a, b := p.found[i], p.found[j]
		return a.Line < b.Line || a.Line == b.Line && a.Rule < b.Rule
	})
	return p.found
}

// run walks the table of section 5.
func (p *plainRules) run() {
	state, epoch, grace, window, used, fired := "preamble", 0, false, false, false, false
	ends := []string{"run.complete", "run.incomplete", "run.failed", "run.interrupted"}
	reopening := []string{"run.open", "engine.migrated", "supervision.registered", "plan-start"}
	for _, r := range p.all {
		terminal := slices.Contains(ends, r.kind)
		switch {
		case state == "preamble" && slices.Contains([]string{"supervision.registered", "plan-start", "plan-error"}, r.kind):
		case state == "preamble" && r.kind == "run.open":
			state = "open"
		case state == "preamble":
			p.fire("run.open-first", r.line)
			fired, grace, state = true, true, "open"
			if r.kind == "run.complete" || r.kind == "run.failed" {
				state = "final"
			} else if terminal {
				state = "resumable"
			}
		case state == "open":
			if r.kind == "run.open" {
				if window && !used {
					used, grace = true, false
				} else if grace {
					grace = false
				} else {
					p.fire("run.open-duplicate", r.line)
				}
			}
			if !slices.Contains(reopening, r.kind) && r.kind != "plan-error" {
				window = false
			}
			if r.kind == "run.complete" || r.kind == "run.failed" {
				state = "final"
			} else if terminal {
				state = "resumable"
			}
		case r.kind == "plan-end":
		case terminal:
			p.fire("run.terminal-duplicate", r.line)
			continue
		case state == "resumable" && slices.Contains(reopening, r.kind):
			state, window, used = "open", true, r.kind == "run.open"
			if used {
				grace = false
			}
			epoch++
		default:
			p.fire("run.after-terminal", r.line)
			continue
		}
		r.epoch = epoch
		p.live = append(p.live, r)
	}
	p.state = state
	last := p.all[len(p.all)-1]
	if p.before(len(p.live), isKind("run.open")) == nil && !fired && p.before(len(p.live), isKind("plan-error")) == nil {
		p.fire("run.open-missing", last.line)
	}
	if state == "open" {
		p.fire("run.terminal-missing", last.line)
	}
}

// firstOpen is the first run.open, when it comes before position i.
func (p *plainRules) firstOpen(i int) *told {
	for _, r := range p.live[:i] {
		if r.kind == "run.open" {
			return r
		}
	}
	return nil
}

func (p *plainRules) plan(i int, r *told) {
	open := p.firstOpen(i)
	same := func(n string) func(*told) bool {
		return func(o *told) bool { return o.kind == r.kind && o.text(n) == r.text(n) }
	}
	switch r.kind {
	case "run.open":
		if open != nil {
			for _, n := range []string{"repoRoot", "baseCommit", "integrationRef", "planDigest", "sourceDigest", "taskContracts"} {
				if open.has(n) && r.has(n) && !cmp.Equal(open.m[n], r.m[n]) {
					p.fire("run.resume-identity", r.line)
					break
				}
			}
		}
	case "plan-start":
		if s := p.before(i, isKind("plan-start", "plan-end", "plan-error")); s != nil && s.kind == "plan-start" && s.epoch == r.epoch {
			p.fire("plan.start-duplicate", r.line)
		}
	case "plan-end":
		if p.before(i, isKind("plan-start")) == nil {
			p.fire("plan.end-without-start", r.line)
		}
		for task, status := range r.dict("statuses") {
			if e := p.before(i, func(o *told) bool { return o.kind == "task-end" && o.text("taskId") == task }); e != nil && e.text("status") != status {
				p.fire("plan.status-mismatch", r.line)
				break
			}
		}
	case "engine.migrated":
		force := ""
		for _, o := range p.live[:i] {
			if o == open && o.has("engineSha") {
				force = o.text("engineSha")
			}
			if o.kind == "engine.migrated" {
				force = o.text("toSha")
			}
		}
		if force != "" && force != r.text("fromSha") {
			p.fire("engine.from-mismatch", r.line)
		}
		if r.text("fromSha") == r.text("toSha") {
			p.fire("engine.noop", r.line)
		}
	case "supervision.registered":
		if p.before(i, func(o *told) bool { return o.kind == r.kind && o.num("generation").Cmp(r.num("generation")) >= 0 }) != nil {
			p.fire("supervision.generation", r.line)
		}
		if p.before(i, same("token")) != nil {
			p.fire("supervision.token-reuse", r.line)
		}
	}
	terminal := strings.HasPrefix(r.kind, "run.") && r.kind != "run.open"
	if terminal || r.kind == "plan-end" {
		other := isKind("plan-end")
		if !terminal {
			other = isKind("run.complete", "run.incomplete", "run.failed", "run.interrupted")
		}
		if o := p.before(i, other); o != nil && o.epoch == r.epoch {
			for n, rule := range map[string]string{"integrationHead": "plan.head-mismatch", "landStatus": "plan.land-status-mismatch"} {
				named := func(r *told) bool {
					return r.str(n) && slices.Contains([]string{"plan-end", "run.complete", "run.incomplete"}, r.kind)
				}
				if named(o) && named(r) && o.text(n) != r.text(n) {
					p.fire(rule, r.line)
				}
			}
		}
	}
	if quality(r) || r.kind == "plan-start" && r.has("runId") {
		for _, o := range p.live[:i] {
			if quality(o) || o.kind == "plan-start" && o.has("runId") {
				if o.text("runId") != r.text("runId") {
					p.fire("identity.run-id", r.line)
				}
				break
			}
		}
	}
	if terminal {
		p.terminal(i, r)
	}
}

func quality(r *told) bool {
	return slices.Contains([]string{"dispatch.attempt", "gate.attempt", "retry.attempt", "retry.stop-loss", "rate-limit.parked", "rate-limit.heartbeat", "rate-limit.woken"}, r.kind)
}

// standing is where a task stands before position i.
func (p *plainRules) standing(i, epoch int, task string) (state string, end *told) {
	e := p.before(i, func(o *told) bool {
		return (o.kind == "task-start" || o.kind == "task-end") && o.text("taskId") == task
	})
	switch {
	case e == nil:
		return "none", nil
	case e.kind == "task-end":
		return "ended", e
	case e.epoch != epoch:
		return "suspended", nil
	}
	return "open", nil
}

func (p *plainRules) started(i int, task string) bool {
	return p.before(i, func(o *told) bool { return o.kind == "task-start" && o.text("taskId") == task }) != nil
}

func lowerIn(s string, words ...string) bool { return slices.Contains(words, strings.ToLower(s)) }

func isDone(s string) bool { return lowerIn(s, statusDone...) }
func isBad(s string) bool  { return lowerIn(s, statusBad...) }

func (p *plainRules) terminal(i int, r *told) {
	status := r.text("status")
	if r.kind == "run.complete" && (isBad(status) || lowerIn(status, "incomplete")) || (r.kind == "run.failed" || r.kind == "run.incomplete") && isDone(status) {
		p.fire("run.status-contradiction", r.line)
	}
	if h := p.before(i, isKind("integration.applied", "integration.recovered")); h != nil && r.str("integrationHead") && (r.kind == "run.complete" || r.kind == "run.incomplete") && h.text("resultCommit") != r.text("integrationHead") {
		p.fire("run.head-mismatch", r.line)
	}
	tasks := map[string]string{}
	bad := false
	for _, o := range p.live[:i] {
		if o.kind == "task-start" || o.kind == "task-end" {
			state, end := p.standing(i, r.epoch, o.text("taskId"))
			tasks[o.text("taskId")] = state
			bad = bad || end != nil && isBad(end.text("status"))
		}
	}
	open, suspended := false, false
	for _, state := range tasks {
		open, suspended = open || state == "open", suspended || state == "suspended"
	}
	if (r.kind == "run.failed" || r.kind == "run.incomplete") && open {
		p.fire("task.left-open", r.line)
	}
	if r.kind != "run.complete" {
		return
	}
	if open || suspended {
		p.fire("run.complete-open-tasks", r.line)
	}
	if len(p.openIntents(i)) > 0 {
		p.fire("run.complete-open-intent", r.line)
	}
	if bad {
		p.fire("run.complete-bad-task", r.line)
	}
	if e := p.before(i, isKind("plan-start", "plan-error")); e != nil && e.kind == "plan-error" {
		p.fire("run.complete-after-plan-error", r.line)
	}
	if p.before(i, isKind("quarantine")) != nil {
		p.fire("run.complete-quarantined", r.line)
	}
	if s := p.before(i, func(o *told) bool { return o.kind == "plan-start" && o.has("taskCount") }); s != nil && s.num("taskCount").Cmp(big.NewRat(int64(len(tasks)), 1)) > 0 {
		p.fire("run.complete-task-count", r.line)
	}
}

// openIntents are the integrations announced and not closed before position i.
func (p *plainRules) openIntents(i int) map[string]*told {
	open := map[string]*told{}
	for _, o := range p.live[:i] {
		task := o.text("taskId")
		switch o.kind {
		case "integration.intent":
			open[task] = o
		case "integration.applied":
			delete(open, task)
		case "integration.recovered":
			if a := open[task]; a != nil && a.text("resultCommit") == o.text("resultCommit") {
				delete(open, task)
			}
		}
	}
	return open
}

// contracts is the contract map, nil for none. It holds for every record,
// before and after the run.open that has it.
func (p *plainRules) contracts() map[string]any {
	open := p.firstOpen(len(p.live))
	if open == nil || len(open.dict("taskContracts")) == 0 {
		return nil
	}
	for _, o := range p.all {
		if _, key := open.dict("taskContracts")[o.text("taskId")]; key && kinds[kindByName[o.kind]].at[nTaskID] >= 0 {
			return open.dict("taskContracts")
		}
	}
	return nil
}

func (p *plainRules) tasks(i int, r *told) {
	task := r.text("taskId")
	state, end := p.standing(i, r.epoch, task)
	switch r.kind {
	case "task-start":
		if state == "open" {
			p.fire("task.start-duplicate", r.line)
		}
		if end != nil && isDone(end.text("status")) {
			p.fire("task.restart-after-success", r.line)
		}
		if c := p.contracts(); c != nil && c[task] == nil {
			p.fire("task.uncontracted", r.line)
		}
		if !p.started(i, task) {
			distinct := map[string]bool{task: true}
			for _, o := range p.live[:i] {
				if o.kind == "task-start" {
					distinct[o.text("taskId")] = true
				}
			}
			if s := p.before(i, func(o *told) bool { return o.kind == "plan-start" && o.has("taskCount") }); s != nil && s.num("taskCount").Cmp(big.NewRat(int64(len(distinct)), 1)) < 0 {
				p.fire("plan.task-count-exceeded", r.line)
			}
		}
	case "task-end":
		blocked := r.has("blockedBy") || len(r.list("blockedDeps")) > 0
		if !p.started(i, task) && !blocked {
			p.fire("task.end-without-start", r.line)
		}
		if state == "ended" && !blocked {
			p.fire("task.end-duplicate", r.line)
		}
		if r.has("blockedBy") && r.text("blockedBy") == task || slices.Contains(r.list("blockedDeps"), any(task)) {
			p.fire("task.blocked-self", r.line)
		}
		status := r.text("status")
		if isDone(status) && r.has("failure") {
			p.fire("task.failure-on-success", r.line)
		}
		if !isDone(status) && !isBad(status) && !lowerIn(status, statusNeutral...) {
			p.fire("task.status-unknown", r.line)
		}
		if d := p.before(i, func(o *told) bool {
			return (o.kind == "integration.applied" || o.kind == "integration.recovered") && o.text("taskId") == task
		}); d != nil && r.str("commitSha") && d.text("resultCommit") != r.text("commitSha") {
			p.fire("task.commit-mismatch", r.line)
		}
	case "provision.failed":
		if r.num("exitCode").Sign() == 0 && r.str("cmd") {
			p.fire("provision.exit-zero", r.line)
		}
	}
	for rule, of := range map[string]func(*told) bool{
		"task.not-started":         isKind("quality.passed", "integration.intent", "integration.applied", "integration.recovered", "task.checkpoint"),
		"task.not-started-attempt": quality,
	} {
		if of(r) && !p.started(i, task) && p.before(i, func(o *told) bool { return of(o) && o.text("taskId") == task }) == nil {
			p.fire(rule, r.line)
		}
	}
	if quality(r) {
		for _, o := range p.live[:i] {
			if quality(o) && o.text("task") == r.text("task") {
				if o.text("taskId") != task {
					p.fire("identity.task-map", r.line)
				}
				break
			}
		}
	}
}
