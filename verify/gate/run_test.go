package gate_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors/rundir"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
)

func caseNamed(t testing.TB, name string) rundir.Case {
	t.Helper()
	for _, c := range gateCases(t) {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no case is named %q", name)
	return rundir.Case{}
}

// start prepares a run of a directory with options of a test's own.
func start(t testing.TB, dir string, opt gate.Options) *gate.Run {
	t.Helper()
	root, err := evidence.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	opt.Target = root
	run, err := gate.NewRun(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Close() })
	return run
}

func validate(t testing.TB, name string, run *gate.Run) gate.Result {
	t.Helper()
	g, ok := gate.Find(name)
	if !ok {
		t.Fatalf("no gate is named %q", name)
	}
	return g.Validate(context.Background(), run)
}

func errorIDs(r gate.Result) []string { return verify.RuleIDs(r.Findings.List(), verify.Error) }

func TestNewRunNeedsTarget(t *testing.T) {
	if _, err := gate.NewRun(gate.Options{}); err == nil {
		t.Error("a run without a target was prepared")
	}
}

func TestInterruptedIsIncomplete(t *testing.T) {
	dir := caseNamed(t, "intake-ok-tenant").Build(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, g := range gate.All() {
		result := g.Validate(ctx, start(t, dir, gate.Options{Pack: gate.Pack{Dir: dir, Present: true}}))
		if result.Verdict() != verify.Incomplete || len(result.NotEvaluated) != 1 || result.NotEvaluated[0].Reason != gate.ReasonInterrupted {
			t.Errorf("%s: verdict %s, not evaluated %v", g.Name, result.Verdict(), result.NotEvaluated)
		}
	}
}

func TestUnknownGate(t *testing.T) {
	for _, name := range []string{"", "Route", "constructor"} {
		if _, ok := gate.Find(name); ok {
			t.Errorf("a gate is named %q", name)
		}
		if gate.Validators()[name] != nil {
			t.Errorf("%q has a validator", name)
		}
	}
}

// A pack that is said to be there and is not fails every rule that reads it.
func TestPackThatIsNotThere(t *testing.T) {
	dir := caseNamed(t, "route-ok-tenant").Build(t)
	run := start(t, dir, gate.Options{Pack: gate.Pack{Dir: filepath.Join(dir, "nowhere"), Present: true}})
	for name, want := range map[string]string{
		"skill-registry": "skill-registry.missing", "route": "route.registry-content",
		"workload-classification": "workload-classification.catalog-integrity",
	} {
		if result := validate(t, name, run); !slices.Equal(errorIDs(result), []string{want}) || result.Verdict() != verify.Fail {
			t.Errorf("%s: %s, rules %q", name, result.Verdict(), errorIDs(result))
		}
	}
}

// The house edition on disk is read by default, and any change of it is seen.
func TestCatalogsOfThePack(t *testing.T) {
	dir := caseNamed(t, "cls-ok-tenant").Build(t)
	packDir := filepath.Join(dir, "pack")
	if err := os.CopyFS(packDir, os.DirFS(filepath.Join("..", "catalog"))); err != nil {
		t.Fatal(err)
	}
	opt := gate.Options{Pack: gate.Pack{Dir: packDir, Present: true}}
	if result := validate(t, "workload-classification", start(t, dir, opt)); result.Verdict() != verify.Pass {
		t.Errorf("house edition: %s\n%s", result.Verdict(), describe(result))
	}
	file := filepath.Join(packDir, "controls", "genai-assurance.v1.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"white space": string(data) + "\n\n", "a digit": strings.Replace(string(data), "1", "2", 1), "no JSON": "{",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		result := validate(t, "workload-classification", start(t, dir, opt))
		if valid := result.Verdict() == verify.Pass; valid != (name == "white space") {
			t.Errorf("%s: %s\n%s", name, result.Verdict(), describe(result))
		}
	}
}

// A registry that is handed over is judged like that of a pack.
func TestRegistryHandedOver(t *testing.T) {
	dir := caseNamed(t, "route-pack-ok").Build(t)
	registry, err := os.ReadFile(filepath.Join(dir, ".valdris-harness", "skills", "registry.json"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		registry []byte
		verdict  verify.Verdict
		rules    []string
	}{
		"none":       {nil, verify.Incomplete, nil},
		"the right":  {registry, verify.Pass, nil},
		"another":    {[]byte(strings.Replace(string(registry), "kiln-1", "kiln-2", 1)), verify.Fail, []string{"route.registry-digest"}},
		"no JSON":    {[]byte("{"), verify.Fail, []string{"route.registry-content"}},
		"empty":      {[]byte{}, verify.Fail, []string{"route.registry-content"}},
		"null entry": {[]byte(`{"skills":[null]}`), verify.Fail, []string{"route.json", "route.registry-content", "route.registry-digest"}},
	}
	for name, c := range tests {
		result := validate(t, "route", start(t, dir, gate.Options{Registry: c.registry}))
		if result.Verdict() != c.verdict || !slices.Equal(errorIDs(result), c.rules) {
			t.Errorf("%s: %s, rules %q, want %s, %q", name, result.Verdict(), errorIDs(result), c.verdict, c.rules)
		}
	}
}

// committedFiles are what a test says is committed.
type committedFiles map[string]string

func (c committedFiles) CommittedSHA256(paths []string) (map[string]string, error) {
	for _, sum := range c {
		if sum == "broken" {
			return nil, errors.New("the object cannot be read")
		}
	}
	return c, nil
}

func TestCommitted(t *testing.T) {
	dir := caseNamed(t, "registry-ok-plain").Build(t)
	pack := gate.Pack{Dir: dir, Present: true}
	committed := committedFiles{}
	err := filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		rel, _ := filepath.Rel(dir, file)
		committed[filepath.ToSlash(rel)] = canon.SHA256(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	warned := func(level verify.Level) []string {
		result := validate(t, "skill-registry", start(t, dir, gate.Options{Pack: pack, Committed: committed, Level: level}))
		if result.Verdict() != verify.Pass {
			t.Errorf("a warning decided: %s\n%s", result.Verdict(), describe(result))
		}
		var paths []string
		for _, f := range result.Findings.List() {
			if f.Rule == "strict.pack.committed" {
				paths = append(paths, f.Artifact)
			}
		}
		return paths
	}
	if got := warned(verify.Strict); got != nil {
		t.Errorf("everything is committed, and yet: %q", got)
	}
	delete(committed, "skills/registry.json")
	committed["skills/valdris-assure/SKILL.md"] = canon.SHA256(nil)
	want := []string{"skills/registry.json", "skills/valdris-assure/SKILL.md"}
	if got := warned(verify.Strict); !slices.Equal(got, want) {
		t.Errorf("warned of %q, want %q", got, want)
	}
	committed["skills/valdris-assure/agents/openai.yaml"] = "broken"
	if got := warned(verify.Strict); !slices.Equal(got, want[:1]) {
		t.Errorf("nothing could be compared: warned of %q", got)
	}
	if got := warned(verify.Base); got != nil {
		t.Errorf("a strict rule at base level: %q", got)
	}
}

// Bounds of 09b section 5: what is beyond them is not read and never passes.
func TestRegistryBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	tests := map[string]func(dir string) error{
		"a skill file of more than 1 MiB": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "skills/valdris-assure/SKILL.md"), make([]byte, 1<<20+1), 0o644)
		},
		"more than 64 directories": func(dir string) error {
			for i := range 65 {
				if err := os.Mkdir(filepath.Join(dir, "skills", "d"+strings.Repeat("x", i)), 0o755); err != nil {
					return err
				}
			}
			return nil
		},
		"more entries than are listed": func(dir string) error {
			for i := range 4097 {
				if err := os.WriteFile(filepath.Join(dir, "skills", "f"+strings.Repeat("y", i%100)+string(rune('0'+i/100))), nil, 0o644); err != nil {
					return err
				}
			}
			return nil
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			dir := caseNamed(t, "registry-ok-plain").Build(t)
			if err := change(dir); err != nil {
				t.Fatal(err)
			}
			result := validate(t, "skill-registry", start(t, dir, gate.Options{Pack: gate.Pack{Dir: dir, Present: true}}))
			if !slices.Contains(errorIDs(result), "skill-registry.json") {
				t.Errorf("rules %q", errorIDs(result))
			}
		})
	}
}

// The gates of a run may be judged side by side and give what they give alone.
func TestSideBySide(t *testing.T) {
	dir := caseNamed(t, "route-ok-orrery").Build(t)
	shared := start(t, dir, gate.Options{})
	results := make(chan string)
	for _, g := range gate.All() {
		go func() { results <- g.Name + describe(g.Validate(context.Background(), shared)) }()
	}
	var together, alone []string
	for _, g := range gate.All() {
		together = append(together, <-results)
		alone = append(alone, g.Name+describe(validate(t, g.Name, start(t, dir, gate.Options{}))))
	}
	slices.Sort(together)
	slices.Sort(alone)
	if !slices.Equal(together, alone) {
		t.Errorf("side by side %q, alone %q", together, alone)
	}
}
