package proof

import (
	"iter"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A Portable is a portable proof as its document states it. The accessors read
// the document, valid or not: what is absent or of the wrong type is the zero
// value. Nothing they return has been verified unless [Portable.Valid] is true.
type Portable struct {
	root  canon.Value
	valid bool
}

// VerifyPortable verifies a document as a portable proof (03 B.7). The document
// is at path, which only names it in findings. It reports strict.json.* of the
// document too; a caller that has done so already drops one of the two.
//
// The *Portable is nil when the document is not an object. Otherwise it is
// there even if the document is refused, for contracts that compare single
// members of refused proofs as well (04).
func VerifyPortable(doc *canon.Document, path string, level verify.Level) (*Portable, *verify.Findings) {
	out := Table.Collect(level)
	var root canon.Node
	if evidence.ReadFindings(out, path, doc, nil) {
		root = doc.Node()
	}
	if !root.IsObject() {
		check{out, path}.fail("proof.document", root, "a portable proof, a JSON object")
		return nil, out
	}
	structure := Table.Collect(level)
	check{structure, path}.structure(root)
	out.Merge(structure)
	c := check{out, path}
	if structure.Errors() == 0 {
		c.bindings(root)
		c.outcome(root)
	}
	if out.Strict() {
		c.strict(root)
	}
	evidence.ScanDocument(out, path, root.Value, evidence.ScanSecrets)
	return &Portable{root: root.Value, valid: baseErrors(out, Table) == 0}, out
}

// ReadPortable reads and verifies the bytes of a portable proof, which may be
// up to canon.MaxSubject long. Bytes that are no JSON document give the
// findings json.* and a nil *Portable.
func ReadPortable(data []byte, path string, level verify.Level) (*Portable, *verify.Findings) {
	doc, err := canon.Read(data, canon.MaxSubject)
	if err != nil {
		out := Table.Collect(level)
		evidence.ReadFindings(out, path, nil, err)
		return nil, out
	}
	return VerifyPortable(doc, path, level)
}

// baseErrors counts the errors that are no strict ones: the format's own
// verdict, whatever the level of the collection.
func baseErrors(out *verify.Findings, table *verify.Table) int {
	n := 0
	for _, f := range out.List() {
		r, known := table.Lookup(f.Rule)
		if f.Severity == verify.Error && (!known || r.Level() == verify.Base) {
			n++
		}
	}
	return n
}

// Valid reports whether no base rule failed: the verdict of the format itself.
// What strict level adds is in the findings. A valid proof may well be the
// proof of a failure; see [Portable.Outcome].
func (p *Portable) Valid() bool { return p.valid }

// Value is the document.
func (p *Portable) Value() canon.Value { return p.root }

// A Run is what a portable proof was made for.
type Run struct{ ID, Commit, Environment string }

// Run returns run.id, run.commit and run.environment.
func (p *Portable) Run() Run {
	run := p.root.Get("run")
	return Run{run.Get("id").Text(), run.Get("commit").Text(), run.Get("environment").Text()}
}

// Outcome returns the stated outcome, which in a valid proof is the one its
// attempts give.
func (p *Portable) Outcome() Outcome {
	o := p.root.Get("outcome")
	return Outcome{Status(o.Get("status").Text()), o.Get("flaky").IsBool(true), o.Get("successful").IsBool(true)}
}

// A Source is the source block of a portable proof (03 B.4).
type Source struct {
	GitHead, TargetPath                 string
	Tree                                string // SHA-256 of the text of HEAD's tree id
	Before, After                       string // worktree state before and after the run
	DirtyBefore, DirtyAfter             bool
	Stable                              bool
	ApplicationBefore, ApplicationAfter string // application state
	ApplicationStable                   bool
	Validator                           string // SHA-256 of the producer program
}

// Source returns the source block. A flag that is not true or false is false:
// contracts that demand false ask [Portable.Clean].
func (p *Portable) Source() Source {
	s := p.root.Get("source")
	str := func(name string) string { return s.Get(name).Text() }
	flag := func(name string) bool { return s.Get(name).IsBool(true) }
	return Source{
		GitHead: str("gitHead"), TargetPath: str("targetPath"), Tree: str("gitTreeSha256"),
		Before: str("beforeSha256"), After: str("afterSha256"),
		DirtyBefore: flag("dirtyBefore"), DirtyAfter: flag("dirtyAfter"), Stable: flag("stable"),
		ApplicationBefore: str("applicationBeforeSha256"), ApplicationAfter: str("applicationAfterSha256"),
		ApplicationStable: flag("applicationStable"), Validator: str("validatorSha256"),
	}
}

// Clean reports whether the worktree is stated clean before and after the run
// and unchanged by it: all three flags are there and say so.
func (p *Portable) Clean() bool {
	s := p.root.Get("source")
	return s.Get("dirtyBefore").IsBool(false) && s.Get("dirtyAfter").IsBool(false) && s.Get("stable").IsBool(true)
}

// CausalIdentity reports whether the execution inputs are stated static and
// eligible: everything the command depended on is in the proof.
func (p *Portable) CausalIdentity() bool {
	in := p.root.Get("command").Get("executionInputs")
	return in.Get("stability").Is(Static) && in.Get("causalIdentityEligible").IsBool(true)
}

// Argv returns command.argv, nil when that is not an array of strings.
func (p *Portable) Argv() []string {
	argv, _ := stringsOf(p.root.Get("command").Get("argv"))
	return argv
}

// Mode returns execution.mode.
func (p *Portable) Mode() string { return p.root.Get("execution").Get("mode").Text() }

// Bindings returns the stated digests, "" for each that is not a string.
func (p *Portable) Bindings() Bindings {
	b := p.root.Get("bindings")
	str := func(name string) string { return b.Get(name).Text() }
	return Bindings{
		Command: str("commandSha256"), ExecutionInputs: str("executionInputsSha256"), Output: str("outputSha256"),
		CausalInputs: str("causalInputsSha256"), Run: str("runSha256"), Commit: str("commitSha256"),
		Environment: str("environmentSha256"), Host: str("environmentSnapshotSha256"),
		Source: str("sourceSha256"), Envelope: str("envelopeSha256"),
	}
}

// A CausalInput is a file whose content before and after the run is bound.
type CausalInput struct{ Path, Before, After string }

// CausalInputs returns the entries of causalInputs that are objects with a
// string path, in order.
func (p *Portable) CausalInputs() []CausalInput {
	var list []CausalInput
	for _, e := range p.root.Get("causalInputs").Elems() {
		if path, ok := e.Get("path").Str(); ok {
			list = append(list, CausalInput{path, e.Get("beforeSha256").Text(), e.Get("afterSha256").Text()})
		}
	}
	return list
}

// Output goes through the attempts: the text of stdout and of stderr of each.
// Nothing is copied.
func (p *Portable) Output() iter.Seq2[string, string] {
	return func(yield func(stdout, stderr string) bool) {
		for _, a := range p.root.Get("execution").Get("attempts").Elems() {
			if !yield(a.Get("stdout").Get("text").Text(), a.Get("stderr").Get("text").Text()) {
				return
			}
		}
	}
}
