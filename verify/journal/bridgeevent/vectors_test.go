package bridgeevent_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/journal/bridgeevent"
)

// A vector is a case of the area; kind says which members count.
type vector struct {
	Name   string `json:"case"`
	Kind   string `json:"kind"`
	Source string `json:"source"`

	Raw       *string `json:"raw"`
	RawBase64 *string `json:"rawBase64"`

	Document json.RawMessage `json:"document"`
	Text     *string         `json:"text"`
	Base64   *string         `json:"base64"`

	Expect        json.RawMessage `json:"expect"`
	ExpectLenient json.RawMessage `json:"expectLenient"`
}

// normalized is what a notice gives.
type normalized struct {
	Handled      bool            `json:"handled"`
	Event        json.RawMessage `json:"event"`
	Rules        []string        `json:"rules"`
	WarningLines int             `json:"warningLines"`
}

// verdict is what a document gives.
type verdict struct {
	Valid    bool     `json:"valid"`
	Rules    []string `json:"rules"`
	Warnings []string `json:"warnings"`
	Notes    []string `json:"notes"`
}

func loadVectors(t testing.TB) []vector {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(vectors.Dir(t, "bridge-event"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v vector
		exactly(t, data, &v)
		list = append(list, v)
	}
	return list
}

// exactly decodes with numbers kept as they are written.
func exactly(t testing.TB, data []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		t.Fatal(err)
	}
}

// bytes returns the input of a case.
func (v vector) bytes(t testing.TB) []byte {
	t.Helper()
	switch {
	case v.Raw != nil:
		return []byte(*v.Raw)
	case v.Text != nil:
		return []byte(*v.Text)
	case v.Document != nil:
		return v.Document
	}
	text := v.RawBase64
	if text == nil {
		text = v.Base64
	}
	if text == nil {
		t.Fatal("a case without input")
	}
	data, err := base64.StdEncoding.DecodeString(*text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// value is JSON for comparison, with exact numbers: 1.50 equals 1.5, and 2^63
// differs from 2^63 - 1.
func value(t testing.TB, data []byte) any {
	t.Helper()
	if len(data) == 0 {
		return nil
	}
	var v any
	exactly(t, data, &v)
	return rational(v)
}

func rational(v any) any {
	switch v := v.(type) {
	case json.Number:
		r, ok := new(big.Rat).SetString(v.String())
		if !ok {
			return v.String()
		}
		return r.RatString()
	case []any:
		for i := range v {
			v[i] = rational(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = rational(v[k])
		}
	}
	return v
}

func TestVectorsBridgeEvent(t *testing.T) {
	tally := vectors.NewTally(t, "bridge-event")
	for _, v := range loadVectors(t) {
		tally.Case(v.Name, func(t *testing.T) {
			switch v.Kind {
			case "bridge-normalize":
				checkNormalize(t, v)
			case "bridge-event-document":
				checkDocument(t, v)
			default:
				t.Fatalf("unknown kind %q", v.Kind)
			}
		})
	}
}

func checkNormalize(t *testing.T, v vector) {
	for _, level := range []verify.Level{verify.Strict, verify.Base} {
		text := v.Expect
		if level == verify.Base && v.ExpectLenient != nil {
			text = v.ExpectLenient
		}
		var want normalized
		exactly(t, text, &want)
		out := bridgeevent.Table.Collect(level)
		var events []bridgeevent.Event
		warned := 0
		caller := bridgeevent.Caller{
			Registry: bridgeevent.Standard(),
			Emit:     func(e bridgeevent.Event) error { events = append(events, e); return nil },
			Warn:     func(string) { warned++ },
		}
		n, err := caller.One(out, verify.At("raw", ""), v.Source, v.bytes(t))
		if err != nil {
			t.Fatal(err)
		}
		if (n.Skipped == 0) != want.Handled || warned != want.WarningLines {
			t.Errorf("%s: %+v and %d warnings, want handled %t and %d", level, n, warned, want.Handled, want.WarningLines)
		}
		if got := verify.RuleIDs(out.List(), verify.Error); !vectors.SameRules(got, want.Rules) {
			t.Errorf("%s: rules %q, want %q", level, got, want.Rules)
		}
		var got any
		if len(events) == 1 {
			got = value(t, events[0].JSON())
		}
		if wanted := value(t, want.Event); !reflect.DeepEqual(got, wanted) || len(events) > 1 {
			t.Errorf("%s: event %v, want %v", level, got, wanted)
		}
	}
}

func checkDocument(t *testing.T, v vector) {
	var want verdict
	exactly(t, v.Expect, &want)
	for _, level := range []verify.Level{verify.Strict, verify.Base} {
		o, err := bridgeevent.Verify(t.Context(), bridgeevent.Input{Path: "event.json", File: bytes.NewReader(v.bytes(t)), Level: level})
		if err != nil {
			t.Fatal(err)
		}
		for severity, ids := range map[verify.Severity][]string{verify.Error: want.Rules, verify.Warning: want.Warnings, verify.Note: want.Notes} {
			if got := verify.RuleIDs(o.Findings.List(), severity); !vectors.SameRules(got, ids) {
				t.Errorf("%s: %ss %q, want %q", level, severity, got, ids)
			}
		}
		if valid := o.Findings.Verdict() == verify.Pass; valid != want.Valid {
			t.Errorf("%s: valid %t, want %t", level, valid, want.Valid)
		}
	}
}
