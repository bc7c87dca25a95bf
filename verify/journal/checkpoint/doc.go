// Package checkpoint makes and verifies signed checkpoints of a bridge's
// journal, and proofs that rest on them (contract 11, sections 11.1 and 11.2).
//
// A checkpoint commits to the first n records of a journal: with a key that the
// bridge does not have, somebody signed that they were these. Kept elsewhere it
// shows what the journal alone cannot: that it was rolled back, cut at its end,
// or written anew by a holder of the integrity key.
//
// A [Log] is made from the records of a journal whose own verification has
// passed. [Log.Checkpoint] gives the checkpoint to [Sign]; [Verify] holds a
// journal against checkpoints, oldest first. [Log.Prove] and [Log.Consistency]
// write documents for somebody who does not have the journal, and [CheckProof]
// verifies them with nothing but a verifier key.
//
// # Format
//
// A checkpoint is a signed note (golang.org/x/mod/sumdb/note; C2SP signed-note
// and tlog-checkpoint) whose text has exactly these lines, each ending in LF:
//
//	<origin>
//	<n>
//	<standard base64 of the Merkle root of the first n records>
//	run <run id>
//	head <digest text of record n-1, or ->
//	config <integrity.digest of run-config.json>
//	previous <SHA-256 of the checkpoint before, or ->
//
// n has no leading zeros; for n = 0 the head is - and the root that of the
// empty tree. The tree is that of RFC 6962 with SHA-256, and leaf i the
// canonical line of record i without its LF, however the journal spells it.
// Other programs open such notes with note.Open and check the proofs with
// tlog.CheckRecord and tlog.CheckTree.
//
// # Promises
//
// A signature counts only under a key that the caller named; lines of other
// keys, such as those of witnesses, are kept and ignored. A trusted key that
// verifies everything, because it is of small order, is refused as a key. What
// a verified checkpoint does not show: that its signer looked at the journal,
// or when; nor anything about records after the first n.
package checkpoint
