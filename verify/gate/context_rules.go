package gate

import "finishline/verify"

var contextTable = define("context",
	readRules("context", "09a §10", contextPath),
	memberRules("context", "09a §10", header),
	contextRules)

const (
	whyContext = "the manifest says exactly which bytes the run was given to read"
	whyQuality = "context is worth its tokens only if a measurement says so"
	doMeasure  = "record id, version, case count, path and digest of the file that the evaluation used"
)

var contextRules = []verify.Rule{
	{ID: "context.schema", Contract: "09a §10", Fails: "the schema is neither uash.context-manifest.v1 nor v2", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "context.files", Contract: "09a §10", Fails: "loadedFiles is not a non-empty list", Why: whyContext, Do: "list every file that was loaded"},
	{ID: "context.file.object", Contract: "09a §10", Fails: "an entry of loadedFiles is not an object", Why: whyContext, Do: "write the entry with path, sha256 and loadedAt"},
	{ID: "context.file.path", Contract: "09a §10", Fails: "a loaded file's path is not canonical, or leads to no plain file of the run", Why: whyContext, Do: "keep the file itself in the run and name it by its plain relative path"},
	{ID: "context.file.secret", Contract: "09a §10", Fails: "a loaded file is named like a secret", Why: "a model must not be given credentials to read", Do: "take the file out of the context; if it holds no secret, rename it"},
	{ID: "context.file.duplicate", Contract: "09a §10", Fails: "a file is listed twice", Why: "two records of one file may contradict each other", Do: "list each file once"},
	{ID: "context.file.digest", Contract: "09a §10", Fails: "a loaded file's sha256 is not that of the file", Why: whyContext, Do: "restore the file that was loaded, or write the manifest again"},
	{ID: "context.file.loaded-at", Contract: "09a §10", Fails: "loadedAt is not a timestamp, or later than the manifest", Why: "a manifest cannot record what had not been loaded yet", Do: doTime},
	{ID: "context.file.v2", Contract: "09a §10", Fails: "an entry of a v2 manifest lacks kind, loadMode, purpose, owner, version or token estimate, or its trigger does not fit its load mode", Why: "each file in the context costs attention, so someone says what it is for", Do: "complete the entry; dynamic files have a trigger, static ones none"},
	{ID: "context.budget", Contract: "09a §10", Fails: "the token budget of a v2 manifest lacks a member, is exceeded, or its sum is not that of the entries", Why: "context that outgrows its budget crowds out the task", Do: "load less, or record the budget and the sum as they are"},
	{ID: "context.quality.object", Contract: "09a §10", Fails: "contextQuality is not an object", Why: whyQuality, Do: "say how the context's worth is measured"},
	{ID: "context.quality.schema", Contract: "09a §10", Fails: "contextQuality's schema is not uash.context-quality-eval.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "context.quality.suite-id", Contract: "09a §10", Fails: "contextQuality names no suite", Why: whyQuality, Do: "name the evaluation suite that measures the context"},
	{ID: "context.quality.baseline-mode", Contract: "09a §10", Fails: "baselineMode is neither no-context nor limited-context", Why: "a gain is a gain over something", Do: "write what the baseline was given"},
	{ID: "context.quality.case-set", Contract: "09a §10", Fails: "caseSet is incomplete, or its file is not the recorded one", Why: "a measurement is bound to the cases it was made on", Do: doMeasure},
	{ID: "context.quality.answer-key", Contract: "09a §10", Fails: "answerKey is incomplete, or its file is not the recorded one", Why: "a measurement is bound to the answers it was judged by", Do: doMeasure},
	{ID: "context.quality.same-path", Contract: "09a §10", Fails: "case set and answer key are the same file", Why: "cases that carry their answers measure nothing", Do: "keep the answers in a file of their own"},
	{ID: "context.quality.case-count", Contract: "09a §10", Fails: "case set and answer key have different numbers of cases", Why: "every case has exactly one answer", Do: "record the counts of the two files"},
	{ID: "context.quality.metric", Contract: "09a §10", Fails: "the metric lacks id, direction, a minDelta above 0 or a candidateThreshold", Why: "what counts as a gain is agreed before measuring", Do: "complete the metric"},
}
