package rca

import (
	"finishline/canon"
	"finishline/verify"
)

// The classes of a cause and of its remedy (section 1).
const (
	classSource        = "source-change"
	classDocumentation = "documentation-process"
)

// classes evaluates the rules of section 3.2 that need a non-empty K: what kind
// of cause the causal paths can be.
func (a *analysis) classes() {
	causal := a.doc.At("rootCause").At("causalClass")
	remedy := a.doc.At("fix").At("remediationClass")
	a.class("rca.class.causal", causal)
	a.class("rca.class.remediation", remedy)
	if causal.Present() && remedy.Present() && !canon.Equal(causal.Value, remedy.Value) {
		a.fail("rca.class.mismatch", remedy, verify.Show(causal.Value)+", as rootCause.causalClass")
	}
	a.causalPathsOfInputs()

	kinds := map[pathKind]bool{}
	for _, p := range a.causal {
		kinds[kindOf(p)] = true
	}
	if !kinds[documentationPath] && !kinds[sourcePath] {
		a.failWith("rca.paths.evidence-only", a.doc.At("rootCause").At("affectedPaths"), verify.What{
			Found: "only documents of the run itself", Expected: "a file of the source or of its documentation"})
	}
	for _, n := range [...]canon.Node{causal, remedy} {
		switch {
		case kinds[sourcePath] && n.Is(classDocumentation):
			a.fail("rca.class.documentation-forbidden", n, classSource+", or no class: a source file is part of the cause")
		case kinds[documentationPath] && !kinds[sourcePath] && !n.Is(classDocumentation):
			a.fail("rca.class.documentation-required", n, classDocumentation+": only documentation is part of the cause")
		}
	}
}

func (a *analysis) class(rule string, n canon.Node) {
	if n.Present() && !n.Is(classSource) && !n.Is(classDocumentation) {
		a.fail(rule, n, classSource+" or "+classDocumentation)
	}
}

// causalPathsOfInputs compares the declared causal inputs with K.
func (a *analysis) causalPathsOfInputs() {
	causal := make(map[string]bool, len(a.causal))
	for _, p := range a.causal {
		causal[p] = true
	}
	declared := map[string]bool{}
	for entry := range a.regression().At("causalInputs").All() {
		n := entry.At("path")
		p, ok := n.Str()
		if !ok {
			continue
		}
		declared[p] = true
		if !causal[p] {
			a.fail("rca.causal.not-causal-path", n, "a changed path that rootCause.affectedPaths and fix.changedPaths name")
		}
	}
	for _, p := range a.causal {
		if kindOf(p) == documentationPath && !declared[p] {
			a.failWith("rca.causal.documentation-missing", a.regression().At("causalInputs"), verify.What{
				Found: "no causal input for " + verify.Quote(p), Expected: "the digests of that file at both commits"})
		}
	}
}
