package harness

// A name is a member of a payload that the schema constrains.
type name uint8

const (
	nAccount name = iota
	nAttempt
	nAttemptID
	nBaseCommit
	nBaseHead
	nBinding
	nBlockedBy
	nBlockedDeps
	nBranch
	nCachedTokens
	nCap
	nCausalInput
	nCheckpointID
	nCmd
	nCode
	nCommand
	nCommands
	nCommitSha
	nConcurrency
	nCostUsd
	nCount
	nDependencyCheckpointIDs
	nDesc
	nElapsedSecs
	nEngineRoot
	nEngineSha
	nEventCount
	nExitCode
	nFailure
	nFailureClass
	nFailureFingerprint
	nFilesTouched
	nFindings
	nFindingsCount
	nFromSha
	nGateMode
	nGeneration
	nInputTokens
	nIntegrationHead
	nIntegrationRef
	nLandStatus
	nLastActivity
	nLeaseEpoch
	nLeaseToken
	nLogTail
	nMessage
	nModel
	nOutcome
	nOutputDigest
	nOutputTokens
	nParkCount
	nPhase
	nPid
	nPlanDigest
	nPromptPath
	nPromptSha
	nProvider
	nPushPending
	nQualityReceipt
	nReason
	nReceiptID
	nRepeatedCommands
	nReplyPath
	nRepoRoot
	nResetAt
	nResultCommit
	nRunID
	nRung
	nSeat
	nSignal
	nSlug
	nSourceDigest
	nStatus
	nStatuses
	nTail
	nTask
	nTaskContractDigest
	nTaskContracts
	nTaskCount
	nTaskHead
	nTaskID
	nTier
	nTimeoutSecs
	nToSha
	nToken
	nToolCalls
	nUnit
	nUnknown
	nUsageDelta
	nValid
	nVerdict
	nWrapper
	nameCount
)

var names = [nameCount]string{
	nAccount: "account", nAttempt: "attempt", nAttemptID: "attemptId", nBaseCommit: "baseCommit", nBaseHead: "baseHead",
	nBinding: "binding", nBlockedBy: "blockedBy", nBlockedDeps: "blockedDeps", nBranch: "branch", nCachedTokens: "cachedTokens",
	nCap: "cap", nCausalInput: "causalInput", nCheckpointID: "checkpointId", nCmd: "cmd", nCode: "code", nCommand: "command",
	nCommands: "commands", nCommitSha: "commitSha", nConcurrency: "concurrency", nCostUsd: "costUsd", nCount: "count",
	nDependencyCheckpointIDs: "dependencyCheckpointIds", nDesc: "desc", nElapsedSecs: "elapsedSecs", nEngineRoot: "engineRoot",
	nEngineSha: "engineSha", nEventCount: "eventCount", nExitCode: "exitCode", nFailure: "failure", nFailureClass: "failureClass",
	nFailureFingerprint: "failureFingerprint", nFilesTouched: "filesTouched", nFindings: "findings", nFindingsCount: "findingsCount",
	nFromSha: "fromSha", nGateMode: "gateMode", nGeneration: "generation", nInputTokens: "inputTokens",
	nIntegrationHead: "integrationHead", nIntegrationRef: "integrationRef", nLandStatus: "landStatus", nLastActivity: "lastActivity",
	nLeaseEpoch: "leaseEpoch", nLeaseToken: "leaseToken", nLogTail: "logTail", nMessage: "message", nModel: "model",
	nOutcome: "outcome", nOutputDigest: "outputDigest", nOutputTokens: "outputTokens", nParkCount: "parkCount", nPhase: "phase",
	nPid: "pid", nPlanDigest: "planDigest", nPromptPath: "promptPath", nPromptSha: "promptSha", nProvider: "provider",
	nPushPending: "pushPending", nQualityReceipt: "qualityReceipt", nReason: "reason", nReceiptID: "receiptId",
	nRepeatedCommands: "repeatedCommands", nReplyPath: "replyPath", nRepoRoot: "repoRoot", nResetAt: "resetAt",
	nResultCommit: "resultCommit", nRunID: "runId", nRung: "rung", nSeat: "seat", nSignal: "signal", nSlug: "slug",
	nSourceDigest: "sourceDigest", nStatus: "status", nStatuses: "statuses", nTail: "tail", nTask: "task",
	nTaskContractDigest: "taskContractDigest", nTaskContracts: "taskContracts", nTaskCount: "taskCount", nTaskHead: "taskHead",
	nTaskID: "taskId", nTier: "tier", nTimeoutSecs: "timeoutSecs", nToSha: "toSha", nToken: "token", nToolCalls: "toolCalls",
	nUnit: "unit", nUnknown: "unknown", nUsageDelta: "usageDelta", nValid: "valid", nVerdict: "verdict", nWrapper: "wrapper",
}
