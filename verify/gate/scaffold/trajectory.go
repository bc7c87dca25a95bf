package scaffold

import (
	"time"

	"finishline/canon"
	"finishline/verify/gate/workload"
)

// An Attempt is one attempt at the goal, as the caller counted it.
type Attempt struct {
	ID, Outcome            string
	StartedAt, CompletedAt string
	Actions                []string
	// Usage is by budget field, all but attempts.
	Usage map[string]float64
}

// Trajectory makes the trajectory of the run from its goal and what the caller
// counted (09a §12). Trace is the path of the trace below the target.
func (p Place) Trajectory(attempts []Attempt, trace string, now time.Time) (Draft, error) {
	goal, err := p.need(goalPath)
	if err != nil {
		return Draft{}, err
	}
	intake, err := p.need(intakePath)
	if err != nil {
		return Draft{}, err
	}
	file, refErr := p.Target.SafeFile(trace, p.Level)
	if refErr != nil {
		return Draft{}, &NeedError{trace, refErr.Reason, "the trace is the log of what was done, a file of the run"}
	}
	sum, err := p.Target.DigestResolved(file)
	if err != nil {
		return Draft{}, &NeedError{trace, err.Error(), "the trace is the log of what was done, a file of the run"}
	}
	fields := workload.BudgetFields[1:]
	total := map[string]float64{}
	var list []canon.Value
	for _, a := range attempts {
		var usage []canon.Member
		for _, f := range fields {
			usage = append(usage, number(f, a.Usage[f]))
			total[f] += a.Usage[f]
		}
		list = append(list, object(text("id", a.ID), text("outcome", a.Outcome), text("startedAt", a.StartedAt), text("completedAt", a.CompletedAt),
			member("usage", object(usage...)), texts("actions", a.Actions)))
	}
	used := []canon.Member{number(workload.BudgetFields[0], float64(len(attempts)))}
	for _, f := range fields {
		used = append(used, number(f, total[f]))
	}
	doc := object(
		text("schema", "uash.trajectory.v1"), member("goalId", goal.Get("goalId")), text("generatedAt", timestamp(now)),
		member("profile", goal.Get("profile")), member("commit", goal.Get("commit")), member("environment", goal.Get("environment")),
		text("finalStatus", statusCompleted),
		member("budget", object(member("limits", goal.Get("budgets")), member("used", object(used...)))),
		array("attempts", list...), member("forbiddenActions", intake.Get("forbiddenActions")), array("violations"),
		text("tracePath", trace), text("traceDigest", sum.SHA256),
	)
	if canon.Pretty(doc) == nil {
		return Draft{}, &NeedError{goalPath, "it lacks a member that the trajectory copies", makers[goalPath]}
	}
	return Draft{Gate: "trajectory", Files: []File{{trajectoryPath, doc}}}, nil
}
