package gate

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate/workload"
)

const contextPath = "context/manifest.json"

var contextGate = newGate("context", contextPath, contextTable, checkContext)

const (
	manifestV1 = "uash.context-manifest.v1"
	manifestV2 = "uash.context-manifest.v2"
)

// Words of a context manifest.
const (
	higherIsBetter = "higher-is-better"
	lowerIsBetter  = "lower-is-better"
	loadStatic     = "static"
	loadDynamic    = "dynamic"
)

// maxSafeInteger is the largest integer up to which doubles hold every one.
const maxSafeInteger = 1<<53 - 1

// checkContext is contract 09a, section 10.
func checkContext(c *checker) {
	schema := c.doc.At("schema")
	c.oneOf("schema", schema, manifestV1, manifestV2)
	c.members(header)
	v2 := schema.Is(manifestV2)
	c.loadedFiles(v2)
	if v2 {
		c.contextBudget()
	}
	c.quality(c.doc.At("contextQuality"))
}

func (c *checker) loadedFiles(v2 bool) {
	list := c.doc.At("loadedFiles")
	c.filled("files", list)
	generated, hasGenerated := canon.TimestampOf(c.doc.Get("generatedAt"))
	if !hasGenerated {
		generated = math.MaxInt64
	}
	seen := map[string]bool{}
	for entry := range list.All() {
		if !entry.IsObject() {
			c.fail("file.object", entry, "an object")
			continue
		}
		n := entry.At("path")
		if !evidence.Present(n.Value) {
			c.fail("file.path", n, expPresent)
			continue
		}
		file, ok := c.reference(n, "file.path", "file.secret")
		if !ok {
			continue
		}
		if name := strings.ReplaceAll(evidence.Trimmed(n.Value), `\`, "/"); seen[name] {
			c.fail("file.duplicate", n, "each file once")
		} else {
			seen[name] = true
		}
		c.sum("file.digest", entry.At("sha256"), file)
		c.loadedAt(entry.At("loadedAt"), generated)
		if v2 {
			c.fileV2(entry)
		}
	}
}

func (c *checker) loadedAt(n canon.Node, generated int64) {
	if loaded, ok := canon.TimestampOf(n.Value); !ok {
		c.fail("file.loaded-at", n, expTimestamp)
	} else if loaded > generated {
		c.fail("file.loaded-at", n, "a time not after generatedAt")
	}
}

func (c *checker) fileV2(entry canon.Node) {
	const suffix = "file.v2"
	c.oneOf(suffix, entry.At("kind"), "instructions", "knowledge", "memory", "examples", "tools", "guardrails")
	mode := entry.At("loadMode")
	c.oneOf(suffix, mode, loadStatic, loadDynamic)
	for _, member := range []string{"purpose", "owner", "version"} {
		c.present(suffix, entry.At(member))
	}
	c.tokens(suffix, entry.At("tokenEstimate"))
	switch trigger := entry.At("trigger"); {
	case mode.Is(loadDynamic):
		c.present(suffix, trigger)
	case mode.Is(loadStatic) && trigger.Present():
		c.fail(suffix, trigger, "no trigger: the file is always loaded")
	}
}

// tokenCount is a number of tokens: an integer from 1 on that a double holds.
func tokenCount(v canon.Value) (float64, bool) {
	f, ok := v.Integer()
	return f, ok && f >= 1 && f <= maxSafeInteger
}

func (c *checker) tokens(suffix string, n canon.Node) (float64, bool) {
	f, ok := tokenCount(n.Value)
	if !ok {
		c.fail(suffix, n, "a whole number of tokens, 1 or more")
	}
	return f, ok
}

// contextBudget holds the token budget against the estimates of all entries.
func (c *checker) contextBudget() {
	const suffix = "budget"
	budget := c.doc.At("budget")
	if !budget.IsObject() {
		c.fail(suffix, budget, "an object")
	}
	var total, static float64
	for entry := range c.doc.At("loadedFiles").All() {
		if f, ok := tokenCount(entry.Get("tokenEstimate")); ok {
			total += f
			if entry.Get("loadMode").Is(loadStatic) {
				static += f
			}
		}
	}
	most, hasMost := c.tokens(suffix, budget.At("maxTokens"))
	share, hasShare := c.tokens(suffix, budget.At("staticMaxTokens"))
	if hasMost && hasShare && share > most {
		c.fail(suffix, budget.At("staticMaxTokens"), "at most maxTokens")
	}
	if hasMost && total > most {
		c.add(suffix, budget.At("maxTokens"), verify.What{Found: verify.Show(budget.Get("maxTokens")), Expected: "at least the sum of the estimates, " + verify.Show(canon.NewNumber(total))})
	}
	if hasShare && static > share {
		c.add(suffix, budget.At("staticMaxTokens"), verify.What{Found: verify.Show(budget.Get("staticMaxTokens")), Expected: "at least the sum of the static estimates, " + verify.Show(canon.NewNumber(static))})
	}
	if n := budget.At("loadedTokens"); !evidence.Identical(n.Value, canon.NewNumber(total)) {
		c.fail(suffix, n, "the sum of the estimates, "+verify.Show(canon.NewNumber(total)))
	}
}

// quality judges what the manifest says about measuring its worth.
func (c *checker) quality(q canon.Node) {
	if !q.IsObject() {
		c.fail("quality.object", q, "an object")
		return
	}
	c.oneOf("quality.schema", q.At("schema"), "uash.context-quality-eval.v1")
	c.present("quality.suite-id", q.At("suiteId"))
	c.oneOf("quality.baseline-mode", q.At("baselineMode"), "no-context", "limited-context")
	cases, answers := q.At("caseSet"), q.At("answerKey")
	c.measure("quality.case-set", cases)
	c.measure("quality.answer-key", answers)
	if a, b := cases.At("path"), answers.At("path"); a.Truthy() && b.Truthy() && evidence.Bound(a.Value, b.Value) {
		c.fail("quality.same-path", b, "another file than the case set")
	}
	have, haveOK := cases.Get("caseCount").Integer()
	want, wantOK := answers.Get("caseCount").Integer()
	if haveOK && wantOK && have != want {
		c.fail("quality.case-count", answers.At("caseCount"), "as many as in the case set, "+verify.Show(cases.Get("caseCount")))
	}
	c.qualityMetric(q.At("metric"))
}

// measure judges a case set or an answer key.
func (c *checker) measure(suffix string, n canon.Node) {
	if !n.IsObject() {
		c.fail(suffix, n, "an object")
	}
	c.present(suffix, n.At("id"))
	c.present(suffix, n.At("version"))
	c.positive(suffix, n.At("caseCount"))
	path := n.At("path")
	if !evidence.Present(path.Value) {
		c.fail(suffix, path, expPresent)
		c.digestForm(suffix, n.At("sha256"))
		return
	}
	if file, ok := c.reference(path, suffix, suffix); ok {
		c.sum(suffix, n.At("sha256"), file)
	} else {
		c.digestForm(suffix, n.At("sha256"))
	}
}

// positive demands an integer above 0.
func (c *checker) positive(suffix string, n canon.Node) {
	if f, ok := n.Integer(); !ok || f <= 0 {
		c.fail(suffix, n, "a whole number above 0")
	}
}

func (c *checker) qualityMetric(n canon.Node) {
	const suffix = "quality.metric"
	if !n.IsObject() {
		c.fail(suffix, n, "an object")
	}
	c.present(suffix, n.At("id"))
	c.oneOf(suffix, n.At("direction"), higherIsBetter, lowerIsBetter)
	if delta, ok := n.At("minDelta").Finite(); !ok || delta <= 0 {
		c.fail(suffix, n.At("minDelta"), "a finite number above 0")
	}
	c.finite(suffix, n.At("candidateThreshold"))
}

func (c *checker) finite(suffix string, n canon.Node) (float64, bool) {
	f, ok := n.Finite()
	if !ok {
		c.fail(suffix, n, "a finite number")
	}
	return f, ok
}

// Components whose names say that they hold secrets, as matched on their
// lowered view.
var (
	secretNames = []string{".env", ".npmrc", ".pypirc", "kubeconfig"}
	secretName  = regexp.MustCompile(`^(?:credentials?|secrets?|keys?|service[-_]?account)(?:\.[^\n\r\x{2028}\x{2029}]+)?$|\.(?:pem|p12|pfx|key|jks|keystore)$`)
)

// secretLike reports whether a component of a path is named like a secret.
// Parts of a name do not count: keyboard.md is fine, keys.md is not.
func secretLike(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(component string) bool {
		component = workload.Lowered(component)
		return slices.Contains(secretNames, component) || strings.HasPrefix(component, ".env.") || secretName.MatchString(component)
	})
}

// reference is the reference check of a trimmed path: a plain file of the run,
// reached through no link, that is not named like a secret.
func (c *checker) reference(n canon.Node, bad, secret string) (evidence.Resolved, bool) {
	path := evidence.Trimmed(n.Value)
	if err := evidence.Canonical(path); err != nil {
		c.add(bad, n, verify.What{Found: err.Reason + ": " + verify.Show(n.Value), Expected: "the plain relative path of a file"})
		return evidence.Resolved{}, false
	}
	if secretLike(path) {
		c.fail(secret, n, "no file that is named like a secret")
		return evidence.Resolved{}, false
	}
	res, err := c.run.opt.Target.PlainFile(path)
	if err != nil {
		c.add(bad, n, verify.What{Found: err.Reason + ": " + verify.Show(n.Value), Expected: "a file of the run, reached through no link", Unevaluated: err.Unevaluated})
		return evidence.Resolved{}, false
	}
	return res, true
}

// sum demands a digest in form and value: that of a file's bytes, of either
// case.
func (c *checker) sum(suffix string, n canon.Node, file evidence.Resolved) {
	if !evidence.DigestForm(c.run.Level(), n.Value) {
		c.fail(suffix, n, expDigest)
		return
	}
	digest, err := c.run.opt.Target.DigestResolved(file)
	if err != nil {
		c.add(suffix, n, verify.What{Found: err.Error(), Expected: "a readable file of the run", Unevaluated: evidence.IsTrouble(err)})
		return
	}
	if canon.LowerASCII(n.Text()) == digest.SHA256 {
		return
	}
	what := verify.What{Found: verify.Show(n.Value), Expected: digest.SHA256 + ", the SHA-256 of " + verify.Quote(file.Rel)}
	if !c.out.Has(c.gate + "." + suffix) {
		what.Hint = c.run.opt.Target.LineEndHint(file.Rel, n.Text())
	}
	c.add(suffix, n, what)
}
