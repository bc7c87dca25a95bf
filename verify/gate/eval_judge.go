package gate

import (
	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// identityDigests tie a judge to its calibration: members of judgeIdentity and
// of the calibration file.
var identityDigests = []struct{ identity, calibration string }{
	{"modelSha256", "judgeModelSha256"}, {"providerSha256", "judgeProviderSha256"}, {"promptSha256", "judgePromptSha256"},
}

const calibrationSchema = "uash.model-judge-calibration.v1"

// judge is the paragraph "Judge" of contract 09a, section 11: a model that
// judges must have been calibrated against people; a program needs no
// calibration and must not claim one.
func (e *evaluation) judge(s canon.Node) {
	const suffix = "suite.judge"
	calibration := s.At("judgeCalibration")
	switch kind := s.At("evaluator").At("kind"); {
	case kind.Is(kindDeterministic):
		if calibration.Present() {
			e.fail(suffix, calibration, "no such member: the evaluator is deterministic")
		}
	case kind.Is(kindModel):
		if in, ok := e.calibrationFile(s, calibration); ok {
			if !e.calibrated[in.path] { // two suites of one id share a file
				e.calibrated[in.path] = true
				in.calibration()
				e.calibrationExpiry(in)
			}
			in.independent(s)
		}
	}
}

// calibrationFile follows the suite's reference to its calibration.
func (e *evaluation) calibrationFile(s, calibration canon.Node) (*checker, bool) {
	const suffix = "suite.judge"
	before := e.out.Errors()
	for _, m := range identityDigests {
		e.digestForm(suffix, s.At("evaluator").At("judgeIdentity").At(m.identity))
	}
	if e.out.Errors() > before {
		return nil, false
	}
	e.oneOf(suffix, calibration.At("schema"), calibrationSchema)
	e.oneOf(suffix, calibration.At("path"), "evals/calibrations/"+s.Get("id").Text()+".json")
	e.digestForm(suffix, calibration.At("sha256"))
	if e.out.Errors() > before {
		return nil, false
	}
	file, ok := e.artifact(suffix, calibration.At("path"))
	if !ok {
		return nil, false
	}
	if e.sum(suffix, calibration.At("sha256"), file); e.out.Errors() > before {
		return nil, false
	}
	return e.object(suffix, file)
}

// calibration judges the content of a calibration file.
func (c *checker) calibration() {
	const suffix = "suite.judge"
	c.oneOf(suffix, c.doc.At("schema"), calibrationSchema)
	for _, member := range []string{"judgeModelSha256", "judgeProviderSha256", "judgePromptSha256", "calibrationSetSha256", "humanLabelsSha256"} {
		if n := c.doc.At(member); !canon.IsHex64(n.Text()) {
			c.fail(suffix, n, expDigest)
		}
	}
	c.present(suffix, c.doc.At("owner"))
	generated, hasGenerated := c.instant(suffix, "generatedAt")
	expires, hasExpires := c.instant(suffix, "expiresAt")
	if hasGenerated && hasExpires && expires <= generated {
		c.fail(suffix, c.doc.At("expiresAt"), "later than generatedAt")
	}
	c.rates(suffix)
	slices := c.doc.At("criticalSlices")
	if !presentTexts(slices.Value) || slices.Len() == 0 {
		c.fail(suffix, slices, "a non-empty list of texts")
	}
	c.once(suffix, slices, "each slice once")
	if n := c.doc.At("independentFromSystemUnderTest"); !n.IsBool(true) {
		c.fail(suffix, n, "true")
	}
}

// independent ties a calibration to the judge of a suite, which is not the
// model under test.
func (c *checker) independent(s canon.Node) {
	const suffix = "suite.judge"
	if n, model := c.doc.At("judgeModelSha256"), s.Get("model"); model.Truthy() && canon.LowerASCII(n.Text()) == canon.Digest(model) {
		c.fail(suffix, n, "the digest of another model than the one under test")
	}
	for _, m := range identityDigests {
		c.bound(suffix, c.doc.At(m.calibration), s.Get("evaluator").Get("judgeIdentity").Get(m.identity))
	}
}

func (c *checker) instant(suffix, member string) (int64, bool) {
	n := c.doc.At(member)
	ms, ok := canon.Instant(n.Value)
	if !ok {
		c.fail(suffix, n, "an instant such as 2026-04-01T00:00:00.000Z")
	}
	return ms, ok
}

// rates hold the calibration's agreement and error rate against their bounds.
func (c *checker) rates(suffix string) {
	rate := func(member string) (float64, bool) {
		n := c.doc.At(member)
		f, ok := n.Finite()
		if ok = ok && f >= 0 && f <= 1; !ok {
			c.fail(suffix, n, "a number from 0 to 1")
		}
		return f, ok
	}
	agreement, hasAgreement := rate("agreement")
	least, hasLeast := rate("minimumAgreement")
	if hasAgreement && hasLeast && agreement < least {
		c.fail(suffix, c.doc.At("agreement"), "at least minimumAgreement")
	}
	errors, hasErrors := rate("errorRate")
	most, hasMost := rate("maximumErrorRate")
	if hasErrors && hasMost && errors > most {
		c.fail(suffix, c.doc.At("errorRate"), "at most maximumErrorRate")
	}
}

// calibrationExpiry compares with the caller's clock, at strict level and when
// there is one.
func (e *evaluation) calibrationExpiry(in *checker) {
	if e.run.opt.Now.IsZero() {
		return
	}
	n := in.doc.At("expiresAt")
	if expires, ok := canon.Instant(n.Value); ok && expires <= e.run.opt.Now.UnixMilli() {
		e.out.Add("eval.hardening.calibration-expired", verify.At(in.path, n.Pointer), verify.What{
			Found: verify.Show(n.Value), Expected: "a time after now"})
	}
}

// sameEvaluator reports whether two evaluators are the same judge: name,
// version and kind bound, identities equal as canonical JSON.
func sameEvaluator(a, b canon.Value) bool {
	return allBound(a, b, "name", "version", "kind") && canon.Equal(orNull(a.Get("judgeIdentity")), orNull(b.Get("judgeIdentity")))
}

func orNull(v canon.Value) canon.Value {
	if v.Present() {
		return v
	}
	return canon.NewNull()
}

// allBound reports whether the named members are bound in pairs.
func allBound(a, b canon.Value, members ...string) bool {
	for _, m := range members {
		if !evidence.Bound(a.Get(m), b.Get(m)) {
			return false
		}
	}
	return true
}
