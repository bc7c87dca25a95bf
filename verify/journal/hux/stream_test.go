package hux

import (
	"bytes"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"finishline/internal/proptest"
	"finishline/verify/journal/flat"
	"finishline/verify/journal/lines"
)

// themes are kinds that have to do with one another.
var themes = [][]string{
	{"approval.requested", "approval.resolved", "side_effect.blocked", "side_effect.released"},
	{"tool.call", "tool.result", "suggestion.shown", "suggestion.dismissed"},
	{"delegation.started", "delegation.completed", "delegation.failed", "mode.changed"},
	{"run.started", "run.completed", "run.failed", "run.cancelled", "budget.exhausted", "tool.call", "delegation.started", "decision.plan"},
	{"memory.proposed", "memory.committed", "memory.committed", "memory.forgotten", "memory.suppressed", "memory.retrieval_removed"},
	{"artifact.created", "artifact.version", "artifact.promoted"},
	kindNames[1:],
}

// drawStream draws events that the schema allows, from so few names that every
// rule about several events is often broken. Some events are written twice, as
// by a writer that tries again.
func drawStream(t *rapid.T) []byte {
	var b bytes.Buffer
	n := rapid.IntRange(1, 40).Draw(t, "events")
	theme := rapid.SampledFrom(themes).Draw(t, "theme")
	seq := map[string]int{}
	written := map[string][]string{}
	for i := range n {
		conversation := rapid.SampledFrom([]string{"c1", "c1", "c1", "c2"}).Draw(t, "conversation")
		id := fmt.Sprintf("e%d", i)
		if rapid.IntRange(0, 15).Draw(t, "same id") == 0 {
			id = "e0"
		}
		seq[conversation] += rapid.SampledFrom([]int{1, 1, 1, 1, 2, 0, -1}).Draw(t, "step")
		number := rapid.SampledFrom([]string{"%d", "%d", "%d.0", "%de0"}).Draw(t, "number")
		fmt.Fprintf(&b, `{"schema":"hux.event.v1","id":%q,"seq":`+number+`,"ts":%q,"conversation_id":%q`, id, max(seq[conversation], 0),
			rapid.SampledFrom([]string{"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z", "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:01Z"}).Draw(t, "ts"), conversation)
		if before := written[conversation]; len(before) > 0 && rapid.IntRange(0, 9).Draw(t, "again") == 0 {
			b.WriteString(rapid.SampledFrom(before).Draw(t, "same event"))
			continue
		}
		rest := drawRest(t, rapid.SampledFrom(theme).Draw(t, "kind"), n)
		written[conversation] = append(written[conversation], rest)
		b.WriteString(rest)
	}
	return b.Bytes()
}

// drawRest draws what an event of one of n says besides its place.
func drawRest(t *rapid.T, kind string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `,"kind":%q,"summary":"s","provenance":{"source":"x"},"sensitivity":"internal","redaction":{"applied":true},"turn":%d,"identity":%s`,
		kind, rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "turn"),
		rapid.SampledFrom([]string{`{"agent_id":"a"}`, `{"agent_id":"a"}`, `{"user_id":"u","n":1.0}`, `{"n":1,"user_id":"u"}`}).Draw(t, "identity"))
	optional := func(chance int, text string) {
		if rapid.IntRange(0, chance).Draw(t, text) == 0 {
			b.WriteString(text)
		}
	}
	optional(1, fmt.Sprintf(`,"run_id":%q`, rapid.SampledFrom([]string{"r1", "r2", ""}).Draw(t, "run")))
	optional(2, fmt.Sprintf(`,"correlation_id":%q`, rapid.SampledFrom([]string{"k1", "k2", ""}).Draw(t, "correlation")))
	optional(2, fmt.Sprintf(`,"parent_event_id":"e%d"`, rapid.IntRange(0, n).Draw(t, "parent")))
	optional(5, fmt.Sprintf(`,"idempotency_key":%q`, rapid.SampledFrom([]string{"i1", "i2"}).Draw(t, "retry")))
	if member := subjects[kindsByName[kind]]; member != "" {
		fmt.Fprintf(&b, `,"detail":{%q:%q`, member, rapid.SampledFrom([]string{"x1", "x2"}).Draw(t, "subject"))
		optional(1, `,"version":`+rapid.SampledFrom([]string{"1", "2", "2.0", "3", `"3"`}).Draw(t, "version"))
		optional(1, `,"supersedes":`+rapid.SampledFrom([]string{`"x1"`, `"x2"`, `["x1","x1"]`, `["x2","x1"]`, `["x3"]`, `7`}).Draw(t, "supersedes"))
		b.WriteByte('}')
	} else if kind == "mode.changed" {
		fmt.Fprintf(&b, `,"detail":{"from":%s,"to":%s}`, rapid.SampledFrom([]string{`"m1"`, `"m2"`, `3`}).Draw(t, "from"), rapid.SampledFrom([]string{`"m1"`, `"m2"`, `3`}).Draw(t, "to"))
	}
	b.WriteString("}\n")
	return b.String()
}

// across are the rules about several events.
func across(rule string) bool {
	for _, prefix := range []string{"hux.id.", "hux.seq.", "hux.turn.", "hux.ts.order", "hux.parent.", "hux.idempotency.", "hux.approval.", "hux.tool.", "hux.delegation.",
		"hux.side-effect.", "hux.suggestion.", "hux.run.", "hux.budget.", "hux.memory.", "hux.artifact.", "hux.mode.", "hux.resume.", "hux.window."} {
		if strings.HasPrefix(rule, prefix) {
			return true
		}
	}
	return false
}

// The compact tables find what plain maps over all events find, in files, in
// windows and for one conversation.
func TestStreamAgreesWithThePlainRules(t *testing.T) {
	var rules []string
	for _, rule := range Table.Rules() {
		if across(rule.ID) {
			rules = append(rules, rule.ID)
		}
	}
	fired := proptest.Need(1, rules...)
	fired.Until(t, func(t *rapid.T) { compareWithPlain(t, fired) })
}

func compareWithPlain(t *rapid.T, fired *proptest.Seen) {
	data := drawStream(t)
	o := Options{Lines: lines.Options{Workers: rapid.IntRange(1, 3).Draw(t, "workers")}}
	plain := &plainStream{}
	switch rapid.IntRange(0, 5).Draw(t, "option") {
	case 0:
		n := flat.Int(2)
		o.After, plain.window = &n, big.NewInt(2)
	case 1:
		o.Conversation = "c1"
	}
	for _, e := range readPlain(data) {
		if o.Conversation == "" || e.str("conversation_id") == o.Conversation {
			plain.events = append(plain.events, e)
		}
	}
	r := judge(t, data, o)
	var got []plainFinding
	for _, f := range r.Findings {
		if across(f.Rule) {
			got = append(got, plainFinding{f.Rule, f.Line})
			fired.Add(f.Rule)
		}
	}
	if r.Skipped {
		t.Fatalf("skipped: %+v", r.Findings)
	}
	if d := cmp.Diff(plain.judge(), got, cmp.AllowUnexported(plainFinding{})); d != "" {
		t.Fatalf("findings (-plain +got):\n%s\n%s", d, data)
	}
}
