package packet

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/vectors"
	"finishline/internal/vectors/runrepo"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// answer is a delegate with a fixed answer. The packs of the vectors hold
// placeholders instead of catalogs, so the answers are part of each case.
type answer struct{ fails bool }

func (a answer) Validate(_ context.Context, call Call) (Answer, error) {
	reply := Answer{Checked: verify.Checked{Verifier: call.Gate, Rules: 1}}
	if a.fails {
		reply.Findings = []verify.Finding{{Rule: call.Gate + ".refused", Severity: verify.Error, Artifact: call.Path}}
	}
	if call.Gate == GateClosure {
		closure, err := call.Target.Read(call.Path, canon.MaxDocument)
		if err != nil {
			return Answer{}, err
		}
		doc, err := closure.JSON(canon.MaxDocument)
		if err != nil {
			return Answer{}, err
		}
		reply.AssuranceLevel = doc.Root.Get("assuranceLevel").Text()
	}
	return reply, nil
}

// answers are the delegates of a case: everything passes unless the case says
// otherwise.
func answers(c canon.Value) Delegates {
	delegates := Delegates{}
	for _, name := range Delegable() {
		delegates[name] = answer{fails: c.Get("delegates").Get(name).Is("fail")}
	}
	return delegates
}

// inputOf is the verification that a built case asks for.
func inputOf(t testing.TB, run *runrepo.Run, level verify.Level) Input {
	t.Helper()
	root, err := evidence.Open(run.TargetDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	selected, err := pack.Select(root, run.RuntimeDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return Input{Target: root, Pack: selected, Git: program, Pin: review.ParsePin(run.Env[review.PinVariable]), Level: level}
}

func TestVectorsRunPacket(t *testing.T) {
	dir := vectors.Dir(t, "packet")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	bases := runrepo.Load(t, "packet")
	tally := vectors.NewTally(t, "packet (run-packet)")
	for _, file := range files {
		c := runrepo.Read(t, file)
		if !c.Get("kind").Is("run-packet") {
			continue
		}
		var want vectorCase
		vectors.Read(t, file, &want)
		tally.Case(want.Case, func(t *testing.T) {
			run := bases.Build(t, c)
			// One repository serves both levels, as starting Git is what this test's time goes to.
			// Where there is none, each verification finds that out by itself.
			repo, _ := git.Open(t.Context(), inputOf(t, run, verify.Base).Git, run.TargetDir())
			if repo != nil {
				defer repo.Close()
			}
			checkRunPacket(t, run, c, want, repo, verify.Base)
			checkRunPacket(t, run, c, want, repo, verify.Strict)
		})
	}
}

func checkRunPacket(t *testing.T, run *runrepo.Run, c canon.Value, want vectorCase, repo *git.Repo, level verify.Level) {
	t.Helper()
	in := inputOf(t, run, level)
	in.Repo = repo
	gates, err := gate.NewRun(gate.Options{Target: in.Target, Pack: gate.Pack{Dir: in.Pack.Dir, Present: in.Pack.Present}, Level: level})
	if err != nil {
		t.Fatal(err)
	}
	defer gates.Close()
	in.Delegates = answers(c)
	in.Delegates[string(Intake)] = Native(gates)[string(Intake)]
	in.PacketPath = c.Get("packet").Text()
	got, err := Verify(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	expect := want.Expect
	strictWant := []string{}
	if level == verify.Strict {
		if want.ExpectStrict != nil {
			expect.Valid, strictWant = want.ExpectStrict.Valid, want.ExpectStrict.Rules
		}
		if expect.Valid || want.ExpectStrict != nil {
			if ids := vectors.StrictOnly(verify.RuleIDs(got.Findings, verify.Error)); !vectors.SameRules(ids, vectors.StrictOnly(strictWant)) {
				t.Errorf("%v: strict errors %v, want %v\n%s", level, ids, strictWant, shown(got))
			}
		}
		for _, id := range want.Expect.StrictWarnings {
			if !slices.Contains(verify.RuleIDs(got.Findings, verify.Warning), id) {
				t.Errorf("no warning %s", id)
			}
		}
	}
	if got.Result.Valid != expect.Valid {
		t.Errorf("%v (%s): valid %v, want %v\n%s", level, want.Description, got.Result.Valid, expect.Valid, shown(got))
	}
	ids := comparable(verify.RuleIDs(got.Findings, verify.Error))
	if want.Expect.AtLeast {
		for _, id := range want.Expect.Rules {
			if !slices.Contains(ids, id) {
				t.Errorf("%v (%s): %v lacks %s", level, want.Description, ids, id)
			}
		}
	} else if !vectors.SameRules(ids, want.Expect.Rules) {
		t.Errorf("%v (%s): rules %v, want %v\n%s", level, want.Description, ids, want.Expect.Rules, shown(got))
	}
	checkResult(t, got, want)
}

func checkResult(t *testing.T, got *Outcome, want vectorCase) {
	t.Helper()
	if causes := causesOf(got, "runtime.declared.untrusted"); want.Expect.Causes != nil && !vectors.SameRules(causes, want.Expect.Causes) {
		t.Errorf("causes %v, want %v", causes, want.Expect.Causes)
	}
	if got.Result.Historical != want.Expect.Historical {
		t.Errorf("historical %v", got.Result.Historical)
	}
	if want.Expect.AssuranceLevel != "" && got.Result.AssuranceLevel != want.Expect.AssuranceLevel {
		t.Errorf("level %q, want %q", got.Result.AssuranceLevel, want.Expect.AssuranceLevel)
	}
	if got.Result.RecordedAssuranceLevel != want.Expect.RecordedAssuranceLevel {
		t.Errorf("recorded level %q, want %q", got.Result.RecordedAssuranceLevel, want.Expect.RecordedAssuranceLevel)
	}
	if want.Expect.RequiredGates != nil && !slices.Equal(got.Result.RequiredGates, want.Expect.RequiredGates) {
		t.Errorf("gates %v, want %v", got.Result.RequiredGates, want.Expect.RequiredGates)
	}
	if got.Result.Historical && got.Verdict() == verify.Pass {
		t.Error("a historical result passes as closure")
	}
	if (verify.Fold(got.Findings) == verify.Pass) != got.Result.Valid {
		t.Error("valid and verdict disagree")
	}
}

// The intake is judged by package gate; the vectors of its rules lie in this
// area.
func TestVectorsIntake(t *testing.T) {
	tally := vectors.NewTally(t, "packet (intake)")
	for name, c := range caseFiles(t, "intake") {
		tally.Case(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "run/intake.json"), c.Document)
			root, err := evidence.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			for _, level := range []verify.Level{verify.Base, verify.Strict} {
				gates, err := gate.NewRun(gate.Options{Target: root, Level: level})
				if err != nil {
					t.Fatal(err)
				}
				reply, err := Native(gates)[string(Intake)].Validate(t.Context(), Call{Gate: string(Intake), Path: "run/intake.json", Target: root, Level: level})
				if err != nil {
					t.Fatal(err)
				}
				want := c.Expect.Expect
				if level == verify.Strict && c.ExpectStrict != nil {
					want = c.ExpectStrict.Expect
				}
				if ids := verify.RuleIDs(reply.Findings, verify.Error); !vectors.SameRules(ids, want.Rules) || (len(ids) == 0) != want.Valid {
					t.Errorf("%v (%s): rules %v, want %v", level, c.Description, ids, want.Rules)
				}
				gates.Close()
			}
		})
	}
}

// comparable keeps the ids that the vectors list.
func comparable(ids []string) []string {
	return slices.DeleteFunc(ids, func(id string) bool {
		listed := slices.ContainsFunc([]string{"packet.", "runtime.declared.", "runtime.historical.", "self-grant.", "secrets."},
			func(prefix string) bool { return strings.HasPrefix(id, prefix) })
		return !listed || strings.HasPrefix(id, "packet.final.")
	})
}

func causesOf(o *Outcome, rule string) []string {
	var causes []string
	for _, f := range o.Findings {
		if f.Rule == rule {
			causes = append(causes, verify.RuleIDs(f.Causes, verify.Error)...)
		}
	}
	return causes
}

// shown lists the findings of an outcome for a failed test.
func shown(o *Outcome) string {
	var b strings.Builder
	var list func(fs []verify.Finding, indent string)
	list = func(fs []verify.Finding, indent string) {
		for _, f := range fs {
			b.WriteString(indent + f.Severity.String() + " " + f.Rule + " " + f.Artifact + f.Pointer + ": " + f.Found + " | " + f.Expected + "\n")
			list(f.Causes, indent+"    ")
		}
	}
	list(o.Findings, "  ")
	return b.String()
}
