package scaffold

import (
	"errors"
	"fmt"
	"time"

	"finishline/canon"
	"finishline/verify/gate"
	"finishline/verify/gate/workload"
)

// A Request is what a person wants done, and within which bounds.
type Request struct {
	RunID, Profile, Commit, Environment string
	// Text is the request; white space around it is dropped.
	Text string
	// Actor is the person who asks.
	Actor   string
	Outcome string // what is different afterwards

	Constraints, Exclusions []string
	Allowed                 []string
	// Forbidden are actions beyond those that every run forbids.
	Forbidden []string
	// Stopping are the conditions under which the work is done.
	Stopping []string
}

// Intake makes the intake of a request received at that time (09a §2). Its
// budget is the one that the classifier gives such a request, as the route
// demands. The error is a *workload.UnknownProfileError.
func Intake(r Request, received time.Time) (Draft, error) {
	rules, err := workload.Load()
	if err != nil {
		return Draft{}, err
	}
	request := canon.Trim(r.Text)
	derived, err := rules.Analyse(request).Classify(r.Profile)
	if err != nil {
		return Draft{}, err
	}
	classified, err := members(derived, workload.Texts{}, "taskType", "controlledDocumentation", "effectiveTier")
	if err != nil {
		return Draft{}, err
	}
	doc := object(
		text("schema", "uash.intake.v1"), text("runId", r.RunID), text("receivedAt", timestamp(received)),
		text("profile", r.Profile), text("requestedProfile", r.Profile), text("commit", r.Commit), text("environment", r.Environment),
		text("requestText", request), text("requestSha256", canon.TextDigest(request)),
		member("source", object(text("actorType", "human"), text("actor", r.Actor))),
		text("outcome", r.Outcome), texts("constraints", r.Constraints), texts("exclusions", r.Exclusions),
		texts("allowedActions", r.Allowed), texts("forbiddenActions", append(gate.MandatoryForbidden(), r.Forbidden...)),
		texts("stoppingConditions", r.Stopping), member("executionBudget", rules.Budget(object(classified...))),
	)
	return Draft{Gate: "intake", Files: []File{{intakePath, doc}}}, nil
}

// members are derived members of a classification, by name.
func members(derived *workload.Classification, from workload.Texts, names ...string) ([]canon.Member, error) {
	var list []canon.Member
	for _, name := range names {
		v, err := derived.Member(name, from)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, member(name, v))
	}
	return list, nil
}

// Classification makes the classification of the run's intake (09a §3, 09b §2).
// The sentences of the format that it may need are looked for in the values
// that are handed over and in the catalogs of the pack; one that is nowhere is
// a *workload.UnknownTextError.
func (p Place) Classification(sentences []canon.Value, now time.Time) (Draft, error) {
	intake, err := p.need(intakePath)
	if err != nil {
		return Draft{}, err
	}
	rules, err := workload.Load()
	if err != nil {
		return Draft{}, err
	}
	request, isText := intake.Get("requestText").Str()
	if !isText {
		return Draft{}, &NeedError{intakePath, "it holds no request text", makers[intakePath]}
	}
	derived, err := rules.Analyse(request).Classify(intake.Get("requestedProfile").Text())
	if err != nil {
		return Draft{}, err
	}
	catalogs := p.catalogs()
	list, err := members(derived, rules.TextsIn(append(catalogs.values(), sentences...)...), workload.Members...)
	if err != nil {
		return Draft{}, err
	}
	head := []canon.Member{text("schema", "uash.workload-classification.v1"), text("generatedAt", timestamp(now))}
	for _, name := range []string{"runId", "requestSha256", "profile", "requestedProfile", "environment", "commit"} {
		head = append(head, member(name, intake.Get(name)))
	}
	digests, err := catalogs.digests()
	if err != nil {
		return Draft{}, err
	}
	doc := object(append(append(head, list...), member("catalogDigests", digests))...)
	if canon.Pretty(doc) == nil {
		return Draft{}, &NeedError{intakePath, "it lacks a member that the classification copies", makers[intakePath]}
	}
	return Draft{Gate: "workload-classification", Files: []File{{classificationPath, doc}}}, nil
}

// IsUnknownText reports whether an error says that a sentence of the format is
// not at hand, and which.
func IsUnknownText(err error) (*workload.UnknownTextError, bool) {
	var unknown *workload.UnknownTextError
	return unknown, errors.As(err, &unknown)
}
