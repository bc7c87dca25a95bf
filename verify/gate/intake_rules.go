package gate

import "finishline/verify"

var intakeTable = define("intake",
	readRules("intake", "09a §2", intakePath),
	memberRules("intake", "09a §2", intakeHeader),
	intakeRules)

const whyRequest = "the classification, the route and the goal are all derived from this exact request"

var intakeRules = []verify.Rule{
	{ID: "intake.schema", Contract: "09a §2", Fails: "the schema is not uash.intake.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "intake.requested-profile", Contract: "09a §2", Fails: "requestedProfile is not the profile", Why: "a run must not be asked for under one profile and judged under another", Do: "record the requested profile in both members"},
	{ID: "intake.request-text", Contract: "09a §2", Fails: "there is no request text", Why: whyRequest, Do: "record what the person asked for, in their words"},
	{ID: "intake.request-digest", Contract: "09a §2", Fails: "requestSha256 is not the SHA-256 of the trimmed request text", Why: whyRequest,
		Do: "compute the digest of the trimmed text in lower case, and start over from the intake if the text changed"},
	{ID: "intake.source", Contract: "09a §2", Fails: "the source is not a named person", Why: "only a person can ask for a run; an agent that asks itself has no one to answer to", Do: "record actorType human and the person's name"},
	{ID: "intake.outcome", Contract: "09a §2", Fails: "no outcome is recorded", Why: "without it nobody can say whether the run did what was wanted", Do: "record what the person wants to have afterwards"},
	{ID: "intake.list.constraints", Contract: "09a §2", Fails: "constraints is not a list of texts", Why: "limits in another shape are not looked at", Do: "write an array of texts, empty when there are none"},
	{ID: "intake.list.exclusions", Contract: "09a §2", Fails: "exclusions is not a list of texts", Why: "limits in another shape are not looked at", Do: "write an array of texts, empty when there are none"},
	{ID: "intake.list.allowedActions", Contract: "09a §2", Fails: "allowedActions is not a list of texts", Why: "what was not allowed in words cannot be checked", Do: "write an array of texts, empty when nothing is allowed"},
	{ID: "intake.list.forbiddenActions", Contract: "09a §2", Fails: "forbiddenActions is not a list of texts", Why: "the trajectory is checked against these words", Do: "write an array of texts with the four that every run forbids"},
	{ID: "intake.forbidden.mandatory", Contract: "09a §2", Fails: "forbiddenActions lacks an action that every run forbids", Why: "no run may approve itself, change production or read secrets without approval, or make up evidence", Do: "add the missing text, exactly"},
	{ID: "intake.allowed.unsafe", Contract: "09a §2", Fails: "an allowed action skips approval, reads secrets or changes production", Why: "no intake can allow what needs an approval of its own", Do: "remove the action, or ask for its approval during the run"},
	{ID: "intake.stopping", Contract: "09a §2", Fails: "stoppingConditions is not a non-empty list of texts", Why: "a run that does not know when to stop does not", Do: "record at least one condition"},
	{ID: "intake.budget.object", Contract: "09a §2", Fails: "executionBudget is not an object", Why: "a run without limits cannot exceed them", Do: "record attempts, toolCalls, tokens, costUsd and wallClockMinutes"},
	{ID: "intake.budget.value", Contract: "09a §2", Fails: "a budget field is not a finite number above zero", Why: "a limit that is no number limits nothing", Do: "record a number above zero"},
	{ID: "intake.budget.ceiling", Contract: "09a §2", Fails: "a budget field is above the ceiling of the format", Why: "larger runs are to be split, so that a person looks in between", Do: "lower the budget, or split the request"},
}
