package finish_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/packet"
)

// allMutants makes every mutant, in a fixed random order.
func allMutants(t *testing.T, b *bench) []mutant {
	t.Helper()
	rng := rand.New(rand.NewPCG(2026, 11))
	var list []mutant
	for _, name := range slices.Sorted(maps.Keys(b.original)) {
		data := b.original[name]
		list = append(list, byteMutants(rng, name, data)...)
		list = append(list, cutMutants(name, data)...)
		if strings.HasSuffix(name, ".json") {
			list = append(list, memberMutants(t, b, name, data)...)
		}
	}
	list = append(list, swapMutants(b)...)
	list = slices.DeleteFunc(list, b.unchanged) // two files of the same content, exchanged
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// unchanged reports whether a mutant leaves every file as it was.
func (b *bench) unchanged(m mutant) bool {
	for name, data := range m.files {
		if original, there := b.original[name]; !there || !bytes.Equal(data, original) {
			return false
		}
	}
	return true
}

// classes of bytes; each file is changed in some of each.
var classes = map[string]func(c byte) bool{
	"letter":      func(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' },
	"digit":       func(c byte) bool { return c >= '0' && c <= '9' },
	"white space": func(c byte) bool { return c == ' ' || c == '\n' },
	"punctuation": func(c byte) bool {
		return c > ' ' && c < 0x7F && !(c|0x20 >= 'a' && c|0x20 <= 'z') && !(c >= '0' && c <= '9')
	},
	"other": func(c byte) bool { return c >= 0x7F },
}

const perClass = 8

func byteMutants(rng *rand.Rand, name string, data []byte) (list []mutant) {
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		var places []int
		for i, c := range data {
			if classes[class](c) {
				places = append(places, i)
			}
		}
		rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		for _, i := range places[:min(perClass, len(places))] {
			changed := bytes.Clone(data)
			changed[i] ^= 1 << rng.IntN(8)
			list = append(list, plain("a "+class+" byte changed", fmt.Sprintf("%s byte %d", name, i), one(name, changed)))
		}
	}
	return list
}

func plain(kind, what string, files map[string][]byte) mutant {
	return mutant{kind: kind, what: what, files: files}
}

func one(name string, data []byte) map[string][]byte { return map[string][]byte{name: data} }

func cutMutants(name string, data []byte) (list []mutant) {
	for _, n := range []int{0, 1, len(data) / 2, len(data) - 1} {
		list = append(list, plain("truncated", fmt.Sprintf("%s to %d bytes", name, n), one(name, data[:n])))
	}
	for _, tail := range []string{"\n", " ", "\x00", "{}"} {
		list = append(list, plain("extended", fmt.Sprintf("%s by %q", name, tail), one(name, append(bytes.Clone(data), tail...))))
	}
	return list
}

// memberMutants changes each member of a document and, for the evidence, also
// repairs every digest of the packet that an intruder could.
func memberMutants(t *testing.T, b *bench, name string, data []byte) (list []mutant) {
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	committed := strings.HasPrefix(name, "controls/") || strings.HasPrefix(name, "skills/")
	for _, pointer := range pointers(doc.Root, nil) {
		value := at(doc.Root, pointer)
		for _, change := range changesOf(value) {
			if committed && change.name != "removed" {
				continue // the pack is compared byte for byte; one change a member is plenty
			}
			m := plain("member "+change.name, name+" /"+strings.Join(pointer, "/"), one(name, canon.Pretty(put(doc.Root, pointer, change.value))))
			list = append(list, m)
			if !committed && name != packet.DefaultPath && change.name == "changed" {
				list = append(list, mutant{kind: m.kind + ", digests repaired", what: m.what, files: m.files, repair: true})
			}
		}
		if value.IsObject() && !committed {
			added := put(doc.Root, append(slices.Clone(pointer), "surprise"), canon.NewString("added"))
			list = append(list, plain("member added", name+" /"+strings.Join(pointer, "/"), one(name, canon.Pretty(added))))
		}
		if len(pointer) > 0 && !committed {
			if twice, ok := duplicated(data, pointer[len(pointer)-1]); ok {
				list = append(list, plain("member twice", name+" /"+strings.Join(pointer, "/"), one(name, twice)))
			}
		}
	}
	return list
}

// duplicated writes the first member of that name twice, first with another
// value.
func duplicated(data []byte, member string) ([]byte, bool) {
	key := []byte(strconv.Quote(member) + ": ")
	i := bytes.Index(data, key)
	if i < 0 {
		return nil, false
	}
	return slices.Concat(data[:i], key, []byte(`"first", `), data[i:]), true
}

type change struct {
	name  string
	value canon.Value // absent: the member is removed
}

func changesOf(v canon.Value) []change {
	changes := []change{{"removed", canon.Value{}}}
	switch v.Kind() {
	case canon.String:
		s := v.Text()
		changes = append(changes, change{"changed", canon.NewString(s + "x")}, change{"emptied", canon.NewString("")}, change{"null", canon.NewNull()})
		if canon.IsHex64(s) {
			changes = append(changes, change{"upper case", canon.NewString(strings.ToUpper(s))},
				change{"other digest", canon.NewString(canon.TextDigest(s))}, change{"wrapped", canon.NewArray(v)})
		}
	case canon.Number:
		n, _ := v.Num()
		changes = append(changes, change{"changed", canon.NewNumber(n + 1)}, change{"text", canon.NewString(fmt.Sprint(n))})
	case canon.Bool:
		on, _ := v.Bool()
		changes = append(changes, change{"changed", canon.NewBool(!on)})
	case canon.Array:
		changes = append(changes, change{"emptied", canon.NewArray()}, change{"repeated", canon.NewArray(append(slices.Clone(v.Elems()), v.Elems()...)...)})
		if n := v.Len(); n > 1 {
			reversed := slices.Clone(v.Elems())
			slices.Reverse(reversed)
			changes = append(changes, change{"reversed", canon.NewArray(reversed...)})
		}
	case canon.Object:
		changes = append(changes, change{"emptied", canon.Build()}, change{"null", canon.NewNull()})
	}
	return slices.DeleteFunc(changes, func(c change) bool { return c.value.Present() && canon.Same(c.value, v) })
}

// pointers lists the way to every value of a document, the document itself
// included; of long arrays only the first elements.
func pointers(v canon.Value, way []string) [][]string {
	list := [][]string{way}
	for _, m := range v.Members() {
		list = append(list, pointers(m.Value, append(slices.Clone(way), m.Name))...)
	}
	for i, e := range v.Elems() {
		if i < 2 {
			list = append(list, pointers(e, append(slices.Clone(way), strconv.Itoa(i)))...)
		}
	}
	return list
}

func at(v canon.Value, way []string) canon.Value {
	for _, step := range way {
		if v.IsArray() {
			i, _ := strconv.Atoi(step)
			v = v.Elems()[i]
		} else {
			v = v.Get(step)
		}
	}
	return v
}

// put returns v with another value at a place, or without it.
func put(v canon.Value, way []string, value canon.Value) canon.Value {
	if len(way) == 0 {
		if !value.Present() {
			return canon.Build()
		}
		return value
	}
	if v.IsArray() {
		elems := slices.Clone(v.Elems())
		i, _ := strconv.Atoi(way[0])
		if len(way) == 1 && !value.Present() {
			return canon.NewArray(slices.Delete(elems, i, i+1)...)
		}
		elems[i] = put(elems[i], way[1:], value)
		return canon.NewArray(elems...)
	}
	if len(way) == 1 && !value.Present() {
		return keepOnly(v, slices.DeleteFunc(names(v), func(n string) bool { return n == way[0] }))
	}
	return canon.With(v, way[0], put(v.Get(way[0]), way[1:], value))
}

// swapMutants exchange the content of two bound files, and two digests of the
// packet.
func swapMutants(b *bench) (list []mutant) {
	var evidence []string
	for name := range b.original {
		if !strings.HasPrefix(name, "controls/") && !strings.HasPrefix(name, "scripts/") {
			evidence = append(evidence, name)
		}
	}
	slices.Sort(evidence)
	for i, a := range evidence {
		for _, c := range evidence[i+1:] {
			list = append(list, plain("two files exchanged", a+" and "+c, map[string][]byte{a: b.original[c], c: b.original[a]}))
		}
	}
	text := string(b.original[packet.DefaultPath])
	digests := digestsIn(text)
	for i, a := range digests {
		for _, c := range digests[i+1:] {
			swapped := strings.NewReplacer(a, c, c, a).Replace(text)
			list = append(list, plain("two digests exchanged", a[:8]+" and "+c[:8], one(packet.DefaultPath, []byte(swapped))))
		}
	}
	return list
}

// digestsIn lists some of the distinct digests of a text.
func digestsIn(text string) (list []string) {
	for _, word := range strings.Split(text, `"`) {
		if canon.IsHex64(word) && !slices.Contains(list, word) && len(list) < 40 {
			list = append(list, word)
		}
	}
	return list
}
