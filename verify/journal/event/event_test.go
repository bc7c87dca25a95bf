package event_test

import (
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/journal/event"
)

const plain = `{"id":"e1","type":"node.entered","ts":"2026-05-01T09:00:00Z","at":"2026-05-01T09:00:00Z","actor":"codex","nodeId":"intake","message":"begun","status":"ok","runMode":"live","eventSource":"bridge"}`

func read(t testing.TB, text string) canon.Value {
	t.Helper()
	doc, err := canon.Read([]byte(text), canon.MaxDocument)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return doc.Root
}

// with is the plain event with members replaced; absent removes one.
func with(t testing.TB, pairs ...string) canon.Value {
	v := read(t, plain)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "absent" {
			var rest []canon.Member
			for _, m := range v.Members() {
				if m.Name != pairs[i] {
					rest = append(rest, m)
				}
			}
			v = canon.Build(rest...)
			continue
		}
		v = canon.With(v, pairs[i], read(t, pairs[i+1]))
	}
	return v
}

func submitted(ev canon.Value) []verify.Finding {
	return event.Submitted(ev, len(canon.Compact(ev)), verify.At("event", ""))
}

func ids(list []verify.Finding) (out []string) {
	for _, f := range list {
		out = append(out, f.Rule)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Every rule fires on an event that breaks it, and on that one alone.
func TestEveryRule(t *testing.T) {
	long := `"` + strings.Repeat("m", event.MaxBytes) + `"`
	cases := []struct {
		rule   string
		change []string
		also   string // another rule that the same change breaks
	}{
		{"event.document.too-large", []string{"message", long}, ""},
		{"event.id.invalid", []string{"id", `7`}, ""},
		{"event.id.invalid", []string{"id", `""`}, ""},
		{"event.id.invalid", []string{"id", "absent"}, ""},
		{"event.id.too-long", []string{"id", `"` + strings.Repeat("i", 513) + `"`}, ""},
		{"event.type.missing", []string{"type", "absent"}, ""},
		{"event.type.unknown", []string{"type", `"node.left"`}, ""},
		{"event.actor.missing", []string{"actor", `""`}, ""},
		{"event.actor.unknown", []string{"actor", `"Codex"`}, ""},
		{"event.message.missing", []string{"message", "null"}, ""},
		{"event.status.missing", []string{"status", "null"}, ""},
		{"event.status.unknown", []string{"status", `"fine"`}, ""},
		{"event.run-mode.missing", []string{"runMode", `""`}, ""},
		{"event.run-mode.unknown", []string{"runMode", `"demo"`}, ""},
		{"event.source.missing", []string{"eventSource", "absent"}, ""},
		{"event.source.unknown", []string{"eventSource", `"web"`}, ""},
		{"event.node-id.missing", []string{"nodeId", "absent", "node", `"intake"`}, ""},
		{"event.node-id.unknown", []string{"nodeId", `"end"`}, ""},
		{"event.node-state.unknown", []string{"nodeState", `"done"`}, ""},
		{"event.skip.reason-missing", []string{"status", `"skipped"`}, ""},
		{"event.skip.reason-missing", []string{"nodeState", `"skipped"`}, ""},
		{"event.failure.reason-missing", []string{"type", `"node.failed"`, "recoveryPath", `"again"`}, ""},
		{"event.failure.recovery-missing", []string{"type", `"node.failed"`, "failureReason", `"fell"`}, ""},
		{"event.approval.owner-missing", []string{"status", `"needs_approval"`, "approvalScope", `"release"`}, ""},
		{"event.approval.scope-missing", []string{"type", `"approval.requested"`, "approvalOwner", `"me"`}, ""},
		{"event.approval.actor-not-human", []string{"type", `"approval.granted"`, "approvalOwner", `"me"`, "approvalScope", `"x"`}, ""},
		{"event.self-heal.reference-missing", []string{"type", `"self_heal.pr_opened"`}, ""},
		{"event.artifact.path-missing", []string{"type", `"artifact.written"`}, ""},
		{"event.field.type", []string{"selfHealPrUrl", `[]`}, ""},
		{"event.field.type", []string{"actor", `5`}, ""},
		{"event.field.type", []string{"message", `0`}, "event.message.missing"},
		{"event.field.blank", []string{"message", `"\u00a0\ufeff"`}, ""},
		{"event.field.control-character", []string{"artifact", `"a\u0007"`}, ""},
		{"event.node-state.contradiction", []string{"nodeState", `"passed"`, "status", `"blocked"`}, ""},
		{"event.node-state.contradiction", []string{"nodeState", `"active"`, "status", `"skipped"`, "skipReason", `"no"`}, ""},
		{"event.node-state.contradiction", []string{"nodeState", `""`, "status", `"skipped"`, "skipReason", `"no"`}, "event.node-state.unknown"},
		{"event.mode.source-mismatch", []string{"runMode", `"replay"`}, ""},
		{"event.ts.not-timestamp", []string{"ts", `"yesterday"`}, ""},
	}
	seen := map[string]bool{}
	for _, c := range cases {
		want := []string{c.rule}
		if c.also != "" {
			want = append(want, c.also)
		}
		slices.Sort(want)
		if got := ids(submitted(with(t, c.change...))); !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", c.change, got, want)
		}
		seen[c.rule] = true
	}
	for _, r := range event.Table.Rules() {
		if !seen[r.ID] {
			t.Errorf("no event breaks %s", r.ID)
		}
	}
	if got := submitted(read(t, plain)); len(got) > 0 {
		t.Errorf("the plain event: %q", ids(got))
	}
}

// In a journal the marked rules and the hardening only warn, and a wrong type
// counts as an unknown word (13 §9).
func TestStoredReading(t *testing.T) {
	for _, c := range []struct {
		change          []string
		invalid, beyond []string
	}{
		{[]string{"nodeState", `"failed"`, "status", `"failed"`, "failureReason", `"x"`, "recoveryPath", `"y"`}, nil, nil},
		{[]string{"nodeState", `"skipped"`}, nil, []string{"event.skip.reason-missing"}},
		{[]string{"nodeState", `"done"`}, nil, []string{"event.node-state.unknown"}},
		{[]string{"actor", `5`}, []string{"event.actor.unknown"}, []string{"event.field.type"}},
		{[]string{"message", `5`}, nil, []string{"event.field.type"}},
		{[]string{"message", `0`}, []string{"event.message.missing"}, []string{"event.field.type"}},
		{[]string{"runMode", `"replay"`}, nil, []string{"event.mode.source-mismatch"}},
		{[]string{"status", `"skipped"`}, []string{"event.skip.reason-missing"}, nil},
		{[]string{"artifactVerification", `{"checked":true}`}, nil, nil},
	} {
		ev := with(t, c.change...)
		invalid, beyond := event.Stored(ev, len(canon.Compact(ev)), verify.At("j", "/event"))
		if !slices.Equal(ids(invalid), c.invalid) || !slices.Equal(ids(beyond), c.beyond) {
			t.Errorf("%v: invalid %q, beyond %q; want %q, %q", c.change, ids(invalid), ids(beyond), c.invalid, c.beyond)
		}
		for _, f := range beyond {
			if f.Severity != verify.Warning {
				t.Errorf("%s: %s, want a warning", f.Rule, f.Severity)
			}
		}
	}
}

func TestNodes(t *testing.T) {
	list := event.Nodes()
	if len(list) != 14 || list[0].ID != "intake" || list[13].ID != event.NodeHandoff {
		t.Fatalf("nodes: %v", list)
	}
	for _, n := range list {
		if got, ok := event.NodeOf(n.ID); !ok || got != n {
			t.Errorf("%s: %v %t", n.ID, got, ok)
		}
	}
	if _, ok := event.NodeOf("end"); ok {
		t.Error("a node that there is not")
	}
}

// FuzzEvent: whatever an event is, what makes it invalid in a journal makes it
// invalid when it is submitted, except that a wrong type then has a rule of its
// own.
func FuzzEvent(f *testing.F) {
	f.Add(plain)
	f.Add(`{"id":null,"type":0,"nodeState":"skipped","status":[],"actor":{"human":1}}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := canon.Read([]byte(text), 1<<20)
		if err != nil {
			return
		}
		size := len(canon.Compact(doc.Root))
		invalid, _ := event.Stored(doc.Root, size, verify.At("j", ""))
		got := ids(event.Submitted(doc.Root, size, verify.At("j", "")))
		for _, f := range invalid {
			if !slices.Contains(got, f.Rule) && !(strings.HasSuffix(f.Rule, ".unknown") && slices.Contains(got, "event.field.type")) {
				t.Errorf("%s in a journal only", f.Rule)
			}
		}
	})
}
