package hux

// A kind is one of the 32 kinds of event (contract 21 §2). The zero kind is
// none of them.
type kind uint8

const (
	noKind kind = iota
	messageUser
	messageAssistant
	decisionRoute
	decisionPlan
	toolCall
	toolResult
	approvalRequested
	approvalResolved
	memoryProposed
	memoryCommitted
	memoryForgotten
	artifactCreated
	artifactVersion
	artifactPromoted
	citationAttached
	modeChanged
	runStarted
	runCancelled
	runCompleted
	runFailed
	privacyNotice
	suggestionShown
	suggestionDismissed
	releaseTransition
	delegationStarted
	delegationCompleted
	delegationFailed
	memorySuppressed
	memoryRetrievalRemoved
	budgetExhausted
	sideEffectBlocked
	sideEffectReleased
	kindCount
)

var kindNames = [kindCount]string{
	messageUser: "message.user", messageAssistant: "message.assistant",
	decisionRoute: "decision.route", decisionPlan: "decision.plan",
	toolCall: "tool.call", toolResult: "tool.result",
	approvalRequested: "approval.requested", approvalResolved: "approval.resolved",
	memoryProposed: "memory.proposed", memoryCommitted: "memory.committed", memoryForgotten: "memory.forgotten",
	artifactCreated: "artifact.created", artifactVersion: "artifact.version", artifactPromoted: "artifact.promoted",
	citationAttached: "citation.attached", modeChanged: "mode.changed",
	runStarted: "run.started", runCancelled: "run.cancelled", runCompleted: "run.completed", runFailed: "run.failed",
	privacyNotice: "privacy.notice", suggestionShown: "suggestion.shown", suggestionDismissed: "suggestion.dismissed",
	releaseTransition: "release.transition",
	delegationStarted: "delegation.started", delegationCompleted: "delegation.completed", delegationFailed: "delegation.failed",
	memorySuppressed: "memory.suppressed", memoryRetrievalRemoved: "memory.retrieval_removed",
	budgetExhausted: "budget.exhausted", sideEffectBlocked: "side_effect.blocked", sideEffectReleased: "side_effect.released",
}

func (k kind) String() string { return kindNames[k] }

var kindsByName = func() map[string]kind {
	byName := make(map[string]kind, kindCount)
	for k := noKind + 1; k < kindCount; k++ {
		byName[kindNames[k]] = k
	}
	return byName
}()

// A family is one that pairs an opening kind with closing kinds (§5).
type family uint8

const (
	noFamily family = iota
	approvalFamily
	toolFamily
	delegationFamily
	effectFamily
	suggestionFamily
	familyCount
)

// A pairing is a row of the table of families in §5. An empty rule is a dash
// there.
type pairing struct {
	name     string // of what is opened, for messages
	unpaired string
	twice    string
	leftOpen string
}

var pairings = [familyCount]pairing{
	approvalFamily:   {"approval request", "hux.approval.unrequested", "hux.approval.double-resolved", "hux.approval.left-open"},
	toolFamily:       {"tool call", "hux.tool.result-unmatched", "hux.tool.result-duplicate", "hux.tool.left-open"},
	delegationFamily: {"delegation", "hux.delegation.unstarted", "hux.delegation.double-end", "hux.delegation.left-open"},
	effectFamily:     {"blocked side effect", "hux.side-effect.unblocked", "hux.side-effect.double-release", ""},
	suggestionFamily: {"suggestion", "hux.suggestion.unshown", "", ""},
}

// opens and closes give the family that a kind opens or closes, if any.
var opens = [kindCount]family{
	approvalRequested: approvalFamily, toolCall: toolFamily, delegationStarted: delegationFamily,
	sideEffectBlocked: effectFamily, suggestionShown: suggestionFamily,
}

var closes = [kindCount]family{
	approvalResolved: approvalFamily, toolResult: toolFamily, delegationCompleted: delegationFamily, delegationFailed: delegationFamily,
	sideEffectReleased: effectFamily, suggestionDismissed: suggestionFamily,
}

// subjects names the member of detail that says what an event is about.
var subjects = [kindCount]string{
	memoryProposed: "memory_id", memoryCommitted: "memory_id", memoryForgotten: "memory_id",
	memorySuppressed: "memory_id", memoryRetrievalRemoved: "memory_id",
	artifactCreated: "artifact_id", artifactVersion: "artifact_id", artifactPromoted: "artifact_id",
	approvalRequested: "approval_id", approvalResolved: "approval_id",
	toolCall: "call_id", toolResult: "call_id",
	delegationStarted: "delegation_id", delegationCompleted: "delegation_id", delegationFailed: "delegation_id",
	sideEffectBlocked: "effect_id", sideEffectReleased: "effect_id",
	suggestionShown: "suggestion_id", suggestionDismissed: "suggestion_id",
}

// isRun reports whether a kind is a run.* event, and ends whether it ends one.
func (k kind) isRun() bool { return k == runStarted || k.endsRun() }

func (k kind) endsRun() bool { return k == runCancelled || k == runCompleted || k == runFailed }
