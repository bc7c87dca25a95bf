package gate_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/gate"
)

// assessed copies a run of the area readiness-v2 or readiness-v1.
func assessed(t *testing.T, area, fixture string) string {
	t.Helper()
	dir := t.TempDir()
	from := filepath.Join(vectors.ProjectRoot(), "testdata", "vectors", area, "_fixtures", fixture)
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The production gate passes what package readiness passes, and refuses history
// and catalogs that the run brings along.
func TestProductionGate(t *testing.T) {
	g, ok := gate.Find("production")
	if !ok || g.Artifact != "production/layer-assessment.json" {
		t.Fatalf("gate production: %t, %q", ok, g.Artifact)
	}
	for _, level := range levels {
		for _, c := range []struct {
			name, dir string
			want      []string
		}{
			{"current", assessed(t, "readiness-v2", "t2-enterprise"), nil},
			{"historical", assessed(t, "readiness-v1", "v1"), ids("readiness.schema.legacy-not-allowed")},
			{"nothing", t.TempDir(), ids("readiness.document.missing")},
		} {
			result := validate(t, "production", start(t, c.dir, gate.Options{Level: level}))
			if got := errorIDs(result); !slices.Equal(got, c.want) || (result.Verdict() == verify.Pass) != (c.want == nil) {
				t.Errorf("%s at %s level: %s, rules %q, want %q", c.name, level, result.Verdict(), got, c.want)
			}
		}
		dir := assessed(t, "readiness-v2", "t2-enterprise")
		write(t, dir, "controls/production-layers.v2.json", "{")
		if result := validate(t, "production", start(t, dir, gate.Options{Level: level})); result.Verdict() != verify.Pass {
			t.Errorf("a catalog of the run is looked at: %s", describe(result))
		}
	}
}
