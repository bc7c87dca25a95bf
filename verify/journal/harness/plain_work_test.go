package harness

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func alike(r *told, names ...string) func(*told) bool {
	return func(o *told) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return o.text(n) != r.text(n) })
	}
}

func both(a, b func(*told) bool) func(*told) bool {
	return func(r *told) bool { return a(r) && b(r) }
}

// pendingReviews are the reviews of V asked for and not answered before i.
func (p *plainRules) pendingReviews(i int, r *told, epoch int) (pending []*told) {
	for _, o := range p.live[:i] {
		if !alike(r, "task", "phase", "binding")(o) || o.epoch != epoch {
			continue
		}
		if o.kind == "review.attempt" {
			pending = append(pending, o)
		}
		if o.kind == "review.verdict" && len(pending) > 0 {
			pending = pending[1:]
		}
	}
	return pending
}

var one = big.NewRat(1, 1)

// numbered reports whether an attempt is 1 or one more than the one before.
func (p *plainRules) numbered(i int, r *told) bool {
	if r.num("attempt").Cmp(one) == 0 {
		return true
	}
	o := p.before(i, both(isKind(r.kind), alike(r, "task")))
	return o != nil && new(big.Rat).Add(o.num("attempt"), one).Cmp(r.num("attempt")) == 0
}

func (p *plainRules) work(i int, r *told) {
	switch r.kind {
	case "review.verdict":
		if len(p.pendingReviews(i, r, r.epoch)) == 0 {
			p.fire("review.verdict-without-attempt", r.line)
		}
		blocks := slices.ContainsFunc(r.list("findings"), func(f any) bool {
			return lowerIn(f.(map[string]any)["severity"].(string), blocking...)
		})
		if r.text("verdict") == "PASS" && blocks {
			p.fire("review.pass-with-blocking", r.line)
		}
		if r.text("verdict") == "FAIL" && len(r.list("findings")) == 0 {
			p.fire("review.fail-without-findings", r.line)
		}
	case "review.revise":
		failed := p.before(i, func(o *told) bool {
			return o.kind == "review.verdict" && o.text("verdict") == "FAIL" && o.text("task") == r.text("task")
		})
		if failed == nil {
			p.fire("review.revise-without-fail", r.line)
		} else if big.NewRat(int64(len(failed.list("findings"))), 1).Cmp(r.num("findingsCount")) != 0 {
			p.fire("review.revise-count", r.line)
		}
		if !p.numbered(i, r) {
			p.fire("review.revise-order", r.line)
		}
	case "quality.green":
		review := p.before(i, both(isKind("review.verdict"), alike(r, "task", "phase")))
		check := p.before(i, both(isKind("verify.passed", "verify.failed"), alike(r, "task", "phase")))
		if review != nil && review.text("verdict") == "FAIL" || check != nil && check.kind == "verify.failed" {
			p.fire("quality.green-unsupported", r.line)
		}
	case "verify.passed":
		if slices.ContainsFunc(r.list("commands"), func(c any) bool {
			return (&told{m: c.(map[string]any)}).num("code").Sign() != 0
		}) {
			p.fire("verify.passed-nonzero", r.line)
		}
	case "verify.failed":
		if r.num("code").Sign() == 0 {
			p.fire("verify.failed-zero", r.line)
		}
	case "verify.retry":
		if r.num("code").Sign() == 0 {
			p.fire("verify.retry-zero", r.line)
		}
		if !p.numbered(i, r) {
			p.fire("verify.retry-order", r.line)
		}
	case "fix.rung":
		ladder := []string{"dependency-repair", "fixer", "stronger-fixer"}
		if o := p.before(i, both(isKind("fix.rung"), alike(r, "task", "phase"))); o != nil && slices.Index(ladder, r.text("rung")) < slices.Index(ladder, o.text("rung")) {
			p.fire("fix.rung-order", r.line)
		}
	case "budget.exhausted":
		if r.num("count").Cmp(r.num("cap")) < 0 {
			p.fire("budget.count-below-cap", r.line)
		}
		if o := p.before(i, both(isKind(r.kind), alike(r, "task"))); o != nil && o.num("cap").Cmp(r.num("cap")) != 0 {
			p.fire("budget.cap-changed", r.line)
		}
	case "dispatch.attempt":
		if o := p.before(i, both(isKind("budget.exhausted"), alike(r, "task"))); o != nil && o.epoch == r.epoch {
			p.fire("budget.dispatch-after", r.line)
		}
	}
}

// parkedAt is the record that parked P, nil when it is not parked.
func (p *plainRules) parkedAt(i, epoch int, r *told) (at *told) {
	for _, o := range p.live[:i] {
		if !alike(r, "taskId", "phase", "binding")(o) || o.epoch != epoch {
			continue
		}
		switch {
		case o.kind == "rate-limit.parked" && at == nil:
			at = o
		case o.kind == "rate-limit.woken":
			at = nil
		}
	}
	return at
}

func (p *plainRules) limits(i int, r *told) {
	inK := alike(r, "taskId", "phase")
	stopped := p.before(i, func(o *told) bool {
		return o.kind == "retry.stop-loss" && o.epoch == r.epoch && inK(o) && o.text("failureFingerprint") == r.text("failureFingerprint")
	}) != nil
	parked := p.parkedAt(i, r.epoch, r) != nil
	switch r.kind {
	case "retry.stop-loss":
		failed := p.before(i, func(o *told) bool { return o.kind == "retry.attempt" && o.text("outcome") == "failed" && inK(o) })
		if failed == nil {
			p.fire("retry.stop-loss-without-failure", r.line)
		} else if failed.text("failureFingerprint") != r.text("failureFingerprint") {
			p.fire("retry.fingerprint-mismatch", r.line)
		}
		if stopped {
			p.fire("retry.stop-loss-duplicate", r.line)
		}
	case "rate-limit.parked":
		if parked {
			p.fire("rate-limit.parked-twice", r.line)
		}
		if o := p.before(i, func(o *told) bool {
			return o.kind == r.kind && o.has("parkCount") && alike(r, "taskId", "phase", "binding")(o)
		}); r.has("parkCount") && o != nil && r.num("parkCount").Cmp(o.num("parkCount")) <= 0 {
			p.fire("rate-limit.park-count", r.line)
		}
		if _, ok := parseInstant([]byte(r.text("resetAt"))); r.has("resetAt") && !ok {
			p.fire("rate-limit.reset-at", r.line)
		}
	case "rate-limit.heartbeat":
		if !parked {
			p.fire("rate-limit.heartbeat-without-parked", r.line)
		}
	case "rate-limit.woken":
		if !parked {
			p.fire("rate-limit.woken-without-parked", r.line)
		}
	case "retry.attempt", "gate.attempt", "dispatch.attempt":
		if r.kind == "retry.attempt" && stopped {
			p.fire("retry.after-stop-loss", r.line)
		}
		if parked {
			p.fire("rate-limit.progress-while-parked", r.line)
		}
	}
}

func (p *plainRules) attempts(i int, r *told) {
	if !strings.HasPrefix(r.kind, "attempt.") {
		return
	}
	same := alike(r, "attemptId")
	var prompt *told
	for _, o := range p.live[:i] {
		if o.kind == "attempt.prompt" && same(o) {
			prompt = o
			break
		}
	}
	if r.kind == "attempt.prompt" {
		if prompt != nil {
			p.fire("attempt.prompt-duplicate", r.line)
		}
		return
	}
	if prompt == nil {
		p.fire("attempt.orphan", r.line)
		return
	}
	after := func(kind string) *told { // later than the prompt: what came before was orphaned
		return p.before(i, func(o *told) bool { return o.kind == kind && same(o) && o.line > prompt.line })
	}
	switch r.kind {
	case "attempt.reply":
		if after("attempt.reply") != nil {
			p.fire("attempt.reply-duplicate", r.line)
		}
		if r.m["valid"] == false && r.has("verdict") {
			p.fire("attempt.reply-verdict-invalid", r.line)
		}
		if r.has("account") && prompt.has("account") && r.text("account") != prompt.text("account") {
			p.fire("attempt.account-changed", r.line)
		}
	case "attempt.usage":
		if after("attempt.usage") != nil {
			p.fire("attempt.usage-duplicate", r.line)
		}
		if r.text("model") != "" && prompt.text("model") != "" && r.text("model") != prompt.text("model") {
			p.fire("attempt.model-changed", r.line)
		}
		for _, n := range []string{"inputTokens", "outputTokens"} {
			sum := new(big.Rat)
			for _, o := range p.live[:i] {
				if o.kind == "attempt.heartbeat" && same(o) && o.line > prompt.line {
					if d := (&told{m: o.dict("usageDelta")}).num(n); d != nil {
						sum.Add(sum, d)
					}
				}
			}
			if r.has(n) && r.num(n).Cmp(sum) < 0 {
				p.fire("attempt.usage-below-delta", r.line)
				break
			}
		}
	case "attempt.heartbeat":
		if after("attempt.reply") != nil {
			p.fire("attempt.heartbeat-after-reply", r.line)
		}
		if r.num("timeoutSecs").Cmp(prompt.num("timeoutSecs")) != 0 {
			p.fire("attempt.heartbeat-timeout", r.line)
		}
		if r.num("elapsedSecs").Cmp(r.num("timeoutSecs")) > 0 {
			p.fire("attempt.heartbeat-overrun", r.line)
		}
		if o := after("attempt.heartbeat"); o != nil {
			if r.num("elapsedSecs").Cmp(o.num("elapsedSecs")) < 0 {
				p.fire("attempt.heartbeat-elapsed", r.line)
			}
			if r.num("eventCount").Cmp(o.num("eventCount")) < 0 {
				p.fire("attempt.heartbeat-events", r.line)
			}
			if r.num("pid").Cmp(o.num("pid")) != 0 {
				p.fire("attempt.heartbeat-pid", r.line)
			}
		}
	}
}

// end evaluates the end rules.
func (p *plainRules) end() {
	n := len(p.live)
	epoch := 0
	if n > 0 {
		epoch = p.live[n-1].epoch
	}
	open := p.firstOpen(n)
	if open != nil && len(open.dict("taskContracts")) > 0 && p.contracts() == nil && slices.ContainsFunc(p.all, func(o *told) bool { return o.has("taskId") }) {
		p.fire("run.contracts-unkeyed", open.line)
	}
	for _, o := range p.live {
		if o.kind != "run.open" || o == open || open == nil || !open.has("engineSha") || !o.has("engineSha") || o.text("engineSha") == open.text("engineSha") {
			continue
		}
		if p.before(n, func(e *told) bool { return e.kind == "engine.migrated" && e.text("toSha") == o.text("engineSha") }) == nil {
			p.fire("engine.unannounced-change", o.line)
		}
	}
	last := p.before(n, isKind("run.complete", "run.incomplete", "run.failed", "run.interrupted"))
	if (p.state == "final" || p.state == "resumable") && last.kind != "run.complete" {
		for _, o := range p.openIntents(n) {
			p.fire("integration.intent-unresolved", o.line)
		}
	}
	if p.state != "final" {
		return
	}
	seen := map[string]bool{}
	for i, o := range p.live {
		key := o.kind + "\x00" + o.text("task") + "\x00" + o.text("taskId") + "\x00" + o.text("phase") + "\x00" + o.text("binding") + "\x00" + o.text("attemptId")
		switch o.kind {
		case "review.attempt":
			if pending := p.pendingReviews(n, o, epoch); !seen[key] && len(pending) > 0 {
				p.fire("review.attempt-open", pending[0].line)
			}
		case "rate-limit.parked":
			key = strings.ReplaceAll(key, o.text("task"), "") // P knows taskId only
			if at := p.parkedAt(n, epoch, o); at == o {
				p.fire("rate-limit.left-parked", o.line)
			}
		case "attempt.prompt":
			key = o.kind + "\x00" + o.text("attemptId")
			replied := slices.ContainsFunc(p.live[i:], func(r *told) bool { return r.kind == "attempt.reply" && r.text("attemptId") == o.text("attemptId") })
			if !seen[key] && !replied {
				p.fire("attempt.no-reply", o.line)
			}
		}
		seen[key] = true
	}
}

// disturb changes records as no coordinator would, and keeps each one valid.
func disturb(t *rapid.T, list []map[string]any) []map[string]any {
	i := rapid.IntRange(0, len(list)-1).Draw(t, "record")
	j := rapid.IntRange(0, len(list)-1).Draw(t, "other")
	switch rapid.SampledFrom([]string{"drop", "double", "move", "borrow", "borrow", "borrow", "cut"}).Draw(t, "how") {
	case "drop":
		return slices.Delete(list, i, i+1)
	case "double":
		return slices.Insert(list, j, list[i])
	case "move":
		r := list[i]
		list = slices.Delete(list, i, i+1)
		return slices.Insert(list, min(j, len(list)), r)
	case "cut":
		return list[:max(i, 1)]
	}
	// A member takes the value that another record has for it.
	var names []string
	for n := range list[i] {
		if n != "kind" {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return list
	}
	slices.Sort(names)
	n := rapid.SampledFrom(names).Draw(t, "member")
	var values []any
	for _, r := range list {
		if v, ok := r[n]; ok && !cmp.Equal(v, list[i][n]) {
			values = append(values, v)
		}
	}
	if _, number := list[i][n].(json.Number); number {
		values = append(values, json.Number("0"), json.Number("1"), json.Number("3"), json.Number("1e2"), json.Number("123456789012345678901234567890"))
	}
	if len(values) > 0 {
		changed := map[string]any{}
		for k, v := range list[i] {
			changed[k] = v
		}
		changed[n] = values[rapid.IntRange(0, len(values)-1).Draw(t, "value")]
		list[i] = changed
	}
	return list
}

// What the rules remember is enough: with every record at hand, they say the
// same.
func TestRulesAgreeWithPlainOnes(t *testing.T) {
	sound := journals(t)
	for _, data := range sound {
		if d := cmp.Diff(plainSpots(t, data), places(verifyBytes(t, data, Options{})), sortedSpots); d != "" {
			t.Errorf("a sound journal (-plain +streaming):\n%s", d)
		}
	}
	fired := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		var list []map[string]any
		for _, line := range splitLines(sound[rapid.IntRange(0, len(sound)-1).Draw(rt, "journal")]) {
			list = append(list, decode(t, line).(map[string]any))
		}
		for range rapid.IntRange(1, 6).Draw(rt, "times") {
			if list = disturb(rt, list); len(list) == 0 {
				return
			}
		}
		var data bytes.Buffer
		for _, r := range list {
			b, err := json.Marshal(r)
			if err != nil {
				rt.Fatal(err)
			}
			data.Write(append(b, '\n'))
		}
		r := verifyBytes(t, data.Bytes(), Options{Workers: 1})
		if hasRule(r, "harness.semantics.skipped") { // a borrowed value that the schema refuses
			return
		}
		got := slices.DeleteFunc(places(r), func(s spot) bool { return s.Rule == "harness.number.unsafe" })
		want := plainSpots(t, data.Bytes())
		for _, s := range want {
			fired[s.Rule] = true
		}
		if len(r.Findings.Omitted()) > 0 {
			return
		}
		if d := cmp.Diff(want, got, sortedSpots); d != "" {
			rt.Fatalf("(-plain +streaming):\n%s", d)
		}
	})
	t.Logf("%d rules fired", len(fired))
}

var sortedSpots = cmp.Transformer("sorted", func(list []spot) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, strings.Join([]string{s.Rule, s.Severity, big.NewInt(int64(s.Line)).String()}, " "))
	}
	slices.Sort(out)
	return out
})
