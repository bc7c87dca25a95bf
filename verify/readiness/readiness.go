package readiness

import (
	"context"
	"errors"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Paths below the repository root where a run keeps its assessment and the
// classification that it is bound to.
const (
	DefaultPath           = "production/layer-assessment.json"
	DefaultClassification = "run/workload-classification.json"
)

// LegacyPolicy says whether a historical assessment is looked at. The zero
// value refuses it, as the aggregate and the packet do.
type LegacyPolicy int

// The two policies.
const (
	LegacyRefused LegacyPolicy = iota
	LegacyAllowed
)

// Input is what an assessment is verified against.
type Input struct {
	// Root is the repository root: what evidence refers to lies below it.
	Root *evidence.Root
	// Path of the assessment below the root; "" is [DefaultPath].
	Path string
	// Classification is the path below the root of the workload classification;
	// "" is [DefaultClassification]. A historical assessment needs none.
	Classification string
	// Catalog is the path of a catalog file that the caller supplies, relative
	// to the root unless it is absolute; "" uses the embedded one.
	Catalog string
	Legacy  LegacyPolicy
	Level   verify.Level
}

// An Outcome is what [Verify] found.
type Outcome struct {
	Findings *verify.Findings
	Result   Result
	// Document is the assessment as it was read, absent when it could not be.
	// Nothing in it has been verified unless the findings pass.
	Document canon.Value
	// SHA256 is the digest of the assessment's bytes, "" when it was not read.
	SHA256 string
	// Catalog is the supplied catalog; zero when none was read.
	Catalog verify.Artifact
}

// Verdict folds the findings. A historical assessment that passes is history
// and never a current result ([Result.Legacy]).
func (o *Outcome) Verdict() verify.Verdict { return o.Findings.Verdict() }

// Notes say in a sentence each what a pass does not mean; a verifier must say so
// in its output (08 §4.7).
func (o *Outcome) Notes() []string {
	notes := []string{"not evaluated: the clock and the commit that is checked out; finishline verify compares both"}
	if o.Result.Legacy {
		notes = append(notes, "a historical assessment binds no run, commit, tier, owner, control or evidence: it closes no run")
	}
	return notes
}

// Verify verifies the assessment below a repository root (contract 08). The
// findings carry ids of [Table]. The error is that of a context which ended, or
// says that there is no root or no embedded catalog; there is no outcome then.
func Verify(ctx context.Context, in Input) (*Outcome, error) {
	if in.Root == nil {
		return nil, errors.New("production readiness: no repository root")
	}
	catalog, err := embedded()
	if err != nil {
		return nil, err
	}
	if in.Path == "" {
		in.Path = DefaultPath
	}
	if in.Classification == "" {
		in.Classification = DefaultClassification
	}
	o := &Outcome{Findings: Table.Collect(in.Level)}
	v := verification{ctx: ctx, in: in, catalog: catalog, o: o}
	if s := v.run(); s != nil {
		o.Findings = Table.Collect(in.Level) // a stop is reported alone
		o.Findings.Add(s.rule, s.at, s.what)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return o, nil
}

// A stop is the one rule that is reported when there is nothing to judge.
type stop struct {
	rule string
	at   verify.Place
	what verify.What
}

// A verification takes an assessment through the order of checks of section 3.
type verification struct {
	ctx     context.Context
	in      Input
	catalog layers
	o       *Outcome
}

func (v *verification) run() *stop {
	artifact, doc, fail := v.in.Root.ReadDocument(v.in.Path, v.in.Level, (*evidence.Root).OwnFile, canon.MaxDocument)
	if fail != nil {
		rule := "readiness.document.json"
		if fail.Missing {
			rule = "readiness.document.missing"
		}
		return &stop{rule, verify.AtLine(v.in.Path, fail.Line), fail.What}
	}
	v.o.SHA256, v.o.Document = artifact.SHA256, doc.Root
	if !doc.Root.IsObject() {
		return v.stop("readiness.document.object", doc.Node(), "an object")
	}
	schema := doc.Node().At("schema")
	v.o.Result.Schema = schema.Text()
	switch {
	case schema.Is(LegacySchema) && v.in.Legacy == LegacyAllowed:
		evidence.ReadFindings(v.o.Findings, v.in.Path, doc, nil)
		v.legacy(doc.Node())
		return nil
	case schema.Is(LegacySchema):
		return v.stop("readiness.schema.legacy-not-allowed", schema, Schema)
	case !schema.Is(Schema):
		return v.stop("readiness.schema.unknown", schema, Schema)
	}
	return v.bound(doc)
}

func (v *verification) stop(rule string, n canon.Node, expected string) *stop {
	return &stop{rule, verify.At(v.in.Path, n.Pointer), verify.What{Found: verify.Show(n.Value), Expected: expected}}
}

// bound judges a current assessment with the catalog and the classification
// that belong to it.
func (v *verification) bound(doc *canon.Document) *stop {
	var supplied *suppliedCatalog
	if v.in.Catalog != "" {
		var fail *stop
		if supplied, fail = openCatalog(v.in.Root, v.in.Catalog); fail != nil {
			return fail
		}
		v.o.Catalog = verify.Artifact{Path: supplied.path, SHA256: supplied.sha256}
	}
	classification, policy, fail := v.classification(doc.Node().At("workloadClassificationSha256"))
	if fail != nil {
		return fail
	}
	evidence.ReadFindings(v.o.Findings, v.in.Path, doc, nil)
	evidence.ReadFindings(v.o.Findings, v.in.Classification, classification, nil)
	if supplied != nil {
		supplied.check(v.o.Findings, v.catalog)
	}
	v.current(doc.Node(), classification.Root, policy)
	return nil
}

// classification reads the document that decides by which policy evidence is
// judged, and demands that the assessment is bound to exactly its bytes.
func (v *verification) classification(digest canon.Node) (*canon.Document, evidence.TierPolicy, *stop) {
	none := evidence.TierPolicy{}
	path := v.in.Classification
	artifact, doc, fail := v.in.Root.ReadDocument(path, v.in.Level, (*evidence.Root).SafeFile, canon.MaxDocument)
	if fail != nil && fail.Missing {
		return nil, none, &stop{"readiness.classification.missing", verify.At(path, ""), fail.What}
	}
	if artifact != nil && !digest.Is(artifact.SHA256) {
		return nil, none, &stop{"readiness.classification.digest-mismatch", verify.At(v.in.Path, digest.Pointer), verify.What{
			Found: verify.Show(digest.Value), Expected: artifact.SHA256 + ", the SHA-256 of " + path,
			Hint: evidence.LineEndHint(artifact.Data, digest.Text())}}
	}
	if fail != nil { // no JSON, or too large to be bound
		return nil, none, &stop{"readiness.classification.json", verify.AtLine(path, fail.Line), fail.What}
	}
	if !doc.Root.IsObject() {
		return nil, none, &stop{"readiness.classification.json", verify.At(path, ""), verify.What{Found: verify.Show(doc.Root), Expected: "an object"}}
	}
	tier := doc.Node().At("effectiveTier")
	policy, known := evidence.PolicyOf(tier.Text())
	if !known {
		return nil, none, &stop{"readiness.classification.tier-unknown", verify.At(path, tier.Pointer), verify.What{
			Found: verify.Show(tier.Value), Expected: expTier}}
	}
	return doc, policy, nil
}

// A judge reports what a document fails.
type judge struct {
	out  *verify.Findings
	path string // of the document
}

func (j *judge) failWith(rule string, n canon.Node, what verify.What) {
	j.out.Add(rule, verify.At(j.path, n.Pointer), what)
}

func (j *judge) fail(rule string, n canon.Node, expected string) {
	if j.out.Full(rule) { // counted, not described
		j.failWith(rule, n, verify.What{})
		return
	}
	j.failWith(rule, n, verify.What{Found: verify.Show(n.Value), Expected: expected})
}

func (j *judge) present(rule string, n canon.Node) {
	if !evidence.Present(n.Value) {
		j.fail(rule, n, expPresent)
	}
}

const (
	expPresent   = "a text that is not blank"
	expTimestamp = "a timestamp such as 2026-01-31T10:00:00Z"
	expTier      = "T0, T1, T2 or T3"
	expProfile   = "prototype, production, enterprise or regulated"
	expLayer     = "one of the 13 production layers"
)
