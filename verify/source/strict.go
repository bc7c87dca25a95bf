package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"finishline/internal/git"
	"finishline/verify"
	"finishline/verify/evidence"
)

// CheckRepository evaluates the strict rules of 03 E.3, except the optional one of [CheckStaleStat], for the target of a
// state that was just computed; at base level it does nothing. Findings go to out, whose table must use [Table].
func CheckRepository(ctx context.Context, out *verify.Findings, t Target, s *State) {
	checkRepository(ctx, out, t, s, func() (bool, error) { return t.Repo.HasReplacements(ctx) })
}

// CheckedApplication is [Application] and then [CheckRepository] when there is a state, with what the latter asks Git asked
// beside the former.
func CheckedApplication(ctx context.Context, out *verify.Findings, t Target, commit string) (*State, error) {
	var replaced bool
	var replacedErr error
	var asking sync.WaitGroup
	if out.Strict() {
		asking.Go(func() { replaced, replacedErr = t.Repo.HasReplacements(ctx) })
	}
	s, err := Application(ctx, t, commit)
	asking.Wait()
	if err == nil {
		checkRepository(ctx, out, t, s, func() (bool, error) { return replaced, replacedErr })
	}
	return s, err
}

func checkRepository(ctx context.Context, out *verify.Findings, t Target, s *State, replaced func() (bool, error)) {
	if !out.Strict() {
		return
	}
	c := check{ctx: ctx, out: out, repo: t.Repo, state: s, replaced: replaced}
	t, done, err := t.withFiles()
	if err != nil {
		c.failed(err)
		return
	}
	defer done()
	c.place()
	c.exclusions(t.Files)
	for _, e := range s.Untracked {
		if e.Type == TypeOther {
			c.add(RuleNestedRepository, verify.Quote(e.Path), "files")
		}
	}
	c.references()
	c.localExclude()
	c.index(t)
	c.objects()
}

// check is one evaluation of the strict rules.
type check struct {
	ctx   context.Context
	out   *verify.Findings
	repo  *git.Repo
	state *State

	replaced func() (bool, error) // whether refs/replace holds a reference
}

func (c check) add(rule, found, expected string) {
	c.out.Add(rule, verify.At("", ""), verify.What{Found: found, Expected: expected})
}

// failed reports that a rule could not be evaluated.
func (c check) failed(err error) { AsError(err).Add(c.out, "") }

func (c check) place() {
	if raw := c.repo.Place().RawPrefix; bytes.ContainsRune([]byte(raw), '\\') {
		c.add(RulePrefixBackslash, verify.Quote(raw), "a path without backslash")
	}
	if c.repo.RedirectedTop() {
		c.add(RuleToplevel, "core.worktree leads to "+verify.Quote(c.repo.Top()), "a work tree with its own .git entry")
	}
}

// exclusions looks at the four paths that the application state leaves out.
func (c check) exclusions(files *evidence.Root) {
	for _, path := range PostProof {
		info, err := files.FS().Lstat(path)
		switch {
		case err != nil && evidence.IsAbsent(err):
		case err != nil:
			c.out.Add(RuleExclusionNotFile, verify.At(path, ""), verify.What{Found: "a path that cannot be looked at", Expected: "a regular file or nothing", Unevaluated: true})
		case !info.Mode().IsRegular():
			c.out.Add(RuleExclusionNotFile, verify.At(path, ""), verify.What{Found: "mode " + info.Mode().String(), Expected: "a regular file or nothing"})
		}
	}
}

func (c check) references() {
	if c.repo.HasGrafts() {
		c.add(RuleGrafts, "info/grafts exists", "no such file")
	}
	replaced, err := c.replaced()
	switch {
	case err != nil:
		c.failed(err)
	case replaced:
		c.add(RuleGrafts, "refs/replace is not empty", "no replacement references")
	}
}

func (c check) localExclude() {
	if value, ok := c.repo.Config("core.excludesfile"); ok {
		c.add(RuleLocalExclude, "core.excludesFile = "+verify.Quote(value), "committed ignore rules only")
	}
	data, err := c.repo.InfoExclude()
	if err != nil {
		c.failed(err)
		return
	}
	for line := range bytes.Lines(data) {
		// To Git, only # in the first place begins a comment.
		if rule := bytes.TrimSpace(line); len(rule) > 0 && line[0] != '#' {
			c.add(RuleLocalExclude, "info/exclude has "+verify.Quote(string(rule)), "committed ignore rules only")
			return
		}
	}
}

// index looks at what the index can hide.
func (c check) index(t Target) {
	ix, closeIndex, err := t.index(c.ctx)
	if err != nil {
		c.failed(err)
		return
	}
	defer closeIndex()
	for _, e := range ix.Entries(git.Below()) {
		if e.Concealed() {
			c.add(RuleConcealedIndex, verify.Quote(e.Path), "no assume-unchanged or skip-worktree mark")
		}
		if e.Mode == git.ModeGitlink {
			c.add(RuleSubmodule, verify.Quote(e.Path), "files")
		}
	}
}

// CheckStaleStat evaluates strict.source.stale-stat, which contract 03 E.3 leaves optional because it runs status and diff
// once more, on the index as the repository has it. The state itself never depends on it: it was computed by comparing
// content. At base level, and for a tree without tracked changes (a cache can only hide), it does nothing.
func CheckStaleStat(ctx context.Context, out *verify.Findings, t Target, s *State) {
	if !out.Strict() || s.Signs.Status.Tracked == 0 {
		return
	}
	c := check{ctx: ctx, out: out, repo: t.Repo, state: s}
	ix, err := c.repo.Index(ctx)
	if err != nil {
		c.failed(err)
		return
	}
	defer ix.Close()
	found, err := ix.AsFound()
	if err != nil {
		c.failed(err)
		return
	}
	defer found.Close()
	status, diff := sha256.New(), sha256.New()
	if err := found.Status(c.ctx, c.state.Kind.pathspec(), status); err != nil {
		c.failed(err)
		return
	}
	if err := found.Diff(c.ctx, "HEAD", c.state.Kind.pathspec(), diff); err != nil {
		c.failed(err)
		return
	}
	if hexSum(status) != c.state.StatusSHA256 {
		c.add(RuleStaleStat, "git status with the repository's index differs", "the same output as with a comparison of content")
	} else if hexSum(diff) != c.state.DiffSHA256 {
		c.add(RuleStaleStat, "git diff with the repository's index differs", "the same output as with a comparison of content")
	}
}

// objects re-hashes HEAD's commit and the trees that Git compared the index with, and reports every object read so far that
// was not what its id says.
func (c check) objects() {
	if err := c.repo.ReadTrees(c.ctx, c.state.Commit, c.repo.Place().RawPrefix); err != nil {
		c.failed(fmt.Errorf("read the trees of HEAD: %w", err))
	}
	for _, id := range c.repo.Forged() {
		c.add(RuleObjectIdentity, "object "+id, "content that hashes to this id")
	}
}
