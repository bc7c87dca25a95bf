package evidence

import (
	"slices"

	"finishline/verify"
)

// Table holds the rules that all document kinds share (contract 01, sections 1
// to 6).
var Table = verify.NewTable("evidence", slices.Concat(jsonRules, digestRules, pathRules, scanRules))

var jsonRules = []verify.Rule{
	{ID: "json.syntax", Contract: "01 §1", Fails: "the text is not exactly one JSON value of RFC 8259",
		Why: "two readers would make two different documents of it", Do: "write the file again with a JSON library and verify that"},
	{ID: "json.depth", Contract: "01 §1", Fails: "arrays and objects are nested deeper than 128 levels",
		Why: "unbounded nesting exhausts a reader", Do: "no format of ours nests this deep; look at what produced the file"},
	{ID: "json.size", Contract: "01 §1", Fails: "the file is larger than the bound of its kind",
		Why: "evidence is read within bounds, so that no file can exhaust a verifier", Do: "shorten the document; `finishline limits` lists the bounds"},
	{ID: "strict.json.duplicate-key", Contract: "01 §1", Fails: "an object has two members of the same name",
		Why: "a reader that takes the first and one that takes the last see different documents", Do: "remove one of the two members at the source"},
	{ID: "strict.json.invalid-utf8", Contract: "01 §1", Fails: "the file is not well-formed UTF-8",
		Why: "readers replace the bad bytes in different ways", Do: "write the file as UTF-8"},
	{ID: "strict.json.lone-surrogate", Contract: "01 §1", Fails: "a string holds an escaped surrogate without its other half",
		Why: "it is no character, and libraries disagree on what to do with it", Do: "write whole characters"},
	{ID: "strict.json.number-overflow", Contract: "01 §1", Fails: "a number is beyond the range of a double",
		Why: "it reads as infinity, which JSON cannot write back", Do: "write a number within the range, or a string"},
	{ID: "strict.json.number-inexact", Contract: "01 §1", Fails: "an integer is beyond 2^53 - 1, or a non-zero number reads as zero",
		Why: "different literals would read as the same value", Do: "write a number that a double holds exactly, or a string"},
	{ID: "strict.canon.absent-member", Contract: "01 §2.6", Fails: "a member that is signed or hashed is absent",
		Why: "the bytes that were signed hold the bare word undefined, which is no JSON", Do: "write the member, and sign or bind the document again"},
}

var digestRules = []verify.Rule{
	{ID: "strict.digest.non-string", Contract: "01 §3", Fails: "a digest member is not a string",
		Why: "lenient readers take an array of one digest for the digest", Do: "write the digest as a string"},
	{ID: "strict.digest.upper-case", Contract: "01 §3", Fails: "a digest has upper-case letters",
		Why: "digests are compared byte for byte and computed ones are lower-case", Do: "write the digest in lower case"},
}

const (
	whyPath = "the path must name the same file on every platform and never one outside the run"
	doPath  = "name the file by its plain relative path below the root, with /"
)

var pathRules = []verify.Rule{
	{ID: "path.empty", Contract: "01 §5.1", Fails: "the path is not a string or empty", Why: whyPath, Do: doPath},
	{ID: "path.control-character", Contract: "01 §5.1", Fails: "the path has a control character", Why: whyPath, Do: doPath},
	{ID: "path.device-namespace", Contract: "01 §5.1", Fails: "the path starts with a device namespace of Windows", Why: whyPath, Do: doPath},
	{ID: "path.unc", Contract: "01 §5.1", Fails: "the path is a network path", Why: whyPath, Do: doPath},
	{ID: "path.colon", Contract: "01 §5.1", Fails: "the path has a colon", Why: "a colon opens an alternate stream on some platforms", Do: doPath},
	{ID: "path.drive", Contract: "01 §5.1", Fails: "the path starts with a drive letter", Why: whyPath, Do: doPath},
	{ID: "path.parent-traversal", Contract: "01 §5.1", Fails: "a component is ..", Why: whyPath, Do: doPath},
	{ID: "path.trailing-dot-or-space", Contract: "01 §5.1", Fails: "a component ends with a dot or a space", Why: "some platforms drop it and open another file", Do: doPath},
	{ID: "path.reserved-device-name", Contract: "01 §5.1", Fails: "a component is a reserved device name such as NUL or COM1", Why: "some platforms open a device instead of a file", Do: "rename the file"},
	{ID: "path.not-relative", Contract: "01 §5.2", Fails: "the path is absolute", Why: whyPath, Do: doPath},
	{ID: "path.not-canonical", Contract: "01 §5.2", Fails: "the path has a backslash or an empty, . or .. component, or ends with /", Why: "one file must have one name", Do: doPath},
	{ID: "path.escapes-root", Contract: "01 §5.3", Fails: "the path leads outside the root", Why: "evidence outside the run is not the run's evidence", Do: doPath},
	{ID: "path.symlink", Contract: "01 §5.3", Fails: "the path is a symbolic link", Why: "a link can point elsewhere a moment later", Do: "put the file itself there"},
	{ID: "path.resolves-outside", Contract: "01 §5.3", Fails: "a parent directory links outside the root", Why: "evidence outside the run is not the run's evidence", Do: "put the directory itself there"},
	{ID: "path.missing", Contract: "01 §5.3", Fails: "nothing is there", Why: "what is not there cannot be verified", Do: "restore the file, or correct the path"},
	{ID: "path.parent-resolves-outside", Contract: "01 §5.3", Fails: "the nearest existing parent lies outside the root", Why: "evidence outside the run is not the run's evidence", Do: "choose a path below the root"},
	{ID: "strict.path.absolute", Contract: "01 §5.3", Fails: "the path is absolute, though inside the root", Why: "it names nothing on another machine", Do: doPath},
	{ID: "strict.path.backslash", Contract: "01 §5.3", Fails: "the path has a backslash", Why: "it is a separator on one platform and a letter on another", Do: doPath},
	{ID: "strict.path.symlink-component", Contract: "01 §5.3", Fails: "a component below the root is a symbolic link", Why: "a link can point elsewhere a moment later", Do: "put the directory or file itself there"},
	{ID: "strict.path.not-regular-file", Contract: "01 §5.3", Fails: "the artifact is not a regular file", Why: "only a file has bytes to bind", Do: "name a file"},
	{ID: "strict.path.special-character", Contract: "01 §5.3", Fails: "the path has an invisible, bidirectional or reserved character", Why: "what a reader sees is not what is opened", Do: "rename the file"},
	{ID: "strict.path.superscript-device", Contract: "01 §5.3", Fails: "a component reads as a device name on some platforms", Why: "some platforms open a device instead of a file", Do: "rename the file"},
	{ID: "strict.path.not-nfc", Contract: "01 §5.3", Fails: "the path is not in Unicode NFC", Why: "some file systems change its spelling", Do: "rename the file to the composed spelling"},
	{ID: "strict.path.git-directory", Contract: "01 §5.3", Fails: "a component is .git", Why: "Git's own files are not evidence", Do: "keep evidence outside .git"},
	{ID: "strict.path.too-long", Contract: "01 §5.3", Fails: "the path has more than 4096 bytes, or a component more than 255", Why: "file systems refuse it", Do: "shorten the path"},
}
