package runrepo

import (
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
)

// The areas' own HEADs are the proof that steps give the bytes they should.
func TestBases(t *testing.T) {
	vectors.Long(t)
	for _, area := range []string{"packet", "runtime"} {
		bases := Load(t, area)
		for name := range bases.fields {
			run := bases.Build(t, canon.Build(canon.Member{Name: "base", Value: canon.NewString(name)}))
			if run.Target == "" || run.Runtime == "" || len(run.Env) == 0 {
				t.Errorf("%s/%s: target %q, runtime %q, env %v", area, name, run.Target, run.Runtime, run.Env)
			}
		}
	}
}

func TestIndented(t *testing.T) {
	const text = "{\n  \"b\": [\n    1,\n    \"é\"\n  ],\n  \"10\": {},\n  \"9\": []\n}\n"
	doc, err := canon.Read([]byte(text), canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(Indented(doc.Root)); got != text {
		t.Errorf("got %s, want %s", got, text)
	}
}
