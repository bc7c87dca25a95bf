package flat

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"finishline/canon"

	"pgregory.net/rapid"
)

// treeHolds holds Tree to canon.Read and canon.Compact: it gives what they give,
// and declines only what it says it declines.
func treeHolds(t reporter, p *Parser, text []byte) {
	t.Helper()
	if p.Parse(text, canon.MaxDepth).Code != OK {
		return
	}
	doc, err := canon.Read(text, len(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	trimmed := bytes.Trim(text, " \t\r\n")
	canonical := bytes.Equal(canon.Compact(doc.Root), trimmed)
	tree, ok := p.Root().Tree()
	switch {
	case !ok && canonical && !declined(doc):
		t.Fatalf("%q is canonical", text)
	case !ok:
		return
	case !canonical:
		t.Fatalf("%q is written %s", text, canon.Compact(doc.Root))
	case len(doc.Defects) > 0:
		t.Fatalf("%q has defects: %v", text, doc.Defects)
	case !canon.Same(tree, doc.Root) || !bytes.Equal(canon.Compact(tree), trimmed):
		t.Fatalf("%q: the tree of %s", text, canon.Compact(tree))
	}
}

// declined reports whether a canonical text has what Tree declines all the same.
func declined(doc *canon.Document) bool {
	inexact := slices.ContainsFunc(doc.Defects, func(d canon.Defect) bool { return strings.HasPrefix(d.Rule, "strict.json.number-") })
	return inexact || oddName(doc.Root)
}

func oddName(v canon.Value) bool {
	if slices.ContainsFunc(v.Elems(), oddName) {
		return true
	}
	return slices.ContainsFunc(v.Members(), func(m canon.Member) bool {
		escaped := len(canon.Compact(canon.NewString(m.Name))) != len(m.Name)+2
		return escaped || m.Name != "" && '0' <= m.Name[0] && m.Name[0] <= '9' || oddName(m.Value)
	})
}

// spellings are texts that are nearly canonical, and some that are.
var spellings = []string{
	`{"a":1}`, `{ "a":1}`, `{"a" :1}`, `{"a": 1}`, `{"a":1 }`, ` {"a":1} `, `{"a":1,"b":2}`, `{"a":1, "b":2}`, `[1,2]`, `[1 ,2]`, `[ ]`, `{ }`, `[]`, `{}`, `[[],{}]`, `"a"`, ` "a"`,
	`"a\/b"`, `"a/b"`, `"\u0061"`, `"\u001f"`, `"\u001F"`, `"\n\t\r\b\f\"\\"`, `"\u000a"`, `"\u0022"`, "\"\u2028\"", `"\u2028"`, `"\u007f"`, "\"\x7f\"", `"😀"`, `"\ud83d\ude00"`,
	`0`, `-0`, `1.0`, `1.5`, `-1.5`, `1e3`, `1E3`, `1000`, `0.000001`, `1e-7`, `0.0000001`, `1e-07`, `1e21`, `1e+21`, `123456789012345`, `1234567890123456`, `9007199254740991`, `9007199254740992`, `123456789012345680000`,
	`0.1`, `0.10`, `5e-324`, `2e-324`, `1e400`, `1770000000000.25`, `-12`, `{"1":1}`, `{"b":1,"1":2}`, `{"1":2,"b":1}`, `{"a1":1}`, `{"\n":1}`, `{"":1}`, `{"":""}`, `{"__proto__":1}`, `[null,true,false]`,
}

func treeSeeds(t testing.TB) [][]byte {
	list := seeds(t)
	for _, s := range spellings {
		list = append(list, []byte(s))
	}
	for _, text := range list {
		if doc, err := canon.Read(text, len(text)); err == nil {
			list = append(list, canon.Compact(doc.Root))
		}
	}
	return list
}

func TestTreeHoldsToCanon(t *testing.T) {
	var p Parser
	for _, text := range treeSeeds(t) {
		treeHolds(t, &p, text)
	}
	if _, ok := (Value{}).Tree(); ok {
		t.Error("what is absent has a tree")
	}
}

func TestTreeHoldsToCanonOnPublicSuite(t *testing.T) {
	var p Parser
	for _, text := range publicSuite(t) {
		treeHolds(t, &p, text)
	}
}

func TestTreeHoldsToCanonOnMutations(t *testing.T) {
	texts := treeSeeds(t)
	var p Parser
	rapid.Check(t, func(t *rapid.T) {
		text := bytes.Clone(rapid.SampledFrom(texts).Draw(t, "text"))
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		piece := rapid.SampledFrom([]string{" ", "\n", `\u0061`, `\n`, `\/`, "0", ".0", "e1", "-", "1", `"0":1,`, `"a":1,`, "é", "[]", "{}"}).Draw(t, "piece")
		text = slices.Concat(text[:at], []byte(piece), text[at:])
		if len(text) < 5000 {
			treeHolds(t, &p, text)
		}
	})
}

func FuzzTree(f *testing.F) {
	for _, text := range treeSeeds(f) {
		f.Add(text)
	}
	var p Parser
	f.Fuzz(func(t *testing.T, text []byte) { treeHolds(t, &p, text) })
}

func BenchmarkTree(b *testing.B) {
	text := []byte(`{"schema":"s","event":{"id":"e1","message":"` + strings.Repeat("m", 16000) + `","size":1770000000000.25}}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var p Parser
	for b.Loop() {
		p.Parse(text, 64)
		if _, ok := p.Root().Tree(); !ok {
			b.Fatal("not canonical")
		}
	}
}
