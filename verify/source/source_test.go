package source_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/internal/gittest"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/source"
)

// sample is a clean repository with one commit.
func sample(t testing.TB) *gittest.Repo {
	t.Helper()
	r := gittest.New(t, gittest.Options{})
	r.Write("src/a.txt", []byte("one\ntwo\n"), 0o644)
	r.Write("src/b.txt", []byte(strings.Repeat("a line of some length\n", 40)), 0o644)
	r.Write("lib/c.txt", []byte("c\n"), 0o644)
	r.Git("add", "-A")
	r.Commit("first")
	return r
}

func open(t testing.TB, dir string) *git.Repo {
	t.Helper()
	repo, err := git.Open(context.Background(), program(t), dir)
	must(t, err)
	t.Cleanup(func() { repo.Close() })
	return repo
}

func application(t testing.TB, dir, commit string) (source.Target, *source.State, error) {
	t.Helper()
	target := source.Target{Repo: open(t, dir)}
	s, err := source.Application(context.Background(), target, commit)
	return target, s, err
}

// strict gives the ids of the strict rules that fire for the application state.
func strict(t testing.TB, dir, commit string) []string {
	t.Helper()
	target, s, err := application(t, dir, commit)
	must(t, err)
	out := source.Table.Collect(verify.Strict)
	source.CheckRepository(context.Background(), out, target, s)
	source.CheckStaleStat(context.Background(), out, target, s)
	base := source.Table.Collect(verify.Base)
	source.CheckRepository(context.Background(), base, target, s)
	source.CheckStaleStat(context.Background(), base, target, s)
	if len(base.List()) > 0 {
		t.Errorf("base level reports %+v", base.List())
	}
	return append(verify.RuleIDs(out.List(), verify.Error), verify.RuleIDs(out.List(), verify.Warning)...)
}

// TestStrictRules fires each rule of 03 E.3 alone.
func TestStrictRules(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	for rule, prepare := range map[string]func(r *gittest.Repo) (target string){
		"": func(r *gittest.Repo) string {
			r.Write("src/a.txt", []byte("edited\n"), 0o644)
			r.Write("proof/portable.json", nil, 0o644)
			r.Write(".git/info/exclude", []byte("# a comment\n\n  \n"), 0o644)
			return ""
		},
		source.RuleConcealedIndex: func(r *gittest.Repo) string {
			r.Git("update-index", "--skip-worktree", "src/a.txt")
			return ""
		},
		source.RuleStaleStat: func(r *gittest.Repo) string {
			at := time.Unix(1609459200, 0)
			must(t, os.Chtimes(r.Path("src/a.txt"), at, at))
			for { // the edit must fall into the same second as the refresh
				r.Git("update-index", "-q", "--refresh")
				now := time.Now()
				r.RewriteKeepTime("src/a.txt", []byte("one\nTWO\n"))
				if time.Now().Unix() == now.Unix() && r.Git("diff", "--stat") == "" {
					break
				}
				must(t, os.WriteFile(r.Path("src/a.txt"), []byte("one\ntwo\n"), 0o644))
				must(t, os.Chtimes(r.Path("src/a.txt"), at, at))
			}
			return ""
		},
		source.RuleExclusionNotFile: func(r *gittest.Repo) string {
			r.Symlink("src/review/review.json", "../a.txt")
			return "src"
		},
		source.RuleNestedRepository: func(r *gittest.Repo) string {
			r.Git("init", "-q", "src/inner")
			return "src"
		},
		source.RuleSubmodule: func(r *gittest.Repo) string {
			r.Git("update-index", "--add", "--cacheinfo", "160000,"+r.Head()+",mod")
			return ""
		},
		source.RuleToplevel: func(r *gittest.Repo) string {
			r.Git("config", "core.worktree", filepath.Dir(r.Dir))
			return "src"
		},
		source.RuleGrafts: func(r *gittest.Repo) string {
			r.Write(".git/info/grafts", nil, 0o644)
			return ""
		},
		source.RulePrefixBackslash: func(r *gittest.Repo) string {
			r.Mkdir(`b\s`)
			return `b\s`
		},
		source.RuleObjectIdentity: func(r *gittest.Repo) string {
			// Only a tree below the root is forged: it names other files for the same id.
			tree, err := r.TryGit("cat-file", "tree", "HEAD:lib")
			must(t, err)
			r.ForgeObjectAs("HEAD:src", "tree", []byte(tree))
			return ""
		},
		source.RuleLocalExclude: func(r *gittest.Repo) string {
			r.Write(".git/info/exclude", []byte("*.js\n"), 0o644)
			return ""
		},
	} {
		t.Run(rule, func(t *testing.T) {
			r := sample(t)
			commit := r.Head()
			target := prepare(r)
			var want []string
			if rule != "" {
				want = []string{rule}
			}
			if rule == source.RuleObjectIdentity {
				want = append(want, source.RuleStaleStat) // the index caches that the tree is unchanged
			}
			if got := strict(t, r.Path(target), commit); !slices.Equal(got, want) {
				t.Errorf("findings %v, want %v", got, want)
			}
		})
	}
	t.Run("below a directory that a sparse index names as a whole", func(t *testing.T) {
		r := sample(t)
		r.Write("deep/er/a.txt", []byte("a\n"), 0o644)
		r.Git("add", "-A")
		r.Commit("deeper")
		r.Git("sparse-checkout", "init", "--cone", "--sparse-index")
		r.Git("sparse-checkout", "set", "lib")
		must(t, os.RemoveAll(r.Path(".git/config.worktree"))) // so that Git goes by the index alone
		r.Write("deep/er/a.txt", []byte("edited\n"), 0o644)
		if got := strict(t, r.Path("deep/er"), r.Head()); !slices.Equal(slices.Compact(got), []string{source.RuleConcealedIndex}) {
			t.Errorf("rules %v", got)
		}
	})
	t.Run("a pattern that only looks like a comment", func(t *testing.T) {
		r := sample(t)
		r.Write(".git/info/exclude", []byte(" # notes\n"), 0o644)
		if got := strict(t, r.Dir, r.Head()); !slices.Equal(got, []string{source.RuleLocalExclude}) {
			t.Errorf("rules %v", got)
		}
	})
	t.Run("core.excludesFile", func(t *testing.T) {
		r := sample(t)
		r.Git("config", "core.excludesFile", "x")
		if got := strict(t, r.Dir, r.Head()); !slices.Equal(got, []string{source.RuleLocalExclude}) {
			t.Errorf("findings %v", got)
		}
	})
}

// Rules outside the target do not count.
func TestStrictRulesOutsideTarget(t *testing.T) {
	r := sample(t)
	r.Git("update-index", "--skip-worktree", "src/a.txt")
	r.Git("update-index", "--add", "--cacheinfo", "160000,"+r.Head()+",mod")
	r.Mkdir("proof/portable.json")
	tree, err := r.TryGit("cat-file", "tree", "HEAD:lib")
	must(t, err)
	r.ForgeObjectAs("HEAD:src", "tree", []byte(tree))
	if got := strict(t, r.Path("lib"), r.Head()); len(got) > 0 {
		t.Errorf("findings %v", got)
	}
}

func TestUntrackedErrors(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(r *gittest.Repo)
		rule    string
		path    string
	}{
		"not UTF-8":                         {func(r *gittest.Repo) { r.Write("\xff", nil, 0o644) }, source.RuleUntrackedName, "\xff"},
		"control character":                 {func(r *gittest.Repo) { r.Write("a\nb", nil, 0o644) }, source.RuleUntrackedName, "a\nb"},
		"trailing dot":                      {func(r *gittest.Repo) { r.Write("d./x", nil, 0o644) }, source.RuleUntrackedName, "d./x"},
		"link":                              {func(r *gittest.Repo) { r.Symlink("l", "src/a.txt") }, source.RuleUntrackedSymlink, "l"},
		"dangling link":                     {func(r *gittest.Repo) { r.Symlink("l", "nowhere") }, source.RuleUntrackedSymlink, "l"},
		"link to itself":                    {func(r *gittest.Repo) { r.Symlink("l", "l") }, source.RuleUntrackedSymlink, "l"},
		"link to outside":                   {func(r *gittest.Repo) { r.Symlink("l", "/etc/passwd") }, source.RuleUntrackedSymlink, "l"},
		"link to a folder":                  {func(r *gittest.Repo) { r.Symlink("l", "src") }, source.RuleUntrackedSymlink, "l"},
		"nested repository with a bad name": {func(r *gittest.Repo) { r.Git("init", "-q", "con") }, source.RuleUntrackedName, "con/"},
		"the first in order": {func(r *gittest.Repo) {
			r.Write("\ue000:", nil, 0o644)
			r.Symlink("\U0001F30A", "nowhere") // sorts before, by UTF-16 units
		}, source.RuleUntrackedSymlink, "\U0001F30A"},
	} {
		t.Run(name, func(t *testing.T) {
			r := sample(t)
			c.prepare(r)
			_, _, err := application(t, r.Dir, r.Head())
			var e *source.Error
			if !errors.As(err, &e) || e.Rule != c.rule || e.Path != c.path {
				t.Fatalf("error %+v, want %s at %q", err, c.rule, c.path)
			}
			if e.Unevaluated {
				t.Error("counts as not looked at")
			}
		})
	}
}

func TestUnreadableUntrackedFile(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	r := sample(t)
	r.Write("secret", nil, 0o000)
	_, _, err := application(t, r.Dir, r.Head())
	var e *source.Error
	if !errors.As(err, &e) || e.Rule != source.RuleUntrackedUnreadable || !e.Unevaluated {
		t.Errorf("error %+v", err)
	}
}

// A file that is evidence too is read once; a fresh look reads again.
func TestFilesAreReadOnce(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	r.Write("new.txt", []byte("first"), 0o644)
	files, err := evidence.Open(r.Dir)
	must(t, err)
	defer files.Close()
	repo := open(t, r.Dir)
	state := func(files *evidence.Root) *source.State {
		t.Helper()
		s, err := source.Application(ctx, source.Target{Repo: repo, Files: files}, r.Head())
		must(t, err)
		return s
	}
	first := state(files)
	r.Write("new.txt", []byte("later"), 0o644)
	if again := state(files); again.UntrackedSHA256 != first.UntrackedSHA256 {
		t.Error("the file was read a second time")
	}
	if fresh := state(files.Fresh()); fresh.UntrackedSHA256 == first.UntrackedSHA256 {
		t.Error("the fresh look saw the old file")
	}
	if own := state(nil); own.SHA256() != state(files.Fresh()).SHA256() {
		t.Error("with its own root the state differs")
	}
	if want := []source.Untracked{{Path: "new.txt", Type: source.TypeFile, SHA256: canon.SHA256([]byte("first"))}}; !slices.Equal(first.Untracked, want) {
		t.Errorf("untracked %+v", first.Untracked)
	}
}

func TestHeadMustBeExact(t *testing.T) {
	r := sample(t)
	head := r.Head()
	for _, commit := range []string{"", "HEAD", "main", head[:12], strings.ToUpper(head), head + "\n", strings.Repeat("0", 40)} {
		_, _, err := application(t, r.Dir, commit)
		if e := source.AsError(err); e.Rule != source.RuleHeadMismatch {
			t.Errorf("%q: %v", commit, err)
		}
	}
}

func TestControlCharacterInPrefix(t *testing.T) {
	r := sample(t)
	r.Write("a\tb/x.txt", nil, 0o644)
	_, _, err := application(t, r.Path("a\tb"), r.Head())
	if e := source.AsError(err); e.Rule != source.RulePrefix {
		t.Errorf("error %v", err)
	}
}

func TestCanceled(t *testing.T) {
	r := sample(t)
	repo := open(t, r.Dir)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := source.Application(ctx, source.Target{Repo: repo}, r.Head())
	if e := source.AsError(err); e.Rule != source.RuleGitUnavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// proofOf is the part of a portable proof that B.8 looks at.
func proofOf(s *source.State) string {
	return fmt.Sprintf(`{"run":{"commit":%q},"source":{"targetPath":%q,"applicationAfterSha256":%q,"gitTreeSha256":%q,"dirtyAfter":%v}}`,
		s.Commit, s.TargetPath, s.SHA256(), s.TreeSHA256(), s.Dirty)
}

func checkProof(t testing.TB, dir, proof string, level verify.Level) *verify.Findings {
	t.Helper()
	doc, err := canon.Read([]byte(proof), canon.MaxSubject)
	must(t, err)
	out := source.Table.Collect(level)
	source.CheckProof(context.Background(), out, source.Target{Repo: open(t, dir)}, "proof/portable.json", doc.Node())
	return out
}

// Every digest of the source block, replaced by a valid one of something else, fails with the rule of its binding.
func TestProofBindings(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	r := sample(t)
	r.Write("src/a.txt", []byte("edited\n"), 0o644)
	_, s, err := application(t, r.Path("src"), r.Head())
	must(t, err)
	good := proofOf(s)
	if out := checkProof(t, r.Path("src"), good, verify.Strict); out.Verdict() != verify.Pass {
		t.Fatalf("an honest proof: %+v", out.List())
	}
	_, other, err := application(t, r.Path("lib"), r.Head())
	must(t, err)
	for name, c := range map[string]struct {
		old, new string
		rule     string
		level    verify.Level
	}{
		"target":      {`"targetPath":"src"`, `"targetPath":"lib"`, source.RuleTargetMismatch, verify.Base},
		"no target":   {`"targetPath":"src"`, `"x":"src"`, source.RuleTargetMismatch, verify.Base},
		"application": {s.SHA256(), other.SHA256(), source.RuleApplicationMismatch, verify.Base},
		"upper case":  {s.SHA256(), strings.ToUpper(s.SHA256()), source.RuleApplicationMismatch, verify.Base},
		"array":       {`"` + s.SHA256() + `"`, `["` + s.SHA256() + `"]`, source.RuleApplicationMismatch, verify.Base},
		"tree":        {s.TreeSHA256(), canon.TextDigest(r.Git("rev-parse", "HEAD:src")), source.RuleTreeMismatch, verify.Strict},
		"clean claim": {`"dirtyAfter":true`, `"dirtyAfter":false`, source.RuleCleanClaim, verify.Strict},
		"commit":      {s.Commit, strings.Repeat("0", 40), source.RuleStateUnavailable, verify.Base},
		"no commit":   {`"commit"`, `"Commit"`, source.RuleStateUnavailable, verify.Base},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if bad == good {
			t.Fatalf("%s: nothing replaced", name)
		}
		for _, level := range []verify.Level{verify.Base, verify.Strict} {
			var want []string
			if c.level == verify.Base || level == verify.Strict {
				want = []string{c.rule}
			}
			out := checkProof(t, r.Path("src"), bad, level)
			if got := verify.RuleIDs(out.List(), verify.Error); !slices.Equal(got, want) {
				t.Errorf("%s, %v: %v, want %v", name, level, got, want)
			}
		}
	}
}

// A state that could not be looked at makes the verdict incomplete, one that is bad makes it fail.
func TestUnavailableVerdict(t *testing.T) {
	ctx := context.Background()
	r := sample(t)
	for want, dir := range map[verify.Verdict]string{
		verify.Incomplete: gittest.Plain(t).Dir,
		verify.Fail:       r.Path(".git"),
	} {
		_, err := git.Open(ctx, program(t), dir)
		if err == nil {
			t.Fatalf("%s opens", dir)
		}
		out := source.Table.Collect(verify.Strict)
		source.AddUnavailable(out, "proof/portable.json", err)
		if got := out.Verdict(); got != want || len(out.List()) != 1 || len(out.List()[0].Causes) != 1 {
			t.Errorf("%s: verdict %v, want %v: %+v", dir, got, want, out.List())
		}
	}
	if out := checkProof(t, r.Dir, `{"run":{"commit":"x"}}`, verify.Strict); out.Verdict() != verify.Fail {
		t.Errorf("verdict %v", out.Verdict())
	}
}

func TestDubiousOwnershipHint(t *testing.T) {
	e := source.AsError(&git.Error{Kind: git.Unavailable, Reason: git.DubiousOwnership, Path: "/there"})
	if e.Rule != source.RuleGitUnavailable || e.Path != "/there" || !strings.Contains(e.Hint, "trusted") {
		t.Errorf("%+v", e)
	}
}

func TestHints(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(r *gittest.Repo)
		want    string // part of the hint; "" for none
	}{
		"clean":      {func(*gittest.Repo) {}, ""},
		"untracked":  {func(r *gittest.Repo) { r.Write("x", []byte("\r\n"), 0o644) }, ""},
		"plain edit": {func(r *gittest.Repo) { r.Write("src/a.txt", []byte("x\n"), 0o644) }, ""},
		"CRLF":       {func(r *gittest.Repo) { r.Write("src/a.txt", []byte("one\r\ntwo\r\n"), 0o644) }, ".gitattributes"},
		"autocrlf":   {func(r *gittest.Repo) { r.Git("config", "core.autocrlf", "true"); r.Git("rm", "-q", "lib/c.txt") }, ".gitattributes"},
		"file mode":  {func(r *gittest.Repo) { r.Git("config", "core.fileMode", "false"); r.Chmod("lib/c.txt", 0o755) }, "core.fileMode"},
		"rename":     {func(r *gittest.Repo) { r.Git("mv", "src/b.txt", "src/d.txt") }, "renames"},
		"binary":     {func(r *gittest.Repo) { r.Write("lib/c.txt", []byte("\x00\x01"), 0o644) }, "binary"},
		"submodule": {func(r *gittest.Repo) {
			r.Mkdir("mod")
			r.Git("update-index", "--add", "--cacheinfo", "160000,"+r.Head()+",mod")
		}, "submodules"},
	} {
		t.Run(name, func(t *testing.T) {
			r := sample(t)
			c.prepare(r)
			target, s, err := application(t, r.Dir, r.Head())
			must(t, err)
			if got := s.Signs.Hint(target.Repo); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("hint %q, want one with %q", got, c.want)
			}
		})
	}
}

// FuzzCompare: whatever a proof says, only one that says exactly what the state is agrees with it.
func FuzzCompare(f *testing.F) {
	s := &source.State{Commit: strings.Repeat("1", 40), TargetPath: "src", Tree: strings.Repeat("2", 40),
		StatusSHA256: canon.SHA256(nil), DiffSHA256: canon.SHA256(nil), UntrackedSHA256: canon.SHA256([]byte("[]"))}
	dirty := *s
	dirty.Dirty = true
	f.Add([]byte(proofOf(s)))
	f.Add([]byte(proofOf(&dirty)))
	f.Add([]byte(`{"source":{"targetPath":["src"],"dirtyAfter":"false"}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, proof []byte) {
		doc, err := canon.Read(proof, canon.MaxSubject)
		if err != nil {
			return
		}
		for _, state := range []*source.State{s, &dirty} {
			differences := source.Compare(doc.Node(), nil, state)
			claim := doc.Root.Get("source")
			text := func(name string) string { s, _ := claim.Get(name).Str(); return s }
			clean, isBool := claim.Get("dirtyAfter").Bool()
			same := text("targetPath") == state.TargetPath && text("applicationAfterSha256") == state.SHA256() &&
				text("gitTreeSha256") == state.TreeSHA256() && !(isBool && !clean && state.Dirty)
			if same != (len(differences) == 0) {
				t.Fatalf("same %v, differences %+v", same, differences)
			}
		}
	})
}

func BenchmarkApplication(b *testing.B) {
	r := gittest.New(b, gittest.Options{})
	for i := range 500 {
		r.Write(fmt.Sprintf("d%d/f%d.txt", i%20, i), []byte(strings.Repeat(fmt.Sprintln(i), 200)), 0o644)
	}
	r.Git("add", "-A")
	r.Commit("first")
	for i := range 20 {
		r.Write(fmt.Sprintf("run/%d.json", i), []byte("{}"), 0o644)
	}
	ctx, head, prog := context.Background(), r.Head(), program(b)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			repo, err := git.Open(ctx, prog, r.Dir)
			must(b, err)
			repo.Close()
		}
	})
	repo := open(b, r.Dir)
	b.Run("state", func(b *testing.B) {
		for b.Loop() {
			_, err := source.Application(ctx, source.Target{Repo: repo}, head)
			must(b, err)
		}
	})
	b.Run("plain status", func(b *testing.B) {
		for b.Loop() {
			r.Git("status", "--porcelain")
		}
	})
}
