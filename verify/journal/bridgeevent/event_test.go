package bridgeevent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"finishline/internal/proptest"
	"finishline/internal/schematest"
	"finishline/internal/vectors"
	"finishline/schemas"
	"finishline/verify"
	"finishline/verify/journal/bridgeevent"
)

func document(text string) *verify.Findings {
	out := bridgeevent.Table.Collect(verify.Strict)
	bridgeevent.Document(out, verify.At("event.json", ""), []byte(text))
	return out
}

func normalize(level verify.Level, source, raw string) (*bridgeevent.Event, string) {
	out := bridgeevent.Table.Collect(level)
	event, _ := bridgeevent.Standard().Normalize(out, verify.At("raw", ""), source, []byte(raw))
	return event, strings.Join(verify.RuleIDs(out.List(), verify.Error), " ")
}

// valueText draws a JSON value, of the right kind for a member about half of
// the time.
func valueText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{`"cc"`, `"cursor"`, `"codex"`, `"CC"`, `"stop"`, `"Stop"`, `""`, `"\u0063c"`, `{}`, `{"a":[1,{}]}`, `[]`, `null`, `true`,
			`0`, `-0`, `1`, `1.0`, `1.5`, `1e3`, `1e-3`, `10e-1`, `1e18`, `1e19`, `-1`, `999999999999999999`, `1000000000000000000`,
			`9223372036854775807`, `9223372036854775808`, `9223372036854775807.0`, `0.9223372036854775807e19`, `1718000000000000001`}),
		rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.Int64().Draw(t, "n")) }),
	)
}

// The code refuses exactly what the published schema refuses.
func TestSchemaAndCodeAgree(t *testing.T) {
	schema := schematest.Compile(t, schemas.BridgeEvent())
	seen := proptest.Need(1, "true", "false")
	seen.Until(t, func(r *rapid.T) {
		var members []string
		for _, m := range []struct{ name, good string }{{"source", `"cc"`}, {"event_type", `"Stop"`}, {"payload", `{}`}, {"ts", `1718000000000000001`}, {"id", ""}} {
			switch rapid.IntRange(0, 5).Draw(r, m.name) {
			case 0:
				members = append(members, fmt.Sprintf("%q:%s", m.name, valueText().Draw(r, "value")))
			case 1:
				continue // absent
			default:
				if m.good != "" {
					members = append(members, fmt.Sprintf("%q:%s", m.name, m.good))
				}
			}
		}
		text := "{" + strings.Join(members, ",") + "}"
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		valid := schema.Validate(value) == nil
		out := document(text)
		var byRule []string // errors that no schema can express
		for _, id := range verify.RuleIDs(out.List(), verify.Error) {
			if id != "bridge-event.doc.cursor-type" {
				byRule = append(byRule, id)
			}
		}
		if valid != (len(byRule) == 0) {
			t.Errorf("%s: schema %t, code %q", text, valid, byRule)
		}
		seen.Add(strconv.FormatBool(valid))
	})
}

// Integer agrees with arithmetic on fractions of any size.
func TestIntegerIsExact(t *testing.T) {
	check := func(t testing.TB, literal string) {
		want, ok := new(big.Rat).SetString(literal)
		if !ok {
			t.Fatalf("%q is no number", literal)
		}
		fits := want.IsInt() && want.Num().IsInt64()
		got, is := bridgeevent.Integer(literal)
		if is != fits || fits && got != want.Num().Int64() {
			t.Errorf("%s: %d %t, want %s", literal, got, is, want)
		}
	}
	for _, s := range []string{"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "1e18", "1E+18", "1e19", "100e-2", "0.0", "-0", "0e9", "1.50", "1.0e1", "12345.6789e4"} {
		check(t, s)
	}
	rapid.Check(t, func(r *rapid.T) {
		s := fmt.Sprint(rapid.Int64().Draw(r, "whole"))
		if rapid.Bool().Draw(r, "fraction") {
			s += "." + rapid.StringMatching(`[0-9]{1,3}0*`).Draw(r, "digits")
		}
		if rapid.Bool().Draw(r, "exponent") {
			s += fmt.Sprintf("e%d", rapid.IntRange(-25, 25).Draw(r, "e"))
		}
		check(t, s)
	})
	// The size of an exponent costs nothing.
	for _, s := range []string{"1e1000000000", "1e-1000000000", "1e99999999999999999999", "-1e-99999999999999999999"} {
		if _, ok := bridgeevent.Integer(s); ok {
			t.Errorf("%s is taken for a 64-bit integer", s)
		}
	}
	if n, ok := bridgeevent.Integer("0e99999999999999999999"); !ok || n != 0 {
		t.Error("zero is zero at any scale")
	}
}

// Every time is scaled by its own magnitude, exactly, or refused.
func TestScaling(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		digits := rapid.StringMatching(`-?[1-9][0-9]{0,19}`).Draw(r, "n")
		literal := digits
		if rapid.Bool().Draw(r, "text") {
			literal = `"` + digits + `"`
		}
		event, rule := normalize(verify.Strict, "codex", `{"type":"t","ts":`+literal+`}`)
		n, _ := new(big.Int).SetString(digits, 10)
		size := len(strings.TrimPrefix(digits, "-"))
		var want *big.Int
		wantRule := ""
		switch {
		case !n.IsInt64():
			wantRule = "bridge-event.ts.overflow"
		case size < 10:
			wantRule = "bridge-event.ts.magnitude"
		default:
			power := int64(9)
			switch {
			case size >= 19:
				power = 0
			case size >= 16:
				power = 3
			case size >= 13:
				power = 6
			}
			want = new(big.Int).Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(power), nil))
			switch {
			case !want.IsInt64():
				wantRule = "bridge-event.ts.overflow"
			case want.Sign() < 0:
				wantRule = "bridge-event.ts.non-positive"
			}
		}
		if rule != wantRule || (event == nil) != (wantRule != "") || event != nil && event.TS != want.Int64() {
			t.Errorf("%s: %+v %q, want %v %q", literal, event, rule, want, wantRule)
		}
	})
}

func TestHardening(t *testing.T) {
	type want struct{ strict, lenient, event string }
	deep := func(n int) string {
		return `{"type":"t","ts":1718000000,"d":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	const ok = `{"source":"codex","event_type":"t","payload":{},"ts":1718000000000000000}`
	for raw, c := range map[string]want{
		`{"type":"t","ts":1718000000} x`:                             {"bridge-event.raw.trailing", "", ok},
		"{\"type\":\"t\",\"ts\":1718000000}\xff":                     {"bridge-event.raw.utf8", "", ok},
		`{"type":"t","ts":1718000000}]`:                              {"bridge-event.raw.trailing", "", ok},
		`{"type":"t","\u0074ype":"t","ts":1718000000}`:               {"bridge-event.raw.duplicate-key", "", ok},
		`{"type":"t","ts":1718000000,"a":[{"b":1,"c":2,"b":3}]}`:     {"bridge-event.raw.duplicate-key", "", `{"source":"codex","event_type":"t","payload":{"a":[{"b":3,"c":2}]},"ts":1718000000000000000}`},
		`{"type":"t","ts":1718000000,"a":"\ud800"}`:                  {"bridge-event.raw.utf8", "", `{"source":"codex","event_type":"t","payload":{"a":"` + "\uFFFD" + `"},"ts":1718000000000000000}`},
		`{"type":"t","ts":1718000000,"\udc00":1,"\ud800":2}`:         {"bridge-event.raw.utf8", "", `{"source":"codex","event_type":"t","payload":{"` + "\uFFFD" + `":2},"ts":1718000000000000000}`},
		`{"type":true,"ts":1718000000}`:                              {"bridge-event.raw.event-type-not-string", "", strings.Replace(ok, `"t"`, `"true"`, 1)},
		`{"type":1.50,"ts":1718000000}`:                              {"bridge-event.raw.event-type-not-string", "", strings.Replace(ok, `"t"`, `"1.50"`, 1)},
		`{"type":[],"ts":1718000000}`:                                {"bridge-event.raw.event-type-not-string", "bridge-event.raw.event-type-not-string", ""},
		`{"type":"t","ts":1e400}`:                                    {"bridge-event.ts.overflow", "bridge-event.ts.overflow", ""},
		`{"type":"t","ts":9.3e18}`:                                   {"bridge-event.ts.overflow", "bridge-event.ts.overflow", ""},
		`{"type":"t","ts":-9223372036854775808}`:                     {"bridge-event.ts.non-positive", "bridge-event.ts.non-positive", ""},
		`{"type":"t","ts":"+1718000000"}`:                            {"", "", ok},
		`{"type":"t","ts":"1718000000\n"}`:                           {"bridge-event.ts.invalid", "bridge-event.ts.invalid", ""},
		`{"type":"t","ts":1718000000, "a" : [ 1.50 , -0 ,1E2 ] } `:   {"", "", `{"source":"codex","event_type":"t","payload":{"a":[1.50,-0,1E2]},"ts":1718000000000000000}`},
		"\uFEFF" + `{"type":"t","ts":1718000000}`:                    {"bridge-event.raw.json", "bridge-event.raw.json", ""},
		`{"type":"t","ts":1718000000,"a":` + "\"\xff\xfe\"" + `,"a"`: {"bridge-event.raw.json", "bridge-event.raw.json", ""},
		`[] []`:      {"bridge-event.raw.trailing", "bridge-event.raw.object", ""},
		`"text"`:     {"bridge-event.raw.object", "bridge-event.raw.object", ""},
		deep(62):     {"", "", `{"source":"codex","event_type":"t","payload":{"d":` + strings.Repeat("[", 62) + strings.Repeat("]", 62) + `},"ts":1718000000000000000}`},
		deep(63):     {"bridge-event.raw.json", "bridge-event.raw.json", ""},
		deep(100000): {"bridge-event.raw.json", "bridge-event.raw.json", ""},
		`{"type":"t","ts":1718000000,"a":"` + strings.Repeat("x", bridgeevent.MaxBytes) + `"}`: {"json.size", "json.size", ""},
	} {
		name := raw[:min(len(raw), 80)]
		for level, rule := range map[verify.Level]string{verify.Strict: c.strict, verify.Base: c.lenient} {
			event, got := normalize(level, "codex", raw)
			if got != rule || (event != nil) != (rule == "") {
				t.Errorf("%s: %s: %v %q, want %q", level, name, event, got, rule)
			}
			if event != nil && string(event.JSON()) != c.event {
				t.Errorf("%s: %s: %s, want %s", level, name, event.JSON(), c.event)
			}
			if event != nil {
				if out := document(string(event.JSON())); out.Verdict() != verify.Pass {
					t.Errorf("%s: %s: the event is no valid document: %+v", level, name, out.List())
				}
			}
		}
	}
}

func TestRegistry(t *testing.T) {
	r := &bridgeevent.Registry{}
	raw := []byte(`{"kind":"x","at":1718000000}`)
	out := bridgeevent.Table.Collect(verify.Strict)
	if event, handled := r.Normalize(out, verify.Place{}, "own", raw); event != nil || handled || r.Handles("own") {
		t.Error("an empty registry handles something")
	}
	r.Register("own", nil)
	if r.Handles("own") {
		t.Error("registering nothing is not ignored")
	}
	r.Register("own", &bridgeevent.Adapter{TypeKey: "other", TimeKey: "at"})
	r.Register("own", &bridgeevent.Adapter{TypeKey: "kind", TimeKey: "at"})
	event, handled := r.Normalize(out, verify.Place{}, "own", raw)
	if event == nil || !handled || event.Type != "x" || len(out.List()) > 0 {
		t.Errorf("%+v %t %+v", event, handled, out.List())
	}
	if bridgeevent.Standard().Handles("own") {
		t.Error("registries share their adapters")
	}
}

// One bad notice stops no other, and is not forgotten.
func TestCallerGoesOn(t *testing.T) {
	var events []string
	var warnings []string
	c := bridgeevent.Caller{
		Registry: bridgeevent.Standard(),
		Emit:     func(e bridgeevent.Event) error { events = append(events, e.Type); return nil },
		Warn:     func(line string) { warnings = append(warnings, line) },
	}
	good := `{"type":"%s","ts":1718000000}` + "\n"
	text := fmt.Sprintf(good, "a") + "{\n" + fmt.Sprintf(good, "b") + "\n" + strings.Repeat("x", bridgeevent.MaxBytes+1) + "\n" + fmt.Sprintf(good, "c")
	out := bridgeevent.Table.Collect(verify.Strict)
	n, err := c.Lines(t.Context(), out, "notices", "codex", strings.NewReader(text))
	if err != nil || n != (bridgeevent.Notices{Events: 3, Refused: 3}) || strings.Join(events, "") != "abc" {
		t.Errorf("%+v %v %q", n, err, events)
	}
	var where []string
	for _, f := range out.List() {
		where = append(where, fmt.Sprintf("%d %s", f.Line, f.Rule))
	}
	if got, want := strings.Join(where, ", "), "2 bridge-event.raw.json, 4 bridge-event.raw.empty, 5 json.size"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	n, err = c.Lines(t.Context(), out, "notices", "a\nb", strings.NewReader("x\ny\n"))
	if err != nil || n.Skipped != 2 || len(warnings) != 2 || strings.Contains(warnings[0], "\n") {
		t.Errorf("%+v %v %q", n, err, warnings)
	}
	full := errors.New("full")
	c.Emit = func(bridgeevent.Event) error { return full }
	if _, err := c.Lines(t.Context(), out, "notices", "codex", strings.NewReader(text)); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Lines(ended, out, "notices", "codex", strings.NewReader(text)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A byte order mark belongs to the first notice, which is no JSON then.
func TestCallerKeepsTheMark(t *testing.T) {
	out := bridgeevent.Table.Collect(verify.Strict)
	c := bridgeevent.Caller{Registry: bridgeevent.Standard(), Emit: func(bridgeevent.Event) error { return nil }, Warn: func(string) {}}
	notice := `{"hook_event_name":"Stop","timestamp":1718000000}` + "\n"
	n, err := c.Lines(t.Context(), out, "raw", bridgeevent.CC, strings.NewReader("\uFEFF"+notice+notice))
	if err != nil || n != (bridgeevent.Notices{Events: 1, Refused: 1}) {
		t.Errorf("%+v, %v", n, err)
	}
	if got := verify.RuleIDs(out.List(), verify.Error); strings.Join(got, " ") != "bridge-event.raw.json" {
		t.Errorf("%v", got)
	}
}

func TestFilesOfDocuments(t *testing.T) {
	const one = `{"source":"cc","event_type":"Stop","payload":{},"ts":1718000000000000001}`
	pretty := strings.NewReplacer("{\"s", "{\n\"s", ",", ",\r\n").Replace(one)
	for name, c := range map[string]struct {
		text      string
		documents int
		want      []string
		line      int // of the first finding
	}{
		"one":              {one, 1, nil, 0},
		"lines":            {one + "\n\n" + one + "\r\n" + one, 3, nil, 0},
		"pretty":           {"\n" + pretty + "\n", 1, nil, 0},
		"empty":            {"", 0, []string{"doc.json"}, 0},
		"blank":            {" \n\t\n", 0, []string{"doc.json"}, 0},
		"bad line":         {one + "\n{}\n" + one, 3, []string{"bridge-event.doc.shape"}, 2},
		"torn":             {one + "\n" + one[:20], 2, []string{"doc.json"}, 2},
		"mark":             {"\uFEFF" + one + "\n" + one, 2, []string{"doc.json"}, 1},
		"mark on document": {"\uFEFF" + pretty, 1, []string{"doc.json"}, 0},
		"two":              {pretty + pretty, 1, []string{"doc.json"}, 0},
		"two on a line":    {one + one, 1, []string{"doc.json"}, 1},
		"long line":        {one + "\n" + strings.Repeat("x", bridgeevent.MaxBytes+1), 2, []string{"json.size"}, 2},
		"long document":    {"{\n" + strings.Repeat(" ", bridgeevent.MaxBytes) + one[1:], 1, []string{"json.size"}, 0},
		"array":            {"[]", 1, []string{"bridge-event.doc.shape"}, 1},
		"deep":             {strings.Replace(one, "{}", `{"a":`+strings.Repeat("[", 62)+strings.Repeat("]", 62)+"}", 1), 1, nil, 0},
		"deeper":           {strings.Replace(one, "{}", `{"a":`+strings.Repeat("[", 63)+strings.Repeat("]", 63)+"}", 1), 1, []string{"doc.json"}, 1},
	} {
		o, err := bridgeevent.Verify(t.Context(), bridgeevent.Input{Path: "events", File: strings.NewReader(c.text)})
		if err != nil {
			t.Fatal(err)
		}
		list := o.Findings.List()
		if got := verify.RuleIDs(list, verify.Error); o.Documents != c.documents || !vectors.SameRules(got, c.want) {
			t.Errorf("%s: %d documents, %q, want %d, %q", name, o.Documents, got, c.documents, c.want)
		}
		if len(list) > 0 && list[0].Line != c.line {
			t.Errorf("%s: at line %d, want %d", name, list[0].Line, c.line)
		}
		if o.Bytes != int64(len(c.text)) || len(o.SHA256) != 64 {
			t.Errorf("%s: %d bytes, %s", name, o.Bytes, o.SHA256)
		}
	}
}

// FuzzNormalize holds: base level refuses nothing that strict accepts, and then
// gives the same event; every event is a valid document that reads back as
// itself.
func FuzzNormalize(f *testing.F) {
	for _, v := range loadVectors(f) {
		if v.Kind == "bridge-normalize" {
			f.Add(v.Source, v.bytes(f))
		}
	}
	f.Fuzz(func(t *testing.T, source string, raw []byte) {
		events := map[verify.Level]*bridgeevent.Event{}
		for _, level := range []verify.Level{verify.Base, verify.Strict} {
			out := bridgeevent.Table.Collect(level)
			event, handled := bridgeevent.Standard().Normalize(out, verify.At("raw", ""), source, raw)
			if handled != bridgeevent.IsSource(source) || handled && (event == nil) != (len(out.List()) == 1) || !handled && len(out.List()) > 0 {
				t.Fatalf("%s: handled %t, %v, %+v", level, handled, event, out.List())
			}
			if event == nil {
				continue
			}
			events[level] = event
			text := event.JSON()
			if found := document(string(text)); len(found.List()) > 0 {
				t.Fatalf("%s: %s is no valid event: %+v", level, text, found.List())
			}
			var back struct {
				Source  string          `json:"source"`
				Type    string          `json:"event_type"`
				Payload json.RawMessage `json:"payload"`
				TS      int64           `json:"ts"`
			}
			if err := json.Unmarshal(text, &back); err != nil || back.Source != event.Source || back.Type != event.Type || back.TS != event.TS || !bytes.Equal(back.Payload, event.Payload) {
				t.Errorf("%s: %s reads back as %+v: %v", level, text, back, err)
			}
		}
		if events[verify.Strict] != nil && (events[verify.Base] == nil || !bytes.Equal(events[verify.Strict].JSON(), events[verify.Base].JSON())) {
			t.Errorf("strict gives %s, base %v", events[verify.Strict].JSON(), events[verify.Base])
		}
	})
}

// FuzzDocuments holds: a file passes only when each of its documents does, and
// what passes is JSON.
func FuzzDocuments(f *testing.F) {
	for _, v := range loadVectors(f) {
		if v.Kind == "bridge-event-document" {
			f.Add(v.bytes(f))
		}
	}
	f.Add([]byte("{\n}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := bridgeevent.Verify(t.Context(), bridgeevent.Input{Path: "events", File: bytes.NewReader(data)})
		if err != nil {
			t.Fatal(err)
		}
		if o.Bytes != int64(len(data)) {
			t.Errorf("%d of %d bytes", o.Bytes, len(data))
		}
		if o.Findings.Verdict() != verify.Pass {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		for n := 0; ; n++ {
			var v map[string]any
			err := dec.Decode(&v)
			if err != nil && n != o.Documents {
				t.Fatalf("%d documents pass, %d are read: %v", o.Documents, n, err)
			}
			if err != nil {
				return
			}
			if len(v) != 4 {
				t.Errorf("passes with the members %v", v)
			}
		}
	})
}

func BenchmarkNormalize(b *testing.B) {
	raw := []byte(`{"hook_event_name":"PostToolUse","timestamp":1718000000123,"tool_name":"Edit","tool_input":{"file":"a.go","lines":[1,2,3],"text":"` + strings.Repeat("x", 400) + `"}}`)
	out := bridgeevent.Table.Collect(verify.Strict)
	r := bridgeevent.Standard()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if e, _ := r.Normalize(out, verify.Place{}, "cc", raw); e == nil {
			b.Fatal(out.List())
		}
	}
}
