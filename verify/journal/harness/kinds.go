package harness

import (
	"math"
	"slices"

	"finishline/canon"
)

// A kind is a kind of record, one of the 42 of contract 20, section 4.1. The
// zero kind is none of them.
type kind uint8

const (
	noKind kind = iota
	planStart
	planEnd
	planError
	taskStart
	taskEnd
	taskCheckpoint
	runOpen
	engineMigrated
	runComplete
	runIncomplete
	runFailed
	runInterrupted
	qualityPassed
	integrationIntent
	integrationApplied
	integrationRecovered
	provisionFailed
	budgetExhausted
	dispatchAttempt
	gateAttempt
	retryAttempt
	retryStopLoss
	rateLimitParked
	rateLimitHeartbeat
	rateLimitWoken
	reviewAttempt
	reviewVerdict
	reviewRevise
	reviewSkipped
	qualityGreen
	verifyPassed
	verifyFailed
	verifyRetry
	replyUnmarked
	fixRung
	quarantine
	supervisionRegistered
	attemptPrompt
	attemptReply
	attemptUsage
	attemptHeartbeat
	attemptActivity
	kindCount
)

// A shape is what the schema says about the value of a member.
type shape uint8

const (
	text       shape = iota // a string that is not empty
	anyText                 // any string
	textOrNull              // any string, or null
	integer                 // an integer of at least field.least
	amount                  // a number of at least 0
	boolean
	object      // any object
	textMap     // an object whose values are strings
	textList    // an array of strings
	textLists   // an array of arrays of strings
	choice      // one of field.words
	form        // a string that field.form accepts
	findingList // the findings of a review
	commandList // the commands of a verification
	usageDelta  // tokens and cost since the last heartbeat
)

// A field is a member and what the schema demands of it.
type field struct {
	name     name
	shape    shape
	required bool
	least    int64
	words    []string
	form     func([]byte) bool
	expected string // of form, for messages
}

const anyInteger = math.MinInt64

func must(n name, s shape) field         { return field{name: n, shape: s, required: true} }
func may(n name, s shape) field          { return field{name: n, shape: s} }
func count(n name, least int64) field    { return field{name: n, shape: integer, least: least} }
func word(n name, words ...string) field { return field{name: n, shape: choice, words: words} }
func required(f field) field             { f.required = true; return f }
func pattern(n name, expected string, accepts func([]byte) bool) field {
	return field{name: n, shape: form, form: accepts, expected: expected}
}

// A kindSpec is the definition of a kind. Fields are in the order in which
// writers commonly have them, which makes looking them up fast; no rule depends
// on it.
type kindSpec struct {
	name     string
	fields   []field
	required uint32 // a bit for every required field
	at       [nameCount]int8
	// quality says that the kind carries the quality identity.
	quality bool
}

// identity are the members of the quality identity.
func identity(more ...field) []field {
	return append([]field{
		must(nTask, text), must(nTaskID, text), must(nPhase, text), must(nBinding, text), must(nRunID, text),
		must(nFailureClass, text), must(nFailureFingerprint, text), must(nBaseHead, text), must(nTaskHead, text),
		may(nAccount, text), may(nSeat, text),
	}, more...)
}

var integrationFields = []field{
	must(nTaskID, text), must(nPlanDigest, text), must(nTaskContractDigest, text), must(nQualityReceipt, text), must(nBaseCommit, text), must(nResultCommit, text),
}

var outputDigest = pattern(nOutputDigest, "16 lower-case hexadecimal digits", isHex16)

// kinds is the member table of contract 20, section 4.1. A test holds it to the
// JSON Schema.
var kinds = [kindCount]kindSpec{
	planStart: {name: "plan-start", fields: []field{
		may(nSlug, text), may(nRunID, text), count(nTaskCount, 0), may(nGateMode, anyText), may(nBranch, anyText), count(nConcurrency, 1)}},
	planEnd: {name: "plan-end", fields: []field{
		may(nLandStatus, anyText), may(nIntegrationHead, anyText), may(nPushPending, boolean), may(nStatuses, textMap)}},
	planError: {name: "plan-error", fields: []field{must(nMessage, text)}},
	taskStart: {name: "task-start", fields: []field{must(nTaskID, text), may(nDesc, anyText), may(nSeat, anyText), may(nTier, anyText)}},
	taskEnd: {name: "task-end", fields: []field{
		must(nTaskID, text), must(nStatus, text), may(nCommitSha, textOrNull), may(nFailure, object), may(nBlockedDeps, textList), may(nBlockedBy, anyText)}},
	taskCheckpoint: {name: "task.checkpoint", fields: []field{
		must(nCheckpointID, text), must(nPlanDigest, text), must(nTaskID, text), must(nTaskContractDigest, text), must(nDependencyCheckpointIDs, textList),
		must(nBaseCommit, text), must(nResultCommit, text), must(nQualityReceipt, text), must(nLeaseToken, text), required(count(nLeaseEpoch, 1))}},
	runOpen: {name: "run.open", fields: []field{
		may(nRepoRoot, text), may(nBaseCommit, text), may(nIntegrationRef, text), may(nPlanDigest, text), may(nSourceDigest, text),
		may(nTaskContracts, textMap), may(nEngineSha, text), may(nEngineRoot, text)}},
	engineMigrated: {name: "engine.migrated", fields: []field{must(nFromSha, text), must(nToSha, text), may(nEngineRoot, text)}},
	runComplete:    {name: "run.complete", fields: []field{may(nStatus, anyText), may(nLandStatus, anyText), may(nIntegrationHead, anyText)}},
	runIncomplete:  {name: "run.incomplete", fields: []field{may(nStatus, anyText), may(nLandStatus, anyText), may(nIntegrationHead, anyText)}},
	runFailed: {name: "run.failed", fields: []field{
		may(nStatus, anyText), may(nFailureClass, anyText), may(nMessage, anyText), may(nReason, anyText)}},
	runInterrupted:       {name: "run.interrupted", fields: []field{required(word(nStatus, "incomplete")), must(nSignal, text)}},
	qualityPassed:        {name: "quality.passed", fields: []field{must(nReceiptID, text), must(nTaskID, text)}},
	integrationIntent:    {name: "integration.intent", fields: integrationFields},
	integrationApplied:   {name: "integration.applied", fields: integrationFields},
	integrationRecovered: {name: "integration.recovered", fields: []field{must(nTaskID, text), must(nResultCommit, text)}},
	provisionFailed: {name: "provision.failed", fields: []field{
		must(nTaskID, text), must(nCmd, textOrNull), required(count(nExitCode, anyInteger)), must(nLogTail, textOrNull)}},
	budgetExhausted:    {name: "budget.exhausted", fields: []field{must(nTask, text), required(count(nCount, 0)), required(count(nCap, 1))}},
	dispatchAttempt:    {name: "dispatch.attempt", quality: true, fields: identity()},
	gateAttempt:        {name: "gate.attempt", quality: true, fields: identity(outputDigest)},
	retryAttempt:       {name: "retry.attempt", quality: true, fields: identity(required(word(nOutcome, "failed", "succeeded")), outputDigest)},
	retryStopLoss:      {name: "retry.stop-loss", quality: true, fields: identity()},
	rateLimitParked:    {name: "rate-limit.parked", quality: true, fields: identity(count(nParkCount, 1), may(nResetAt, text), may(nProvider, anyText))},
	rateLimitHeartbeat: {name: "rate-limit.heartbeat", quality: true, fields: identity()},
	rateLimitWoken:     {name: "rate-limit.woken", quality: true, fields: identity()},
	reviewAttempt:      {name: "review.attempt", fields: []field{must(nTask, text), must(nPhase, text), must(nBinding, text)}},
	reviewVerdict: {name: "review.verdict", fields: []field{
		must(nTask, text), must(nPhase, text), must(nBinding, text), required(word(nVerdict, "PASS", "FAIL")), must(nFindings, findingList)}},
	reviewRevise:  {name: "review.revise", fields: []field{must(nTask, text), required(count(nAttempt, 1)), required(count(nFindingsCount, 0))}},
	reviewSkipped: {name: "review.skipped", fields: []field{must(nTask, text), must(nPhase, text), must(nReason, text)}},
	qualityGreen:  {name: "quality.green", fields: []field{must(nTask, text), must(nPhase, text)}},
	verifyPassed:  {name: "verify.passed", fields: []field{must(nTask, text), must(nPhase, text), must(nCommands, commandList)}},
	verifyFailed: {name: "verify.failed", fields: []field{
		must(nTask, text), must(nPhase, text), must(nCommand, text), required(count(nCode, anyInteger)), may(nTail, anyText)}},
	verifyRetry:   {name: "verify.retry", fields: []field{must(nTask, text), required(count(nAttempt, 1)), required(count(nCode, anyInteger))}},
	replyUnmarked: {name: "reply.unmarked", fields: []field{must(nTask, text), must(nPhase, text), may(nBinding, text)}},
	fixRung: {name: "fix.rung", fields: []field{
		must(nTask, text), must(nPhase, text), required(word(nRung, "dependency-repair", "fixer", "stronger-fixer")), must(nBinding, text)}},
	quarantine: {name: "quarantine", fields: []field{must(nPhase, text), must(nReason, text)}},
	supervisionRegistered: {name: "supervision.registered", fields: []field{
		required(count(nGeneration, 1)), required(pattern(nToken, "1 to 128 letters, digits and . _ -", isToken)),
		required(pattern(nUnit, "harness-run@NAME.service", isUnit))}},
	attemptPrompt: {name: "attempt.prompt", fields: []field{
		must(nAttemptID, text), must(nTask, text), must(nPhase, text), must(nSeat, text), must(nModel, anyText), must(nWrapper, text),
		required(count(nTimeoutSecs, 1)), must(nPromptPath, text), required(pattern(nPromptSha, "64 lower-case hexadecimal digits", isHex64)),
		must(nCausalInput, text), may(nAccount, text)}},
	attemptReply: {name: "attempt.reply", fields: []field{
		must(nAttemptID, text), must(nValid, boolean), word(nVerdict, "PASS", "FAIL"), must(nReplyPath, text), may(nAccount, text)}},
	attemptUsage: {name: "attempt.usage", fields: []field{
		must(nAttemptID, text), may(nUnknown, boolean), count(nInputTokens, 0), count(nOutputTokens, 0), count(nCachedTokens, 0),
		may(nCostUsd, amount), must(nModel, anyText)}},
	attemptHeartbeat: {name: "attempt.heartbeat", fields: []field{
		must(nAttemptID, text), required(count(nPid, 0)), required(count(nElapsedSecs, 0)), required(count(nTimeoutSecs, 1)),
		required(count(nEventCount, 0)), must(nLastActivity, anyText), may(nUsageDelta, usageDelta)}},
	attemptActivity: {name: "attempt.activity", fields: []field{
		must(nAttemptID, text), required(count(nToolCalls, 0)), must(nFilesTouched, textList), must(nRepeatedCommands, textLists), must(nFailureFingerprint, text)}},
}

var kindByName = indexKinds()

// indexKinds completes the table.
func indexKinds() map[string]kind {
	index := make(map[string]kind, kindCount)
	for k := range kinds {
		spec := &kinds[k]
		for i := range spec.at {
			spec.at[i] = -1
		}
		for i, f := range spec.fields {
			spec.at[f.name] = int8(i)
			if f.required {
				spec.required |= 1 << i
			}
		}
		if spec.name != "" {
			index[spec.name] = kind(k)
		}
	}
	return index
}

// find gives the field of a member name. hint is where it probably is: writers
// keep one order.
func (s *kindSpec) find(raw []byte, hint int) int {
	if hint < len(s.fields) && string(raw) == names[s.fields[hint].name] {
		return hint
	}
	for i := range s.fields {
		if string(raw) == names[s.fields[i].name] {
			return i
		}
	}
	return -1
}

func isHex16(b []byte) bool { return canon.IsLowerHex(b, 16) }
func isHex64(b []byte) bool { return canon.IsLowerHex(b, 64) }

func isToken(b []byte) bool {
	return len(b) >= 1 && len(b) <= 128 && !slices.ContainsFunc(b, func(c byte) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '.' && c != '_' && c != '-'
	})
}

func isUnit(b []byte) bool {
	const before, after = "harness-run@", ".service"
	if len(b) < len(before)+len(after) || string(b[:len(before)]) != before || string(b[len(b)-len(after):]) != after {
		return false
	}
	return isToken(b[len(before) : len(b)-len(after)])
}
