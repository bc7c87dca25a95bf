package packet

import (
	"testing"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
	"finishline/internal/vectors/runrepo"
)

// No scalar of a packet can be changed or removed without a refusal, in full
// verification and in history.
func TestEveryScalarCounts(t *testing.T) {
	vectors.Long(t)
	bases := runrepo.Load(t, "packet")
	for i, name := range []string{"valid-ci-gitnexus", "valid-historical", "valid-v2-at-head"} {
		s := sceneOf(t, bases, name)
		s.valid()
		repo, err := git.Open(t.Context(), s.in.Git, s.TargetDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { repo.Close() })
		s.in.Repo = repo
		doc := s.packet()
		for j, pointer := range leaves(doc, "") {
			for k, verb := range []string{"replace", "remove"} {
				if (i+j+3*k)%6 > 1 { // the packets share most members, so each is replaced in one and removed in another
					continue
				}
				changed, err := casefile.Edit(doc, verb, pointer, canon.NewString("else"))
				if err != nil {
					t.Fatal(err)
				}
				s.write(DefaultPath, string(runrepo.Indented(changed)))
				if o := s.verify(); o.Result.Valid {
					t.Errorf("%s: %s %s: valid", name, verb, pointer)
				}
			}
		}
	}
}
