package evidence

import (
	"fmt"
	"strconv"
	"strings"

	"finishline/canon"
	"finishline/verify"
)

// SkipPolicy says whether an enclosing document accepts skipped controls. The
// zero value forbids them, as every current document does.
type SkipPolicy int

// The two policies.
const (
	SkipForbidden SkipPolicy = iota
	SkipAllowed
)

// Context is what a piece of evidence is judged by: values of the document that
// holds it and of the tier policy (contract 07, section 3). The level is that
// of the findings. No clock is involved: AsOf is the document's own time.
type Context struct {
	Root     *Root  // where file references lead
	Artifact string // path of the enclosing document, for findings

	// Profile is the evidence profile; one that is not in the table counts as
	// production.
	Profile string
	// MinimumTrust is the minimum technical trust, "" for none.
	MinimumTrust string

	// AsOf is the enclosing document's generatedAt; without a timestamp there
	// are no age and expiry checks.
	AsOf canon.Value
	// RunID, Commit and Environment are the enclosing document's own values.
	// One that is falsy is not compared; the document is invalid by its own
	// rules then.
	RunID, Commit, Environment canon.Value

	// Subject is the trimmed id of the control or stopping condition; ""
	// leaves subjects unchecked. [CheckControl] sets it itself.
	Subject string

	// Skip is read by [CheckControl] only.
	Skip SkipPolicy

	asOf instant // AsOf, read once
}

// An instant is a timestamp that was read, and the text it was read from.
type instant struct {
	text string
	ms   int64
	ok   bool
}

// readAsOf reads AsOf, unless it was read already: its fraction may have
// millions of digits, and lists of evidence as many items.
func (c *Context) readAsOf() instant {
	if text := c.AsOf.Text(); text == "" || text != c.asOf.text {
		ms, ok := canon.TimestampOf(c.AsOf)
		c.asOf = instant{text, ms, ok}
	}
	return c.asOf
}

// Enclosing starts the context of evidence inside a document that carries the
// usual header: its generatedAt, runId, commit and environment (contract 09a,
// section 1).
func Enclosing(root *Root, artifact string, document canon.Value) Context {
	ctx := Context{
		Root: root, Artifact: artifact,
		AsOf:  document.Get("generatedAt"),
		RunID: document.Get("runId"), Commit: document.Get("commit"), Environment: document.Get("environment"),
	}
	ctx.readAsOf()
	return ctx
}

// Under returns the context with the evidence profile and the minimum trust of
// a tier policy.
func (c Context) Under(p TierPolicy) Context {
	c.Profile, c.MinimumTrust = p.Profile, p.MinimumTrust
	return c
}

// Present reports whether v is a string that is not blank (contract 07,
// section 1.1).
func Present(v canon.Value) bool { return canon.NonEmpty(v, 1) }

// Trimmed is the trimmed text of a string and "" for anything else.
func Trimmed(v canon.Value) string { return canon.Trim(v.Text()) }

// Identical reports whether both values are the same JSON scalar: same type,
// same code points, numbers as doubles (contract 07, section 4). Objects and
// arrays are identical to nothing, nor is an absent member.
func Identical(a, b canon.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case canon.String:
		return a.Text() == b.Text()
	case canon.Number:
		x, _ := a.Num()
		y, _ := b.Num()
		return x == y
	case canon.Bool:
		x, _ := a.Bool()
		return b.IsBool(x)
	}
	return a.IsNull()
}

// ScalarKey is a text that two scalars share exactly when they are [Identical];
// ok is false for what is identical to nothing.
func ScalarKey(v canon.Value) (key string, ok bool) {
	switch v.Kind() {
	case canon.Absent, canon.Array, canon.Object:
		return "", false
	case canon.Number:
		f, _ := v.Num()
		if f == 0 { // 0 and -0 are one value
			f = 0
		}
		return "number " + strconv.FormatFloat(f, 'g', -1, 64), true
	}
	return v.Kind().String() + " " + canon.TextForm(v), true
}

// Bound is the binding of the document gates: identical, or both absent
// (contract 09a, conventions).
func Bound(a, b canon.Value) bool {
	return Identical(a, b) || !a.Present() && !b.Present()
}

// Reason picks the text that explains a skipped or not-applicable entry: the
// member reason when it is truthy, else skipReason. A blank reason therefore
// hides a good skipReason (contract 07, section 7).
func Reason(entry canon.Value) canon.Value {
	return canon.FirstTruthy(entry.Get("reason"), entry.Get("skipReason"))
}

// CheckItem judges one item of evidence by contract 07, sections 4 to 6, and
// adds what fails to out, whose table must use [Typed]. The item passes when no
// error was added.
func CheckItem(out *verify.Findings, ctx Context, node canon.Node) {
	it := item{out: out, ctx: ctx, node: node, typ: Effective(out, node.Get("type"))}
	if !node.IsObject() {
		it.fail("evidence.shape.object", node, "an object")
		return
	}
	check, known := typeChecks[it.typ]
	if !known {
		it.fail("evidence.type.unknown", node.At("type"), "artifact, command, metric, approval or provider-report")
		return
	}
	it.binding()
	it.trust()
	check(&it)
	it.freshness()
}

// typeChecks are the rules of section 5, by type.
var typeChecks = map[string]func(*item){
	TypeArtifact:       (*item).artifact,
	TypeCommand:        (*item).command,
	TypeMetric:         (*item).metric,
	TypeApproval:       (*item).approval,
	TypeProviderReport: (*item).report,
}

// timeFields names the member that tells when evidence of a type was made.
var timeFields = map[string]string{
	TypeArtifact:       "generatedAt",
	TypeCommand:        "completedAt",
	TypeMetric:         "observedAt",
	TypeApproval:       "approvedAt",
	TypeProviderReport: "checkedAt",
}

// Effective is the text of a status or type as the level reads it: raw at
// strict level, trimmed at base level (contract 07, section 9).
func Effective(out *verify.Findings, v canon.Value) string {
	if out.Strict() {
		return v.Text()
	}
	return Trimmed(v)
}

// An item is one piece of evidence under evaluation.
type item struct {
	out  *verify.Findings
	ctx  Context
	node canon.Node
	typ  string // type as the level reads it
}

func (it *item) at(n canon.Node) verify.Place { return verify.At(it.ctx.Artifact, n.Pointer) }

func (it *item) fail(rule string, n canon.Node, expected string) {
	addValue(it.out, rule, it.ctx.Artifact, n, expected)
}

// failAgainst is fail for what a value outside the item expects, which many
// items may be compared with.
func (it *item) failAgainst(rule string, n canon.Node, before string, outer canon.Value) {
	if it.out.Full(rule) {
		it.fail(rule, n, "")
		return
	}
	it.fail(rule, n, before+verify.Show(outer))
}

// addValue records a rule about a value. Lists of hostile length repeat one
// rule without end, so what is only counted is not described.
func addValue(out *verify.Findings, rule, artifact string, n canon.Node, expected string) {
	what := verify.What{}
	if !out.Full(rule) {
		what = verify.What{Found: verify.Show(n.Value), Expected: expected}
	}
	out.Add(rule, verify.At(artifact, n.Pointer), what)
}

// present fails a rule when a member holds no text.
func (it *item) present(rule, member string) {
	if n := it.node.At(member); !Present(n.Value) {
		it.fail(rule, n, "a text that is not blank")
	}
}

// timestamp fails a rule when a member is no timestamp.
func (it *item) timestamp(rule, member string) (ms int64, ok bool) {
	n := it.node.At(member)
	ms, ok = canon.TimestampOf(n.Value)
	if !ok {
		it.fail(rule, n, timestampForm)
	}
	return ms, ok
}

const timestampForm = "a timestamp such as 2026-03-04T11:00:00Z"

// exactly fails a rule when a member is not that very text.
func (it *item) exactly(rule, member, want string) {
	if n := it.node.At(member); !n.Is(want) {
		it.fail(rule, n, want)
	}
}

// binding checks that the evidence is about this subject of this run.
func (it *item) binding() {
	if s := it.ctx.Subject; s != "" {
		it.same("evidence.binding.subject", "subject", canon.NewString(s))
	}
	it.same("evidence.binding.run-id", "runId", it.ctx.RunID)
	it.same("evidence.binding.commit", "commit", it.ctx.Commit)
	it.same("evidence.binding.environment", "environment", it.ctx.Environment)
}

func (it *item) same(rule, member string, enclosing canon.Value) {
	n := it.node.At(member)
	if enclosing.Truthy() && !Identical(n.Value, enclosing) {
		it.failAgainst(rule, n, "", enclosing)
	}
}

// trust checks tier and producer, and that the type may carry that tier.
func (it *item) trust() {
	tierNode := it.node.At("trustTier")
	tier := tierNode.Text()
	wantKind, tierKnown := producerOf[tier]
	if !tierKnown {
		it.fail("evidence.trust.tier-unknown", tierNode, "automated-local, ci-attested, provider-attested or human-approved")
	}
	it.producer(wantKind)
	switch {
	case it.typ == TypeProviderReport && tier != TrustProvider:
		it.fail("evidence.trust.provider-report-tier", tierNode, TrustProvider)
	case it.typ == TypeApproval && tier != TrustHuman:
		it.fail("evidence.trust.approval-tier", tierNode, TrustHuman)
	}
	if least := it.ctx.MinimumTrust; it.typ != TypeApproval && least != "" && belowMinimum(tier, least) {
		it.fail("evidence.trust.below-minimum", tierNode, least+" or higher")
	}
}

// producer checks who made the evidence; wantKind is the kind that its tier
// requires, "" for an unknown tier.
func (it *item) producer(wantKind string) {
	p := it.node.At("producer")
	if !p.IsObject() {
		it.fail("evidence.producer.object", p, "an object with name, version and kind")
		return
	}
	for _, m := range [...]struct{ rule, member string }{
		{"evidence.producer.name", "name"}, {"evidence.producer.version", "version"},
	} {
		if n := p.At(m.member); !Present(n.Value) {
			it.fail(m.rule, n, "a text that is not blank")
		}
	}
	kind := p.At("kind")
	switch {
	case !isProducerKind(kind.Text()):
		it.fail("evidence.producer.kind-unknown", kind, "tool, ci, provider or human")
	case wantKind != "" && kind.Text() != wantKind:
		it.fail("evidence.producer.kind-mismatch", kind, wantKind)
	}
}

// freshness compares the age of the evidence with the window of its profile.
func (it *item) freshness() {
	n := it.node.At(timeFields[it.typ])
	asOf := it.ctx.readAsOf()
	made, timed := canon.TimestampOf(n.Value)
	if !asOf.ok || !timed {
		return
	}
	switch age, window := asOf.ms-made, FreshnessWindow(it.ctx.Profile); {
	case age < 0:
		it.failAgainst("evidence.freshness.future", n, "no later than the document's generatedAt, ", it.ctx.AsOf)
	case age > window:
		it.failAgainst("evidence.freshness.stale", n,
			fmt.Sprintf("at most %d hours before the document's generatedAt, ", window/millisPerHour), it.ctx.AsOf)
	}
}

// hasHTTPS reports whether text starts with https://, in any case.
func hasHTTPS(text string) bool {
	const scheme = "https://"
	return len(text) >= len(scheme) && canon.LowerASCII(text[:len(scheme)]) == scheme
}

// loopback reports whether the host of an https URL names this machine. It is
// for a warning, so it takes the URL apart by its punctuation only.
func loopback(url string) bool {
	rest := url[strings.Index(url, "://")+len("://"):]
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		rest = rest[:end]
	}
	host := canon.LowerASCII(rest[strings.LastIndexByte(rest, '@')+1:])
	if bracket := strings.IndexByte(host, ']'); strings.HasPrefix(host, "[") && bracket > 0 {
		return host[:bracket+1] == "[::1]"
	}
	host, _, _ = strings.Cut(host, ":")
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.")
}
