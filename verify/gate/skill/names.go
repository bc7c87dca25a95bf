package skill

// Phases of a run, in order (contract 09a, section 4).
const (
	PhaseIntake   = "intake-route"
	PhaseDelivery = "delivery"
	PhaseHandoff  = "proof-handoff"
)

// Phases lists the phases of a run in their order.
var Phases = []string{PhaseIntake, PhaseDelivery, PhaseHandoff}

// Skills that the format itself refers to.
const (
	IntakeRoute  = "valdris-intake-route"
	ProofHandoff = "valdris-proof-handoff"
	RouteGoal    = "valdris-route-goal"
	Harness      = "valdris-sdlc-harness"
)

// Primary lists the skills that every registry holds (contract 09b, section
// 4.2).
var Primary = []string{
	IntakeRoute, "valdris-bug-rca", "valdris-feature-delivery", "valdris-architecture-refactor",
	"valdris-security-audit", "valdris-platform-release", "valdris-genai-assurance", ProofHandoff,
}

// Lifecycle lists the lifecycle skills in their order.
var Lifecycle = []string{
	"valdris-commission", RouteGoal, "valdris-assure", "valdris-connect-runtime",
	"valdris-execute-workflow", "valdris-prove-govern", "valdris-trust-improve",
}
