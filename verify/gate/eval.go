package gate

import (
	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

const evalPath = "evals/results.json"

var evalGate = newGate("eval", evalPath, evalTable, checkEval)

// Kinds of suites and evaluators.
const (
	kindDeterministic = "deterministic"
	kindAI            = "ai"
	kindModel         = "model"
)

// evaluation is an eval document under judgement.
type evaluation struct {
	*checker
	manifest  *document
	contextOK bool       // the manifest holds up: the comparison is judged
	plan      canon.Node // contextQuality of the manifest (K)
	stopped   bool       // a list held null where objects belong

	calibrated map[string]bool // calibration files whose content was judged
}

// checkEval is contract 09a, section 11.
func checkEval(c *checker) {
	e := evaluation{checker: c, manifest: c.run.safe(contextPath), calibrated: map[string]bool{}}
	e.readManifest()
	c.oneOf("schema", c.doc.At("schema"), "uash.eval-results.v1")
	c.members(header)
	if e.contextOK {
		for _, member := range []string{"runId", "profile", "commit", "environment"} {
			c.bound("binding", c.doc.At(member), e.manifest.node.Get(member))
		}
	}
	status, suites := c.doc.At("status"), c.doc.At("suites")
	if status.Is(evidence.StatusSkipped) {
		e.skippedEval(status, suites)
		return
	}
	c.oneOf("status", status, statusPassed)
	c.filled("suites", suites)
	seen := map[string]bool{}
	for suite := range suites.All() {
		if !suite.IsObject() {
			c.fail("suite.object", suite, "an object")
			continue
		}
		n := suite.At("id")
		c.present("suite.id", n)
		if id := evidence.Trimmed(n.Value); id != "" && seen[id] {
			c.fail("suite.duplicate", n, "an id that no earlier suite has")
		} else {
			seen[id] = true
		}
		if e.suite(suite); e.stopped {
			return
		}
	}
	if e.contextOK {
		e.comparison(suites)
	}
}

// readManifest judges the context manifest by its own gate's rules, which are
// the causes of the one rule here.
func (e *evaluation) readManifest() {
	m := e.manifest
	if !m.usable() {
		e.out.Wrap("eval.context", m.place(), m.why(), nil)
		return
	}
	evidence.ReadFindings(e.out, m.path, m.doc, nil) // no rule of the manifest's gate: what depends on those goes on
	inner := &checker{run: e.run, out: contextTable.Collect(e.run.Level()), gate: "context", path: m.path, doc: m.node}
	checkContext(inner)
	if inner.out.Errors() > 0 {
		list := inner.out.List()
		e.out.Wrap("eval.context", m.place(), verify.What{
			Found: m.path + " is refused, first by " + list[0].Rule, Expected: "a manifest that its own gate accepts"}, list)
		return
	}
	e.contextOK = true
	e.plan = m.node.At("contextQuality")
}

// skippedEval judges a document that evaluated nothing. A context comparison is
// owed, so it never passes.
func (e *evaluation) skippedEval(status, suites canon.Node) {
	e.present("skip-reason", e.doc.At("skipReason"))
	if suites.IsArray() && suites.Len() > 0 {
		e.fail("skip-suites", suites, "no suites: the evaluation is skipped")
	}
	if e.contextOK {
		e.fail("skipped", status, statusPassed+": the context manifest promises a comparison")
	}
}

// suite judges one suite by itself.
func (e *evaluation) suite(s canon.Node) {
	e.oneOf("suite.kind", s.At("kind"), kindDeterministic, kindAI)
	e.named("suite.datasets", s.At("datasets"), func(n canon.Node) { e.positive("suite.datasets", n.At("caseCount")) })
	e.named("suite.rubrics", s.At("rubrics"), func(canon.Node) {})
	evaluator := s.At("evaluator")
	e.presentAll("suite.evaluator", evaluator, "name", "version")
	e.oneOf("suite.evaluator", evaluator.At("kind"), kindDeterministic, kindModel)
	e.judge(s)
	e.digestForm("suite.config-digest", s.At("configDigest"))
	if s.Get("kind").Is(kindAI) {
		if e.aiSuite(s); e.stopped {
			return
		}
	}
	if file, ok := e.artifact("suite.result", s.At("resultPath")); ok {
		e.sum("suite.result", s.At("resultDigest"), file)
	}
	e.met(s)
	e.span("suite.times", s)
}

func (c *checker) presentAll(suffix string, n canon.Node, members ...string) {
	for _, m := range members {
		c.present(suffix, n.At(m))
	}
}

// named demands a non-empty list of entries with unique ids, versions and
// digests.
func (c *checker) named(suffix string, list canon.Node, more func(canon.Node)) {
	c.filled(suffix, list)
	seen := map[string]bool{}
	for entry := range list.All() {
		if !entry.IsObject() {
			c.fail(suffix, entry, "an object")
			continue
		}
		id := evidence.Trimmed(entry.Get("id"))
		if id == "" || seen[id] {
			c.fail(suffix, entry.At("id"), "an id that no earlier entry has")
		}
		seen[id] = true
		c.present(suffix, entry.At("version"))
		c.digestForm(suffix, entry.At("sha256"))
		more(entry)
	}
}

// aiSuite judges what only a suite on an AI model has.
func (e *evaluation) aiSuite(s canon.Node) {
	const suffix = "suite.ai"
	e.presentAll(suffix, s.At("model"), "provider", "name", "version")
	e.present(suffix, s.At("promptVersion"))
	if n := s.At("criticalFailures"); !isZero(n.Value) {
		e.fail(suffix, n, "0")
	}
	slices := s.At("slices")
	e.filled(suffix, slices)
	for slice := range slices.All() {
		if e.stopped = e.broken(slice); e.stopped {
			return
		}
		e.slice(suffix, slice)
	}
}

func (c *checker) slice(suffix string, n canon.Node) {
	c.present(suffix, n.At("id"))
	value, hasValue := c.finite(suffix, n.At("value"))
	threshold, hasThreshold := c.finite(suffix, n.At("threshold"))
	op := n.At("operator")
	switch {
	case !evidence.IsOperator(op.Text()):
		c.fail(suffix, op, expOperator)
	case hasValue && hasThreshold && !evidence.Satisfies(value, op.Text(), threshold):
		c.fail(suffix, n.At("value"), op.Text()+" "+verify.Show(n.Get("threshold")))
	}
}

const expOperator = "<, <=, =, >= or >"

func isZero(v canon.Value) bool {
	f, ok := v.Num()
	return ok && f == 0
}

// met demands that a suite reached its threshold.
func (c *checker) met(s canon.Node) {
	threshold, hasThreshold := c.finite("suite.threshold", s.At("threshold"))
	value, hasValue := c.finite("suite.value", s.At("value"))
	op := s.At("operator")
	if !evidence.IsOperator(op.Text()) {
		c.fail("suite.operator", op, expOperator)
	} else if hasThreshold && hasValue && !evidence.Satisfies(value, op.Text(), threshold) {
		c.fail("suite.missed", s.At("value"), op.Text()+" "+verify.Show(s.Get("threshold")))
	}
}

// artifact resolves an artifact path: canonical as it is written, a plain file
// reached through no link.
func (c *checker) artifact(suffix string, n canon.Node) (evidence.Resolved, bool) {
	if err := evidence.Canonical(n.Text()); err != nil {
		c.add(suffix, n, verify.What{Found: err.Reason + ": " + verify.Show(n.Value), Expected: "the plain relative path of a file"})
		return evidence.Resolved{}, false
	}
	res, err := c.run.opt.Target.PlainFile(n.Text())
	if err != nil {
		c.add(suffix, n, verify.What{Found: err.Reason + ": " + verify.Show(n.Value), Expected: "a file of the run, reached through no link", Unevaluated: err.Unevaluated})
		return evidence.Resolved{}, false
	}
	return res, true
}

// object reads a file as a JSON object and returns a checker for it: its
// findings are of this gate and point into that file.
func (c *checker) object(suffix string, file evidence.Resolved) (*checker, bool) {
	in := *c
	in.path = file.Rel
	artifact, err := c.run.opt.Target.ReadResolved(file, canon.MaxDocument)
	if err != nil {
		in.add(suffix, canon.Node{}, verify.What{Found: err.Error(), Expected: "a JSON object of at most 16 MiB", Unevaluated: evidence.IsTrouble(err)})
		return nil, false
	}
	doc, err := artifact.JSON(canon.MaxDocument)
	if err != nil {
		in.add(suffix, canon.Node{}, verify.What{Found: err.Error(), Expected: "a JSON object"})
		return nil, false
	}
	evidence.ReadFindings(c.out, in.path, doc, nil)
	if in.doc = doc.Node(); !in.doc.IsObject() {
		in.fail(suffix, in.doc, "an object")
		return nil, false
	}
	return &in, true
}
