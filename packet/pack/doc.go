// Package pack computes the validation-runtime binding of contract 06: which
// exact validator scripts, control catalogs, registry, adapter and discovery
// loaders (the "pack") a run was judged under, as one digest that a packet and
// a review name.
//
// Start with [Select], which finds the pack root of a target, then [Bind],
// which computes the binding of the pack at HEAD from Git and the live files
// and refuses everything that is not exactly the committed state. [Compare]
// holds what a packet declares against a computed binding (06 §8).
// [Historical] judges a declaration about an older commit, where only Git's
// objects can be looked at (06 §9).
//
// What is promised: the pack is data; no script of it is ever executed. Every
// call of Bind looks at HEAD, the trees, the index and the live files anew, so
// that a second call is a second look (the closing barrier of 05 §10); only
// Git objects whose bytes were hashed to their id may be remembered. Live files
// are read without following links and never block, and every walk and read is
// bounded. The first rule that fails ends a binding, so that one defect is one
// finding; strict rules are reported beside it.
//
// What is not promised: a binding says that pack and commit are the same, not
// that the pack is good. That judgement is the reviewer's, whose signature
// covers the digest.
package pack
