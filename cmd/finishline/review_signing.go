package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/internal/atomicfile"
	"finishline/internal/sshkey"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/finish"
)

// reviewFileFlags say which review is signed. Producers work at strict level.
type reviewFileFlags struct {
	reviewRunFlags
	Review     string `help:"The review, relative to the run's directory." default:"review/review.json" placeholder:"PATH"`
	StandAlone bool   `name:"stand-alone" help:"Do not check that the review is bound to the run as it is now: proof, runtime and evidence bundle are signed as the review states them."`
}

// reviewRunFlags say where the run is, for the commands that write its review.
type reviewRunFlags struct {
	Dir                string   `arg:"" optional:"" default:"." help:"The run's directory, in its repository." type:"path"`
	Runtime            string   `help:"The pack with scripts, controls and skills. Found by itself unless given: .valdris-harness when it exists, else the run's directory." type:"path" placeholder:"DIR"`
	AcceptNotEvaluated []string `name:"accept-not-evaluated" help:"Accept that this gate of the run was not evaluated." placeholder:"GATE"`
	gitFlags
}

// now is how the run is bound as it is now.
func (f reviewRunFlags) now(s *session) finish.CreateOptions {
	return finish.CreateOptions{Now: s.now(), AcceptNotEvaluated: f.AcceptNotEvaluated}
}

func (f reviewRunFlags) run(s *session) finish.Run {
	return s.run(runFlags{Dir: f.Dir, Runtime: f.Runtime, gitFlags: f.gitFlags})
}

// A signing is a review on the way to its signature.
type signing struct {
	s     *session
	flags reviewFileFlags
	out   outputFlags
	run   finish.Run
	path  string // of the review, as findings name it
	file  string // of the review, on the disk
	data  []byte // as it was read
	doc   canon.Value
	store *review.Store // the pinned one
}

// openSigning reads the review and the trust store that it is signed under. It
// is nil when there is nothing to sign: the reasons are in a report that was
// printed, or in the error.
func (s *session) openSigning(flags reviewFileFlags, out outputFlags) (*signing, error) {
	g := &signing{s: s, flags: flags, out: out, run: flags.run(s), path: flags.Review}
	root, err := evidence.Open(flags.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	artifact, doc, bad := root.ReadDocument(flags.Review, verify.Strict, (*evidence.Root).OwnFile, canon.MaxReview)
	if bad != nil {
		return nil, &advisedError{fmt.Sprintf("%s: %s", flags.Review, bad), "finishline review new writes a review of the run"}
	}
	g.data, g.doc = artifact.Data, doc.Root
	g.file = filepath.Join(root.Dir(), filepath.FromSlash(artifact.Path))
	findings := review.Table.Collect(verify.Strict)
	evidence.ReadFindings(findings, flags.Review, doc, nil)
	store, part := s.pinnedStore(root)
	findings.Merge(part)
	if store == nil || findings.Errors() > 0 {
		return nil, g.refuse(&verify.Report{
			Subject:  verify.Subject{Kind: "review", Path: flags.Review, SHA256: artifact.SHA256},
			Findings: findings.List(), Omitted: findings.Omitted(),
			Checked: []verify.Checked{{Verifier: review.Table.Name, Rules: review.TrustTable.Count(verify.Strict), Artifacts: root.Artifacts()}},
		})
	}
	g.store = store
	if err := g.unsigned(); err != nil {
		return nil, err
	}
	return g, nil
}

// pinnedStore is the trust store of a run, which must be the pinned one.
func (s *session) pinnedStore(root *evidence.Root) (*review.Store, *verify.Findings) {
	findings := review.Table.Collect(verify.Strict)
	pin := review.ParsePin(s.pin())
	pin.Report(findings)
	live, part := review.LoadLive(root, review.PackDefault, "", verify.Strict)
	findings.Merge(part)
	if live.Store != nil {
		pin.ReportLive(findings, live.Path, live.Store)
	}
	return live.Store, findings
}

// unsigned refuses a review whose signature verifies: there is nothing to do.
// One that does not verify is replaced.
func (g *signing) unsigned() error {
	attestation := g.doc.Get("attestation")
	if !attestation.Has("signature") {
		return nil
	}
	report, err := finish.Review(g.s.ctx, g.run, finish.ReviewOptions{Path: g.path})
	if err != nil || report.Verdict() != verify.Pass {
		return err
	}
	return &advisedError{g.path + " is signed already, with key " + verify.Quote(attestation.Get("keyId").Text()),
		"nothing was written; remove the attestation to have it signed again"}
}

// refuse prints why nothing was signed.
func (g *signing) refuse(report *verify.Report) error {
	report.Notes = append(report.Notes, "nothing was signed or written")
	return g.s.report(g.out, report)
}

// check verifies a review as it would be written, at strict level. Rules that
// are awaited may fail. Unless ok, it is refused: the reasons are in a report
// that was printed, or in the error. Warnings do not refuse.
func (g *signing) check(doc canon.Value, awaited ...string) (warnings []verify.Finding, ok bool, err error) {
	report, err := finish.Review(g.s.ctx, g.run, finish.ReviewOptions{Path: g.path, Proposed: canon.Pretty(doc)})
	if err != nil {
		return nil, false, err
	}
	report.Findings = slices.DeleteFunc(report.Findings, func(f verify.Finding) bool { return slices.Contains(awaited, f.Rule) })
	verdict := report.Verdict()
	if len(awaited) > 0 {
		verdict = verify.Fold(report.Findings) // that it is not signed yet withholds its pass
	}
	if verdict != verify.Pass {
		return nil, false, g.refuse(report)
	}
	return report.Findings, true, nil
}

// current checks that the review is bound to the run as it is now. Unless ok,
// it is refused as check does.
func (g *signing) current() (ok bool, err error) {
	if g.flags.StandAlone {
		return true, nil
	}
	bound, report, err := finish.BindReview(g.s.ctx, g.run, g.flags.now(g.s))
	if err != nil {
		return false, err
	}
	if bound == nil {
		return false, g.refuse(report)
	}
	if err := bound.Check(g.doc); err != nil {
		return false, err
	}
	return true, nil
}

// enrolled finds the key in the trust store by its bytes. Whether it is active
// and may sign for this reviewer is for the verifier to say.
func (g *signing) enrolled(s review.Signer) (review.Key, error) {
	key, found := g.store.KeyOf(review.PublicKey(s.Public()))
	if !found {
		return review.Key{}, &advisedError{"key " + sshkey.Fingerprint(s.Public()) + " is not in the pinned trust store",
			"sign with a key that is enrolled, or have this one enrolled (finishline trust add), committed, and the new store pinned"}
	}
	return key, nil
}

// write puts the review in the place of the one that was read, if that is still
// what is there.
func (g *signing) write(doc canon.Value) error {
	now, err := os.ReadFile(g.file)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, g.data) {
		return &advisedError{g.path + " was changed meanwhile; nothing was written", "look at it and sign again"}
	}
	return atomicfile.Replace(g.file, canon.Pretty(doc))
}

// maxShown bounds how many findings and blockers are listed, and how many
// members of each.
const maxShown = 20

// printSigning shows what is about to be signed. What comes from the review is
// quoted and shortened; the digest is that of all of it.
func printSigning(w io.Writer, g *signing, draft *review.Draft, key review.Key, warnings []verify.Finding) {
	doc := draft.Document()
	show := func(name, format string, args ...any) {
		fmt.Fprintf(w, "  %-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	v := func(path ...string) string {
		value := doc
		for _, name := range path {
			value = value.Get(name)
		}
		return verify.Show(value)
	}
	fmt.Fprintf(w, "%s\n", g.path)
	show("run", "%s in %s at %s", v("runId"), v("environment"), v("commit"))
	show("subject", "%s %s", v("subject", "artifact"), v("subject", "sha256"))
	show("runtime", "%s", v("validationRuntimeSha256"))
	bundle := "the run's, as it is now"
	if g.flags.StandAlone {
		bundle = "not compared with the run, and neither is the runtime"
	}
	show("bundle", "%s (%s)", v("evidenceBundleSha256"), bundle)
	for _, role := range []string{"scout", "implementer", "verifier", "independentReviewer"} {
		name := strings.TrimPrefix(role, "independent")
		show(strings.ToLower(name), "%s, %s", v("roleProvenance", role, "actorId"), v("roleProvenance", role, "actorType"))
	}
	show("decision", "%s: %s", v("decision", "status"), v("decision", "summary"))
	for _, list := range []string{"findings", "blockers"} {
		printEntries(show, strings.TrimSuffix(list, "s"), doc.Get(list).Elems())
	}
	show("trust store", "%s", g.store.Pin)
	show("key", "%s %s", key.ID, sshkey.Fingerprint(key.Public[:]))
	show("signed at", "%s", draft.SignedAt())
	show("payload", "%d bytes, SHA-256 %s", len(draft.Payload()), canon.SHA256(draft.Payload()))
	for _, f := range warnings {
		show(f.Severity.String(), "%s: found %s, expected %s", f.Rule, f.Found, f.Expected)
	}
}

func printEntries(show func(name, format string, args ...any), name string, entries []canon.Value) {
	if len(entries) == 0 {
		show(name+"s", "none")
	}
	for i, entry := range entries {
		if i == maxShown {
			show("", "and %d more", len(entries)-i)
			return
		}
		var parts []string
		for _, m := range entry.Members()[:min(entry.Len(), maxShown)] {
			parts = append(parts, verify.Quote(m.Name)+" "+verify.Show(m.Value))
		}
		show(name, "%s", strings.Join(parts, ", "))
	}
}
