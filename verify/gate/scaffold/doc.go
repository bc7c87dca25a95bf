// Package scaffold makes the documents of a run: the four inputs, which are
// complete when they are made, and skeletons of the gate documents, which a
// person or a tool fills in (docs/contracts/09a and 09b).
//
// Start with a [Place], which says where the run is, and a function that makes
// a [Draft]: [Intake], then [Place.Classification], [Place.Route],
// [Place.Goal], and after the work [Place.CompleteGoal] and [Place.Trajectory];
// [Place.Gate] for the others. [Place.Judge] then has the document's own gate
// judge the bytes of the draft as they would lie in the run. Nothing is
// written here: a caller writes what was judged and not refused.
//
// # What a draft may be
//
// A complete draft passes its gate. A skeleton is refused by it, and for
// nothing but what is still open ([Draft.Open]): it is bound to this run, it
// lists every control that applies, every status says pending, no control has
// evidence, and what a person has to say is blank. So it cannot be mistaken for
// a finished document: generatedAt is blank until someone finishes it. Any
// other answer of the gate refuses the draft.
//
// # Where the words come from
//
// What is derived comes from the classifier (package workload), the catalogs
// and the tables of the gates. The fixed sentences of the format are never
// part of this package: a caller hands over documents that hold them, and the
// classifier takes them by their digests. What cannot be derived is asked of
// the caller; nothing is made up, and nothing is called passed that the caller
// has not shown evidence for.
package scaffold
