package readiness_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/readiness"
)

// A scene is a run directory with a valid assessment, for tests that change
// it.
type scene struct {
	dir  string
	root *evidence.Root
	doc  canon.Value // the assessment
	cls  canon.Value // the classification
}

const (
	assessmentFile = "production/layer-assessment.json"
	clsFile        = "run/workload-classification.json"
	catalogFile    = "controls/own.json"
)

// newScene copies a fixture of the project's own vectors.
func newScene(t testing.TB, area, fixture string) *scene {
	t.Helper()
	dir := t.TempDir()
	from := filepath.Join(vectors.ProjectRoot(), "testdata", "vectors", area, "_fixtures", fixture)
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	s := &scene{dir: dir, root: open(t, dir)}
	s.doc = s.read(t, assessmentFile)
	if area == "readiness-v2" {
		s.cls = s.read(t, clsFile)
	}
	return s
}

func current(t testing.TB, fixture string) *scene { return newScene(t, "readiness-v2", fixture) }

func historical(t testing.TB) *scene { return newScene(t, "readiness-v1", "v1") }

func (s *scene) read(t testing.TB, name string) canon.Value {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(data))
}

func (s *scene) write(t testing.TB, name, text string) {
	t.Helper()
	file := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	doc, err := canon.Read([]byte(text), canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

// classify writes a classification and binds the assessment to it.
func (s *scene) classify(t testing.TB, cls canon.Value) {
	t.Helper()
	s.cls = cls
	text := string(canon.Compact(cls))
	s.write(t, clsFile, text)
	s.doc = canon.With(s.doc, "workloadClassificationSha256", canon.NewString(canon.SHA256([]byte(text))))
}

// verify judges a text as the assessment of the scene.
func (s *scene) verify(t testing.TB, text string, in readiness.Input) *readiness.Outcome {
	t.Helper()
	s.write(t, assessmentFile, text)
	return s.judge(t, in)
}

func (s *scene) judge(t testing.TB, in readiness.Input) *readiness.Outcome {
	t.Helper()
	in.Root = s.root.Fresh()
	o, err := readiness.Verify(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (s *scene) document(t testing.TB, doc canon.Value, level verify.Level) *readiness.Outcome {
	t.Helper()
	return s.verify(t, string(canon.Compact(doc)), readiness.Input{Level: level, Legacy: readiness.LegacyAllowed})
}

// edited applies one operation to a document; value is JSON.
func edited(t testing.TB, doc canon.Value, verb, pointer, value string) canon.Value {
	t.Helper()
	v := canon.Value{}
	if value != "" {
		v = parse(t, value)
	}
	out, err := casefile.Edit(doc, verb, pointer, v)
	if err != nil {
		t.Fatalf("%s %s: %v", verb, pointer, err)
	}
	return out
}

func at(v canon.Value, pointer string) canon.Value {
	for _, token := range strings.Split(pointer, "/")[1:] {
		if v.IsArray() {
			v = (canon.Node{Value: v}).Index(number(token)).Value
			continue
		}
		v = v.Get(strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
	}
	return v
}

func number(s string) int {
	n := 0
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}

func wantRules(t *testing.T, o *readiness.Outcome, what string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := errorIDs(o); !slices.Equal(got, want) {
		t.Errorf("%s: rules %q, want %q\n%s", what, got, want, describe(o))
	}
	if pass := o.Verdict() == verify.Pass; pass != (len(want) == 0) {
		t.Errorf("%s: verdict %s", what, o.Verdict())
	}
}
