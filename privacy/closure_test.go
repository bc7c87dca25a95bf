package privacy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"finishline/internal/vectors"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A closureCase is one closure-*.json (testdata/vectors/privacy/README.md).
type closureCase struct {
	Files           map[string]json.RawMessage
	RawFiles, Links map[string]string
	Drop            []string
	BridgeArtifacts []struct {
		Path              string
		Required, Skipped bool
		EvidenceArtifact  string
	}
	Expect struct {
		Valid        bool
		Rules, Paths []string
	}
	ExpectStrict *vectors.Expect
}

func TestVectorsClosure(t *testing.T) {
	dir := vectors.Dir(t, "privacy")
	files, _ := filepath.Glob(filepath.Join(dir, "closure-*.json"))
	tally := vectors.NewTally(t, "privacy (closure)")
	for _, file := range files {
		if filepath.Base(file) == "closure-base.json" {
			continue
		}
		tally.Case(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			var base, c closureCase
			vectors.Read(t, filepath.Join(dir, "closure-base.json"), &base)
			vectors.Read(t, file, &c)
			if c.BridgeArtifacts == nil {
				c.BridgeArtifacts = base.BridgeArtifacts
			}
			root := t.TempDir()
			c.build(t, root, base.Files)
			c.check(t, root)
		})
	}
}

func (c *closureCase) build(t *testing.T, root string, files map[string]json.RawMessage) {
	t.Helper()
	for path, raw := range c.Files {
		files[path] = raw
	}
	for _, path := range c.Drop {
		delete(files, path)
	}
	for path, raw := range files {
		data := []byte(raw)
		if raw[0] == '"' {
			var text string
			must(t, json.Unmarshal(raw, &text))
			data = []byte(text)
		}
		if _, replaced := c.Links[path]; !replaced {
			write(t, filepath.Join(root, path), data)
		}
	}
	for path, text := range c.RawFiles {
		write(t, filepath.Join(root, path), []byte(text))
	}
	for path, target := range c.Links {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755))
		must(t, os.Symlink(target, filepath.Join(root, path)))
	}
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, data, 0o644))
}

func (c *closureCase) check(t *testing.T, dir string) {
	t.Helper()
	var artifacts []BridgeArtifact
	for _, a := range c.BridgeArtifacts {
		artifacts = append(artifacts, BridgeArtifact{a.Path, a.EvidenceArtifact, a.Required, a.Skipped})
	}
	root, err := evidence.Open(dir)
	must(t, err)
	defer root.Close()
	base := FindClosure(root, artifacts, PacketPath, verify.Base)
	rules := problemRules(base.Problems)
	if len(base.Hardening) > 0 {
		t.Errorf("hardening at base level: %v", base.Hardening)
	}
	if valid := len(rules) == 0; valid != c.Expect.Valid {
		t.Errorf("valid: got %v (%v), want %v", valid, rules, c.Expect.Valid)
	}
	if d := cmp.Diff(append([]string{}, c.Expect.Rules...), rules); d != "" {
		t.Errorf("rules: %s", d)
	}
	if d := cmp.Diff(append([]string{}, c.Expect.Paths...), base.Names()); d != "" {
		t.Errorf("paths: %s", d)
	}
	strict := FindClosure(root, artifacts, PacketPath, verify.Strict)
	all := append(problemRules(strict.Problems), problemRules(strict.Hardening)...)
	want := vectors.Expect{Valid: c.Expect.Valid, Rules: c.Expect.Rules}
	if c.ExpectStrict != nil {
		want = *c.ExpectStrict
	}
	if valid := len(all) == 0; valid != want.Valid {
		t.Errorf("strict: got %v (%v), want %v", valid, all, want.Valid)
	}
	for _, id := range append(want.Rules, c.Expect.Rules...) {
		if !slices.Contains(all, id) {
			t.Errorf("strict: %s was not reported: %v", id, all)
		}
	}
}

// problemRules are the ids in order of first occurrence, each once.
func problemRules(problems []Problem) []string {
	rules := []string{}
	for _, p := range problems {
		if !slices.Contains(rules, p.Rule) {
			rules = append(rules, p.Rule)
		}
	}
	return rules
}
