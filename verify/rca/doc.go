// Package rca verifies a typed root-cause analysis, valdris.rca.v1 (contract
// 04): that one command failed before a fix, that a named cause was changed in
// Git, and that the same command passes afterwards.
//
// Start with [Verify]. It reads the document below a target directory, its
// evidence artifacts, and the two commits in the repository of that directory.
// Proofs among the evidence are verified by package proof; what its base rules
// find are the causes of rca.proof.invalid, what strict level adds is reported
// under its own ids.
//
// What a pass promises: the reproduction proof is one of a failing command with
// the stated signature, the regression proof is one of the same command
// passing, both made in a clean tree of the stated commits; HEAD is the fix;
// at least one path that the analysis names as cause was changed between the
// two commits; declared causal inputs have exactly the committed bytes. What it
// does not promise: that the cause is the true one, that the command ever ran
// (the proofs have no key; a signed review vouches for them), or that anything
// outside the target directory is unchanged. An analysis verifies only while
// its fix is HEAD.
//
// One file holds one section of the contract: document.go section 2, commits.go
// 3.1, paths.go and classes.go 3.2, causal.go 3.3, evidence.go and proofs.go
// section 4, closure.go section 5, and strict.go what section 6 adds.
package rca
