package gate

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

func testRun(t *testing.T, files map[string]string) *Run {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := evidence.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	run, err := NewRun(Options{Target: root})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	return run
}

// Block C: the ids of a list of controls.
func TestControls(t *testing.T) {
	const passed = `"status":"skipped","reason":"r"`
	tests := []struct {
		name, list string
		want       []string
	}{
		{"all there", `[{"id":"A",` + passed + `},{"id":" B ",` + passed + `}]`, nil},
		{"one missing", `[{"id":"A",` + passed + `}]`, []string{"test.control.missing"}},
		{"none, in another shape", `{}`, []string{"test.control.missing"}},
		{"one twice, trimmed", `[{"id":"A",` + passed + `},{"id":"B",` + passed + `},{"id":"A ",` + passed + `}]`, []string{"test.control.duplicate"}},
		{"an unknown one", `[{"id":"A",` + passed + `},{"id":"B",` + passed + `},{"id":"C",` + passed + `}]`, []string{"test.control.unknown"}},
		{"no object", `[7,{"id":"A",` + passed + `},{"id":"B",` + passed + `}]`, []string{"control.shape.object", "test.control.unknown"}},
	}
	table := define("test", controlRules("test", "09a §1"))
	for _, c := range tests {
		doc, err := canon.Read([]byte(`{"controls":`+c.list+`}`), canon.MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		check := &checker{out: table.Collect(verify.Strict), gate: "test", path: "test.json", doc: doc.Node()}
		catalog := controlCatalog{expected: []string{"A", "B"}, known: func(id string) bool { return id == "A" || id == "B" }}
		check.controls(check.doc.At("controls"), catalog, evidence.Context{Artifact: "test.json", Skip: evidence.SkipAllowed})
		if got := verify.RuleIDs(check.out.List(), verify.Error); !slices.Equal(got, c.want) {
			t.Errorf("%s: rules %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReplaced(t *testing.T) {
	names := func(table []memberRule) (list []string) {
		for _, m := range table {
			list = append(list, m.name)
		}
		return list
	}
	if got := names(replaced(header, "commit")); !slices.Equal(got, []string{"runId", "environment", "profile", "generatedAt"}) {
		t.Errorf("dropped: %q", got)
	}
	if got := names(intakeHeader); !slices.Equal(got, []string{"runId", "environment", "commit", "profile", "receivedAt"}) {
		t.Errorf("replaced: %q", got)
	}
	if got := names(header); len(got) != 5 {
		t.Errorf("the shared table changed: %q", got)
	}
}

// How each way of being unreadable is told apart.
func TestLoad(t *testing.T) {
	run := testRun(t, map[string]string{"ok.json": "{}", "bad.json": "{", "dir/f": "", "null.json": "null"})
	if err := os.WriteFile(filepath.Join(run.opt.Target.Dir(), "big.json"), make([]byte, canon.MaxDocument+1), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path   string
		want   problem
		usable bool
	}{
		{"ok.json", readable, true}, {"null.json", readable, false}, {"bad.json", notJSON, false}, {"big.json", notJSON, false},
		{"dir", missing, false}, {"none.json", missing, false}, {"dir/f/x", missing, false},
	}
	for _, c := range tests {
		for _, d := range []*document{run.existing(c.path), run.safe(c.path)} {
			if d.problem != c.want || d.usable() != c.usable || d.what.Unevaluated {
				t.Errorf("%s: problem %d, usable %v, %+v", c.path, d.problem, d.usable(), d.what)
			}
			if d.problem != readable && d.what.Found == "" {
				t.Errorf("%s: says nothing", c.path)
			}
		}
	}
}

func TestScalarKey(t *testing.T) {
	same := func(a, b string) bool {
		x, err := canon.Read([]byte("["+a+","+b+"]"), canon.MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		repeats(x.Node(), func(canon.Node) { n++ })
		return n == 1
	}
	for _, pair := range [][2]string{{"1", "1.0"}, {"0", "-0"}, {"null", "null"}, {`"a"`, `"\u0061"`}, {"1e400", "1e401"}} {
		if !same(pair[0], pair[1]) {
			t.Errorf("%s and %s are the same scalar", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"{}", "{}"}, {"[1]", "[1]"}, {`"null"`, "null"}, {"1e400", "null"}, {"1", `"1"`}, {"1e400", "-1e400"}} {
		if same(pair[0], pair[1]) {
			t.Errorf("%s and %s are not the same scalar", pair[0], pair[1])
		}
	}
}

func TestUnsafeActions(t *testing.T) {
	for text, want := range map[string]bool{
		"Deploy Production tonight": true, "self-approval": false, "self-approv": true, "self approv it": true,
		"reads secrets": false, "read secrets": true, "read\u00A0secret": false, "\u017Felf-approv": false,
		"production mutations": false, "merge without  approval": false, "xbypass approval": false, "é bypass approval": true,
	} {
		if got := unsafeAction.MatchString(canon.LowerASCII(text)); got != want {
			t.Errorf("%q: unsafe %v, want %v", text, got, want)
		}
	}
}
