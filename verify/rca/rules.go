package rca

import (
	"slices"

	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/proof"
)

// Table holds the rules of the root-cause analysis (contract 04). Its findings
// also carry json.*, path.*, self-grant.* and secrets.*, and what strict level
// adds to those and to proofs.
var Table = verify.NewTable("rca", slices.Concat(documentRules, gitRules, pathRules, causalRules, evidenceRules, proofRules, closureRules, strictRules),
	evidence.Table, proof.Table)

const (
	whyText   = "an analysis that does not say this cannot be reviewed"
	doText    = "write it in a sentence of at least 8 characters"
	whyIdent  = "other documents refer to it by this id"
	doIdent   = "use 1 to 256 letters, digits and . _ : / -, the first a letter or digit"
	whyCommit = "the analysis is about the difference between two exact commits"
	whyGit    = "what Git cannot show was not verified"
	doGit     = "run in the work tree of the repository, with its full history"
	whyDigest = "the digest ties the analysis to exact bytes"
	doDigest  = "write the SHA-256 of the file as 64 lower-case hexadecimal characters"
	whyProof  = "failure and success must have been shown by running the command, not told"
	doProof   = "make the proof again with `finishline proof run` and record its digests"
)

var documentRules = []verify.Rule{
	{ID: "rca.document", Contract: "04 §2", Fails: "the analysis is not an object, or not readable as a file", Why: "nothing in it can be looked at", Do: "write a valdris.rca.v1 document"},
	{ID: "rca.schema", Contract: "04 §2", Fails: "schema is not valdris.rca.v1", Why: "another format's members mean other things", Do: "write the schema exactly"},
	{ID: "rca.status", Contract: "04 §2", Fails: "status is not confirmed", Why: "a suspected cause closes nothing", Do: "confirm the cause, and record it"},
	{ID: "rca.run-id", Contract: "04 §2", Fails: "runId is no identifier", Why: whyIdent, Do: doIdent},
	{ID: "rca.commit", Contract: "04 §2", Fails: "commit is no identifier", Why: whyIdent, Do: doIdent},
	{ID: "rca.environment", Contract: "04 §2", Fails: "environment is no identifier", Why: whyIdent, Do: doIdent},
	{ID: "rca.symptom.id", Contract: "04 §2", Fails: "symptom.id is no identifier", Why: whyIdent, Do: doIdent},
	{ID: "rca.symptom.summary", Contract: "04 §2", Fails: "symptom.summary is too short", Why: whyText, Do: doText},
	{ID: "rca.root-cause.summary", Contract: "04 §2", Fails: "rootCause.summary is too short", Why: whyText, Do: doText},
	{ID: "rca.root-cause.mechanism", Contract: "04 §2", Fails: "rootCause.causalMechanism is too short", Why: whyText, Do: doText},
	{ID: "rca.fix.summary", Contract: "04 §2", Fails: "fix.summary is too short", Why: whyText, Do: doText},
	{ID: "rca.regression.id", Contract: "04 §2", Fails: "regression.id is no identifier", Why: whyIdent, Do: doIdent},
	{ID: "rca.regression.summary", Contract: "04 §2", Fails: "regression.summary is too short", Why: whyText, Do: doText},
	{ID: "rca.regression.command-digest", Contract: "04 §2", Fails: "regression.commandSha256 is not a digest", Why: "it says which command failed and must pass", Do: "copy bindings.commandSha256 from the proofs"},
	{ID: "rca.regression.failure-signature", Contract: "04 §2", Fails: "regression.failureSignature is too short", Why: "a signature that anything contains proves no failure", Do: "write a text of at least 4 characters that only the failure prints"},
	{ID: "rca.regression.pre-commit", Contract: "04 §2", Fails: "regression.preFixCommit is not a commit id", Why: whyCommit, Do: "write the full id of the commit before the fix"},
	{ID: "rca.regression.post-commit", Contract: "04 §2", Fails: "regression.postFixCommit is not a commit id", Why: whyCommit, Do: "write the full id of the commit with the fix"},
	{ID: "rca.commits.identical", Contract: "04 §2", Fails: "preFixCommit and postFixCommit are the same", Why: "nothing was fixed between them", Do: "name the commit before the fix and the one with it"},
	{ID: "rca.commits.not-subject", Contract: "04 §2", Fails: "commit is not regression.postFixCommit", Why: "the analysis would be about another commit than its fix", Do: "write the commit of the fix in both places"},
}

var gitRules = []verify.Rule{
	{ID: "rca.git.pre-missing", Contract: "04 §3.1", Eval: verify.Wraps, Fails: "preFixCommit names no commit of the repository", Why: whyGit, Do: doGit},
	{ID: "rca.git.post-missing", Contract: "04 §3.1", Eval: verify.Wraps, Fails: "postFixCommit names no commit of the repository", Why: whyGit, Do: doGit},
	{ID: "rca.git.head", Contract: "04 §3.1", Eval: verify.Wraps, Fails: "postFixCommit is not exactly HEAD", Why: "an analysis verifies only while its fix is checked out", Do: "check out the commit of the fix, and write its id as Git prints it"},
	{ID: "rca.git.prefix", Contract: "04 §3.2", Eval: verify.Wraps, Fails: "the target's place in the work tree cannot be told", Why: whyGit, Do: doGit},
	{ID: "rca.git.diff", Contract: "04 §3.2", Eval: verify.Wraps, Fails: "Git cannot list what changed between the commits, or the list is longer than 1 MiB", Why: whyGit, Do: doGit},
	{ID: "rca.git.diff-escape", Contract: "04 §3.2", Fails: "Git lists a change outside the target", Why: "changes elsewhere are not this analysis's fix", Do: "verify the directory that was changed"},
}

var pathRules = []verify.Rule{
	{ID: "rca.paths.no-change", Contract: "04 §3.2", Fails: "nothing below the target differs between the commits", Why: "without a change there is no fix", Do: "name the commits between which the fix was made"},
	{ID: "rca.fix.paths-empty", Contract: "04 §3.2", Fails: "fix.changedPaths lists no path", Why: "a fix is a change of named files", Do: "list the files that the fix changed, relative to the target"},
	{ID: "rca.root-cause.paths-empty", Contract: "04 §3.2", Fails: "rootCause.affectedPaths lists no path", Why: "a cause lies in named files", Do: "list the files in which the cause lay, relative to the target"},
	{ID: "rca.paths.form", Contract: "04 §3.2", Fails: "a listed path is not portable, or absolute", Why: "one file must have one name on every platform", Do: "name the file by its plain path relative to the target"},
	{ID: "rca.fix.path-not-changed", Contract: "04 §3.2", Fails: "a path of fix.changedPaths did not change between the commits", Why: "the fix would claim a change it did not make", Do: "list only what `git diff --name-only` lists, relative to the target; a renamed file by its new name"},
	{ID: "rca.paths.no-overlap", Contract: "04 §3.2", Fails: "no path is affected by the cause, named by the fix, and changed", Why: "the fix would not touch the cause", Do: "list the changed file that held the cause in both lists"},
	{ID: "rca.class.causal", Contract: "04 §3.2", Fails: "causalClass is neither source-change nor documentation-process", Why: "the class decides which files may be the cause", Do: "write one of the two, or leave the member out"},
	{ID: "rca.class.remediation", Contract: "04 §3.2", Fails: "remediationClass is neither source-change nor documentation-process", Why: "the class decides which files may be the fix", Do: "write one of the two, or leave the member out"},
	{ID: "rca.class.mismatch", Contract: "04 §3.2", Fails: "causalClass and remediationClass differ", Why: "the remedy must be of the kind of the cause", Do: "write the same class in both places"},
	{ID: "rca.causal.not-causal-path", Contract: "04 §3.2", Fails: "a causal input is not one of the causal paths", Why: "an input that is not part of cause and fix explains nothing", Do: "declare only files that both lists name"},
	{ID: "rca.causal.documentation-missing", Contract: "04 §3.2", Fails: "a causal documentation file has no causal input", Why: "documentation acts on a command only if the proofs bound it", Do: "declare the file as a causal input, and make the proofs with --causal-input"},
	{ID: "rca.paths.evidence-only", Contract: "04 §3.2", Fails: "all causal paths are documents of the run itself", Why: "editing evidence fixes nothing", Do: "name the file of the source or documentation that was the cause"},
	{ID: "rca.class.documentation-required", Contract: "04 §3.2", Fails: "only documentation is causal and the classes do not say so", Why: "a change of words must not pass as a change of source", Do: "write documentation-process as causalClass and remediationClass"},
	{ID: "rca.class.documentation-forbidden", Contract: "04 §3.2", Fails: "a source file is causal and a class says documentation", Why: "a change of source must be reviewed as one", Do: "write source-change, or leave the classes out"},
}

var causalRules = []verify.Rule{
	{ID: "rca.causal.array", Contract: "04 §3.3", Fails: "causalInputs is present and not a non-empty array", Why: "an empty declaration binds nothing", Do: "declare the inputs, or leave the member out"},
	{ID: "rca.causal.entry-object", Contract: "04 §3.3", Fails: "a causal input is not an object", Why: "only path and digests can be checked", Do: "write path, preFixSha256 and postFixSha256"},
	{ID: "rca.causal.entry-fields", Contract: "04 §3.3", Fails: "a causal input has other members than path, preFixSha256 and postFixSha256", Why: "what is not checked must not look as if it were", Do: "write exactly the three members"},
	{ID: "rca.causal.path", Contract: "04 §3.3", Fails: "the path of a causal input is not canonical", Why: "one file must have one name", Do: "name the file by its plain path relative to the target"},
	{ID: "rca.causal.path-duplicate", Contract: "04 §3.3", Fails: "two causal inputs have the same path", Why: "only one of the two could be true", Do: "declare each file once"},
	{ID: "rca.causal.pre-digest", Contract: "04 §3.3", Fails: "preFixSha256 is not a digest", Why: whyDigest, Do: doDigest},
	{ID: "rca.causal.post-digest", Contract: "04 §3.3", Fails: "postFixSha256 is not a digest", Why: whyDigest, Do: doDigest},
	{ID: "rca.causal.digests-equal", Contract: "04 §3.3", Fails: "a causal input has the same digest before and after", Why: "an input that did not change is no cause", Do: "declare the file that the fix changed"},
	{ID: "rca.causal.pre-binding", Contract: "04 §3.3", Eval: verify.Wraps, Fails: "preFixSha256 is not the digest of the file at preFixCommit", Why: whyDigest, Do: "digest the committed bytes: git show <commit>:<path> | sha256sum; the file must exist there, be regular and at most 1 MiB"},
	{ID: "rca.causal.post-binding", Contract: "04 §3.3", Eval: verify.Wraps, Fails: "postFixSha256 is not the digest of the file at postFixCommit", Why: whyDigest, Do: "digest the committed bytes: git show <commit>:<path> | sha256sum; the file must exist there, be regular and at most 1 MiB"},
	{ID: "rca.causal.order", Contract: "04 §3.3", Fails: "causal inputs are not in ascending order of their paths", Why: "one set of inputs must have one form", Do: "sort the entries by path"},
}

var evidenceRules = []verify.Rule{
	{ID: "rca.evidence.missing", Contract: "04 §4", Fails: "evidence is not a non-empty array", Why: "an analysis without evidence is an opinion", Do: "list the evidence"},
	{ID: "rca.evidence.id", Contract: "04 §4", Fails: "an evidence id is no identifier", Why: whyIdent, Do: doIdent},
	{ID: "rca.evidence.id-duplicate", Contract: "04 §4", Fails: "an evidence id occurs twice", Why: "a reference to it would be ambiguous", Do: "give each entry an id of its own"},
	{ID: "rca.evidence.type", Contract: "04 §4", Fails: "an evidence type is none of the five", Why: "the type decides how the artifact is checked", Do: "write runtime-command, runtime-log, runtime-trace, runtime-metric or change-artifact"},
	{ID: "rca.evidence.phase", Contract: "04 §4", Fails: "an evidence phase is none of the four", Why: "the phase decides what the artifact must show", Do: "write reproduction, diagnosis, fix or post-fix-regression"},
	{ID: "rca.evidence.symptom", Contract: "04 §4", Fails: "an entry is about another symptom", Why: "evidence of one symptom does not explain another", Do: "write symptom.id"},
	{ID: "rca.evidence.observation", Contract: "04 §4", Fails: "an observation is too short", Why: whyText, Do: doText},
	{ID: "rca.evidence.artifact", Contract: "04 §4", Fails: "an entry names no artifact", Why: "there is nothing to look at", Do: "name the file"},
	{ID: "rca.evidence.digest-format", Contract: "04 §4", Fails: "an entry's sha256 is not a digest", Why: whyDigest, Do: doDigest},
	{ID: "rca.evidence.artifact-unavailable", Contract: "04 §4", Eval: verify.Wraps, Fails: "an artifact does not exist below the target, is no readable file, or is larger than 64 MiB", Why: "there is nothing to look at", Do: "keep the file itself below the target, and name it by its plain relative path"},
	{ID: "rca.evidence.digest", Contract: "04 §4", Fails: "an artifact's digest is not the recorded one", Why: "the file changed after it was recorded, or is another", Do: "restore the file, or record the evidence again"},
	{ID: "rca.evidence.secret", Contract: "04 §4", Fails: "an artifact discloses a secret", Why: "evidence is shared with everyone who reviews it", Do: "redact the artifact, record its new digest, and replace the secret"},
}

var proofRules = []verify.Rule{
	{ID: "rca.proof.json", Contract: "04 §4", Fails: "the artifact of a runtime-command is not readable JSON", Why: whyProof, Do: doProof},
	{ID: "rca.proof.invalid", Contract: "04 §4", Eval: verify.Wraps, Fails: "the artifact of a runtime-command is not a valid portable proof", Why: whyProof, Do: doProof},
	{ID: "rca.proof.opaque", Contract: "04 §4", Fails: "a reproduction or regression proof depended on something that it does not hold", Why: "two runs that saw different hidden inputs cannot be compared", Do: "run the command without passed variables and secret flags"},
	{ID: "rca.proof.not-clean", Contract: "04 §4", Fails: "a proof was not made in a clean work tree", Why: "what ran would not be what was committed", Do: "commit first, and ignore the evidence directories in Git, then make the proof"},
	{ID: "rca.proof.subject", Contract: "04 §4", Fails: "a proof is of another run, environment or commit", Why: "a proof of something else shows nothing here", Do: "make the reproduction at preFixCommit and everything else at postFixCommit, with the run's id and environment"},
	{ID: "rca.proof.not-red", Contract: "04 §4", Fails: "the reproduction proof does not show the failure", Why: "a failure that was never seen cannot be said to be gone", Do: "make it with --red-baseline at the commit before the fix"},
	{ID: "rca.proof.not-green", Contract: "04 §4", Fails: "the regression proof does not show success", Why: "the fix was not shown to work", Do: "make the command pass in every attempt, then record the proof"},
	{ID: "rca.proof.binding", Contract: "04 §4", Fails: "proofBindingSha256 is not the proof's envelope digest", Why: "the entry would be about another proof", Do: "copy bindings.envelopeSha256 from the proof"},
	{ID: "rca.proof.regression-id", Contract: "04 §4", Fails: "regressionId is not regression.id", Why: "the entry would belong to another regression", Do: "write regression.id"},
	{ID: "rca.proof.command", Contract: "04 §4", Fails: "a proof ran another command than regression.commandSha256", Why: "failure and success must be of the same command", Do: "run the same command in the same environment for all proofs"},
}

var closureRules = []verify.Rule{
	{ID: "rca.refs.empty", Contract: "04 §5", Fails: "symptom, cause, fix or regression lists no evidence", Why: "a claim without evidence is an opinion", Do: "list the ids of its evidence"},
	{ID: "rca.refs.unknown", Contract: "04 §5", Fails: "a listed id is no evidence of this analysis", Why: "the reference leads nowhere", Do: "correct the id"},
	{ID: "rca.refs.phase", Contract: "04 §5", Fails: "none of the listed evidence has the phase and type that the claim needs", Why: "a symptom is shown by a failing command, a cause by runtime evidence, a fix by its change, a regression by a passing command", Do: "list evidence of the right phase and type"},
	{ID: "rca.evidence.no-reproduction", Contract: "04 §5", Fails: "no runtime-command reproduces the failure", Why: "a failure that was never seen cannot be said to be gone", Do: "add a proof made with --red-baseline before the fix"},
	{ID: "rca.evidence.no-regression", Contract: "04 §5", Fails: "no runtime-command shows that the fix works", Why: "the fix was not shown to work", Do: "add a passing proof made after the fix"},
	{ID: "rca.closure.causal-missing", Contract: "04 §5", Fails: "a proof did not bind a declared causal input", Why: "whether the command saw that file is unknown", Do: "make both proofs with --causal-input for each declared file"},
	{ID: "rca.closure.causal-mismatch", Contract: "04 §5", Fails: "a proof bound other bytes of a causal input than declared", Why: "the command ran with another file than the one that was committed", Do: "make the reproduction with the file as before the fix, the regression with the file as after it"},
	{ID: "rca.closure.command", Contract: "04 §5", Fails: "reproduction and regression ran different commands", Why: "another command passing says nothing about the one that failed", Do: "run the same command in the same environment"},
	{ID: "rca.closure.signature", Contract: "04 §5", Fails: "an attempt of the reproduction did not print the failure signature", Why: "it may have failed for another reason", Do: "write the exact text that every failing attempt printed"},
}

var strictRules = []verify.Rule{
	{ID: "strict.rca.commit-form", Contract: "04 §6", Fails: "a commit is not the whole lower-case id of a commit itself", Why: "a shorter or longer name could be resolved through a branch or tag", Do: "write the id as `git rev-parse` prints it"},
	{ID: "strict.rca.not-ancestor", Contract: "04 §6", Eval: verify.Wraps, Fails: "preFixCommit is not an ancestor of postFixCommit", Why: "the fix was not built on the code that failed", Do: "name the commit that the fix was made on; in a shallow clone fetch the full history"},
	{ID: "strict.rca.every-proof", Contract: "04 §6", Fails: "a proof other than the last of its side fails the closure", Why: "an earlier proof that contradicts the analysis must not hide behind a later one", Do: "remove the proof, or make it again"},
	{ID: "strict.rca.same-artifact", Contract: "04 §6", Fails: "one artifact serves two entries, or failure and success share their bytes", Why: "one file cannot be two pieces of evidence", Do: "record a file of its own for each entry"},
	{ID: "strict.rca.causal-prefix", Contract: "04 §6", Fails: "a proof was made for another target directory", Why: "its paths mean other files", Do: "make the proofs in the directory that is verified"},
	{ID: "strict.rca.validator-changed", Contract: "04 §6", Severity: verify.Warning, Fails: "the two proofs were made by different producer programs", Why: "a difference between them may come from the producer", Do: "make both proofs with the same version"},
	{ID: "strict.rca.signature-in-green", Contract: "04 §6", Fails: "the passing proof printed the failure signature too", Why: "a signature that success prints does not identify the failure", Do: "choose a text that only the failure prints"},
	{ID: "strict.rca.flaky-repeat", Contract: "04 §6", Severity: verify.Warning, Fails: "a proof ran its command only once", Why: "a flaky command can fail once and pass once without any fix", Do: "make the proofs with --repeat 2 or more"},
	{ID: "strict.rca.evidence-in-fix", Contract: "04 §6", Severity: verify.Warning, Fails: "the fix lists documents of the run itself", Why: "they are no part of what was fixed", Do: "leave them out of fix.changedPaths"},
	{ID: "strict.rca.path-form", Contract: "04 §6", Fails: "a listed path is not canonical, or listed twice", Why: "one file must have one name", Do: "name each file once by its plain path relative to the target"},
	{ID: "strict.rca.source-causal-unbound", Contract: "04 §6", Severity: verify.Warning, Fails: "a causal source file has no causal input", Why: "whether the command saw that file is unknown", Do: "declare it as a causal input, and make the proofs with --causal-input"},
	{ID: "strict.rca.object-identity", Contract: "04 §6", Eval: verify.Wraps, Fails: "an object of the repository does not hash to its id", Why: "Git serves a swapped object without complaint, so what the commits hold is not what their ids say", Do: "fetch a clean copy of the repository, and find out who changed this one"},
}
