package evidence

import (
	"finishline/canon"
	"finishline/verify"
)

// CheckControl judges one control entry by contract 07, section 7, and the
// evidence of a passed one by [CheckItem]. It adds what fails to out, whose
// table must use [Typed]; the control passes when no error was added. One bad
// item fails the control, whatever the others are.
//
// Which controls a document must hold, and which types of evidence each needs,
// are rules of that document.
func CheckControl(out *verify.Findings, ctx Context, node canon.Node) {
	c := control{out: out, ctx: ctx, node: node}
	c.ctx.Subject = Trimmed(node.Get("id"))
	c.ctx.readAsOf()
	if !node.IsObject() {
		c.fail("control.shape.object", node, "an object")
		return
	}
	if n := node.At("id"); !Present(n.Value) {
		c.fail("control.id.missing", n, "a text that is not blank")
	}
	status := Effective(out, node.Get("status"))
	switch status {
	case StatusPassed:
		c.passed()
	case StatusSkipped:
		c.skipped()
	case StatusFailed:
		c.failed()
	}
	switch n := node.At("status"); {
	case !IsControlStatus(status):
		c.fail("control.status.unsupported", n, "passed, skipped, required, pending, failed, blocked or needs_approval")
	case BlockingStatus(status):
		c.fail("control.status.blocking", n, StatusPassed)
	}
}

type control struct {
	out  *verify.Findings
	ctx  Context
	node canon.Node
}

func (c *control) fail(rule string, n canon.Node, expected string) {
	addValue(c.out, rule, c.ctx.Artifact, n, expected)
}

func (c *control) passed() {
	list := c.node.At("evidence")
	if list.Len() == 0 || !list.IsArray() {
		c.fail("control.evidence.missing", list, "a non-empty array of evidence")
		return
	}
	onlyApprovals := true
	for entry := range list.All() {
		CheckItem(c.out, c.ctx, entry)
		onlyApprovals = onlyApprovals && entry.Get("type").Is(TypeApproval)
	}
	if onlyApprovals {
		c.fail("control.evidence.approval-only", list, "an artifact, command, metric or provider-report as well")
	}
}

func (c *control) skipped() {
	if c.ctx.Skip != SkipAllowed {
		c.fail("control.skip.not-allowed", c.node.At("status"), StatusPassed)
	}
	if !Present(Reason(c.node.Value)) {
		at := c.node.At("reason")
		if !at.Truthy() {
			at = c.node.At("skipReason")
		}
		c.fail("control.skip.reason-missing", at, "a text that is not blank")
	}
}

func (c *control) failed() {
	for _, m := range [...]struct{ rule, member string }{
		{"control.failed.reason-missing", "failureReason"}, {"control.failed.recovery-missing", "recoveryPath"},
	} {
		if n := c.node.At(m.member); !Present(n.Value) {
			c.fail(m.rule, n, "a text that is not blank")
		}
	}
}
