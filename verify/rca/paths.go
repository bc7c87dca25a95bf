package rca

import (
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// maxDiffBytes is how much the list of changed paths may take (section 3.2).
const maxDiffBytes = 1 << 20

// paths evaluates section 3.2: what the analysis names as cause and fix against
// what changed between the two commits.
func (a *analysis) paths() {
	if !a.pre.hex || !a.post.hex || evidence.Identical(a.pre.node.Value, a.post.node.Value) {
		return
	}
	if !a.prefix.ok {
		var causes []verify.Finding
		if a.prefix.err != nil {
			causes = a.gitCauses(a.prefix.err)
		}
		a.out.Wrap("rca.git.prefix", a.at(a.doc), a.prefix.what, causes)
		return
	}
	names, err := a.in.Repo.ChangedNames(a.ctx, a.pre.node.Text(), a.post.node.Text(), a.prefix.text, maxDiffBytes)
	if err != nil {
		a.failGit("rca.git.diff", a.regression(), err)
		return
	}
	a.changed = a.targetRelative(names)
	fix := a.doc.At("fix").At("changedPaths")
	cause := a.doc.At("rootCause").At("affectedPaths")
	if len(a.changed) == 0 {
		a.failWith("rca.paths.no-change", a.regression(), verify.What{
			Found: "no file of the target differs between the two commits", Expected: "the change that fixed the cause"})
	}
	a.pathList("rca.fix.paths-empty", fix)
	a.pathList("rca.root-cause.paths-empty", cause)
	for n := range fix.All() {
		if !a.changed[n.Text()] {
			a.failWith("rca.fix.path-not-changed", n, verify.What{Found: verify.Show(n.Value),
				Expected: "a path that differs between the two commits, relative to the target", Hint: a.prefixHint(n.Text())})
		}
	}
	a.causal = causalPaths(cause, fix, a.changed)
	if len(a.causal) == 0 {
		a.fail("rca.paths.no-overlap", cause, "a path that is also in fix.changedPaths and changed between the commits")
		return
	}
	a.classes()
}

// targetRelative removes the prefix from names as Git gives them.
func (a *analysis) targetRelative(names []string) map[string]bool {
	changed := make(map[string]bool, len(names))
	for _, name := range names {
		name = strings.ReplaceAll(canon.DecodeUTF8([]byte(name)), `\`, "/")
		rel, inside := strings.CutPrefix(name, a.prefix.text)
		if !inside {
			a.failWith("rca.git.diff-escape", a.regression(), verify.What{
				Found: verify.Quote(name), Expected: "a path below " + verify.Quote(a.prefix.text)})
			continue
		}
		changed[rel] = true
	}
	return changed
}

// prefixHint explains a path that is relative to the repository instead of the
// target.
func (a *analysis) prefixHint(path string) string {
	if rel, ok := strings.CutPrefix(path, a.prefix.text); ok && a.prefix.text != "" && a.changed[rel] {
		return "paths are relative to the target directory: write " + rel
	}
	return ""
}

// pathList demands a non-empty array of portable relative paths.
func (a *analysis) pathList(empty string, n canon.Node) {
	if n.Len() == 0 || !n.IsArray() {
		a.fail(empty, n, "a non-empty array of paths")
	}
	for entry := range n.All() {
		err := evidence.Portable(entry.Text())
		if err == nil && strings.HasPrefix(entry.Text(), "/") {
			err = &evidence.PathError{Rule: "path.not-relative", Path: entry.Text(), Reason: "an absolute path"}
		}
		if err == nil {
			continue
		}
		a.out.Wrap("rca.paths.form", a.at(entry), verify.What{Found: err.Reason + ": " + verify.Show(entry.Value),
			Expected: "a relative path below the target"}, []verify.Finding{evidence.PathFinding(a.in.Level, a.at(entry), err)})
	}
}

// causalPaths is K: the affected paths that the fix names and that changed.
func causalPaths(cause, fix canon.Node, changed map[string]bool) []string {
	named := map[string]bool{}
	for n := range fix.All() {
		named[n.Text()] = n.Kind() == canon.String
	}
	var paths []string
	for n := range cause.All() {
		p := n.Text()
		if n.Kind() == canon.String && named[p] && changed[p] {
			paths = append(paths, p)
			named[p] = false // once
		}
	}
	return paths
}

// A pathKind says what a causal path is (section 3.2).
type pathKind int

const (
	sourcePath pathKind = iota
	documentationPath
	evidencePath
)

// evidenceFiles are the run's own documents.
var evidenceFiles = map[string]bool{
	"ai/assurance.json": true, "cloud/service-map.json": true, "cloud/skip.json": true, "context/manifest.json": true,
	"design/anchors.json": true, "design/system_design.md": true, "domain/assurance.json": true, "evals/results.json": true,
	"foundation/assessment.json": true, "goal/goal.json": true, "graph/graph.json": true, "graph/gitnexus.json": true,
	"graph/freshness.json": true, "handoff/final.md": true, "production/layer-assessment.json": true, "qa/qa-plan.md": true,
	"qa/break-it-results.md": true, "run/mode.json": true, "run/intake.json": true, "run/workload-classification.json": true,
	"run/route.json": true, "run/packet.json": true, "self_heal/self_heal_report.md": true, "smoke/smoke_proof.json": true,
	"trajectory/trajectory.json": true, "trajectory/trace.jsonl": true, "waivers/waivers.json": true,
}

// evidenceDirs hold JSON documents of the run at any depth.
var evidenceDirs = []string{"approvals/", "proof/", "rca/", "review/"}

var (
	documentationNames = map[string]bool{"readme.md": true, "claude.md": true, "agents.md": true}
	documentationDirs  = map[string]bool{"doc": true, "docs": true, "playbook": true, "playbooks": true, "process": true, "processes": true}
)

// kindOf classifies a path relative to the target.
func kindOf(path string) pathKind {
	path = strings.ReplaceAll(path, `\`, "/")
	switch {
	case isEvidencePath(strings.TrimPrefix(path, "./")):
		return evidencePath
	case isDocumentation(path):
		return documentationPath
	}
	return sourcePath
}

func isEvidencePath(path string) bool {
	if evidenceFiles[path] {
		return true
	}
	for _, dir := range evidenceDirs {
		rest, below := strings.CutPrefix(path, dir)
		name, json := strings.CutSuffix(rest, ".json")
		if below && json && name != "" {
			return true
		}
	}
	return false
}

func isDocumentation(path string) bool {
	parts := strings.Split(canon.LowerASCII(path), "/")
	last := len(parts) - 1
	if last == 0 {
		return documentationNames[parts[0]]
	}
	return strings.HasSuffix(parts[last], ".md") &&
		slices.ContainsFunc(parts[:last], func(dir string) bool { return documentationDirs[dir] })
}
