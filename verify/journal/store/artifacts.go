package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/journal/event"
	"finishline/verify/proof"
	"finishline/verify/readiness"
)

// A Root maps an artifact root as a run recorded it, an absolute path of
// another machine, to the directory where its files are now.
type Root struct{ Recorded, Local string }

// checkArtifacts compares the files that were claimed with what was sealed, and
// for a complete run what completion asks for (11 §4.7). The error is the
// context's.
func (r *run) checkArtifacts(out *verify.Findings) error {
	l := &ledger{run: r, out: out, warn: r.state.Status != StatusComplete}
	defer l.close()
	r.commissioned(out)
	if l.warn {
		for i, entry := range r.state.Artifacts {
			if v := entry.Get("verification"); entry.Get("present").Truthy() && usableClaim(v) {
				l.file(i, entry)
			}
		}
		return r.ctx.Err()
	}
	for i, entry := range r.state.Artifacts {
		if entry.Get("required").IsBool(true) {
			l.required(i, entry)
		}
	}
	for i, a := range r.state.Approvals {
		if unresolved(a) {
			out.Add("complete.approval.unresolved", r.at(SnapshotFile, fmt.Sprintf("/approvals/%d", i)), verify.What{
				Found: fmt.Sprintf("the approval %s of %s is %s", verify.Show(a.Get("scope")), verify.Show(a.Get("owner")), a.Get("status").Text()), Expected: "granted"})
		}
	}
	if r.state.SelfHealOpen {
		out.Add("complete.self-heal.unresolved", r.at(JournalFile, ""), verify.What{Found: "a self_heal.detected without a later proposal", Expected: "a self_heal.pr_opened or self_heal.pr_proposed after it"})
	}
	return r.ctx.Err()
}

// commissioned says what of a run in a commissioned pack cannot be looked at
// without its tree.
func (r *run) commissioned(out *verify.Findings) {
	policy := r.config.value.Get("adapterPolicy")
	demands := policy.Get("enterpriseFinishLineRequired").IsBool(true) || policy.Get("portableFinishLineRequired").IsBool(true)
	runtime := r.config.value.Get("commissionedRuntime")
	if given(runtime) || demands && r.state.Status == StatusComplete {
		out.Add("commissioned.not-evaluated", r.at(ConfigFile, ""), verify.What{Found: "a run whose runtime or policy asks for its tree, which is not here"})
	}
}

// usableClaim reports whether a claim says that a file was seen, and its digest.
func usableClaim(v canon.Value) bool {
	return v.Get("checked").IsBool(true) && v.Get("exists").IsBool(true) && sealedDigest(v)
}

// A ledger is the list of artifacts under verification.
type ledger struct {
	*run
	out  *verify.Findings
	warn bool // the run is not complete: findings are warnings

	root   *evidence.Root // nil when it cannot be looked at
	opened bool
}

func (l *ledger) close() {
	if l.root != nil {
		l.root.Close()
	}
}

func (l *ledger) entry(i int) verify.Place {
	return l.at(SnapshotFile, fmt.Sprintf("/artifacts/%d", i))
}

// required holds an entry to what completion asks for; the first rule that
// fails is reported.
func (l *ledger) required(i int, entry canon.Value) {
	node := verify.Show(entry.Get("nodeId"))
	switch v := entry.Get("verification"); {
	case entry.Get("failed").Truthy():
		l.out.Add("complete.artifact.failed", l.entry(i), verify.What{Found: "the node " + node + " failed", Expected: "its artifact"})
	case entry.Get("skipped").Truthy() && (entry.Get("nodeId").Is(event.NodeProve) || entry.Get("nodeId").Is(event.NodeHandoff)):
		l.out.Add("complete.artifact.skipped-invariant", l.entry(i), verify.What{Found: "the node " + node + " was skipped", Expected: "its artifact"})
	case entry.Get("skipped").Truthy() && !entry.Get("skipReason").Truthy():
		l.out.Add("complete.artifact.skipped-no-reason", l.entry(i), verify.What{Found: "the node " + node + " was skipped without a reason", Expected: "a skipReason"})
	case entry.Get("skipped").Truthy():
	case !entry.Get("present").Truthy() || !usableClaim(v):
		l.out.Add("complete.artifact.absent", l.entry(i), verify.What{Found: "no sealed claim for the node " + node, Expected: "a claim about " + verify.Show(entry.Get("path"))})
	default:
		if name, ok := l.file(i, entry); ok {
			l.content(i, entry, name)
		}
	}
}

// add reports a finding about a file: an error of a complete run, a warning of
// another.
func (l *ledger) add(rule string, i int, what verify.What) {
	if !l.warn {
		l.out.Add(rule, l.entry(i), what)
		return
	}
	r, _ := Table.Lookup(rule)
	if what.Hint == "" {
		what.Hint = r.Do
	}
	at := l.entry(i)
	l.out.Append(verify.Finding{Rule: rule, Severity: verify.Warning, Artifact: at.Artifact, Pointer: at.Pointer,
		Found: what.Found, Expected: what.Expected, Hint: what.Hint, NotEvaluated: what.Unevaluated})
}

// file compares the file of an entry with its claim. It returns the file's name
// below the root, and whether nothing is wrong with it.
func (l *ledger) file(i int, entry canon.Value) (name string, ok bool) {
	shown := canon.FirstTruthy(entry.Get("evidenceArtifact"), entry.Get("path"))
	rel, inside := l.relative(canon.UTF8(shown.Text()))
	if !inside {
		l.add("artifact.escape", i, verify.What{Found: verify.Show(shown) + " outside the artifact root", Expected: "a path inside it"})
		return "", false
	}
	if !l.open() {
		return "", false
	}
	if rule, what := l.look(rel); rule != "" {
		what.Found = verify.Quote(rel) + ": " + what.Found
		l.add(rule, i, what)
		return "", false
	}
	return rel, l.compare(i, entry, rel)
}

// relative is an artifact path relative to the root: as text, and refused when
// it begins with two dots (14 §2.1).
func (l *ledger) relative(p string) (rel string, inside bool) {
	rel = path.Clean(p)
	if path.IsAbs(rel) {
		root := path.Clean(l.state.root)
		rest, below := strings.CutPrefix(rel, strings.TrimSuffix(root, "/")+"/")
		if !below && rel != root {
			return "", false
		}
		if rel = rest; !below {
			rel = "."
		}
	}
	return rel, p != "" && !strings.HasPrefix(rel, "..")
}

// open opens the mapped root, once, and tells when there is none.
func (l *ledger) open() bool {
	if l.opened {
		return l.root != nil
	}
	l.opened = true
	recorded := l.state.root
	found := "a run that is bound to no root"
	if recorded != "" {
		found = "the root " + verify.Quote(recorded) + " of another machine, and no directory given for it"
		for _, m := range l.opt.Roots {
			if path.Clean(m.Recorded) != path.Clean(recorded) {
				continue
			}
			root, err := evidence.Open(m.Local)
			if err == nil {
				l.root = root
				return true
			}
			found = "a directory given for " + verify.Quote(recorded) + " that cannot be opened"
		}
	}
	l.out.Add("artifact.not-evaluated", l.rootPlace(recorded), verify.What{Found: found, Expected: "the directory with the run's artifacts"})
	return false
}

// rootPlace is where the artifact root is stated: in the configuration, or, where
// the snapshot is behind, in a later event.
func (l *ledger) rootPlace(root string) verify.Place {
	if configured := l.config.value.Get("artifactRoot").Text(); root != configured && root != path.Clean(configured) {
		return l.at(JournalFile, "")
	}
	return l.at(ConfigFile, "/artifactRoot")
}

// look resolves a path below the root as 14 §2.1 does; it returns the rule that
// fails, or "".
func (l *ledger) look(rel string) (rule string, what verify.What) {
	target := filepath.Join(l.root.Dir(), filepath.FromSlash(rel))
	info, err := os.Stat(target)
	switch {
	case evidence.IsAbsent(err):
		return "artifact.missing", verify.What{Found: "no such file", Expected: "the file that was claimed"}
	case err != nil:
		return "artifact.missing", verify.What{Found: trouble("it", err).Error(), Unevaluated: true}
	case isLink(target):
		return "artifact.symlink", verify.What{Found: "a symbolic link", Expected: "the file itself"}
	case !info.Mode().IsRegular():
		return "artifact.not-regular", verify.What{Found: kindOf(info.Mode()), Expected: "a file"}
	}
	real, err := filepath.EvalSymlinks(target)
	if err != nil {
		return "artifact.missing", verify.What{Found: trouble("it", err).Error(), Unevaluated: true}
	}
	if below, err := filepath.Rel(l.root.Dir(), real); err != nil || strings.HasPrefix(below, "..") {
		return "artifact.escape", verify.What{Found: "a linked parent directory leads outside the artifact root", Expected: "a file inside it"}
	}
	return "", verify.What{}
}

func kindOf(m fs.FileMode) string {
	if m.IsDir() {
		return "a directory"
	}
	return "not a regular file"
}

// compare hashes the file and compares it with the claim.
func (l *ledger) compare(i int, entry canon.Value, rel string) bool {
	want := entry.Get("verification").Get("sha256").Text()
	res, refused := l.root.OwnFile(rel, verify.Base)
	if refused != nil {
		l.add("artifact.missing", i, verify.What{Found: refused.Error(), Unevaluated: refused.Unevaluated})
		return false
	}
	got, err := l.root.DigestResolved(res)
	if err != nil {
		l.add("artifact.missing", i, verify.What{Found: err.Error(), Unevaluated: evidence.IsTrouble(err)})
		return false
	}
	if got.SHA256 != want {
		l.add("artifact.sha256-mismatch", i, verify.What{Found: verify.Quote(rel) + " with SHA-256 " + got.SHA256, Expected: want + ", as sealed",
			Hint: l.root.LineEndHint(rel, want)})
		return false
	}
	return true
}

// content holds the proof and the production assessment of a complete run to
// their own contracts (14 §2.4, 2.5).
func (l *ledger) content(i int, entry canon.Value, rel string) {
	switch {
	case entry.Get("nodeId").Is(event.NodeProve):
		l.proof(i, rel)
	case entry.Get("nodeId").Is(event.NodeProduction):
		l.production(i, rel)
	}
}

func (l *ledger) proof(i int, rel string) {
	res, refused := l.root.OwnFile(rel, verify.Base)
	if refused != nil {
		return // it was there a moment ago; the digest was compared
	}
	a, err := l.root.ReadResolved(res, canon.MaxDocument)
	if err != nil {
		var fe *evidence.FileError
		trouble := !errors.As(err, &fe) || fe.Kind != evidence.TooLarge
		l.out.Add("finish.proof.invalid", l.entry(i), verify.What{Found: err.Error(), Expected: "a proof that can be read", Unevaluated: trouble})
		return
	}
	_, findings := proof.ReadUASH(a.Data, rel, verify.Base, proof.Options{})
	if findings.Errors() > 0 {
		l.out.Wrap("finish.proof.invalid", l.entry(i), verify.What{Found: verify.Quote(rel) + " is no valid proof", Expected: "a valid uash.proof.v1"}, onlyErrors(findings))
	}
}

func (l *ledger) production(i int, rel string) {
	dir := filepath.Join(l.root.Dir(), filepath.FromSlash(path.Dir(path.Dir(rel))))
	root, err := evidence.Open(dir)
	if err != nil {
		l.out.Add("finish.production.invalid", l.entry(i), verify.What{Found: trouble("its directory", err).Error(), Unevaluated: true})
		return
	}
	defer root.Close()
	policy := l.config.value.Get("adapterPolicy")
	below := path.Join(path.Base(path.Dir(rel)), path.Base(rel))
	o, err := readiness.AtBridge(l.ctx, readiness.Input{Root: root, Path: below, Level: verify.Base}, policy.Get("productionReadinessSchema").Text())
	if err != nil {
		l.out.Add("finish.production.invalid", l.entry(i), verify.What{Found: "not judged: " + err.Error(), Unevaluated: true})
		return
	}
	if o.Findings.Errors() > 0 {
		l.out.Wrap("finish.production.invalid", l.entry(i), verify.What{Found: verify.Quote(rel) + " is no valid assessment", Expected: "a valid assessment of production readiness"}, onlyErrors(o.Findings))
	}
}

func onlyErrors(f *verify.Findings) (errors []verify.Finding) {
	for _, x := range f.List() {
		if x.Severity == verify.Error {
			errors = append(errors, x)
		}
	}
	return errors
}
