package rca

import (
	"context"
	"errors"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Schema names the document.
const Schema = "valdris.rca.v1"

// DefaultPath is where a run keeps its analysis.
const DefaultPath = "rca/rca.json"

// Input is what an analysis is verified against.
type Input struct {
	// Root is the target directory.
	Root *evidence.Root
	// Path of the document below it; "" is DefaultPath.
	Path string
	// Repo is the repository whose work tree holds the target, nil when there
	// is none that can be used. GitError then says why: the failure of
	// [git.Open].
	Repo     *git.Repo
	GitError error

	Level verify.Level
}

// An Outcome is what [Verify] found.
type Outcome struct {
	Findings *verify.Findings
	// Document is the analysis as it was read, absent when it could not be.
	// Nothing in it has been verified unless the findings pass.
	Document canon.Value
	// SHA256 is the digest of the document's bytes, "" when it was not read.
	SHA256 string
}

// Verdict folds the findings.
func (o *Outcome) Verdict() verify.Verdict { return o.Findings.Verdict() }

// Verify verifies the analysis below a target directory (contract 04). The
// findings carry ids of [Table]. The error is that of a context which ended, or
// says that there is no target directory; there is no outcome then.
func Verify(ctx context.Context, in Input) (*Outcome, error) {
	if in.Root == nil {
		return nil, errors.New("root-cause analysis: no target directory")
	}
	if in.Path == "" {
		in.Path = DefaultPath
	}
	if in.Repo == nil && in.GitError == nil {
		in.GitError = &git.Error{Kind: git.Unavailable, Reason: git.NoDirectory, Op: "open repository", Detail: "no repository was given"}
	}
	o := &Outcome{Findings: Table.Collect(in.Level)}
	artifact, doc := readDocument(o.Findings, in.Root, in.Path)
	if artifact != nil {
		o.SHA256 = artifact.SHA256
	}
	if doc == nil {
		return o, ctx.Err()
	}
	o.Document = doc.Root
	a := &analysis{ctx: ctx, in: in, out: o.Findings, doc: doc.Node()}
	a.verify()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return o, nil
}

// readDocument reads the document and reports why it cannot be read.
func readDocument(out *verify.Findings, root *evidence.Root, path string) (*evidence.Artifact, *canon.Document) {
	at := verify.At(path, "")
	root.AddStrictPath(out, at, path)
	artifact, err := root.Read(path, canon.MaxDocument)
	var pathErr *evidence.PathError
	var fileErr *evidence.FileError
	switch {
	case errors.As(err, &pathErr):
		evidence.AddPath(out, at, pathErr)
		return nil, nil
	case errors.As(err, &fileErr) && fileErr.Kind == evidence.TooLarge:
		out.Add("json.size", at, verify.What{Found: fileErr.Reason})
		return nil, nil
	case err != nil:
		out.Add("rca.document", at, verify.What{Found: err.Error(), Expected: "a readable file", Unevaluated: evidence.IsTrouble(err)})
		return nil, nil
	}
	doc, err := artifact.JSON(canon.MaxDocument)
	if !evidence.ReadFindings(out, path, doc, err) {
		return artifact, nil
	}
	return artifact, doc
}

// analysis is a document under verification.
type analysis struct {
	ctx context.Context
	in  Input
	out *verify.Findings
	doc canon.Node

	prefix    prefix
	pre, post revision

	changed  map[string]bool // set of changed paths; nil when section 3.2 was stopped
	causal   []string        // K of section 3.2, in the order of affectedPaths
	inputs   []canon.Node    // entries of causalInputs that are objects
	declared map[string]bool // their paths, see declaredPaths
	list     []entry         // evidence, section 4
	ids      map[string]*entry
	proofs   map[string]*artifactFacts // by real path
	lastRed  *entry                    // the reproduction proof of section 5
	lastPass *entry                    // the regression proof

	forged []string // ids of objects that did not hash to them
}

func (a *analysis) verify() {
	if !a.doc.IsObject() {
		a.fail("rca.document", a.doc, "an object")
		return
	}
	a.document()
	evidence.ScanDocument(a.out, a.in.Path, a.doc.Value, evidence.ScanSelfGrant|evidence.ScanSecrets)
	a.commits()
	a.paths()
	a.causalInputs()
	a.evidence()
	a.references()
	a.closure()
	if a.out.Strict() {
		a.strict()
	}
}

func (a *analysis) at(n canon.Node) verify.Place { return verify.At(a.in.Path, n.Pointer) }

// fail records a rule about a value of the document.
func (a *analysis) fail(rule string, n canon.Node, expected string) {
	what := verify.What{}
	if !a.out.Full(rule) { // else it is only counted
		what = verify.What{Found: verify.Show(n.Value), Expected: expected}
	}
	a.out.Add(rule, a.at(n), what)
}

// failAgainst is fail for another value of the document that many may be
// compared with.
func (a *analysis) failAgainst(rule string, n canon.Node, other canon.Value, what string) {
	if a.out.Full(rule) {
		a.fail(rule, n, "")
		return
	}
	a.fail(rule, n, verify.Show(other)+what)
}

func (a *analysis) failWith(rule string, n canon.Node, what verify.What) {
	a.out.Add(rule, a.at(n), what)
}

// Members of the document that are read in several places.

func (a *analysis) regression() canon.Node { return a.doc.At("regression") }

// isCommitHex reports whether v is commit-hex: a string of 40 to 64
// hexadecimal digits.
func isCommitHex(v canon.Value) bool {
	s, ok := v.Str()
	if !ok || len(s) < 40 || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}
