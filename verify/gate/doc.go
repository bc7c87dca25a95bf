// Package gate judges the gate documents of a run (docs/contracts/09a and 09b):
// each is a JSON file at a fixed path that must hold up by itself and against
// the documents it was made from.
//
// Start with [NewRun], which holds what all gates of one run share (the target
// directory, the pack, the level, the mode), then call a gate of [All], [Find]
// or [Validators]:
//
//	run, err := gate.NewRun(gate.Options{Target: root, Pack: pack, Level: verify.Strict})
//	defer run.Close()
//	g, ok := gate.Find("route")
//	result := g.Validate(ctx, run)
//	result.Verdict()
//
// Every file is read once per root and every gate sees the same bytes. Gates do
// not see each other's results and may run side by side. A gate that cannot
// look at something says so in [Result.NotEvaluated], and is then never a pass.
//
// One file holds one gate: a [Gate] value with its table of rules, and a
// function that takes a checker through the rows of the contract's table in
// their order. What several gates share is in shared.go: the header H, the tier
// block T and the controls C of 09a section 1, driven by tables of members.
// Rules are named <gate>.<suffix>; evidence and control rules keep the ids of
// contract 07.
//
// What is not promised: that the documents of different gates agree with each
// other, with the clock and with the checked-out commit. That is the
// cross-artifact stage of the aggregate (09 section 3).
package gate
