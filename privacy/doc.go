// Package privacy says whether files may be published or sealed as evidence
// (docs/contracts/10). It reads bytes, never interprets what they mean, never
// tells what it found, and fails closed.
//
// Start with [Scan]: it enumerates what a mode covers, reads each file once, in
// blocks of whole lines and files side by side, and gives a [Result] with the
// findings of the base set in the order of the contract, what strict level adds
// to them, and those of an [Engine] with further rules, if there is one.
// [FindClosure] says which files the scan of a completed run must cover, and
// which document names each of them. [Result.Report] turns a result into the
// report that every command prints. [ReadAcceptances] and [Acceptances.Apply]
// are for findings of the extended section that somebody answers for.
//
// What is promised: at base level the verdict, the findings and their
// fingerprints are those of the format. Memory is bounded by the longest line
// and the number of findings, whatever the size of the files. Time is linear in
// the bytes, whatever they are: every detector is a hand written scan, compared
// by the tests with the contract's expression, and runs only on lines with a
// word that it cannot do without. Nothing waits on a pipe, no link is followed
// out of the root, and no finding, error or fingerprint holds what was found;
// at strict level a fingerprint cannot be checked against a guess without its
// key.
//
// What is not promised: that files without a finding hold no secret. The base
// set is what the format agreed to refuse; its known gaps (10 §14) are kept, and
// package privacy/rules looks at more.
package privacy
