package store

import (
	"slices"

	"finishline/verify"
	"finishline/verify/journal/event"
)

// Table holds the rules of the bridge's store (contract 11). What is found in
// events is told under the ids of package event, as causes and as warnings.
var Table = verify.NewTable("bridge-store", slices.Concat(startRules, directoryRules, configRules, snapshotRules, journalRules, observedRules,
	artifactRules, completeRules, strictRules), event.Table)

const (
	whySeal   = "whoever has no key must not be able to write a file that counts"
	doRestore = "restore the run directory as the bridge left it, from a copy that verifies"
	whyFile   = "only a plain file of bounded size is ever opened"
	doFile    = "find out what put this there, and restore the file"
	whyBind   = "the snapshot must follow from the journal, or two readers see two runs"
	whyChain  = "each record names the one before it, so that none can be moved, dropped or put in between"
	whyClaim  = "a claim that the bridge did not seal completely proves nothing about the file"
	doClaim   = "let the bridge verify and seal the artifact"
	doJournal = "compare the line with a copy; what comes after it counts for nothing"
	doKey     = "check that this is the key of this bridge; if other runs verify with it, this file was altered"
)

var startRules = []verify.Rule{
	{ID: "bridge.key.too-short", Contract: "11 §4.1", Fails: "the integrity key is shorter than 32 bytes", Why: "no bridge seals with such a key, so it cannot be the right one", Do: "give the key exactly as the bridge had it, without trimming or decoding it"},
	{ID: "bridge.pin.malformed", Contract: "11 §4.1", Fails: "the operator's pin is not 64 hexadecimal digits", Why: "a pin that cannot be compared pins nothing", Do: "set the pin that finishline trust pin prints, or none"},
	{ID: "bridge.key.mismatch-suspected", Severity: verify.Warning, Contract: "11 §8", Fails: "every keyed hash differs, in every run, while everything else holds", Why: "that is what another key looks like, rather than tampering", Do: "look for the key under which this bridge ran; the format has no way to change keys"},
}

var directoryRules = []verify.Rule{
	{ID: "datadir.legacy-name", Contract: "11 §4.2", Fails: "a run directory is not named run- and 64 lower-case hexadecimal digits", Why: "older layouts were not sealed, and one of them beside sealed runs would pass for one", Do: "archive unsigned runs elsewhere"},
	{ID: "datadir.no-identity", Contract: "11 §4.2", Fails: "neither configuration nor snapshot holds", Why: "nothing tells which run this is", Do: doRestore},
	{ID: "datadir.identity-disagree", Contract: "11 §4.2", Fails: "configuration and snapshot are of different runs", Why: "files of two runs were mixed", Do: doRestore},
	{ID: "datadir.key-mismatch", Contract: "11 §4.2", Fails: "the directory is not named after its run id", Why: "the run would be found under another name, or was moved in place of one", Do: "move the directory back to the name that its run id gives"},
	{ID: "runconfig.missing", Contract: "11 §4.2", Fails: "there is a snapshot without a configuration", Why: "the root and the trust pin of the run are sealed there", Do: doRestore},
	{ID: "snapshot.missing", Contract: "11 §4.2", Fails: "there is a journal with records without a snapshot", Why: "a bridge writes the snapshot first", Do: doRestore},
	{ID: "snapshot.orphan-config", Severity: verify.Warning, Contract: "11 §4.2", Fails: "there is a configuration alone: creation was interrupted", Why: "the run does not exist yet", Do: "create the run again; the bridge adopts the configuration"},
	{ID: "datadir.too-many-entries", Severity: verify.Warning, Contract: "11 §2.1", Fails: "the data directory has more than 10000 entries", Why: "a bridge lists no more than that", Do: "archive old runs"},
}

var configRules = []verify.Rule{
	{ID: "runconfig.file.not-regular", Contract: "11 §4.3", Fails: "run-config.json is not a regular file", Why: whyFile, Do: doFile},
	{ID: "runconfig.file.too-large", Contract: "11 §4.3", Fails: "run-config.json is larger than 524288 bytes", Why: whyFile, Do: doFile},
	{ID: "runconfig.json.invalid", Contract: "11 §4.3", Fails: "run-config.json is no JSON object", Why: "nothing in it can be looked at", Do: doRestore},
	{ID: "runconfig.integrity.scheme", Contract: "11 §4.3", Fails: "integrity.scheme of the configuration is not hmac-sha256", Why: whySeal, Do: doRestore},
	{ID: "runconfig.integrity.digest-format", Contract: "11 §4.3", Fails: "integrity.digest of the configuration is not 64 hexadecimal digits", Why: whySeal, Do: doRestore},
	{ID: "runconfig.integrity.mac-mismatch", Contract: "11 §4.3", Fails: "the configuration is not sealed under this key", Why: whySeal, Do: doKey},
	{ID: "runconfig.run-id.invalid", Contract: "11 §4.3", Fails: "the sealed runId is no run id", Why: "the directory is named after it", Do: doRestore},
	{ID: "runconfig.snapshot-mismatch", Contract: "11 §4.3", Fails: "the configuration says other things than the snapshot", Why: "root, adapter and trust pin are fixed when the run begins", Do: doRestore},
	{ID: "runconfig.pin-mismatch", Contract: "11 §4.3", Fails: "the run was created under another trust pin than the operator's", Why: "its reviews were judged by other keys", Do: "verify with the pin of that time if you trust it, or do not count the run"},
	{ID: "runconfig.first-event-seal-recovered", Severity: verify.Warning, Contract: "11 §4.3", Fails: "the configuration binds more than the snapshot knows: the first event was interrupted", Why: "a crash at this point loses nothing", Do: "nothing; the bridge completes the snapshot when it opens the run"},
	{ID: "runconfig.root.not-evaluated", Severity: verify.Warning, Contract: "11 §4.3", Fails: "a path of the snapshot cannot be compared on this machine", Why: "a relative path depends on where the bridge was started", Do: "compare the two paths yourself"},
}

var snapshotRules = []verify.Rule{
	{ID: "snapshot.file.not-regular", Contract: "11 §4.4", Fails: "run.json is not a regular file", Why: whyFile, Do: doFile},
	{ID: "snapshot.file.too-large", Contract: "11 §4.4", Fails: "run.json is larger than 67108864 bytes", Why: whyFile, Do: doFile},
	{ID: "snapshot.json.invalid", Contract: "11 §4.4", Fails: "run.json is no JSON object", Why: "nothing in it can be looked at", Do: doRestore},
	{ID: "snapshot.integrity.schema", Contract: "11 §4.4", Fails: "snapshotIntegrity.schema is not uash.bridge-run-snapshot.v1", Why: whySeal, Do: doRestore},
	{ID: "snapshot.integrity.scheme", Contract: "11 §4.4", Fails: "snapshotIntegrity.scheme is not hmac-sha256", Why: whySeal, Do: doRestore},
	{ID: "snapshot.integrity.event-count", Contract: "11 §4.4", Fails: "snapshotIntegrity.eventCount is no whole number, or negative", Why: whyBind, Do: doRestore},
	{ID: "snapshot.integrity.head-format", Contract: "11 §4.4", Fails: "snapshotIntegrity.journalHeadDigest is neither null nor 64 hexadecimal digits", Why: whyBind, Do: doRestore},
	{ID: "snapshot.integrity.digest-format", Contract: "11 §4.4", Fails: "snapshotIntegrity.digest is not 64 hexadecimal digits", Why: whySeal, Do: doRestore},
	{ID: "snapshot.integrity.mac-mismatch", Contract: "11 §4.4", Fails: "the snapshot is not sealed under this key", Why: whySeal, Do: doKey},
	{ID: "snapshot.run-id.invalid", Contract: "11 §4.4", Fails: "the sealed id is no run id", Why: "the directory is named after it", Do: doRestore},
	{ID: "snapshot.events.ahead", Contract: "11 §4.4", Fails: "the snapshot has more events than the journal", Why: "a bridge writes the journal first, so records were cut off", Do: "restore the journal from a copy that has all records"},
	{ID: "snapshot.events.diverge", Contract: "11 §4.4", Fails: "the snapshot has other events than the journal", Why: whyBind, Do: doRestore},
	{ID: "snapshot.binding.count-mismatch", Contract: "11 §4.4", Fails: "eventCount is not the number of the snapshot's events", Why: whyBind, Do: doRestore},
	{ID: "snapshot.binding.head-mismatch", Contract: "11 §4.4", Fails: "journalHeadDigest is not the digest of the last record the snapshot knows", Why: whyBind, Do: doRestore},
	{ID: "snapshot.status.mismatch", Contract: "11 §4.4", Fails: "the status of the snapshot does not follow from its events", Why: whyBind, Do: doRestore},
	{ID: "snapshot.behind", Severity: verify.Warning, Contract: "11 §4.4", Fails: "the snapshot has fewer events than the journal", Why: "the bridge stopped between the two writes; the journal counts", Do: "nothing; the bridge replays the rest when it opens the run"},
}

var journalRules = []verify.Rule{
	{ID: "journal.file.not-regular", Contract: "11 §4.5", Fails: "events.jsonl is not a regular file", Why: whyFile, Do: doFile},
	{ID: "journal.file.too-large", Contract: "11 §4.5", Fails: "events.jsonl is larger than the events of a run can be", Why: whyFile, Do: doFile},
	{ID: "journal.tail.torn", Severity: verify.Warning, Contract: "11 §4.5", Fails: "the journal does not end in a line feed", Why: "what follows the last one was never acknowledged, and does not count", Do: "keep a copy; the bridge cuts the rest off when it starts"},
	{ID: "journal.count.exceeded", Contract: "11 §4.5", Fails: "the journal has more records than a run may have", Why: "no bridge would have written them", Do: doJournal},
	{ID: "journal.line.too-large", Contract: "11 §4.5", Fails: "a line is longer than 17408 bytes", Why: "no bridge would have written it", Do: doJournal},
	{ID: "journal.line.json-invalid", Contract: "11 §4.5", Fails: "a line is not one JSON value", Why: "nothing in it can be looked at", Do: doJournal},
	{ID: "journal.record.shape", Contract: "11 §4.5", Fails: "a record or its event is no object", Why: "events without an envelope are unsigned", Do: doJournal},
	{ID: "journal.record.schema", Contract: "11 §4.5", Fails: "the schema of a record is not uash.bridge-event-journal.v1", Why: "another format's records mean other things", Do: doJournal},
	{ID: "journal.chain.discontinuous", Contract: "11 §4.5", Fails: "previousDigest is not the digest of the record before", Why: whyChain, Do: "look for the records that are missing, moved or repeated here"},
	{ID: "journal.integrity.scheme", Contract: "11 §4.5", Fails: "integrity.scheme of a record is not hmac-sha256-chain", Why: whySeal, Do: doJournal},
	{ID: "journal.integrity.digest-format", Contract: "11 §4.5", Fails: "integrity.digest of a record is not 64 hexadecimal digits", Why: whySeal, Do: doJournal},
	{ID: "journal.integrity.mac-mismatch", Contract: "11 §4.5", Fails: "a record is not sealed under this key, for this run, after its predecessor", Why: whySeal, Do: doKey},
	{ID: "journal.event.contract", Contract: "11 §4.5", Fails: "an event breaks the event contract", Why: "no bridge would have accepted it", Do: doJournal},
	{ID: "journal.seal.missing", Contract: "11 §4.5", Fails: "an event about an artifact has no sealed claim", Why: whyClaim, Do: doClaim},
	{ID: "journal.seal.flags", Contract: "11 §4.5", Fails: "a claim does not say that the file was checked and exists", Why: whyClaim, Do: doClaim},
	{ID: "journal.seal.paths", Contract: "11 §4.5", Fails: "a claim lacks path or realPath", Why: whyClaim, Do: doClaim},
	{ID: "journal.seal.size", Contract: "11 §4.5", Fails: "the size of a claim is no number, or negative", Why: whyClaim, Do: doClaim},
	{ID: "journal.seal.mtime", Contract: "11 §4.5", Fails: "mtimeMs of a claim is no number, or negative", Why: whyClaim, Do: doClaim},
	{ID: "journal.seal.sha256", Contract: "11 §4.5", Fails: "the digest of a claim is not 64 lower-case hexadecimal digits", Why: whyClaim, Do: doClaim},
	{ID: "journal.event.duplicate-id", Contract: "11 §4.5", Fails: "two events of a run have the same id", Why: "approvals and waivers name events by their id", Do: doJournal},
}

var observedRules = []verify.Rule{
	{ID: "journal.observed.rollback", Contract: "11 §4.6", Fails: "the journal has fewer records than were seen before", Why: "records that somebody relied on are gone", Do: "find the copy that has them; this one was cut or set back"},
	{ID: "journal.observed.fork", Contract: "11 §4.6", Fails: "the record that was the last one seen before has another digest", Why: "the history was rewritten since", Do: "compare with the copy that was seen before"},
}

var artifactRules = []verify.Rule{
	{ID: "artifact.missing", Contract: "11 §4.7", Fails: "a claimed file is not there", Why: "what was claimed can no longer be shown", Do: "restore the file as it was sealed"},
	{ID: "artifact.symlink", Contract: "11 §4.7", Fails: "a claimed file is a symbolic link", Why: "a link can lead elsewhere tomorrow", Do: "restore the file itself"},
	{ID: "artifact.not-regular", Contract: "11 §4.7", Fails: "a claimed file is no regular file", Why: "only a file has bytes that were sealed", Do: "restore the file itself"},
	{ID: "artifact.escape", Contract: "11 §4.7", Fails: "a claimed file lies outside the artifact root", Why: "what is outside the root was never part of the run", Do: "restore the directory as it was when the file was sealed"},
	{ID: "artifact.sha256-mismatch", Contract: "11 §4.7", Fails: "a claimed file has other bytes than were sealed", Why: "it was changed after the bridge saw it", Do: "restore the file as it was sealed"},
	{ID: "artifact.not-evaluated", Severity: verify.Warning, Contract: "11 §4.7", Fails: "no artifact root is known or reachable", Why: "the claimed files were not looked at", Do: "say where the files are now: --artifact-root RECORDED=DIRECTORY"},
	{ID: "commissioned.not-evaluated", Severity: verify.Warning, Contract: "11 §4.7", Fails: "the run's runtime or policy asks for a finish line that needs the run's tree", Why: "it was not looked at", Do: "run finishline verify in the tree of the run"},
}

const (
	whyComplete = "a run must not count as complete without it"
	doComplete  = "do not count the run as complete; see how it came to be sealed as that"
)

var completeRules = []verify.Rule{
	{ID: "complete.artifact.failed", Contract: "11 §4.7", Fails: "a required node of a complete run failed", Why: whyComplete, Do: doComplete},
	{ID: "complete.artifact.skipped-invariant", Contract: "11 §4.7", Fails: "a complete run skipped prove or handoff", Why: whyComplete, Do: doComplete},
	{ID: "complete.artifact.skipped-no-reason", Contract: "11 §4.7", Fails: "a complete run skipped a required node without a reason", Why: whyComplete, Do: doComplete},
	{ID: "complete.artifact.absent", Contract: "11 §4.7", Fails: "a required node of a complete run has no sealed artifact", Why: whyComplete, Do: doComplete},
	{ID: "complete.approval.unresolved", Contract: "11 §4.7", Fails: "a complete run has an approval that is pending or denied", Why: whyComplete, Do: doComplete},
	{ID: "complete.self-heal.unresolved", Contract: "11 §4.7", Fails: "a complete run has a self-heal detection without a proposal", Why: whyComplete, Do: doComplete},
	{ID: "finish.proof.invalid", Contract: "14 §2.4", Eval: verify.Wraps, Fails: "the proof of a complete run is no valid uash.proof.v1", Why: whyComplete, Do: doComplete},
	{ID: "finish.production.invalid", Contract: "14 §2.5", Eval: verify.Wraps, Fails: "the production assessment of a complete run is not valid", Why: whyComplete, Do: doComplete},
}

const (
	whyUnsealed = "the keyed hash does not cover it, so anybody may have written it"
	whySpelling = "two readers could read it differently"
	doRewrite   = "let a conforming bridge write the run; --base accepts the compatible reading"
)

var strictRules = []verify.Rule{
	{ID: "strict.utf8", Contract: "11 §9", Fails: "a state file holds bytes that are not UTF-8", Why: whySpelling, Do: doRewrite},
	{ID: "strict.bom", Contract: "11 §9", Fails: "a state file starts with a byte order mark", Why: "no reader of the format accepts it", Do: "restore the file as the bridge wrote it"},
	{ID: "strict.duplicate-key", Contract: "11 §9", Fails: "an object of a state file repeats a member", Why: "the keyed hash covers only one of the two", Do: doRewrite},
	{ID: "strict.surrogate", Contract: "11 §9", Fails: "a text of a state file holds an unpaired surrogate", Why: whySpelling, Do: doRewrite},
	{ID: "strict.line-ending", Contract: "11 §9", Fails: "the journal holds a carriage return", Why: "something rewrote the lines after they were sealed", Do: "restore the file as the bridge wrote it, without conversion of line ends"},
	{ID: "strict.blank-line", Contract: "11 §9", Fails: "the journal holds an empty line", Why: whyUnsealed, Do: doRewrite},
	{ID: "strict.journal.non-canonical", Contract: "11 §9", Fails: "a line is not the canonical text of its record", Why: whyUnsealed, Do: doRewrite},
	{ID: "strict.runconfig.non-canonical", Contract: "11 §9", Fails: "run-config.json is not the canonical text of its document", Why: whyUnsealed, Do: doRewrite},
	{ID: "strict.snapshot.non-canonical", Contract: "11 §9", Fails: "run.json is not the canonical text of its document", Why: whyUnsealed, Do: doRewrite},
	{ID: "strict.envelope-unknown-field", Contract: "11 §9", Fails: "an envelope lacks a member of the format or has another", Why: whyUnsealed, Do: doRewrite},
	{ID: "strict.event-unknown-field", Contract: "11 §9", Fails: "an event has a member that no bridge keeps", Why: "a conforming bridge drops such members", Do: doRewrite},
	{ID: "strict.snapshot.unknown-field", Contract: "11 §9", Fails: "the snapshot has a member that the format does not know", Why: "a conforming bridge writes none", Do: doRewrite},
	{ID: "strict.snapshot.events-type", Contract: "11 §9", Fails: "events of the snapshot is no array", Why: whySpelling, Do: doRewrite},
	{ID: "strict.snapshot.projection", Contract: "11 §9", Fails: "approvals or artifacts of the snapshot do not follow from its events", Why: "a key holder could seal an approval that no event backs", Do: "trust what the journal says; see who wrote the snapshot"},
	{ID: "strict.runconfig.fields", Contract: "11 §9", Fails: "the configuration does not have exactly its nine members", Why: "a conforming bridge writes no other", Do: doRewrite},
	{ID: "strict.digest-case", Contract: "11 §9", Fails: "a stored digest has upper-case digits", Why: "the next record hashes its text, so case matters", Do: doRewrite},
	{ID: "strict.genesis-null", Contract: "11 §9", Fails: "previousDigest of the first record is not a literal null", Why: whyUnsealed, Do: doRewrite},
	{ID: "strict.symlink", Contract: "11 §9", Fails: "a run directory or state file is a symbolic link", Why: "the bridge's start skips it, and it can lead elsewhere tomorrow", Do: "put the directory or file itself in place"},
	{ID: "strict.permissions", Severity: verify.Warning, Contract: "11 §9", Fails: "group or others may access a run directory or state file", Why: "the snapshot holds a digest of the approval token, and events may be confidential", Do: "chmod 700 the directory and 600 the file"},
	{ID: "strict.residue", Severity: verify.Warning, Contract: "11 §9", Fails: "a run directory holds a file that is not of the format", Why: "a crash can leave a temporary file; other files do not belong there", Do: "look at the file, then remove it while no bridge runs"},
	{ID: "lease.malformed", Contract: "11 §7.2", Hardening: true, Fails: "the lease of the data directory is no lease", Why: "no bridge starts beside it", Do: "make sure that no bridge runs, then remove the file"},
}
