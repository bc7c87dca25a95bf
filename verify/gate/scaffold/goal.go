package scaffold

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate"
	"finishline/verify/proof"
)

const (
	statusPending   = "pending"
	statusPassed    = "passed"
	statusCompleted = "completed"

	// maxSlug is how long an id made of a sentence is at most.
	maxSlug = 60
)

// Goal makes the goal of the run from its intake, classification and route (09a
// §9): open, with one pending condition for each stopping condition of the
// intake and each material unknown of the classification.
func (p Place) Goal(owner string, now time.Time) (Draft, error) {
	intake, err := p.need(intakePath)
	if err != nil {
		return Draft{}, err
	}
	cls, err := p.need(classificationPath)
	if err != nil {
		return Draft{}, err
	}
	route, err := p.need(routePath)
	if err != nil {
		return Draft{}, err
	}
	at := timestamp(now)
	doc := object(
		text("schema", "uash.goal.v1"), member("goalId", intake.Get("runId")), number("revision", 1),
		text("generatedAt", at), text("updatedAt", at), member("objective", intake.Get("requestText")),
		member("requestSha256", intake.Get("requestSha256")), text("initialRouteSha256", route.sha256), text("owner", owner),
		text("status", "in_progress"), member("profile", cls.Get("requestedProfile")), member("commit", intake.Get("commit")),
		member("environment", intake.Get("environment")), member("effectiveTier", cls.Get("effectiveTier")),
		text("workloadClassificationSha256", cls.sha256), member("budgets", route.Get("executionBudget")),
		array("stoppingConditions", conditions(intake, cls)...),
		array("checkpoints", checkpoint("routed", at, "request routed, goal set")),
	)
	if canon.Pretty(doc) == nil {
		return Draft{}, &NeedError{intakePath, "it lacks a member that the goal copies", makers[intakePath]}
	}
	return Draft{Gate: "goal", Files: []File{{goalPath, doc}}, mode: gate.Active}, nil
}

func checkpoint(id, at, summary string) canon.Value {
	return object(text("id", id), text("status", statusPassed), text("recordedAt", at), text("summary", summary))
}

// conditions are pending: nothing has been shown yet.
func conditions(intake, cls document) []canon.Value {
	var list []canon.Value
	taken := map[string]bool{}
	add := func(id, summary string) {
		taken[id] = true
		list = append(list, object(text("id", id), text("summary", summary), text("status", statusPending), array("evidence")))
	}
	for i, c := range intake.Get("stoppingConditions").Elems() {
		id := slug(c.Text())
		if id == "" || taken[id] {
			id = fmt.Sprintf("condition-%d", i+1)
		}
		add(id, c.Text())
	}
	for _, u := range cls.Get("materialUnknowns").Elems() {
		add("classification-unknown:"+u.Get("id").Text(), u.Get("summary").Text())
	}
	return list
}

// slug makes an id of a sentence: its ASCII letters and digits, in lower case,
// with one dash where anything else was. It is "" when there are none.
func slug(sentence string) string {
	var b strings.Builder
	for _, r := range canon.LowerASCII(sentence) {
		switch {
		case r < 0x80 && canon.IsAlnum(byte(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxSlug {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// Shown is what shows that the conditions of a goal hold.
type Shown struct {
	// Proofs are paths of proofs below the target, by the condition that each
	// shows. Every command of a proof becomes evidence.
	Proofs []Showing
	// Evidence are further items, by condition: an object whose members are
	// arrays of items of evidence (contract 07).
	Evidence canon.Value
	// Tool is the program that made the proofs.
	Tool, ToolVersion string
	// Summary is what the last checkpoint says.
	Summary string
}

// A Showing names a proof and the condition that it shows.
type Showing struct{ Condition, Path string }

// A ConditionError says that evidence was given for a condition that the goal
// does not have, or that a condition is left without any.
type ConditionError struct {
	Condition string
	Reason    string
	Known     []string
}

func (e *ConditionError) Error() string {
	return fmt.Sprintf("condition %s %s", verify.Quote(e.Condition), e.Reason)
}

// Hint says what to do.
func (e *ConditionError) Hint() string {
	if e.Known == nil {
		return "give a proof or other evidence that shows it"
	}
	return "its conditions are " + strings.Join(e.Known, ", ")
}

// A ProofError says that a proof does not show what it was given for.
type ProofError struct {
	Path     string
	Reason   string
	Findings []verify.Finding
}

func (e *ProofError) Error() string { return e.Path + ": " + e.Reason }

// Hint says what to do.
func (e *ProofError) Hint() string {
	return "finishline proof verify says what is wrong with a proof; finishline proof write makes one of a command"
}

// CompleteGoal makes the next revision of the run's goal: completed, with the
// evidence that was shown for each condition. A condition without evidence, or
// with a proof that does not verify, is never passed. The goal gate judges the
// result as at the finish line.
func (p Place) CompleteGoal(shown Shown, now time.Time) (Draft, error) {
	goal, err := p.need(goalPath)
	if err != nil {
		return Draft{}, err
	}
	if goal.Get("status").Is(statusCompleted) {
		return Draft{}, &NeedError{goalPath, "the goal is completed already", "a completed goal is not changed; start another run"}
	}
	c := completion{Place: p, goal: goal, items: map[string][]canon.Value{}}
	list, err := c.conditions(shown)
	if err != nil {
		return Draft{}, err
	}
	at := timestamp(now)
	revision, _ := goal.Get("revision").Num()
	checkpoints := append(slices.Clone(goal.Get("checkpoints").Elems()), checkpoint("completed", at, shown.Summary))
	doc := goal.Value
	for _, m := range []canon.Member{
		number("revision", revision+1), text("generatedAt", at), text("updatedAt", at), text("status", statusCompleted),
		array("stoppingConditions", list...), array("checkpoints", checkpoints...),
	} {
		doc = canon.With(doc, m.Name, m.Value)
	}
	return Draft{Gate: "goal", Files: []File{{goalPath, doc}}, Replaces: true}, nil
}

type completion struct {
	Place
	goal  document
	items map[string][]canon.Value
}

// conditions are those of the goal, with what was shown for them.
func (c completion) conditions(shown Shown) ([]canon.Value, error) {
	for _, s := range shown.Proofs {
		items, err := c.proofItems(s, shown)
		if err != nil {
			return nil, err
		}
		c.items[s.Condition] = append(c.items[s.Condition], items...)
	}
	for _, m := range shown.Evidence.Members() {
		c.items[m.Name] = append(c.items[m.Name], m.Value.Elems()...)
	}
	var list []canon.Value
	var known []string
	for _, n := range c.goal.Get("stoppingConditions").Elems() {
		id := evidence.Trimmed(n.Get("id"))
		known = append(known, id)
		items := append(slices.Clone(n.Get("evidence").Elems()), c.items[id]...)
		delete(c.items, id)
		if len(items) == 0 {
			return nil, &ConditionError{id, "has no evidence", nil}
		}
		n = canon.With(n, "status", canon.NewString(statusPassed))
		list = append(list, canon.With(n, "evidence", canon.NewArray(items...)))
	}
	for _, id := range slices.Sorted(maps.Keys(c.items)) {
		return nil, &ConditionError{id, "is none of the goal", known}
	}
	return list, nil
}

// proofItems are the commands of a proof, as evidence: each names the proof as
// the file that holds its output.
func (c completion) proofItems(s Showing, shown Shown) ([]canon.Value, error) {
	res, refErr := c.Target.SafeFile(s.Path, c.Level)
	if refErr != nil {
		return nil, &ProofError{Path: s.Path, Reason: refErr.Reason}
	}
	file, err := c.Target.ReadResolved(res, canon.MaxSubject)
	if err != nil {
		return nil, &ProofError{Path: s.Path, Reason: err.Error()}
	}
	runID := c.goal.Get("goalId").Text()
	result := proof.Read(file.Data, s.Path, c.Level, proof.Options{RunID: runID})
	if result.Findings.Errors() > 0 {
		return nil, &ProofError{s.Path, "the proof does not verify", result.Findings.List()}
	}
	var items []canon.Value
	item := func(command string, completedAt canon.Value) {
		items = append(items, object(
			text("type", evidence.TypeCommand), text("subject", s.Condition), text("runId", runID),
			member("commit", c.goal.Get("commit")), member("environment", c.goal.Get("environment")),
			text("trustTier", "automated-local"),
			member("producer", object(text("name", shown.Tool), text("version", shown.ToolVersion), text("kind", "tool"))),
			text("command", command), number("exitCode", 0), member("completedAt", completedAt),
			text("outputPath", s.Path), text("outputDigest", file.SHA256)))
	}
	switch {
	case result.UASH != nil && result.UASH.Valid():
		for _, cmd := range result.UASH.Value().Get("commands").Elems() {
			item(cmd.Get("command").Text(), cmd.Get("completedAt"))
		}
	case result.Portable != nil && result.Portable.Valid():
		if !result.Portable.Outcome().Successful || result.Portable.Mode() != proof.ModeGreen {
			return nil, &ProofError{Path: s.Path, Reason: "the command's outcome is " + string(result.Portable.Outcome().Status)}
		}
		if run := result.Portable.Run(); run != (proof.Run{ID: runID, Commit: c.goal.Get("commit").Text(), Environment: c.goal.Get("environment").Text()}) {
			return nil, &ProofError{Path: s.Path, Reason: fmt.Sprintf("a proof of run %s, commit %s, environment %s, which are not those of the goal",
				verify.Quote(run.ID), verify.Quote(run.Commit), verify.Quote(run.Environment))}
		}
		item(strings.Join(result.Portable.Argv(), " "), result.Portable.Value().Get("generatedAt"))
	default:
		return nil, &ProofError{Path: s.Path, Reason: "no proof of either format"}
	}
	return items, nil
}
