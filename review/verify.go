package review

import (
	"context"
	"errors"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
	"finishline/verify/evidence"
)

// DefaultPath is the customary place of a review, relative to the target root.
const DefaultPath = "review/review.json"

// Input is everything a verification of a review depends on (contract 02).
type Input struct {
	// Root is the target root.
	Root *evidence.Root
	// ReviewPath is the review, relative to Root.
	ReviewPath string
	// TrustStorePath is a location of the trust store that the caller
	// supplies, relative to Root; "" for the canonical one. Any other place
	// than the canonical one is refused.
	TrustStorePath string
	// Pack says where the pack lies that holds the trust store.
	Pack PackRoot
	// Pin is the operator's pin.
	Pin Pin
	// Repo is the repository that contains Root, opened for Root's directory.
	// It is nil when there is none; GitErr then says why.
	Repo   *git.Repo
	GitErr error
	Level  verify.Level

	artifacts *artifacts
}

func (in Input) gitCause() error {
	if in.GitErr == nil {
		return errors.New("no repository was given")
	}
	return in.GitErr
}

// A Result is what came of a verification.
type Result struct {
	Findings *verify.Findings
	// Document is the review, nil when it could not be read; SHA256 is the
	// digest of its bytes.
	Document *canon.Document
	SHA256   string
	// Pin is what the operator pinned, "" when that is not usable.
	Pin string
	// Trust is the live trust store; its Store is nil when it was refused.
	Trust *Live
	// Keys are the keys under which a signature verified, with at most one
	// entry. Without an entry no signature of this review was verified,
	// whatever else was found.
	Keys []verify.KeyUse
	// PayloadSHA256 is the digest of the bytes the signature covers, "" when
	// the review has no attestation object.
	PayloadSHA256 string
	// Unsigned are the JSON pointers of members that no signature covers.
	Unsigned []string
	// Subject is the artifact the review is about, as it names it.
	Subject string
	// Artifacts are the files and committed files that were read, sorted.
	Artifacts []verify.Artifact
	// Notes say what was not evaluated and why, and what a pass does not mean.
	Notes []string
}

// Value is the review, absent when it could not be read.
func (r *Result) Value() canon.Value {
	if r.Document == nil {
		return canon.Value{}
	}
	return r.Document.Root
}

// Verdict folds the findings. A result without a verified signature is never a
// pass, even if no rule fired.
func (r *Result) Verdict() verify.Verdict {
	verdict := r.Findings.Verdict()
	if verdict == verify.Pass && len(r.Keys) == 0 {
		return verify.Incomplete
	}
	return verdict
}

// Checked is the entry of a report.
func (r *Result) Checked() verify.Checked {
	level := r.Findings.Level()
	return verify.Checked{Verifier: Table.Name, Rules: Table.Count(level) + TrustTable.Count(level), Artifacts: r.Artifacts}
}

// TrustUsed is what the verdict rests on, for a report.
func (r *Result) TrustUsed() *verify.Trust { return &verify.Trust{Pin: r.Pin, Keys: r.Keys} }

// NoteStandAlone says what a pass of a stand-alone review does not mean
// (contract 02 §9).
const NoteStandAlone = "an authorised, pinned key signed these statements about files that are present with these digests; " +
	"whether the evidence bundle and the validation runtime are the run's own is only checked with the run packet"

// Verify verifies a signed review stand-alone: all of contract 02. What it
// finds is in the result; the error is that of a context that ended, because a
// verification that was cut short has no result.
func Verify(ctx context.Context, in Input) (*Result, error) {
	in.artifacts = &artifacts{seen: map[string]string{}}
	out := Table.Collect(in.Level)
	r := &Result{Findings: out, Pin: in.Pin.String()}
	v := &verifier{in: in, out: out, path: in.ReviewPath, result: r}
	v.run(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.Artifacts = in.artifacts.list()
	return r, nil
}

// A verifier evaluates one review.
type verifier struct {
	in     Input
	out    *verify.Findings
	path   string // of the review, as findings name it
	review canon.Node
	result *Result

	checkedPaths map[string]bool // artifact paths that strict level has seen
}

func (v *verifier) run(ctx context.Context) {
	if !v.read() {
		return
	}
	v.members()
	subject := v.subject()
	v.roles()
	v.bindings(subject)
	s := stage{verifier: v}
	s.run(ctx)
	evidence.ScanDocument(v.out, v.path, v.review.Value, evidence.ScanSelfGrant|evidence.ScanSecrets)
	v.strictMembers()
	if v.result.Verdict() == verify.Pass {
		v.result.Notes = append(v.result.Notes, NoteStandAlone)
	}
}

// read loads the review and reports whether there is an object to look at.
func (v *verifier) read() bool {
	artifact, doc := v.load()
	if doc == nil {
		return false
	}
	v.result.Document, v.result.SHA256 = doc, artifact.SHA256
	v.review = doc.Node()
	if !v.review.IsObject() {
		v.add("review.not-object", v.review, "a JSON object")
		return false
	}
	v.result.Unsigned = Unsigned(v.review.Value)
	return true
}

func (v *verifier) load() (*evidence.Artifact, *canon.Document) {
	at := verify.At(v.path, "")
	v.in.Root.AddStrictPath(v.out, at, v.path)
	artifact, err := v.in.Root.Read(v.path, canon.MaxReview)
	if err != nil {
		v.unreadable(err)
		return nil, nil
	}
	v.in.artifacts.add(artifact.Path, artifact.SHA256)
	doc, err := artifact.JSON(canon.MaxReview)
	if !evidence.ReadFindings(v.out, v.path, doc, err) {
		return artifact, nil
	}
	return artifact, doc
}

// unreadable reports a review that could not be loaded, under the rule of its
// path or size: an absent review is path.missing.
func (v *verifier) unreadable(err error) {
	at := verify.At(v.path, "")
	var pathErr *evidence.PathError
	var fileErr *evidence.FileError
	switch {
	case errors.As(err, &pathErr):
		evidence.AddPath(v.out, at, pathErr)
	case errors.As(err, &fileErr) && fileErr.Kind == evidence.TooLarge:
		v.out.Add("json.size", at, verify.What{Found: fileErr.Reason})
	default:
		v.out.Add("review.not-object", at, verify.What{Found: err.Error(), Expected: "a regular file", Unevaluated: evidence.IsTrouble(err)})
	}
}

func (v *verifier) add(rule string, at canon.Node, expected string) {
	v.out.Add(rule, verify.At(v.path, at.Pointer), verify.What{Found: verify.Show(at.Value), Expected: expected})
}

// artifacts collects what was read.
type artifacts struct{ seen map[string]string }

func (a *artifacts) add(path, sha256 string) { a.seen[path] = sha256 }

func (a *artifacts) list() []verify.Artifact {
	list := make([]verify.Artifact, 0, len(a.seen))
	for path, sum := range a.seen {
		list = append(list, verify.Artifact{Path: path, SHA256: sum})
	}
	slices.SortFunc(list, func(x, y verify.Artifact) int { return strings.Compare(x.Path, y.Path) })
	return list
}
