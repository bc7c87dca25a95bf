// Package store verifies the authenticated store of the bridge, offline
// (contract 11): a data directory with one directory per run, or one of those
// alone.
//
// Start with [Verify]. For every run it reads the sealed configuration, the
// sealed snapshot and the chained journal once, and gives two verdicts:
//
//	authenticated  everything of section 4; needs the integrity key
//	structure      the same without the three keyed hashes; needs no key
//
// [Result.Report] makes the report of a command from them. Without a key it
// never passes and is never worded as verified: everybody can compute a
// structure.
//
// What an authenticated pass promises: each event, configuration and snapshot
// was written by somebody who has the key; no record is missing, moved or
// repeated before the last one; the events satisfy the event contract; the
// snapshot follows from them; files that were claimed have the bytes that were
// sealed, where their root was given. What it does not:
//
//   - that the directory is not an older state of itself, or that the last
//     records were not cut together with the snapshot ([Run.Anchored] tells
//     whether something outside commits to the last record);
//   - who wrote it: whoever can verify can also forge, the key is symmetric;
//   - that an event is true, or happened when it says;
//   - at base level, anything about what the keyed hashes leave out: members of
//     envelopes beside the event, the layout of lines, and whether approvals and
//     artifacts of the snapshot follow from its events (section 10).
//
// A process that runs on keeps what it saw ([Options.Seen]) or signs for it
// (package checkpoint); nothing in the directory itself can tell that it was
// set back.
//
// # Reading
//
// Keyed hashes are over the compact text of parsed values, so white space,
// escapes and number spellings do not change them ([canon.CompactTo] writes
// that text). Strict level also refuses what is spelled otherwise, and what no
// keyed hash covers (section 9).
//
// There are two ways to read, and they tell the same; the tests hold each to the
// other. Plainly, a snapshot is read as a whole, and a line as every JSON
// document is. But what a bridge wrote is canonical, and a canonical text can be
// compared where another must be parsed, written and hashed: lines that are
// canonical are read by package flat, and the snapshot of a flawless journal is
// streamed beside it and its events compared with the journal's, byte by byte.
// Whatever is not as a bridge writes it is read plainly.
//
// Nothing is ever written, no lease is taken, no torn tail is cut. Journals are
// streamed; memory is bounded by the largest snapshot that is read plainly.
package store
