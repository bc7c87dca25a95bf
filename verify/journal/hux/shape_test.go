package hux

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/internal/proptest"
	"finishline/internal/vectors"
	"finishline/schemas"
	"finishline/verify/journal/flat"
)

// memberValues has, for every member of an event, texts that the schemas allow and
// texts that they do not.
var memberValues = map[string][]string{
	"schema":          {`"hux.event.v1"`, `"hux.event.v2"`, `1`, `null`},
	"id":              ids,
	"seq":             counts,
	"turn":            counts,
	"ts":              {`"2026-06-01T08:00:07.5Z"`, `"2026-02-31T08:00:07+23:59"`, `"2026-06-01T24:00:07Z"`, `"2026-06-01T08:00:60Z"`, `"2026-06-01t08:00:07Z"`, `"2026-06-01T08:00:07.1234567890Z"`, `"2026-06-01T08:00:07."`, `"2026-06-01T08:00:07.Z"`, `"2026-06-01T08:00:07"`, `"2026-06-01T08:00:07-00:00"`, `"2026-06-01T08:00:07+24:00"`, `"2026-6-01T08:00:07Z"`, `"2026-06-01T08:00:07,5Z"`, `"2026-06-01T08:00:07Z\n"`, `7`},
	"conversation_id": ids,
	"kind":            {`"tool.call"`, `"memory.retrieval_removed"`, `"tool.calls"`, `""`, `3`, `"side_effect\u002eblocked"`},
	"summary":         texts(280),
	"provenance":      append(objects(`"source":"x"`, `"component":1`, `"version":""`, `"model":"m","free":[1]`), `{"source":`+text(120)+`}`, `{"source":`+text(121)+`}`),
	"sensitivity":     {`"internal"`, `"Internal"`, `"a-b_9"`, `"9a"`, `""`, `"` + strings.Repeat("a", 40) + `"`, `"` + strings.Repeat("a", 41) + `"`, `"internal\n"`, `true`},
	"redaction":       objects(`"applied":true`, `"applied":1`, `"policy":"p"`, `"scrubbed":1.0`, `"scrubbed":-1`, `"dropped_keys":["a"]`, `"dropped_keys":[""]`, `"dropped_keys":{}`),
	"identity":        objects(`"agent_id":"a"`, `"user_id":"a b"`, `"service_id":"s"`, `"actor_id":1`, `"kind":""`, `"kind":"k"`, `"other":{}`),
	"run_id":          texts(120),
	"correlation_id":  texts(120),
	"parent_event_id": ids,
	"detail":          objects(`"x":1`, `"x":{"y":[]}`),
	"evidence":        {`[]`, `[{}]`, `[{"ref":"r"}]`, `[{"uri":""}]`, `[{"artifact_id":"a b"}]`, `[{"event_id":"e","sha256":"` + strings.Repeat("a", 64) + `"}]`, `[{"ref":"r","sha256":"` + strings.Repeat("A", 64) + `"}]`, `[{"ref":"r","label":` + text(281) + `}]`, `[{"ref":` + text(1000) + `},{"ref":` + text(1001) + `}]`, `[{"uri":` + text(2000) + `}]`, `[1]`, `{}`, `[` + strings.Repeat(`{"ref":"r"},`, 63) + `{"ref":"r"}]`, `[` + strings.Repeat(`{"ref":"r"},`, 64) + `{"ref":"r"}]`},
	"idempotency_key": {`"k"`, `""`, `"a b"`, `"~!"`, `"\u007f"`, `"é"`, `"` + strings.Repeat("k", 200) + `"`, `"` + strings.Repeat("k", 201) + `"`, `0`},
}

var (
	ids    = []string{`"a"`, `"conv-1:x@y/z+w=_."`, `""`, `"-a"`, `"a b"`, `"a\n"`, `"é"`, `"` + strings.Repeat("a", 120) + `"`, `"` + strings.Repeat("a", 121) + `"`, `7`, `null`}
	counts = []string{`0`, `1`, `7.0`, `1e3`, `1e400`, `-0`, `-1`, `1.5`, `1e-1`, `10e-1`, `-1e400`, `12345678901234567890`, `"1"`, `null`, `1e-400`, `1e99999`, `123.5e2`, `12345678901234567890.5`}
)

func text(n int) string { return `"` + strings.Repeat("😀", n) + `"` }

func texts(limit int) []string {
	return []string{`"s"`, `""`, `" "`, text(limit), text(limit + 1), `"\ud83d\ude00` + strings.Repeat("x", limit-1) + `"`, `"` + strings.Repeat(`\u0041`, limit) + `"`, `"` + strings.Repeat(`\u0041`, limit+1) + `"`, `5`, `null`}
}

func objects(members ...string) []string {
	list := []string{`{}`, `[]`, `null`, `"x"`}
	for i, m := range members {
		list = append(list, `{`+m+`}`, `{`+strings.Join(members[:i+1], ",")+`}`, `{`+members[0]+`,"free":[1,{"a":null}],`+m+`}`)
	}
	for i, text := range list { // a name twice is no matter for the schemas
		var p flat.Parser
		if p.Parse([]byte(text), MaxDepth).Code != flat.OK {
			list[i] = `{}`
		}
	}
	return list
}

// drawEvent draws an event in which every member may be wrong or missing.
func drawEvent(t *rapid.T) string {
	wrong := rapid.IntRange(0, 3).Draw(t, "wrong")
	var b strings.Builder
	b.WriteByte('{')
	order := rapid.Permutation(eventShape.fields).Draw(t, "order")
	if wrong == 0 {
		order = eventShape.fields
	}
	for _, f := range order {
		values := memberValues[f.name]
		value := values[0]
		if rapid.IntRange(0, 9).Draw(t, "vary") < wrong {
			value = rapid.SampledFrom(values).Draw(t, f.name)
		} else if f.form == formProvenance || f.form == formRedaction || f.form == formIdentity || f.name == "detail" {
			value = values[4]
		}
		if f.required && rapid.IntRange(0, 40).Draw(t, "drop") < wrong || !f.required && rapid.Bool().Draw(t, "absent") {
			continue
		}
		name := f.name
		if rapid.IntRange(0, 20).Draw(t, "escape") == 0 {
			name = fmt.Sprintf(`\u%04x`, name[0]) + name[1:]
		}
		fmt.Fprintf(&b, `"%s":%s,`, name, value)
	}
	if rapid.IntRange(0, 12).Draw(t, "extra") < wrong-1 {
		b.WriteString(`"extra":1,`)
	}
	return strings.TrimSuffix(b.String(), ",") + "}"
}

// The shapes of the hot path say what the two schemas say.
func TestShapesAgreeWithTheSchemas(t *testing.T) {
	compiled, err := compile(builtIn(schemas.HUXEvent()), builtIn(schemas.HUXCommon()), nil)
	must(t, err)
	library := checker{compiled}
	seen := proptest.Need(20, "allowed", "refused")
	agree := func(t tester, text []byte) {
		t.Helper()
		var p flat.Parser
		if problem := p.Parse(text, MaxDepth); problem.Code != flat.OK {
			return // the schemas are never asked
		}
		var r reader
		found := make([]flat.Value, memberCount)
		shapes, schemas := r.check(&eventShape, p.Root(), found), library.check(p.Root())
		if shapes.none() != schemas.none() {
			t.Fatal(fmt.Sprintf("shapes: %+v\nschemas: %+v\n%s", shapes, schemas, text))
		}
		if shapes.none() {
			seen.Add("allowed")
		} else {
			seen.Add("refused")
		}
	}
	seen.Until(t, func(t *rapid.T) { agree(t, []byte(drawEvent(t))) })
	for name, values := range memberValues { // every value of the pool once, in an event that is right but for it
		for _, value := range values {
			agree(t, []byte(eventWith(name, value)))
		}
	}
	dir := vectors.Dir(t, "hux")
	for _, file := range caseFiles(t, dir) {
		var c vectorCase
		vectors.Read(t, file, &c)
		for line := range bytes.Lines(c.input(t, strings.TrimSuffix(file, "/case.json"))) {
			agree(t, line)
		}
	}
}

// eventWith is a sound event but for the value of one member.
func eventWith(name, value string) string {
	members := map[string]string{
		"schema": `"hux.event.v1"`, "id": `"a"`, "seq": `1`, "ts": `"2026-06-01T08:00:07.5Z"`, "conversation_id": `"c"`, "kind": `"message.user"`,
		"summary": `"s"`, "provenance": `{"source":"x"}`, "sensitivity": `"internal"`, "redaction": `{"applied":true}`, "turn": `1`, "identity": `{"user_id":"u"}`,
	}
	if name != "" {
		members[name] = value
	}
	var b strings.Builder
	for _, f := range eventShape.fields {
		if v := members[f.name]; v != "" {
			fmt.Fprintf(&b, `,"%s":%s`, f.name, v)
		}
	}
	return "{" + b.String()[1:] + "}"
}

// Every finding of the shapes says where and what.
func TestViolationsSayWhere(t *testing.T) {
	for _, c := range []struct{ event, pointer, found, expected string }{
		{eventWith("id", `"a b"`), "/id", `"a b"`, "a string of 1 to 120 letters, digits and . _ : @ / + = -, the first a letter or digit"},
		{eventWith("identity", `{"kind":"k"}`), "/identity", "an object of 1 member", "at least one of agent_id, user_id, service_id, actor_id"},
		{eventWith("provenance", `{"component":"c"}`), "/provenance", "no member source", "a member source"},
		{eventWith("evidence", `[{"ref":"r"},{"uri":7}]`), "/evidence/1/uri", "7", "a string that is not empty and not longer than the schema allows"},
		{strings.Replace(eventWith("", ""), `"turn":1`, `"turns":1`, 1), "/turns", "1", "no member of this name"},
	} {
		r := judge(t, []byte(c.event+"\n"), Options{})
		i := 0
		for i < len(r.Findings) && r.Findings[i].Rule != "hux.schema.invalid" {
			i++
		}
		if i == len(r.Findings) {
			t.Fatalf("no finding: %s", c.event)
		}
		if f := r.Findings[i]; f.Pointer != c.pointer || f.Found != c.found || f.Expected != c.expected {
			t.Errorf("%s: found %q, expected %q; want %+v", f.Pointer, f.Found, f.Expected, c)
		}
	}
}
