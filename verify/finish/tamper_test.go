package finish_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"finishline/canon"
	"finishline/internal/example"
	"finishline/internal/git"
	"finishline/packet"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/finish"
	"finishline/verify/gate"
)

var (
	mutantCount = flag.Int("mutants", 24, "how many mutants of a run are verified (0: all)")
	mutantsOf   = flag.String("mutants-of", "", "verify only mutants with this text in what they change")
)

// A mutant is a changed run: files to write instead of those that are there.
type mutant struct {
	kind  string
	what  string
	files map[string][]byte
	// repair asks for the packet's digests to be repaired as far as an
	// intruder could.
	repair bool
}

// The tampering property: whatever is changed in a run that passes, it is
// refused, or the change has no meaning. What has no meaning is shown to have
// none by a comparison that the verifier does not make, and each kind of it is
// named below; a kind that is new, or gone, fails the test.
func TestEveryTamperingIsRefused(t *testing.T) {
	prog := findGit(t)
	found := refuseMutants(t, func() *bench {
		run, err := example.Materialise(context.Background(), prog, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return newBench(t, prog, run, packetVerdict)
	})
	if found != nil && len(found) != len(meaninglessKinds) {
		t.Errorf("kinds without meaning: %v, want %v", slices.Sorted(maps.Keys(found)), meaninglessKinds)
	}
}

// The same for the whole finish line, over all documents of a complete run.
func TestEveryTamperingOfACompleteRunIsRefused(t *testing.T) {
	prog := findGit(t)
	refuseMutants(t, func() *bench {
		run := completeRun(t, prog)
		return newBench(t, prog, &example.Run{Dir: run.Dir, Commit: run.Commit, Pin: run.Pin}, lineVerdict)
	})
}

// refuseMutants verifies the mutants of a run, and gives the kinds without
// meaning when it verified all of them, else nil.
func refuseMutants(t *testing.T, newBench func() *bench) map[string]int {
	t.Helper()
	workers := []*bench{newBench(), newBench()}
	mutants := allMutants(t, workers[0])
	if len(mutants) < 5000 {
		t.Fatalf("only %d mutants; 5,000 are promised", len(mutants))
	}
	total := len(mutants)
	if *mutantsOf != "" {
		mutants = slices.DeleteFunc(mutants, func(m mutant) bool { return !strings.Contains(m.kind+": "+m.what, *mutantsOf) })
	}
	most := *mutantCount
	if testing.Short() {
		most = 10
	}
	if most > 0 {
		mutants = mutants[:min(most, len(mutants))]
	}
	outcomes := make([]outcome, len(mutants))
	var group errgroup.Group
	for i, w := range workers {
		group.Go(func() error {
			for n := i; n < len(mutants); n += len(workers) {
				if err := w.judge(mutants[n], &outcomes[n]); err != nil {
					return fmt.Errorf("%s: %s: %w", mutants[n].kind, mutants[n].what, err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	refused, meaningless := 0, map[string]int{}
	for i, o := range outcomes {
		switch {
		case o.verdict != verify.Pass:
			refused++
		case o.meaningless != "":
			meaningless[o.meaningless]++
		default:
			t.Errorf("passed: %s: %s", mutants[i].kind, mutants[i].what)
		}
	}
	t.Logf("%d of %d mutants verified: %d refused", len(mutants), total, refused)
	for _, kind := range slices.Sorted(maps.Keys(meaningless)) {
		t.Logf("%d without meaning: %s", meaningless[kind], kind)
		if !slices.Contains(meaninglessKinds, kind) {
			t.Errorf("unexpected kind of change without meaning: %s", kind)
		}
	}
	if len(mutants) < total {
		return nil
	}
	return meaningless
}

// meaninglessKinds are the changes that a run may carry.
var meaninglessKinds = []string{sameCanonical, outsideDigests, otherCaseOfOrder}

const (
	sameCanonical    = "another spelling of the same packet: white space, member order, escapes, numbers"
	outsideDigests   = "a member of the packet that the format ignores: it enters no digest and no rule reads it"
	otherCaseOfOrder = "the order of requiredGates or gateArtifacts, which are hashed sorted"
)

type outcome struct {
	verdict     verify.Verdict
	meaningless string
}

// A bench is a run in a directory of its own, which mutants are put into and
// taken out of.
type bench struct {
	run      *example.Run
	prog     git.Program
	repo     *git.Repo // opened once: mutants leave .git alone
	verdict  func(*bench) (verify.Verdict, error)
	original map[string][]byte
}

func newBench(t *testing.T, prog git.Program, run *example.Run, judge func(*bench) (verify.Verdict, error)) *bench {
	t.Helper()
	repo, err := git.Open(context.Background(), prog, run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	b := &bench{run: run, prog: prog, repo: repo, verdict: judge, original: map[string][]byte{}}
	err = filepath.WalkDir(run.Dir, func(path string, d os.DirEntry, err error) error {
		if d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(run.Dir, path)
			b.original[rel], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := b.verdict(b); err != nil || v != verify.Pass {
		t.Fatalf("the run does not pass to begin with: %v %v", v, err)
	}
	return b
}

// lineVerdict is that of the whole finish line.
func lineVerdict(b *bench) (verify.Verdict, error) {
	report, _, err := finish.Line(context.Background(), finish.Run{Dir: b.run.Dir, Git: b.prog, Pin: b.run.Pin}, finish.LineOptions{Now: now})
	if err != nil {
		return verify.Fail, err
	}
	return report.Verdict(), nil
}

// packetVerdict is what finish.Packet does, with the repository opened
// beforehand.
func packetVerdict(b *bench) (verify.Verdict, error) {
	root, err := evidence.Open(b.run.Dir)
	if err != nil {
		return verify.Fail, err
	}
	defer root.Close()
	selected, err := pack.Select(root, "")
	if err != nil {
		return verify.Fail, err
	}
	gates, err := gate.NewRun(gate.Options{Target: root, Pack: gate.Pack{Dir: selected.Dir, Present: selected.Present}})
	if err != nil {
		return verify.Fail, err
	}
	defer gates.Close()
	outcome, err := packet.Verify(context.Background(), packet.Input{
		Target: root, Pack: selected, Git: b.prog, Repo: b.repo, Pin: review.ParsePin(b.run.Pin), Delegates: packet.Native(gates),
	})
	if err != nil {
		return verify.Fail, err
	}
	return outcome.Report.Verdict(), nil
}

func (b *bench) judge(m mutant, o *outcome) (err error) {
	for name, data := range m.files {
		if err := os.WriteFile(filepath.Join(b.run.Dir, name), data, 0o644); err != nil {
			return err
		}
	}
	restore := slices.Collect(maps.Keys(m.files))
	if m.repair {
		restore = append(restore, packet.DefaultPath)
		_ = b.run.Rebind() // a packet that cannot be repaired stays as it was
	}
	if o.verdict, err = b.verdict(b); err != nil {
		return err
	}
	if o.verdict == verify.Pass && len(m.files) == 1 {
		if data, ok := m.files[packet.DefaultPath]; ok {
			o.meaningless = meaningOf(b.original[packet.DefaultPath], data)
		}
	}
	for _, name := range restore {
		original, there := b.original[name]
		if !there {
			err = os.Remove(filepath.Join(b.run.Dir, name))
		} else {
			err = os.WriteFile(filepath.Join(b.run.Dir, name), original, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// meaningOf names why two packets mean the same, or is "".
func meaningOf(original, changed []byte) string {
	a, errA := canon.Read(original, canon.MaxDocument)
	b, errB := canon.Read(changed, canon.MaxDocument)
	if errA != nil || errB != nil || len(b.Defects) > 0 {
		return ""
	}
	switch {
	case canon.Equal(a.Root, b.Root):
		return sameCanonical
	case canon.Equal(a.Root, pruned(a.Root, b.Root)):
		return outsideDigests
	case canon.Equal(sortedLists(a.Root), sortedLists(pruned(a.Root, b.Root))):
		return otherCaseOfOrder
	}
	return ""
}

// pruned is b without the members that a does not have, at the places where
// contract 05 says that further members are ignored.
func pruned(a, b canon.Value) canon.Value {
	b = keepOnly(b, names(a))
	for _, path := range []string{"inputs", "validationRuntime", "bindings"} {
		b = canon.With(b, path, keepOnly(b.Get(path), names(a.Get(path))))
	}
	inputs := b.Get("inputs")
	for _, m := range inputs.Members() {
		inputs = canon.With(inputs, m.Name, keepOnly(m.Value, []string{"path", "sha256"}))
	}
	b = canon.With(b, "inputs", inputs)
	return canon.With(b, "gateArtifacts", each(b.Get("gateArtifacts"), func(e canon.Value) canon.Value {
		e = keepOnly(e, []string{"gate", "path", "sha256", "required", "runId", "commit", "environment", "supportingArtifacts"})
		if support := e.Get("supportingArtifacts"); support.IsArray() {
			e = canon.With(e, "supportingArtifacts", each(support, func(s canon.Value) canon.Value { return keepOnly(s, []string{"kind", "path", "sha256"}) }))
		}
		return e
	}))
}

func each(list canon.Value, made func(canon.Value) canon.Value) canon.Value {
	var kept []canon.Value
	for _, e := range list.Elems() {
		kept = append(kept, made(e))
	}
	return canon.NewArray(kept...)
}

func names(v canon.Value) (list []string) {
	for _, m := range v.Members() {
		list = append(list, m.Name)
	}
	return list
}

func keepOnly(v canon.Value, keep []string) canon.Value {
	var members []canon.Member
	for _, m := range v.Members() {
		if slices.Contains(keep, m.Name) {
			members = append(members, m)
		}
	}
	return canon.Build(members...)
}

func sortedLists(v canon.Value) canon.Value {
	v = canon.With(v, "gateArtifacts", each(v.Get("gateArtifacts"), func(e canon.Value) canon.Value {
		if support := e.Get("supportingArtifacts"); support.IsArray() {
			e = canon.With(e, "supportingArtifacts", sorted(support))
		}
		return e
	}))
	for _, name := range []string{"requiredGates", "gateArtifacts"} {
		v = canon.With(v, name, sorted(v.Get(name)))
	}
	return v
}

func sorted(v canon.Value) canon.Value {
	list := slices.Clone(v.Elems())
	slices.SortFunc(list, func(a, b canon.Value) int { return bytes.Compare(canon.Canonical(a), canon.Canonical(b)) })
	return canon.NewArray(list...)
}
