package packet

import (
	"os"
	"testing"

	"finishline/internal/vectors"
	"finishline/internal/vectors/runrepo"
	"finishline/verify"
)

// What changes between the verification and its second look is caught, under
// the rule of what changed, and nothing else is reported: the first look was
// fine.
func TestSecondLookCatchesChanges(t *testing.T) {
	bases := runrepo.Load(t, "packet")
	for _, c := range []struct {
		name, scene string
		change      func(s *scene)
		want        []string
	}{
		{"nothing", "valid-root", func(*scene) {}, nil},
		{"input, which is application source too", "valid-root", func(s *scene) { s.write("goal/goal.json", "{}") },
			[]string{"packet.final.input-changed", "packet.final.application-changed"}},
		{"input removed", "valid-root", func(s *scene) { s.repo().Remove("run/intake.json") },
			[]string{"packet.final.input-changed", "packet.final.application-changed"}},
		{"proof, which is not application source", "valid-root", func(s *scene) { s.write("proof/portable.json", "{}") },
			[]string{"packet.final.gate-changed"}},
		{"review swapped for a link", "valid-root", func(s *scene) {
			s.repo().Write("run/copy.json", s.repo().Read("review/review.json"), 0o644)
			s.repo().Remove("review/review.json")
			s.repo().Symlink("review/review.json", "../run/copy.json")
		}, []string{"packet.final.gate-changed", "packet.final.application-changed"}},
		{"gate document", "valid-trajectory", func(s *scene) { s.write("trajectory/trajectory.json", "{}") },
			[]string{"packet.final.gate-changed", "packet.final.application-changed"}},
		{"supporting artifact", "valid-ci-local", func(s *scene) { s.write("design/anchors.json", "{}") },
			[]string{"packet.final.support-changed", "packet.final.application-changed"}},
		{"script of the pack", "valid-root", func(s *scene) { s.write("scripts/rca-gate.mjs", "// other\n") },
			[]string{"packet.final.runtime-changed", "packet.final.application-changed"}},
		{"product file", "valid-root", func(s *scene) { s.write("README.md", "other\n") },
			[]string{"packet.final.application-changed"}},
		{"new commit", "valid-root", func(s *scene) { s.repo().Commit("later", "--allow-empty") },
			[]string{"packet.final.runtime-changed", "packet.final.application-changed"}},
		{"pack of a commissioned target", "valid-commissioned", func(s *scene) { s.write(".valdris-harness/notes.txt", "x") },
			[]string{"packet.final.runtime-changed", "packet.final.application-changed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sceneOf(t, bases, c.scene)
			s.in.hooks.beforeBarrier = func() { c.change(s) }
			o := s.verify()
			if got := errorsOf(o); !vectors.SameRules(got, c.want) {
				t.Errorf("rules %v, want %v\n%s", got, c.want, shown(o))
			}
			if o.Result.Valid != (len(c.want) == 0) || (o.Verdict() == verify.Pass) != o.Result.Valid {
				t.Errorf("valid %v, verdict %v", o.Result.Valid, o.Verdict())
			}
		})
	}
}

// A defect that was there from the start is one finding, not two.
func TestSecondLookDoesNotRepeat(t *testing.T) {
	s := sceneOf(t, runrepo.Load(t, "packet"), "valid-root")
	s.valid()
	s.write("proof/portable.json", string(s.repo().Read("proof/portable.json"))+"\n")
	for _, id := range errorsOf(s.verify()) {
		if id == "packet.final.gate-changed" {
			t.Error("the second look repeats packet.gate.digest-mismatch")
		}
	}
}

// A verification whose context ended has no outcome.
func TestCutShortHasNoOutcome(t *testing.T) {
	s := sceneOf(t, runrepo.Load(t, "packet"), "valid-root")
	ctx, cancel := contextOf(t)
	s.in.hooks.beforeBarrier = cancel
	if o, err := Verify(ctx, s.in); err == nil || o != nil {
		t.Errorf("outcome %v, error %v", o, err)
	}
	if _, err := os.Stat(s.TargetDir()); err != nil {
		t.Fatal(err)
	}
}
