package starter

import (
	"fmt"
	"strings"

	"finishline/verify/gate/skill"
)

// A skillText is a skill in words of our own.
type skillText struct {
	name    string
	display string
	short   string // 25 to 64 characters (09b §4.2)
	what    string // the description in the front matter, one line
	// primaryFor and triggers say when the skill is the one to take.
	primaryFor, triggers []string
	redZone              []string // of workflow skills
	// system, inputs and outputs are those of a lifecycle skill.
	system          string
	inputs, outputs []string
}

// workflowSkills are the eight of a run's phases.
var workflowSkills = []skillText{
	{name: skill.IntakeRoute, display: "Intake and route", short: "Turn a request into an intake and a route",
		what:       "Take a request in, classify it, and route it to the skills and gates that it needs",
		primaryFor: []string{"every request, before any other work"}, triggers: []string{"new request", "route", "what does this need"}},
	{name: "valdris-bug-rca", display: "Bug and root cause", short: "Find the cause of a fault before mending it",
		what:       "Reproduce a fault, prove its cause, mend it, and show that the mending is what helped",
		primaryFor: []string{"bugs, regressions and incidents"}, triggers: []string{"bug", "regression", "incident"}, redZone: []string{"data repair in production"}},
	{name: "valdris-feature-delivery", display: "Feature delivery", short: "Deliver a feature together with its evidence",
		what:       "Build what was asked for within the agreed bounds, with tests that show it",
		primaryFor: []string{"features"}, triggers: []string{"feature", "build", "add"}},
	{name: "valdris-architecture-refactor", display: "Architecture and refactoring", short: "Change the structure and keep the behaviour",
		what:       "Change structure in steps that each keep the behaviour, and show that they do",
		primaryFor: []string{"architecture and refactoring"}, triggers: []string{"refactor", "architecture", "split"}},
	{name: "valdris-security-audit", display: "Security audit", short: "Look for weaknesses and show what was found",
		what:       "Look for weaknesses, rate what was found, and show that each mending closes its weakness",
		primaryFor: []string{"security work and audits"}, triggers: []string{"security", "audit", "vulnerability"}, redZone: []string{"secrets", "access rights"}},
	{name: "valdris-platform-release", display: "Platform and release", short: "Take a release to the place where it runs",
		what:       "Release and operate with approval, health checks and a way back",
		primaryFor: []string{"releases, platform and operations"}, triggers: []string{"release", "deploy", "operate"}, redZone: []string{"production", "signing", "billing"}},
	{name: "valdris-genai-assurance", display: "AI assurance", short: "Show that the behaviour of an AI is good enough",
		what:       "Evaluate AI behaviour against agreed cases, data rules and limits before it reaches people",
		primaryFor: []string{"AI workloads"}, triggers: []string{"model", "prompt", "evaluation"}, redZone: []string{"consequential decisions"}},
	{name: skill.ProofHandoff, display: "Proof and hand-off", short: "Collect the proof and hand it to a reviewer",
		what:       "Run the proof, have the evidence bundle reviewed and signed, and close the run with its packet",
		primaryFor: []string{"the end of every run"}, triggers: []string{"proof", "hand off", "finish"}},
}

// lifecycleSkills are the seven, in order.
var lifecycleSkills = []skillText{
	{name: "valdris-commission", display: "Commission", short: "Bring the pack into a repository and pin trust", system: "commissioning",
		what:   "Bring the pack into a repository, enrol reviewers, and have the operator pin the trust store",
		inputs: []string{"repository", "reviewers' public keys"}, outputs: []string{"committed pack", "pinned trust store"},
		triggers: []string{"commission", "install", "trust store"}},
	{name: skill.RouteGoal, display: "Route and goal", short: "Fix the route of a request and the goal of it", system: "route and goal",
		what:   "Write intake, classification, route and goal of a run, each bound to the one before",
		inputs: []string{"request"}, outputs: []string{"route", "goal"}, triggers: []string{"goal", "route", "stopping condition"}},
	{name: "valdris-assure", display: "Assure", short: "Assess what the classification says is needed", system: "assurance",
		what:   "Fill in the assessments that the classification requires, each control with evidence",
		inputs: []string{"classification", "route"}, outputs: []string{"assessments"}, triggers: []string{"assessment", "control", "readiness"}},
	{name: "valdris-connect-runtime", display: "Connect the runtime", short: "Let the agents' runtime report to the bridge", system: "runtime",
		what:   "Connect the runtime of the agents, so that events and artifacts of a run are recorded as they happen",
		inputs: []string{"project adapter"}, outputs: []string{"recorded run"}, triggers: []string{"runtime", "bridge", "event"}},
	{name: "valdris-execute-workflow", display: "Execute the workflow", short: "Work through the route within its budget", system: "workflow",
		what:   "Do the work of the route within its budget and boundaries, and keep the trace of it",
		inputs: []string{"route", "goal"}, outputs: []string{"change", "trajectory"}, triggers: []string{"execute", "attempt", "budget"}},
	{name: "valdris-prove-govern", display: "Prove and govern", short: "Prove the work and have it accepted by review", system: "proof and review",
		what:   "Prove the change, have it reviewed by someone who had no part in it, and close the run",
		inputs: []string{"change", "evidence"}, outputs: []string{"proof", "signed review", "packet"}, triggers: []string{"prove", "review", "packet"}},
	{name: "valdris-trust-improve", display: "Trust and improve", short: "Rotate trust and learn from runs that closed", system: "trust and learning",
		what:   "Rotate and revoke reviewers' keys, look back at closed runs, and improve the pack",
		inputs: []string{"closed runs"}, outputs: []string{"new trust store", "changes to the pack"}, triggers: []string{"rotate", "revoke", "retrospective"}},
}

// document is the skill file.
func (s skillText) document() string {
	return fmt.Sprintf("---\nname: %s\ndescription: \"%s\"\n---\n\n# %s\n\n%s.\n\nTake this skill for: %s.\n\n"+
		"What finishline writes and verifies for it is told by `finishline --help`; `finishline explain RULE` tells why something is refused.\n",
		s.name, s.what, s.display, s.what, strings.Join(s.takenFor(), "; "))
}

// takenFor is what the skill is the first choice for.
func (s skillText) takenFor() []string {
	if s.system != "" {
		return []string{s.system}
	}
	return s.primaryFor
}

// agent is the agent file beside it.
func (s skillText) agent() string {
	return fmt.Sprintf("interface:\n  display_name: \"%s\"\n  short_description: \"%s\"\n  default_prompt: \"Use $%s for this.\"\npolicy:\n  allow_implicit_invocation: true\n",
		s.display, s.short, s.name)
}
