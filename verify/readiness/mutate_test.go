package readiness_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
	"finishline/verify"
	"finishline/verify/readiness"
)

// A mutation changes one value of a document.
type mutation struct {
	name string
	make func(v canon.Value) (canon.Value, bool) // false: not for this value
}

func always(v canon.Value) func(canon.Value) (canon.Value, bool) {
	return func(old canon.Value) (canon.Value, bool) { return v, !canon.Same(old, v) }
}

func onText(change func(string) string) func(canon.Value) (canon.Value, bool) {
	return func(old canon.Value) (canon.Value, bool) {
		s, ok := old.Str()
		return canon.NewString(change(s)), ok && change(s) != s
	}
}

func onList(change func([]canon.Value) []canon.Value) func(canon.Value) (canon.Value, bool) {
	return func(old canon.Value) (canon.Value, bool) {
		if !old.IsArray() || old.Len() == 0 {
			return old, false
		}
		v := canon.NewArray(change(slices.Clone(old.Elems()))...)
		return v, !canon.Same(old, v)
	}
}

var mutations = []mutation{
	{"removed", always(canon.Value{})},
	{"null", always(canon.NewNull())},
	{"true", always(canon.NewBool(true))},
	{"1", always(canon.NewNumber(1))},
	{"{}", always(canon.Build())},
	{"[]", always(canon.NewArray())},
	{"blank", always(canon.NewString(" "))},
	{"other", always(canon.NewString("other"))},
	{"in a list", func(old canon.Value) (canon.Value, bool) { return canon.NewArray(old), true }},
	{"upper", onText(strings.ToUpper)},
	{"padded", onText(func(s string) string { return s + " " })},
	{"cut", onText(func(s string) string { return s[:len(s)/2] })},
	{"twice", onList(func(l []canon.Value) []canon.Value { return append(l, l[len(l)-1]) })},
	{"without the last", onList(func(l []canon.Value) []canon.Value { return l[:len(l)-1] })},
	{"reversed", onList(func(l []canon.Value) []canon.Value { slices.Reverse(l); return l })},
	{"with null", onList(func(l []canon.Value) []canon.Value { return append(l, canon.NewNull()) })},
}

// A freedom is a change that means the same to every reader, or about which no
// rule says anything. Everything that is not listed must be refused.
type freedom struct {
	place     string // regular expression of the pointer
	mutations string // names, separated by |
	base      bool   // at base level only
}

const anyText = `other|upper|padded|cut`

var freedoms = []freedom{
	// Texts for people.
	{`/summary|/layers/\d+/(owner|reason)|.*/(command|metric|window|source|producer/name|producer/version)`, anyText, false},
	// Declared edges may be left out, repeated, and are ignored unless a list.
	{`/layers/\d+/dependencies`, `removed|null|true|1|{}|[]|blank|other|twice|without the last|reversed`, false},
	{`/layers/\d+/dependencies/\d+`, `removed`, false},
	// The order of layers, controls and items says nothing, and evidence may be
	// repeated.
	{`/layers|/layers/\d+/controls|.*/evidence`, `reversed`, false},
	{`.*/evidence`, `twice`, false},
	// Digests of typed evidence are compared without regard to case.
	{`.*/(sha256|outputDigest)`, `upper`, false},
	// A smaller value still meets an upper target.
	{`.*/evidence/\d+/value`, `1`, false},
	{`.*/evidence/\d+/operator`, `cut`, false}, // <= becomes <
	// A prototype or production artifact needs no digest; base level also takes
	// one that is none.
	{`.*/sha256`, `removed`, false},
	{`.*/sha256`, `null|true|1|{}|[]|blank|other|in a list|padded|cut`, true},
	// What base level trims.
	{`/layers/\d+/(layer|status)|.*/controls/\d+/(id|status)`, `padded`, true},
	{`.*/(path|outputPath)`, `padded`, true},
}

func free(pointer, name string, level verify.Level) bool {
	return slices.ContainsFunc(freedoms, func(f freedom) bool {
		return (!f.base || level == verify.Base) && slices.Contains(strings.Split(f.mutations, "|"), name) &&
			regexp.MustCompile("^(?:"+f.place+")$").MatchString(pointer)
	})
}

// pointers lists every place of a document but its root.
func pointers(n canon.Node) []string {
	var out []string
	for _, m := range n.Members() {
		out = append(out, n.Pointer+"/"+canon.EscapePointer(m.Name))
		out = append(out, pointers(n.At(m.Name))...)
	}
	for e := range n.All() {
		out = append(out, e.Pointer)
		out = append(out, pointers(e)...)
	}
	return out
}

// mutate applies a mutation at a place; ok is false where it changes nothing.
func mutate(doc canon.Value, pointer string, m mutation) (canon.Value, bool, error) {
	v, ok := m.make(at(doc, pointer))
	if !ok {
		return doc, false, nil
	}
	verb := "replace"
	if !v.Present() {
		verb = "remove"
	}
	out, err := casefile.Edit(doc, verb, pointer, v)
	return out, true, err
}

// refused says what is wrong with the verdict on a mutated assessment: what is
// not free must be refused, and what is free must pass.
func refused(o *readiness.Outcome, pointer, name string, level verify.Level) error {
	switch isFree := free(pointer, name, level); {
	case isFree && o.Verdict() != verify.Pass:
		return fmt.Errorf("%s %s at %s level means the same, and is refused:\n%s", pointer, name, level, describe(o))
	case !isFree && o.Verdict() != verify.Fail:
		return fmt.Errorf("%s %s at %s level gives %s", pointer, name, level, o.Verdict())
	}
	return nil
}

// Every change of a valid assessment is refused, unless it is listed as one
// that means the same.
func TestEveryMemberMatters(t *testing.T) {
	vectors.Long(t)
	s := current(t, "t0-prototype")
	tried := 0
	for _, pointer := range pointers(canon.Node{Value: s.doc}) {
		for _, m := range mutations {
			doc, ok, err := mutate(s.doc, pointer, m)
			if err != nil {
				t.Fatalf("%s %s: %v", pointer, m.name, err)
			}
			if !ok {
				continue
			}
			tried++
			for _, level := range levels {
				if err := refused(s.document(t, doc, level), pointer, m.name, level); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d changes were tried", tried)
	}
}

// The same, by chance, for a run in which every layer is required.
func TestSomeMembersMatter(t *testing.T) {
	s := current(t, "t1-production")
	places := pointers(canon.Node{Value: s.doc})
	rapid.Check(t, func(r *rapid.T) {
		pointer := rapid.SampledFrom(places).Draw(r, "pointer")
		m := mutations[rapid.IntRange(0, len(mutations)-1).Draw(r, "mutation")]
		doc, ok, err := mutate(s.doc, pointer, m)
		if err != nil {
			r.Fatal(err)
		}
		if !ok {
			return
		}
		for _, level := range levels {
			if err := refused(s.document(t, doc, level), pointer, m.name, level); err != nil {
				r.Fatal(err)
			}
		}
	})
}
