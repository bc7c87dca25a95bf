package finish_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"finishline/verify"
	"finishline/verify/finish"
)

// A skill that differs from its committed text is told of; everything else of
// the same run is committed.
func TestUncommittedPackIsToldOf(t *testing.T) {
	prog := findGit(t)
	run := completeRun(t, prog)
	warned := func() (paths []string) {
		t.Helper()
		report, _, err := finish.Line(context.Background(), finish.Run{Dir: run.Dir, Git: prog, Pin: run.Pin, Level: verify.Strict}, finish.LineOptions{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			if f.Rule == "strict.pack.committed" {
				if f.Severity != verify.Warning {
					t.Errorf("severity %v", f.Severity)
				}
				paths = append(paths, f.Artifact)
			}
		}
		return paths
	}
	if paths := warned(); len(paths) != 0 {
		t.Errorf("everything is committed, and %q warned of", paths)
	}
	changed := filepath.Join(run.Dir, "skills", "registry.json")
	data, err := os.ReadFile(changed)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(changed, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	if paths := warned(); len(paths) != 1 || !strings.HasSuffix(paths[0], "skills/registry.json") {
		t.Errorf("warned of %q", paths)
	}
}
