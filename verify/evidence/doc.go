// Package evidence gives every verifier its hostile input: files below one
// root directory, and the checks that all document kinds share.
//
// Start with [Open]. A [Root] resolves artifact paths as contract 01 section 5
// says, and reads every file at most once: bytes, digest and parsed document
// are all taken from that one read, so that nothing can show one content to
// the digest and another to the rules. [Root.Read] loads a document,
// [Root.Digest] hashes a file of any size without keeping it, and [Root.Fresh]
// starts over for the closing integrity barrier (05 §10), the only place where
// a file is read twice.
//
// What is promised: nothing outside the root is ever opened, whatever links
// say, also when they are swapped during the run (os.Root, and a check that
// the opened file is the one that was looked at); a FIFO or device never
// blocks; every read is bounded. What is not: a file may change between two
// runs, and hard links are files like any other.
//
// The rest of the package are the shared checks: [ReadFindings] for json.* and
// strict.json.*, [ScanDocument] for secrets and self-grants (01 §6),
// [StrictDigests], and the typed evidence, controls and waivers of contract 07.
package evidence
