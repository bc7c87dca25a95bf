package source

import "finishline/verify"

// Rules of contract 03 that this package evaluates.
const (
	RuleGitUnavailable      = "source.git-unavailable"
	RuleNotWorktree         = "source.not-worktree"
	RuleContentFilter       = "source.content-filter"
	RuleHeadMismatch        = "source.head-mismatch"
	RulePrefix              = "source.prefix"
	RuleUntrackedName       = "source.untracked.name"
	RuleUntrackedSymlink    = "source.untracked.symlink"
	RuleUntrackedUnreadable = "source.untracked.unreadable"

	RuleStateUnavailable    = "source.state-unavailable"
	RuleTargetMismatch      = "source.target-mismatch"
	RuleApplicationMismatch = "source.application-mismatch"
	RuleTreeMismatch        = "strict.source.tree-mismatch"
	RuleCleanClaim          = "strict.source.clean-claim"

	RuleConcealedIndex   = "strict.source.concealed-index"
	RuleStaleStat        = "strict.source.stale-stat"
	RuleExclusionNotFile = "strict.source.exclusion-not-file"
	RuleNestedRepository = "strict.source.nested-repository"
	RuleSubmodule        = "strict.source.submodule"
	RuleToplevel         = "strict.source.toplevel"
	RuleGrafts           = "strict.source.grafts"
	RulePrefixBackslash  = "strict.source.prefix-backslash"
	RuleObjectIdentity   = "strict.source.object-identity"
	RuleLocalExclude     = "strict.source.local-exclude"
)

// Table holds the rules of the source state and of its comparison with a proof.
var Table = verify.NewTable("source", rules)

var rules = []verify.Rule{
	{ID: RuleGitUnavailable, Contract: "03 C.3", Eval: verify.NotEvaluated,
		Fails: "Git is missing, refuses the repository, fails, takes longer than 30 s or prints more than 64 MiB",
		Why:   "without Git's answer nothing is known about the source",
		Do:    "read Git's own words in the finding; install Git, or run where the repository can be read"},
	{ID: RuleNotWorktree, Contract: "03 C.3",
		Fails: "the target lies in a bare repository or below .git",
		Why:   "there is no work tree whose files could be compared with a commit",
		Do:    "verify a checkout"},
	{ID: RuleContentFilter, Contract: "03 C.3",
		Fails: "a file in scope has a filter attribute whose driver the repository configures",
		Why:   "the driver is a program of the repository, which is never run, and without it the file's content compares as something else",
		Do:    "remove the filter attribute from these files, or the driver from the checkout's configuration"},
	{ID: RuleHeadMismatch, Contract: "03 C.3",
		Fails: "HEAD is not exactly the expected commit",
		Why:   "the state of another commit says nothing about this one",
		Do:    "check out the commit that the evidence names"},
	{ID: RulePrefix, Contract: "03 C.3",
		Fails: "the target's path inside the repository leads upwards, is absolute or has a control character",
		Why:   "documents could not name the target unambiguously",
		Do:    "rename the directory"},
	{ID: RuleUntrackedName, Contract: "03 C.2",
		Fails: "an untracked file has a name that is not portable or not UTF-8",
		Why:   "the list of untracked files is bound by name and must mean the same on every platform",
		Do:    "rename, remove or ignore the file"},
	{ID: RuleUntrackedSymlink, Contract: "03 C.2",
		Fails: "an untracked path is a symbolic link",
		Why:   "what it leads to is bound by nothing",
		Do:    "commit, remove or ignore the link"},
	{ID: RuleUntrackedUnreadable, Contract: "03 C.2",
		Fails: "an untracked file vanished, cannot be read or lies behind a link that leaves the target",
		Why:   "its content would be missing from the digest",
		Do:    "make the file readable and keep it in place while verifying"},

	{ID: RuleStateUnavailable, Contract: "03 B.8", Eval: verify.Wraps,
		Fails: "the source state of the target cannot be computed at the proof's commit",
		Why:   "the proof cannot be compared with the files it is about",
		Do:    "see the cause"},
	{ID: RuleTargetMismatch, Contract: "03 B.8",
		Fails: "the proof is about another directory of the repository",
		Why:   "a proof of a sibling says nothing about this target",
		Do:    "verify the directory that the proof names, or prove this one"},
	{ID: RuleApplicationMismatch, Contract: "03 B.8",
		Fails: "the application files differ from those the proof was made with",
		Why:   "what was proved is not what is here",
		Do:    "restore the files, or run the proof again"},
	{ID: RuleTreeMismatch, Contract: "03 B.8",
		Fails: "the proof's tree digest is not that of its commit",
		Why:   "the proof claims a tree that the commit does not have",
		Do:    "run the proof again in this repository"},
	{ID: RuleCleanClaim, Contract: "03 B.8",
		Fails: "the proof says that the tree was clean, but the application files are not as committed",
		Why:   "a proof of a clean tree must not rest on uncommitted files",
		Do:    "commit or remove the changes, then run the proof again"},

	{ID: RuleConcealedIndex, Contract: "03 E.3",
		Fails: "the index marks a file below the target as assume-unchanged or skip-worktree",
		Why:   "Git does not look at such a file, so any change of it is invisible",
		Do:    "clear the mark: git update-index --no-assume-unchanged --no-skip-worktree PATH"},
	{ID: RuleStaleStat, Contract: "03 E.3",
		Fails: "Git with the repository's own index does not see a change that a comparison of content shows",
		Why:   "a file was changed so that its cached size and times still match, which does not happen by itself",
		Do:    "run git update-index --really-refresh and look at what changed"},
	{ID: RuleExclusionNotFile, Contract: "03 E.3",
		Fails: "one of the four post-proof paths is not a regular file",
		Why:   "files below a directory of that name are left out of the application state",
		Do:    "remove the directory or link"},
	{ID: RuleNestedRepository, Contract: "03 E.3",
		Fails: "an untracked directory is a repository of its own",
		Why:   "its content is bound by nothing",
		Do:    "remove or ignore the directory, or add its files"},
	{ID: RuleSubmodule, Contract: "03 E.3",
		Fails: "the index has a submodule below the target",
		Why:   "the state binds the submodule's commit id at most, not its files",
		Do:    "verify a tree without submodules, or vendor the files"},
	{ID: RuleToplevel, Contract: "03 E.3",
		Fails: "the configuration moves the work tree to a directory without a .git entry",
		Why:   "the files that Git compares are not those beside the repository",
		Do:    "unset core.worktree"},
	{ID: RuleGrafts, Contract: "03 E.3",
		Fails: "the repository has grafts or replacement references",
		Why:   "they show people another history than the one that is verified",
		Do:    "remove info/grafts and refs/replace"},
	{ID: RulePrefixBackslash, Contract: "03 E.3",
		Fails: "the target's path inside the repository has a backslash",
		Why:   "documents write it as a slash, so it would name another directory",
		Do:    "rename the directory"},
	{ID: RuleObjectIdentity, Contract: "03 E.3",
		Fails: "an object of the repository does not hash to its id",
		Why:   "Git serves a swapped object without noticing, so the id proves nothing",
		Do:    "run git fsck and fetch the repository again from where it is trusted"},
	{ID: RuleLocalExclude, Contract: "03 E.3", Severity: verify.Warning,
		Fails: "ignore rules outside the commit are in force (info/exclude or core.excludesFile)",
		Why:   "they can hide untracked files, and no reviewer sees them",
		Do:    "move the rules to a committed .gitignore"},
}
