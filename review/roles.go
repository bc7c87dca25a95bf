package review

import (
	"finishline/canon"
	"finishline/verify"
)

// The four roles of a run, in the order of contract 02 §3.
const (
	roleScout       = "scout"
	roleImplementer = "implementer"
	roleVerifier    = "verifier"
	roleReviewer    = "independentReviewer"
)

var roleNames = []string{roleScout, roleImplementer, roleVerifier, roleReviewer}

// identities are the members that name who a role was, with the rule that
// forbids two roles to share one.
var identities = []struct{ member, reused string }{
	{"actorId", "review.roles.actor-reused"},
	{"sessionId", "review.roles.session-reused"},
	{"executionId", "review.roles.execution-reused"},
}

// roles evaluates role provenance (contract 02 §3).
func (v *verifier) roles() {
	roles := v.review.At("roleProvenance")
	if !roles.IsObject() {
		v.add("review.roles.missing", roles, "an object with the four roles")
		return
	}
	if m := roles.At("schema"); !m.Is(RolesSchema) {
		v.add("review.roles.schema", m, `"`+RolesSchema+`"`)
	}
	for _, pointer := range outside(roles, append([]string{"schema"}, roleNames...)) {
		v.out.Add("review.roles.unknown-role", verify.At(v.path, pointer), verify.What{
			Found: "another member", Expected: "only schema, scout, implementer, verifier and independentReviewer"})
	}
	for _, name := range roleNames {
		v.role(roles.At(name))
	}
	for _, id := range identities {
		v.distinct(roles, id.member, id.reused)
	}
}

func (v *verifier) role(role canon.Node) {
	if !role.IsObject() {
		v.add("review.role.missing", role, "an object")
		return
	}
	for _, id := range identities {
		v.identifier("review.role.identity", role.At(id.member))
	}
	if m := role.At("actorType"); !isActorType(m.Value) {
		v.add("review.role.actor-type", m, actorTypesText)
	}
	evidence := role.At("evidence")
	if !evidence.IsObject() {
		v.add("review.role.evidence-missing", evidence, "an object")
		return
	}
	v.digest("review.role.evidence-sha256", evidence.At("sha256"))
}

// distinct compares one identity of the roles over all six pairs. Texts that
// are no identifiers have a rule of their own and equal nothing here.
func (v *verifier) distinct(roles canon.Node, member, rule string) {
	for i, name := range roleNames {
		later := roles.At(name).At(member)
		if !canon.IsIdentifier(later.Value) {
			continue
		}
		for _, other := range roleNames[:i] {
			earlier := roles.At(other).At(member)
			switch {
			case !canon.IsIdentifier(earlier.Value):
			case earlier.Text() == later.Text():
				v.add(rule, later, "another "+member+" than that of "+other)
			case canon.LowerASCII(earlier.Text()) == canon.LowerASCII(later.Text()):
				v.add("strict.review.roles.case-fold-reuse", later, "another "+member+" than "+verify.Quote(earlier.Text())+" of "+other+", ignoring case")
			}
		}
	}
}
