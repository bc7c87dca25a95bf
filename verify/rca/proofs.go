package rca

import (
	"errors"
	"strings"

	"finishline/canon"
	"finishline/privacy/secret"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/proof"
)

// maxArtifactBytes is the largest evidence artifact that is read (section 4).
const maxArtifactBytes = canon.MaxSubject

// artifactFacts is what is kept of a file: files may be large and many, so
// neither bytes nor parsed documents stay.
type artifactFacts struct {
	err    error // why the file cannot be read
	sha256 string
	secret bool
	proof  *proofFacts // nil until some entry asks for it
}

// proofFacts is what the rules of sections 4 and 5 need of a proof, compared
// already with what they are compared to.
type proofFacts struct {
	syntax   *canon.ReadError // the artifact is no JSON
	object   bool             // the artifact is a JSON object
	problems []verify.Finding // base errors of 03 B.7

	opaque, clean    bool
	run, environment bool // of the analysis
	atPre, atPost    bool // run.commit is that commit
	red, green       bool // what the phase demands of mode and outcome
	command          bool // is the analysis's command
	envelope         string
	commandKey       string // equal exactly when the stated command digests are

	causal map[string][]proof.CausalInput // by path, declared ones only

	attempts        int
	signatureEvery  bool // every attempt printed the failure signature
	signatureSome   bool
	once            bool // repeat is 1
	targetPath      string
	targetPathIsOwn bool
	validator       string
}

// factsOf reads a file once, however many entries name it.
func (a *analysis) factsOf(res evidence.Resolved, asProof bool) *artifactFacts {
	if a.proofs == nil {
		a.proofs = map[string]*artifactFacts{}
	}
	facts := a.proofs[res.Real()]
	if facts != nil && (!asProof || facts.proof != nil || facts.err != nil) {
		return facts
	}
	data, sum, err := a.in.Root.Load(res, maxArtifactBytes)
	if facts == nil {
		facts = &artifactFacts{sha256: sum, err: err, secret: err == nil && secret.InText(canon.DecodeUTF8(data))}
		a.proofs[res.Real()] = facts
	}
	if asProof && err == nil {
		facts.proof = a.readProof(res.Rel, data)
	} else if err != nil {
		facts.err = err
	}
	return facts
}

// readProof verifies a proof and keeps what the analysis compares. Findings of
// strict level, and warnings, are reported once for the artifact.
func (a *analysis) readProof(path string, data []byte) *proofFacts {
	f := &proofFacts{}
	doc, err := canon.Read(data, maxArtifactBytes)
	if err != nil {
		if !errors.As(err, &f.syntax) {
			f.syntax = &canon.ReadError{Rule: "json.syntax", Reason: err.Error()}
		}
		return f
	}
	p, found := proof.VerifyPortable(doc, path, a.in.Level)
	for _, x := range found.List() {
		if rule, known := proof.Table.Lookup(x.Rule); x.Severity == verify.Error && (!known || rule.Level() == verify.Base) {
			f.problems = append(f.problems, x)
		} else {
			a.out.Append(x)
		}
	}
	if p == nil {
		return f
	}
	f.object = true
	a.compareProof(f, p)
	return f
}

func (a *analysis) compareProof(f *proofFacts, p *proof.Portable) {
	run, stated := p.Value().Get("run"), a.doc.Value
	f.run = evidence.Bound(run.Get("id"), stated.Get("runId"))
	f.environment = evidence.Bound(run.Get("environment"), stated.Get("environment"))
	f.atPre = evidence.Bound(run.Get("commit"), a.pre.node.Value)
	f.atPost = evidence.Bound(run.Get("commit"), a.post.node.Value)

	outcome := p.Outcome()
	f.opaque, f.clean = !p.CausalIdentity(), p.Clean()
	f.red = p.Mode() == proof.ModeRedBaseline && outcome.Status == proof.RedConfirmed
	f.green = p.Mode() == proof.ModeGreen && outcome.Status == proof.Passed && outcome.Successful
	repeat, isNumber := p.Value().Get("execution").Get("repeat").Num()
	f.once = isNumber && repeat == 1

	command := p.Value().Get("bindings").Get("commandSha256")
	f.command = evidence.Bound(command, a.regression().Get("commandSha256"))
	f.commandKey = canon.SHA256(canon.Canonical(canon.NewArray(command)))
	f.envelope = p.Bindings().Envelope
	source := p.Value().Get("source")
	f.targetPathIsOwn = source.Get("targetPath").Is(a.targetPath())
	f.targetPath = canon.Digest(source.Get("targetPath"))
	f.validator = canon.Digest(source.Get("validatorSha256"))

	f.causal = map[string][]proof.CausalInput{}
	declared := a.declaredPaths()
	for _, in := range p.CausalInputs() {
		if declared[in.Path] {
			f.causal[in.Path] = append(f.causal[in.Path], in)
		}
	}
	signature := a.regression().Get("failureSignature").Text()
	f.signatureEvery = true
	for stdout, stderr := range p.Output() {
		f.attempts++
		has := strings.Contains(stdout+"\n"+stderr, signature)
		f.signatureEvery = f.signatureEvery && has
		f.signatureSome = f.signatureSome || has
	}
}

// targetPath is the target as a proof of it names it.
func (a *analysis) targetPath() string {
	if a.in.Repo == nil || a.in.Repo.Prefix() == "" {
		return "."
	}
	return a.in.Repo.Prefix()
}

// declaredPaths are the paths of the declared causal inputs.
func (a *analysis) declaredPaths() map[string]bool {
	if a.declared == nil {
		a.declared = make(map[string]bool, len(a.inputs))
		for _, in := range a.inputs {
			if p, ok := in.Get("path").Str(); ok {
				a.declared[p] = true
			}
		}
	}
	return a.declared
}

// proof evaluates the rules of section 4 for a runtime-command.
func (a *analysis) proof(e *entry) {
	f, at := e.facts.proof, e.node.At("artifact")
	if f.syntax != nil {
		a.out.Wrap("rca.proof.json", a.at(at), verify.What{Found: f.syntax.Error(), Expected: "a portable proof"}, nil)
		return
	}
	if len(f.problems) > 0 {
		a.out.Wrap("rca.proof.invalid", a.at(at), verify.What{
			Found: verify.Quote(e.path) + " is refused, first by " + f.problems[0].Rule, Expected: "a valid portable proof"}, f.problems)
	}
	if !f.object {
		return
	}
	a.proofOf(e, f, at)
	if n := e.node.At("proofBindingSha256"); !canon.IsDigest(n.Value) || !n.Is(f.envelope) {
		a.fail("rca.proof.binding", n, verify.Quote(f.envelope)+", the proof's bindings.envelopeSha256")
	}
	if n, id := e.node.At("regressionId"), a.regression().Get("id"); !evidence.Bound(n.Value, id) {
		a.failAgainst("rca.proof.regression-id", n, id, ", as regression.id")
	}
	if !f.command {
		a.fail("rca.proof.command", a.regression().At("commandSha256"), "the bindings.commandSha256 of "+verify.Quote(e.path))
	}
}

// proofOf evaluates what a proof must be for its phase.
func (a *analysis) proofOf(e *entry, f *proofFacts, at canon.Node) {
	fail := func(rule, found, expected string) {
		a.failWith(rule, at, verify.What{Found: verify.Quote(e.path) + ": " + found, Expected: expected})
	}
	reproduction, regression := e.phase == phaseReproduction, e.phase == phaseRegression
	if (reproduction || regression) && f.opaque {
		fail("rca.proof.opaque", "its command depended on something that is not in the proof", "static execution inputs")
	}
	if !f.clean {
		fail("rca.proof.not-clean", "the work tree was not clean before and after the run", "a proof made in a clean tree")
	}
	commit, expected := f.atPost, "postFixCommit"
	if reproduction {
		commit, expected = f.atPre, "preFixCommit"
	}
	if !f.run || !f.environment || !commit {
		fail("rca.proof.subject", "made for another run, environment or commit", "runId, environment and "+expected+" of the analysis")
	}
	if reproduction && !f.red {
		fail("rca.proof.not-red", "does not show the failure", "mode red-baseline and status red-confirmed")
	}
	if regression && !f.green {
		fail("rca.proof.not-green", "does not show success", "mode green, status passed and successful true")
	}
}
