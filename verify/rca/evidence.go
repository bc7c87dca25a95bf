package rca

import (
	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// Types and phases of evidence (section 4).
const (
	typeCommand = "runtime-command"
	typeChange  = "change-artifact"

	phaseReproduction = "reproduction"
	phaseDiagnosis    = "diagnosis"
	phaseFix          = "fix"
	phaseRegression   = "post-fix-regression"
)

var runtimeTypes = map[string]bool{typeCommand: true, "runtime-log": true, "runtime-trace": true, "runtime-metric": true}

var phases = map[string]bool{phaseReproduction: true, phaseDiagnosis: true, phaseFix: true, phaseRegression: true}

// An entry is one piece of evidence.
type entry struct {
	node  canon.Node
	typ   string
	phase string
	path  string         // of its artifact, as resolved; "" when it has none
	facts *artifactFacts // nil when the artifact could not be read
}

// evidence evaluates section 4.
func (a *analysis) evidence() {
	n := a.doc.At("evidence")
	if n.Len() == 0 || !n.IsArray() {
		a.fail("rca.evidence.missing", n, "a non-empty array of evidence")
		return
	}
	a.list = make([]entry, n.Len())
	a.ids = make(map[string]*entry, n.Len())
	for i := range a.list {
		if a.ctx.Err() != nil {
			return
		}
		e, item := &a.list[i], n.Index(i)
		*e = entry{node: item, typ: item.Get("type").Text(), phase: item.Get("phase").Text()}
		a.entry(e)
	}
}

func (a *analysis) entry(e *entry) {
	a.register(e)
	if n := e.node.At("type"); !runtimeTypes[e.typ] && e.typ != typeChange {
		a.fail("rca.evidence.type", n, "runtime-command, runtime-log, runtime-trace, runtime-metric or change-artifact")
	}
	if n := e.node.At("phase"); !phases[e.phase] {
		a.fail("rca.evidence.phase", n, "reproduction, diagnosis, fix or post-fix-regression")
	}
	if n, symptom := e.node.At("symptomId"), a.doc.At("symptom").Get("id"); !evidence.Bound(n.Value, symptom) {
		a.failAgainst("rca.evidence.symptom", n, symptom, ", as symptom.id")
	}
	if n := e.node.At("observation"); !canon.NonEmpty(n.Value, minSentence) {
		a.fail("rca.evidence.observation", n, "a text of at least 8 characters")
	}
	if n := e.node.At("artifact"); !canon.NonEmpty(n.Value, 1) {
		a.fail("rca.evidence.artifact", n, "the path of a file below the target")
		return
	}
	a.artifact(e)
	if e.facts != nil && e.typ == typeCommand {
		a.proof(e)
	}
}

// register gives an entry its id; the first entry of an id keeps it.
func (a *analysis) register(e *entry) {
	n := e.node.At("id")
	if !canon.IsIdentifier(n.Value) {
		a.fail("rca.evidence.id", n, "an identifier of 1 to 256 letters, digits and . _ : / -")
		return
	}
	if a.ids[n.Text()] != nil {
		a.fail("rca.evidence.id-duplicate", n, "an id that no other evidence has")
		return
	}
	a.ids[n.Text()] = e
}

// artifact looks at the file of an entry.
func (a *analysis) artifact(e *entry) {
	sum, path := e.node.At("sha256"), e.node.At("artifact")
	formed := canon.IsDigest(sum.Value)
	if !formed {
		a.fail("rca.evidence.digest-format", sum, "64 hexadecimal characters")
	}
	a.in.Root.AddStrictPath(a.out, a.at(path), path.Text())
	res, pathErr := a.in.Root.Resolve(path.Text(), evidence.MustExist)
	if pathErr != nil {
		a.out.Wrap("rca.evidence.artifact-unavailable", a.at(path), verify.What{
			Found:    pathErr.Reason + ": " + verify.Quote(path.Text()),
			Expected: "a file below the target", Unevaluated: pathErr.Unevaluated,
		}, []verify.Finding{evidence.PathFinding(a.in.Level, a.at(path), pathErr)})
		return
	}
	facts := a.factsOf(res, e.typ == typeCommand)
	if facts.err != nil {
		a.failWith("rca.evidence.artifact-unavailable", path, verify.What{
			Found: facts.err.Error(), Expected: "a readable file of at most 64 MiB", Unevaluated: evidence.IsTrouble(facts.err)})
		return
	}
	e.path, e.facts = res.Rel, facts
	if formed && !sum.Is(facts.sha256) {
		a.failWith("rca.evidence.digest", sum, verify.What{
			Found: verify.Show(sum.Value), Expected: facts.sha256 + ", the digest of " + verify.Quote(res.Rel), Hint: a.lineEnds(res, sum.Text())})
	}
	if facts.secret {
		a.failWith("rca.evidence.secret", path, verify.What{Found: verify.Quote(res.Rel) + " discloses a secret", Expected: "an artifact with secrets redacted"})
	}
}

// lineEnds explains a first digest mismatch that line ends caused.
func (a *analysis) lineEnds(res evidence.Resolved, want string) string {
	if a.out.Has("rca.evidence.digest") {
		return ""
	}
	data, _, err := a.in.Root.Load(res, maxArtifactBytes)
	if err != nil {
		return ""
	}
	return evidence.LineEndHint(data, want)
}
