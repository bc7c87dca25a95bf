package canon

import "testing"

func TestNodeAll(t *testing.T) {
	for _, text := range []string{`[]`, `{}`, `"ab"`, `[1,[2],{"a":null}]`} {
		doc, err := Read([]byte(text), MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		want := doc.Node().Items()
		i := 0
		for n := range doc.Node().All() {
			if i >= len(want) || n.Pointer != want[i].Pointer || !Same(n.Value, want[i].Value) {
				t.Errorf("%s: element %d is %s at %s", text, i, Compact(n.Value), n.Pointer)
			}
			i++
		}
		if i != len(want) {
			t.Errorf("%s: %d elements, want %d", text, i, len(want))
		}
		if past := doc.Node().Index(len(want)); past.Present() {
			t.Errorf("%s: there is an element after the last: %s", text, Compact(past.Value))
		}
		for range doc.Node().All() {
			break
		}
	}
}
