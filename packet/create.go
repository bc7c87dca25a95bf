package packet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"finishline/canon"
	"finishline/internal/atomicfile"
	"finishline/packet/pack"
	"finishline/verify"
	"finishline/verify/evidence"
)

// A Plan says what to build a packet of: everything that lies below the target
// at its canonical path (contract 05, §12).
type Plan struct {
	// Input says where the run is and by what it is verified. PacketPath and
	// History do not matter: a packet that verifies is a current one, and lies
	// at [DefaultPath], because any other file would change the application
	// that was proved.
	Input Input

	RunID, Commit, Environment string
	AssuranceLevel             string
	// GeneratedAt is when; milliseconds count.
	GeneratedAt time.Time
	// Gates are the gates that the caller supplies; nil supplies every one that
	// the inputs require. Naming them makes sure that nothing else is needed.
	Gates []string
}

// A Draft is a packet at one of its stages, with what follows from it. A nil
// Document means that there is none; the findings say why.
type Draft struct {
	Stage    Stage
	Document canon.Value
	Digests  *Digests
	// RequiredGates are derived from the inputs, all of them, also those that
	// the stage lacks.
	RequiredGates []string
	// Findings are the reasons against the draft, of [CreateTable], and
	// warnings of its verification. With an error among them the draft must
	// not be used.
	Findings *verify.Findings
	// Outcome is the verification of the draft, nil when there was none.
	Outcome *Outcome
}

// Refused reports whether anything stands against the draft.
func (d *Draft) Refused() bool { return d.Findings.Errors() > 0 || !d.Document.Present() }

// Build assembles a packet up to a stage and verifies what it has made, as it
// would be written. Nothing is written. The error says that there is no answer:
// the context ended, or the input is unusable.
func Build(ctx context.Context, plan Plan, stage Stage) (*Draft, error) {
	b := &builder{plan: plan, stage: stage, out: CreateTable.Collect(plan.Input.Level)}
	draft := &Draft{Stage: stage, Findings: b.out}
	if plan.Input.Target == nil {
		return nil, errors.New("build packet: no target directory")
	}
	b.look = look{root: plan.Input.Target, repo: plan.Input.Repo}
	if b.repo == nil {
		b.openRepo(ctx, plan.Input)
		defer b.look.close()
	}
	doc, ok := b.assemble(ctx)
	draft.RequiredGates = b.required
	if ok {
		outcome, err := b.selfCheck(ctx, doc)
		if err != nil {
			return nil, err
		}
		draft.Document, draft.Digests, draft.Outcome = doc, DigestsOf(doc), outcome
	}
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("build packet: %w", err)
	}
	return draft, nil
}

// Create builds a finished packet and writes it to [DefaultPath] of the target,
// unless something is there already or anything stands against it.
func Create(ctx context.Context, plan Plan) (*Draft, error) {
	draft, err := Build(ctx, plan, Finished)
	if err != nil || draft.Refused() {
		return draft, err
	}
	path := filepath.Join(plan.Input.Target.Dir(), filepath.FromSlash(DefaultPath))
	if err := atomicfile.Create(path, canon.Pretty(draft.Document)); err != nil {
		if !errors.Is(err, atomicfile.ErrExists) {
			return nil, err
		}
		addExists(draft.Findings)
	}
	return draft, nil
}

func addExists(out *verify.Findings) {
	out.Add(ruleExists, verify.At(DefaultPath, ""), verify.What{Found: "a file of that name", Expected: "nothing there"})
}

// The reasons of contract 05, §12.
const (
	ruleSubject     = "packet.create.subject-invalid"
	ruleLevel       = "packet.create.level-invalid"
	ruleProof       = "packet.create.proof-required"
	ruleReview      = "packet.create.review-required"
	ruleGateMissing = "packet.create.gate-missing"
	ruleNotRequired = "packet.create.gate-not-required"
	ruleGateTwice   = "packet.create.gate-duplicate"
	ruleInputPath   = "packet.create.input-path"
	ruleExists      = "packet.create.output-exists"
	ruleLimit       = "packet.create.inventory-limit"
	ruleSymlink     = "packet.create.inventory-symlink"
	ruleSelfCheck   = "packet.create.self-check-failed"
)

// A builder makes one packet. The steps report to out; what a verifier says is
// kept as causes of self-check-failed.
type builder struct {
	look
	plan  Plan
	stage Stage
	out   *verify.Findings

	inputs   map[InputName]*document
	required []string
	runtime  *pack.Binding
}

// refuse adds a reason that has no causes.
func (b *builder) refuse(rule string, at verify.Place, found, expected string) {
	b.out.Add(rule, at, verify.What{Found: found, Expected: expected})
}

// doomed adds self-check-failed for what a verifier would say.
func (b *builder) doomed(at verify.Place, what verify.What, causes []verify.Finding) {
	b.out.Wrap(ruleSelfCheck, at, what, causes)
}

// assemble makes the packet document of the stage. Each step may refuse; what
// can be said beside it is said too.
func (b *builder) assemble(ctx context.Context) (doc canon.Value, ok bool) {
	subject := b.subjectChecks()
	if b.stage == Finished {
		b.outputCheck()
	}
	if !b.loadInputs() || !subject || !b.derive() {
		return doc, false
	}
	gates := b.gateEntries()
	b.closureIgnored(ctx)
	inventory := b.inventory(ctx)
	if !b.bind(ctx) || b.out.Errors() > 0 {
		return doc, false
	}
	snapshots := b.snapshots(ctx)
	if b.out.Errors() > 0 {
		return doc, false
	}
	doc = b.document(gates, snapshots, inventory)
	if b.stage != Finished {
		return doc, true
	}
	return b.finish(doc)
}

// subjectChecks looks at what the caller says.
func (b *builder) subjectChecks() bool {
	for _, m := range []struct{ name, value string }{
		{"runId", b.plan.RunID}, {"commit", b.plan.Commit}, {"environment", b.plan.Environment},
	} {
		if !canon.Identifier(m.value) {
			b.refuse(ruleSubject, verify.At(DefaultPath, "/"+m.name), verify.Quote(m.value), expectIdentifier)
		}
	}
	if !isLevel(b.plan.AssuranceLevel) {
		b.refuse(ruleLevel, verify.At(DefaultPath, "/assuranceLevel"), verify.Quote(b.plan.AssuranceLevel), "structural, semantic or authoritative")
	}
	return b.out.Errors() == 0
}

// outputCheck looks whether the packet could be written at all.
func (b *builder) outputCheck() {
	if _, err := b.root.FS().Lstat(DefaultPath); err == nil || !evidence.IsAbsent(err) {
		addExists(b.out)
	}
}

// loadInputs reads the four inputs.
func (b *builder) loadInputs() bool {
	b.inputs = map[InputName]*document{}
	for _, spec := range inputSpecs {
		artifact, doc, bad := b.root.ReadDocument(spec.Path, b.plan.Input.Level, (*evidence.Root).SafeFile, canon.MaxDocument)
		if bad != nil {
			b.out.Add(ruleInputPath, verify.AtLine(spec.Path, bad.Line), bad.What)
			continue
		}
		b.inputs[spec.Name] = &document{Node: doc.Node(), path: spec.Path, artifact: artifact, parsed: doc}
	}
	return len(b.inputs) == len(inputSpecs)
}

// derive finds the gates that follow from the inputs.
func (b *builder) derive() bool {
	path, _ := CanonicalPath(GateRCA)
	rca, err := b.root.Exists(path)
	gates, underivable := Derivation{
		Intake: b.inputs[Intake].Value, Classification: b.inputs[Classification].Value, Route: b.inputs[Route].Value,
		AssuranceLevel: canon.NewString(b.plan.AssuranceLevel), RCAExists: rca || err != nil,
	}.RequiredGates()
	if underivable != nil {
		b.refuse(ruleSelfCheck, verify.At(b.inputs[Route].path, "/gateApplicability"), underivable.Error(), "gates of the format")
		return false
	}
	b.required = gates
	return true
}

// bind computes the validation runtime at HEAD.
func (b *builder) bind(ctx context.Context) bool {
	in := b.plan.Input
	binding, findings := pack.Bind(ctx, pack.Input{
		Target: b.root, Pack: in.Pack, Repo: b.repo, RepoErr: b.repoErr, Commit: b.plan.Commit, Pin: in.Pin, Level: in.Level,
	})
	if binding == nil || findings.Errors() > 0 {
		b.doomed(verify.At(DefaultPath, "/validationRuntime"), verify.What{
			Found: "the validation runtime cannot be bound", Expected: "a committed pack and a pin"}, findings.List())
		return false
	}
	b.runtime = binding
	return true
}

// selfCheck verifies the packet as it would be written: the same bytes, at the
// same path, by the same verifier, read by a root that has read nothing yet.
func (b *builder) selfCheck(ctx context.Context, doc canon.Value) (*Outcome, error) {
	target, refErr := b.root.With(DefaultPath, canon.Pretty(doc))
	if refErr != nil {
		b.refuse(ruleSelfCheck, verify.At(DefaultPath, ""), refErr.Reason, "a place where a file can be written")
		return nil, nil
	}
	in := b.plan.Input
	in.Target, in.PacketPath, in.Repo, in.stage, in.History = target, DefaultPath, nil, b.stage, NotClosure
	outcome, err := Verify(ctx, in)
	if err != nil {
		return nil, err
	}
	if verdict := outcome.Verdict(); verdict != verify.Pass || outcome.Result.Historical {
		b.doomed(verify.At(DefaultPath, ""), verify.What{
			Found: "the packet would be refused: " + verdict.String(), Expected: "pass"}, errorsIn(outcome.Findings))
		return outcome, nil
	}
	for _, f := range outcome.Findings {
		b.out.Append(f)
	}
	return outcome, nil
}

func errorsIn(list []verify.Finding) []verify.Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f verify.Finding) bool { return f.Severity != verify.Error })
}
