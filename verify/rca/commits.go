package rca

import (
	"errors"
	"path"
	"strings"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
	"finishline/verify/source"
)

// A revision is what one of the two commit members names.
type revision struct {
	node canon.Node // the member
	hex  bool       // commit-hex
	// object is what the name denotes, whatever it is: committed files are
	// read from it (section 3.3).
	object git.Resolved
	found  bool
	commit string // the commit it is or leads to, "" for none
}

// A prefix is where the target lies in its work tree.
type prefix struct {
	text string // "" at the top, else ends in "/"
	ok   bool
	what verify.What // why it is not ok
	err  error       // of Git, nil when the prefix itself is refused
}

// commits evaluates section 3.1. Any failure of Git is a rejection.
func (a *analysis) commits() {
	a.prefix = a.readPrefix()
	a.pre = a.revision("rca.git.pre-missing", a.regression().At("preFixCommit"))
	a.post = a.revision("rca.git.post-missing", a.regression().At("postFixCommit"))
	a.head()
}

func (a *analysis) readPrefix() prefix {
	if a.in.Repo == nil {
		return prefix{err: a.in.GitError, what: gitFailure(a.in.GitError)}
	}
	text := strings.ReplaceAll(a.in.Repo.Place().RawPrefix, `\`, "/")
	if text == ".." || strings.HasPrefix(text, "../") || path.IsAbs(text) {
		return prefix{what: verify.What{Found: verify.Quote(text), Expected: "a directory of the work tree"}}
	}
	return prefix{text: text, ok: true}
}

// revision finds the object that a commit member names.
func (a *analysis) revision(rule string, n canon.Node) revision {
	rev := revision{node: n, hex: isCommitHex(n.Value)}
	if !rev.hex {
		return rev
	}
	err := a.in.GitError
	if a.in.Repo != nil {
		err = a.resolve(&rev)
	}
	switch {
	case err == nil && rev.commit == "":
		a.failWith(rule, n, verify.What{Found: verify.Show(n.Value) + ", a " + rev.object.Type, Expected: "a commit"})
	case errors.Is(err, git.ErrNotFound):
		a.failWith(rule, n, verify.What{Found: verify.Show(n.Value) + ", which is not in the repository", Expected: "a commit of the repository",
			Hint: "fetch the full history, or correct the commit"})
	case err != nil:
		a.failGit(rule, n, err)
	}
	return rev
}

func (a *analysis) resolve(rev *revision) error {
	object, err := a.in.Repo.Resolve(a.ctx, rev.node.Text())
	if err != nil {
		return err
	}
	rev.object, rev.found = object, true
	peeled, err := a.in.Repo.Peel(a.ctx, object.ID)
	rev.commit = peeled.Commit
	return err
}

// head demands that the fix is checked out: the member is exactly the id that
// HEAD has.
func (a *analysis) head() {
	if !a.post.hex {
		return
	}
	if a.in.Repo == nil {
		a.failGit("rca.git.head", a.post.node, a.in.GitError)
		return
	}
	head, err := a.in.Repo.Head(a.ctx)
	switch {
	case head.ID == "" && err != nil:
		a.failGit("rca.git.head", a.post.node, err)
	case !a.post.node.Is(head.ID):
		a.fail("rca.git.head", a.post.node, "HEAD, "+head.ID)
	}
}

// failGit records a rule that fails because Git could not answer, with the rule
// of contract 03 as its cause.
func (a *analysis) failGit(rule string, n canon.Node, err error) {
	a.out.Wrap(rule, a.at(n), gitFailure(err), a.gitCauses(err))
}

func gitFailure(err error) verify.What {
	return verify.What{Found: err.Error(), Expected: "an answer of Git"}
}

// gitCauses are the causes that make a rule "not evaluated". Data that is too
// large or malformed is the repository's fault, so there the rule decides.
func (a *analysis) gitCauses(err error) []verify.Finding {
	var gitErr *git.Error
	if !errors.As(err, &gitErr) || gitErr.Reason == git.TooLarge || gitErr.Reason == git.Malformed {
		return nil
	}
	return source.AsError(err).Causes(a.in.Level, "")
}
