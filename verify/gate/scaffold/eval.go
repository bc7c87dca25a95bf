package scaffold

import (
	"slices"
	"time"

	"finishline/canon"
)

// blankSet names a case set or an answer key that nobody has chosen yet.
func blankSet() canon.Value {
	return object(text("id", ""), text("version", ""), text("path", ""), text("sha256", ""), number("caseCount", 0))
}

// context lists no file: which ones were loaded, only the run knows.
func (p Place) context(time.Time) (Draft, error) {
	cls, err := p.need(classificationPath)
	if err != nil {
		return Draft{}, err
	}
	doc := join(head("uash.context-manifest.v1", cls, ""), []canon.Member{
		array("loadedFiles"),
		member("contextQuality", object(
			text("schema", "uash.context-quality-eval.v1"), text("suiteId", ""), text("baselineMode", undecided),
			member("caseSet", blankSet()), member("answerKey", blankSet()),
			member("metric", object(text("id", ""), text("direction", undecided), number("minDelta", 0), member("candidateThreshold", canon.NewNull()))),
		)),
	})
	return single("context", contextPath, doc, "context.generated-at", "context.files", "context.quality.suite-id", "context.quality.baseline-mode",
		"context.quality.case-set", "context.quality.answer-key", "context.quality.metric"), nil
}

// evalOpen are the rules about what an evaluation found. Those that bind it to
// the run and to its context manifest are not among them.
var evalOpen = []string{
	"eval.generated-at", "eval.status", "eval.suite.kind", "eval.suite.evaluator", "eval.suite.config-digest", "eval.suite.result",
	"eval.suite.value", "eval.suite.operator", "eval.suite.times", "eval.context.arm", "eval.context.delta", "eval.context.min-delta",
	"eval.context.threshold", "eval.context.operator", "eval.context.critical",
}

// eval has the one suite that every run owes: the comparison of its context
// with none. The manifest must be finished, because the comparison names it by
// its digest.
func (p Place) eval(time.Time) (Draft, error) {
	cls, err := p.need(classificationPath)
	if err != nil {
		return Draft{}, err
	}
	manifest, err := p.need(contextPath)
	if err != nil {
		return Draft{}, err
	}
	quality := manifest.Get("contextQuality")
	caseSet, answerKey := quality.Get("caseSet"), quality.Get("answerKey")
	who := []canon.Member{
		member("evaluator", object(text("name", ""), text("version", ""), text("kind", undecided))),
		member("model", object(text("provider", ""), text("name", ""), text("version", ""))),
		text("promptVersion", ""), text("configDigest", ""),
	}
	result := []canon.Member{member("value", canon.NewNull()), text("resultPath", ""), text("resultDigest", "")}
	arm := func(mode canon.Value) canon.Value {
		return join([]canon.Member{member("contextMode", mode), member("caseSet", caseSet), member("answerKey", answerKey)}, who, result)
	}
	suite := join([]canon.Member{
		member("id", quality.Get("suiteId")), text("kind", undecided),
		array("datasets", pick(caseSet, "id", "version", "sha256", "caseCount")), array("rubrics", pick(answerKey, "id", "version", "sha256")),
	}, who, result, []canon.Member{
		member("threshold", quality.Get("metric").Get("candidateThreshold")), text("operator", ""), text("startedAt", ""), text("completedAt", ""),
		member("contextComparison", object(
			text("schema", "uash.context-comparison.v1"), text("contextManifestSha256", manifest.sha256),
			member("baselineMode", quality.Get("baselineMode")), member("metric", quality.Get("metric")),
			member("criticalRegressions", canon.NewNull()), member("delta", canon.NewNull()),
			member("baseline", arm(quality.Get("baselineMode"))), member("candidate", arm(canon.NewString("loaded-context"))),
		)),
	})
	doc := join(head("uash.eval-results.v1", cls, ""), []canon.Member{text("status", statusPending), array("suites", suite)})
	if canon.Pretty(doc) == nil {
		return Draft{}, &NeedError{contextPath, "the manifest is not finished", "fill it in until finishline gate verify context passes"}
	}
	return single("eval", "evals/results.json", doc, slices.Clone(evalOpen)...), nil
}

func pick(v canon.Value, names ...string) canon.Value { return canon.Pick(v, names...) }
