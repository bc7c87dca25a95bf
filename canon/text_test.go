package canon

import (
	"math"
	"strings"
	"testing"
)

// timestamps are right, wrong, and what lenient parsers take.
var timestamps = []string{
	"2026-11-30T13:14:15Z", "2026-11-30T13:14:15.160Z", "2026-11-30T13:14:15.1999999999+05:30", "2024-02-29T00:00:00Z", "1969-12-31T23:59:59.001-00:00", "0000-01-01T00:00:00Z", "2000-02-29T23:59:59+23:59",
	"2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T0:00:00Z", "2026-11-30T13:14:60Z", "2026-11-30T13:14:15,5Z", "2026-11-30T13:14:15+24:00", "2026-11-30T13:14:15+00:60",
	"2026-11-30t13:14:15z", "2026-11-30 13:14:15Z", "2026-11-30T13:14:15", "2026-11-30T13:14:15.Z", "2026-11-30T13:14Z", " 2026-11-30T13:14:15Z", "2026-11-30T13:14:15Z\n", "2026-00-10T00:00:00Z", "2026-13-10T00:00:00Z", "２026-11-30T13:14:15Z", "+2026-11-30T13:14:15Z", "",
}

func TestTimestamp(t *testing.T) {
	for i, s := range timestamps {
		if _, ok := Timestamp(s); ok != (i < 7) {
			t.Errorf("%q: %v", s, ok)
		}
	}
	for s, want := range map[string]int64{
		"1970-01-01T00:00:00Z":          0,
		"1970-01-01T00:00:00.0019Z":     1,
		"1970-01-01T01:00:00+01:00":     0,
		"1969-12-31T23:59:59.999Z":      -1,
		"2026-11-30T13:14:15.16-00:30":  1796046255160,
		"1970-01-01T00:00:00.99999999Z": 999,
	} {
		if got, ok := TimestampOf(NewString(s)); !ok || got != want {
			t.Errorf("%s is %d (%v), want %d", s, got, ok, want)
		}
	}
	if _, ok := TimestampOf(NewNumber(0)); ok {
		t.Error("a number is a timestamp")
	}
}

func TestTrim(t *testing.T) {
	const all = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
	if got := Trim(all + "a b" + all); got != "a b" {
		t.Errorf("%q", got)
	}
	for _, kept := range []string{"\u0085", "\u180e", "\u200b", "\x00", "\x1f", "\u2060"} {
		if got := Trim(kept); got != kept {
			t.Errorf("%+q is trimmed", kept)
		}
	}
	for _, c := range []struct {
		text string
		min  int
		want bool
	}{{"", 1, false}, {" \ufeff", 1, false}, {" a ", 1, true}, {"😀", 2, true}, {"é", 2, false}, {"", 0, true}} {
		if got := NonEmpty(NewString(c.text), c.min); got != c.want {
			t.Errorf("NonEmpty(%q, %d) = %v", c.text, c.min, got)
		}
	}
	if NonEmpty(NewNumber(7), 0) || NonEmpty(Value{}, 0) {
		t.Error("only strings are texts")
	}
}

func TestIdentifier(t *testing.T) {
	for s, want := range map[string]bool{
		"a": true, "9": true, "a.b_c:d/e-f": true, strings.Repeat("a", 256): true,
		"": false, strings.Repeat("a", 257): false, "-a": false, ".a": false, "a b": false, "a\n": false, "é": false, "a\\b": false, "aé": false, "a\x00": false,
	} {
		if Identifier(s) != want || IsIdentifier(NewString(s)) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
	if IsIdentifier(NewNumber(1)) || IsIdentifier(Value{}) {
		t.Error("only strings are identifiers")
	}
}

func TestDigestPattern(t *testing.T) {
	hex := strings.Repeat("0aF9", 16)
	nested := NewString(hex)
	for range MaxDepth {
		nested = NewArray(nested)
	}
	for _, v := range []Value{NewString(hex), NewArray(NewString(hex)), nested} {
		if !IsDigest(v) {
			t.Errorf("%.40s passes the pattern", Compact(v))
		}
	}
	for _, v := range []Value{
		NewString(hex[1:]), NewString(hex + "0"), NewString(hex[1:] + "g"), NewString(" " + hex[1:]), NewString("sha256:" + hex), NewString(hex[:63] + "\n"),
		NewArray(NewString(hex), NewString(hex)), NewArray(), Build(Member{"a", NewString(hex)}), NewNull(), NewNumber(1), {},
	} {
		if IsDigest(v) {
			t.Errorf("%.90s does not pass the pattern", Compact(v))
		}
	}
	if !HasUpperHex(hex) || HasUpperHex(strings.ToLower(hex)) {
		t.Error("upper case")
	}
}

func TestLowerASCII(t *testing.T) {
	for in, want := range map[string]string{"": "", "abc": "abc", "AbZ[@": "abz[@", "ÉK\u212a\u0130": "Ék\u212a\u0130"} {
		if got := LowerASCII(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestTextForm(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want string
	}{
		{Value{}, "undefined"}, {NewNull(), "null"}, {NewBool(true), "true"}, {NewNumber(math.Copysign(0, -1)), "0"}, {NewNumber(1e21), "1e+21"},
		{NewNumber(math.Inf(1)), "null"}, {NewNumber(math.Inf(-1)), "null"}, {NewString(`a"b`), `a"b`}, {Build(), "[object Object]"},
		{NewArray(), ""}, {NewArray(NewNull()), ""}, {NewArray(NewString("a"), NewNull(), NewArray(NewNumber(1), Build())), "a,,1,[object Object]"},
	} {
		if got := TextForm(c.v); got != c.want {
			t.Errorf("%s has the text form %q, want %q", Compact(c.v), got, c.want)
		}
	}
}

func TestNodesKnowTheirPointer(t *testing.T) {
	doc := mustRead(t, `{"a/b~c":[{"x":1},2]}`)
	items := doc.Node().At("a/b~c").Items()
	if len(items) != 2 || items[0].At("x").Pointer != "/a~1b~0c/0/x" || !items[0].At("x").Present() {
		t.Errorf("%+v", items)
	}
	missing := doc.Node().At("none").At("deeper")
	if missing.Present() || missing.Pointer != "/none/deeper" || missing.Items() != nil {
		t.Errorf("%+v", missing)
	}
}

func TestIntegers(t *testing.T) {
	for literal, want := range map[string]bool{"1": true, "1.0": true, "1e3": true, "-0": true, "1.5": false, "1e400": false, `"1"`: false} {
		if _, got := mustRead(t, literal).Root.Integer(); got != want {
			t.Errorf("%s: %v", literal, got)
		}
	}
}

func TestFirstTruthy(t *testing.T) {
	if got := FirstTruthy(NewNull(), NewString(""), NewNumber(2), NewNumber(3)); string(Compact(got)) != "2" {
		t.Errorf("%s", Compact(got))
	}
	if got := FirstTruthy(NewNull(), NewBool(false)); !got.IsBool(false) || FirstTruthy().Present() {
		t.Error("the last one counts when none is truthy")
	}
}
