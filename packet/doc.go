// Package packet verifies run packets (valdris.run-packet.v3, and v2 as
// history): the document that closes one run of an agent. A packet names the
// run's inputs, its required gates and their artifacts, the validation runtime,
// the catalogs and an inventory of evidence, and binds them all with digests
// (docs/contracts/05).
//
// Start with [Verify]. It reads the packet below a target, verifies it and
// everything it binds, and gives an [Outcome]: a report with the findings, the
// [Result] of contract 05 §3, and a tree of [Node]s that shows what is bound to
// what. Documents that the packet verifier does not judge itself go to a
// [Delegate] each; [Native] has those of this module.
//
//	gates, err := gate.NewRun(gate.Options{Target: root, Pack: …, Level: level})
//	outcome, err := packet.Verify(ctx, packet.Input{
//		Target: root, Pack: selected, Git: program, Pin: pin, Level: level,
//		Delegates: packet.Native(gates),
//	})
//	outcome.Verdict()
//
// Producers use the same functions that the verifier compares with:
// [Derivation.RequiredGates] says which gates a run needs, [DigestsOf] gives
// the evidence bundle that a review signs, the accepted gate set that a closure
// names, and the bindings; [UntrackedEvidence] lists what an inventory is about.
//
// # What a pass promises
//
// At the commit that is checked out: the inputs, gate artifacts, catalogs and
// inventory have exactly the recorded bytes and are about one run; the required
// gates follow from the inputs and every one of them was judged by its own
// verifier and passed; the proof is about the application files as they are
// now; a reviewer whose key is in the pinned trust store signed exactly this
// evidence; and all of it was still so at a second look from the disk and from
// Git (§10).
//
// # What it does not promise
//
// A packet of another commit, and every v2 packet, is history: digests are
// verified and nothing else. Its [Result] says so, and its pass is withheld
// unless the caller asks for integrity alone ([IntegritySuffices]). A document
// without a validator is not evaluated, and the run is incomplete, unless the
// caller accepts that document by name; the report repeats the names. What is
// outside of every digest (unknown members, files that are not listed) is
// reported at strict level and vouched for by nobody.
//
// # How it works
//
// packet.go holds the modes, current.go the full verification and the order of
// its parts: runtime, catalogs, inventory, application state, proof, review and
// root-cause analysis run side by side, each with findings of its own, which
// are merged in a fixed order. The other files are named after the section of
// the contract that they hold. Every file is read once per look, through one
// evidence root that all verifiers share; inventory files are streamed.
package packet
