package review

import (
	"slices"

	"finishline/canon"
)

// signedMembers are the members of a review whose values are signed as they
// are (contract 02 §7); attestation is the fifteenth of the payload.
var signedMembers = []string{
	"schema", "generatedAt", "runId", "commit", "environment", "status", "subject",
	"reviewTrustSha256", "validationRuntimeSha256", "evidenceBundleSha256",
	"roleProvenance", "decision", "findings", "blockers",
}

// signedAttestation are the members of attestation that are signed.
var signedAttestation = []string{"scheme", "keyId", "signedAt"}

// Payload is the built object of contract 02 §7 that a review's signature
// covers: fourteen members of the review as read, and an attestation of
// exactly scheme, keyId and signedAt. A member that the review lacks stays in
// it as absent and is written as undefined; [canon.HasAbsent] tells.
func Payload(review canon.Value) canon.Value {
	members := make([]canon.Member, 0, len(signedMembers)+1)
	for _, name := range signedMembers {
		members = append(members, canon.Member{Name: name, Value: review.Get(name)})
	}
	attestation := canon.Pick(review.Get("attestation"), signedAttestation...)
	return canon.Build(append(members, canon.Member{Name: "attestation", Value: attestation})...)
}

// PayloadBytes are the bytes that are signed: the canonical form of the
// payload. It is not JSON when a member is absent.
func PayloadBytes(review canon.Value) []byte { return canon.Canonical(Payload(review)) }

// PayloadSHA256 is what attestation.payloadSha256 must be.
func PayloadSHA256(review canon.Value) string { return canon.SHA256(PayloadBytes(review)) }

// Unsigned lists the members of a review that no signature covers, as JSON
// pointers in the order of the document: attestation.payloadSha256 and
// .signature, and every member outside the format at the top level and in
// attestation. Members outside the format further down are signed with the
// value they are in.
func Unsigned(review canon.Value) []string {
	var pointers []string
	node := canon.Node{Value: review}
	for _, m := range review.Members() {
		switch {
		case m.Name == "attestation":
			pointers = append(pointers, outside(node.At(m.Name), signedAttestation)...)
		case !slices.Contains(signedMembers, m.Name):
			pointers = append(pointers, node.At(m.Name).Pointer)
		}
	}
	return pointers
}

// outside is the pointers of an object's members that are not listed.
func outside(object canon.Node, listed []string) []string {
	var pointers []string
	for _, m := range object.Members() {
		if !slices.Contains(listed, m.Name) {
			pointers = append(pointers, object.At(m.Name).Pointer)
		}
	}
	return pointers
}

// AbsentMembers lists the JSON pointers of the signed members that the review
// lacks; each is signed as the bare word undefined (contract 01 §2.6).
func AbsentMembers(review canon.Value) []string {
	var pointers []string
	node := canon.Node{Value: review}
	for _, name := range signedMembers {
		if m := node.At(name); !m.Present() {
			pointers = append(pointers, m.Pointer)
		}
	}
	for _, name := range signedAttestation {
		if m := node.At("attestation").At(name); !m.Present() {
			pointers = append(pointers, m.Pointer)
		}
	}
	return pointers
}
