// Package proof verifies the two proof documents of contract 03: the portable
// proof valdris.portable-proof.v1 (part B) and the bridge's uash.proof.v1
// (part A).
//
// Start with [Read], which takes the bytes of a proof of either format and
// goes by its schema member. A caller that knows the format uses
// [VerifyPortable] or [VerifyUASH] on a document that was read already, or
// [ReadPortable] and [ReadUASH] on bytes; the findings carry the rule ids of
// [Table] and [UASHTable].
//
// What a pass promises: the portable proof has the form of part B, every
// digest in it is that of the values beside it, its outcome follows from its
// attempts, and no string in it discloses a secret. What it does not promise:
//
//   - that the run succeeded. A failed, flaky or timed-out proof is a valid
//     document; ask [Portable.Outcome].
//   - that the command ever ran. Nothing is executed here, and the bindings
//     have no key: they prove consistency, a signed review proves origin.
//   - that the repository still holds what was proved. That comparison (B.8) is
//     in package verify/source.
//   - generatedAt, execution.maxOutputBytes, durationMs, observedBytes and
//     truncated, which no binding covers.
//
// The derivations are functions of values, the same for the verifier and for a
// producer: [DeriveOutcome], [DeriveBindings], [CommandSHA256], [PassedNames],
// [OpaqueArgv] and [DeriveExecutionInputs].
//
// # Why no JSON Schema
//
// Both formats are checked by plain Go. Their structural rules are not
// shapes: eligibility and stability are compared with lists derived from argv,
// one id covers members of several objects, some rules are evaluated only when
// another one held, an array of one digest passes the digest pattern at base
// level, and an unknown member is allowed at one level and refused at the
// other. A schema would state the remaining third a second time, and it would
// need a copy of up to 64 MiB in another tree. The members of each object are
// one table instead (members.go), which the fixed-set rules and
// strict.proof.unknown-field both read.
package proof
