package pack

import (
	"finishline/review"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/source"
)

// The rule ids of contract 06.
const (
	ruleGitUnavailable      = "runtime.git.unavailable"
	ruleWorktreeMismatch    = "runtime.git.worktree-mismatch"
	rulePrefixInvalid       = "runtime.path.prefix-invalid"
	ruleNotTargetNested     = "runtime.path.not-target-nested"
	ruleCommitMismatch      = "runtime.commit.mismatch"
	rulePackNotRegular      = "runtime.tree.pack-not-regular"
	ruleLiveSymlink         = "runtime.live.symlink"
	rulePackMismatch        = "runtime.inventory.pack-mismatch"
	ruleTreeNotRegular      = "runtime.tree.not-regular"
	ruleScriptsNonMJS       = "runtime.scripts.non-mjs"
	ruleScriptsMismatch     = "runtime.inventory.scripts-mismatch"
	ruleRequiredMissing     = "runtime.scripts.required-missing"
	ruleFileNotRegular      = "runtime.file.not-regular"
	ruleFileNotText         = "runtime.file.not-text"
	ruleFileDirty           = "runtime.file.dirty"
	ruleCatalogsMismatch    = "runtime.inventory.catalogs-mismatch"
	rulePinMissing          = "runtime.trust.pin-missing"
	rulePinMalformed        = "runtime.trust.pin-malformed"
	ruleStoreMissing        = "runtime.trust.store-missing"
	ruleStoreInvalidJSON    = "runtime.trust.store-invalid-json"
	ruleCommittedPin        = "runtime.trust.committed-pin-mismatch"
	ruleLivePin             = "runtime.trust.live-pin-mismatch"
	ruleRegistryMissing     = "runtime.registry.missing"
	ruleAdapterMissing      = "runtime.adapter.missing"
	ruleAdapterInvalidJSON  = "runtime.adapter.invalid-json"
	ruleLoaderMissing       = "runtime.loader.missing"
	ruleLoaderNotRegular    = "runtime.loader.not-regular"
	ruleLoaderNotText       = "runtime.loader.not-text"
	ruleLoaderBlockCount    = "runtime.loader.block-count"
	ruleLoaderBlockMismatch = "runtime.loader.block-mismatch"
	ruleLoaderUntracked     = "runtime.loader.untracked"
	ruleLoaderDirty         = "runtime.loader.dirty"
	ruleIndexUntracked      = "runtime.index.untracked"
	ruleIndexMismatch       = "runtime.index.mismatch"
	ruleIndexConcealed      = "runtime.index.concealed"
	ruleWorktreeDirty       = "runtime.worktree.dirty"
	ruleCommitMoved         = "runtime.commit.moved"

	ruleDeclaredMissing       = "runtime.declared.missing"
	ruleDeclaredUntrusted     = "runtime.declared.untrusted"
	ruleDeclaredSchema        = "runtime.declared.schema"
	ruleDeclaredSource        = "runtime.declared.source"
	ruleDeclaredFilesNotArray = "runtime.declared.files-not-array"
	ruleDeclaredFiles         = "runtime.declared.files"
	ruleDeclaredRuntimeDigest = "runtime.declared.runtime-digest"
	ruleDeclaredTrustDigest   = "runtime.declared.trust-digest"
	ruleDeclaredSetDigest     = "runtime.declared.set-digest"

	ruleHistCommit        = "runtime.historical.commit-unavailable"
	ruleHistSource        = "runtime.historical.source"
	ruleHistFilesEmpty    = "runtime.historical.files-empty"
	ruleHistFileEntry     = "runtime.historical.file-entry"
	ruleHistFileMissing   = "runtime.historical.file-unavailable"
	ruleHistFileDigest    = "runtime.historical.file-digest"
	ruleHistTree          = "runtime.historical.tree-unavailable"
	ruleHistRuntimeDigest = "runtime.historical.runtime-digest"
	ruleHistTrustPin      = "runtime.historical.trust-pin"
	ruleHistSetDigest     = "runtime.historical.set-digest"

	ruleStrictHistStore = "strict.runtime.historical-trust-store"
	ruleStrictHistShape = "strict.runtime.historical-path-shape"
	ruleStrictHistFiles = "strict.runtime.historical-files-incomplete"
	ruleStrictNotUTF8   = "strict.runtime.path-not-utf8"
	ruleStrictTooLarge  = "strict.runtime.too-large"

	// Rules of other tables.
	ruleAbsentMember = "strict.canon.absent-member"
)

// Table holds the rules of the validation runtime (contract 06).
var Table = verify.NewTable("runtime", rules(), review.Table, review.TrustTable, source.Table, evidence.Table)

func rules() []verify.Rule {
	var list []verify.Rule
	for _, group := range [][]verify.Rule{placeRules, inventoryRules, trustRules, loaderRules, stateRules, declaredRules, historicalRules, strictRules} {
		list = append(list, group...)
	}
	return list
}

const (
	whyClosed = "a pack is judged as the exact set of files that was committed and reviewed"
	whyLive   = "what runs is the live file, what was reviewed is the committed one"
	whyLoader = "an agent reads the loader first; another text there leads it past the harness"
	whyIndex  = "the index decides what Git compares, so a manipulated entry hides a change"
	whyPin    = "the operator's pin is the one anchor that the checkout under review cannot write"
	whyHist   = "a commit that is no longer checked out can only be judged by what its objects hold"
	doRestore = "restore the committed state (git restore) or commit the change and have it reviewed again"
	doPacket  = "create the packet again with this pack; a declaration is never edited by hand"
)

var placeRules = []verify.Rule{
	{ID: ruleGitUnavailable, Contract: "06 §3 rule 1", Eval: verify.NotEvaluated,
		Fails: "Git cannot report something that the binding needs, or a bound path goes through a configured content filter",
		Why:   "without Git's answer nothing is known of the committed pack", Do: "make the repository readable for this user, then verify again"},
	{ID: ruleWorktreeMismatch, Contract: "06 §3 rule 2", Fails: "pack root and target lie in different Git work trees",
		Why: "one commit has to cover both", Do: "name the pack root that belongs to the target"},
	{ID: rulePrefixInvalid, Contract: "06 §3 rule 3", Fails: "Git reports a place outside the work tree for pack root or target",
		Why: "paths of the binding are relative to the work tree", Do: "run the verification inside a plain checkout"},
	{ID: ruleNotTargetNested, Contract: "06 §3 rule 4", Fails: "a commissioned pack does not lie in .valdris-harness directly below the target",
		Why: "another place would let a target be judged under somebody else's pack", Do: "verify the directory that holds .valdris-harness, or name the pack root of this target"},
	{ID: ruleCommitMismatch, Contract: "06 §3 rule 5", Fails: "the expected commit is no full object id or not exactly what HEAD is",
		Why: "the binding speaks of one commit and the checkout is at another", Do: "check out the packet's commit, or verify the packet as history"},
	{ID: ruleCommitMoved, Contract: "06 §3 rule 30", Fails: "HEAD or its tree changed while the binding was computed",
		Why: "parts of the answer would come from different commits", Do: "let nothing else work in the repository and verify again"},
}

var inventoryRules = []verify.Rule{
	{ID: rulePackNotRegular, Contract: "06 §3 rule 6", Fails: "the committed pack holds a symbolic link or a submodule",
		Why: "a link or submodule brings in content that the commit does not fix", Do: "commit plain files instead"},
	{ID: ruleLiveSymlink, Contract: "06 §3 rule 7", Fails: "a symbolic link lies in the live pack",
		Why: "a link can lead to other content at any moment", Do: "remove the link, or put the file itself there"},
	{ID: rulePackMismatch, Contract: "06 §3 rule 8", Fails: "the live files of a commissioned pack are not exactly the committed ones",
		Why: whyClosed, Do: "remove what is not committed, ignored files included, and restore what is missing"},
	{ID: ruleTreeNotRegular, Contract: "06 §3 rule 9", Fails: "a committed script, catalog, registry, adapter or loader is no plain file",
		Why: "a link or submodule brings in content that the commit does not fix", Do: "commit plain files instead"},
	{ID: ruleScriptsNonMJS, Contract: "06 §3 rule 10", Fails: "a committed file below scripts/ does not end in .mjs",
		Why: "the scripts directory holds validators only, so that nothing else can hide among them", Do: "move the file out of scripts/ and commit"},
	{ID: ruleScriptsMismatch, Contract: "06 §3 rule 11", Fails: "the live files below scripts/ are not exactly the committed ones",
		Why: whyClosed, Do: "remove what is not committed and restore what is missing"},
	{ID: ruleRequiredMissing, Contract: "06 §3 rule 12, §4", Fails: "one of the five finish-line scripts is not committed",
		Why: "a pack without them cannot have judged the run", Do: "take a complete pack, commit it and have it reviewed"},
	{ID: ruleFileNotRegular, Contract: "06 §3 rule 13", Fails: "a live file of the pack is no plain file",
		Why: whyLive, Do: doRestore},
	{ID: ruleFileNotText, Contract: "06 §3 rule 13", Fails: "a file of the pack, live or committed, has a NUL or is not UTF-8",
		Why: "line ends can only be compared in texts", Do: "write the file as UTF-8 without NUL, commit and have it reviewed"},
	{ID: ruleFileDirty, Contract: "06 §3 rule 13", Fails: "a live file of the pack has another text than the committed one",
		Why: whyLive, Do: doRestore},
	{ID: ruleCatalogsMismatch, Contract: "06 §3 rule 14", Fails: "the live .json files below controls/ are not exactly the committed ones",
		Why: whyClosed, Do: "remove what is not committed and restore what is missing"},
	{ID: ruleRegistryMissing, Contract: "06 §3 rule 22", Fails: "skills/registry.json is not committed",
		Why: "routes are made from the registry", Do: "take a complete pack, commit it and have it reviewed"},
	{ID: ruleAdapterMissing, Contract: "06 §3 rule 23", Fails: "a commissioned pack has no committed project-adapter.json",
		Why: "the adapter is what ties the pack to this project", Do: "commission the pack again and commit its adapter"},
	{ID: ruleAdapterInvalidJSON, Contract: "06 §3 rule 24", Fails: "project-adapter.json is not readable JSON",
		Why: "nothing can be taken from it", Do: "write the adapter again and commit it"},
}

var trustRules = []verify.Rule{
	{ID: rulePinMissing, Contract: "06 §3 rule 16", Eval: verify.NotEvaluated, Fails: "the operator gave no pin of the trust store",
		Why: whyPin, Do: "set UASH_REVIEW_TRUST_SHA256 from a place the checkout cannot write"},
	{ID: rulePinMalformed, Contract: "06 §3 rule 17", Fails: "the pin is not exactly 64 hexadecimal digits",
		Why: whyPin, Do: "set the pin again, without spaces, line end or prefix"},
	{ID: ruleStoreMissing, Contract: "06 §3 rule 18", Fails: "controls/review-trust.v1.json is not committed",
		Why: "without keys no review can be verified", Do: "commit the trust store and pin it"},
	{ID: ruleStoreInvalidJSON, Contract: "06 §3 rule 19", Fails: "the committed or the live trust store is not readable JSON",
		Why: "the pin covers the meaning of the store, and there is none", Do: "restore the store that was pinned"},
	{ID: ruleCommittedPin, Contract: "06 §3 rule 20", Fails: "the committed trust store is not the pinned one",
		Why: whyPin, Do: "look at the change with `finishline trust diff`; only a store that a person approved may be pinned"},
	{ID: ruleLivePin, Contract: "06 §3 rule 21", Fails: "the live trust store is not the pinned one",
		Why: whyPin, Do: doRestore},
}

var loaderRules = []verify.Rule{
	{ID: ruleLoaderMissing, Contract: "06 §6", Fails: "a discovery loader is absent from the target", Why: whyLoader, Do: doRestore},
	{ID: ruleLoaderNotRegular, Contract: "06 §6", Fails: "a discovery loader is a symbolic link or no plain file", Why: whyLoader, Do: "put the file itself there"},
	{ID: ruleLoaderNotText, Contract: "06 §6", Fails: "a discovery loader, live or committed, has a NUL or is not UTF-8", Why: whyLoader, Do: "write the loader as UTF-8 text"},
	{ID: ruleLoaderBlockCount, Contract: "06 §6", Fails: "a discovery loader does not hold its block exactly once", Why: whyLoader,
		Do: "keep one start and one end marker in the file, also in quotations and code blocks"},
	{ID: ruleLoaderBlockMismatch, Contract: "06 §6", Fails: "the block of a discovery loader is not the required text", Why: whyLoader,
		Do: "restore the block byte for byte; other text belongs before or after it"},
	{ID: ruleLoaderUntracked, Contract: "06 §6", Fails: "a discovery loader is not committed", Why: whyLoader, Do: "commit the loader"},
	{ID: ruleLoaderDirty, Contract: "06 §6", Fails: "a live discovery loader has another text than the committed one", Why: whyLoader, Do: doRestore},
}

var stateRules = []verify.Rule{
	{ID: ruleIndexUntracked, Contract: "06 §3 rule 26", Fails: "a file of the pack has no entry in the index", Why: whyIndex, Do: "restore the entry (git restore --staged)"},
	{ID: ruleIndexMismatch, Contract: "06 §3 rule 27", Fails: "a file of the pack is unmerged, or staged with other content or mode than HEAD has", Why: whyIndex, Do: "restore the entry (git restore --staged)"},
	{ID: ruleIndexConcealed, Contract: "06 §3 rule 28", Fails: "a file of the pack is marked assume-unchanged or skip-worktree", Why: whyIndex,
		Do: "clear the mark (git update-index --no-assume-unchanged --no-skip-worktree)"},
	{ID: ruleWorktreeDirty, Contract: "06 §3 rule 29", Fails: "Git sees a difference between the live pack and the commit",
		Why: whyLive, Do: doRestore},
}

var declaredRules = []verify.Rule{
	{ID: ruleDeclaredMissing, Contract: "06 §8, §9", Fails: "the packet declares no validation runtime", Why: "nothing says under which pack the run was judged", Do: doPacket},
	{ID: ruleDeclaredUntrusted, Contract: "06 §8", Eval: verify.Wraps, Fails: "the binding of the pack at hand could not be computed",
		Why: "a declaration is only worth something when the pack itself confirms it", Do: "mend the cause that is reported with it"},
	{ID: ruleDeclaredSchema, Contract: "06 §8, §9", Fails: "the declared runtime has another schema", Why: "another format has other digests", Do: doPacket},
	{ID: ruleDeclaredSource, Contract: "06 §8", Fails: "the declared source differs from the computed one, also by a member too many", Why: "it names another commit, tree or place", Do: doPacket},
	{ID: ruleDeclaredFilesNotArray, Contract: "06 §8", Fails: "the declared files are no array", Why: "nothing says which files the pack has", Do: doPacket},
	{ID: ruleDeclaredFiles, Contract: "06 §8", Fails: "the declared files differ from the computed ones, in content or order", Why: "the run was judged under other files", Do: doPacket},
	{ID: ruleDeclaredRuntimeDigest, Contract: "06 §8", Fails: "runtimeSha256 is not the computed digest", Why: "the run was judged under another pack", Do: doPacket},
	{ID: ruleDeclaredTrustDigest, Contract: "06 §8", Fails: "reviewTrustSha256 is not the operator's pin", Why: "the review was judged by another trust store", Do: doPacket},
	{ID: ruleDeclaredSetDigest, Contract: "06 §8", Fails: "setSha256 is not the computed digest", Why: "the review signs this digest", Do: doPacket},
}

var historicalRules = []verify.Rule{
	{ID: ruleHistCommit, Contract: "06 §9", Eval: verify.Wraps, Fails: "the packet's commit is not in the repository",
		Why: whyHist, Do: "fetch the commit (a shallow clone lacks it) and verify again"},
	{ID: ruleHistSource, Contract: "06 §9", Fails: "the declared source names another scheme, commit or tree", Why: whyHist, Do: doPacket},
	{ID: ruleHistFilesEmpty, Contract: "06 §9", Fails: "the declared files are no array or empty", Why: "nothing says which files the pack had", Do: doPacket},
	{ID: ruleHistFileEntry, Contract: "06 §9", Fails: "an entry of the declared files has no path or digest, or repeats a path", Why: "one file must have one digest", Do: doPacket},
	{ID: ruleHistFileMissing, Contract: "06 §9", Fails: "a declared file is not in the commit", Why: whyHist, Do: doPacket},
	{ID: ruleHistFileDigest, Contract: "06 §9", Fails: "a declared file has another digest than the committed one", Why: whyHist, Do: doPacket},
	{ID: ruleHistTree, Contract: "06 §9", Eval: verify.Wraps, Fails: "the committed pack cannot be listed or holds a submodule", Why: whyHist, Do: doPacket},
	{ID: ruleHistRuntimeDigest, Contract: "06 §9", Fails: "runtimeSha256 is not what the commit gives", Why: "the run was judged under another pack", Do: doPacket},
	{ID: ruleHistTrustPin, Contract: "06 §9", Eval: verify.Wraps, Fails: "reviewTrustSha256 is not the operator's pin, or there is no usable pin",
		Why: whyPin, Do: "verify history with the pin that was in force"},
	{ID: ruleHistSetDigest, Contract: "06 §9", Fails: "setSha256 is not what the commit and the declaration give", Why: "the review signs this digest", Do: doPacket},
}

var strictRules = []verify.Rule{
	{ID: ruleStrictHistStore, Contract: "06 §10", Fails: "the trust store committed at the packet's commit is missing, unreadable or not the pinned one",
		Why: "the declared digest alone says nothing of the store that the commit held", Do: "verify history with the pin that was in force"},
	{ID: ruleStrictHistShape, Contract: "06 §10", Fails: "the declared places are no plain paths, or the pack lies neither in the target nor in its .valdris-harness",
		Why: "odd places select other files of the commit", Do: doPacket},
	{ID: ruleStrictHistFiles, Severity: verify.Warning, Contract: "06 §10", Fails: "the declared files are not all files that a binding of that commit lists",
		Why: "what is not listed was not compared", Do: "older packets may list less; look at the difference before relying on the packet"},
	{ID: ruleStrictNotUTF8, Contract: "06 §10", Fails: "a committed path of the pack is not UTF-8",
		Why: "the digest covers a replaced name, which several files can share", Do: "rename the file and commit"},
	{ID: ruleStrictTooLarge, Contract: "06 §10", Fails: "a file of the pack is larger than 16 MiB, or all of them together larger than 64 MiB",
		Why: "verification has to end within bounds", Do: "keep large data out of the pack"},
}
