// Package produce runs commands and writes the two proof documents of contract
// 03: the portable proof (part D) and the bridge's uash.proof.v1 (part A).
//
// Start with [Run] for a portable proof and with [Write] for the bridge's. Both
// take what they may know of the world in a [System]: the directory, the
// environment, the clock, Git, and the [Executor] that starts programs, which
// is [Exec] outside of tests. Nothing is read from globals.
//
// What is promised:
//
//   - A document is written only after the verifier of its format has accepted
//     the very bytes, at strict level; a failed run of the bridge's format may
//     say that it failed and nothing else.
//   - An existing file is never written over, and a crash leaves the file
//     absent or complete.
//   - What redaction knows or recognises reaches neither the file nor an error
//     text: the whole output is redacted before it is bounded, so it does not
//     matter in which pieces a program wrote it. Where output was cut, by its
//     bound or by a time limit, what may be half a secret is dropped.
//   - Memory is bounded whatever a program prints, and no program that keeps a
//     pipe open keeps a producer waiting.
//   - The command is never handed to a shell by [Run]; [Write] does nothing
//     else, as the bridge's format wants it.
//
// What is not promised: that the command does what its name says, that it
// leaves no process behind in a session of its own, or that a secret which
// nothing announces (an unknown value in an unknown shape) is noticed.
package produce
