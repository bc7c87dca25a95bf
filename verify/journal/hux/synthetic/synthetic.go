// Package synthetic writes HUX event streams of any size that keep every rule
// of contract 21, for benchmarks, properties and fuzz seeds. It is no part of
// the program.
package synthetic

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// Write writes whole events until at least size bytes are written, then ends
// what is open, so that nothing is left open. Equal arguments give equal bytes.
// Several conversations are interleaved; each has some dozens of turns with
// runs, tools, delegations, approvals, memories and artifacts in the mixture
// that an agent at work makes: about 420 bytes for an event, and a sixth of the
// events open something.
func Write(w io.Writer, size int64, seed uint64) (events int, err error) {
	g := &generator{out: bufio.NewWriterSize(w, 1<<16), random: seed}
	for i := range g.talks {
		g.talks[i] = g.newTalk()
	}
	for g.written < size {
		i := int(g.next() % interleaved)
		t := g.talks[i]
		t.turn(g)
		if t.turns >= turnsOfTalk {
			g.talks[i] = g.newTalk()
		}
	}
	return g.events, g.out.Flush()
}

const (
	interleaved = 8
	turnsOfTalk = 60
)

type generator struct {
	out     *bufio.Writer
	talks   [interleaved]*talk
	random  uint64
	written int64
	events  int
	started int // conversations
	line    []byte
}

// next is a pseudo-random number (splitmix64).
func (g *generator) next() uint64 {
	g.random += 0x9E3779B97F4A7C15
	z := g.random
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// A talk is a conversation.
type talk struct {
	id                      string
	seq, turns, runs, calls int
	things                  int // memories, artifacts and others, for their ids
	lastMemory              string
	mode                    string
	run                     string
}

func (g *generator) newTalk() *talk {
	g.started++
	return &talk{id: fmt.Sprintf("conv-%06x-%04d", g.next()&0xFFFFFF, g.started), mode: "normal"}
}

func (t *talk) name(kind string) string {
	t.things++
	return kind + "-" + strconv.Itoa(t.things)
}

// turn writes the events of one turn.
func (t *talk) turn(g *generator) {
	t.turns++
	user, agent := `{"user_id":"u-17"}`, `{"agent_id":"agent-a"}`
	t.write(g, "message.user", "User asks for the next part of the report", user, "", `"length":182,"attachments":1`, `"idempotency_key":"msg-`+strconv.Itoa(t.turns)+`"`)
	t.write(g, "decision.route", "Routed to the analyst", agent, "", `"route":"analyst","candidates":["analyst","writer"],"confidence":0.8`, "")
	t.runs++
	t.run = fmt.Sprintf("run-%s-%03d", t.id, t.runs)
	t.write(g, "run.started", "Run started", agent, "", `"goal":"answer with figures of the ledger","budget_usd":1.5,"max_subagents":2`, "")
	t.write(g, "decision.plan", "Three steps", agent, "", `"plan_id":"`+t.name("plan")+`","steps":3`, "")
	for range 2 + g.next()%4 {
		t.tool(g, agent)
	}
	switch g.next() % 6 {
	case 0:
		t.delegation(g, agent)
	case 1:
		t.approval(g, agent, user)
	case 2:
		t.artifact(g, agent)
	case 3:
		t.memory(g, agent)
	case 4:
		t.suggestion(g, agent, user)
	default:
		to := map[string]string{"normal": "quiet", "quiet": "normal"}[t.mode]
		t.write(g, "mode.changed", "The mode changes", user, "", `"from":"`+t.mode+`","to":"`+to+`"`, "")
		t.mode = to
	}
	t.write(g, "run.completed", "Run completed", agent, "", `"outcome":"ok","spend_usd":0.87,"duration_ms":91000`, "")
	t.run = ""
	t.write(g, "message.assistant", "The report was delivered, with the figures of the ledger and two charts", agent, "", `"length":640,"model":"ox-large","stop_reason":"end","citations":2`, "")
}

func (t *talk) tool(g *generator, agent string) {
	t.calls++
	call := "call-" + strconv.Itoa(t.calls)
	id := t.write(g, "tool.call", "Reads the ledger", agent, "", `"tool":"ledger.read","call_id":"`+call+`","args_digest":"sha256:11aa22bb33cc","external":false`,
		`"correlation_id":"`+call+`","idempotency_key":"tool-`+call+`"`)
	t.write(g, "tool.result", "Ledger read", agent, id, `"tool":"ledger.read","call_id":"`+call+`","status":"ok","duration_ms":`+strconv.Itoa(int(g.next()%5000)), "")
}

func (t *talk) delegation(g *generator, agent string) {
	name := t.name("del")
	id := t.write(g, "delegation.started", "Chart delegated", agent, "", `"delegation_id":"`+name+`","agent":"chart-maker","budget_usd":0.2`, "")
	kind := "delegation.completed"
	detail := `"delegation_id":"` + name + `","outcome":"ok","spend_usd":0.11`
	if g.next()%4 == 0 {
		kind, detail = "delegation.failed", `"delegation_id":"`+name+`","error_code":"busy"`
	}
	t.write(g, kind, "Chart is done with", agent, id, detail, "")
}

func (t *talk) approval(g *generator, agent, user string) {
	effect, approval := t.name("fx"), t.name("ap")
	blocked := t.write(g, "side_effect.blocked", "Sending mail is held", agent, "", `"effect_id":"`+effect+`","action":"mail.send","target":"finance","reason":"external"`, "")
	asked := t.write(g, "approval.requested", "Asks to send the mail", agent, blocked, `"approval_id":"`+approval+`","action":"mail.send","scope":"once"`, `"correlation_id":"`+approval+`"`)
	t.write(g, "approval.resolved", "User allows it", user, asked, `"approval_id":"`+approval+`","decision":"granted","scope":"once"`, "")
	t.write(g, "side_effect.released", "Mail sent", agent, blocked, `"effect_id":"`+effect+`","approval_id":"`+approval+`"`, "")
}

func (t *talk) artifact(g *generator, agent string) {
	name := t.name("art")
	t.write(g, "artifact.created", "Report drafted", agent, "", `"artifact_id":"`+name+`","media_type":"text/markdown","version":1,"bytes":5120`, "")
	t.write(g, "artifact.version", "Report revised", agent, "", `"artifact_id":"`+name+`","version":2,"bytes":5200`, "")
	t.write(g, "citation.attached", "Two sources", agent, "", `"count":2,"sources":["ledger","policy"]`,
		`"evidence":[{"kind":"artifact","artifact_id":"`+name+`","sha256":"abababababababababababababababababababababababababababababababab","label":"report v2"},{"ref":"ledger#2026-05"}]`)
	t.write(g, "artifact.promoted", "Report published", agent, "", `"artifact_id":"`+name+`","version":2,"target":"library"`, "")
}

func (t *talk) memory(g *generator, agent string) {
	name, supersedes := t.name("m"), ""
	if t.lastMemory != "" {
		supersedes = `,"supersedes":["` + t.lastMemory + `"]`
	}
	t.write(g, "memory.proposed", "Proposes to remember it", agent, "", `"memory_id":"`+name+`","category":"preference"`+supersedes, "")
	if g.next()%4 == 0 {
		t.write(g, "memory.suppressed", "Not stored", agent, "", `"memory_id":"`+name+`","reason":"no-store"`, "")
		return
	}
	t.write(g, "memory.committed", "Remembered", agent, "", `"memory_id":"`+name+`","category":"preference"`+supersedes+`,"revision":1`, "")
	if t.lastMemory != "" {
		t.write(g, "memory.forgotten", "Old wording forgotten", agent, "", `"memory_id":"`+t.lastMemory+`"`, "")
	}
	t.lastMemory = name
}

func (t *talk) suggestion(g *generator, agent, user string) {
	name := t.name("sg")
	id := t.write(g, "suggestion.shown", "Offers a weekly report", agent, "", `"suggestion_id":"`+name+`","category":"automation"`, "")
	t.write(g, "suggestion.dismissed", "Dismissed", user, id, `"suggestion_id":"`+name+`"`, "")
}

// write writes one event and returns its id. more are further members.
func (t *talk) write(g *generator, kind, summary, identity, parent, detail, more string) (id string) {
	id = t.id + "-e" + strconv.Itoa(t.seq)
	b := append(g.line[:0], `{"schema":"hux.event.v1","id":"`...)
	b = append(append(b, id...), `","seq":`...)
	b = strconv.AppendInt(b, int64(t.seq), 10)
	b = append(b, `,"ts":"`...)
	b = appendTime(b, int64(t.seq)*7500)
	b = append(append(b, `","conversation_id":"`...), t.id...)
	b = append(append(b, `","kind":"`...), kind...)
	b = append(append(b, `","summary":"`...), summary...)
	b = append(b, `","provenance":{"source":"hux-core","component":"router"},"sensitivity":"internal","redaction":{"applied":true,"scrubbed":0},"turn":`...)
	b = strconv.AppendInt(b, int64(t.turns), 10)
	b = append(append(b, `,"identity":`...), identity...)
	if t.run != "" {
		b = append(append(append(b, `,"run_id":"`...), t.run...), '"')
	}
	if parent != "" {
		b = append(append(append(b, `,"parent_event_id":"`...), parent...), '"')
	}
	b = append(append(append(b, `,"detail":{`...), detail...), '}')
	if more != "" {
		b = append(append(b, ','), more...)
	}
	b = append(b, "}\n"...)
	g.out.Write(b) // an error is kept until Flush
	g.line, g.written = b, g.written+int64(len(b))
	g.events++
	t.seq++
	return id
}

// appendTime writes a time so many milliseconds after the start of a year.
func appendTime(b []byte, ms int64) []byte {
	seconds := ms / 1000
	day := seconds / 86400
	b = fmt.Appendf(b, "2026-%02d-%02dT%02d:%02d:%02d.%03dZ", 1+day/28%12, 1+day%28, seconds/3600%24, seconds/60%60, seconds%60, ms%1000)
	return b
}
