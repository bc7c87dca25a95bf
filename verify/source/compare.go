package source

import (
	"context"
	"strings"

	"finishline/canon"
	"finishline/internal/git"
	"finishline/verify"
)

// Add reports a state that cannot be computed under the rule that makes it so.
func (e *Error) Add(out *verify.Findings, artifact string) {
	out.Add(e.Rule, verify.At(artifact, ""), e.what())
}

// Causes is the error as the cause of a rule that wraps it, such as source.state-unavailable or
// packet.proof.application-unavailable.
func (e *Error) Causes(level verify.Level, artifact string) []verify.Finding {
	out := Table.Collect(level)
	e.Add(out, artifact)
	return out.List()
}

func (e *Error) what() verify.What {
	found := e.Reason
	if e.Path != "" {
		found = verify.Quote(e.Path) + ": " + e.Reason
	}
	return verify.What{Found: found, Expected: e.Expected, Hint: e.Hint, Unevaluated: e.Unevaluated}
}

// Difference is a rule of 03 B.8 that fails: something a proof says about the source and the repository contradicts.
type Difference struct {
	Rule    string // RuleTargetMismatch, RuleApplicationMismatch, RuleTreeMismatch or RuleCleanClaim
	Pointer string // of the proof's member
	What    verify.What
}

// Compare compares the source block of a portable proof with the application state of the target at the proof's commit. It
// covers all of 03 B.8 but the availability of the state, at both levels; a packet reports the rows under ids of its own
// (05 §5.3). A member of the wrong type never equals anything.
func Compare(proof canon.Node, repo *git.Repo, s *State) []Difference {
	source := proof.At("source")
	var list []Difference
	compare := func(rule, member, now, hint string) {
		claim := source.At(member)
		if text, ok := claim.Str(); !ok || text != now {
			list = append(list, Difference{rule, claim.Pointer,
				verify.What{Found: verify.Show(claim.Value), Expected: verify.Quote(now), Hint: hint}})
		}
	}
	compare(RuleTargetMismatch, "targetPath", s.TargetPath, "")
	compare(RuleApplicationMismatch, "applicationAfterSha256", s.SHA256(), s.Signs.Hint(repo))
	compare(RuleTreeMismatch, "gitTreeSha256", s.TreeSHA256(), "")
	if claim := source.At("dirtyAfter"); claim.IsBool(false) && s.Dirty {
		list = append(list, Difference{RuleCleanClaim, claim.Pointer,
			verify.What{Found: "false", Expected: "true, since the application state is dirty", Hint: s.Signs.Hint(repo)}})
	}
	return list
}

// CheckProof evaluates 03 B.8 for a proof that is verified by itself, and at strict level all rules of E.3 for its target.
// The proof's own validity is the business of package verify/proof. Findings go to out, whose table must use [Table];
// artifact is the proof's path.
func CheckProof(ctx context.Context, out *verify.Findings, t Target, artifact string, proof canon.Node) {
	t, done, err := t.withFiles()
	if err != nil {
		AddUnavailable(out, artifact, err)
		return
	}
	defer done()
	commit, _ := proof.At("run").At("commit").Str()
	state, err := Application(ctx, t, commit)
	if err != nil {
		AddUnavailable(out, artifact, err)
		return
	}
	for _, d := range Compare(proof, t.Repo, state) {
		out.Add(d.Rule, verify.At(artifact, d.Pointer), d.What)
	}
	CheckRepository(ctx, out, t, state)
	CheckStaleStat(ctx, out, t, state)
}

// AddUnavailable reports source.state-unavailable with the rule behind err as its cause. It takes any error of this package
// or of internal/git, that of git.Open included.
func AddUnavailable(out *verify.Findings, artifact string, err error) {
	e := AsError(err)
	out.Wrap(RuleStateUnavailable, verify.At(artifact, "/run/commit"), verify.What{Found: e.what().Found, Hint: e.Hint}, e.Causes(out.Level(), artifact))
}

// Signs are what a status and a diff tell about why a digest may differ without anyone having changed a file's meaning.
type Signs struct {
	Status git.StatusScanner
	Diff   git.DiffScanner
}

// Hint says what probably makes the work tree differ, for a finding about a dirty tree or another digest; "" when there is
// nothing to say beyond the rule's advice. It never changes a verdict (03 C.4).
func (s Signs) Hint(repo *git.Repo) string {
	configured := func(key string, values ...string) bool {
		value, ok := repo.Config(key)
		for _, v := range values {
			if ok && canon.LowerASCII(value) == v {
				return true
			}
		}
		return false
	}
	if s.Status.Tracked == 0 {
		return ""
	}
	switch {
	case s.Diff.AddedCR || configured("core.autocrlf", "true", "input", "yes", "on", "1") || configured("core.eol", "crlf"):
		return "some files have CRLF line ends where the commit may have LF, and the checkout's core.autocrlf and core.eol do not count; " +
			"say text and eol in a committed .gitattributes, or check out again with core.autocrlf=false"
	case configured("core.filemode", "false", "no", "off", "0"):
		return "the checkout's core.fileMode=false does not count, so a changed executable bit shows as a modification; restore the file modes"
	}
	var reasons []string
	if s.Status.Renamed > 0 {
		reasons = append(reasons, "renames")
	}
	if s.Diff.Binary {
		reasons = append(reasons, "modified binary files")
	}
	if s.Diff.Submodule {
		reasons = append(reasons, "submodules")
	}
	if len(reasons) > 0 {
		return "the digest of a modified tree with " + strings.Join(reasons, " and ") +
			" can depend on the version of Git; prove and verify a clean tree, whose digest is the same everywhere"
	}
	return ""
}
