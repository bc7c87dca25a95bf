// Package finish answers the question that finishline exists for: may this run
// cross the finish line? It opens what a verification needs - the run's root,
// its repository, its pack, the operator's pin - calls the verifiers, and folds
// what they say into one report.
//
// Start with [Line] for a whole run: the aggregate of contract 09, the packet
// with all that it binds, and what the packet could not verify. [RunAggregate]
// is the aggregate alone, [Packet] the packet alone; [Review], [RCA], [Gate],
// [Readiness], [Waivers] and [Runtime] do the same for the parts. Each takes a [Run], which says where the evidence lies and what
// the operator vouches for, and gives a [verify.Report]. An error means that
// there is no answer: the directory cannot be opened, or the context ended.
// Everything that is wrong with the evidence is in the report.
//
// What a pass of [Line] promises: every gate that applies was judged by its own
// verifier and passed; the documents agree with each other, are fresh by the
// clock that was given and about the commit that is checked out; the packet
// promises what package packet says. What it does not: that the run's journal
// backs its waivers and approvals, unless its records are given ([Journal]).
// A gate that was not evaluated makes the run incomplete until the caller
// accepts it by name.
//
// aggregate.go judges the gates side by side, cross.go and the files beside it
// compare the documents, one section of the contract each; line.go joins
// everything into one report, in which nothing is told twice.
//
// The environment, the clock and the terminal are the caller's: this package
// reads none of them.
package finish
