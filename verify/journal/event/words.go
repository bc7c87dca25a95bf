package event

import "slices"

// ContractVersion names the contract, as configurations and snapshots state it.
const ContractVersion = "uash.connector-events.v0.5"

// Bounds of an event (13 §3).
const (
	MaxBytes   = 16384 // UTF-8 bytes of the compact text, the artifact claim included
	MaxIDUnits = 512   // UTF-16 code units of id
)

// Event types that mean something to a run beyond being recorded (13 §1, §6).
const (
	ArtifactWritten   = "artifact.written"
	ApprovalRequested = "approval.requested"
	ApprovalGranted   = "approval.granted"
	ApprovalDenied    = "approval.denied"
	NodeSkipped       = "node.skipped"
	NodeFailed        = "node.failed"
	RunBlocked        = "run.blocked"
	RunCompleted      = "run.completed"
	SelfHealDetected  = "self_heal.detected"
	SelfHealOpened    = "self_heal.pr_opened"
	SelfHealProposed  = "self_heal.pr_proposed"
)

// Nodes with rules of their own.
const (
	NodeProve      = "prove"
	NodeHandoff    = "handoff"
	NodeRedzone    = "redzone"
	NodeProduction = "production-readiness"
)

// A Node is one step of the flow, with the artifact it leaves unless an adapter
// names another.
type Node struct{ ID, Artifact, Label string }

// nodes in flow order (13 §1).
var nodes = []Node{
	{"intake", "run/intake.json", "Intake"},
	{"route", "run/route.json", "Route"},
	{"code-intelligence", "graph/graph.json", "GitNexus"},
	{"design-anchors", "design/anchors.json", "Code Anchors"},
	{"system-design", "design/system_design.md", "System Design"},
	{NodeProduction, "production/layer-assessment.json", "Production Layers"},
	{"cloud-platform", "cloud/service-map.json", "Cloud / Platform"},
	{"implement", "session/events.jsonl", "Implement"},
	{NodeRedzone, "approvals/redzone.json", "Red Zone"},
	{"qa-break-it", "qa/break-it-results.md", "Break-it QA"},
	{NodeProve, "proof/proof.json", "Proof Gate"},
	{"live-smoke", "smoke/smoke_proof.json", "Live Smoke"},
	{"self-heal", "self_heal/self_heal_report.md", "Self-Heal"},
	{NodeHandoff, "handoff/final.md", "Handoff"},
}

// Nodes returns the fourteen nodes in flow order.
func Nodes() []Node { return slices.Clone(nodes) }

// NodeOf returns the node of that id.
func NodeOf(id string) (Node, bool) {
	i := slices.IndexFunc(nodes, func(n Node) bool { return n.ID == id })
	if i < 0 {
		return Node{}, false
	}
	return nodes[i], true
}

var (
	types = []string{
		"run.created", "run.mode_set", "agent.connected", "node.entered", NodeSkipped, NodeFailed, "gate.fired", ArtifactWritten,
		ApprovalRequested, ApprovalGranted, ApprovalDenied, RunBlocked, RunCompleted, SelfHealDetected, SelfHealOpened, SelfHealProposed,
	}
	actors     = []string{"claude-code", "codex", "hermes", "harness", "human", "system"}
	statuses   = []string{"ok", "warn", "blocked", "skipped", "failed", "needs_approval", "passed"}
	modes      = []string{"blueprint", "live", "replay"}
	sources    = []string{"bridge", "mcp", "api", "watched-artifact", "local-jsonl", "database", "run-packet", "static-blueprint", "browser-local"}
	nodeStates = []string{"passed", "active", "failed", "skipped", "pending", "needs_approval"}
)

// Members are the members of a stored event in the order in which a bridge
// writes them; the last is added by the bridge itself (13 §2).
var members = []string{
	"id", "type", "ts", "at", "actor", "nodeId", "artifact", "artifactRoot", "message", "status", "runMode", "eventSource", "nodeState",
	"skipReason", "failureReason", "recoveryPath", "approvalOwner", "approvalScope", "selfHealPrUrl", "adapterPath", "artifactVerification",
}

// Members returns the names of the members of a stored event, in the order in
// which a bridge writes them.
func Members() []string { return slices.Clone(members) }

// IsMember reports whether a stored event has a member of that name.
func IsMember(name string) bool { return slices.Contains(members, name) }
