package rundir

import (
	"os"
	"path/filepath"
	"testing"

	"finishline/canon"
)

// Roots of whole areas can be built (the other areas are built by their own
// tests): a step that names what is not there
// fails.
func TestBuildEvery(t *testing.T) {
	for _, area := range []string{"evidence", "waivers", "readiness-v1"} {
		for _, c := range Load(t, area) {
			t.Run(area+"/"+c.Name, func(t *testing.T) { c.Build(t) })
		}
	}
}

func TestSteps(t *testing.T) {
	fields, err := canon.Read([]byte(`{
		"files": {"a/b.json": "{\"x\":1,\"y\":[2]}", "gone/c.txt": "c", "d.txt": "one two"},
		"outside": {"o.txt": "o"},
		"patches": {"a/b.json": [{"op":"move","from":"/x","path":"/y/0"}]},
		"edits": {"d.txt": [["two", "three"]]},
		"symlinks": {"l": "../outside/o.txt"}
	}`), canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	root := Case{Name: "steps", Fields: fields.Root}.Build(t)
	for name, want := range map[string]string{"a/b.json": `{"y":[1,2]}`, "d.txt": "one three", "l": "o"} {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestRemoveEmptied(t *testing.T) {
	fields, err := canon.Read([]byte(`{"files": {"keep/x": "x"}}`), canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	root := Case{Fields: fields.Root}.Build(t)
	b := builder{t: t, root: root}
	b.write(root, "deep/er/file", "")
	b.remove("deep/er/file")
	if _, err := os.Stat(filepath.Join(root, "deep")); !os.IsNotExist(err) {
		t.Error("an emptied directory stayed")
	}
	if _, err := os.Stat(filepath.Join(root, "keep/x")); err != nil {
		t.Error(err)
	}
}
