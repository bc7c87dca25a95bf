package pack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/source"
)

// Input says what to bind.
type Input struct {
	// Target is T, the directory whose evidence is verified.
	Target *evidence.Root
	// Pack is R, from [Select].
	Pack Pack
	// Repo is the repository of the target. When it could not be opened, it
	// is nil and RepoErr says why. A second look should come with a Repo that
	// was opened anew, because its configuration is read when it is opened.
	Repo    *git.Repo
	RepoErr error
	// Index is a look at the work tree that is shared with other verifiers of
	// the same moment and stays open. When nil, Bind takes one of its own.
	Index *git.Index
	// Commit is the expected commit C, "" when there is none.
	Commit string
	Pin    review.Pin
	Level  verify.Level
}

// Bind computes the binding of the pack at HEAD (06 §3 to §7). The binding is
// nil when a rule of 06 §3 failed; the findings then hold exactly that one base
// rule. Findings of strict rules may stand beside a binding, which a caller
// that asked for strict level must not use then.
func Bind(ctx context.Context, in Input) (*Binding, *verify.Findings) {
	ctx, cancel := context.WithCancel(ctx)
	b := &binder{in: in, out: Table.Collect(in.Level)}
	defer b.close()
	defer cancel()
	for _, step := range []func(context.Context) proceed{
		b.begin, b.locate, b.expectCommit, b.listCommit, b.look,
		b.inventories, b.trust, b.registry, b.adapter, b.discovery,
		b.indexed, b.clean, b.unmoved,
	} {
		if step(ctx) == stop {
			return nil, b.out
		}
	}
	return b.binding(), b.out
}

// proceed says whether a step found nothing against the pack.
type proceed bool

const (
	stop proceed = false
	next proceed = true
)

// binder is one computation of a binding.
type binder struct {
	in  Input
	out *verify.Findings

	target, pack git.Place
	commissioned bool
	packRel      string // of the pack root below the target: "" or .valdris-harness

	head      git.Head
	index     *git.Index
	committed *committed
	seen      *sight
}

// close waits for what still looks and drops the private index.
func (b *binder) close() {
	if b.seen != nil {
		b.seen.wait()
	}
	if b.index != nil && b.index != b.in.Index {
		b.index.Close()
	}
}

// fail records the rule that ends the binding.
func (b *binder) fail(rule string, at verify.Place, what verify.What) proceed {
	b.out.Add(rule, at, what)
	return stop
}

// at is the place of a file of the pack, relative to the target as every
// artifact is.
func (b *binder) at(rel string) verify.Place {
	if rel == "" {
		return verify.At(b.packRel, "")
	}
	return verify.At(text(join(b.packRel, rel)), "")
}

// unavailable records that Git did not answer (rule 1).
func (b *binder) unavailable(err error) proceed {
	reportUnavailable(b.out, err)
	return stop
}

func reportUnavailable(out *verify.Findings, err error) {
	out.Wrap(ruleGitUnavailable, verify.Place{},
		verify.What{Found: err.Error(), Expected: "an answer from Git"}, source.AsError(err).Causes(out.Level(), ""))
}

// begin starts to look at the live state, which takes longest, while the
// commit is read (rule 1).
func (b *binder) begin(ctx context.Context) proceed {
	if b.in.Repo == nil {
		return b.unavailable(b.in.repoError())
	}
	if b.in.Repo.Dir() != b.in.Target.Dir() {
		return b.unavailable(errors.New("the repository was opened for another directory than the target"))
	}
	if b.index = b.in.Index; b.index == nil {
		var err error
		if b.index, err = b.in.Repo.Index(ctx); err != nil {
			return b.unavailable(err)
		}
	}
	b.target = b.in.Repo.Place()
	b.seen = b.lookLive(ctx, b.in.Pack.Dir != b.in.Target.Dir())
	return next
}

func (in Input) repoError() error {
	if in.RepoErr != nil {
		return in.RepoErr
	}
	return errors.New("there is no repository to look at")
}

// locate finds out where target and pack root lie in the work tree (rules 1 to
// 4).
func (b *binder) locate(ctx context.Context) proceed {
	b.pack = b.target
	if b.in.Pack.Dir != b.in.Target.Dir() {
		var err error
		if b.pack, err = b.in.Repo.Locate(ctx, b.in.Pack.Dir); err != nil {
			return b.unavailable(err)
		}
	}
	target, pack := b.target.Prefix(), b.pack.Prefix()
	if b.pack.Top != b.target.Top {
		return b.fail(ruleWorktreeMismatch, verify.Place{}, verify.What{
			Found: "pack root in " + verify.Quote(b.pack.Top), Expected: "the target's work tree " + verify.Quote(b.target.Top)})
	}
	if b.prefixes(pack, target) == stop {
		return stop
	}
	b.commissioned = pack == commissionedDir || strings.HasSuffix(pack, "/"+commissionedDir) || pack != target
	if !b.commissioned {
		return next
	}
	if want := join(target, commissionedDir); pack != want {
		return b.fail(ruleNotTargetNested, verify.Place{}, verify.What{
			Found: "pack root " + verify.Quote(dotted(pack)), Expected: verify.Quote(want)})
	}
	b.packRel = commissionedDir
	return next
}

// prefixes refuses places outside the work tree (rule 3).
func (b *binder) prefixes(list ...string) proceed {
	for _, prefix := range list {
		if prefix == ".." || strings.HasPrefix(prefix, "../") || strings.HasPrefix(prefix, "/") || filepath.IsAbs(prefix) {
			return b.fail(rulePrefixInvalid, verify.Place{}, verify.What{Found: verify.Quote(prefix), Expected: "a place inside the work tree"})
		}
	}
	return next
}

// expectCommit compares the expected commit with HEAD (rule 5).
func (b *binder) expectCommit(ctx context.Context) proceed {
	var err error
	if b.head, err = b.in.Repo.Head(ctx); err != nil {
		return b.unavailable(err)
	}
	if !isObjectName(b.in.Commit) || b.in.Commit != b.head.ID {
		return b.fail(ruleCommitMismatch, verify.Place{}, verify.What{
			Found: "expected commit " + verify.Quote(b.in.Commit), Expected: "HEAD, exactly " + verify.Quote(b.head.ID)})
	}
	return next
}

// isObjectName is the pattern ^[a-f0-9]{40,64}$, of either case.
func isObjectName(s string) bool {
	return len(s) >= 40 && len(s) <= 64 && strings.Trim(canon.LowerASCII(s), "0123456789abcdef") == ""
}

// listCommit lists the committed pack (rules 1 and 6).
func (b *binder) listCommit(ctx context.Context) proceed {
	var err error
	l := listing{tree: b.head.Tree, pack: gitPath(b.pack), target: gitPath(b.target), commissioned: b.commissioned}
	if b.committed, err = list(ctx, b.in.Repo, l); err != nil {
		return b.unavailable(err)
	}
	if b.unfiltered(ctx) == stop {
		return stop
	}
	reportNotUTF8(b.out, b.committed, gitPath(b.target))
	if b.commissioned {
		return b.regular(b.committed.entries, rulePackNotRegular)
	}
	return next
}

// gitPath is a place as Git's listings name it.
func gitPath(p git.Place) string { return strings.TrimSuffix(p.RawPrefix, "/") }

// unfiltered refuses bound paths whose content Git would compare through a
// configured program, were it not neutralised (06 §2).
func (b *binder) unfiltered(ctx context.Context) proceed {
	filtered, err := b.index.ContentFiltered(ctx, b.scope(b.commissioned))
	if err != nil {
		return b.unavailable(err)
	}
	bound := b.boundPaths()
	var hit []string
	for _, p := range filtered {
		if bound[p] {
			hit = append(hit, p)
		}
	}
	if len(hit) == 0 {
		return next
	}
	found := "a configured content filter applies to " + some(hit)
	const expected = "files that Git compares as they are"
	cause := source.Error{Rule: source.RuleContentFilter, Path: hit[0], Reason: found, Expected: expected}
	b.out.Wrap(ruleGitUnavailable, b.atGit(hit[0]), verify.What{Found: found, Expected: expected}, cause.Causes(b.in.Level, ""))
	return stop
}

// scope is a pathspec that covers all bound paths and is known before the
// commit is; what else it covers is left out of Git's answers.
func (b *binder) scope(commissioned bool) git.Pathspec {
	target := gitPath(b.target)
	if commissioned {
		return git.Literal(join(target, commissionedDir), join(target, loaderAgents), join(target, loaderClaude))
	}
	return git.Literal(join(target, scriptsDir), join(target, catalogsDir), join(target, registryPath))
}

func (b *binder) boundPaths() map[string]bool {
	set := map[string]bool{}
	for _, e := range b.committed.bound() {
		set[e.Path] = true
	}
	return set
}

// regular refuses entries that are no plain files (rules 6 and 9).
func (b *binder) regular(entries []*entry, rule string) proceed {
	var odd []string
	for _, e := range entries {
		if !isFileMode(e.Mode) {
			odd = append(odd, e.Path)
		}
	}
	if len(odd) == 0 {
		return next
	}
	first := odd[0]
	mode := ""
	for _, e := range entries {
		if e.Path == first {
			mode = e.Mode
		}
	}
	return b.fail(rule, b.atGit(first), verify.What{Found: fmt.Sprintf("mode %s, %s", mode, some(odd)), Expected: "mode 100644 or 100755"})
}

// atGit is the place of a path that Git names.
func (b *binder) atGit(path string) verify.Place { return artifactAt(gitPath(b.target), path) }

// artifactAt is the place of a path that Git names, relative to the target as
// every artifact is.
func artifactAt(target, path string) verify.Place {
	if target != "" {
		path = strings.TrimPrefix(path, target+"/")
	}
	return verify.At(text(path), "")
}

// unmoved looks at HEAD once more (rule 30).
func (b *binder) unmoved(ctx context.Context) proceed {
	now, err := b.in.Repo.Head(ctx)
	if err != nil {
		return b.unavailable(err)
	}
	b.strictObjects()
	if now.ID != b.head.ID || now.Tree != b.head.Tree {
		return b.fail(ruleCommitMoved, verify.Place{}, verify.What{
			Found: "HEAD " + verify.Quote(now.ID), Expected: verify.Quote(b.head.ID) + " as at the start"})
	}
	return next
}

// binding is the result once no rule failed.
func (b *binder) binding() *Binding {
	r := &Binding{
		Commit: b.head.ID, Tree: b.head.Tree,
		TargetPath: text(dotted(b.target.Prefix())), RuntimePath: text(dotted(b.pack.Prefix())),
		Files: b.committed.files(), ReviewTrustSHA256: b.in.Pin.String(),
	}
	r.seal(b.committed.identity(b.commissioned))
	return r
}

// root is the open target directory.
func (b *binder) root() *os.Root { return b.in.Target.FS() }
