// Package harness verifies Harness v2 journals (contract 20): one JSON record
// per line, appended by a run coordinator.
//
// Start with [Verify], which reads a journal from a stream:
//
//	result, err := harness.Verify(ctx, file, harness.Options{Path: "events.ndjson"})
//
// and with [Show] for a timeline of what the journal records, with totals.
//
// The layers of the contract, and where they live:
//
//	bytes and lines      parse.go, on package flat; many goroutines
//	unwrapping           options.go, chain.go
//	schema               kinds.go, the member table, and schema.go
//	cross-record rules   state*.go, in the order of the journal, on one goroutine
//	files beside it      files.go, with Options.RunDir
//
// Single lines are judged in parallel and stories in order; answers do not
// depend on the number of goroutines. A journal with an error in a single line
// is not judged as a story: the note harness.semantics.skipped says so.
//
// Memory does not grow with the length of the journal, only with the number of
// distinct things that the rules across records must remember: about 150 bytes
// for each attempt, 500 for each task with its checkpoint, receipt and
// integration, 100 for each pending review, and every distinct id once. What
// would pass [MaxState] is refused with a *[StateError], not judged.
//
// What the contract leaves open, and how it is read here: plan and contracts of
// the first run.open hold for records before it too; a previous parkCount, cap
// or attempt number is remembered when a run is reopened, while waits, budgets
// and stop-losses end.
package harness
