package finish_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"finishline/internal/git"
	"finishline/internal/runtest"
	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/finish"
)

// now is a moment at which the complete run is fresh.
var now = time.Date(2026, time.May, 11, 12, 5, 0, 0, time.UTC)

// completePlan is a run with every document of the format: the Orrery run of
// the vectors, in a repository with a pack, closed by a review and a packet.
func completePlan(t testing.TB) runtest.Plan {
	plan, err := runtest.Complete(os.DirFS(filepath.Join(vectors.Dir(t, "gates"), "_fixtures")))
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func completeRun(t testing.TB, prog git.Program) *runtest.Run {
	t.Helper()
	run, err := runtest.Build(context.Background(), prog, t.TempDir(), completePlan(t))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func findGit(t testing.TB) git.Program {
	t.Helper()
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

func TestCompleteRunPasses(t *testing.T) {
	prog := findGit(t)
	run := completeRun(t, prog)
	for _, level := range levels {
		report, o, err := finish.Line(context.Background(), finish.Run{Dir: run.Dir, Git: prog, Pin: run.Pin, Level: level}, finish.LineOptions{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if report.Verdict() != verify.Pass {
			t.Errorf("%s: %s %q%s", level, report.Verdict(), report.Withheld, describe(report.Findings))
		}
		if o.Aggregate.Head != run.Commit || !o.Aggregate.Compared || len(o.Aggregate.Gates) != 15 {
			t.Errorf("%s: %d gates, head %s", level, len(o.Aggregate.Gates), o.Aggregate.Head)
		}
	}
}
