package privacy

import (
	"slices"

	"finishline/verify"
)

// Table holds the rules of contract 10. Those of its section 12 belong to
// contract 01, section 6.2 (packages privacy/secret and verify/evidence); the
// kinds of the extended section are those of package privacy/rules.
var Table = verify.NewTable("privacy", slices.Concat(argumentRules, fileRules, contentRules, closureRules, strictRules))

const (
	whyArgs     = "a scan of something else than what was meant would pass without having looked"
	whyInside   = "a scan that leaves its root reads what nobody asked to publish, or misses what will be"
	whyLooked   = "what was not read to its end may hold anything"
	whySecret   = "whoever reads the evidence can use it"
	doSecret    = "revoke it where it was issued, then replace it by [REDACTED] with finishline privacy redact"
	whyPerson   = "evidence is handed on, and this names a person or an account"
	whyPath     = "the path tells the account of the person who ran this"
	doPath      = "write a path relative to the repository, or <user> for the name"
	whyRelease  = "what cannot be looked at cannot be published"
	whyClosure  = "a completed run is published with every file its documents refer to, so each must be found and scanned"
	whyDocument = "the references in it are unknown, so the files behind them would not be scanned"
	whyNames    = "names are published with the content"
	whyTwoWays  = "two readers can see two documents, and only one of them was followed"
)

var argumentRules = []verify.Rule{
	{ID: "privacy.args.conflict", Contract: "10 §2", Fails: "release mode is combined with include paths, or has not exactly one folder", Why: whyArgs, Do: "scan one release folder, or include paths, in one call"},
	{ID: "privacy.args.invalid", Contract: "10 §2", Fails: "a mode or option is unknown, or lacks its value", Why: whyArgs, Do: "see finishline privacy scan --help"},
	{ID: "privacy.include.not-relative", Contract: "10 §2", Fails: "a path is empty, absolute, begins with a drive letter or holds NUL", Why: whyInside, Do: "write the path relative to the folder that is scanned"},
	{ID: "privacy.include.unsafe-segment", Contract: "10 §2", Fails: "a component of a path is empty, . or ..", Why: whyInside, Do: "write the path without them and without a slash at its end"},
	{ID: "privacy.include.escape", Contract: "10 §2", Fails: "a path leads outside the root, to the root itself, or begins with two dots", Why: whyInside, Do: "name a file or folder below the root"},
	{ID: "privacy.include.missing", Contract: "10 §2", Fails: "nothing can be inspected at a path", Why: whyArgs, Do: "check the path and who may read it"},
	{ID: "privacy.include.special-file", Contract: "10 §2", Fails: "a path is neither a link, a regular file nor a folder", Why: "a pipe or device has no content to scan", Do: "name a file or folder"},
	{ID: "privacy.release.root-missing", Contract: "10 §2", Fails: "the release folder does not exist", Why: whyArgs, Do: "build first, and name the folder it writes"},
	{ID: "privacy.release.root-symlink", Contract: "10 §2", Fails: "the release folder is a symbolic link", Why: whyInside, Do: "name the folder that the link leads to"},
	{ID: "privacy.release.root-not-directory", Contract: "10 §2", Fails: "the release folder is no folder", Why: whyArgs, Do: "name the folder that the build writes"},
	{ID: "privacy.release.root-escape", Contract: "10 §2", Fails: "the release folder lies outside the root", Why: whyInside, Do: "name a folder below the root"},
	{ID: "privacy.tracked.unreadable", Contract: "10 §3", Fails: "a tracked path cannot be inspected, or the index cannot be listed", Why: whyLooked, Do: "restore the file or record its removal in the index, then scan again", Eval: verify.NotEvaluated},
	{ID: "privacy.read.failed", Contract: "10 §10", Fails: "a listed folder or file cannot be read to its end", Why: whyLooked, Do: "make it readable, or scan where it is", Eval: verify.NotEvaluated},
	{ID: "privacy.read.name", Contract: "10 §10", Fails: "a name in a folder is no valid UTF-8", Why: "no report can name the file", Do: "rename the file"},
}

var fileRules = []verify.Rule{
	{ID: "privacy.file.symlink", Contract: "10 §4", Fails: "a symbolic link is part of what is scanned", Why: "what it leads to was not scanned and can change", Do: "replace the link by the file"},
	{ID: "privacy.file.binary", Contract: "10 §4", Fails: "a file is no UTF-8 text and not an approved pair of path and digest", Why: "its content cannot be scanned", Do: "leave it out, write it as UTF-8 text without terminal colours, or approve exactly these bytes with --approve-binary"},
	{ID: "privacy.path.operational", Contract: "10 §4", Fails: "a text lies below runs/ or logs/", Why: "raw logs hold what nobody looked through", Do: "put a redacted excerpt elsewhere, made with finishline privacy redact"},
	{ID: "privacy.release.compressed-source-map", Contract: "10 §4", Fails: "a bundle holds a compressed source map", Why: whyRelease, Do: "build without source maps, or publish them uncompressed"},
	{ID: "privacy.release.binary", Contract: "10 §4", Fails: "a bundle holds a binary file that is no known kind of asset", Why: whyRelease, Do: "leave it out of the bundle"},
}

var contentRules = []verify.Rule{
	{ID: "privacy.content.private-key", Contract: "10 §6", Fails: "a line holds the BEGIN line of a private key", Why: whySecret, Do: doSecret},
	{ID: "privacy.content.aws-access-key", Contract: "10 §6", Fails: "a line holds an AWS access key id", Why: whySecret, Do: doSecret},
	{ID: "privacy.content.github-token", Contract: "10 §6", Fails: "a line holds a GitHub token", Why: whySecret, Do: doSecret},
	{ID: "privacy.content.github-fine-grained-token", Contract: "10 §6", Fails: "a line holds a fine-grained GitHub token", Why: whySecret, Do: doSecret},
	{ID: "privacy.content.provider-key", Contract: "10 §6", Fails: "a line holds a word of 20 or more characters that begins with sk-", Why: whySecret, Do: doSecret},
	{ID: "privacy.content.bearer-token", Contract: "10 §6", Fails: "a line holds the word bearer and a token of 16 or more characters", Why: whySecret, Do: doSecret},
	{ID: "privacy.content.secret-assignment", Contract: "10 §6", Fails: "a value of 8 or more characters that is no placeholder, or one that ends unsafely, is assigned to a secret-like name", Why: whySecret, Do: "write [REDACTED] as the last thing on the line or in its quotes"},
	{ID: "privacy.content.connection-credential", Contract: "10 §6", Fails: "a connection URL holds a password", Why: whySecret, Do: doSecret},
	{ID: "privacy.content.windows-user-path", Contract: "10 §6", Fails: "a line holds a path below a user's folder on a drive", Why: whyPath, Do: doPath},
	{ID: "privacy.content.unix-user-path", Contract: "10 §6", Fails: "a line holds a path below a home directory or that of root", Why: whyPath, Do: doPath},
	{ID: "privacy.content.email", Contract: "10 §6", Fails: "a line holds an e-mail address outside the example domains", Why: whyPerson, Do: "use an address at example.com, example.org, example.net or example.invalid"},
	{ID: "privacy.content.uuid", Contract: "10 §6", Fails: "a line holds a UUID of version 1 to 5", Why: whyPerson, Do: "replace it by a name such as EXAMPLE-RUN"},
	{ID: "privacy.content.named-id", Contract: "10 §6", Fails: "a line gives a user, account, run or session an identifier with a digit", Why: whyPerson, Do: "use an identifier that begins with EXAMPLE-, or has no digit"},
}

var closureRules = []verify.Rule{
	{ID: "privacy.closure.path", Contract: "10 §11", Fails: "a reference of a document is no canonical relative path", Why: whyClosure, Do: "write the path relative to the run's directory, with / and without . or .."},
	{ID: "privacy.closure.depth", Contract: "10 §11", Fails: "more than 4 documents lead to a path", Why: whyClosure, Do: "refer to it from a document that is nearer to the packet"},
	{ID: "privacy.closure.count", Contract: "10 §11", Fails: "a run refers to more than 128 paths", Why: whyClosure, Do: "join evidence files"},
	{ID: "privacy.closure.unresolvable", Contract: "10 §11", Fails: "a path of the closure leads to no regular file inside the run's directory", Why: whyClosure, Do: "add the file, or remove the reference to it"},
	{ID: "privacy.closure.namespace", Contract: "10 §11", Fails: "a path leads, through links, to one that is not canonical", Why: whyClosure, Do: "rename the folder that it leads to"},
	{ID: "privacy.closure.reference-size", Contract: "10 §11", Fails: "a document with references is larger than 64 MiB", Why: whyDocument, Do: "move what makes it large to files of their own"},
	{ID: "privacy.closure.reference-json", Contract: "10 §11", Fails: "a document with references is no JSON object", Why: whyDocument, Do: "write one JSON object, without a byte order mark"},
	{ID: "privacy.closure.packet-json", Contract: "10 §11", Fails: "the packet is no JSON object", Why: whyDocument, Do: "build the packet again with finishline packet create"},
	{ID: "privacy.closure.empty", Contract: "10 §11", Fails: "no file at all is to be scanned", Why: "a scan of nothing shows nothing", Do: "run it in the run's directory"},
}

var strictRules = []verify.Rule{
	{ID: "privacy.strict.special-file", Contract: "10 §13", Fails: "a folder that is scanned holds a pipe, socket or device", Why: "it has no content of its own, and readers may block on it", Do: "remove it"},
	{ID: "privacy.strict.symlink-ancestor", Contract: "10 §13", Fails: "a path that is to be scanned leads through a symbolic link", Why: "the link can be turned after the scan", Do: "name the real path"},
	{ID: "privacy.strict.conditional-link", Contract: "10 §13", Fails: "a document that counts when it exists is a symbolic link", Why: "whether it exists depends on something outside the run", Do: "replace the link by the file, or remove it"},
	{ID: "privacy.strict.changed-while-reading", Contract: "10 §13", Fails: "a file changed between its inspection and the end of its reading", Why: "what was scanned is not what is there now", Do: "scan again when nothing writes to it"},
	{ID: "privacy.strict.bounds", Contract: "10 §13", Fails: "there are more than 50000 files, 16 MiB in one file, 512 MiB in all, 1 MiB in one line or 10000 findings", Why: "a scan without bounds can be kept from ending", Do: "leave generated files out, or scan in parts; --base has no such bounds"},
	{ID: "privacy.strict.path-content", Contract: "10 §13", Fails: "the name of a file discloses what its content may not", Why: whyNames, Do: "rename the file"},
	{ID: "privacy.strict.duplicate-key", Contract: "10 §13", Fails: "a document with references repeats a member name", Why: whyTwoWays, Do: "keep one of the two members"},
	{ID: "privacy.strict.invalid-utf8", Contract: "10 §13", Fails: "a document with references is no valid UTF-8", Why: whyTwoWays, Do: "write it as UTF-8"},
	{ID: "privacy.strict.bom", Contract: "10 §13", Fails: "a document with references begins with a byte order mark", Why: whyTwoWays, Do: "write it without"},
	{ID: "privacy.strict.lone-surrogate", Contract: "10 §13", Fails: "a document with references escapes half of a surrogate pair", Why: whyTwoWays, Do: "write the character itself"},
	{ID: "privacy.strict.release-exclusion", Contract: "10 §13", Fails: "an entry that release mode passes over by name is a link, or a name that can be published holds a match", Why: "a bundle can hold a file of such a name", Do: "rename or remove it"},
	{ID: "privacy.strict.git-unavailable", Contract: "10 §13", Fails: "the root has a .git entry, but what Git tracks could not be listed", Why: "tracked files in folders that are passed over were not scanned", Do: "install git, or give --trust-owner for a repository of another user", Eval: verify.NotEvaluated},
}
