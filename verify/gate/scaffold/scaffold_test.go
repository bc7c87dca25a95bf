package scaffold_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"finishline/canon"
	"finishline/internal/example"
	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
	"finishline/verify/gate/scaffold"
	"finishline/verify/gate/workload"
)

var now = time.Date(2026, 4, 7, 10, 0, 0, 0, time.UTC)

// A site is a run directory with the pack of the example.
type site struct {
	testing.TB
	dir string
}

func newSite(t testing.TB) site {
	t.Helper()
	s := site{t, t.TempDir()}
	if err := example.WriteProduct(s.dir); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s site) place() scaffold.Place {
	s.Helper()
	root, err := evidence.Open(s.dir)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { root.Close() })
	return scaffold.Place{Target: root, Pack: gate.Pack{Dir: root.Dir(), Present: true}}
}

func (s site) write(name string, data []byte) {
	s.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		s.Fatal(err)
	}
}

// put judges a draft, which must not be refused, and writes it.
func (s site) put(d scaffold.Draft, err error) *scaffold.Judgement {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	j, err := s.place().Judge(s.Context(), d)
	if err != nil {
		s.Fatal(err)
	}
	if len(j.Refused) > 0 {
		s.Fatalf("%s is refused\n%s", d.Files[0].Path, shown(j.Refused))
	}
	for _, f := range d.Files {
		s.write(f.Path, f.Data())
	}
	return j
}

func shown(list []verify.Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s %s#%s: %s; %s\n", f.Rule, f.Artifact, f.Pointer, f.Found, f.Expected)
	}
	return b.String()
}

func request(text string) scaffold.Request {
	return scaffold.Request{
		RunID: "lantern-1", Profile: "prototype", Commit: strings.Repeat("ab", 20), Environment: "desk", Text: text, Actor: "Ines Maron",
		Outcome: "a newcomer can place Lantern", Allowed: []string{"edit the documentation"},
		Stopping: []string{"The documentation checks pass.", "文書が読める", "the documentation checks pass"},
	}
}

const docsRequest = "Reword the readme and the user guide of Lantern for the spring edition."

// sentences are those of the example, which a documentation task needs.
func sentences(t testing.TB) []canon.Value {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectors.ProjectRoot(), "internal/example/files/evidence/run/workload-classification.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return []canon.Value{doc.Root}
}

// routed is a site with the four inputs, the goal still open.
func routed(t testing.TB) site {
	t.Helper()
	s := newSite(t)
	s.put(scaffold.Intake(request("  "+docsRequest+"\n"), now))
	s.put(s.place().Classification(sentences(t), now))
	s.put(s.place().Route([]scaffold.Rejected{{Skill: "valdris-bug-rca", Reason: "nothing is broken"}}, now))
	s.put(s.place().Goal("Ines Maron", now))
	return s
}

func (s site) read(name string) canon.Value {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
	if err != nil {
		s.Fatal(err)
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		s.Fatal(err)
	}
	return doc.Root
}

const passedProof = `{"schema":"uash.proof.v1","generatedAt":"2026-04-07T09:30:00Z","runId":"lantern-1","status":"passed","summary":"1 command",
"commands":[{"command":"grep -c '^## ' docs/guide.md","exitCode":0,"startedAt":"2026-04-07T09:20:00Z","completedAt":"2026-04-07T09:21:00Z","stdoutTail":"3\n"}]}`

// From the intake to a completed goal, every document passes its own gate as
// it is made, and the goal only completes with evidence.
func TestInputs(t *testing.T) {
	s := routed(t)
	goal := s.read("goal/goal.json")
	var ids []string
	for _, c := range goal.Get("stoppingConditions").Elems() {
		ids = append(ids, c.Get("id").Text())
		if !c.Get("status").Is("pending") || c.Get("evidence").Len() != 0 {
			t.Errorf("a new goal claims %s", canon.Compact(c))
		}
	}
	if want := []string{"the-documentation-checks-pass", "condition-2", "condition-3"}; !slices.Equal(ids, want) {
		t.Errorf("conditions %v, want %v", ids, want)
	}
	if !goal.Get("objective").Is(docsRequest) {
		t.Errorf("objective %s", canon.Compact(goal.Get("objective")))
	}
	s.write("qa/checks.json", []byte(passedProof))
	show := scaffold.Shown{Tool: "finishline", ToolVersion: "1", Summary: "done"}
	_, err := s.place().CompleteGoal(show, now)
	var ce *scaffold.ConditionError
	if !errors.As(err, &ce) || ce.Condition != ids[0] {
		t.Errorf("a goal without evidence: %v", err)
	}
	for _, id := range ids {
		show.Proofs = append(show.Proofs, scaffold.Showing{Condition: id, Path: "qa/checks.json"})
	}
	unknown := show
	unknown.Proofs = append(slices.Clone(show.Proofs), scaffold.Showing{Condition: "other", Path: "qa/checks.json"})
	if _, err := s.place().CompleteGoal(unknown, now); !errors.As(err, &ce) || ce.Condition != "other" {
		t.Errorf("evidence for a condition that is not there: %v", err)
	}
	s.put(s.place().CompleteGoal(show, now.Add(time.Minute)))
	goal = s.read("goal/goal.json")
	if !goal.Get("status").Is("completed") || string(canon.Compact(goal.Get("revision"))) != "2" {
		t.Errorf("the goal is %s", canon.Compact(goal))
	}
	if _, err := s.place().CompleteGoal(show, now); err == nil {
		t.Error("a completed goal was completed again")
	}
	s.write("trajectory/trace.txt", []byte("trace\n"))
	s.put(s.place().Trajectory([]scaffold.Attempt{attempt()}, "trajectory/trace.txt", now))
}

func attempt() scaffold.Attempt {
	return scaffold.Attempt{ID: "reword", Outcome: "succeeded", StartedAt: "2026-04-07T08:00:00Z", CompletedAt: "2026-04-07T09:00:00Z",
		Actions: []string{"edit the documentation"}, Usage: map[string]float64{"toolCalls": 9, "tokens": 4200, "costUsd": 0.1, "wallClockMinutes": 40}}
}

// A proof shows a condition only if it verifies, passed and is of this run.
func TestProofsThatShowNothing(t *testing.T) {
	for name, proof := range map[string]string{
		"failed":        strings.Replace(passedProof, `"exitCode":0`, `"exitCode":1`, 1),
		"not passed":    strings.Replace(passedProof, `"status":"passed"`, `"status":"failed"`, 1),
		"another run":   strings.Replace(passedProof, `"lantern-1"`, `"lantern-2"`, 1),
		"no proof":      `{"schema":"other"}`,
		"not JSON":      `{`,
		"no output":     strings.Replace(passedProof, `,"stdoutTail":"3\n"`, ``, 1),
		"not there":     "",
		"a duplicate":   strings.Replace(passedProof, `"summary":"1 command"`, `"summary":"1 command","status":"passed"`, 1),
		"not an object": `[]`,
	} {
		s := routed(t)
		if proof != "" {
			s.write("qa/checks.json", []byte(proof))
		}
		show := scaffold.Shown{Tool: "t", ToolVersion: "1", Summary: "done"}
		for _, c := range s.read("goal/goal.json").Get("stoppingConditions").Elems() {
			show.Proofs = append(show.Proofs, scaffold.Showing{Condition: c.Get("id").Text(), Path: "qa/checks.json"})
		}
		_, err := s.place().CompleteGoal(show, now)
		var pe *scaffold.ProofError
		if !errors.As(err, &pe) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a caller says wrongly, the gate refuses before anything is written.
func TestRefusals(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	cases := map[string]struct {
		change func(r *scaffold.Request)
		rule   string
	}{
		"no actor":         {func(r *scaffold.Request) { r.Actor = " " }, "intake.source"},
		"no stopping":      {func(r *scaffold.Request) { r.Stopping = nil }, "intake.stopping"},
		"no text":          {func(r *scaffold.Request) { r.Text = "\n" }, "intake.request-text"},
		"unsafe action":    {func(r *scaffold.Request) { r.Allowed = []string{"deploy production"} }, "intake.allowed.unsafe"},
		"a secret":         {func(r *scaffold.Request) { r.Text = docsRequest + " " + secret }, ""},
		"blank constraint": {func(r *scaffold.Request) { r.Constraints = []string{""} }, "intake.list.constraints"},
	}
	for name, c := range cases {
		s := newSite(t)
		r := request(docsRequest)
		c.change(&r)
		draft, err := scaffold.Intake(r, now)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		j, err := s.place().Judge(t.Context(), draft)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(j.Refused) == 0 || c.rule != "" && j.Refused[0].Rule != c.rule {
			t.Errorf("%s: refused by\n%s", name, shown(j.Refused))
		}
		if strings.Contains(shown(j.Refused), secret) {
			t.Errorf("%s: the secret is shown", name)
		}
	}
	r := request(docsRequest)
	r.Profile = "gold"
	var unknown *workload.UnknownProfileError
	if _, err := scaffold.Intake(r, now); !errors.As(err, &unknown) {
		t.Errorf("unknown profile: %v", err)
	}
}

// Each document says what it is made of and how to get that.
func TestNeeds(t *testing.T) {
	s := newSite(t)
	p := s.place()
	for name, make := range map[string]func() (scaffold.Draft, error){
		"run/intake.json":  func() (scaffold.Draft, error) { return p.Classification(nil, now) },
		"run/intake.json ": func() (scaffold.Draft, error) { return p.Route(nil, now) },
		"goal/goal.json":   func() (scaffold.Draft, error) { return p.CompleteGoal(scaffold.Shown{}, now) },
		"goal/goal.json ":  func() (scaffold.Draft, error) { return p.Trajectory(nil, "x", now) },
		"run/workload-classification.json": func() (scaffold.Draft, error) {
			return p.Gate("foundation", now)
		},
	} {
		_, err := make()
		var need *scaffold.NeedError
		if !errors.As(err, &need) || need.Path != strings.TrimSpace(name) || !strings.Contains(need.Hint(), "finishline ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A sentence of the format is never guessed.
	s.put(scaffold.Intake(request(docsRequest), now))
	_, err := s.place().Classification(nil, now)
	if text, ok := scaffold.IsUnknownText(err); !ok || text.Key == "" {
		t.Errorf("without the sentences: %v", err)
	}
	for name, command := range map[string]string{"goal": "goal new", "portable-proof": "proof run", "nonsense": ""} {
		_, err := s.place().Gate(name, now)
		var unknown *scaffold.UnknownGateError
		if !errors.As(err, &unknown) || unknown.Command != command {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// On runs of every kind, a document of a gate is either complete and passes, or
// a skeleton that its gate refuses for what is open and for nothing else.
func TestGateDocuments(t *testing.T) {
	fixtures := filepath.Join(vectors.Dir(t, "gates"), "_fixtures")
	complete := map[string]int{}
	skeletons := map[string]int{}
	left := map[string]map[string]bool{}
	for _, run := range []string{"docs", "orrery", "proto", "runbook", "tenant"} {
		for _, name := range scaffold.Gates() {
			s := site{t, t.TempDir()}
			must(t, os.CopyFS(s.dir, os.DirFS(filepath.Join(fixtures, run))))
			root, err := evidence.Open(s.dir)
			must(t, err)
			place := scaffold.Place{Target: root}
			draft := removed(t, s, place, name)
			j, err := place.Judge(t.Context(), draft)
			root.Close()
			if err != nil {
				t.Errorf("%s %s: %v", run, name, err)
				continue
			}
			if len(j.Refused) > 0 {
				t.Errorf("%s %s: refused\n%s", run, name, shown(j.Refused))
			}
			if draft.Complete() {
				complete[name]++
				continue
			}
			skeletons[name]++
			for _, f := range draft.Files {
				claimsNothing(t, f.Path, canon.Node{Value: f.Value})
			}
			if left[name] == nil {
				left[name] = map[string]bool{}
			}
			for _, f := range j.Open {
				left[name][f.Rule] = true
			}
			for _, rule := range draft.Open {
				if _, ok := left[name][rule]; !ok {
					left[name][rule] = false
				}
			}
		}
	}
	left["code-intelligence"]["code-intelligence.anchors"] = anchorsOpen(t, filepath.Join(fixtures, "orrery"))
	for name, rules := range left {
		for rule, fired := range rules {
			if !fired {
				t.Errorf("%s: %s is called open and never is", name, rule)
			}
		}
	}
	for _, name := range []string{"ai-assurance", "domain-assurance"} {
		if complete[name] == 0 || skeletons[name] == 0 {
			t.Errorf("%s: %d complete, %d skeletons; the fixtures should give both", name, complete[name], skeletons[name])
		}
	}
	if skeletons["waivers"] > 0 || complete["waivers"] == 0 {
		t.Error("an empty ledger is complete")
	}
}

// anchorsOpen reports whether anchors beside a finished graph are open: a tool
// that writes graphs leaves them to the person.
func anchorsOpen(t testing.TB, fixture string) bool {
	t.Helper()
	s := site{t, t.TempDir()}
	must(t, os.CopyFS(s.dir, os.DirFS(fixture)))
	must(t, os.Remove(filepath.Join(s.dir, "design/anchors.json")))
	draft, err := s.place().Gate("code-intelligence", now)
	must(t, err)
	if len(draft.Files) != 1 || draft.Files[0].Path != "design/anchors.json" {
		t.Errorf("made %d files beside a graph", len(draft.Files))
	}
	j, err := s.place().Judge(t.Context(), draft)
	must(t, err)
	return len(j.Refused) == 0 && len(j.Open) == 1 && j.Open[0].Rule == "code-intelligence.anchors"
}

// removed makes the document of a gate anew where the fixture has one.
func removed(t testing.TB, s site, place scaffold.Place, name string) scaffold.Draft {
	t.Helper()
	for _, path := range []string{"graph/graph.json", "graph/freshness.json", "design/anchors.json"} {
		if name == "code-intelligence" {
			os.Remove(filepath.Join(s.dir, path))
		}
	}
	draft, err := place.Gate(name, now)
	must(t, err)
	for _, f := range draft.Files {
		os.Remove(filepath.Join(s.dir, filepath.FromSlash(f.Path)))
	}
	return draft
}

// claimsNothing demands that nothing in a skeleton has passed and nothing is
// said that only a person can say.
func claimsNothing(t testing.TB, path string, n canon.Node) {
	t.Helper()
	for _, m := range n.Members() {
		at := n.At(m.Name)
		switch m.Name {
		case "status":
			if at.Is("passed") || at.Is("completed") {
				t.Errorf("%s%s: %s", path, at.Pointer, at.Text())
			}
		case "evidence":
			if at.Len() != 0 {
				t.Errorf("%s%s: evidence in a skeleton", path, at.Pointer)
			}
		case "generatedAt", "owner", "summary", "value", "resultDigest":
			if at.Truthy() {
				t.Errorf("%s%s: %s", path, at.Pointer, canon.Compact(at.Value))
			}
		}
		claimsNothing(t, path, at)
	}
	for _, e := range n.Items() {
		claimsNothing(t, path, e)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
