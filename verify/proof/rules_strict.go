package proof

import (
	"finishline/verify"
	"finishline/verify/evidence"
)

var strictRules = []verify.Rule{
	{ID: "strict.proof.generated-at", Contract: "03 B.7", Fails: "generatedAt is not a timestamp",
		Why: "people order proofs by it, though no binding covers it", Do: "write the time of the proof in UTC, such as 2026-04-02T08:30:00.000Z"},
	{ID: "strict.proof.unknown-field", Contract: "03 B.7", Fails: "the proof has a member that its format does not know",
		Why: "most unknown members are outside every binding, so anyone can add or change them", Do: "move it into host, which is open and bound, and make the proof again"},
	{ID: "strict.proof.host-object", Contract: "03 B.7", Fails: "host is not an object",
		Why: "a bare text or number does not say what it describes", Do: "describe the host by named members, such as platform and arch"},
	{ID: "strict.proof.commit-lower-case", Contract: "03 B.7", Fails: "run.commit has upper-case letters",
		Why: "Git prints lower case and ids are compared byte for byte", Do: "write the commit as git rev-parse prints it"},
	{ID: "strict.proof.requested-argv", Contract: "03 B.7", Fails: "requestedArgv is absent, or differs from argv though nothing was resolved",
		Why: "the identity of the command is only bound when the request is stated", Do: "write requestedArgv; with resolution direct it is the same list as argv"},
	{ID: "strict.proof.passed-name-ascii", Contract: "03 B.7", Fails: "the name of a passed variable has a character outside visible ASCII",
		Why: "upper case beyond ASCII differs between Unicode versions, so the list can't be derived again everywhere", Do: "rename the variable"},
	{ID: "strict.proof.stream-truncated", Contract: "03 B.7", Fails: "observedBytes or truncated contradicts persistedBytes",
		Why: "a reader must know whether what is shown is everything", Do: doAgain},
	{ID: "strict.proof.attempt-contradiction", Contract: "03 B.7", Fails: "an attempt ended in no way, or in two ways at once, or has an empty spawn error",
		Why: "no run of a program ends like that", Do: doAgain},
	{ID: "strict.proof.duration", Contract: "03 B.7", Fails: "an attempt took over a minute longer than its time limit",
		Why: "the limit was not enforced, or the duration was not measured", Do: "see why the producer could not end the command, and make the proof again"},
	{ID: "strict.proof.stable-contradiction", Contract: "03 B.7", Fails: "stable is true, but the application state or the dirty flag changed",
		Why: "an unchanged worktree can't contain a changed part", Do: doAgain},
	{ID: "strict.proof.application-mutated", Contract: "03 B.7", Fails: "the outcome is successful, but the application changed during the run",
		Why: "what passed is not what is there now", Do: "make the command leave application files alone, and make the proof again"},
	{ID: "strict.proof.causal-mutated", Contract: "03 B.7", Fails: "the outcome is successful, but a causal input changed during the run",
		Why: "the result belongs to neither of the two contents", Do: "make the command leave causal inputs alone, ignored files included, and make the proof again"},
}

// UASHTable holds the rules of uash.proof.v1 (03 A). Its findings also carry
// json.* and strict.json.*.
var UASHTable = verify.NewTable("uash-proof", uashRules, evidence.Table)

var uashRules = []verify.Rule{
	{ID: "uash-proof.document", Contract: "03 A", Fails: "the document is not an object",
		Why: "there is nothing to verify in it", Do: "name the file that the proof producer wrote"},
	{ID: "uash-proof.schema", Contract: "03 A", Fails: "schema is not uash.proof.v1",
		Why: "a document of another format was made under other rules", Do: "write the proof in the format uash.proof.v1"},
	{ID: "uash-proof.generated-at", Contract: "03 A", Fails: "generatedAt is not a timestamp",
		Why: "a proof without a time can't be told from an old one", Do: "write the time in UTC, such as 2026-03-04T10:11:12.345Z"},
	{ID: "uash-proof.status", Contract: "03 A", Fails: "status is not exactly passed",
		Why: "a failed proof is no proof", Do: "make the commands pass, and write the proof again"},
	{ID: "uash-proof.summary", Contract: "03 A", Fails: "summary is not a text, or blank",
		Why: "a reviewer reads it to know what was proved", Do: "say in a sentence what the commands show"},
	{ID: "uash-proof.commands", Contract: "03 A", Fails: "commands is not a non-empty array",
		Why: "a proof without a command has proved nothing", Do: "list the result of every command that was run"},
	{ID: "uash-proof.command.object", Contract: "03 A", Fails: "a command result is not an object",
		Why: "it says nothing about a command", Do: doAgain},
	{ID: "uash-proof.command.text", Contract: "03 A", Fails: "command is not a text, or blank",
		Why: "a result must say what was run", Do: doAgain},
	{ID: "uash-proof.command.exit-code", Contract: "03 A", Fails: "exitCode is not an integer",
		Why: "a command that was killed or never ended has no exit code, and no proof comes from it", Do: "run the command to its end, and write the proof again"},
	{ID: "uash-proof.command.nonzero", Contract: "03 A", Fails: "exitCode is not 0",
		Why: "one failed command among ten makes the proof fail", Do: "make the command pass, and write the proof again"},
	{ID: "uash-proof.command.completed-at", Contract: "03 A", Fails: "completedAt is not a timestamp",
		Why: "a command that has no completion time may never have completed", Do: doAgain},
	{ID: "uash-proof.command.output", Contract: "03 A", Fails: "a command result has neither output nor an output digest",
		Why: "a bare exit code is a claim, not evidence", Do: "record stdoutTail, stderrTail or outputDigest for every command"},
	{ID: "strict.uash-proof.output-type", Contract: "03 A", Fails: "a tail is not a string, or outputDigest is not sha256: and 64 lower-case hexadecimal characters",
		Why: "a value of another type is no output", Do: doAgain},
	{ID: "strict.uash-proof.output-blank", Contract: "03 A", Fails: "the only output evidence is white space",
		Why: "white space shows nothing of what a command did", Do: "record outputDigest, which a command without output has too"},
	{ID: "strict.uash-proof.run-id", Contract: "03 A", Fails: "runId is no identifier, or not that of the run that is verified",
		Why: "a proof of another run proves nothing about this one", Do: "write the proof again in this run"},
	{ID: "strict.uash-proof.time-order", Contract: "03 A", Fails: "a command starts after it completes, or completes after the proof was written",
		Why: "the times were not measured", Do: doAgain},
	{ID: "strict.uash-proof.secrets", Contract: "03 A", Fails: "the document discloses a secret, or something that reads as one",
		Why: "proofs are kept, copied and shown to reviewers", Do: "redact the output, write the proof again, and replace the secret if it was real"},
	{ID: "strict.uash-proof.unknown-field", Severity: verify.Warning, Contract: "03 A", Fails: "the proof has a member that its format does not know",
		Why: "nobody verifies it", Do: "leave it out, or keep it in a document of its own"},
}
