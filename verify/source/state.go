package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"
	"sync"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify/evidence"
)

// PostProof are the files that are written after a portable proof and therefore not part of the application state,
// relative to the target (03 C.1).
var PostProof = [...]string{"proof/portable.json", "rca/rca.json", "review/review.json", "run/packet.json"}

// Kind says which of the two states of 03 C a State is.
type Kind int

const (
	ApplicationState Kind = iota // without the PostProof files
	TrackedState                 // the whole target; also bound to the producing program
)

// pathspec is P of 03 C.1.
func (k Kind) pathspec() git.Pathspec {
	if k == TrackedState {
		return git.Below()
	}
	return git.BelowExcept(PostProof[:]...)
}

// Target is what a source state is computed from. It is not changed.
type Target struct {
	Repo *git.Repo
	// Files is the target directory. Untracked files are digested through it, so that one which is also evidence is read
	// once; give a fresh root for a fresh look. When nil, one is opened for each call.
	Files *evidence.Root
	// Index is a look at the work tree that is shared with other verifiers of the same moment and stays open. When nil, one
	// is taken for each call.
	Index *git.Index
}

// State is a state object of 03 C.3 and what is known besides.
type State struct {
	Kind            Kind
	Commit          string // gitHead: HEAD, equal to the expected commit
	TargetPath      string // "." or the target's path inside the repository
	Tree            string // id of HEAD's root tree
	Dirty           bool   // Git's status is not empty
	StatusSHA256    string
	DiffSHA256      string
	Untracked       []Untracked // in the order in which they are bound
	UntrackedSHA256 string
	ValidatorSHA256 string // TrackedState: digest of the producing program's file
	Signs           Signs

	excluded excludedScanner
}

// Object is the state object with exactly the members of 03 C.3.
func (s *State) Object() canon.Value {
	members := []canon.Member{
		{Name: "gitHead", Value: canon.NewString(s.Commit)},
		{Name: "targetPath", Value: canon.NewString(s.TargetPath)},
		{Name: "dirty", Value: canon.NewBool(s.Dirty)},
		{Name: "statusSha256", Value: canon.NewString(s.StatusSHA256)},
		{Name: "diffSha256", Value: canon.NewString(s.DiffSHA256)},
		{Name: "untrackedCount", Value: canon.NewNumber(float64(len(s.Untracked)))},
		{Name: "untrackedSha256", Value: canon.NewString(s.UntrackedSHA256)},
	}
	if s.Kind == TrackedState {
		members = append(members,
			canon.Member{Name: "gitTreeSha256", Value: canon.NewString(s.TreeSHA256())},
			canon.Member{Name: "validatorSha256", Value: canon.NewString(s.ValidatorSHA256)})
	}
	return canon.Build(members...)
}

// SHA256 is worktreeSha256, the digest of Object: what a proof holds as before/afterSha256 (TrackedState) or
// applicationBefore/AfterSha256.
func (s *State) SHA256() string { return canon.Digest(s.Object()) }

// TreeSHA256 is gitTreeSha256: the digest of the text of the tree id.
func (s *State) TreeSHA256() string { return canon.TextDigest(s.Tree) }

// Application computes the application state of the target at the expected commit. The error is an [*Error].
func Application(ctx context.Context, t Target, commit string) (*State, error) {
	return compute(ctx, t, ApplicationState, commit, "")
}

// Tracked computes the state of the whole target at the expected commit; validatorSHA256 is the digest of the producing
// program's file. The error is an [*Error].
func Tracked(ctx context.Context, t Target, commit, validatorSHA256 string) (*State, error) {
	return compute(ctx, t, TrackedState, commit, validatorSHA256)
}

// compute follows the order of 03 C.1; step 1 is git.Open.
func compute(ctx context.Context, t Target, kind Kind, commit, validator string) (*State, error) {
	t, done, err := t.withFiles()
	if err != nil {
		return nil, err
	}
	defer done()
	ix, closeIndex, err := t.index(ctx)
	if err != nil {
		return nil, AsError(err)
	}
	defer closeIndex()
	if err := checkFilters(ctx, ix, kind); err != nil {
		return nil, err
	}
	s := &State{Kind: kind, ValidatorSHA256: validator}
	if err := s.setHead(ctx, t.Repo, commit); err != nil {
		return nil, err
	}
	if err := s.setTargetPath(t.Repo.Prefix()); err != nil {
		return nil, err
	}
	if err := s.setContent(ctx, t, ix); err != nil {
		return nil, err
	}
	return s, nil
}

// withFiles opens the target directory where the caller has not.
func (t Target) withFiles() (Target, func(), error) {
	if t.Files != nil {
		return t, func() {}, nil
	}
	files, err := evidence.Open(t.Repo.Dir())
	if err != nil {
		return t, nil, &Error{Rule: RuleUntrackedUnreadable, Reason: "the target directory cannot be opened", Unevaluated: true, Err: err}
	}
	t.Files = files
	return t, func() { files.Close() }, nil
}

// index reads the index where the caller has not.
func (t Target) index(ctx context.Context) (*git.Index, func(), error) {
	if t.Index != nil {
		return t.Index, func() {}, nil
	}
	ix, err := t.Repo.Index(ctx)
	if err != nil {
		return nil, nil, err
	}
	return ix, func() { ix.Close() }, nil
}

func checkFilters(ctx context.Context, ix *git.Index, kind Kind) error {
	paths, err := ix.ContentFiltered(ctx, kind.pathspec())
	if err != nil {
		return AsError(err)
	}
	if len(paths) > 0 {
		return &Error{Rule: RuleContentFilter, Path: paths[0], Reason: fmt.Sprintf("%d files in scope use a configured filter driver", len(paths))}
	}
	return nil
}

func (s *State) setHead(ctx context.Context, repo *git.Repo, commit string) error {
	head, err := repo.Head(ctx)
	if head.ID != "" && head.ID != commit {
		return &Error{Rule: RuleHeadMismatch, Reason: "HEAD is " + head.ID, Expected: commit}
	}
	if err != nil {
		return AsError(err)
	}
	s.Commit, s.Tree = head.ID, head.Tree
	return nil
}

// setTargetPath is step 4 of 03 C.1.
func (s *State) setTargetPath(prefix string) error {
	if prefix == "" {
		prefix = "."
	}
	if prefix == ".." || strings.HasPrefix(prefix, "../") || path.IsAbs(prefix) || strings.ContainsFunc(prefix, func(c rune) bool { return c < 0x20 }) {
		return &Error{Rule: RulePrefix, Path: prefix, Reason: "the target's path inside the repository"}
	}
	s.TargetPath = prefix
	return nil
}

// setContent takes status, diff and untracked files, the latter side by side with the others; when several fail, the first in
// the order of 03 C.1 is reported.
func (s *State) setContent(ctx context.Context, t Target, ix *git.Index) error {
	var work sync.WaitGroup
	var contentErr, untrackedErr error
	work.Go(func() { contentErr = s.setStatusAndDiff(ctx, ix) })
	work.Go(func() {
		var names []string
		if names, untrackedErr = ix.Untracked(ctx, s.Kind.pathspec()); untrackedErr == nil {
			s.Untracked, untrackedErr = bindUntracked(ctx, t.Files, names)
		}
	})
	work.Wait()
	for _, err := range []error{contentErr, untrackedErr} {
		if err != nil {
			return AsError(err)
		}
	}
	s.Dirty = s.StatusSHA256 != canon.SHA256(nil)
	s.UntrackedSHA256 = digestUntracked(s.Untracked)
	return nil
}

// setStatusAndDiff runs diff only where status reports a tracked path. Status compares HEAD with the index and the index with
// the files, so without such a report diff, which compares HEAD with the files, prints nothing; TestDiffFollowsStatus holds
// that against every vector.
func (s *State) setStatusAndDiff(ctx context.Context, ix *git.Index) error {
	status, diff := sha256.New(), sha256.New()
	if err := ix.Status(ctx, s.Kind.pathspec(), io.MultiWriter(status, &s.Signs.Status, &s.excluded)); err != nil {
		return err
	}
	if s.Signs.Status.Tracked > 0 {
		if err := ix.Diff(ctx, "HEAD", s.Kind.pathspec(), io.MultiWriter(diff, &s.Signs.Diff)); err != nil {
			return err
		}
	}
	s.StatusSHA256, s.DiffSHA256 = hexSum(status), hexSum(diff)
	return nil
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// Error says why a state cannot be computed. Rule is one of the ids of 03 C.2 and C.3.
type Error struct {
	Rule     string
	Path     string // of the file or directory in question, "" when there is none; untrusted
	Reason   string
	Expected string
	Hint     string // "" for the rule's own advice
	// Unevaluated marks an error of the operating system: not looked at, rather than bad.
	Unevaluated bool
	Err         error
}

// Error gives reason and path on one line.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Rule + ": " + e.Reason
	}
	return fmt.Sprintf("%s: %q: %s", e.Rule, e.Path, e.Reason)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// AsError turns a failure of internal/git (of Open, say) into the rule that contract 03 C.3 names for it. An *Error stays
// what it is; anything else counts as Git being unavailable.
func AsError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	e := &Error{Rule: RuleGitUnavailable, Reason: err.Error(), Err: err}
	var failed *git.Error
	if !errors.As(err, &failed) {
		return e
	}
	switch {
	case failed.Kind == git.NotWorktree:
		e.Rule, e.Reason = RuleNotWorktree, "the target is not inside a work tree"
	case failed.Reason == git.DubiousOwnership:
		e.Hint = "run as the owner of the repository, or name this path as trusted"
		e.Path = failed.Path
	}
	return e
}
