// Package review verifies signed independent reviews (valdris.review.v2) and
// the trust store of public keys that they rest on (docs/contracts/01 §7 and
// docs/contracts/02).
//
// Start with [Verify]: given a target root, a review, the operator's [Pin] and
// the Git repository of the target, it evaluates all of contract 02 and says
// under which key the signature verified. Its [Result] also lists what no
// signature covers.
//
// The trust store has commands of its own. [ReadStore] reads one and evaluates
// its rules; [Store.Pin] is what an operator pins, and [Diff] tells what a
// rotation changes before the new pin is trusted. [ReadStore] is the only
// loader of trust material in the module: [LoadLive], which finds the store of
// a target, goes through it too.
//
// Producers start with [PayloadBytes]: the exact bytes that are signed.
//
// # What a pass promises
//
// An authorised key that is active in the pinned store signed these statements
// about files that are present with these digests; the store in the checkout
// and the one in the reviewed commit are both the pinned one. At strict level
// the key is also a real one: a canonically encoded point of the prime-order
// subgroup, held under one name.
//
// # What it does not promise
//
// That the evidence bundle or the validation runtime are those of the run: a
// stand-alone review only states their digests, the run packet compares them
// (02 §9, [NoteStandAlone]). That a time is right: no clock is read, and no
// time in a review decides anything. That the members [Unsigned] lists were
// written by the signer.
//
// # Two levels in one run
//
// Strict rules are evaluated beside the base rules and never stop one of them:
// the base findings are the same at both levels, so the signature is checked at
// strict level exactly when base level checks it.
//
// # Why no JSON Schema decides here
//
// The rules of a store and of a review are evaluated by plain Go, at one place
// each. A schema could state about half of them: it cannot compare a keyId
// with those of earlier keys, one identity with that of another role, or a
// digest with a file; several ids cover members of different objects; white
// space, identifiers and one-element arrays of a digest have the meaning of
// contract 01, not that of a schema; and the defects that strict level refuses
// are gone from the tree a schema sees.
package review
