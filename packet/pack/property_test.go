package pack_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/internal/vectors"
	"finishline/packet/pack"
	"finishline/verify"
)

// A damage changes a file of the pack, and says how to undo it.
type damage struct {
	name string
	do   func(t *rapid.T, s *scratch, rel string)
}

var damages = []damage{
	{"byte changed", func(t *rapid.T, s *scratch, rel string) {
		data := s.Read(rel)
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		old := data[at]
		data[at] = rapid.Byte().Filter(func(b byte) bool { return b != old }).Draw(t, "byte")
		s.rewrite(rel, data)
	}},
	{"byte added", func(t *rapid.T, s *scratch, rel string) {
		data := s.Read(rel)
		at := rapid.IntRange(0, len(data)).Draw(t, "at")
		b := rapid.Byte().Draw(t, "byte")
		s.rewrite(rel, append(data[:at:at], append([]byte{b}, data[at:]...)...))
	}},
	{"byte removed", func(t *rapid.T, s *scratch, rel string) {
		data := s.Read(rel)
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		s.rewrite(rel, append(data[:at:at], data[at+1:]...))
	}},
	{"executable", func(t *rapid.T, s *scratch, rel string) { s.Chmod(rel, 0o755) }},
	{"removed", func(t *rapid.T, s *scratch, rel string) { s.Remove(rel) }},
	{"made a link", func(t *rapid.T, s *scratch, rel string) {
		s.Write("elsewhere", s.Read(rel), 0o644)
		s.Symlink(rel, strings.Repeat("../", strings.Count(rel, "/"))+"elsewhere")
	}},
	{"made a directory", func(t *rapid.T, s *scratch, rel string) {
		s.Remove(rel)
		s.Mkdir(rel)
	}},
	{"staged", func(t *rapid.T, s *scratch, rel string) {
		data := s.Read(rel)
		s.rewrite(rel, append(data, '\n'))
		s.Git("add", "-f", "--", rel)
		s.rewrite(rel, data)
	}},
	{"out of the index", func(t *rapid.T, s *scratch, rel string) { s.Git("rm", "-q", "--cached", "--", rel) }},
	{"assume-unchanged", func(t *rapid.T, s *scratch, rel string) { s.Git("update-index", "--assume-unchanged", "--", rel) }},
	{"skip-worktree", func(t *rapid.T, s *scratch, rel string) { s.Git("update-index", "--skip-worktree", "--", rel) }},
	{"edited under assume-unchanged", func(t *rapid.T, s *scratch, rel string) {
		s.Git("update-index", "--assume-unchanged", "--", rel)
		s.rewrite(rel, append(s.Read(rel), ' '))
	}},
}

// rewrite changes a file and keeps its modification time, so that only content
// can give it away.
func (s *scratch) rewrite(rel string, data []byte) {
	info, err := os.Lstat(s.Path(rel))
	if err != nil {
		s.t.Fatal(err)
	}
	s.Write(rel, data, 0o644)
	if err := os.Chtimes(s.Path(rel), info.ModTime(), info.ModTime()); err != nil {
		s.t.Fatal(err)
	}
}

// bound lists the bound files by their Git paths.
func (s *scratch) bound(b *pack.Binding) []string {
	var paths []string
	for _, f := range b.Files {
		if f.Kind == pack.KindLoader {
			paths = append(paths, f.Path)
		} else {
			paths = append(paths, s.prefix+f.Path)
		}
	}
	if s.prefix != "" {
		paths = append(paths, s.prefix+"docs/readme.txt")
	}
	return paths
}

// Any single change of any bound file is refused by exactly one base rule, at
// both levels, and undoing it makes the same binding again.
func TestAnyDamageIsRefused(t *testing.T) {
	vectors.Long(t)
	type subject struct {
		*scratch
		lab    *lab
		honest *pack.Binding
	}
	subjects := map[string]subject{}
	for name, as := range shapes {
		s := newScratch(t, as, 14)
		subjects[name] = subject{s, openDirs(t, s.Dir, ""), s.accepts()}
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := subjects[rapid.SampledFrom([]string{"plain", "commissioned"}).Draw(rt, "shape")]
		rel := rapid.SampledFrom(s.bound(s.honest)).Draw(rt, "file")
		d := rapid.SampledFrom(damages).Draw(rt, "damage")
		level := rapid.SampledFrom(levels).Draw(rt, "level")
		defer s.restore(rel, s.keep(rel))
		d.do(rt, s.scratch, rel)
		bound, out := s.lab.bind(level, s.commit, s.pin)
		if ids := baseErrors(out); bound != nil || len(ids) != 1 || !strings.HasPrefix(ids[0], "runtime.") {
			rt.Fatalf("%s: %s: bound %v, rules %v\n%s", rel, d.name, bound != nil, ids, texts(out))
		}
	})
	for name, s := range subjects {
		again, out := s.lab.bind(verify.Strict, s.commit, s.pin)
		if again == nil || again.SetSHA256 != s.honest.SetSHA256 {
			t.Errorf("%s: undone, but not the same binding\n%s", name, texts(out))
		}
	}
}

// kept is a file and the index, to put back.
type kept struct{ file, index []byte }

func (s *scratch) keep(rel string) kept { return kept{s.Read(rel), s.Read(".git/index")} }

func (s *scratch) restore(rel string, k kept) {
	if info, err := os.Lstat(s.Path(rel)); err == nil && info.IsDir() {
		s.Remove(rel)
	}
	s.Write(rel, k.file, 0o644)
	s.Write(".git/index", k.index, 0o644)
}

func baseErrors(out *verify.Findings) []string {
	var ids []string
	for _, id := range verify.RuleIDs(out.List(), verify.Error) {
		if !strings.HasPrefix(id, "strict.") {
			ids = append(ids, id)
		}
	}
	return ids
}

// A file too many in a closed inventory is refused whether Git ignores it or
// not, and elsewhere it does not matter.
func TestExtraFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	subjects := map[shape]*scratch{}
	for _, as := range shapes {
		subjects[as] = newScratch(t, as, 0)
	}
	for _, c := range []struct {
		as   shape
		path string
		rule string
	}{
		{plain, "scripts/new.mjs", "runtime.inventory.scripts-mismatch"},
		{plain, "scripts/deep/er/new.txt", "runtime.inventory.scripts-mismatch"},
		{plain, "scripts/.hidden", "runtime.inventory.scripts-mismatch"},
		{plain, "controls/new.json", "runtime.inventory.catalogs-mismatch"},
		{plain, "controls/deep/new.json", "runtime.inventory.catalogs-mismatch"},
		{plain, "controls/new.JSON", ""},
		{plain, "skills/other.json", ""},
		{plain, "project-adapter.json", ""},
		{commissioned, ".valdris-harness/scripts/new.mjs", "runtime.inventory.pack-mismatch"},
		{commissioned, ".valdris-harness/controls/new.txt", "runtime.inventory.pack-mismatch"},
		{commissioned, ".valdris-harness/cache/x", "runtime.inventory.pack-mismatch"},
		{commissioned, ".valdris-harness/README", "runtime.inventory.pack-mismatch"},
		{commissioned, "scripts/new.mjs", ""},
		{commissioned, "app/new.txt", ""},
	} {
		s := subjects[c.as]
		for _, ignore := range []string{"", "*\n"} {
			s.Write(".git/info/exclude", []byte(ignore), 0o644)
			s.Write(c.path, []byte("x\n"), 0o644)
			if c.rule == "" {
				s.accepts()
			} else if f := s.refuses(c.rule); f.Artifact != c.path || !strings.Contains(f.Found, "not committed") {
				t.Errorf("ignoring %q: finding %+v does not name %s", ignore, f, c.path)
			}
			s.Remove(c.path)
		}
	}
}

// What the digests must and must not depend on (06 §5).
func TestDigestConsequences(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	for name, as := range shapes {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t, as, 0)
			first := s.accepts()
			s.Write("app/main.txt", []byte("changed\n"), 0o644)
			s.recommit()
			product := s.accepts()
			if product.RuntimeSHA256 != first.RuntimeSHA256 || product.SetSHA256 == first.SetSHA256 {
				t.Errorf("a product-only commit: runtime %v, set %v", product.RuntimeSHA256 == first.RuntimeSHA256, product.SetSHA256 == first.SetSHA256)
			}
			s.Chmod(s.prefix+"scripts/rca-gate.mjs", fs.FileMode(0o755))
			s.recommit()
			executable := s.accepts()
			if changed := executable.RuntimeSHA256 != product.RuntimeSHA256; changed != (as == commissioned) {
				t.Errorf("an exec bit: runtime digest changed %v", changed)
			}
			s.put("scripts/rca-gate.mjs", "// other\n")
			s.recommit()
			if edited := s.accepts(); edited.RuntimeSHA256 == executable.RuntimeSHA256 {
				t.Error("another script, same runtime digest")
			}
			if v := first.Value(); !v.Get("schema").Is(pack.Schema) || v.Len() != 6 {
				t.Errorf("binding has members %v", v.Members())
			}
		})
	}
}
