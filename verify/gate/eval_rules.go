package gate

import "finishline/verify"

var evalTable = define("eval",
	readRules("eval", "09a §11", evalPath),
	memberRules("eval", "09a §11", header),
	evalRules, evalContextRules)

const (
	whySuite  = "an evaluation that does not say this cannot be repeated"
	whyJudge  = "a model that judges another must have been measured against people, independently of what it judges"
	whyCompar = "the context is worth its tokens only if both arms were measured alike and differ in the context alone"
	doArms    = "run both arms of the comparison again, with the same cases, judge, model, prompt and configuration"
)

var evalRules = []verify.Rule{
	{ID: "eval.context", Contract: "09a §11", Eval: verify.Wraps, Fails: "context/manifest.json is no safe JSON file of the run, or its own gate refuses it", Why: "the evaluation measures the context that the manifest describes", Do: "repair the manifest first; the causes say what is wrong with it"},
	{ID: "eval.schema", Contract: "09a §11", Fails: "the schema is not uash.eval-results.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "eval.binding", Contract: "09a §11", Fails: "run, profile, commit or environment is not that of the context manifest", Why: "results of another run say nothing about this one", Do: "evaluate this run, with this manifest"},
	{ID: "eval.skip-reason", Contract: "09a §11", Fails: "a skipped evaluation gives no skipReason", Why: "a skip nobody explained is a gap", Do: "write why nothing was evaluated"},
	{ID: "eval.skip-suites", Contract: "09a §11", Fails: "a skipped evaluation lists suites", Why: "results that do not count must not look as if they did", Do: "remove the suites, or do not skip"},
	{ID: "eval.skipped", Contract: "09a §11", Fails: "the evaluation is skipped although the manifest promises a context comparison", Why: "every run owes the measurement of its context", Do: "run the comparison that the manifest describes"},
	{ID: "eval.status", Contract: "09a §11", Fails: "the status is not passed", Why: "an evaluation at the finish line has passed", Do: "fix what the evaluation found and run it again"},
	{ID: "eval.suites", Contract: "09a §11", Fails: "suites is not a non-empty list", Why: "an evaluation without suites evaluated nothing", Do: "record the suites that were run"},
	{ID: "eval.suite.object", Contract: "09a §11", Fails: "a suite is not an object", Why: whySuite, Do: "write the suite as an object"},
	{ID: "eval.suite.id", Contract: "09a §11", Fails: "a suite has no id", Why: "the manifest and the calibration refer to suites by their ids", Do: "give each suite an id of its own"},
	{ID: "eval.suite.duplicate", Contract: "09a §11", Fails: "a suite's id is that of an earlier one", Why: "the manifest and the calibration refer to suites by their ids", Do: "give each suite an id of its own"},
	{ID: "eval.suite.kind", Contract: "09a §11", Fails: "a suite's kind is neither deterministic nor ai", Why: "the kind decides what the suite must record", Do: "write one of the two"},
	{ID: "eval.suite.datasets", Contract: "09a §11", Fails: "datasets is not a non-empty list of entries with unique id, version, digest and a number of cases", Why: whySuite, Do: "record each data set with its version, digest and number of cases"},
	{ID: "eval.suite.rubrics", Contract: "09a §11", Fails: "rubrics is not a non-empty list of entries with unique id, version and digest", Why: whySuite, Do: "record each rubric with its version and digest"},
	{ID: "eval.suite.evaluator", Contract: "09a §11", Fails: "the evaluator lacks name, version or a kind of deterministic or model", Why: whySuite, Do: "record what judged the results"},
	{ID: "eval.suite.judge", Contract: "09a §11", Fails: "a model that judges has no valid calibration of its own, or a program claims one", Why: whyJudge, Do: "calibrate the judge against human labels and keep the record at evals/calibrations/<suite id>.json"},
	{ID: "eval.hardening.calibration-expired", Contract: "09a §11", Fails: "the calibration of a judge has expired by the caller's clock", Why: "judges drift with their models and prompts", Do: "calibrate the judge again"},
	{ID: "eval.suite.config-digest", Contract: "09a §11", Fails: "configDigest is not a digest", Why: whySuite, Do: "record the SHA-256 of the suite's configuration"},
	{ID: "eval.suite.ai", Contract: "09a §11", Fails: "an AI suite lacks model, prompt version or slices, has critical failures, or a slice misses its threshold", Why: "an average hides the slice that fails", Do: "record every slice; fix the ones that miss"},
	{ID: "eval.suite.result", Contract: "09a §11", Fails: "resultPath is no plain file of the run, or resultDigest is not its SHA-256", Why: "without the result file a value is only a claim", Do: "keep the result file in the run and record its digest"},
	{ID: "eval.suite.threshold", Contract: "09a §11", Fails: "a suite's threshold is not a finite number", Why: "a value without a threshold passes anything", Do: "record the agreed threshold"},
	{ID: "eval.suite.value", Contract: "09a §11", Fails: "a suite's value is not a finite number", Why: "only a number can meet a threshold", Do: "record the measured value"},
	{ID: "eval.suite.operator", Contract: "09a §11", Fails: "a suite's operator is none of the five", Why: "nobody can tell on which side of the threshold the value must be", Do: "write <, <=, =, >= or >"},
	{ID: "eval.suite.missed", Contract: "09a §11", Fails: "a suite's value misses its threshold", Why: "the evaluation shows that the requirement is not met", Do: "fix what was evaluated; the threshold is not the thing to move"},
	{ID: "eval.suite.times", Contract: "09a §11", Fails: "startedAt or completedAt is not a timestamp, or the suite ends before it starts", Why: whyTime, Do: doTime},
}

var evalContextRules = []verify.Rule{
	{ID: "eval.context.suite", Contract: "09a §11", Fails: "not exactly one suite has the id that the manifest names", Why: "the manifest says which suite measures the context", Do: "run the suite that the manifest names, once"},
	{ID: "eval.context.uncommissioned", Contract: "09a §11", Fails: "another suite than the manifest's has a context comparison", Why: "of several comparisons a reader may take the best", Do: "keep only the comparison that the manifest describes"},
	{ID: "eval.context.comparison", Contract: "09a §11", Fails: "the suite has no contextComparison object", Why: whyCompar, Do: "record the comparison"},
	{ID: "eval.context.schema", Contract: "09a §11", Fails: "the comparison's schema is not uash.context-comparison.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "eval.context.manifest-digest", Contract: "09a §11", Fails: "contextManifestSha256 is not the SHA-256 of context/manifest.json", Why: "a comparison of another context says nothing about this one", Do: "run the comparison with this manifest"},
	{ID: "eval.context.baseline-mode", Contract: "09a §11", Fails: "baselineMode is not that of the manifest", Why: whyCompar, Do: doArms},
	{ID: "eval.context.critical", Contract: "09a §11", Fails: "the comparison has critical regressions", Why: "context that makes a critical case worse does harm", Do: "fix the context and run the comparison again"},
	{ID: "eval.context.metric", Contract: "09a §11", Fails: "the comparison's metric is not that of the manifest", Why: "what counts as a gain is agreed before measuring", Do: "measure with the manifest's metric"},
	{ID: "eval.context.arm", Contract: "09a §11", Fails: "an arm lacks value, result file, prompt version, configuration digest, evaluator or model", Why: whyCompar, Do: "record both arms completely"},
	{ID: "eval.context.arm-mode", Contract: "09a §11", Fails: "the baseline was not run in the manifest's mode, or the candidate not with the loaded context", Why: whyCompar, Do: doArms},
	{ID: "eval.context.arm-binding", Contract: "09a §11", Fails: "an arm used other cases, answers, judge, model, prompt or configuration than the manifest, the suite or the other arm", Why: whyCompar, Do: doArms},
	{ID: "eval.context.dataset", Contract: "09a §11", Fails: "the suite's data sets do not hold the manifest's case set", Why: whyCompar, Do: "list the case set among the suite's datasets, with its version, digest and count"},
	{ID: "eval.context.rubric", Contract: "09a §11", Fails: "the suite's rubrics do not hold the manifest's answer key", Why: whyCompar, Do: "list the answer key among the suite's rubrics, with its version and digest"},
	{ID: "eval.context.suite-result", Contract: "09a §11", Fails: "the suite's result is not that of the candidate arm", Why: "the suite reports what the loaded context achieved", Do: "record the candidate's result path, digest and value in the suite"},
	{ID: "eval.context.distinct", Contract: "09a §11", Fails: "both arms share a result file or its digest", Why: "one file cannot be the result of two runs", Do: doArms},
	{ID: "eval.context.case-set", Contract: "09a §11", Fails: "the file of the case set is not readable, not of its schema, or its ids or their number are wrong", Why: "results are compared case by case", Do: "restore the case set that the manifest names"},
	{ID: "eval.context.answer-key", Contract: "09a §11", Fails: "the file of the answer key is not readable, not of its schema, or does not answer the cases in their order", Why: "results are judged answer by answer", Do: "restore the answer key that the manifest names"},
	{ID: "eval.context.result", Contract: "09a §11", Fails: "an arm's result file is not of this comparison, or its cases, mean or counts do not add up", Why: "a total that its parts do not give was written by hand", Do: doArms},
	{ID: "eval.context.delta", Contract: "09a §11", Fails: "delta is not the difference of the arms", Why: "a total that its parts do not give was written by hand", Do: "compute the difference again"},
	{ID: "eval.context.min-delta", Contract: "09a §11", Fails: "the gain is smaller than the manifest promises", Why: "context that gains less is not worth its tokens", Do: "improve the context, or load less of it"},
	{ID: "eval.context.threshold", Contract: "09a §11", Fails: "the candidate misses the manifest's threshold", Why: "a gain over a poor baseline may still be poor", Do: "improve the context and run the comparison again"},
	{ID: "eval.context.operator", Contract: "09a §11", Fails: "the suite's operator or threshold is not that of the manifest's metric", Why: "what counts as good is agreed before measuring", Do: "copy direction and candidateThreshold from the manifest"},
}
