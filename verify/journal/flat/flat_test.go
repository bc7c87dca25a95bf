package flat

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"finishline/canon"
	"finishline/internal/vectors"

	"pgregory.net/rapid"
)

// agree fails when Parse and canon.Read answer differently about a text.
type reporter interface {
	Helper()
	Fatalf(string, ...any)
}

func agree(t reporter, p *Parser, text []byte) {
	t.Helper()
	problem := p.Parse(text, canon.MaxDepth)
	doc, err := canon.Read(text, len(text))
	if !utf8.Valid(text) {
		if problem.Code != UTF8 {
			t.Fatalf("%q: %+v, but it is not UTF-8", text, problem)
		}
		return
	}
	if err != nil {
		re := err.(*canon.ReadError)
		deep := re.Rule == "json.depth" && problem.Code != OK && problem.Code != UTF8
		if !deep && problem.Code != Syntax {
			t.Fatalf("%q: %+v, but canon.Read says %v", text, problem, err)
		}
		return
	}
	has := map[string]bool{}
	for _, d := range doc.Defects {
		has[d.Rule] = true
	}
	want := OK
	switch {
	case has["strict.json.duplicate-key"]:
		want = Duplicate
	case has["strict.json.lone-surrogate"]:
		want = Surrogate
	}
	if problem.Code != want {
		t.Fatalf("%q: %+v, but canon.Read finds %v", text, problem, doc.Defects)
	}
	const shallow = 3 // what is deeper is not kept, and judged all the same
	if want == OK && depth(doc.Root) > shallow {
		want = Depth
	}
	if problem := p.Parse(text, shallow); problem.Code != want {
		t.Fatalf("%q at depth %d: %+v, want code %d", text, shallow, problem, want)
	}
	p.Parse(text, canon.MaxDepth)
	if want != Duplicate {
		if why := differ(p.Root(), doc.Root); why != "" {
			t.Fatalf("%q: %s", text, why)
		}
	}
}

func depth(v canon.Value) int {
	deepest := 0
	for _, m := range v.Members() {
		deepest = max(deepest, depth(m.Value))
	}
	for _, e := range v.Elems() {
		deepest = max(deepest, depth(e))
	}
	if v.IsArray() || v.IsObject() {
		deepest++
	}
	return deepest
}

func differ(v Value, w canon.Value) string {
	kinds := map[Kind]canon.Kind{Null: canon.Null, True: canon.Bool, False: canon.Bool, Number: canon.Number, String: canon.String, Array: canon.Array, Object: canon.Object}
	if kinds[v.Kind()] != w.Kind() || v.Len() != w.Len() {
		return fmt.Sprintf("%v of %d, want %v of %d", v.Kind(), v.Len(), w.Kind(), w.Len())
	}
	switch v.Kind() {
	case String:
		if string(v.AppendText(nil)) != w.Text() || !v.Is(w.Text()) || v.Is(w.Text()+"x") {
			return fmt.Sprintf("the string %q, want %q", v.AppendText(nil), w.Text())
		}
	case True, False:
		if b, _ := w.Bool(); b != (v.Kind() == True) {
			return "the wrong boolean"
		}
	case Number:
		f, _ := w.Num()
		if g, _ := strconv.ParseFloat(string(v.Raw()), 64); f != g {
			return fmt.Sprintf("the number %s, want %v", v.Raw(), f)
		}
		v.Decimal()
	}
	i := 0
	for e := range v.Elems() {
		want := canon.Value{}
		if v.Kind() == Object {
			m := w.Members()[i]
			if string(e.AppendName(nil)) != m.Name || v.Get(m.Name) != e {
				return fmt.Sprintf("the member %q, want %q", e.AppendName(nil), m.Name)
			}
			want = m.Value
		} else {
			want = w.Elems()[i]
		}
		if why := differ(e, want); why != "" {
			return why
		}
		i++
	}
	return ""
}

// odd are texts in which readers of JSON have differed.
var odd = []string{
	``, ` `, `{}`, `[]`, `[[],{}]`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":{"b":1,"b":1}}`, `[1,]`, `[,1]`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{1:2}`, `[1 2]`,
	`"\ud800"`, `"\udc00\ud800"`, `"\ud83d\ude00"`, `"\uD83D\u0041"`, `{"\ud800":1,"\ud800":2}`, `"\x"`, `"\u12g4"`, `"\u123`, `"\`, `"`, "\"\x01\"", "\"\x7f\"", "\"\xff\"",
	`01`, `-`, `-0`, `1.`, `.5`, `1e`, `1e+`, `1E400`, `-1e-400`, `1.0`, `NaN`, `Infinity`, `nul`, `nulll`, `true false`, `tru`, `{} x`, `{"a":1}{}`, `// c`, `'a'`, "\ufeff{}", "[\v1]", "\u00a0[]",
	`{"":1,"":2}`, `{"":1}`, `[1}`, `{"a":1]`, `]`, `}`, `[`, `{`, `{"a":[{"b":`, strings.Repeat("[", 128) + strings.Repeat("]", 128), strings.Repeat("[", 129) + strings.Repeat("]", 129), strings.Repeat("[", 20000),
	strings.Repeat("[", 100) + strings.Repeat("0,", 40000) + "0" + strings.Repeat("]", 100),
	strings.Repeat(`{"":`, 100) + "[" + strings.Repeat("{},", 20000) + "[]" + "]" + strings.Repeat("}", 100),
}

func manyMembers(n int, last string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, "%q:%d,", fmt.Sprintf("m%d", i), i)
	}
	return b.String() + last + ":0}"
}

func seeds(t testing.TB) [][]byte {
	var list [][]byte
	for _, text := range odd {
		list = append(list, []byte(text))
	}
	for _, n := range []int{2, 23, 24, 25, 100} {
		list = append(list, []byte(manyMembers(n, `"m1"`)), []byte(manyMembers(n, `"\u006d1"`)), []byte(manyMembers(n, `"other"`)))
	}
	files, _ := filepath.Glob(filepath.Join(vectors.Dir(t, "harness-journal"), "run-*", "events.ndjson"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, bytes.Split(data, []byte("\n"))[:20]...)
	}
	return list
}

func TestAgreesWithCanon(t *testing.T) {
	var p Parser
	for _, text := range seeds(t) {
		agree(t, &p, text)
	}
}

func TestAgreesWithCanonOnPublicSuite(t *testing.T) {
	var p Parser
	for _, text := range publicSuite(t) {
		agree(t, &p, text)
	}
}

// publicSuite is every text of a well-known suite for parsers, or skips the test.
func publicSuite(t *testing.T) (texts [][]byte) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(vectors.Peers(t, "json-test-suite"), "*", "*.json"))
	if len(files) == 0 {
		t.Skip("the suite has no files")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, data)
	}
	return texts
}

func FuzzAgreesWithCanon(f *testing.F) {
	for _, text := range seeds(f) {
		f.Add(text)
	}
	var p Parser
	f.Fuzz(func(t *testing.T, text []byte) { agree(t, &p, text) })
}

// Mutations of real records reach deeper than random bytes.
func TestAgreesWithCanonOnMutations(t *testing.T) {
	texts := seeds(t)
	var p Parser
	rapid.Check(t, func(t *rapid.T) {
		text := bytes.Clone(rapid.SampledFrom(texts).Draw(t, "text"))
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			piece := rapid.SampledFrom([]string{`"`, `\`, `\u00`, `\ud834`, "{", "}", "[", "]", ",", ":", "0", "-", ".", "e5", " ", "\x00", "\xc3", `"kind":1,`}).Draw(t, "piece")
			drop := rapid.IntRange(0, min(3, len(text)-at)).Draw(t, "drop")
			text = append(append(bytes.Clone(text[:at]), piece...), text[at+drop:]...)
		}
		if len(text) < 5000 {
			agree(t, &p, text)
		}
	})
}

func TestFirstOfSeveralProblems(t *testing.T) {
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	for _, c := range []struct {
		text string
		code Code
		at   int
	}{
		{`{"a":` + deep + `,"a":"\ud800"`, Syntax, 158},
		{`{"a":"\ud800","b":` + deep + `,"a":1}`, Duplicate, 160},
		{`{"a":` + deep + `,"b":"\ud800"}`, Surrogate, 151},
		{`{"a":` + deep + `}`, Depth, 5 + 63},
		{`{"a":{"x":1,"x":2},"a":1}`, Duplicate, 13},
		{`{"\u0061":{"x":1,"x":2},"a":1}`, Duplicate, 18},
		{strings.Repeat("[", 70) + `{"a":[[1,{"b":1,"c":[{}],"b":2}],[{}]],"d":1}` + strings.Repeat("]", 70), Duplicate, 96},
		{strings.Repeat("[", 70) + `{"a":[[1,{"b":1,"c":[{"b":1}]}],[{"b":2}]],"d":[[[{}]],{}]}` + strings.Repeat("]", 70), Depth, 64},
		{strings.Repeat("[", 70) + strings.Repeat("]", 69) + "}", Syntax, 139},
		{strings.Repeat(`{"a":`, 70) + `{"b":1,"\u0062":[[]]}` + strings.Repeat("}", 70), Duplicate, 358},
		{strings.Repeat("[", 64) + strings.Repeat("]", 64), OK, 0},
		{"\"a\xffb", UTF8, 2},
	} {
		var p Parser
		got := p.Parse([]byte(c.text), 64)
		if got.Code != c.code || got.Offset != c.at {
			t.Errorf("%.60s: %+v, want code %d at %d", c.text, got, c.code, c.at)
		}
	}
}

// Texts of brackets alone have more values than two bytes each allow for.
func TestBracketsAlone(t *testing.T) {
	const n = 3 * keepNodes
	for _, maxDepth := range []int{1, 64, n} {
		var p Parser
		want := Depth
		if maxDepth == n {
			want = OK
		}
		if got := p.Parse([]byte(strings.Repeat("[", n)+strings.Repeat("]", n)), maxDepth); got.Code != want {
			t.Errorf("depth %d: %+v", maxDepth, got)
		}
	}
}

func TestNoAllocationPerText(t *testing.T) {
	text := []byte(`{"kind":"attempt.usage","attemptId":"at-1","inputTokens":2200,"costUsd":0.0625,"list":["a\n",{"x":null}]}`)
	var p Parser
	p.Parse(text, 64)
	if n := testing.AllocsPerRun(100, func() { p.Parse(text, 64) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// rat is the check of decimals.
func rat(lit string) *big.Rat {
	r, _ := new(big.Rat).SetString(lit)
	return r
}

var literals = rapid.Custom(func(t *rapid.T) string {
	lit := rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "literal")
	return lit
})

func decimal(lit string) Decimal {
	var p Parser
	if problem := p.Parse([]byte(lit), 1); problem.Code != OK {
		panic(problem.Reason)
	}
	return p.Root().Decimal()
}

func TestDecimalsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := literals.Draw(t, "a"), literals.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") { // the same number, or one that differs in the last place
			b = a + "0"
			if strings.ContainsAny(a, "eE") || !strings.Contains(a, ".") {
				b = strings.TrimPrefix(a, "-")
			}
		}
		x, y, rx, ry := decimal(a), decimal(b), rat(a), rat(b)
		if x.Cmp(y) != rx.Cmp(ry) || x.Sign() != rx.Sign() || x.IsInteger() != rx.IsInt() {
			t.Fatalf("%s and %s: %d, sign %d, integer %v", a, b, x.Cmp(y), x.Sign(), x.IsInteger())
		}
		if r := rat(strings.ReplaceAll(x.String(), "…", "")); r == nil || len(x.digits) <= 40 && r.Cmp(rx) != 0 {
			t.Fatalf("%s is written %s", a, x)
		}
	})
}

func TestSumsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum Sum
		total := new(big.Rat)
		for range rapid.IntRange(0, 12).Draw(t, "count") {
			lit := strings.TrimPrefix(literals.Draw(t, "number"), "-")
			if rapid.Bool().Draw(t, "by sum") {
				var part Sum
				part.Add(decimal(lit))
				sum.AddSum(&part)
			} else {
				sum.Add(decimal(lit))
			}
			total.Add(total, rat(lit))
			other := literals.Draw(t, "other")
			if got, want := sum.Cmp(decimal(other)), total.Cmp(rat(other)); got != want {
				t.Fatalf("%s against %s: %d, want %d", total, other, got, want)
			}
			exact := total.FloatString(200)
			if got := sum.Cmp(decimal(exact)); got != 0 {
				t.Fatalf("%s against itself: %d", exact, got)
			}
			if s := sum.String(); !strings.HasPrefix(s, "about") && rat(s).Cmp(total) != 0 {
				t.Fatalf("%s is written %s", exact, s)
			}
		}
	})
}

func TestAbsurdNumbersCostNothing(t *testing.T) {
	var sum Sum
	for _, lit := range []string{"1e1000000000", "1e-1000000000", "1", "9e999999999999999999999999999", "123456789012345678901234567890e99999999"} {
		d := decimal(lit)
		if d.Cmp(d) != 0 || d.Cmp(Int(0)) != 1 || len(d.String()) > 80 {
			t.Errorf("%s is written %s", lit, d)
		}
		sum.Add(d)
	}
	if sum.Limbs() > 20 || sum.Cmp(decimal("9e999999999999999999999999999")) != 1 || sum.Cmp(decimal("1e1000000001")) != 1 {
		t.Errorf("%d limbs", sum.Limbs())
	}
	if !strings.HasPrefix(sum.String(), "about ") {
		t.Errorf("written %s", sum.String())
	}
}

func BenchmarkParse(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(vectors.Dir(b, "harness-journal"), "run-bravo", "events.ndjson"))
	if err != nil {
		b.Fatal(err)
	}
	list := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	b.SetBytes(int64(len(data)))
	var p Parser
	for b.Loop() {
		for _, text := range list {
			p.Parse(text, 64)
		}
	}
}
