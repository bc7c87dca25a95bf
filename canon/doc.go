// Package canon reads JSON evidence, writes its canonical form, and computes
// the three digests that the formats of this project are built on
// (docs/contracts/01, sections 1 to 4). It knows no document kind.
//
// Start with [Read]: it turns bytes into a [Document], a tree of [Value] plus
// the list of [Defect]s that the strict level refuses (duplicate names,
// ill-formed UTF-8, unpaired surrogates, numbers that a double cannot hold).
// Bytes that are no JSON at all, nested too deeply or too long, are a
// [*ReadError] instead. So one reader serves both levels: base takes the tree
// as it is, strict also looks at the defects.
//
// [Canonical] gives the bytes that are signed or hashed (RFC 8785 wherever that
// standard has an answer, contract 01 section 2 beyond it); [Digest] is their
// SHA-256. [Compact] keeps the reading order of members and is a different
// text with different digests (contract 09b section 1): never mix them up.
// Objects that a verifier builds itself are made with [Build], which takes
// absent members as what they are: they are written as the bare word
// undefined, neither dropped nor null (section 2.6).
//
// What is promised: no input panics; time and memory are linear in the input;
// canonical output is at most 8 times its input; equal trees give equal bytes.
// What is not: a Value is not a Go struct. There is no decoding by reflection,
// because case folding, dropped nulls and zero values are how a typed decoder
// lets a forged document pass.
package canon
