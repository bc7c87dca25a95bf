package evidence

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
)

type pathCase struct {
	Case      string          `json:"case"`
	Path      json.RawMessage `json:"path"`
	Value     json.RawMessage `json:"value"`
	MustExist bool            `json:"must_exist"`
	Expect    vectors.Expect  `json:"expect"`
	Strict    *vectors.Expect `json:"expect_strict"`
}

func TestVectorsPaths(t *testing.T) {
	dir := vectors.Dir(t, "paths")
	tally := vectors.NewTally(t, "paths")
	base := t.TempDir()
	root, outside := buildResolveTree(t, base)
	defer root.Close()
	sub := strings.NewReplacer("@ROOT@", root.Dir(), "@OUTSIDE@", outside)

	for _, kind := range []string{"portable", "canonical", "resolve", "identifiers"} {
		var group struct {
			Cases []pathCase `json:"cases"`
		}
		vectors.Read(t, filepath.Join(dir, kind+".json"), &group)
		for _, c := range group.Cases {
			tally.Case(c.Case, func(t *testing.T) {
				var baseRules, strictRules []string
				path := decode(t, c.Path).Text()
				switch kind {
				case "portable":
					baseRules = ruleOf(Portable(path))
					strictRules = ruleOf(StrictPath(path))
				case "canonical":
					baseRules = ruleOf(Canonical(path))
				case "resolve":
					path = sub.Replace(path)
					need := MayBeAbsent
					if c.MustExist {
						need = MustExist
					}
					res, err := root.Resolve(path, need)
					baseRules = ruleOf(err)
					strictRules = append(ruleOf(StrictPath(path)), rulesOf(root.StrictResolved(path, res))...)
				case "identifiers":
					if got := canon.IsIdentifier(decode(t, c.Value)); got != c.Expect.Valid {
						t.Errorf("identifier %s: %v, want %v", c.Value, got, c.Expect.Valid)
					}
					return
				}
				if (len(baseRules) == 0) != c.Expect.Valid || !vectors.SameRules(baseRules, c.Expect.Rules) {
					t.Errorf("base %q: %v, want %v", path, baseRules, c.Expect.Rules)
				}
				if c.Strict != nil && !vectors.SameRules(strictRules, c.Strict.Rules) {
					t.Errorf("strict %q: %v, want %v", path, strictRules, c.Strict.Rules)
				}
				if c.Strict == nil && c.Expect.Valid && len(strictRules) > 0 {
					t.Errorf("strict %q: %v, want none", path, strictRules)
				}
			})
		}
	}
}

func decode(t *testing.T, raw json.RawMessage) canon.Value {
	t.Helper()
	if raw == nil {
		return canon.Value{}
	}
	doc, err := canon.Read(raw, canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

func ruleOf(err *PathError) []string {
	if err == nil {
		return nil
	}
	return []string{err.Rule}
}

func rulesOf(list []*PathError) (ids []string) {
	for _, e := range list {
		ids = append(ids, e.Rule)
	}
	return ids
}

func buildResolveTree(t *testing.T, base string) (*Root, string) {
	t.Helper()
	dir, outside := filepath.Join(base, "root"), filepath.Join(base, "outside")
	for _, d := range []string{"d/e", "outside-of-root", "..odd"} {
		must(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	must(t, os.MkdirAll(outside, 0o755))
	for _, f := range []string{"d/e/f.txt", "top.txt", "..odd/x.txt"} {
		must(t, os.WriteFile(filepath.Join(dir, f), []byte(f), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(outside, "o.txt"), nil, 0o644))
	for link, to := range map[string]string{
		"d/link.txt": "e/f.txt", "d/dangling": "nowhere", "d/up": "../..", "d/in": "e", "d/abs": outside, "loop": "loop",
	} {
		must(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	root, err := Open(dir)
	must(t, err)
	resolvedOutside, err := filepath.EvalSymlinks(outside)
	must(t, err)
	return root, resolvedOutside
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
