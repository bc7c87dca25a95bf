package harness

import "slices"

// issued is the task that a receipt was first issued for.
func (p *plainRules) issued(i int, receipt string) *told {
	for _, o := range p.live[:i] {
		if o.kind == "quality.passed" && o.text("receiptId") == receipt {
			return o
		}
	}
	return nil
}

var fiveNames = []string{"planDigest", "taskContractDigest", "qualityReceipt", "baseCommit", "resultCommit"}

func sameFive(a, b *told) bool {
	return !slices.ContainsFunc(fiveNames, func(n string) bool { return a.text(n) != b.text(n) })
}

func (p *plainRules) bindings(i int, r *told, family string) {
	issued := p.issued(i, r.text("qualityReceipt"))
	if issued == nil {
		p.fire(family+".receipt-unknown", r.line)
	} else if issued.text("taskId") != r.text("taskId") {
		p.fire(family+".receipt-task", r.line)
	}
	if o := p.firstOpen(len(p.live)); o != nil && o.has("planDigest") && o.text("planDigest") != r.text("planDigest") {
		p.fire(family+".plan-digest", r.line)
	}
	if d, ok := p.contracts()[r.text("taskId")]; ok && d != r.text("taskContractDigest") {
		p.fire(family+".contract-digest", r.line)
	}
}

func (p *plainRules) integration(i int, r *told) {
	task, commit := r.text("taskId"), r.text("resultCommit")
	sameResult := func(kind string) func(*told) bool {
		return func(o *told) bool {
			return o.kind == kind && o.text("taskId") == task && o.text("resultCommit") == commit
		}
	}
	mismatches := func(kind string) {
		for range p.count(i, func(o *told) bool { return sameResult(kind)(o) && !sameFive(o, r) }) {
			p.fire("checkpoint.integration-mismatch", r.line)
		}
	}
	announced := p.openIntents(i)[task]
	switch r.kind {
	case "quality.passed":
		if p.issued(i, r.text("receiptId")) != nil {
			p.fire("quality.receipt-duplicate", r.line)
		}
	case "task.checkpoint":
		known := func(id string) bool {
			return p.before(i, func(o *told) bool { return o.kind == r.kind && o.text("checkpointId") == id }) != nil
		}
		if known(r.text("checkpointId")) {
			p.fire("checkpoint.id-duplicate", r.line)
		}
		deps := r.list("dependencyCheckpointIds")
		if slices.ContainsFunc(deps, func(d any) bool { return !known(d.(string)) }) {
			p.fire("checkpoint.dependency-unknown", r.line)
		}
		distinct := map[any]bool{}
		for _, d := range deps {
			distinct[d] = true
		}
		if len(distinct) < len(deps) {
			p.fire("checkpoint.dependency-duplicate", r.line)
		}
		p.bindings(i, r, "checkpoint")
		if p.before(i, func(o *told) bool { return o.kind == r.kind && o.num("leaseEpoch").Cmp(r.num("leaseEpoch")) > 0 }) != nil {
			p.fire("checkpoint.lease-epoch", r.line)
		}
		if p.before(i, func(o *told) bool {
			return o.kind == r.kind && o.num("leaseEpoch").Cmp(r.num("leaseEpoch")) == 0 && o.text("leaseToken") != r.text("leaseToken")
		}) != nil {
			p.fire("checkpoint.lease-token", r.line)
		}
		mismatches("integration.applied")
	case "integration.intent":
		if announced != nil {
			p.fire("integration.intent-duplicate", r.line)
		}
		p.bindings(i, r, "integration")
	case "integration.applied":
		if announced == nil {
			p.fire("integration.intent-missing", r.line)
		} else if !sameFive(announced, r) {
			p.fire("integration.field-mismatch", r.line)
		}
		head := ""
		if o := p.firstOpen(i); o != nil {
			head = o.text("baseCommit")
		}
		if h := p.before(i, isKind("integration.applied", "integration.recovered")); h != nil {
			head = h.text("resultCommit")
		}
		if head != "" && head != r.text("baseCommit") {
			p.fire("integration.base-discontinuity", r.line)
		}
		mismatches("task.checkpoint")
	case "integration.recovered":
		if announced != nil && announced.text("resultCommit") == commit {
			return
		}
		if p.before(i, sameResult("integration.applied")) != nil || p.before(i, sameResult("integration.recovered")) != nil {
			p.fire("integration.recovered-after-applied", r.line)
		} else {
			p.fire("integration.recovered-orphan", r.line)
		}
	}
}
