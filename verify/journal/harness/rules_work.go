package harness

import "finishline/verify"

var reviewRules = []verify.Rule{
	{ID: "harness.review.verdict-without-attempt", Contract: "20 §6.3", Fails: "a review answers that was not asked for", Why: whyBefore, Do: doOrder},
	{ID: "harness.review.attempt-open", Severity: verify.Warning, Contract: "20 §6.3", Fails: "a review was asked for and never answered", Why: "nobody judged this result", Do: "look at why the review did not answer"},
	{ID: "harness.review.pass-with-blocking", Severity: verify.Warning, Contract: "20 §6.3", Fails: "a review passes with a finding that blocks", Why: "one of the two is wrong", Do: "read the finding"},
	{ID: "harness.review.fail-without-findings", Severity: verify.Warning, Contract: "20 §6.3", Fails: "a review fails without a finding", Why: "nobody can know what to correct", Do: "ask the reviewer"},
	{ID: "harness.review.revise-without-fail", Contract: "20 §6.3", Fails: "work is sent back although no review failed", Why: whyBefore, Do: doOrder},
	{ID: "harness.review.revise-count", Severity: verify.Warning, Contract: "20 §6.3", Fails: "work is sent back with another number of findings than the review had", Why: "findings were lost on the way", Do: "compare with the last failed review"},
	{ID: "harness.review.revise-order", Contract: "20 §6.3", Fails: "the number of a revision is neither 1 nor one more than before", Why: whyGap, Do: doOrder},
	{ID: "harness.verify.passed-nonzero", Contract: "20 §6.3", Fails: "verification passed with a command that failed", Why: "a failed command verifies nothing", Do: doWriter},
	{ID: "harness.verify.failed-zero", Contract: "20 §6.3", Fails: "verification failed with exit status 0", Why: "a command that succeeded did not fail", Do: doWriter},
	{ID: "harness.verify.retry-zero", Severity: verify.Warning, Contract: "20 §6.3", Fails: "verification is repeated after exit status 0", Why: "there was nothing to repeat", Do: "look at why it was repeated"},
	{ID: "harness.verify.retry-order", Contract: "20 §6.3", Fails: "the number of a repetition is neither 1 nor one more than before", Why: whyGap, Do: doOrder},
	{ID: "harness.fix.rung-order", Severity: verify.Warning, Contract: "20 §6.3", Fails: "the repair ladder goes down", Why: "repairs get stronger, never weaker", Do: "look at why it went back"},
	{ID: "harness.budget.count-below-cap", Contract: "20 §6.3", Fails: "a budget is exhausted below its cap", Why: "there were attempts left", Do: doWriter},
	{ID: "harness.budget.cap-changed", Severity: verify.Warning, Contract: "20 §6.3", Fails: "the cap of a budget changed", Why: "a cap that moves limits nothing", Do: "find out who changed it"},
	{ID: "harness.budget.dispatch-after", Severity: verify.Warning, Contract: "20 §6.3", Fails: "work is dispatched after its budget was exhausted", Why: "the budget did not limit anything", Do: "look at why it went on"},
	{ID: "harness.retry.stop-loss-without-failure", Contract: "20 §6.3", Fails: "retrying stops although nothing failed", Why: whyBefore, Do: doOrder},
	{ID: "harness.retry.fingerprint-mismatch", Severity: verify.Warning, Contract: "20 §6.3", Fails: "retrying stops because of another failure than the last", Why: "a stop-loss is about one failure that keeps coming back", Do: "compare the fingerprints"},
	{ID: "harness.retry.stop-loss-duplicate", Contract: "20 §6.3", Fails: "retrying is stopped that was stopped", Why: whyTwice, Do: doOrder},
	{ID: "harness.retry.after-stop-loss", Contract: "20 §6.3", Fails: "a retry of a failure for which retrying was stopped", Why: "the stop-loss did not stop anything", Do: "look at why it went on"},
	{ID: "harness.rate-limit.parked-twice", Contract: "20 §6.3", Fails: "work is parked that is parked", Why: whyTwice, Do: doOrder},
	{ID: "harness.rate-limit.heartbeat-without-parked", Contract: "20 §6.3", Fails: "work waits that was not parked", Why: whyBefore, Do: doOrder},
	{ID: "harness.rate-limit.woken-without-parked", Contract: "20 §6.3", Fails: "work is woken that was not parked", Why: whyBefore, Do: doOrder},
	{ID: "harness.rate-limit.park-count", Contract: "20 §6.3", Fails: "the park count does not grow", Why: whyGap, Do: doOrder},
	{ID: "harness.rate-limit.progress-while-parked", Severity: verify.Warning, Contract: "20 §6.3", Fails: "work goes on while it is parked", Why: "a parked task does nothing", Do: "look at why it went on"},
	{ID: "harness.rate-limit.left-parked", Severity: verify.Warning, Contract: "20 §6.3", Fails: "the run ended with work parked", Why: "the work was never taken up again", Do: "look at the named task"},
	{ID: "harness.rate-limit.reset-at", Severity: verify.Note, Contract: "20 §6.3", Fails: "resetAt is not an RFC 3339 date-time", Why: "nobody can tell when the limit ends", Do: doWriter},
}

var attemptRules = []verify.Rule{
	{ID: "harness.attempt.prompt-duplicate", Contract: "20 §6.4", Fails: "an attempt id is prompted again", Why: "an attempt is one call", Do: doOrder},
	{ID: "harness.attempt.orphan", Contract: "20 §6.4", Fails: "a reply, usage, heartbeat or activity of an attempt without a prompt", Why: whyBefore, Do: doOrder},
	{ID: "harness.attempt.reply-duplicate", Contract: "20 §6.4", Fails: "an attempt replies again", Why: "an attempt is one call", Do: doOrder},
	{ID: "harness.attempt.heartbeat-after-reply", Contract: "20 §6.4", Fails: "an attempt is alive after its reply", Why: "an attempt ends with its reply", Do: doOrder},
	{ID: "harness.attempt.heartbeat-elapsed", Contract: "20 §6.4", Fails: "the elapsed time of an attempt goes back", Why: "time does not", Do: doOrder},
	{ID: "harness.attempt.heartbeat-events", Contract: "20 §6.4", Fails: "the event count of an attempt goes back", Why: "what happened does not unhappen", Do: doOrder},
	{ID: "harness.attempt.heartbeat-timeout", Contract: "20 §6.4", Fails: "a heartbeat names another time limit than the prompt", Why: "a limit that moves limits nothing", Do: doWriter},
	{ID: "harness.attempt.heartbeat-overrun", Severity: verify.Warning, Contract: "20 §6.4", Fails: "an attempt runs beyond its time limit", Why: "the limit was not enforced", Do: "look at why it was not stopped"},
	{ID: "harness.attempt.heartbeat-pid", Severity: verify.Warning, Contract: "20 §6.4", Fails: "the process of an attempt changed", Why: "an attempt is one process", Do: "look for a second worker"},
	{ID: "harness.attempt.usage-duplicate", Severity: verify.Warning, Contract: "20 §6.4", Fails: "an attempt has a second usage record", Why: "totals count it twice", Do: "look at which of the two is right"},
	{ID: "harness.attempt.usage-below-delta", Severity: verify.Warning, Contract: "20 §6.4", Fails: "an attempt used less in all than it had reported in parts", Why: "one of the two is wrong", Do: "compare with the bill of the provider"},
	{ID: "harness.attempt.reply-verdict-invalid", Severity: verify.Warning, Contract: "20 §6.4", Fails: "an invalid reply has a verdict", Why: "a verdict of an invalid reply must not count", Do: "look at whether it was acted on"},
	{ID: "harness.attempt.account-changed", Severity: verify.Warning, Contract: "20 §6.4", Fails: "another account replied than was prompted", Why: "the cost goes to another account", Do: "check which account ran the attempt"},
	{ID: "harness.attempt.model-changed", Severity: verify.Note, Contract: "20 §6.4", Fails: "another model is charged than was prompted", Why: "the prompt names an alias, or another model answered", Do: "compare both names"},
	{ID: "harness.attempt.no-reply", Severity: verify.Warning, Contract: "20 §6.4", Fails: "the run ended with an attempt without a reply", Why: "what became of it is not recorded", Do: "look at the files of the attempt"},
}

var fileRules = []verify.Rule{
	{ID: "harness.files.path-escape", Contract: "20 §7", Fails: "the path leaves the run directory, or names something that is no regular file", Why: "a prompt or reply outside the run is no evidence of it", Do: doFiles},
	{ID: "harness.files.path-outside", Severity: verify.Note, Contract: "20 §7", Fails: "the path is absolute and outside the run directory", Why: "the file was not read", Do: "verify where the run was made, or copy its files into the run directory"},
	{ID: "harness.files.missing", Severity: verify.Warning, Contract: "20 §7", Fails: "the path names no file", Why: "what was asked or answered cannot be shown", Do: doFiles},
	{ID: "harness.files.prompt-digest", Contract: "20 §7", Fails: "the prompt file has another SHA-256 than the journal says", Why: "what was asked is not what lies there now", Do: "restore the prompt file; it must not change after the attempt"},
}
