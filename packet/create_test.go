package packet_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/runtest"
	"finishline/packet"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

// A stage is an honest run whose packet is yet to be built, or was just built.
type stage struct {
	testing.TB
	run    *runtest.Run
	packet []byte // that runtest has built
	plan   packet.Plan
}

func builtRun(t testing.TB) *stage {
	t.Helper()
	prog, err := git.Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run, err := runtest.Build(t.Context(), prog, dir, runtest.Plan{Inventory: map[string][]byte{"qa/notes/extra.txt": []byte("extra\n")}})
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{TB: t, run: run}
	if s.packet, err = os.ReadFile(s.path(packet.DefaultPath)); err != nil {
		t.Fatal(err)
	}
	doc, err := canon.Read(s.packet, canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, doc.Root.Get("generatedAt").Text())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.path(packet.DefaultPath)); err != nil {
		t.Fatal(err)
	}
	s.plan = packet.Plan{
		Input: packet.Input{Git: prog, Pin: review.ParsePin(run.Pin)},
		RunID: runtest.RunID, Commit: run.Commit, Environment: runtest.Environment,
		AssuranceLevel: packet.Structural, GeneratedAt: at,
	}
	return s
}

// copy is the same run in another directory.
func (s *stage) copy(t testing.TB) *stage {
	t.Helper()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(s.run.Dir)))
	run := *s.run
	run.Dir = dir
	return &stage{TB: t, run: &run, packet: s.packet, plan: s.plan}
}

func (s *stage) path(name string) string { return filepath.Join(s.run.Dir, filepath.FromSlash(name)) }

func (s *stage) write(name, data string) {
	s.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(data), 0o644); err != nil {
		s.Fatal(err)
	}
}

// inputs opens what the plan is about anew.
func (s *stage) inputs() packet.Plan {
	s.Helper()
	root, err := evidence.Open(s.run.Dir)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { root.Close() })
	selected, err := pack.Select(root, "")
	if err != nil {
		s.Fatal(err)
	}
	gates, err := gate.NewRun(gate.Options{Target: root, Pack: gate.Pack{Dir: selected.Dir, Present: selected.Present}})
	if err != nil {
		s.Fatal(err)
	}
	plan := s.plan
	plan.Input.Target, plan.Input.Pack, plan.Input.Delegates = root, selected, packet.Native(gates)
	return plan
}

func (s *stage) build(at packet.Stage) *packet.Draft {
	s.Helper()
	draft, err := packet.Build(s.Context(), s.inputs(), at)
	if err != nil {
		s.Fatal(err)
	}
	return draft
}

func (s *stage) create() *packet.Draft {
	s.Helper()
	draft, err := packet.Create(s.Context(), s.inputs())
	if err != nil {
		s.Fatal(err)
	}
	return draft
}

func shownFindings(list []verify.Finding, indent string) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s%s %s#%s: %s; %s\n%s", indent, f.Rule, f.Artifact, f.Pointer, f.Found, f.Expected, shownFindings(f.Causes, indent+"  "))
	}
	return b.String()
}

// What a builder of its own makes by hand, Create makes to the byte; and the
// bundle that was signed is the one that is printed before the review.
func TestCreateMakesWhatWasReviewed(t *testing.T) {
	s := builtRun(t)
	signed, err := os.ReadFile(s.path(review.DefaultPath))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := canon.Read(signed, canon.MaxReview)
	if err != nil {
		t.Fatal(err)
	}
	for _, stale := range []bool{true, false} { // a review that is there must not count
		if !stale {
			if err := os.Remove(s.path(review.DefaultPath)); err != nil {
				t.Fatal(err)
			}
		}
		draft := s.build(packet.BeforeReview)
		if draft.Refused() {
			t.Fatalf("stale review %t: the bundle is refused\n%s", stale, shownFindings(draft.Findings.List(), ""))
		}
		if want := doc.Root.Get("evidenceBundleSha256").Text(); draft.Digests.BundleSHA256 != want {
			t.Errorf("stale review %t: the bundle has %s, the review signed %s", stale, draft.Digests.BundleSHA256, want)
		}
		for _, name := range []string{"bindings", "roleProvenanceSha256"} {
			if draft.Document.Has(name) {
				t.Errorf("a bundle has no %s", name)
			}
		}
	}
	if _, err := os.Stat(s.path(packet.DefaultPath)); err == nil {
		t.Fatal("printing a bundle wrote a packet")
	}
	s.write(review.DefaultPath, string(signed))
	draft := s.create()
	if draft.Refused() {
		t.Fatalf("refused\n%s", shownFindings(draft.Findings.List(), ""))
	}
	got, err := os.ReadFile(s.path(packet.DefaultPath))
	if err != nil {
		t.Fatal(err)
	}
	made, err := canon.Read(got, canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	byHand, err := canon.Read(s.packet, canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	if !canon.Equal(made.Root, byHand.Root) {
		// gate order is free for digests; everything must be as signed
		t.Errorf("Create made another packet than the builder of runtest\n%s\n%s", canon.Canonical(made.Root), canon.Canonical(byHand.Root))
	}
	if !bytes.HasSuffix(got, []byte("\n")) || !bytes.HasPrefix(got, []byte("{\n  \"schema\"")) {
		t.Error("a packet is JSON indented by two spaces, with a final line feed")
	}
	plan := s.inputs()
	outcome, err := packet.Verify(t.Context(), plan.Input)
	if err != nil || outcome.Verdict() != verify.Pass {
		t.Fatalf("what was written does not verify: %v\n%s", err, shownFindings(outcome.Findings, ""))
	}
}

// A packet is never written over.
func TestCreateNeverOverwrites(t *testing.T) {
	s := builtRun(t)
	for _, there := range []string{"old packet", ""} {
		os.Remove(s.path(packet.DefaultPath))
		if there == "" {
			if err := os.Symlink("nowhere", s.path(packet.DefaultPath)); err != nil {
				t.Fatal(err)
			}
		} else {
			s.write(packet.DefaultPath, there)
		}
		draft := s.create()
		if !draft.Findings.Has("packet.create.output-exists") {
			t.Errorf("%q: not refused\n%s", there, shownFindings(draft.Findings.List(), ""))
		}
		if got, _ := os.ReadFile(s.path(packet.DefaultPath)); string(got) != there {
			t.Errorf("%q became %q", there, got)
		}
	}
}

// Each refusal, with the run otherwise as it should be. The packet is absent
// afterwards, whatever was wrong.
func TestCreateRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	untouched := builtRun(t)
	if draft := untouched.build(packet.Finished); draft.Refused() {
		t.Fatalf("the untouched run is refused\n%s", shownFindings(draft.Findings.List(), ""))
	}
	self := "packet.create.self-check-failed"
	cases := []struct {
		name  string
		rules []string
		cause string // below self-check-failed
		stage packet.Stage
		spoil func(s *stage)
	}{
		{name: "run id with a space", rules: []string{"packet.create.subject-invalid"}, spoil: func(s *stage) { s.plan.RunID = "a b" }},
		{name: "no commit", rules: []string{"packet.create.subject-invalid"}, spoil: func(s *stage) { s.plan.Commit = "" }},
		{name: "no environment", rules: []string{"packet.create.subject-invalid"}, spoil: func(s *stage) { s.plan.Environment = "" }},
		{name: "unknown level", rules: []string{"packet.create.level-invalid"}, spoil: func(s *stage) { s.plan.AssuranceLevel = "high" }},
		{name: "no route", rules: []string{"packet.create.input-path"}, spoil: func(s *stage) { os.Remove(s.path("run/route.json")) }},
		{name: "route behind a link", rules: []string{"packet.create.input-path"}, spoil: func(s *stage) {
			must(s, os.Rename(s.path("run/route.json"), s.path("run/other.json")))
			must(s, os.Symlink("other.json", s.path("run/route.json")))
		}},
		{name: "route no JSON", rules: []string{"packet.create.input-path"}, spoil: func(s *stage) { s.write("run/route.json", "{") }},
		{name: "no proof", rules: []string{"packet.create.proof-required"}, spoil: func(s *stage) { os.Remove(s.path("proof/portable.json")) }},
		{name: "no proof for a bundle", rules: []string{"packet.create.proof-required"}, stage: packet.BeforeReview,
			spoil: func(s *stage) { os.Remove(s.path("proof/portable.json")) }},
		{name: "no review", rules: []string{"packet.create.review-required"}, spoil: func(s *stage) { os.Remove(s.path(review.DefaultPath)) }},
		{name: "review no JSON", rules: []string{"packet.create.review-required"}, spoil: func(s *stage) { s.write(review.DefaultPath, "{") }},
		{name: "no trajectory", rules: []string{"packet.create.gate-missing"}, spoil: func(s *stage) { os.Remove(s.path("trajectory/trajectory.json")) }},
		{name: "a gate was not named", rules: []string{"packet.create.gate-missing"},
			spoil: func(s *stage) { s.plan.Gates = []string{packet.GateProof, packet.GateReview} }},
		{name: "a gate too many", rules: []string{"packet.create.gate-not-required"}, spoil: func(s *stage) {
			s.plan.Gates = []string{packet.GateProof, packet.GateReview, packet.GateTrajectory, packet.GateEval}
		}},
		{name: "a gate twice", rules: []string{"packet.create.gate-duplicate"}, spoil: func(s *stage) {
			s.plan.Gates = []string{packet.GateProof, packet.GateReview, packet.GateTrajectory, packet.GateTrajectory}
		}},
		{name: "a link in the evidence", rules: []string{"packet.create.inventory-symlink"},
			spoil: func(s *stage) { must(s, os.Symlink("notes", s.path("qa/link"))) }},
		{name: "an evidence directory is a link", rules: []string{"packet.create.inventory-symlink"},
			spoil: func(s *stage) { must(s, os.Symlink("qa", s.path("smoke"))) }},
		{name: "a file too large", rules: []string{"packet.create.inventory-limit"}, spoil: func(s *stage) {
			must(s, os.WriteFile(s.path("qa/large"), make([]byte, packet.MaxInventoryFile+1), 0o644))
		}},
		{name: "too many files", rules: []string{"packet.create.inventory-limit"}, spoil: func(s *stage) {
			for i := range packet.MaxInventoryFiles {
				s.write(fmt.Sprintf("qa/many/%d", i), "x")
			}
		}},
		{name: "too many bytes", rules: []string{"packet.create.inventory-limit"}, spoil: func(s *stage) {
			for i := range 11 {
				must(s, os.WriteFile(s.path(fmt.Sprintf("qa/large-%d", i)), make([]byte, packet.MaxInventoryFile), 0o644))
			}
		}},
		{name: "unknown route gate", rules: []string{self}, spoil: func(s *stage) {
			s.replace("run/route.json", `"gateApplicability": {`, `"gateApplicability": {"surprise": {"status": "required"},`)
		}},
		{name: "no pin", rules: []string{self}, cause: "runtime.trust.pin-missing", spoil: func(s *stage) { s.plan.Input.Pin = review.Pin{} }},
		{name: "dirty pack", rules: []string{self}, cause: "runtime.file.dirty", spoil: func(s *stage) {
			s.write("scripts/rca-gate.mjs", "// changed\n")
		}},
		{name: "evidence after the proof", rules: []string{self}, cause: "packet.proof.application-changed", stage: packet.BeforeReview,
			spoil: func(s *stage) { s.write("qa/late.txt", "late\n") }},
		{name: "evidence after the review", rules: []string{self}, cause: "packet.review.bundle-mismatch",
			spoil: func(s *stage) { s.write("rca/notes.txt", "late\n") }},
		{name: "no validator", rules: []string{self}, spoil: func(s *stage) {
			s.plan.AssuranceLevel = packet.Semantic
			s.ignore("assurance/authoritative.json")
			s.write("assurance/authoritative.json", "{}\n")
			s.write("evals/results.json", "{}\n")
			s.write("smoke/smoke_proof.json", "{}\n")
		}},
		{name: "a closure that Git sees", rules: []string{self}, stage: packet.BeforeClosure, spoil: func(s *stage) {
			s.plan.AssuranceLevel = packet.Semantic
			s.write("evals/results.json", "{}\n")
			s.write("smoke/smoke_proof.json", "{}\n")
		}},
	}
	tripped := map[string]bool{"packet.create.output-exists": true} // has a test of its own
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := untouched.copy(t)
			c.spoil(s)
			var draft *packet.Draft
			if c.stage == packet.Finished {
				draft = s.create()
			} else {
				draft = s.build(c.stage)
			}
			if got := verify.RuleIDs(draft.Findings.List(), verify.Error); !slices.Equal(got, c.rules) {
				t.Errorf("refused by %v, want %v\n%s", got, c.rules, shownFindings(draft.Findings.List(), ""))
			}
			if c.cause != "" && !strings.Contains(shownFindings(draft.Findings.List(), ""), "  "+c.cause+" ") {
				t.Errorf("%s is no cause\n%s", c.cause, shownFindings(draft.Findings.List(), ""))
			}
			if !draft.Refused() {
				t.Error("not refused")
			}
			if _, err := os.Lstat(s.path(packet.DefaultPath)); err == nil {
				t.Error("a packet was written")
			}
			for _, r := range c.rules {
				tripped[r] = true
			}
		})
	}
	for _, r := range packet.CreateTable.Rules() {
		if !tripped[r.ID] {
			t.Errorf("no case trips %s", r.ID)
		}
	}
}

// Ignored files are evidence too, tracked ones and files elsewhere are not.
func TestInventoryIsWhatGitDoesNotTrack(t *testing.T) {
	s := builtRun(t)
	s.ignore("qa/ignored.txt")
	s.write("qa/ignored.txt", "ignored\n")
	draft := s.build(packet.BeforeReview)
	var paths []string
	for _, e := range draft.Document.Get("artifactInventory").Elems() {
		paths = append(paths, e.Get("path").Text())
	}
	want := []string{"ai/assurance.json", "context/manifest.json", "domain/assurance.json",
		"evals/answers.json", "evals/base.json", "evals/candidate.json", "evals/results.json", "evals/set.json",
		"goal/goal.json", "proof/portable.json", "qa/documentation-checks.txt", "qa/ignored.txt", "qa/notes/extra.txt",
		"run/intake.json", "run/route.json", "run/workload-classification.json",
		"trajectory/trace.txt", "trajectory/trajectory.json", "waivers/waivers.json"}
	if !slices.Equal(paths, want) {
		t.Errorf("inventory %v\nwant %v\n%s", paths, want, shownFindings(draft.Findings.List(), ""))
	}
}

func (s *stage) replace(name, old, new string) {
	s.Helper()
	data, err := os.ReadFile(s.path(name))
	must(s, err)
	if strings.Count(string(data), old) != 1 {
		s.Fatalf("%s does not say %q once", name, old)
	}
	s.write(name, strings.Replace(string(data), old, new, 1))
}

// ignore has Git ignore a path without a file that it would see.
func (s *stage) ignore(path string) {
	s.Helper()
	cmd := exec.Command("git", "rev-parse", "--git-path", "info/exclude")
	cmd.Dir = s.run.Dir
	out, err := cmd.Output()
	must(s, err)
	file := filepath.Join(s.run.Dir, strings.TrimSpace(string(out)))
	must(s, os.MkdirAll(filepath.Dir(file), 0o755))
	must(s, os.WriteFile(file, []byte(path+"\n"), 0o644))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
