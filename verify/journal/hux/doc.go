// Package hux verifies HUX event streams, hux.event.v1 (contract 21): the
// activity of conversations as one JSON object a line, or as one JSON array.
//
// Start with [Verify]. It looks at every line by itself (bytes, JSON, schema,
// content) on all cores, and then, in the order of the file, at what events say
// of one another: numbers, parents, retries, and how approvals, tools,
// delegations, held effects, runs, memories and artifacts begin and end.
// [Tell] does the same and fills a [History] for people. [LoadSchemas],
// [ReadAllowlist] and [ReadPatterns] read what a user puts in the place of the
// built-in files; [ParseAfter] reads the number of a resumed window.
//
// What is promised: no input panics; nothing is fetched; an error of reading is
// never a verdict; findings do not depend on the number of cores, are in the
// order of lines and rules, and never tell what matched a secret pattern. A
// stream is read once and never held: memory is that of the pipeline of package
// lines, of what the rules about several events need, about 14 bytes for every
// event and 13 more for every id that may be referred to, 30 for an event of an
// ordinary stream, at most [MaxState] in all, and, for an array only, of
// the file, which is at most [MaxArray].
//
// What is not: a stream is not signed. Whoever can write it can write another
// one that contradicts nothing. Section 7 of the contract lists what no reader
// of a stream can know.
package hux
