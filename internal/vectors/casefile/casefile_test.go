package casefile

import (
	"testing"

	"finishline/canon"
)

func parse(t *testing.T, text string) canon.Value {
	t.Helper()
	doc, err := canon.Read([]byte(text), canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

func TestPatch(t *testing.T) {
	for _, c := range []struct{ name, doc, patch, want string }{
		{"replace", `{"a":{"b":1}}`, `[{"op":"replace","path":"/a/b","value":null}]`, `{"a":{"b":null}}`},
		{"add member", `{"a":1}`, `[{"op":"add","path":"/b","value":[2]}]`, `{"a":1,"b":[2]}`},
		{"insert", `[1,3]`, `[{"op":"add","path":"/1","value":2}]`, `[1,2,3]`},
		{"append", `[1]`, `[{"op":"add","path":"/-","value":2}]`, `[1,2]`},
		{"remove element", `[1,2]`, `[{"op":"remove","path":"/0"}]`, `[2]`},
		{"escaped name", `{"a/b~":1}`, `[{"op":"remove","path":"/a~1b~0"}]`, `{}`},
		{"whole", `{"a":1}`, `[{"op":"replace","path":"","value":7}]`, `7`},
		{"in order", `{}`, `[{"op":"add","path":"/a","value":1},{"op":"replace","path":"/a","value":2}]`, `{"a":2}`},
	} {
		got, err := Patch(parse(t, c.doc), parse(t, c.patch))
		if err != nil || string(canon.Compact(got)) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.name, canon.Compact(got), err, c.want)
		}
	}
}

func TestPatchRefuses(t *testing.T) {
	for _, patch := range []string{
		`[{"op":"replace","path":"/x","value":1}]`,
		`[{"op":"remove","path":"/list/3"}]`,
		`[{"op":"add","path":"/list/9","value":1}]`,
		`[{"op":"remove","path":"/list/-1"}]`,
		`[{"op":"remove","path":"/n/x"}]`,
		`[{"op":"move","path":"/n","from":"/list"}]`,
		`[{"op":"remove","path":"n"}]`,
	} {
		if got, err := Patch(parse(t, `{"list":[1,2],"n":1}`), parse(t, patch)); err == nil {
			t.Errorf("%s gave %s without an error", patch, canon.Compact(got))
		}
	}
}

func TestLoad(t *testing.T) {
	cases := Load(t, "proof-uash")
	changed := false
	for _, c := range cases {
		if len(c.Data) == 0 {
			t.Errorf("case %s has no subject", c.Name)
		}
		changed = changed || c.Fields.Has("patch")
	}
	if !changed {
		t.Error("no case of proof-uash has a patch; this test shows nothing")
	}
}
