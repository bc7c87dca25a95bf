// Package starter makes the first pack of a repository: control catalogs, skill
// registry with its skills and their routing projection, the finish-line
// scripts, and a trust store that trusts nobody yet (docs/contracts/06 and
// 09b).
//
// Start with [New], which gives the files of a pack in one of the two layouts,
// and [Check], which judges them as they would lie in a target: the skill
// registry by its gate, the trust store and the project adapter by package
// review, the loaders and the catalogs by their own rules. For a commissioned
// pack [Loader] adds the discovery block to a loader of the target. Nothing is
// written to the target here.
//
// The catalogs are the house edition, and the skills are described in words of
// our own. The scripts mark the places of the finish-line validators: only
// their names matter to the format, and nothing ever runs them.
package starter
