package hux

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"sort"
	"time"
)

// A plainEvent is an event as an ordinary program would hold it.
type plainEvent struct {
	line   int
	all    map[string]any
	detail map[string]any
}

func (e *plainEvent) str(name string) string { s, _ := e.all[name].(string); return s }

func (e *plainEvent) sub(name string) string { s, _ := e.detail[name].(string); return s }

func integerOf(v any) *big.Int {
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok || !r.IsInt() {
		return nil
	}
	return r.Num()
}

// A plainFinding is a rule and a line.
type plainFinding struct {
	rule string
	line int
}

// plainStream applies §4 to §6 in the plainest way there is, over all events at
// once and over again, to check the streaming code.
type plainStream struct {
	events []*plainEvent // that are judged
	window *big.Int
	found  []plainFinding
	open   bool
}

func readPlain(data []byte) []*plainEvent {
	var events []*plainEvent
	for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		e := &plainEvent{line: i + 1}
		if err := d.Decode(&e.all); err != nil {
			panic(err)
		}
		e.detail, _ = e.all["detail"].(map[string]any)
		events = append(events, e)
	}
	return events
}

func (p *plainStream) add(rule string, e *plainEvent) {
	p.found = append(p.found, plainFinding{rule, e.line})
}

func (p *plainStream) addOpen(rule string, e *plainEvent) {
	if p.window != nil {
		p.open = true
		return
	}
	p.add(rule, e)
}

// judge returns the findings, sorted.
func (p *plainStream) judge() []plainFinding {
	taking := p.order()
	conversations := map[string][]*plainEvent{}
	for _, e := range taking {
		id := e.str("conversation_id")
		conversations[id] = append(conversations[id], e)
	}
	for _, list := range conversations {
		p.pairs(list)
		p.runs(list)
		p.memories(list)
		p.artifacts(list)
	}
	p.runsElsewhere(taking)
	if p.open {
		p.found = append(p.found, plainFinding{"hux.window.unresolved", 1})
	}
	sort.Slice(p.found, func(i, j int) bool {
		a, b := p.found[i], p.found[j]
		return a.line < b.line || a.line == b.line && a.rule < b.rule
	})
	return p.found
}

func (p *plainStream) order() (taking []*plainEvent) {
	for i, e := range p.events {
		var previous *plainEvent
		var latest time.Time
		retried := ""
		for _, f := range p.events[:i] {
			if f.str("id") == e.str("id") {
				p.once("hux.id.duplicate", e)
			}
			if f.str("conversation_id") != e.str("conversation_id") {
				continue
			}
			previous = f
			if t := timeOf(f); t.After(latest) {
				latest = t
			}
			if key, has := e.all["idempotency_key"]; has && key == f.all["idempotency_key"] && retried != "hux.idempotency.duplicate" {
				retried = "hux.idempotency.conflict"
				if sameContent(e, f) {
					retried = "hux.idempotency.duplicate"
				}
			}
		}
		seq := integerOf(e.all["seq"])
		if p.window != nil && seq.Cmp(p.window) <= 0 {
			p.add("hux.resume.not-after", e)
		}
		if previous != nil {
			before := integerOf(previous.all["seq"])
			if seq.Cmp(before) <= 0 {
				p.add("hux.seq.not-increasing", e)
			} else if new(big.Int).Sub(seq, before).Cmp(big.NewInt(1)) > 0 {
				p.add("hux.seq.gap", e)
			}
			if integerOf(e.all["turn"]).Cmp(integerOf(previous.all["turn"])) < 0 {
				p.add("hux.turn.decreasing", e)
			}
			if timeOf(e).Before(latest) {
				p.add("hux.ts.order", e)
			}
		}
		p.parent(i, e)
		if retried != "" {
			p.add(retried, e)
		} else {
			taking = append(taking, e)
		}
	}
	return taking
}

func (p *plainStream) once(rule string, e *plainEvent) {
	for _, f := range p.found {
		if f == (plainFinding{rule, e.line}) {
			return
		}
	}
	p.add(rule, e)
}

func timeOf(e *plainEvent) time.Time {
	t, err := time.Parse(time.RFC3339Nano, e.str("ts"))
	if err != nil {
		panic(err)
	}
	return t
}

func sameContent(a, b *plainEvent) bool {
	strip := func(e *plainEvent) any {
		m := map[string]any{}
		for k, v := range e.all {
			if k != "id" && k != "seq" && k != "ts" {
				m[k] = exact(v)
			}
		}
		return m
	}
	return reflect.DeepEqual(strip(a), strip(b))
}

// exact turns numbers into their exact values.
func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		r, _ := new(big.Rat).SetString(string(v))
		return r.String()
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, exact(x))
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for k, x := range v {
			m[k] = exact(x)
		}
		return m
	case string:
		return "text " + v
	}
	return v
}

// parent looks the parent up; of events with the same id it is the first.
func (p *plainStream) parent(i int, e *plainEvent) {
	id := e.str("parent_event_id")
	if id == "" {
		return
	}
	if id == e.str("id") {
		p.add("hux.parent.forward", e)
		return
	}
	for j, f := range p.events {
		if f.str("id") != id {
			continue
		}
		if f.str("conversation_id") != e.str("conversation_id") {
			p.add("hux.parent.cross-conversation", e)
		} else if j > i {
			p.add("hux.parent.forward", e)
		}
		return
	}
	p.addOpen("hux.parent.unknown", e)
}

var plainFamilies = []struct {
	opens, closes, id                    string
	closes2                              string
	unpaired, twice, left                string
	isApproval, isEffect, ignoresClosing bool
}{
	{opens: "approval.requested", closes: "approval.resolved", id: "approval_id", unpaired: "hux.approval.unrequested", twice: "hux.approval.double-resolved", left: "hux.approval.left-open", isApproval: true},
	{opens: "tool.call", closes: "tool.result", id: "call_id", unpaired: "hux.tool.result-unmatched", twice: "hux.tool.result-duplicate", left: "hux.tool.left-open"},
	{opens: "delegation.started", closes: "delegation.completed", closes2: "delegation.failed", id: "delegation_id", unpaired: "hux.delegation.unstarted", twice: "hux.delegation.double-end", left: "hux.delegation.left-open"},
	{opens: "side_effect.blocked", closes: "side_effect.released", id: "effect_id", unpaired: "hux.side-effect.unblocked", twice: "hux.side-effect.double-release", isEffect: true},
	{opens: "suggestion.shown", closes: "suggestion.dismissed", id: "suggestion_id", unpaired: "hux.suggestion.unshown"},
}

func (p *plainStream) pairs(list []*plainEvent) {
	for _, f := range plainFamilies {
		closed := map[*plainEvent]bool{}
		for i, e := range list {
			if k := e.str("kind"); k != f.closes && k != f.closes2 {
				continue
			}
			o := p.partner(list[:i], e, f.opens, f.id, closed)
			if o == nil {
				p.addOpen(f.unpaired, e)
				continue
			}
			if closed[o] && f.twice != "" {
				p.add(f.twice, e)
			}
			closed[o] = true
			if f.isApproval && reflect.DeepEqual(exact(o.all["identity"]), exact(e.all["identity"])) {
				p.add("hux.approval.same-identity", e)
			}
			if f.isEffect && !approvedBetween(list, o, e) {
				p.addOpen("hux.side-effect.released-without-approval", e)
			}
		}
		for _, e := range list {
			if f.left != "" && e.str("kind") == f.opens && !closed[e] {
				p.add(f.left, e)
			}
		}
	}
}

// first is the event that an id stands for.
func (p *plainStream) first(id string) *plainEvent {
	for _, e := range p.events {
		if e.str("id") == id {
			return e
		}
	}
	return nil
}

func (p *plainStream) partner(before []*plainEvent, e *plainEvent, opens, id string, closed map[*plainEvent]bool) *plainEvent {
	var byID, byOpen, byCorrelation *plainEvent
	for _, o := range before {
		if o.str("kind") != opens {
			continue
		}
		if parent := e.str("parent_event_id"); parent != "" && p.first(parent) == o {
			return o
		}
		if s := e.sub(id); s != "" && s == o.sub(id) {
			byID = o
		}
		if c := e.str("correlation_id"); c != "" && c == o.str("correlation_id") {
			byCorrelation = o
			if !closed[o] {
				byOpen = o
			}
		}
	}
	for _, o := range []*plainEvent{byID, byOpen, byCorrelation} {
		if o != nil {
			return o
		}
	}
	return nil
}

func approvedBetween(list []*plainEvent, from, to *plainEvent) bool {
	for _, e := range list {
		if e.str("kind") == "approval.resolved" && e.line > from.line && e.line < to.line {
			return true
		}
	}
	return false
}

func endsRun(kind string) bool {
	return kind == "run.completed" || kind == "run.cancelled" || kind == "run.failed"
}

func (p *plainStream) runs(list []*plainEvent) {
	started, ended, exhausted, early := map[string]*plainEvent{}, map[string]bool{}, map[string]bool{}, map[string]*plainEvent{}
	for _, e := range list {
		kind, id := e.str("kind"), e.str("run_id")
		if id == "" {
			if kind == "run.started" || endsRun(kind) {
				p.add("hux.run.id-missing", e)
			}
			continue
		}
		switch {
		case kind == "run.started" && started[id] != nil:
			p.add("hux.run.start-duplicate", e)
		case kind == "run.started":
			started[id] = e
			if early[id] != nil {
				p.add("hux.run.event-before-start", early[id])
			}
		case endsRun(kind):
			if started[id] == nil {
				p.addOpen("hux.run.end-without-start", e)
			}
			if ended[id] {
				p.add("hux.run.end-duplicate", e)
			}
			ended[id] = true
		default:
			if ended[id] {
				p.add("hux.run.event-after-end", e)
			}
			if started[id] == nil && early[id] == nil {
				early[id] = e
			}
		}
		if exhausted[id] && (kind == "tool.call" || kind == "delegation.started") {
			p.add("hux.budget.tool-after-exhausted", e)
		}
		exhausted[id] = exhausted[id] || kind == "budget.exhausted"
	}
	for id, e := range started {
		if !ended[id] {
			p.add("hux.run.left-open", e)
		}
	}
}

func (p *plainStream) runsElsewhere(all []*plainEvent) {
	for i, e := range all {
		for _, f := range all[:i] {
			if e.str("kind") == "run.started" && f.str("kind") == "run.started" && e.str("run_id") != "" &&
				e.str("run_id") == f.str("run_id") && e.str("conversation_id") != f.str("conversation_id") {
				p.add("hux.run.other-conversation", e)
				break
			}
		}
	}
}

func (p *plainStream) memories(list []*plainEvent) {
	proposed, committed, suppressed, forgotten, gone, superseded := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range list {
		id := e.sub("memory_id")
		if id == "" {
			continue
		}
		switch e.str("kind") {
		case "memory.proposed":
			proposed[id], suppressed[id], forgotten[id], gone[id] = true, false, false, false
		case "memory.committed":
			if !proposed[id] {
				p.addOpen("hux.memory.committed-unproposed", e)
			}
			if suppressed[id] {
				p.add("hux.memory.committed-after-suppressed", e)
			}
			if forgotten[id] {
				p.add("hux.memory.committed-after-forgotten", e)
			}
			committed[id], gone[id] = true, false
			rules := map[string]bool{}
			ids := supersededBy(e)
			for _, other := range ids {
				rules["hux.memory.supersedes-self"] = rules["hux.memory.supersedes-self"] || other == id
				rules["hux.memory.supersedes-unknown"] = rules["hux.memory.supersedes-unknown"] || other != id && !committed[other]
				rules["hux.memory.supersedes-forgotten"] = rules["hux.memory.supersedes-forgotten"] || other != id && gone[other]
				rules["hux.memory.supersedes-fork"] = rules["hux.memory.supersedes-fork"] || other != id && superseded[other]
			}
			for _, other := range ids {
				superseded[other] = superseded[other] || other != id
			}
			for rule, fires := range rules {
				if fires && rule == "hux.memory.supersedes-unknown" {
					p.addOpen(rule, e)
				} else if fires {
					p.add(rule, e)
				}
			}
		case "memory.forgotten":
			if !proposed[id] && !committed[id] {
				p.addOpen("hux.memory.forgotten-unknown", e)
			}
			if gone[id] {
				p.add("hux.memory.forgotten-twice", e)
			}
			forgotten[id], gone[id] = true, true
		case "memory.suppressed":
			if !proposed[id] && !committed[id] {
				p.addOpen("hux.memory.suppressed-unknown", e)
			}
			suppressed[id] = true
		case "memory.retrieval_removed":
			if !committed[id] {
				p.addOpen("hux.memory.retrieval-removed-unknown", e)
			}
		}
	}
}

func supersededBy(e *plainEvent) (ids []string) {
	switch v := e.detail["supersedes"].(type) {
	case string:
		return []string{v}
	case []any:
		for _, x := range v {
			if s, ok := x.(string); ok {
				ids = append(ids, s)
			}
		}
	}
	return ids
}

func (p *plainStream) artifacts(list []*plainEvent) {
	created, made, latest := map[string]bool{}, map[string]map[string]bool{}, map[string]*big.Int{}
	mode := any(nil)
	for _, e := range list {
		kind, id := e.str("kind"), e.sub("artifact_id")
		if kind == "mode.changed" {
			from, isText := e.detail["from"].(string)
			if to, ok := mode.(string); ok && isText && to != from {
				p.add("hux.mode.discontinuity", e)
			}
			mode = e.detail["to"]
		}
		if id == "" || kind != "artifact.created" && kind != "artifact.version" && kind != "artifact.promoted" {
			continue
		}
		if kind == "artifact.created" && created[id] {
			p.add("hux.artifact.created-duplicate", e)
		}
		if kind != "artifact.created" && !created[id] {
			p.addOpen("hux.artifact.unknown", e)
		}
		created[id] = created[id] || kind == "artifact.created"
		version := integerOf(e.detail["version"])
		if version == nil {
			continue
		}
		if kind == "artifact.promoted" {
			if made[id] != nil && !made[id][version.String()] {
				p.addOpen("hux.artifact.promoted-unknown-version", e)
			}
			continue
		}
		if kind == "artifact.version" && latest[id] != nil && version.Cmp(latest[id]) <= 0 {
			p.add("hux.artifact.version-order", e)
		}
		if latest[id] == nil || version.Cmp(latest[id]) > 0 {
			latest[id] = version
		}
		if made[id] == nil {
			made[id] = map[string]bool{}
		}
		made[id][version.String()] = true
	}
}
