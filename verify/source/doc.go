// Package source computes the Git source state of contract 03, part C, and compares a portable proof with it (B.8).
//
// A source state is a digest of everything in a target directory that differs from a commit: the bytes of Git's own status
// and diff under pinned settings, and the content of every untracked file that is not ignored. The application state leaves
// out the four files that are written after the proof; its digest is what a proof binds and what a verifier computes again.
//
// Start with [Application] (or, for a producer, also [Tracked]) on a repository opened by internal/git. Both return a
// [*State], or an [*Error] that names the rule of contract 03 C.3 which makes the state unavailable; a failure of [git.Open]
// becomes one with [AsError]. [CheckProof] is the whole of B.8 for a proof that is verified by itself; [Compare] is the
// comparison alone, for a packet, which reports it under its own ids. [CheckRepository] evaluates the strict rules of E.3.
//
// Promised: equal digests mean equal status, equal diff against the same commit and equal untracked files; Git compares
// content, whatever the repository's index claims; nothing of the repository runs. Not promised: ignored files are
// invisible, so are files outside the target, and the content of untracked nested repositories (a strict rule refuses
// those). A clean tree gives the same digests everywhere; those of a dirty one can depend on the version of Git
// ([Signs.Hint] says so where it matters).
package source
