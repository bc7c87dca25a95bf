// Package finish answers the question that finishline exists for: may this run
// cross the finish line? It opens what a verification needs - the run's root,
// its repository, its pack, the operator's pin - calls the verifiers, and folds
// what they say into one report.
//
// Start with [Packet] for a run packet; [Review] and [Runtime] do the same for
// its parts. Each takes a [Run], which says where the evidence lies and what
// the operator vouches for, and gives a [verify.Report]. An error means that
// there is no answer: the directory cannot be opened, or the context ended.
// Everything that is wrong with the evidence is in the report.
//
// The environment, the clock and the terminal are the caller's: this package
// reads none of them.
package finish
