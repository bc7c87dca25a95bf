package proof

import (
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
)

// The members each object may have (03 A, B.1 to B.6). For executionInputs,
// its argv entries and causal inputs the set is exact at both levels; for the
// others strict level refuses what is not listed. host stays open.
var (
	documentMembers  = []string{"schema", "generatedAt", "run", "host", "source", "causalInputs", "command", "execution", "outcome", "bindings"}
	runMembers       = []string{"id", "commit", "environment"}
	commandMembers   = []string{"argv", "requestedArgv", "resolution", "executionInputs"}
	inputsMembers    = []string{"schema", "passedEnvironmentNames", "opaqueArgv", "stability", "causalIdentityEligible", "allowlistedEnvironmentSha256"}
	causalMembers    = []string{"path", "beforeSha256", "afterSha256"}
	executionMembers = []string{"shell", "mode", "timeoutMs", "repeat", "maxOutputBytes", "attempts"}
	attemptMembers   = []string{"index", "exitCode", "signal", "timedOut", "spawnError", "durationMs", "stdout", "stderr"}
	streamMembers    = []string{"text", "sha256", "observedBytes", "persistedBytes", "truncated"}
	sourceMembers    = []string{"gitHead", "targetPath", "gitTreeSha256", "beforeSha256", "afterSha256", "dirtyBefore", "dirtyAfter", "stable",
		"applicationBeforeSha256", "applicationAfterSha256", "applicationStable", "validatorSha256"}
	outcomeMembers  = []string{"status", "flaky", "successful"}
	bindingsMembers = []string{"commandSha256", "executionInputsSha256", "outputSha256", "causalInputsSha256", "runSha256", "commitSha256",
		"environmentSha256", "environmentSnapshotSha256", "sourceSha256", "envelopeSha256"}

	uashMembers        = []string{"schema", "generatedAt", "runId", "status", "summary", "commands"}
	uashCommandMembers = []string{"command", "exitCode", "startedAt", "completedAt", "stdoutTail", "stderrTail", "outputDigest"}
)

// exactly reports whether v is an object that has these members and no other.
func exactly(v canon.Value, names []string) bool {
	if !v.IsObject() || v.Len() != len(names) {
		return false
	}
	for _, name := range names {
		if !v.Has(name) {
			return false
		}
	}
	return true
}

// difference says in which members an object departs from an exact set.
func difference(v canon.Value, names []string) string {
	var parts []string
	for _, name := range names {
		if !v.Has(name) {
			parts = append(parts, "no "+name)
		}
	}
	const most = 3
	extra := 0
	for _, m := range v.Members() {
		if slices.Contains(names, m.Name) {
			continue
		}
		if extra++; extra <= most {
			parts = append(parts, "also "+verify.Quote(m.Name))
		}
	}
	if extra > most {
		parts = append(parts, "and more")
	}
	return strings.Join(parts, ", ")
}
