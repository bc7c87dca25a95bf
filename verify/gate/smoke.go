package gate

import (
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

const (
	smokePath    = "smoke/smoke_proof.json"
	smokeControl = "LIVE-SMOKE-001"
)

var smokeGate = newGate("smoke", smokePath, smokeTable, checkSmoke)

// checkSmoke is contract 09a, section 13.
func checkSmoke(c *checker) {
	c.oneOf("schema", c.doc.At("schema"), "uash.live-smoke.v1")
	c.members(header)
	c.oneOf("status", c.doc.At("status"), statusPassed)
	target, control := c.doc.At("target"), c.doc.At("control")
	items := control.At("evidence")
	for _, member := range []string{"kind", "identifier"} {
		c.present("target", target.At(member))
	}
	if n := target.At("identifier"); !someBound(items, "targetIdentifier", n.Value) {
		c.fail("target", n, "the targetIdentifier of an evidence item")
	}
	c.oneOf("control-id", control.At("id"), smokeControl)
	ctx := evidence.Enclosing(c.run.opt.Target, c.path, c.doc.Value)
	ctx.Profile = c.doc.Get("profile").Text()
	evidence.CheckControl(c.out, ctx, control)
	if len(ofType(items, evidence.TypeProviderReport)) == 0 && !slices.ContainsFunc(ofType(items, evidence.TypeCommand), ciAttested) {
		c.add("runtime-evidence", items, verify.What{Found: "nothing from outside the author's machine", Expected: "a provider report, or a command that CI attests"})
	}
	if isOneOf(target.Get("kind"), "testflight", "app-store") {
		c.appleSmoke(target, items)
	}
}

// someBound reports whether an item of evidence has the member bound to v.
func someBound(items canon.Node, member string, v canon.Value) bool {
	return slices.ContainsFunc(items.Elems(), func(e canon.Value) bool { return evidence.Bound(e.Get(member), v) })
}

// appleSmoke judges the smoke test of an app that Apple delivers.
func (c *checker) appleSmoke(target, items canon.Node) {
	if !hasAppleReport(items) {
		c.add("apple-report", items, verify.What{Found: "no report of Apple", Expected: appleReport})
	}
	for _, member := range []string{"scheme", "bundleAndTeam", "commissioningSha256"} {
		n := target.At(member)
		switch {
		case !evidence.Present(n.Value):
			c.fail("apple-identity", n, expPresent)
		case !someBound(items, member, n.Value):
			c.fail("apple-identity", n, "the "+member+" of an evidence item")
		}
	}
	c.digestForm("apple-identity", target.At("commissioningSha256"))
}
