package pack_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/gittest"
	"finishline/internal/vectors"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
)

// A name that is not UTF-8 is bound with replaced bytes at base level and
// refused at strict level.
func TestPathNotUTF8(t *testing.T) {
	s := newScratch(t, commissioned, 0)
	odd := s.prefix + "docs/caf\xe9.txt"
	if err := os.WriteFile(s.Path(odd), []byte("x\n"), 0o644); err != nil {
		t.Skip("no such names here:", err)
	}
	s.recommit()
	if bound, out := s.bind(verify.Base); bound == nil || len(out.List()) != 0 {
		t.Errorf("base: %s", texts(out))
	}
	bound, out := s.bind(verify.Strict)
	if ids := verify.RuleIDs(out.List(), verify.Error); !vectors.SameRules(ids, []string{"strict.runtime.path-not-utf8"}) || bound == nil {
		t.Errorf("strict: %s", texts(out))
	}
}

// The pack root is where Git says it is, whatever name leads there.
func TestPackRootThroughLinks(t *testing.T) {
	s := newScratch(t, plain, 0)
	honest := s.accepts()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(s.Dir, link); err != nil {
		t.Fatal(err)
	}
	lab := openDirs(t, s.Dir, link)
	if bound, out := lab.bind(verify.Strict, s.commit, s.pin); bound == nil || bound.SetSHA256 != honest.SetSHA256 {
		t.Errorf("through a link: %s", texts(out))
	}
	c := newScratch(t, commissioned, 0)
	c.accepts()
	if err := os.Rename(c.Path(".valdris-harness"), c.Path("app/pack")); err != nil {
		t.Fatal(err)
	}
	c.Symlink(".valdris-harness", "app/pack")
	c.refuses("runtime.path.not-target-nested")
	c.Symlink(".valdris-harness", "nowhere")
	c.refuses("runtime.git.unavailable")
	c.Write(".valdris-harness", []byte("a file\n"), 0o644)
	c.refuses("runtime.git.unavailable")
	elsewhere := newScratch(t, commissioned, 0)
	lab = openDirs(t, elsewhere.Dir, s.Dir)
	if bound, out := lab.bind(verify.Base, elsewhere.commit, elsewhere.pin); bound != nil || !out.Has("runtime.git.worktree-mismatch") {
		t.Errorf("pack of another repository: %s", texts(out))
	}
}

// Unmerged entries of the index.
func TestUnmerged(t *testing.T) {
	s := newScratch(t, plain, 0)
	blob := s.Git("rev-parse", "HEAD:scripts/rca-gate.mjs")
	s.Git("update-index", "--force-remove", "scripts/rca-gate.mjs")
	info := s.Path("info")
	lines := ""
	for _, stage := range []string{"1", "2", "3"} {
		lines += "100644 " + blob + " " + stage + "\tscripts/rca-gate.mjs\n"
	}
	s.Write("info", []byte(lines), 0o644)
	shell(t, s.Repo, "git update-index --index-info <'"+info+"'")
	if f := s.refuses("runtime.index.mismatch"); !strings.Contains(f.Found, "unmerged") {
		t.Errorf("finding %+v", f)
	}
}

// An object that is gone is a failure of Git for a binding, and a file that is
// not there for history.
func TestMissingObjects(t *testing.T) {
	s := newScratch(t, commissioned, 0)
	honest := s.accepts().Value()
	blob := s.Git("rev-parse", "HEAD:.valdris-harness/skills/registry.json")
	if err := os.Remove(s.Path(".git/objects/" + blob[:2] + "/" + blob[2:])); err != nil {
		t.Fatal(err)
	}
	s.refuses("runtime.git.unavailable")
	out := s.history(s.lab(), honest, verify.Base)
	want := []string{"runtime.historical.file-unavailable", "runtime.historical.tree-unavailable",
		"runtime.historical.runtime-digest", "runtime.historical.set-digest"}
	if got := verify.RuleIDs(out.List(), verify.Error); !vectors.SameRules(got, want) {
		t.Errorf("history: %v, want %v\n%s", got, want, texts(out))
	}
	noRepo := pack.Historical(t.Context(), pack.History{Declared: pack.Declared{Runtime: node(honest)},
		Commit: node(canon.NewString(s.commit)), Pin: review.ParsePin(s.pin)})
	if !noRepo.Has("runtime.historical.commit-unavailable") || noRepo.Verdict() != verify.Incomplete {
		t.Errorf("no repository: %v\n%s", noRepo.Verdict(), texts(noRepo))
	}
}

// Entries of a declared list that are none.
func TestHistoricalEntries(t *testing.T) {
	s := newScratch(t, plain, 0)
	honest := s.accepts().Value()
	lab := s.lab()
	file := honest.Get("files").Elems()[0]
	for name, bad := range map[string]canon.Value{
		"null":          canon.NewNull(),
		"string":        canon.NewString("x"),
		"no path":       without(file, "path"),
		"path a number": with(file, "path", canon.NewNumber(1)),
		"no digest":     without(file, "sha256"),
		"short digest":  with(file, "sha256", canon.NewString("abc")),
		"repeated":      file,
	} {
		files := append([]canon.Value{file}, bad)
		out := s.history(lab, with(honest, "files", canon.NewArray(files...)), verify.Base)
		var pointer string
		for _, f := range out.List() {
			if f.Rule == "runtime.historical.file-entry" {
				pointer = f.Pointer
			}
		}
		if pointer != "/1" && pointer != "/files/1" {
			t.Errorf("%s: no finding at the entry\n%s", name, texts(out))
		}
	}
	upper := with(file, "sha256", canon.NewString(strings.ToUpper(file.Get("sha256").Text())))
	out := s.history(lab, with(honest, "files", canon.NewArray(upper)), verify.Base)
	if !out.Has("runtime.historical.file-digest") || out.Has("runtime.historical.file-entry") {
		t.Errorf("upper case passes the pattern and fails the comparison\n%s", texts(out))
	}
}

// A submodule in the pack.
func TestSubmodule(t *testing.T) {
	s := newScratch(t, commissioned, 0)
	honest := s.accepts().Value()
	s.Git("update-index", "--add", "--cacheinfo", "160000,"+s.commit+",.valdris-harness/module")
	s.commit = s.Commit("module")
	s.refuses("runtime.tree.pack-not-regular")
	if out := s.history(s.lab(), honest, verify.Base); !out.Has("runtime.historical.tree-unavailable") {
		t.Errorf("history: %s", texts(out))
	}
	p := newScratch(t, plain, 0)
	p.Git("rm", "-q", "--cached", "skills/registry.json")
	p.Git("update-index", "--add", "--cacheinfo", "160000,"+p.commit+",skills/registry.json")
	p.commit = p.Commit("module")
	p.refuses("runtime.tree.not-regular")
}

func shell(t *testing.T, r *gittest.Repo, command string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = r.Dir, r.Env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// What strict level has against trust store and adapter stands beside the
// binding, which base level accepts.
func TestStrictDocuments(t *testing.T) {
	for rule, c := range map[string]struct {
		path, text string
		severity   verify.Severity
	}{
		"strict.json.duplicate-key": {"project-adapter.json", `{"a": 1, "a": 2}`, verify.Error},
		"strict.trust.key-unrestricted": {"controls/review-trust.v1.json",
			strings.Replace(trustStore, `"allowedActorIds": ["reviewer-noor"], `, "", 1), verify.Warning},
		"strict.trust.key-encoding": {"controls/review-trust.v1.json",
			strings.Replace(trustStore, `"-----BEGIN`, `"text before\n-----BEGIN`, 1), verify.Error},
	} {
		s := newScratch(t, commissioned, 0)
		s.put(c.path, c.text)
		if strings.HasPrefix(c.path, "controls/") {
			s.pin = storePin(t, c.text)
		}
		s.recommit()
		if bound, out := s.bind(verify.Base); bound == nil || len(out.List()) != 0 {
			t.Errorf("%s at base level: %s", rule, texts(out))
		}
		bound, out := s.bind(verify.Strict)
		list := out.List()
		if bound == nil || len(list) != 1 || list[0].Rule != rule || list[0].Severity != c.severity || list[0].Artifact != s.prefix+c.path {
			t.Errorf("%s at strict level: %s", rule, texts(out))
		}
		taken := pack.Compare(pack.Declared{Runtime: node(bound.Value()), Level: verify.Strict}, bound, out)
		if got := taken.List(); len(got) != 1 || got[0].Rule != rule {
			t.Errorf("%s is not taken over: %s", rule, texts(taken))
		}
	}
}

// Directories that were exchanged for links to the same content.
func TestLinkedDirectories(t *testing.T) {
	for dir, rule := range map[string]string{
		"scripts": "runtime.live.symlink", "controls": "runtime.live.symlink",
		// The file is a plain one at the end of the link, but Git does not look
		// behind it.
		"skills": "runtime.worktree.dirty",
	} {
		s := newScratch(t, plain, 0)
		if err := os.Rename(s.Path(dir), s.Path("moved")); err != nil {
			t.Fatal(err)
		}
		s.Symlink(dir, "moved")
		s.refuses(rule)
	}
	s := newScratch(t, plain, 0)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "registry.json"), s.Read("skills/registry.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.Remove("skills")
	s.Symlink("skills", outside)
	// Never opened: it lies outside the target. That is bad, not unknown.
	if f := s.refuses("runtime.file.not-regular"); f.NotEvaluated {
		t.Errorf("finding %+v", f)
	}
}
