package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/internal/atomicfile"
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/finish"
)

type reviewNewCmd struct {
	reviewRunFlags
	Scout       string `required:"" help:"Who found out what was asked for: actor=ID,session=ID,execution=ID,type=TYPE, where TYPE is agent, human or service." placeholder:"ROLE"`
	Implementer string `required:"" help:"Who did it." placeholder:"ROLE"`
	Verifier    string `required:"" help:"Who checked it." placeholder:"ROLE"`
	Reviewer    string `required:"" help:"Who reviews it, independently of the others, and signs." placeholder:"ROLE"`
	Summary     string `help:"The reviewer's decision to accept, in at least 8 characters; left for him to write unless given." placeholder:"TEXT"`
	Bundle      string `help:"The evidence bundle that was looked at: its digest, or the file of finishline packet bundle; - reads standard input. The review is refused when it is not the run's any more." placeholder:"DIGEST|FILE"`
	outputFlags
}

func (reviewNewCmd) Help() string {
	return `Writes review/review.json for a run whose documents and proof are there: bound to its proof, validation runtime and evidence bundle, all of which are verified first. No two roles may share an actor, a session or an execution. The reviewer adds findings and blockers, decides, and signs with finishline review sign. Never overwrites a review.

Examples:
  finishline review new --scout actor=scout-1,session=s1,execution=s1/1,type=agent \
    --implementer actor=writer-1,session=s2,execution=s2/1,type=agent \
    --verifier actor=checker-1,session=s3,execution=s3/1,type=agent \
    --reviewer actor=jonas.weil,session=s4,execution=s4/1,type=human
  finishline packet bundle | finishline review new --bundle - ...`
}

func (c reviewNewCmd) Run(s *session) error {
	roles, err := c.roles()
	if err != nil {
		return err
	}
	file := filepath.Join(c.Dir, filepath.FromSlash(review.DefaultPath))
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s: %w", review.DefaultPath, atomicfile.ErrExists)
	}
	bundle, digest, err := c.bundle(s)
	if err != nil {
		return err
	}
	run := c.run(s)
	bound, report, err := finish.BindReview(s.ctx, run, c.now(s))
	if err != nil {
		return err
	}
	if bound == nil {
		return c.refuse(s, report)
	}
	if digest != "" && digest != bound.BundleSHA256 {
		return staleBundle(digest, bundle, bound)
	}
	doc := review.New(bound.RunBinding, roles, c.Summary, s.now())
	if ok, err := c.check(s, run, doc); !ok {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := atomicfile.Create(file, canon.Pretty(doc)); err != nil {
		return err
	}
	value := canon.Build(
		canon.Member{Name: "review", Value: canon.NewString(review.DefaultPath)},
		canon.Member{Name: "runId", Value: canon.NewString(bound.RunID)},
		canon.Member{Name: "evidenceBundleSha256", Value: canon.NewString(bound.BundleSHA256)},
	)
	return s.print(c.outputFlags, value, func(w io.Writer) {
		fmt.Fprintf(w, "%s is ready for its reviewer, run %s, evidence bundle %s\n", review.DefaultPath, bound.RunID, bound.BundleSHA256)
	})
}

func (c reviewNewCmd) refuse(s *session, report *verify.Report) error {
	report.Notes = append(report.Notes, "nothing was written")
	return s.report(c.outputFlags, report)
}

// check verifies the review as it would be written, and that anybody may sign
// it. Unless ok, it is refused: the reasons are in a report that was printed,
// or in the error.
func (c reviewNewCmd) check(s *session, run finish.Run, doc canon.Value) (ok bool, err error) {
	report, err := finish.Review(s.ctx, run, finish.ReviewOptions{Proposed: canon.Pretty(doc)})
	if err != nil {
		return false, err
	}
	awaited := review.SkeletonRules(c.Summary)
	report.Findings = slices.DeleteFunc(report.Findings, func(f verify.Finding) bool { return slices.Contains(awaited, f.Rule) })
	if verify.Fold(report.Findings) != verify.Pass {
		return false, c.refuse(s, report)
	}
	root, err := evidence.Open(run.Dir)
	if err != nil {
		return false, err
	}
	defer root.Close()
	store, findings := s.pinnedStore(root)
	if store == nil || findings.Errors() > 0 { // the evidence bundle rests on the same store
		return false, errors.New("the trust store changed meanwhile")
	}
	if keys := store.KeysFor(doc); len(keys) == 0 {
		return false, &advisedError{"no active key of the trust store may sign for this reviewer", keysAdvice(keys)}
	}
	return true, nil
}

func (c reviewNewCmd) roles() (review.Roles, error) {
	var roles review.Roles
	for _, r := range []struct {
		flag, text string
		role       *review.Role
	}{
		{"--scout", c.Scout, &roles.Scout}, {"--implementer", c.Implementer, &roles.Implementer},
		{"--verifier", c.Verifier, &roles.Verifier}, {"--reviewer", c.Reviewer, &roles.IndependentReviewer},
	} {
		role, err := parseRole(r.text)
		if err != nil {
			return roles, usagef("%s: %w", r.flag, err)
		}
		*r.role = role
	}
	return roles, nil
}

// parseRole reads actor=ID,session=ID,execution=ID,type=TYPE, in any order.
func parseRole(text string) (review.Role, error) {
	var role review.Role
	parts := map[string]*string{"actor": &role.ActorID, "session": &role.SessionID, "execution": &role.ExecutionID, "type": &role.ActorType}
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		at, known := parts[name]
		switch {
		case !ok || !known:
			return role, fmt.Errorf("%s is not one of actor=ID, session=ID, execution=ID, type=TYPE", verify.Quote(part))
		case *at != "":
			return role, fmt.Errorf("%s is given twice", name)
		case value == "":
			return role, fmt.Errorf("%s is empty", name)
		}
		*at = value
	}
	for _, name := range []string{"actor", "session", "execution", "type"} {
		if *parts[name] == "" {
			return role, fmt.Errorf("%s is missing", name)
		}
	}
	return role, nil
}

// bundle is what --bundle says: the bundle, when it was given in full, and its
// digest. A file holds either form of what finishline packet bundle prints.
func (c reviewNewCmd) bundle(s *session) (canon.Value, string, error) {
	if c.Bundle == "" || canon.IsHex64(c.Bundle) {
		return canon.Value{}, canon.LowerASCII(c.Bundle), nil
	}
	data, err := s.readInput(c.Bundle)
	if err != nil {
		return canon.Value{}, "", err
	}
	if digest := strings.TrimSpace(string(data)); canon.IsHex64(digest) {
		return canon.Value{}, canon.LowerASCII(digest), nil
	}
	doc, err := canon.Read(data, canon.MaxSubject)
	if err != nil || doc.DefectCount > 0 || !doc.Root.Get("bundle").IsObject() {
		return canon.Value{}, "", &advisedError{c.Bundle + " is no evidence bundle", "give what finishline packet bundle prints, or the bundle's digest"}
	}
	bundle := doc.Root.Get("bundle")
	return bundle, canon.Digest(bundle), nil
}

func staleBundle(digest string, bundle canon.Value, bound *finish.BoundReview) error {
	reason := fmt.Sprintf("the evidence bundle %s is stale: the run's is %s now", digest, bound.BundleSHA256)
	if bundle.Present() {
		if at := firstDifference(canon.Node{Value: bundle}, bound.Bundle); at != "" {
			reason += ", and " + at + " differs first"
		}
	}
	return &advisedError{reason, "look at the evidence as it is now (finishline packet bundle), or put back what was looked at; nothing was written"}
}

// firstDifference is the JSON pointer of the first value, in the order of the
// first document, that the second one does not have in the same place.
func firstDifference(a canon.Node, b canon.Value) string {
	switch {
	case canon.Equal(a.Value, b):
		return ""
	case a.IsObject() && b.IsObject():
		for _, m := range a.Members() {
			if at := firstDifference(a.At(m.Name), b.Get(m.Name)); at != "" {
				return at
			}
		}
	case a.IsArray() && b.IsArray():
		for i, e := range b.Elems() {
			if at := firstDifference(a.Index(i), e); at != "" {
				return at
			}
		}
	}
	return a.Pointer
}
