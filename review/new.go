package review

import (
	"fmt"
	"time"

	"finishline/canon"
	"finishline/verify"
)

// A RunBinding is what binds a review to one run as it is now: the digests that
// its packet will have (contract 02 §9).
type RunBinding struct {
	RunID, Commit, Environment string
	// Subject is the artifact under review, SubjectSHA256 its digest D1.
	Subject, SubjectSHA256 string
	// RouteSHA256 is the digest D1 of [RoutePath].
	RouteSHA256 string
	// TrustSHA256 is the operator's pin, RuntimeSHA256 the validation runtime's
	// setSha256, BundleSHA256 the digest of the evidence bundle.
	TrustSHA256, RuntimeSHA256, BundleSHA256 string
}

// A Role says who had a part in the run (contract 02 §3).
type Role struct{ ActorID, SessionID, ExecutionID, ActorType string }

// Roles are the four parts of a run.
type Roles struct{ Scout, Implementer, Verifier, IndependentReviewer Role }

// New makes a review of a run that waits for the reviewer: bound to the run, with
// its roles, and without findings, blockers and attestation. An empty summary
// leaves the decision open, for the reviewer to write; a summary is that of an
// acceptance.
//
// A verifier has something to say against it: [SkeletonRules], and nothing else
// when binding and roles are sound.
func New(b RunBinding, roles Roles, summary string, generatedAt time.Time) canon.Value {
	decision := "accepted"
	if summary == "" {
		decision = "undecided"
	}
	return object(
		text("schema", Schema), text("generatedAt", generatedAt.UTC().Truncate(time.Second).Format(time.RFC3339)),
		text("runId", b.RunID), text("commit", b.Commit), text("environment", b.Environment), text("status", "passed"),
		member("subject", object(text("artifact", b.Subject), text("sha256", b.SubjectSHA256))),
		text("reviewTrustSha256", b.TrustSHA256), text("validationRuntimeSha256", b.RuntimeSHA256),
		text("evidenceBundleSha256", b.BundleSHA256),
		member("roleProvenance", object(
			text("schema", RolesSchema),
			member(roleScout, roles.Scout.value(artifactEvidence(RoutePath, b.RouteSHA256))),
			member(roleImplementer, roles.Implementer.value(artifactEvidence(b.Subject, b.SubjectSHA256))),
			member(roleVerifier, roles.Verifier.value(artifactEvidence(b.Subject, b.SubjectSHA256))),
			member(roleReviewer, roles.IndependentReviewer.value(
				object(text("kind", "review-evidence-bundle"), text("sha256", b.BundleSHA256)))),
		)),
		member("decision", object(text("status", decision), text("summary", summary))),
		member("findings", canon.NewArray()), member("blockers", canon.NewArray()),
	)
}

// SkeletonRules are the rules that a review of [New] breaks until it is decided
// and signed.
func SkeletonRules(summary string) []string {
	rules := []string{"review.attestation.missing"}
	if summary == "" {
		rules = append(rules, "review.decision.status", "review.decision.summary")
	}
	return rules
}

func (r Role) value(evidence canon.Value) canon.Value {
	return object(text("actorId", r.ActorID), text("sessionId", r.SessionID), text("executionId", r.ExecutionID),
		text("actorType", r.ActorType), member("evidence", evidence))
}

func artifactEvidence(path, sha256 string) canon.Value {
	return object(text("kind", "artifact"), text("path", path), text("sha256", sha256))
}

func object(members ...canon.Member) canon.Value { return canon.Build(members...) }

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

func text(name, s string) canon.Member { return member(name, canon.NewString(s)) }

// A StaleError says that a review is bound to something else than the run as it
// is now: the run changed since, or the review is of another one.
type StaleError struct {
	Pointer         string // of the first member that differs
	Found, Expected string
	More            int // members that differ too
}

func (e *StaleError) Error() string {
	s := fmt.Sprintf("the review is stale: %s is %s, the run now has %s", e.Pointer, e.Found, e.Expected)
	if e.More > 0 {
		s += fmt.Sprintf(", and %d more members differ", e.More)
	}
	return s
}

// Hint is what to do about it.
func (e *StaleError) Hint() string {
	return "look at the evidence as it is now and start again with finishline review new, or put back what was reviewed"
}

// Check compares a review with the run that it must be bound to. The error is a
// *StaleError.
func (b RunBinding) Check(review canon.Value) error {
	root := canon.Node{Value: review}
	var stale *StaleError
	for _, bound := range []struct {
		at       canon.Node
		expected string
	}{
		{root.At("runId"), b.RunID}, {root.At("commit"), b.Commit}, {root.At("environment"), b.Environment},
		{root.At("subject").At("artifact"), b.Subject}, {root.At("subject").At("sha256"), b.SubjectSHA256},
		{root.At("reviewTrustSha256"), b.TrustSHA256}, {root.At("validationRuntimeSha256"), b.RuntimeSHA256},
		{root.At("evidenceBundleSha256"), b.BundleSHA256},
	} {
		switch {
		case bound.at.Is(bound.expected) && bound.expected != "":
		case stale == nil:
			stale = &StaleError{Pointer: bound.at.Pointer, Found: verify.Show(bound.at.Value), Expected: verify.Quote(bound.expected)}
		default:
			stale.More++
		}
	}
	if stale == nil {
		return nil
	}
	return stale
}
