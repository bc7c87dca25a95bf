package packet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Input is everything a verification of a packet depends on.
type Input struct {
	// Target is T, the directory whose evidence is verified.
	Target *evidence.Root
	// PacketPath is the packet, relative to Target; "" is [DefaultPath].
	PacketPath string
	// Pack is R, from pack.Select.
	Pack pack.Pack
	// Git is the Git to use. When none was found, GitErr says so.
	Git    git.Program
	GitErr error
	// Repo is the target's repository when the caller has it open already; nil
	// has it opened. It serves the first look only.
	Repo *git.Repo
	// Pin is the operator's pin of the trust store.
	Pin   review.Pin
	Level verify.Level
	// Delegates are the validators of the documents that the packet verifier
	// does not judge itself; see [Native].
	Delegates Delegates
	// AcceptNotEvaluated names, out of [Delegable], the documents that may
	// stay without a validator. The outcome repeats those that did.
	AcceptNotEvaluated []string
	History            HistoryUse

	// stage is that of a packet under construction; see [Build].
	stage Stage
	hooks hooks
}

// hooks are set by tests of this package only.
type hooks struct {
	// beforeBarrier runs between the verification and its second look.
	beforeBarrier func()
}

// A HistoryUse says what a historical result is good for to the caller.
type HistoryUse int

const (
	// NotClosure withholds the pass of a historical packet, because nothing but
	// its integrity was verified. The zero value.
	NotClosure HistoryUse = iota
	// IntegritySuffices lets it pass: the caller asks about the bytes of an old
	// run, not whether a run is complete.
	IntegritySuffices
)

// An Outcome is what came of a verification. It is complete: a verification
// that was cut short has none.
type Outcome struct {
	// Report holds the findings and the verdict. Its Tool is the caller's to
	// fill in.
	verify.Report
	Result Result
	// Tree says what the packet binds, with declared and actual digests.
	Tree Node
}

// A Result is the answer of contract 05, §3. A valid historical result is not
// closure: whoever decides that a run is complete must require Historical to
// be false.
type Result struct {
	Valid bool
	// RequiredGates is the derived list (nil when underivable), or for a
	// historical packet the declared one.
	RequiredGates []string
	// AssuranceLevel is the packet's, or for a historical packet structural.
	AssuranceLevel string
	// RecordedAssuranceLevel is what a historical packet claims; "" otherwise.
	RecordedAssuranceLevel string
	Historical             bool
	// RevalidationMode is CurrentSourceFull or IntegrityOnly.
	RevalidationMode string
}

// The revalidation modes.
const (
	CurrentSourceFull = "current-source-full"
	IntegrityOnly     = "integrity-only"
)

// An UnknownGateError says that AcceptNotEvaluated names something that no
// delegate judges: a typing error must not look like a decision.
type UnknownGateError struct{ Gate string }

func (e *UnknownGateError) Error() string {
	return fmt.Sprintf("%q is no document that can be accepted as not evaluated; there are %s", e.Gate, strings.Join(Delegable(), " "))
}

// Verify verifies a run packet and everything it binds: all of contract 05 but
// the making of packets. What it finds is in the outcome. The error says that
// there is none: the context ended, or the input is unusable
// (*UnknownGateError).
func Verify(ctx context.Context, in Input) (*Outcome, error) {
	if in.Target == nil {
		return nil, errors.New("verify packet: no target directory")
	}
	for _, gate := range in.AcceptNotEvaluated {
		if !slices.Contains(Delegable(), gate) {
			return nil, &UnknownGateError{gate}
		}
	}
	if in.PacketPath == "" {
		in.PacketPath = DefaultPath
	}
	v := &verification{in: in, path: in.PacketPath, look: look{root: in.Target}, out: Table.Collect(in.Level)}
	v.tree = Node{Kind: "packet", Path: in.PacketPath, State: Unreadable}
	v.run(ctx)
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("verify packet: %w", err)
	}
	return v.outcome(), nil
}

// A look is one look at the target: files and repository as they were opened
// for it.
type look struct {
	root    *evidence.Root
	repo    *git.Repo // nil when there is none; repoErr says why
	repoErr error
	index   *git.Index // shared by all who look; nil: each takes his own
}

func (l *look) openRepo(ctx context.Context, in Input) {
	if l.repoErr = in.GitErr; l.repoErr == nil {
		l.repo, l.repoErr = git.Open(ctx, in.Git, l.root.Dir())
	}
}

// share reads the index for all verifiers of the look. Where that fails, each
// of them tries for itself and says so.
func (l *look) share(ctx context.Context) {
	if l.repo != nil {
		l.index, _ = l.repo.SharedIndex(ctx)
	}
}

// unshare ends that before the repository is closed, which would end it too.
func (l *look) unshare() {
	if l.index != nil {
		l.index.Close()
		l.index = nil
	}
}

func (l *look) close() {
	if l.repo != nil {
		l.repo.Close()
	}
}

// A verification is one run of the verifier over one packet.
type verification struct {
	look
	in      Input
	path    string // of the packet, as findings name it
	doc     canon.Node
	v2      bool
	subject subject
	digests *Digests

	out      *verify.Findings
	checked  []verify.Checked
	accepted []string
	trust    *verify.Trust
	notes    []string
	result   Result
	tree     Node
	hints    int // files read again to explain a mismatch
}

func (v *verification) collect() *verify.Findings { return Table.Collect(v.in.Level) }

func (v *verification) at(n canon.Node) verify.Place { return verify.At(v.path, n.Pointer) }

// run follows the steps of contract 05, §3.
func (v *verification) run(ctx context.Context) {
	if !v.readPacket() {
		return
	}
	if v.repo = v.in.Repo; v.repo == nil {
		v.openRepo(ctx, v.in)
		defer v.close()
	}
	historical := v.v2 || v.headMoved(ctx)
	headChecks(v.out, v.path, v.doc, v.digests, v.in.stage)
	if historical {
		v.historical(ctx)
		return
	}
	v.current(ctx)
}

// readPacket loads the document that everything hangs on.
func (v *verification) readPacket() bool {
	const rule = "packet.document.not-object"
	f := v.fetch(v.out, verify.At(v.path, ""), v.path, canon.MaxDocument)
	if f.artifact != nil {
		v.tree.Actual, v.tree.State = f.artifact.SHA256, NotLookedAt
	}
	if why, unlooked := f.failed(); why != "" {
		v.out.Wrap(rule, verify.At(v.path, ""), verify.What{Found: why, Expected: "a JSON object", Unevaluated: unlooked}, f.causes)
		return false
	}
	v.strictJSON(v.out, f.doc)
	if !f.doc.IsObject() {
		v.out.Add(rule, verify.At(v.path, ""), verify.What{Found: verify.Show(f.doc.Value), Expected: "a JSON object"})
		return false
	}
	v.doc = f.doc.Node
	v.v2 = v.doc.Get("schema").Is(SchemaV2)
	v.subject = subjectOf(v.doc.Value)
	v.digests = DigestsOf(v.doc.Value)
	return true
}

// headMoved reports whether Git's HEAD is another commit than the packet's. A
// repository that cannot be read has not moved: the current mode then says
// what is wrong with it.
func (v *verification) headMoved(ctx context.Context) bool {
	if v.repo == nil {
		return false
	}
	head, err := v.repo.Head(ctx)
	return err == nil && !v.doc.Get("commit").Is(head.ID)
}

// historical verifies integrity only (§9).
func (v *verification) historical(ctx context.Context) {
	v.result = Result{Historical: true, RevalidationMode: IntegrityOnly, AssuranceLevel: Structural, RecordedAssuranceLevel: Structural,
		RequiredGates: declaredGates(v.doc.Get("requiredGates"))}
	if !v.v2 {
		v.result.RecordedAssuranceLevel = v.doc.Get("assuranceLevel").Text()
	}
	v.out.Add("packet.historical.not-closure", verify.At(v.path, "/commit"), verify.What{
		Found: v.historicalBecause(), Expected: "a v3 packet at HEAD, for a full verification"})
	v.notes = append(v.notes, "historical packet: only digests were verified; inputs, gates, review, proof and source state were not")

	var inventory, catalogs part
	var runtime *runtimeCheck
	var group errgroup.Group
	group.Go(func() error { inventory = sidePart(v.inventoryChecks(ctx)); return nil })
	group.Go(func() error { runtime = v.historicalRuntime(ctx); return nil })
	if !v.v2 {
		group.Go(func() error { catalogs = sidePart(v.catalogChecks(ctx)); return nil })
	}
	group.Wait()
	v.merge(part{runtime.findings, []Node{runtime.node}})
	v.merge(catalogs)
	v.tree.Children = append(v.tree.Children, v.historicalChecks(v.out)...)
	v.merge(inventory)
	v.checked = append(v.checked, runtime.checked(v.in.Level, v.tree))
}

func (v *verification) historicalBecause() string {
	if v.v2 {
		return "a v2 packet"
	}
	return "commit " + verify.Show(v.doc.Get("commit")) + ", which is not HEAD"
}

func declaredGates(list canon.Value) []string {
	var gates []string
	for _, g := range list.Elems() {
		gates = append(gates, canon.TextForm(g))
	}
	return gates
}

// A part is what one verifier that runs beside others found.
type part struct {
	findings *verify.Findings
	nodes    []Node
}

func sidePart(findings *verify.Findings, nodes []Node) part { return part{findings, nodes} }

func (v *verification) merge(p part) {
	v.out.Merge(p.findings)
	v.tree.Children = append(v.tree.Children, p.nodes...)
}

func (v *verification) outcome() *Outcome {
	own := verify.Checked{Verifier: Table.Name, Rules: Table.Count(v.in.Level), Artifacts: v.root.Artifacts()}
	report := verify.Report{
		Subject: verify.Subject{Kind: "run-packet", Path: v.path, SHA256: v.tree.Actual}, Level: v.in.Level,
		Findings: withoutRepeats(v.out.List()), Omitted: v.out.Omitted(),
		Checked: append([]verify.Checked{own}, v.checked...), Accepted: v.accepted, Trust: v.trust, Notes: v.notes,
	}
	if v.result.Historical && v.in.History != IntegritySuffices {
		report.Withheld = append(report.Withheld, "a historical packet is not closure: only its integrity was verified")
	}
	v.result.Valid = verify.Fold(report.Findings) == verify.Pass
	return &Outcome{Report: report, Result: v.result, Tree: v.tree}
}

// withoutRepeats drops findings that two verifiers of the same document made
// alike, such as those of reading it.
func withoutRepeats(list []verify.Finding) []verify.Finding {
	type key struct {
		rule, artifact, pointer, found string
		line                           int
	}
	seen := map[key]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(f verify.Finding) bool {
		k := key{f.Rule, f.Artifact, f.Pointer, f.Found, f.Line}
		repeated := seen[k]
		seen[k] = true
		return repeated
	})
}
