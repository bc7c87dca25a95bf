package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/proptest"
	"finishline/internal/schematest"
	"finishline/internal/vectors"
	"finishline/schemas"
	"finishline/verify/journal/lines"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// definitions compiles the definition of each kind alone, whose verdict is the
// whole schema's (contract 20, section 4).
func definitions(t testing.TB) map[string]*jsonschema.Schema {
	t.Helper()
	var doc struct {
		Defs map[string]struct {
			Kind string `json:"x-kind"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(schemas.HarnessJournal(), &doc); err != nil {
		t.Fatal(err)
	}
	part := schematest.Parts(t, schemas.HarnessJournal())
	byKind := map[string]*jsonschema.Schema{}
	for name, d := range doc.Defs {
		if d.Kind != "" {
			byKind[d.Kind] = part("#/$defs/" + name)
		}
	}
	return byKind
}

// A table answers by the member table alone, without the rest of Verify.
type table struct {
	w   *worker
	out batch
}

func newTable(t testing.TB) *table {
	t.Helper()
	cfg, err := Options{}.check()
	if err != nil {
		t.Fatal(err)
	}
	return &table{w: newWorker(cfg, nil)}
}

func (a *table) accepts(t reporter, payload []byte) bool {
	t.Helper()
	a.w.parse([]lines.Line{{Text: payload, Number: 1, Size: int64(len(payload)), Terminated: true}}, &a.out)
	for _, p := range a.out.problems {
		if strings.HasPrefix(p.rule, "harness.line.") {
			t.Fatalf("%s: %+v", payload, p)
		}
	}
	return len(a.out.records) == 1
}

type reporter interface {
	Helper()
	Fatalf(string, ...any)
}

func schemaAccepts(t testing.TB, s *jsonschema.Schema, payload []byte) bool {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v) == nil
}

// The original of the schema is normative, and the digest of contract 20 names
// its bytes.
func TestSchemaIsTheOriginal(t *testing.T) {
	if sum := canon.SHA256(schemas.HarnessJournalOriginal()); sum != "02049705adbf0b07a8c02e768f5be6319d40c9dbfb66aefdb27c703565303c45" {
		t.Errorf("SHA-256 %s", sum)
	}
}

func TestTableAgreesWithSchemaOnVectors(t *testing.T) {
	annotated, original := schematest.Compile(t, schemas.HarnessJournal()), schematest.Compile(t, schemas.HarnessJournalOriginal())
	count := 0
	for _, v := range loadVectors(t) {
		for i, e := range v.Entries {
			if testing.Short() && i%10 != 0 {
				continue
			}
			count++
			if a, b := schemaAccepts(t, annotated, e.Payload), schemaAccepts(t, original, e.Payload); a != e.Valid || b != e.Valid {
				t.Errorf("%s: %v and %v, want %v", e.Payload, a, b, e.Valid)
			}
		}
	}
	if count == 0 {
		t.Error("no payload was looked at")
	}
}

// values that make each shape right or wrong.
var oddValues = []string{`null`, `true`, `false`, `0`, `1`, `-1`, `-0`, `1.0`, `1.5`, `1e2`, `-1e-400`, `1e400`, `9007199254740993`, `""`, `" "`, `"x"`, `"é"`, `"incomplete"`, `"PASS"`, `"fixer"`,
	`"failed"`, `"0123456789abcdef"`, `"0123456789abcdeF"`, `"0123456789abcdef\n"`, `"tok-1"`, `"harness-run@x.service"`, `"harness-run@.service"`,
	`"` + strings.Repeat("ab", 32) + `"`, `"` + strings.Repeat("a", 128) + `"`, `"` + strings.Repeat("a", 129) + `"`, `[]`, `{}`, `["a"]`, `[""]`, `[1]`, `[["a"],[]]`, `[["a",1]]`, `{"a":"b"}`, `{"a":1}`,
	`[{"severity":"high","path":null,"message":"m"}]`, `[{"severity":"high","path":"p","message":""}]`, `[{"severity":"high","path":"p","message":"m","more":1}]`, `[{"severity":"high","message":"m"}]`,
	`[{"command":"go","code":0}]`, `[{"command":"go","code":1.0,"more":[]}]`, `[{"command":"go","code":1.5}]`, `[{"command":"","code":0}]`, `[{"code":0}]`,
	`{"inputTokens":1,"outputTokens":2,"cachedTokens":0,"costUsd":0.5}`, `{"inputTokens":-1}`, `{"costUsd":-0.1}`, `{"costUsd":"1"}`, `{"other":[]}`}

// right gives a value of the shape, as writers have it.
func right(f *field) string {
	switch f.shape {
	case integer:
		return fmt.Sprint(max(f.least, 1))
	case amount:
		return "0.25"
	case boolean:
		return "true"
	case object:
		return `{"any":1}`
	case textMap:
		return `{"a":"b"}`
	case textList:
		return `["a"]`
	case textLists:
		return `[["a"]]`
	case choice:
		return fmt.Sprintf("%q", f.words[0])
	case form:
		return map[name]string{nOutputDigest: `"0123456789abcdef"`, nToken: `"tok-1"`, nUnit: `"harness-run@x.service"`, nPromptSha: `"` + strings.Repeat("ab", 32) + `"`}[f.name]
	case findingList:
		return `[{"severity":"low","path":"p","message":"m"}]`
	case commandList:
		return `[{"command":"go","code":0}]`
	case usageDelta:
		return `{"inputTokens":1}`
	}
	return `"text"`
}

// payloads draws payloads that are right except for a few members.
var payloads = rapid.Custom(func(t *rapid.T) []byte {
	k := kind(rapid.IntRange(1, int(kindCount)-1).Draw(t, "kind"))
	spec := &kinds[k]
	members := []string{fmt.Sprintf(`"kind":%q`, spec.name)}
	broken := rapid.IntRange(0, 2).Draw(t, "broken")
	for i := range spec.fields {
		f := &spec.fields[i]
		value := right(f)
		switch rapid.IntRange(0, 7).Draw(t, "what") {
		case 0:
			if broken > 0 {
				broken--
				value = rapid.SampledFrom(oddValues).Draw(t, "value")
			}
		case 1:
			if !f.required || broken > 0 {
				continue
			}
		}
		label := fmt.Sprintf("%q", names[f.name])
		if rapid.IntRange(0, 9).Draw(t, "escape") == 0 { // the same name, written otherwise
			label = fmt.Sprintf(`"\u%04x%s"`, names[f.name][0], names[f.name][1:])
		}
		members = append(members, label+":"+value)
	}
	if rapid.Bool().Draw(t, "more") {
		members = append(members, `"more":`+rapid.SampledFrom(oddValues).Draw(t, "more value"))
	}
	if rapid.IntRange(0, 19).Draw(t, "no kind") == 0 {
		members[0] = `"kind":` + rapid.SampledFrom([]string{`"Plan-start"`, `1`, `null`, `"nothing"`}).Draw(t, "bad kind")
	}
	slices.SortStableFunc(members, func(a, b string) int {
		return rapid.IntRange(-1, 1).Draw(t, "order")
	})
	return []byte("{" + strings.Join(members, ",") + "}")
})

func TestTableAgreesWithSchemaOnGenerated(t *testing.T) {
	s := schematest.Compile(t, schemas.HarnessJournal())
	table := newTable(t)
	seen := proptest.Need(20, "right", "wrong")
	seen.Until(t, func(rt *rapid.T) {
		for _, payload := range rapid.SliceOfN(payloads, 1, 8).Draw(rt, "payloads") {
			want := schemaAccepts(t, s, payload)
			if got := table.accepts(rt, payload); got != want {
				rt.Fatalf("%s: the table says %v, the schema %v", payload, got, want)
			}
			if want {
				seen.Add("right")
			} else {
				seen.Add("wrong")
			}
		}
	})
}

// Every odd value in every member of every kind.
func TestTableAgreesWithSchemaMemberByMember(t *testing.T) {
	table, byKind := newTable(t), definitions(t)
	for k := planStart; k < kindCount; k++ {
		s := byKind[kinds[k].name]
		if s == nil {
			t.Errorf("no definition of %s", kinds[k].name)
			continue
		}
		for i := range kinds[k].fields {
			for o, odd := range oddValues {
				if testing.Short() && (o+i)%12 != 0 {
					continue
				}
				var b strings.Builder
				fmt.Fprintf(&b, `{"kind":%q`, kinds[k].name)
				for j := range kinds[k].fields {
					f := &kinds[k].fields[j]
					switch {
					case j == i:
						fmt.Fprintf(&b, ",%q:%s", names[f.name], odd)
					case f.required:
						fmt.Fprintf(&b, ",%q:%s", names[f.name], right(f))
					}
				}
				b.WriteByte('}')
				if got, want := table.accepts(t, []byte(b.String())), schemaAccepts(t, s, []byte(b.String())); got != want {
					t.Errorf("%s: the table says %v, the schema %v", b.String(), got, want)
				}
			}
		}
	}
}

// A violation is told with the pointer of the first one in the document.
func TestPointerOfViolation(t *testing.T) {
	for _, c := range []struct{ payload, pointer string }{
		{`{"kind":"task-start","taskId":"","desc":1}`, "/taskId"},
		{`{"kind":"task-start","desc":1}`, ""},
		{`{"desc":1,"kind":"task-start","taskId":""}`, "/desc"},
		{`{"kind":"nothing"}`, "/kind"},
		{`{"kind":"attempt.usage","attemptId":"a","model":"m"}`, ""},
		{`{"kind":"plan-end","statuses":{"a/b":"x","c~":1}}`, "/statuses/c~0"},
		{`{"kind":"task-end","taskId":"a","status":"done","blockedDeps":["x",1]}`, "/blockedDeps/1"},
		{`{"kind":"attempt.heartbeat","attemptId":"a","pid":1,"elapsedSecs":1,"timeoutSecs":1,"eventCount":1,"lastActivity":"","usageDelta":{"costUsd":-1}}`, "/usageDelta/costUsd"},
	} {
		r := verifyBytes(t, []byte(`{"payload":`+c.payload+"}\n"), Options{Payload: "/payload"})
		found := false
		for _, f := range r.Findings.List() {
			if strings.HasPrefix(f.Rule, "harness.schema.") {
				found = true
				if f.Pointer != "/payload"+c.pointer {
					t.Errorf("%s: pointer %s, want %s", c.payload, f.Pointer, c.pointer)
				}
			}
		}
		if !found {
			t.Errorf("%s: %+v", c.payload, r.Findings.List())
		}
	}
}

func TestSweepIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range loadVectors(t) {
		for _, e := range v.Entries {
			var p struct{ Kind any }
			if json.Unmarshal(e.Payload, &p) == nil && e.Valid {
				seen[fmt.Sprint(p.Kind)] = true
			}
		}
	}
	for k := planStart; k < kindCount; k++ {
		if !seen[kinds[k].name] {
			t.Errorf("%s has no valid payload among the vectors of %s", kinds[k].name, vectors.Dir(t, "harness-journal"))
		}
	}
}
