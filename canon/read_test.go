package canon

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func mustRead(t testing.TB, text string) *Document {
	t.Helper()
	doc, err := Read([]byte(text), MaxDocument)
	if err != nil {
		t.Fatalf("%v in %.200q", err, text)
	}
	return doc
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		rule         string
		line, column int
	}{
		{"nothing", "", "json.syntax", 1, 1},
		{"only space", " \n\t\r", "json.syntax", 1, 1},
		{"byte order mark", "\ufeff{}", "json.syntax", 1, 1},
		{"trailing comma in an array", "[1,]", "json.syntax", 1, 3},
		{"trailing comma in an object", `{"a":1,}`, "json.syntax", 1, 7},
		{"comma first", "[,1]", "json.syntax", 1, 2},
		{"two commas", "[1,,2]", "json.syntax", 1, 4},
		{"no comma", "[1 2]", "json.syntax", 1, 4},
		{"no comma in an object", `{"a":1 "b":2}`, "json.syntax", 1, 8},
		{"colon for comma", `["a":1]`, "json.syntax", 1, 5},
		{"comma for colon", `{"a",1}`, "json.syntax", 1, 5},
		{"name without value", `{"a"}`, "json.syntax", 1, 5},
		{"name that is no string", `{1:2}`, "json.syntax", 1, 2},
		{"line comment", "{} // x", "json.syntax", 1, 4},
		{"block comment", "/* x */ {}", "json.syntax", 1, 1},
		{"single quotes", "{'a':1}", "json.syntax", 1, 2},
		{"not a number", "NaN", "json.syntax", 1, 1},
		{"infinity", "-Infinity", "json.syntax", 1, 2},
		{"plus", "+1", "json.syntax", 1, 1},
		{"leading zero", "01", "json.syntax", 1, 2},
		{"negative leading zero", "-01", "json.syntax", 1, 3},
		{"no fraction", "[1.]", "json.syntax", 1, 4},
		{"no integer", ".5", "json.syntax", 1, 1},
		{"no exponent", "[1e]", "json.syntax", 1, 4},
		{"only a sign", "-", "json.syntax", 1, 2},
		{"hexadecimal", "0x10", "json.syntax", 1, 2},
		{"digit groups", "1_000", "json.syntax", 1, 2},
		{"raw line feed in a string", "\"a\nb\"", "json.syntax", 1, 3},
		{"raw NUL in a string", "\"\x00\"", "json.syntax", 1, 2},
		{"raw U+001F in a name", "{\"\x1f\":1}", "json.syntax", 1, 3},
		{"unknown escape", `"\x41"`, "json.syntax", 1, 2},
		{"escaped single quote", `"\'"`, "json.syntax", 1, 2},
		{"escape of a line end", "\"\\\n\"", "json.syntax", 1, 2},
		{"upper-case escape", `"\U0041"`, "json.syntax", 1, 2},
		{"short escape", `"\u12"`, "json.syntax", 1, 2},
		{"bad digit in an escape", `"\u12g4"`, "json.syntax", 1, 2},
		{"bad digit after a high surrogate", `"\ud800\u12g4"`, "json.syntax", 1, 8},
		{"space before a bad literal", " \n  nul", "json.syntax", 2, 6},
		{"literal in upper case", "True", "json.syntax", 1, 1},
		{"two values", "1 2", "json.syntax", 1, 3},
		{"two values without space", "[]{}", "json.syntax", 1, 3},
		{"literals without space", "truefalse", "json.syntax", 1, 5},
		{"closing bracket too many", "[]]", "json.syntax", 1, 3},
		{"wrong bracket", "[}", "json.syntax", 1, 2},
		{"no-break space around", "\u00a0{}", "json.syntax", 1, 1},
		{"vertical tab around", "{}\v", "json.syntax", 1, 3},
		{"form feed around", "{}\f", "json.syntax", 1, 3},
		{"NUL after the value", "{}\x00", "json.syntax", 1, 3},
		{"ends in a string", `{"a":"b`, "json.syntax", 1, 8},
		{"ends in an object", "{\n", "json.syntax", 2, 1},
		{"ends in a literal", "tru", "json.syntax", 1, 4},
		{"ill-formed byte outside a string", "[\xff]", "json.syntax", 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read([]byte(c.text), MaxDocument)
			var refused *ReadError
			if !errors.As(err, &refused) {
				t.Fatalf("%q is accepted (%v)", c.text, err)
			}
			if refused.Rule != c.rule || refused.Line != c.line || refused.Column != c.column {
				t.Errorf("%q: %s at %d:%d, want %s at %d:%d", c.text, refused.Rule, refused.Line, refused.Column, c.rule, c.line, c.column)
			}
			if json.Valid([]byte(c.text)) {
				t.Errorf("encoding/json accepts %q", c.text)
			}
		})
	}
}

func TestReadAccepts(t *testing.T) {
	for text, want := range map[string]string{
		" \t\r\n[ 1 , 2 ] \n":             "[1,2]",
		"\"\u2028\u2029\x7f\u0085\"":      "\"\u2028\u2029\x7f\u0085\"",
		`"\/\b\f\n\r\t\"\\\u0041"`:        `"/\b\f\n\r\t\"\\A"`,
		`"\uD83D\uDE00"`:                  `"😀"`,
		`{"":{}}`:                         `{"":{}}`,
		"-0":                              "0",
		"1E+2":                            "100",
		`{"__proto__":1,"constructor":2}`: `{"__proto__":1,"constructor":2}`,
	} {
		doc := mustRead(t, text)
		if got := string(Canonical(doc.Root)); got != want || len(doc.Defects) > 0 {
			t.Errorf("%q reads as %s with defects %v, want %s", text, got, doc.Defects, want)
		}
	}
}

func TestDepth(t *testing.T) {
	for _, c := range []struct{ open, close string }{{"[", "]"}, {`{"a":`, "}"}} {
		nested := func(n int) string {
			inner := "1"
			if c.open == "[" {
				inner = ""
			}
			return strings.Repeat(c.open, n) + inner + strings.Repeat(c.close, n)
		}
		mustRead(t, nested(MaxDepth))
		_, err := Read([]byte(nested(MaxDepth+1)), MaxDocument)
		var refused *ReadError
		if !errors.As(err, &refused) || refused.Rule != "json.depth" {
			t.Errorf("%s at depth %d: %v", c.open, MaxDepth+1, err)
		}
	}
}

func TestSizeBound(t *testing.T) {
	text := []byte(`{"a": 1}`)
	if _, err := Read(text, len(text)); err != nil {
		t.Error(err)
	}
	_, err := Read(text, len(text)-1)
	var refused *ReadError
	if !errors.As(err, &refused) || refused.Rule != "json.size" || refused.Error() != "8 bytes; at most 7 are read (json.size)" {
		t.Error(err)
	}
}

// A typed decoder folds the case of names, merges null, absent and zero, and
// HTML-escapes what it writes. None of that may happen here.
func TestTrapsOfTypedDecoders(t *testing.T) {
	v := mustRead(t, `{"KeyId":"a","keyid":"b","null":null,"empty":"","zero":0,"false":false,"none":[],"nothing":{},"html":"<&>\u2028"}`).Root
	if v.Has("keyId") || v.Get("keyId").Present() {
		t.Error("names are matched without regard to case")
	}
	if !v.Get("KeyId").Is("a") || !v.Get("keyid").Is("b") {
		t.Error("names that differ in case are one")
	}
	for name, kind := range map[string]Kind{"null": Null, "empty": String, "zero": Number, "false": Bool, "none": Array, "nothing": Object, "absent": Absent} {
		if got := v.Get(name).Kind(); got != kind {
			t.Errorf("%s is %s, want %s", name, got, kind)
		}
		if truthy := name == "none" || name == "nothing"; v.Get(name).Truthy() != truthy {
			t.Errorf("%s: Truthy is %v", name, !truthy)
		}
		if present := name != "absent"; v.Get(name).Present() != present || v.Has(name) != present {
			t.Errorf("%s: present is %v", name, !present)
		}
	}
	if got := string(Canonical(v.Get("html"))); got != "\"<&>\u2028\"" {
		t.Errorf("escapes %s", got)
	}
	if !mustRead(t, `"\u00e9"`).Root.Is("é") || mustRead(t, `{"e\u0301":1}`).Root.Has("é") {
		t.Error("names are normalised")
	}
}

func TestDuplicateNames(t *testing.T) {
	doc := mustRead(t, `{"a":1,"b":{"x":1,"x":{"y":2}},"\u0061":3}`)
	if got := string(Compact(doc.Root)); got != `{"a":3,"b":{"x":{"y":2}}}` {
		t.Errorf("reads as %s; the last value counts, at the first place", got)
	}
	want := []Defect{
		{"strict.json.duplicate-key", "/b/x", 1, `a second member named "x"`},
		{"strict.json.duplicate-key", "/a", 1, `a second member named "a"`},
	}
	if len(doc.Defects) != 2 || doc.Defects[0] != want[0] || doc.Defects[1] != want[1] {
		t.Errorf("defects %+v, want %+v", doc.Defects, want)
	}
	// Also where objects are indexed rather than searched.
	var b strings.Builder
	for i := range 3 * linearMembers {
		b.WriteString(`"` + strings.Repeat("n", i) + `":` + strings.Repeat("1", i%9+1) + ",")
	}
	wide := mustRead(t, "{"+b.String()+b.String()+`"":true}`)
	if wide.Root.Len() != 3*linearMembers || wide.DefectCount != 3*linearMembers+1 || !wide.Root.Get("").IsBool(true) {
		t.Errorf("%d members, %d defects", wide.Root.Len(), wide.DefectCount)
	}
}

func TestDefectsAreCappedPerRule(t *testing.T) {
	doc := mustRead(t, "{"+strings.Repeat(`"a":1,`, 100)+"\n"+`"b":"\ud800","c":1e999,"d":1e-999,"\udc00":[{"e":"`+"\xff"+`"}]}`)
	got := map[string]int{}
	for _, d := range doc.Defects {
		got[d.Rule]++
	}
	for rule, n := range map[string]int{
		"strict.json.duplicate-key": maxDefects, "strict.json.lone-surrogate": 2, "strict.json.number-overflow": 1,
		"strict.json.number-inexact": 1, "strict.json.invalid-utf8": 1,
	} {
		if got[rule] != n {
			t.Errorf("%d of %s kept, want %d", got[rule], rule, n)
		}
	}
	if doc.DefectCount != 104 {
		t.Errorf("%d defects", doc.DefectCount)
	}
	last := doc.Defects[len(doc.Defects)-1]
	if last.Rule != "strict.json.lone-surrogate" || last.Pointer != "" || last.Line != 2 {
		t.Errorf("a defect of a name is placed at %+v", last)
	}
	if d := doc.Defects[len(doc.Defects)-2]; d.Pointer != "/d" || d.Line != 2 {
		t.Errorf("placed at %+v", d)
	}
}

func TestNumbers(t *testing.T) {
	for literal, want := range map[string]struct {
		value  float64
		text   string
		defect string
	}{
		"9007199254740991":          {9007199254740991, "9007199254740991", ""},
		"9007199254740992":          {9007199254740992, "9007199254740992", "strict.json.number-inexact"},
		"9007199254740993":          {9007199254740992, "9007199254740992", "strict.json.number-inexact"},
		"-9007199254740992.0":       {-9007199254740992, "-9007199254740992", "strict.json.number-inexact"},
		"1.0":                       {1, "1", ""},
		"1e-400":                    {0, "0", "strict.json.number-inexact"},
		"-1e-400":                   {math.Copysign(0, -1), "0", "strict.json.number-inexact"},
		"0e400":                     {0, "0", ""},
		"0.000e-999999":             {0, "0", ""},
		"-0":                        {math.Copysign(0, -1), "0", ""},
		"5e-324":                    {5e-324, "5e-324", ""},
		"1e400":                     {math.Inf(1), "null", "strict.json.number-overflow"},
		"-1e400":                    {math.Inf(-1), "null", "strict.json.number-overflow"},
		"1e1000000000":              {math.Inf(1), "null", "strict.json.number-overflow"},
		"1e-1000000000":             {0, "0", "strict.json.number-inexact"},
		"1e99999999999999999999999": {math.Inf(1), "null", "strict.json.number-overflow"},
		"0.1":                       {0.1, "0.1", ""},
	} {
		doc := mustRead(t, literal)
		got, _ := doc.Root.Num()
		if math.Float64bits(got) != math.Float64bits(want.value) {
			t.Errorf("%s reads as %v, want %v", literal, got, want.value)
		}
		if text := string(Canonical(doc.Root)); text != want.text {
			t.Errorf("%s is written as %s, want %s", literal, text, want.text)
		}
		if rule := outcome(doc, nil); rule != want.defect {
			t.Errorf("%s: defect %q, want %q", literal, rule, want.defect)
		}
	}
}

// Numbers whose value is beyond reach, or whose literal is a megabyte, cost no
// more than reading them.
func TestHostileNumbersAreCheap(t *testing.T) {
	start := time.Now()
	for _, literal := range []string{
		"[" + strings.Repeat("1e1000000000,", 50_000) + "1e-1000000000]",
		strings.Repeat("9", 1<<20), "0." + strings.Repeat("0", 1<<20) + "1", "1e" + strings.Repeat("9", 1<<20), "1e-" + strings.Repeat("9", 1<<20),
	} {
		Canonical(mustRead(t, literal).Root)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%v", took)
	}
}

// Every maximal ill-formed subsequence is one U+FFFD. The expectations are
// those of the Unicode Standard, section 3.9, and of the WHATWG decoder.
func TestDecodeWHATWG(t *testing.T) {
	const r = "\uFFFD"
	for in, want := range map[string]string{
		"\xc0\x80":         r + r, // overlong: C0 never starts a character
		"\xc1\xbf":         r + r,
		"\xe0\x80\x80":     r + r + r, // overlong: 80 cannot follow E0
		"\xf0\x80\x80\x80": r + r + r + r,
		"\xed\xa0\x80":     r + r + r, // a surrogate
		"\xed\xbf\xbf":     r + r + r,
		"\xf4\x90\x80\x80": r + r + r + r, // beyond U+10FFFF
		"\xf5\x80\x80\x80": r + r + r + r,
		"\xff\xfe":         r + r,
		"\x80\xbf":         r + r,
		"\xe2\x82":         r, // truncated, so far right
		"\xf0\x9f\x98":     r,
		"\xf0\x9f":         r,
		"\xf0":             r,
		"\xc3":             r,
		"\xe1\xa0\xc0":     r + r,
		"\xf1\x80\x80A":    r + "A",
		"\xf1\x80\xc2\xa2": r + "¢",
		"\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64": "a" + r + r + r + "b" + r + "c" + r + r + "d",
		"ok é 😀 \ufffd": "ok é 😀 \ufffd",
	} {
		if got := string(decodeWHATWG([]byte(in))); got != want {
			t.Errorf("%x decodes to %+q, want %+q", in, got, want)
		}
		doc := mustRead(t, `{"a": "`+in+`"}`)
		if !doc.Root.Get("a").Is(want) {
			t.Errorf("%x reads as %+q", in, doc.Root.Get("a").Text())
		}
	}
}

func TestPositions(t *testing.T) {
	if line, column := position([]byte("a\nbc\n"), 4); line != 2 || column != 3 {
		t.Errorf("%d:%d", line, column)
	}
	for _, offset := range []int{-5, 99} {
		if line, column := position([]byte("a\nb"), offset); line < 1 || column < 1 {
			t.Errorf("offset %d is at %d:%d", offset, line, column)
		}
	}
}
