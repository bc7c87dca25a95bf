package rca

import (
	"slices"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
	"finishline/verify/evidence"
)

// strict evaluates section 6, as far as nothing else reports it: strict.json.*
// comes with reading, strict.path.* with the artifacts, strict.proof.* with the
// proofs.
func (a *analysis) strict() {
	a.strictDigests()
	a.strictPaths()
	a.strictCommits()
	a.strictObjects()
	a.strictProofs()
	a.strictArtifacts()
}

func (a *analysis) strictDigests() {
	members := []canon.Node{a.regression().At("commandSha256")}
	for _, in := range a.inputs {
		members = append(members, in.At("preFixSha256"), in.At("postFixSha256"))
	}
	for _, e := range a.list {
		members = append(members, e.node.At("sha256"), e.node.At("proofBindingSha256"))
	}
	evidence.StrictDigests(a.out, a.in.Path, members...)
}

func (a *analysis) strictPaths() {
	fix := a.doc.At("fix").At("changedPaths")
	for _, n := range [...]canon.Node{a.doc.At("rootCause").At("affectedPaths"), fix} {
		seen := map[string]bool{}
		for entry := range n.All() {
			p := entry.Text()
			if err := evidence.Canonical(p); err != nil {
				a.failWith("strict.rca.path-form", entry, verify.What{Found: err.Reason + ": " + verify.Show(entry.Value), Expected: "a plain relative path"})
			} else if seen[p] {
				a.failWith("strict.rca.path-form", entry, verify.What{Found: verify.Quote(p) + " again", Expected: "each path once"})
			}
			seen[p] = true
		}
	}
	for entry := range fix.All() {
		if kindOf(entry.Text()) == evidencePath {
			a.fail("strict.rca.evidence-in-fix", entry, "files of the source, not documents of the run")
		}
	}
	declared := a.declaredPaths()
	for _, p := range a.causal {
		if kindOf(p) == sourcePath && !declared[p] {
			a.failWith("strict.rca.source-causal-unbound", a.regression().At("causalInputs"), verify.What{
				Found: "no causal input for " + verify.Quote(p), Expected: "the digests of that file at both commits"})
		}
	}
}

// strictCommits looks at the two commits that were found.
func (a *analysis) strictCommits() {
	for _, rev := range [...]*revision{&a.pre, &a.post} {
		if !rev.found {
			continue
		}
		name := rev.node.Text()
		switch {
		case len(name) != a.in.Repo.IDLen(), canon.HasUpperHex(name):
			a.fail("strict.rca.commit-form", rev.node, "the whole id of a commit, in lower case")
		case rev.object.ViaRef || rev.object.ID != name || rev.object.Type != git.TypeCommit:
			a.failWith("strict.rca.commit-form", rev.node, verify.What{Found: "a " + rev.object.Type + " or a name that leads to one", Expected: "the id of a commit itself"})
		}
	}
	if a.pre.commit == "" || a.post.commit == "" || a.pre.commit == a.post.commit {
		return
	}
	ancestor, err := a.in.Repo.IsAncestor(a.ctx, a.pre.commit, a.post.commit)
	switch {
	case err != nil:
		a.failGit("strict.rca.not-ancestor", a.pre.node, err)
	case !ancestor:
		a.fail("strict.rca.not-ancestor", a.pre.node, "a commit that the fix was built on")
	}
}

// strictObjects re-hashes what section 3 rests on: Git serves a swapped object
// without complaint.
func (a *analysis) strictObjects() {
	for _, rev := range [...]*revision{&a.pre, &a.post} {
		if rev.found && !rev.object.Genuine {
			a.forged = append(a.forged, rev.object.ID)
		}
	}
	if a.changed != nil && a.pre.commit != "" && a.post.commit != "" {
		forged, err := a.in.Repo.ReadChanged(a.ctx, a.pre.commit, a.post.commit, a.prefix.text)
		if err != nil {
			a.failGit("strict.rca.object-identity", a.regression(), err)
		}
		a.forged = append(a.forged, forged...)
	}
	slices.Sort(a.forged)
	for _, id := range slices.Compact(a.forged) {
		a.failWith("strict.rca.object-identity", a.regression(), verify.What{Found: "object " + id + " has other content than its id says", Expected: "objects that hash to their ids"})
	}
}

// strictProofs applies the closure to every proof, and compares the last ones.
func (a *analysis) strictProofs() {
	for _, e := range a.commandProofs(phaseReproduction) {
		if e != a.lastRed && !a.out.Full("strict.rca.every-proof") {
			a.everyProof(e, a.causalOf(e, "preFixSha256"), commandOf(e, a.lastPass), a.signatureOf(e))
		}
	}
	for _, e := range a.commandProofs(phaseRegression) {
		if e != a.lastPass && !a.out.Full("strict.rca.every-proof") {
			a.everyProof(e, a.causalOf(e, "postFixSha256"), commandOf(a.lastRed, e))
		}
	}
	for _, e := range [...]*entry{a.lastRed, a.lastPass} {
		if e == nil {
			continue
		}
		at := e.node.At("artifact")
		if a.prefix.ok && !e.facts.proof.targetPathIsOwn {
			a.failWith("strict.rca.causal-prefix", at, verify.What{Found: verify.Quote(e.path) + " was made for another target directory", Expected: "source.targetPath " + verify.Quote(a.targetPath())})
		}
		if e.facts.proof.once {
			a.failWith("strict.rca.flaky-repeat", at, verify.What{Found: verify.Quote(e.path) + " ran its command once", Expected: "a repeat of 2 or more"})
		}
	}
	a.strictPair()
}

// everyProof reports what the closure finds against a proof that is not the
// last of its side.
func (a *analysis) everyProof(e *entry, found ...[]mismatch) {
	for _, x := range slices.Concat(found...) {
		a.failWith("strict.rca.every-proof", e.node.At("artifact"), verify.What{
			Found: verify.Quote(e.path) + " fails " + x.rule + ": " + x.what.Found, Expected: x.what.Expected, Hint: x.what.Hint})
	}
}

// strictPair compares the last reproduction with the last regression proof.
func (a *analysis) strictPair() {
	if a.lastPass == nil {
		return
	}
	at, pass := a.lastPass.node.At("artifact"), a.lastPass.facts.proof
	if signature := a.regression().At("failureSignature"); canon.NonEmpty(signature.Value, minSignature) && pass.signatureSome {
		a.fail("strict.rca.signature-in-green", signature, "a text that "+verify.Quote(a.lastPass.path)+" does not print")
	}
	if a.lastRed == nil {
		return
	}
	red := a.lastRed.facts.proof
	if !a.prefix.ok && red.targetPath != pass.targetPath {
		a.failWith("strict.rca.causal-prefix", at, verify.What{Found: "the two proofs were made for different target directories", Expected: "the same source.targetPath"})
	}
	if red.validator != pass.validator {
		a.failWith("strict.rca.validator-changed", at, verify.What{Found: "the two proofs were made by different producer programs", Expected: "the same source.validatorSha256"})
	}
}

// strictArtifacts demands evidence of its own for each entry.
func (a *analysis) strictArtifacts() {
	used := map[string]bool{}
	reproductions := map[string]bool{}
	for i := range a.list {
		e := &a.list[i]
		if e.facts == nil {
			continue
		}
		if used[e.path] {
			a.failWith("strict.rca.same-artifact", e.node.At("artifact"), verify.What{Found: verify.Quote(e.path) + " again", Expected: "a file of its own for each entry"})
		}
		used[e.path] = true
		if e.phase == phaseReproduction && e.typ == typeCommand {
			reproductions[e.facts.sha256] = true
		}
	}
	for i := range a.list {
		e := &a.list[i]
		if e.facts != nil && e.phase == phaseRegression && e.typ == typeCommand && reproductions[e.facts.sha256] {
			a.failWith("strict.rca.same-artifact", e.node.At("artifact"), verify.What{Found: verify.Quote(e.path) + " has the bytes of a reproduction proof", Expected: "a proof of its own"})
		}
	}
}
