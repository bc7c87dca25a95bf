package gate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
	"finishline/verify"
	"finishline/verify/gate"
)

// judgePack judges the registry of a pack in a directory.
func judgePack(t *testing.T, dir, pack string, level verify.Level) gate.Result {
	t.Helper()
	opt := gate.Options{Pack: gate.Pack{Dir: filepath.Join(dir, pack), Present: true}, Level: level}
	return validate(t, "skill-registry", start(t, dir, opt))
}

// A project may keep any number of skills beside the mirrored ones; only below
// R/skills is their number bounded.
func TestMirrorHoldsOtherSkills(t *testing.T) {
	dir := caseNamed(t, "registry-adapter-command").Build(t)
	write(t, dir, ".valdris-harness/project-adapter.json", string(adapterOf(t)))
	for i := range 70 {
		write(t, dir, fmt.Sprintf(".valdris-harness/.claude/skills/own-%d/SKILL.md", i), "")
	}
	for _, level := range levels {
		if got := errorIDs(judgePack(t, dir, ".valdris-harness", level)); got != nil {
			t.Errorf("%s: %q", level, got)
		}
	}
	for i := range 50 {
		write(t, dir, fmt.Sprintf(".valdris-harness/skills/own-%d/x", i), "")
	}
	for _, level := range levels {
		if got, want := errorIDs(judgePack(t, dir, ".valdris-harness", level)), ids("skill-registry.json"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", level, got, want)
		}
	}
}

// adapterOf is a valid adapter of the commissioned fixture.
func adapterOf(t *testing.T) []byte {
	t.Helper()
	dir := caseNamed(t, "registry-mirror-missing").Build(t)
	data, err := os.ReadFile(filepath.Join(dir, ".valdris-harness/project-adapter.json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A mirror that leads out of the pack is not listed: that decides, it is no
// trouble of the system.
func TestMirrorOutsideThePack(t *testing.T) {
	dir := caseNamed(t, "registry-mirror-differs").Build(t)
	mirror := filepath.Join(dir, ".valdris-harness/.claude/skills")
	outside := t.TempDir()
	if err := os.RemoveAll(mirror); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, mirror); err != nil {
		t.Fatal(err)
	}
	for _, level := range levels {
		result := judgePack(t, dir, ".valdris-harness", level)
		if got, want := errorIDs(result), ids("skill-registry.json"); !slices.Equal(got, want) || result.Verdict() != verify.Fail {
			t.Errorf("%s: %s %q, want %q", level, result.Verdict(), got, want)
		}
	}
}

// A mirrored skill is compared with SKILL.md beside the registered file, which
// need not be the registered file itself.
func TestMirrorOfAnotherFile(t *testing.T) {
	dir := caseNamed(t, "registry-mirror-differs").Build(t)
	const skill = ".valdris-harness/skills/valdris-assure/SKILL.md"
	data, err := os.ReadFile(filepath.Join(dir, skill))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, ".valdris-harness/.claude/skills/valdris-assure/SKILL.md", string(data))
	write(t, dir, ".valdris-harness/skills/valdris-assure/assure.md", string(data)+"more\n")
	for _, name := range []string{"skills", ".agents/skills", ".claude/skills"} {
		for _, file := range []string{"registry.json", "codex-routing.yaml"} {
			path := filepath.Join(dir, ".valdris-harness", name, file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Dir(path), file, strings.ReplaceAll(string(text), "skills/valdris-assure/SKILL.md", "skills/valdris-assure/assure.md"))
		}
	}
	for _, level := range levels {
		if got := errorIDs(judgePack(t, dir, ".valdris-harness", level)); got != nil {
			t.Errorf("%s: %q", level, got)
		}
	}
}

// Two long lists that are held against each other cost no more than reading
// them.
func TestLargePolicy(t *testing.T) {
	vectors.Long(t)
	dir := caseNamed(t, "registry-ok-plain").Build(t)
	file := filepath.Join(dir, "skills/registry.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	many := func(unit string) canon.Value {
		list := make([]canon.Value, 200_000)
		for i := range list {
			list[i] = canon.NewString(fmt.Sprintf("%s%d", unit, i))
		}
		return canon.NewArray(list...)
	}
	root := doc.Root
	for pointer, value := range map[string]canon.Value{"/gatePolicy/always": many("a"), "/lifecycleSkills/0/requiredGates": many("r")} {
		if root, err = casefile.Edit(root, "add", pointer, value); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "skills/registry.json", string(canon.Compact(root)))
	begin := time.Now()
	result := judgePack(t, dir, "", verify.Strict)
	if !slices.Contains(errorIDs(result), "skill-registry.skill.lifecycle-gate") {
		t.Errorf("%q", errorIDs(result))
	}
	if took := time.Since(begin); took > 20*time.Second { // on an idle machine it is a second
		t.Errorf("took %s", took)
	}
}
