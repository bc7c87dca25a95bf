package runtest

import (
	"os"
	"path/filepath"

	"finishline/canon"
)

// The context manifest and the results of its evaluation are skeletons when
// they are made. These functions finish them as a team would, with evidence
// that they put into the run.

const (
	manifestPath = "context/manifest.json"
	resultsPath  = "evals/results.json"
	caseSetPath  = "evals/set.json"
	answersPath  = "evals/answers.json"
)

// A site is a run's directory, in which documents are changed. The first error
// stops everything after it.
type site struct {
	dir string
	err error
}

func (s *site) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *site) sum(name string) string {
	data, err := os.ReadFile(s.path(name))
	s.keep(err)
	return canon.SHA256(data)
}

func (s *site) document(name string) canon.Value {
	data, err := os.ReadFile(s.path(name))
	if s.keep(err); s.err != nil {
		return canon.Value{}
	}
	doc, err := canon.Read(data, canon.MaxDocument)
	if s.keep(err); s.err != nil {
		return canon.Value{}
	}
	return doc.Root
}

func (s *site) write(name string, v canon.Value) {
	if s.err == nil {
		s.keep(os.MkdirAll(filepath.Dir(s.path(name)), 0o755))
	}
	if s.err == nil {
		s.keep(os.WriteFile(s.path(name), canon.Pretty(v), 0o644))
	}
}

func (s *site) keep(err error) {
	if s.err == nil {
		s.err = err
	}
}

// MeasureContext finishes the context manifest of the run in dir: what was
// loaded, and the cases that it will be measured by.
func MeasureContext(dir, loaded, now string) error {
	s := &site{dir: dir}
	s.write(caseSetPath, obj("schema", "uash.context-case-set.v1", "cases", arr(obj("id", "place"), obj("id", "colour"))))
	s.write(answersPath, obj("schema", "uash.context-answer-key.v1",
		"answers", arr(obj("caseId", "place", "expected", "yes"), obj("caseId", "colour", "expected", "yes"))))
	set := func(id, path string) canon.Value {
		return obj("id", id, "version", "1", "path", path, "sha256", s.sum(path), "caseCount", 2)
	}
	doc := s.document(manifestPath)
	doc = with(doc, "generatedAt", now)
	doc = with(doc, "loadedFiles", arr(obj("path", loaded, "sha256", s.sum(loaded), "loadedAt", now)))
	doc = with(doc, "contextQuality", overlay(doc.Get("contextQuality"), obj(
		"suiteId", "context", "baselineMode", "no-context", "caseSet", set("cases", caseSetPath), "answerKey", set("key", answersPath),
		"metric", obj("id", "miss-rate", "direction", "lower-is-better", "minDelta", 0.2, "candidateThreshold", 0.5),
	)))
	s.write(manifestPath, doc)
	return s.err
}

// who evaluated the context, as both arms say it.
func who() canon.Value {
	return obj("evaluator", obj("name", "desk-eval", "version", "2", "kind", "deterministic"),
		"model", obj("provider", "none", "name", "table", "version", "4"),
		"promptVersion", "p4", "configDigest", canon.TextDigest("desk-eval"))
}

// An arm is one side of the comparison: what it missed in each case, and on
// average.
type arm struct {
	path, mode          string
	place, colour, mean float64
}

// MeasureEval runs the two arms of the evaluation that the manifest of the run
// in dir promises, and finishes their results.
func MeasureEval(dir, now string) error {
	s := &site{dir: dir}
	base := s.arm(arm{"evals/base.json", "no-context", 1, 0.75, 0.875})
	candidate := s.arm(arm{"evals/candidate.json", "loaded-context", 0.5, 0, 0.25})
	doc := s.document(resultsPath)
	for _, suite := range doc.Get("suites").Elems() { // the one there is
		comparison := suite.Get("contextComparison")
		comparison = overlay(comparison, obj("criticalRegressions", 0, "delta", 0.625,
			"baseline", overlay(comparison.Get("baseline"), base), "candidate", overlay(comparison.Get("candidate"), candidate)))
		suite = overlay(suite, candidate)
		suite = overlay(suite, obj("kind", "deterministic", "operator", "<=", "startedAt", now, "completedAt", now,
			"criticalFailures", 0, "contextComparison", comparison))
		doc = with(doc, "suites", arr(suite))
	}
	s.write(resultsPath, overlay(doc, obj("status", "passed", "generatedAt", now)))
	return s.err
}

// arm writes the result of an arm, and gives what the results say of it.
func (s *site) arm(a arm) canon.Value {
	manifest := s.document(manifestPath)
	quality := manifest.Get("contextQuality")
	missed := func(id string, value float64) canon.Value {
		return obj("caseId", id, "value", value, "criticalRegression", false)
	}
	doc := obj("schema", "uash.context-arm-result.v1", "contextManifestSha256", s.sum(manifestPath))
	doc = overlay(doc, canon.Pick(manifest, "runId", "profile", "environment", "commit"))
	doc = overlay(doc, canon.Pick(quality, "suiteId", "caseSet", "answerKey", "metric"))
	doc = overlay(doc, who())
	s.write(a.path, overlay(doc, obj("contextMode", a.mode, "cases", arr(missed("place", a.place), missed("colour", a.colour)),
		"aggregate", obj("method", "arithmetic-mean", "caseCount", 2, "value", a.mean, "criticalRegressions", 0))))
	return overlay(who(), obj("value", a.mean, "resultPath", a.path, "resultDigest", s.sum(a.path)))
}

// overlay is v with the members of another object.
func overlay(v, by canon.Value) canon.Value {
	for _, m := range by.Members() {
		v = canon.With(v, m.Name, m.Value)
	}
	return v
}
