package git

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"finishline/internal/gittest"
)

// surveySpecs are pathspecs as verifiers have them, and odd ones.
func surveySpecs(prefix string) []Pathspec {
	return []Pathspec{
		Below(), BelowExcept("run/packet.json", "proof/portable.json"), BelowExcept("dir"), BelowExcept("run/packet.json/"),
		Literal(prefix+"scripts", prefix+"controls", prefix+"skills/registry.json"), Literal(prefix + "dir"), Literal(prefix + "dir/"),
		Literal(prefix + "dir/sub/deep.txt"), Literal(prefix + "nothing"), Literal(prefix + "*.txt"), Literal(),
		Literal("elsewhere", prefix+"dir"), // outside the target
	}
}

// What is shared is byte for byte what each call would be told alone.
func TestSharedStatusIsEachOnesStatus(t *testing.T) {
	names := []string{
		"a.txt", "run/packet.json", "run/packet.json.txt", "proof/portable.json", "scripts/a.sh", "scripts/sub/b.sh", "scriptsx/a", "controls/c.json",
		"skills/registry.json", "skills/other.json", "dir/b.txt", "dir/sub/deep.txt", "dir/sub/new line\n.txt", "dir/-x", "*.txt", "ignored.log", "odd \xff name",
	}
	rounds := 14
	if testing.Short() {
		rounds = 6
	}
	ctx := context.Background()
	shared := 0
	for round := range rounds {
		rng := rand.New(rand.NewPCG(7, uint64(round)))
		r := gittest.New(t, gittest.Options{})
		prefix := []string{"", "sub/dir/"}[round%2]
		r.Write(prefix+".gitignore", []byte("*.log\n"), 0o644)
		r.Write("elsewhere", []byte("x"), 0o644)
		r.Write(prefix+"tracked.txt", []byte("a\nb\nc\n"), 0o644)
		for i, name := range names {
			if rng.IntN(3) == 0 {
				r.Write(prefix+name, fmt.Appendf(nil, "%d\n", i), 0o644)
			}
		}
		r.Git("add", "-A")
		r.Commit("first")
		for i, name := range names {
			if rng.IntN(3) == 0 && !exists(filepath.Join(r.Dir, prefix+name)) {
				r.Write(prefix+name, fmt.Appendf(nil, "untracked %d\n", i), 0o644)
			}
		}
		disturb(t, r, prefix, rng.IntN(7))

		repo := open(t, filepath.Join(r.Dir, prefix))
		together, err := repo.SharedIndex(ctx)
		must(t, err)
		for i, spec := range surveySpecs(prefix) {
			alone, err := repo.Index(ctx)
			must(t, err)
			var got, want bytes.Buffer
			must(t, together.Status(ctx, spec, &got))
			must(t, alone.Status(ctx, spec, &want))
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("round %d, pathspec %d: shared %q, alone %q", round, i, got.Bytes(), want.Bytes())
			}
		}
		if together.survey.err == nil {
			shared++
		}
	}
	if shared == 0 || shared == rounds {
		t.Errorf("%d of %d were shared: one way was never tried", shared, rounds)
	}
}

// disturb makes one of the changes that keep a status from being shared, or none.
func disturb(t *testing.T, r *gittest.Repo, prefix string, what int) {
	t.Helper()
	tracked := filepath.Join(r.Dir, prefix+"tracked.txt")
	switch what {
	case 0: // modified
		must(t, os.WriteFile(tracked, []byte("other\n"), 0o644))
	case 1: // renamed, in the index: a pair, unless one half is out of scope
		must(t, os.MkdirAll(filepath.Join(r.Dir, prefix+"scripts"), 0o755))
		r.Git("mv", prefix+"tracked.txt", prefix+"scripts/moved.txt")
	case 2: // deleted
		must(t, os.Remove(tracked))
	case 3: // a repository in the work tree
		r.Git("init", "-q", prefix+"scripts/nested")
		r.Write(prefix+"scripts/nested/file", []byte("x"), 0o644)
	}
}

func TestSurveyThatIsTooLarge(t *testing.T) {
	r := sample(t)
	long := string(bytes.Repeat([]byte("x"), 200))
	for i := range 60 {
		r.Write(fmt.Sprintf("many/%s/%03d", long, i), nil, 0o644)
	}
	s := survey{}
	ix, err := open(t, r.Dir).Index(context.Background())
	must(t, err)
	must(t, s.take(context.Background(), ix))
	if len(s.records) != 60 {
		t.Errorf("%d records, want 60", len(s.records))
	}
	out := limitedBuffer{limit: 1000}
	if err := ix.status(context.Background(), Below(), &out); err == nil {
		t.Error("a status of more than the limit is kept")
	}
}
