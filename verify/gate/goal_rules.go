package gate

import "finishline/verify"

var goalTable = define("goal",
	readRules("goal", "09a §9", goalPath),
	memberRules("goal", "09a §9", goalMembers),
	tierRules("goal", "09a §9", goalTierBindings),
	goalRules)

const (
	whyEntry = "conditions and checkpoints are referred to by their ids"
	doEntry  = "give each entry an id of its own"
)

var goalRules = []verify.Rule{
	{ID: "goal.route.missing", Contract: "09a §9", Fails: "run/route.json is not a file of the run or not JSON", Why: "the goal's budget comes from the route", Do: "restore run/route.json"},
	{ID: "goal.schema", Contract: "09a §9", Fails: "the schema is not uash.goal.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "goal.request-digest", Contract: "09a §9", Fails: "requestSha256 is not a SHA-256 digest", Why: "the goal belongs to one exact request", Do: "copy requestSha256 from the intake"},
	{ID: "goal.route-digest", Contract: "09a §9", Fails: "initialRouteSha256 is not a SHA-256 digest", Why: "the route may not change after the goal was set", Do: "record the SHA-256 of run/route.json"},
	{ID: "goal.status", Contract: "09a §9", Fails: "the status is none of the six of the format", Why: "a state nobody defined means what the reader wishes", Do: "write pending, in_progress, completed, blocked, failed or cancelled"},
	{ID: "goal.incomplete", Contract: "09a §9", Fails: "the goal is not completed; in active mode: nor pending or in progress", Why: "a run crosses the finish line with a completed goal only", Do: "finish the work and complete the goal, or verify in active mode while it is under way"},
	{ID: "goal.budget", Contract: "09a §9", Fails: "budgets lacks a field as a finite number that is not negative, whole for attempts, toolCalls and tokens", Why: "the trajectory is held against these limits", Do: "record the five budget fields as numbers"},
	{ID: "goal.budget-route", Contract: "09a §9", Fails: "a budget field is not that of the route", Why: "the limits were set by the route", Do: "copy the route's executionBudget"},
	{ID: "goal.conditions", Contract: "09a §9", Fails: "stoppingConditions is not a non-empty list", Why: "a goal without conditions is met by anything", Do: "record the conditions that the work must meet"},
	{ID: "goal.condition.object", Contract: "09a §9", Fails: "a stopping condition is not an object", Why: "a condition carries its status and evidence", Do: "write the condition as an object"},
	{ID: "goal.condition.id", Contract: "09a §9", Fails: "a stopping condition has no id", Why: whyEntry, Do: doEntry},
	{ID: "goal.condition.duplicate", Contract: "09a §9", Fails: "a stopping condition's id is that of an earlier one", Why: whyEntry, Do: doEntry},
	{ID: "goal.condition.status", Contract: "09a §9", Fails: "a stopping condition's status is none of the four", Why: "a state nobody defined means what the reader wishes", Do: "write pending, passed, failed or blocked"},
	{ID: "goal.condition.evidence", Contract: "09a §9", Fails: "a passed condition has no evidence", Why: "what passed was shown by something", Do: "add the evidence, or set the status back"},
	{ID: "goal.condition.open", Contract: "09a §9", Fails: "the goal is completed and not every stopping condition has passed", Why: "completed means that nothing is left", Do: "pass the conditions, or set the goal's status back"},
	{ID: "goal.checkpoints", Contract: "09a §9", Fails: "checkpoints is not a non-empty list", Why: "checkpoints are the trace of how the goal was reached", Do: "record a checkpoint for each step"},
	{ID: "goal.checkpoint.object", Contract: "09a §9", Fails: "a checkpoint is not an object", Why: "a checkpoint carries its status, time and summary", Do: "write the checkpoint as an object"},
	{ID: "goal.checkpoint.id", Contract: "09a §9", Fails: "a checkpoint has no id", Why: whyEntry, Do: doEntry},
	{ID: "goal.checkpoint.duplicate", Contract: "09a §9", Fails: "a checkpoint's id is that of an earlier one", Why: whyEntry, Do: doEntry},
	{ID: "goal.checkpoint.status", Contract: "09a §9", Fails: "a checkpoint's status is none of the five", Why: "a state nobody defined means what the reader wishes", Do: "write started, progress, passed, failed or blocked"},
	{ID: "goal.checkpoint.recorded-at", Contract: "09a §9", Fails: "a checkpoint's recordedAt is not a timestamp", Why: "checkpoints are ordered by it", Do: doTime},
	{ID: "goal.checkpoint.summary", Contract: "09a §9", Fails: "a checkpoint has no summary", Why: "a checkpoint that says nothing shows nothing", Do: "write what was reached"},
	{ID: "goal.checkpoint.after-generated", Contract: "09a §9", Fails: "a checkpoint is later than the document's generatedAt", Why: "a document cannot record what had not happened", Do: "write the document after its last checkpoint"},
	{ID: "goal.checkpoint.order", Contract: "09a §9", Fails: "a checkpoint is earlier than the one above it", Why: "a trace that runs backwards was put together afterwards", Do: "record checkpoints as they happen, in order"},
	{ID: "goal.checkpoint.open", Contract: "09a §9", Fails: "the goal is completed and not every checkpoint has passed", Why: "completed means that nothing is left", Do: "pass the checkpoints, or set the goal's status back"},
}
