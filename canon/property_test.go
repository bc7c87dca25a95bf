package canon

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"
)

// unitStrings draws sequences of UTF-16 units in which surrogates, paired and
// unpaired, and the characters around them are frequent.
func unitStrings() *rapid.Generator[[]uint16] {
	return rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]uint16{'a', 'b', 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xE000, 0xFFFD, 0xFFFF}),
		rapid.Uint16(),
	), 0, 8)
}

// fromUnits makes the string that reading those units gives: pairs become
// characters, other surrogates stay.
func fromUnits(units []uint16) string {
	var b []byte
	for i := 0; i < len(units); i++ {
		u := rune(units[i])
		switch {
		case utf16.IsSurrogate(u) && i+1 < len(units) && utf16.DecodeRune(u, rune(units[i+1])) != utf8.RuneError:
			b = utf8.AppendRune(b, utf16.DecodeRune(u, rune(units[i+1])))
			i++
		case utf16.IsSurrogate(u):
			b = appendSurrogate(b, u)
		default:
			b = utf8.AppendRune(b, u)
		}
	}
	return string(b)
}

func sign(n int) int { return max(-1, min(1, n)) }

func TestCompareUTF16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prefix, x, y := unitStrings().Draw(t, "prefix"), unitStrings().Draw(t, "x"), unitStrings().Draw(t, "y")
		a, b := slices.Concat(prefix, x), slices.Concat(prefix, y)
		if got, want := sign(CompareUTF16(fromUnits(a), fromUnits(b))), slices.Compare(a, b); got != want {
			t.Errorf("%04x and %04x compare as %d, want %d", a, b, got, want)
		}
		if got := UTF16Len(fromUnits(a)); got != len(a) {
			t.Errorf("%04x has length %d", a, got)
		}
		wellFormed := string(utf16.Decode(a))
		if utf8.ValidString(fromUnits(a)) == HasLoneSurrogate(fromUnits(a)) || UTF8(fromUnits(a)) != wellFormed {
			t.Errorf("%04x: lone surrogate %v, UTF-8 %+q", a, HasLoneSurrogate(fromUnits(a)), UTF8(fromUnits(a)))
		}
	})
}

// Reading the escapes of any units gives those units, and canonical form writes
// them back so that they read as the same.
func TestEscapesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := unitStrings().Draw(t, "units")
		var text strings.Builder
		text.WriteByte('"')
		for _, u := range units {
			text.Write(appendUnicodeEscape(nil, u))
		}
		text.WriteByte('"')
		doc := mustReadRapid(t, text.String())
		if !doc.Root.Is(fromUnits(units)) {
			t.Fatalf("%s reads as %+q", text.String(), doc.Root.Text())
		}
		if HasLoneSurrogate(fromUnits(units)) != (outcome(doc, nil) == "strict.json.lone-surrogate") {
			t.Errorf("%s: defects %v", text.String(), doc.Defects)
		}
		if again := mustReadRapid(t, string(Canonical(doc.Root))); !again.Root.Is(doc.Root.Text()) {
			t.Errorf("%s is written as %s", text.String(), Canonical(doc.Root))
		}
	})
}

func mustReadRapid(t *rapid.T, text string) *Document {
	doc, err := Read([]byte(text), MaxDocument)
	if err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return doc
}

// values draws trees with names and texts that sort and escape differently in
// different libraries.
func values(depth int) *rapid.Generator[Value] {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "A", "é", "e\u0301", "\U0001F600", "\uE000", "\uFFFF", "10", "2", "0", "01", "4294967294", "4294967295", "\x00", "\x1f\x7f\u0080", "\u2028<&>", `"\/`, "\b\f\n\r\t"}),
		rapid.String(),
	)
	scalar := rapid.OneOf(
		rapid.Just(NewNull()), rapid.Map(rapid.Bool(), NewBool), rapid.Map(text, NewString),
		rapid.Map(rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1.5, 1e20, 1e21, 123e-8, 1e-6, 1e-7, 5e-324, math.MaxFloat64, 1 << 53}), NewNumber),
		rapid.Map(rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }), NewNumber),
	)
	if depth == 0 {
		return scalar
	}
	return rapid.OneOf(
		scalar,
		rapid.Custom(func(t *rapid.T) Value {
			return NewArray(rapid.SliceOfN(values(depth-1), 0, 5).Draw(t, "elements")...)
		}),
		rapid.Custom(func(t *rapid.T) Value {
			var members []Member
			for range rapid.IntRange(0, 6).Draw(t, "members") {
				members = append(members, Member{text.Draw(t, "name"), values(depth-1).Draw(t, "value")})
			}
			return Build(members...)
		}),
	)
}

func TestCanonicalProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "v")
		canonical := string(Canonical(v))
		if got := string(canonicalTolerant(v)); got != canonical {
			t.Errorf("the two writers differ:\n%s\n%s", got, canonical)
		}
		if got, err := jcs.Transform(Compact(v)); err != nil || string(got) != canonical {
			t.Errorf("jcs gives %s (%v), not %s", got, err, canonical)
		}
		if got := jsontext.Value(Compact(v)); got.Canonicalize() != nil || string(got) != canonical {
			t.Errorf("jsontext gives %s, not %s", got, canonical)
		}
		if again := mustReadRapid(t, canonical); string(Canonical(again.Root)) != canonical || !Equal(again.Root, v) || Digest(again.Root) != Digest(v) {
			t.Errorf("%s reads as %s", canonical, Canonical(again.Root))
		}
		if got := string(Canonical(shuffled(t, v))); got != canonical {
			t.Errorf("member order matters: %s, %s", canonical, got)
		}
		pretty := mustReadRapid(t, string(Pretty(v)))
		if !Same(pretty.Root, v) || SemanticDigest(pretty.Root) != SemanticDigest(v) {
			t.Errorf("pretty form reads as %s, not %s", Compact(pretty.Root), Compact(v))
		}
	})
}

// shuffled puts the members of every object in another order.
func shuffled(t *rapid.T, v Value) Value {
	switch v.Kind() {
	case Array:
		elems := slices.Clone(v.Elems())
		for i := range elems {
			elems[i] = shuffled(t, elems[i])
		}
		return NewArray(elems...)
	case Object:
		members := slices.Clone(v.Members())
		for i := range members {
			members[i].Value = shuffled(t, members[i].Value)
		}
		return Build(rapid.Permutation(members).Draw(t, "order")...)
	}
	return v
}

// Members of compact text: array indexes first, by number, then the others as
// they were first met. It is a fixed point of reading and writing.
func TestCompactOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(2).Filter(Value.IsObject).Draw(t, "v")
		again := mustReadRapid(t, string(Compact(v))).Root
		if string(Compact(again)) != string(Compact(v)) {
			t.Fatalf("not a fixed point: %s, then %s", Compact(v), Compact(again))
		}
		var indexes []uint64
		var others, want []string
		for _, m := range again.Members() {
			if n, ok := arrayIndex(m.Name); ok {
				indexes = append(indexes, n)
				if len(others) > 0 {
					t.Errorf("an index after other names: %s", Compact(v))
				}
			} else {
				others = append(others, m.Name)
			}
		}
		for _, m := range v.Members() {
			if _, ok := arrayIndex(m.Name); !ok {
				want = append(want, m.Name)
			}
		}
		if !slices.IsSorted(indexes) || !slices.Equal(others, want) {
			t.Errorf("%s: indexes %v, others %q, want %q", Compact(v), indexes, others, want)
		}
	})
}

func TestCompact(t *testing.T) {
	for text, want := range map[string]string{
		`{"b":1,"10":2,"a":3,"2":4,"b":5}`:              `{"2":4,"10":2,"b":5,"a":3}`,
		`{"a":1,"01":2,"-1":3,"4294967295":4,"0":5}`:    `{"0":5,"a":1,"01":2,"-1":3,"4294967295":4}`,
		`{"x":1,"4294967294":2,"9":3,"99999999999":4}`:  `{"9":3,"4294967294":2,"x":1,"99999999999":4}`,
		`[1.0,-0,1e999,"\ud800\/",{"b":{"1":0,"":1}}]`:  `[1,0,null,"\ud800/",{"b":{"1":0,"":1}}]`,
		`{"00000000001":1,"1.0":2,"1e0":3,"1":4,"٣":5}`: `{"1":4,"00000000001":1,"1.0":2,"1e0":3,"٣":5}`,
	} {
		if got := string(Compact(mustRead(t, text).Root)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	a, b := mustRead(t, `{"a":1,"b":2}`).Root, mustRead(t, `{"b":2,"a":1}`).Root
	if Same(a, b) || !Equal(a, b) {
		t.Error("member order: it matters to Same and not to Equal")
	}
	if !Same(Value{}, Value{}) || Same(Value{}, NewNull()) || Same(NewNull(), Value{}) || !Same(NewNumber(math.Inf(1)), NewNull()) {
		t.Error("Same of absent and null")
	}
}

func TestAbsentMembers(t *testing.T) {
	doc := mustRead(t, `{"b":1,"n":null}`).Root
	picked := Pick(doc, "b", "n", "a")
	if got := string(Canonical(picked)); got != `{"a":undefined,"b":1,"n":null}` {
		t.Errorf("%s", got)
	}
	if !HasAbsent(picked) || HasAbsent(doc) || !HasAbsent(NewArray(Build(Member{"x", picked}))) {
		t.Error("HasAbsent")
	}
	if Pretty(picked) != nil {
		t.Error("absent members have a JSON text")
	}
}
