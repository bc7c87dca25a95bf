package evidence

import (
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/catalog"
)

// WaiverSchema names the waiver ledger document.
const WaiverSchema = "uash.waiver-ledger.v1"

// WaiverPath is where a run keeps its ledger by default.
const WaiverPath = "waivers/waivers.json"

// WaiverOptions are what a caller knows beyond the ledger.
type WaiverOptions struct {
	// Now is the clock of a stand-alone verification, as a timestamp; Absent
	// where the caller's own rules compare the clock (09 §6).
	Now canon.Value
}

// VerifyWaivers verifies the waiver ledger at a path below the root (contract
// 07, section 8). It adds what fails to out, whose table must use [Waivers],
// and returns the document, for callers that bind it; Absent when it could not
// be read.
//
// A waiver documents accepted risk. It never turns a failed control, layer or
// gate into a pass, and no other rule consults it.
func VerifyWaivers(out *verify.Findings, root *Root, path string, opt WaiverOptions) canon.Node {
	_, doc, fail := root.ReadDocument(path, out.Level(), (*Root).OwnFile, canon.MaxDocument)
	switch {
	case fail != nil && fail.Missing:
		out.Add("waiver.ledger.missing", verify.At(path, ""), fail.What)
		return canon.Node{}
	case fail != nil:
		out.Add("waiver.ledger.json", verify.AtLine(path, fail.Line), fail.What)
		return canon.Node{}
	}
	ReadFindings(out, path, doc, nil)
	CheckWaivers(out, path, doc.Node(), opt)
	return doc.Node()
}

// CheckWaivers judges a waiver ledger that was read before (contract 07,
// sections 8.1 and 8.2). Artifact is its path, for findings.
func CheckWaivers(out *verify.Findings, artifact string, ledger canon.Node, opt WaiverOptions) {
	w := waivers{out: out, artifact: artifact, opt: opt, ledger: ledger, seen: map[string]bool{}}
	if !ledger.IsObject() {
		w.fail("waiver.ledger.object", ledger, "an object")
		return
	}
	w.document()
	w.written.ms, w.written.ok = canon.TimestampOf(ledger.Get("generatedAt"))
	w.now.ms, w.now.ok = canon.TimestampOf(opt.Now)
	list := ledger.At("waivers")
	if !list.IsArray() {
		w.fail("waiver.ledger.waivers-array", list, "an array; an empty one says that nothing is waived")
		return
	}
	for entry := range list.All() {
		w.entry(entry)
	}
}

// waivers is a ledger under evaluation.
type waivers struct {
	out      *verify.Findings
	artifact string
	opt      WaiverOptions
	ledger   canon.Node
	seen     map[string]bool

	written, now instant // generatedAt and the caller's clock
}

func (w *waivers) fail(rule string, n canon.Node, expected string) {
	addValue(w.out, rule, w.artifact, n, expected)
}

func (w *waivers) present(rule string, n canon.Node) {
	if !Present(n.Value) {
		w.fail(rule, n, "a text that is not blank")
	}
}

func (w *waivers) document() {
	if n := w.ledger.At("schema"); !n.Is(WaiverSchema) {
		w.fail("waiver.ledger.schema", n, WaiverSchema)
	}
	w.present("waiver.ledger.run-id", w.ledger.At("runId"))
	w.present("waiver.ledger.commit", w.ledger.At("commit"))
	w.present("waiver.ledger.environment", w.ledger.At("environment"))
	if n := w.ledger.At("profile"); !IsProfile(n.Text()) {
		w.fail("waiver.ledger.profile", n, "prototype, production, enterprise or regulated")
	}
	if n := w.ledger.At("generatedAt"); !isTimestamp(n.Value) {
		w.fail("waiver.ledger.generated-at", n, timestampForm)
	}
}

func isTimestamp(v canon.Value) bool { _, ok := canon.TimestampOf(v); return ok }

func (w *waivers) entry(e canon.Node) {
	if !e.IsObject() {
		w.fail("waiver.entry.object", e, "an object")
		return
	}
	w.identity(e.At("id"))
	control := e.At("controlId")
	w.present("waiver.entry.control-id", control)
	if Present(control.Value) && !catalog.IsControl(Trimmed(control.Value)) {
		w.fail("waiver.warn.unknown-control", control, "the id of a control in a catalog, or LIVE-SMOKE-001")
	}
	if n := e.At("status"); !n.Is("active") {
		w.fail("waiver.entry.status", n, "active")
	}
	w.present("waiver.entry.reason", e.At("reason"))
	w.person("waiver.entry.risk-owner", e.At("riskOwner"), e.At("riskOwnerType"))
	w.person("waiver.entry.approver", e.At("approvedBy"), e.At("approvedByType"))
	if owner := e.At("riskOwner"); Present(owner.Value) && Trimmed(owner.Value) == Trimmed(e.Get("approvedBy")) {
		w.fail("waiver.warn.same-person", owner, "someone other than the approver")
	}
	w.present("waiver.entry.approval-event", e.At("approvalEventId"))
	w.present("waiver.entry.scope", e.At("scope"))
	if n := e.At("compensatingControls"); n.Len() == 0 || !n.IsArray() || slices.ContainsFunc(n.Elems(), isBlank) {
		w.fail("waiver.entry.compensating", n, "a non-empty array of texts that are not blank")
	}
	if n := e.At("remediationIssue"); !hasHTTPS(Trimmed(n.Value)) {
		w.fail("waiver.entry.remediation", n, "a URL that starts with https://")
	}
	w.times(e)
}

func isBlank(v canon.Value) bool { return !Present(v) }

// identity demands an id that no earlier entry has: compared trimmed at strict
// level, as written at base level.
func (w *waivers) identity(id canon.Node) {
	if !Present(id.Value) {
		w.fail("waiver.entry.id", id, "a text that is not blank")
		return
	}
	key := id.Text()
	if w.out.Strict() {
		key = canon.Trim(key)
	}
	if w.seen[key] {
		w.fail("waiver.entry.duplicate", id, "an id that no other waiver has")
	}
	w.seen[key] = true
}

func (w *waivers) person(rule string, name, kind canon.Node) {
	switch {
	case !Present(name.Value):
		w.fail(rule, name, "the name of a person")
	case !kind.Is("human"):
		w.fail(rule, kind, "human")
	}
}

// times compares the life of a waiver with the ledger's own time, and at strict
// level with the clock of the caller.
func (w *waivers) times(e canon.Node) {
	begin, end := e.At("issuedAt"), e.At("expiresAt")
	issued, issuedOK := canon.TimestampOf(begin.Value)
	expires, expiresOK := canon.TimestampOf(end.Value)
	switch {
	case !issuedOK:
		w.fail("waiver.entry.times", begin, timestampForm)
	case !expiresOK:
		w.fail("waiver.entry.times", end, timestampForm)
	case expires <= issued:
		w.fail("waiver.entry.expiry-order", end, "later than issuedAt, "+verify.Show(begin.Value))
	}
	const atLeast, atMost = "no earlier than the ledger's generatedAt", "no later than the ledger's generatedAt"
	if w.written.ok && expiresOK && expires < w.written.ms {
		w.fail("waiver.entry.expired", end, atLeast)
	}
	if w.written.ok && issuedOK && issued > w.written.ms {
		w.fail("waiver.hardening.issued-in-future", begin, atMost)
	}
	if w.now.ok && expiresOK && expires < w.now.ms {
		w.fail("waiver.hardening.expired-now", end, "no earlier than now")
	}
}

// CorrelateWaivers demands for every entry of a ledger a granted approval
// record of the run with the same event and scope (contract 07, section 8.4).
// Records are the run's approval records as they are after all its events, in
// any order; one that is no object backs nothing. Waivers is the ledger's
// waivers member.
//
// The rule belongs to the bridge, which has the records. A caller without them
// must list it as not evaluated, never as passed.
func CorrelateWaivers(out *verify.Findings, artifact string, waivers canon.Node, records []canon.Value) {
	type backing struct{ event, scope string }
	granted := map[backing]bool{}
	for _, r := range records {
		event, known := ScalarKey(r.Get("eventId"))
		scope, scoped := ScalarKey(r.Get("scope"))
		if known && scoped && r.Get("status").Is("granted") {
			granted[backing{event, scope}] = true
		}
	}
	for e := range waivers.All() {
		event, known := ScalarKey(e.Get("approvalEventId"))
		scope, scoped := ScalarKey(e.Get("scope"))
		if known && scoped && granted[backing{event, scope}] {
			continue
		}
		out.Add("waiver.correlation.missing-approval", verify.At(artifact, e.Pointer), verify.What{
			Found:    "event " + verify.Show(e.Get("approvalEventId")) + ", scope " + verify.Show(e.Get("scope")),
			Expected: "a granted approval record of the run with this event and this scope",
		})
	}
}
