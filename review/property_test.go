package review

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/verify"
)

// pointers lists every value below v, v itself excluded.
func pointers(v canon.Node) []string {
	var list []string
	for _, m := range v.Members() {
		child := v.At(m.Name)
		list = append(append(list, child.Pointer), pointers(child)...)
	}
	for _, child := range v.Items() {
		list = append(append(list, child.Pointer), pointers(child)...)
	}
	return list
}

// replacements are values to put in the place of any other; at least one of
// them differs from what was there.
var replacements = []any{"x", "other-value", nil, true, 1.5, []any{}, map[string]any{}, map[string]any{"a": "b"}}

// TestEverySignedMemberCounts changes each value that the signature covers, in
// turn, in every way of the list above, and shows that nobody's signature
// verifies: not as it stands, and not when the digest beside it is written
// anew, which an attacker can do without the key.
func TestEverySignedMemberCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	f := newFixture(t)
	f.in.Level = verify.Base
	if r := f.verify(); r.Verdict() != verify.Pass {
		t.Fatalf("the fixture is no valid review: %s", describe(r.Findings.List()))
	}
	before := PayloadSHA256(f.value())
	signed := pointers(canon.Node{Value: Payload(f.value())})
	if len(signed) < 60 {
		t.Fatalf("only %d signed values: %v", len(signed), signed)
	}
	changed := 0
	for _, pointer := range signed {
		for _, replacement := range replacements {
			f.reset()
			f.set(pointer, replacement)
			if PayloadSHA256(f.value()) == before {
				continue // the value was that already
			}
			changed++
			for _, forge := range []bool{false, true} {
				if forge && f.value().Get("attestation").IsObject() {
					f.set("/attestation/payloadSha256", PayloadSHA256(f.value()))
				}
				if r := f.verify(); r.Verdict() == verify.Pass || len(r.Keys) > 0 {
					t.Errorf("%s = %v (digest renewed: %v): verdict %v, verified under %v", pointer, replacement, forge, r.Verdict(), r.Keys)
				}
			}
		}
	}
	if changed < len(signed) {
		t.Errorf("%d changes for %d signed values", changed, len(signed))
	}
}

// TestUnsignedMembers lists, one by one, what is not covered: the members that
// hold the signature itself, and whatever is outside the format at the top
// level and in the attestation. Changing the others never leaves the verdict.
func TestUnsignedMembers(t *testing.T) {
	f := newFixture(t)
	f.set("/extra", "1")
	f.set("/attestation/extra", "1")
	f.set("/subject/extra", "1")
	f.sign("A")
	want := []string{"/attestation/extra", "/attestation/payloadSha256", "/attestation/signature", "/extra"}
	got := Unsigned(f.value())
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("unsigned %v, want %v", got, want)
	}
	before := PayloadSHA256(f.value())
	for _, pointer := range want {
		f.set(pointer, "2")
		if PayloadSHA256(f.value()) != before {
			t.Errorf("%s is listed as unsigned and changes the payload", pointer)
		}
	}
	f.set("/subject/extra", "2")
	if PayloadSHA256(f.value()) == before {
		t.Error("a member inside subject is not signed")
	}

	// Strict level refuses each extra member, signed or not, and base level
	// passes them.
	f.reset()
	f.set("/extra", "1")
	f.set("/attestation/extra", "1")
	f.mustFind(f.verify(), "strict.review.unknown-member")
	f.in.Level = verify.Base
	f.mustFind(f.verify())
}

// TestPayloadProperties: the payload has exactly fifteen members whatever the
// review is, and its digest does not depend on anything unsigned.
func TestPayloadProperties(t *testing.T) {
	names := append(slices.Clone(signedMembers), "extra", "payloadSha256", "attestation")
	rapid.Check(t, func(t *rapid.T) {
		var members []canon.Member
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, "names") {
			value := canon.NewString(rapid.String().Draw(t, name))
			if name == "attestation" {
				value = canon.Build(canon.Member{Name: "keyId", Value: value}, canon.Member{Name: "signature", Value: value})
			}
			members = append(members, canon.Member{Name: name, Value: value})
		}
		review := canon.Build(members...)
		payload := Payload(review)
		if len(payload.Members()) != 15 || len(payload.Get("attestation").Members()) != 3 {
			t.Fatalf("payload of %d members, attestation of %d", len(payload.Members()), len(payload.Get("attestation").Members()))
		}
		if (len(AbsentMembers(review)) > 0) != canon.HasAbsent(payload) {
			t.Fatalf("absent members %v, has absent %v", AbsentMembers(review), canon.HasAbsent(payload))
		}
		more := canon.Build(append(members, canon.Member{Name: "unsigned", Value: canon.NewNull()})...)
		if PayloadSHA256(more) != PayloadSHA256(review) {
			t.Fatal("an unsigned member changes the digest")
		}
	})
}

// TestStrictRefusesMore: on changed reviews and stores strict level has every
// base finding, and a base failure is never a strict pass.
func TestStrictRefusesMore(t *testing.T) {
	f := newFixture(t)
	all := pointers(canon.Node{Value: f.value()})
	rapid.Check(t, func(rt *rapid.T) {
		f.reset()
		for range rapid.IntRange(1, 3).Draw(rt, "changes") {
			// A later change may have lost its place to an earlier one.
			pointer := rapid.SampledFrom(all).Draw(rt, "pointer")
			if resolves(f.value(), pointer) {
				f.set(pointer, rapid.SampledFrom(replacements).Draw(rt, "replacement"))
			}
		}
		if rapid.Bool().Draw(rt, "signed again") && f.value().Get("attestation").IsObject() {
			f.sign("A")
		}
		f.in.Level = verify.Base
		base := f.verify()
		f.in.Level = verify.Strict
		strict := f.verify()
		baseIDs, strictIDs := verify.RuleIDs(base.Findings.List(), verify.Error), verify.RuleIDs(strict.Findings.List(), verify.Error)
		for _, id := range baseIDs {
			if !slices.Contains(strictIDs, id) {
				rt.Fatalf("%s is only found at base level", id)
			}
		}
		if strict.Verdict() == verify.Pass && base.Verdict() != verify.Pass {
			rt.Fatalf("strict passes what base refuses: %v", baseIDs)
		}
		if len(base.Keys) != len(strict.Keys) {
			rt.Fatalf("verified under %v at base, %v at strict level", base.Keys, strict.Keys)
		}
	})
}

// resolves reports whether the parent of the pointer is still a container that
// holds it.
func resolves(v canon.Value, pointer string) bool {
	return slices.Contains(pointers(canon.Node{Value: v}), pointer)
}
