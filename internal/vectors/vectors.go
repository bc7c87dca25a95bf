// Package vectors finds the conformance vectors for tests: below
// $FINISHLINE_VECTORS when that is set, else below testdata/vectors of the
// project. It is imported by tests only.
//
// A vector test calls [Dir], runs every case it finds through a [Tally], and
// lets the tally print the line that `make vectors` shows. An area that is
// missing, or holds no case, fails: a test that looked at nothing has shown
// nothing.
package vectors

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Dir returns the folder of an area, and fails the test when it is missing.
func Dir(t testing.TB, area string) string {
	t.Helper()
	base := os.Getenv("FINISHLINE_VECTORS")
	if base == "" {
		base = filepath.Join(ProjectRoot(), "testdata", "vectors")
	}
	dir := filepath.Join(base, area)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		t.Fatalf("vector area %s is missing: no folder %s", area, dir)
	}
	return dir
}

// ProjectRoot is the folder that holds go.mod.
func ProjectRoot() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Peers returns a folder of the public test suites, which live beside the
// project and are never copied into it; the test is skipped where they are
// absent.
func Peers(t testing.TB, suite string) string {
	t.Helper()
	dir := filepath.Join(ProjectRoot(), "..", "shared", "peers", suite)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the public test suite %s is not at hand (looked for it in ../shared/peers)", suite)
	}
	return dir
}

// Read decodes a JSON file of an area into v.
func Read(t testing.TB, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Expect is the verdict of a case: whether it is valid, and the exact set of
// rule ids.
type Expect struct {
	Valid bool     `json:"valid"`
	Rules []string `json:"rules"`
}

// SameRules reports whether two lists hold the same set of rule ids.
func SameRules(a, b []string) bool { return slices.Equal(set(a), set(b)) }

func set(ids []string) []string {
	s := slices.Clone(ids)
	slices.Sort(s)
	return slices.Compact(s)
}

// StrictOnly returns the ids that only strict level evaluates.
func StrictOnly(ids []string) []string {
	return slices.DeleteFunc(set(ids), func(id string) bool {
		return !strings.HasPrefix(id, "strict.") && !strings.Contains(id, ".strict.") && !strings.Contains(id, ".hardening.")
	})
}

// A Tally counts the cases of an area.
type Tally struct {
	t      *testing.T
	area   string
	seen   int
	cases  int
	failed int
}

// NewTally starts counting; the line is printed and an empty area fails when
// the test ends.
func NewTally(t *testing.T, area string) *Tally {
	tally := &Tally{t: t, area: area}
	t.Cleanup(func() {
		t.Logf("vectors: %s: %d cases, %d passed, %d failed", area, tally.cases, tally.cases-tally.failed, tally.failed)
		if tally.cases == 0 {
			t.Errorf("vector area %s holds no case", area)
		}
	})
	return tally
}

// sampleEvery is the part of the cases that go test -short runs: one in so
// many. It is meant for runs with the race detector, beside a full one.
const sampleEvery = 20

// Case runs one case as a subtest.
func (y *Tally) Case(name string, check func(t *testing.T)) {
	y.seen++
	if testing.Short() && y.seen%sampleEvery != 1 {
		return
	}
	y.cases++
	if !y.t.Run(name, check) {
		y.failed++
	}
}
