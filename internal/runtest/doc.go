// Package runtest builds complete, honest runs for tests: the pack and the
// product of internal/example in a repository of their own, the four inputs
// derived by the classifier, a trajectory, the context manifest with its
// evaluation and what else every run owes, a proof of a command that was really
// run, a review signed with a throw-away key, and the packet that binds them.
//
// Start with [Build]. The result crosses the finish line; tests then break one
// thing at a time. It is also where the embedded example comes from: the files of
// internal/example/files/evidence are what Build makes of the zero [Plan].
//
// Everything is deterministic: same plan, same bytes, same commit. The signing
// key's seed is the digest of a sentence in this package, so it is public
// knowledge and protects nothing.
package runtest
