package gate

import "finishline/verify"

var trajectoryTable = define("trajectory",
	readRules("trajectory", "09a §12", trajectoryPath),
	memberRules("trajectory", "09a §12", trajectoryMembers),
	trajectoryRules)

const doAttempt = "record every attempt as it was, from the run's journal"

var trajectoryRules = []verify.Rule{
	{ID: "trajectory.schema", Contract: "09a §12", Fails: "the schema is not uash.trajectory.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "trajectory.final", Contract: "09a §12", Fails: "finalStatus is not completed", Why: "a run that stopped early has not reached its goal", Do: "finish the run before closing it"},
	{ID: "trajectory.budget", Contract: "09a §12", Fails: "limits or used lacks a field as a finite number that is not negative, or a used amount is above its limit", Why: "a run that exceeded its budget was to stop", Do: "record the five fields of both; a run over budget needs a new approval, not a new number"},
	{ID: "trajectory.attempts", Contract: "09a §12", Fails: "attempts is not a non-empty list", Why: "a run without an attempt did nothing", Do: doAttempt},
	{ID: "trajectory.attempt.object", Contract: "09a §12", Fails: "an attempt is not an object", Why: "an attempt carries its outcome, usage and actions", Do: doAttempt},
	{ID: "trajectory.attempt.id", Contract: "09a §12", Fails: "an attempt has no id", Why: "attempts are referred to by their ids", Do: "give each attempt an id of its own"},
	{ID: "trajectory.attempt.duplicate", Contract: "09a §12", Fails: "an attempt's id is that of an earlier one", Why: "attempts are referred to by their ids", Do: "give each attempt an id of its own"},
	{ID: "trajectory.attempt.outcome", Contract: "09a §12", Fails: "an attempt's outcome is none of the four", Why: "a state nobody defined means what the reader wishes", Do: "write succeeded, failed, blocked or abandoned"},
	{ID: "trajectory.attempt.usage", Contract: "09a §12", Fails: "an attempt's usage lacks a field as a finite number that is not negative", Why: "what is not counted is not limited", Do: "record toolCalls, tokens, costUsd and wallClockMinutes as numbers"},
	{ID: "trajectory.attempt.actions", Contract: "09a §12", Fails: "an attempt's actions is not a list of texts", Why: "forbidden actions are looked for in it", Do: doAttempt},
	{ID: "trajectory.attempt.times", Contract: "09a §12", Fails: "an attempt's startedAt or completedAt is not a timestamp, or it ends before it starts", Why: "attempts are ordered by their times", Do: doTime},
	{ID: "trajectory.attempt.order", Contract: "09a §12", Fails: "an attempt starts before the one above has ended", Why: "a trace that runs backwards was put together afterwards", Do: doAttempt},
	{ID: "trajectory.last-attempt", Contract: "09a §12", Fails: "the run is completed and its last attempt did not succeed", Why: "a run ends with the attempt that reached the goal", Do: doAttempt},
	{ID: "trajectory.usage", Contract: "09a §12", Fails: "the used amounts are not those of the attempts, or there are more attempts than the limit", Why: "a total that its parts do not give was written by hand", Do: "sum the attempts again"},
	{ID: "trajectory.forbidden-list", Contract: "09a §12", Fails: "forbiddenActions is not a list of texts", Why: "the actions of every attempt are held against it", Do: "copy forbiddenActions from the route's authority"},
	{ID: "trajectory.violations", Contract: "09a §12", Fails: "violations is not an empty list", Why: "a run with a violation does not cross the finish line", Do: "resolve the violation with a person and run again"},
	{ID: "trajectory.forbidden", Contract: "09a §12", Fails: "an attempt took a forbidden action", Why: "what was forbidden was done", Do: "bring the run before a person; editing the list does not undo the action"},
	{ID: "trajectory.trace", Contract: "09a §12", Fails: "tracePath is not a file of the run, or traceDigest is not its SHA-256", Why: "the attempts summarise this trace", Do: "restore the trace that was recorded, or record its digest again if it was meant to change"},
}
