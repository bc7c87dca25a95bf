package store_test

import (
	"testing"

	"finishline/canon"
	"finishline/verify"
)

// A grant that sealed nothing leaves a claim that says unchecked. Whether that
// names the grant is left to who writes it; what it names must be the grant.
func TestClaimOfGrantWithoutArtifact(t *testing.T) {
	no, source := canon.NewBool(false), str("human-approval-event")
	for _, c := range []struct {
		name  string
		claim canon.Value
		want  []string
	}{
		{"bare", obj("checked", no, "exists", no), nil},
		{"with the grant", obj("checked", no, "exists", no, "source", source, "eventId", "e2"), nil},
		{"with a reason of its own", obj("checked", no, "exists", no, "reason", "no artifact"), nil},
		{"of another grant", obj("checked", no, "exists", no, "source", source, "eventId", "e1"), []string{"strict.snapshot.projection"}},
		{"that exists", obj("checked", no, "exists", canon.NewBool(true)), []string{"strict.snapshot.projection"}},
		{"that was checked", obj("checked", canon.NewBool(true), "exists", canon.NewBool(true)), []string{"strict.snapshot.projection"}},
		{"empty", obj(), []string{"strict.snapshot.projection"}},
		{"absent", canon.Value{}, []string{"strict.snapshot.projection"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := story()
			s.events = []canon.Value{
				testEvent(0, "node.entered", "intake", "ok"),
				testEvent(1, "approval.requested", "redzone", "needs_approval", "approvalOwner", "dyer", "approvalScope", "release"),
				testEvent(2, "approval.granted", "redzone", "ok", "approvalOwner", "dyer", "approvalScope", "release"),
			}
			s.snapshot = len(s.events)
			s.resnap = func(p canon.Value) canon.Value {
				var entries []canon.Value
				for _, e := range p.Get("artifacts").Elems() {
					switch {
					case !e.Get("nodeId").Is("redzone"):
					case c.claim.Present():
						e = canon.With(e, "verification", c.claim)
					default:
						e = canon.Pick(e, "path", "label", "nodeId", "required", "present", "skipped", "failed", "evidenceArtifact")
					}
					entries = append(entries, e)
				}
				return canon.With(p, "artifacts", canon.NewArray(entries...))
			}
			dir := t.TempDir()
			write(t, dir, s.id, s.files())
			compare(t, "errors", rules(verified(t, dir, withKey(verify.Strict)), verify.Error), c.want)
		})
	}
}
