package proof

import (
	"slices"

	"finishline/verify"
	"finishline/verify/evidence"
)

// Table holds the rules of a portable proof (03 B.7). Its findings also carry
// json.*, strict.json.*, strict.digest.*, secrets.* and strict.secrets.*.
var Table = verify.NewTable("portable-proof", slices.Concat(
	documentRules, commandRules, causalRules, executionRules, attemptRules, sourceRules, bindingRules, outcomeRules, strictRules,
), evidence.Table)

const (
	doAgain    = "make the proof again with a conforming producer; do not edit it by hand"
	whyDerived = "it must follow from the other members, or the proof claims what it does not show"
)

var documentRules = []verify.Rule{
	{ID: "proof.document", Contract: "03 B.7", Fails: "the document is not an object",
		Why: "there is nothing to verify in it", Do: "name the file that the proof producer wrote"},
	{ID: "proof.schema", Contract: "03 B.1", Fails: "schema is not valdris.portable-proof.v1",
		Why: "a document of another format was made under other rules", Do: "name a portable proof, or use the verifier of the format it has"},
	{ID: "proof.run.id", Contract: "03 B.1", Fails: "run.id is not an identifier",
		Why: "a proof belongs to one run, named in one way", Do: doAgain},
	{ID: "proof.run.commit", Contract: "03 B.1", Fails: "run.commit is not a full commit id of 40 or 64 hexadecimal digits",
		Why: "a short id or a branch name can mean another commit tomorrow", Do: doAgain},
	{ID: "proof.run.environment", Contract: "03 B.1", Fails: "run.environment is not an identifier",
		Why: "a result holds for the environment it was made in", Do: doAgain},
	{ID: "proof.host", Contract: "03 B.1", Fails: "host is absent",
		Why: "a binding covers the host, so that results of two machines can't be mixed", Do: doAgain},
}

var commandRules = []verify.Rule{
	{ID: "proof.command.argv", Contract: "03 B.1", Fails: "command.argv is not a non-empty array of non-empty strings",
		Why: "what was run must be stated argument by argument", Do: doAgain},
	{ID: "proof.command.requested-argv", Contract: "03 B.1", Fails: "command.requestedArgv is there and not a non-empty array of non-empty strings",
		Why: "it says what was asked for before the platform's wrapper was resolved; null counts as there", Do: "remove the member or write the requested argv, and make the proof again"},
	{ID: "proof.command.resolution", Contract: "03 B.1", Fails: "command.resolution is none of the four ways of resolving a command",
		Why: "how argv came from the request decides what was really run", Do: doAgain},
	{ID: "proof.inputs.missing", Contract: "03 B.7", Fails: "command.executionInputs is not an object",
		Why: "without it nobody knows what else the command depended on", Do: doAgain},
	{ID: "proof.inputs.fields", Contract: "03 B.2", Fails: "executionInputs has not exactly its six members",
		Why: "its digest is part of the command's identity, so two producers must write the same members", Do: doAgain},
	{ID: "proof.inputs.schema", Contract: "03 B.2", Fails: "executionInputs.schema is not valdris.proof-execution-inputs.v1",
		Why: "another version may mean something else by the same members", Do: doAgain},
	{ID: "proof.inputs.environment-digest", Contract: "03 B.2", Fails: "allowlistedEnvironmentSha256 is not a SHA-256 digest",
		Why: "it is all that the proof says about the command's environment", Do: doAgain},
	{ID: "proof.inputs.passed-names", Contract: "03 B.2", Fails: "passedEnvironmentNames is not the sorted list of distinct upper-case variable names",
		Why: "one set of names must have one digest", Do: doAgain},
	{ID: "proof.inputs.opaque-argv", Contract: "03 B.2", Fails: "opaqueArgv does not list exactly the secret flags of command.argv",
		Why: "an argument whose value is hidden must be declared, or two different commands look the same", Do: doAgain},
	{ID: "proof.inputs.stability", Contract: "03 B.2", Fails: "stability is not what the passed names and hidden arguments make it",
		Why: "a command with hidden inputs must not claim that it can be repeated exactly", Do: doAgain},
	{ID: "proof.inputs.eligibility", Contract: "03 B.2", Fails: "causalIdentityEligible is not what the passed names and hidden arguments make it",
		Why: "a root-cause analysis relies on it to say that the same command failed and then passed", Do: doAgain},
}

var causalRules = []verify.Rule{
	{ID: "proof.causal.array", Contract: "03 B.3", Fails: "causalInputs is not an array",
		Why: "no causal inputs is an empty list, not a missing one", Do: doAgain},
	{ID: "proof.causal.entry-object", Contract: "03 B.3", Fails: "a causal input is not an object",
		Why: "a causal input is a path and two digests", Do: doAgain},
	{ID: "proof.causal.entry-fields", Contract: "03 B.3", Fails: "a causal input has not exactly its three members",
		Why: "its digest must be the same from every producer", Do: doAgain},
	{ID: "proof.causal.path", Contract: "03 B.3", Fails: "the path of a causal input is not a canonical relative path",
		Why: "it must name one file below the target on every platform", Do: "name the file by its plain path relative to the target directory, with /"},
	{ID: "proof.causal.path-duplicate", Contract: "03 B.3", Fails: "two causal inputs have the same path",
		Why: "two contents of one file at one time contradict each other", Do: doAgain},
	{ID: "proof.causal.digest", Contract: "03 B.3", Fails: "beforeSha256 or afterSha256 of a causal input is not a SHA-256 digest",
		Why: "the digests say which content caused the result", Do: doAgain},
	{ID: "proof.causal.order", Contract: "03 B.3", Fails: "causalInputs is not sorted by path",
		Why: "one set of inputs must have one digest", Do: "sort by UTF-16 code units, and make the proof again"},
}

var executionRules = []verify.Rule{
	{ID: "proof.execution.shell", Contract: "03 B.1", Fails: "execution.shell is not false",
		Why: "a shell reads one line in ways that argv does not show", Do: "run the program directly, with its arguments as a list"},
	{ID: "proof.execution.timeout", Contract: "03 B.1", Fails: "execution.timeoutMs is not an integer from 1 to 600000",
		Why: "a result without a time limit can't be told from a hang", Do: doAgain},
	{ID: "proof.execution.repeat", Contract: "03 B.1", Fails: "execution.repeat is not an integer from 1 to 20",
		Why: "the number of attempts is fixed before they are made", Do: doAgain},
	{ID: "proof.execution.max-output", Contract: "03 B.1", Fails: "execution.maxOutputBytes is not an integer from 256 to 1048576",
		Why: "kept output is bounded, so that a proof can always be read", Do: doAgain},
	{ID: "proof.execution.mode", Contract: "03 B.1", Fails: "execution.mode is neither green nor red-baseline",
		Why: "the mode says whether exit code 0 is a success", Do: doAgain},
	{ID: "proof.execution.attempts", Contract: "03 B.1", Fails: "execution.attempts is not an array of exactly repeat attempts",
		Why: "a failed attempt that was left out would hide that a run is flaky", Do: doAgain},
}

var attemptRules = []verify.Rule{
	{ID: "proof.attempt.object", Contract: "03 B.7", Fails: "an attempt is not an object",
		Why: "an attempt that says nothing proves nothing", Do: doAgain},
	{ID: "proof.attempt.index", Contract: "03 B.1", Fails: "an attempt's index is not its position, counted from 1",
		Why: "attempts must be complete and in order", Do: doAgain},
	{ID: "proof.attempt.exit-code", Contract: "03 B.1", Fails: "exitCode is neither an integer nor null",
		Why: "the outcome is derived from it", Do: doAgain},
	{ID: "proof.attempt.signal", Contract: "03 B.1", Fails: "signal is neither a string nor null",
		Why: "the outcome is derived from it", Do: doAgain},
	{ID: "proof.attempt.timed-out", Contract: "03 B.1", Fails: "timedOut is not true or false",
		Why: "the outcome is derived from it", Do: doAgain},
	{ID: "proof.attempt.spawn-error", Contract: "03 B.1", Fails: "spawnError is neither a string nor null",
		Why: "the outcome is derived from it", Do: doAgain},
	{ID: "proof.attempt.duration", Contract: "03 B.1", Fails: "durationMs is not an integer of at least 0",
		Why: "a negative or broken duration was not measured", Do: doAgain},
	{ID: "proof.attempt.stream", Contract: "03 B.7", Fails: "stdout or stderr of an attempt is not an object with a text",
		Why: "what a command printed is evidence, also when it printed nothing", Do: doAgain},
	{ID: "proof.attempt.stream-digest", Contract: "03 B.1", Fails: "the digest of a stream is not that of its text",
		Why: "the output was changed after it was recorded, or never belonged to this digest", Do: doAgain},
	{ID: "proof.attempt.stream-bound", Contract: "03 B.1", Fails: "the text of a stream is longer than maxOutputBytes",
		Why: "the producer says that it kept less", Do: doAgain},
	{ID: "proof.attempt.stream-persisted", Contract: "03 B.1", Fails: "persistedBytes is not the length of the text in bytes",
		Why: "a text of another length is not the one that was recorded", Do: doAgain},
}

var sourceRules = []verify.Rule{
	{ID: "proof.source.missing", Contract: "03 B.7", Fails: "source is not an object",
		Why: "a result without the source it was made from proves nothing about that source", Do: doAgain},
	{ID: "proof.source.git-head", Contract: "03 B.4", Fails: "source.gitHead is not run.commit",
		Why: "the command ran on another commit than the one the run is about", Do: "check out the run's commit and make the proof there"},
	{ID: "proof.source.target-path", Contract: "03 B.4", Fails: "source.targetPath is neither . nor a plain relative path",
		Why: "it must name one directory of the repository on every platform", Do: doAgain},
	{ID: "proof.source.tree-digest", Contract: "03 B.4", Fails: "source.gitTreeSha256 is not a SHA-256 digest",
		Why: "it says which tree the commit held", Do: doAgain},
	{ID: "proof.source.digest", Contract: "03 B.4", Fails: "a state digest of source or validatorSha256 is not a SHA-256 digest",
		Why: "they say which content was tested, and by which program", Do: doAgain},
	{ID: "proof.source.dirty-flags", Contract: "03 B.4", Fails: "dirtyBefore or dirtyAfter is not true or false",
		Why: "uncommitted changes must be declared", Do: doAgain},
	{ID: "proof.source.stable", Contract: "03 B.4", Fails: "stable does not say whether the worktree digests before and after are equal",
		Why: whyDerived, Do: doAgain},
	{ID: "proof.source.application-stable", Contract: "03 B.4", Fails: "applicationStable does not say whether the application digests before and after are equal",
		Why: whyDerived, Do: doAgain},
}

const (
	whyBinding = "a value was changed after the proof was made, or the digest is that of something else"
	doBinding  = "restore the proof as its producer wrote it, or make it again"
)

var bindingRules = []verify.Rule{
	{ID: "proof.bindings.missing", Contract: "03 B.7", Fails: "bindings is not an object",
		Why: "without digests nothing holds the proof together", Do: doAgain},
	{ID: "proof.binding.command", Contract: "03 B.5", Fails: "commandSha256 is not the digest of the command", Why: whyBinding, Do: doBinding},
	{ID: "proof.binding.execution-inputs", Contract: "03 B.5", Fails: "executionInputsSha256 is not the digest of command.executionInputs", Why: whyBinding, Do: doBinding},
	{ID: "proof.binding.output", Contract: "03 B.5", Fails: "outputSha256 is not the digest of what the attempts did and printed", Why: whyBinding, Do: doBinding},
	{ID: "proof.binding.causal-inputs", Contract: "03 B.5", Fails: "causalInputsSha256 is not the digest of causalInputs", Why: whyBinding, Do: doBinding},
	{ID: "proof.binding.run", Contract: "03 B.5", Fails: "runSha256 is not the digest of the text of run.id", Why: whyBinding, Do: doBinding},
	{ID: "proof.binding.commit", Contract: "03 B.5", Fails: "commitSha256 is not the digest of the text of run.commit", Why: whyBinding, Do: doBinding},
	{ID: "proof.binding.environment", Contract: "03 B.5", Fails: "environmentSha256 is not the digest of the text of run.environment", Why: whyBinding, Do: doBinding},
	{ID: "proof.binding.host", Contract: "03 B.5", Fails: "environmentSnapshotSha256 is not the digest of host", Why: whyBinding, Do: doBinding},
	{ID: "proof.binding.source", Contract: "03 B.5", Fails: "sourceSha256 is not the digest of source", Why: whyBinding, Do: doBinding},
	{ID: envelopeRule, Contract: "03 B.5", Fails: "envelopeSha256 is not the digest over the other nine, schema, mode, repeat and timeoutMs", Why: whyBinding, Do: doBinding},
}

var outcomeRules = []verify.Rule{
	{ID: "proof.outcome.missing", Contract: "03 B.7", Fails: "outcome is not an object",
		Why: "a reader looks there first, so it must say what the attempts say", Do: doAgain},
	{ID: "proof.outcome.status", Contract: "03 B.6", Fails: "outcome.status is not what the attempts, the mode and the source block give", Why: whyDerived, Do: doAgain},
	{ID: "proof.outcome.flaky", Contract: "03 B.6", Fails: "outcome.flaky does not say whether the attempts differ", Why: whyDerived, Do: doAgain},
	{ID: "proof.outcome.successful", Contract: "03 B.6", Fails: "outcome.successful does not say whether the status is passed or red-confirmed", Why: whyDerived, Do: doAgain},
}
