package evidence

// The closed vocabularies of typed evidence (contract 07, section 2). Lookups
// are exact: no trimming, no case folding, and a name such as "constructor" is
// in no table.

// Profiles are the maturity profiles, lowest first.
var profileNames = []string{"prototype", "production", "enterprise", "regulated"}

// Names of the evidence profiles and trust tiers that code refers to.
const (
	ProfilePrototype  = "prototype"
	ProfileProduction = "production"
	ProfileEnterprise = "enterprise"
	ProfileRegulated  = "regulated"

	TrustLocal    = "automated-local"
	TrustCI       = "ci-attested"
	TrustProvider = "provider-attested"
	TrustHuman    = "human-approved"
)

// Control statuses (contract 07, section 2).
const (
	StatusPassed  = "passed"
	StatusSkipped = "skipped"
	StatusFailed  = "failed"
)

// Types of evidence (contract 07, section 2).
const (
	TypeArtifact       = "artifact"
	TypeCommand        = "command"
	TypeMetric         = "metric"
	TypeApproval       = "approval"
	TypeProviderReport = "provider-report"
)

// ProducerCI is the producer kind of a continuous integration system.
const ProducerCI = "ci"

// freshnessHours is how old evidence of a profile may be.
var freshnessHours = map[string]int64{
	ProfilePrototype:  720,
	ProfileProduction: 168,
	ProfileEnterprise: 72,
	ProfileRegulated:  24,
}

const millisPerHour = 3_600_000

// FreshnessWindow is how old evidence of a profile may be, in milliseconds. A
// profile that is not in the table counts as production, which is also the
// profile of a context that names none (contract 07, section 3).
func FreshnessWindow(profile string) int64 {
	hours, ok := freshnessHours[profile]
	if !ok {
		hours = freshnessHours[ProfileProduction]
	}
	return hours * millisPerHour
}

// IsProfile reports whether s is one of the four maturity profiles.
func IsProfile(s string) bool { _, ok := freshnessHours[s]; return ok }

// ProfileFloor is the lowest effective tier that a maturity profile allows:
// T0 to T3 (contract 07, section 2).
func ProfileFloor(profile string) (tier string, ok bool) {
	for i, p := range profileNames {
		if p == profile {
			return tierNames[i], true
		}
	}
	return "", false
}

// IsEvidenceType reports whether s is one of the five types of evidence.
func IsEvidenceType(s string) bool { _, ok := timeFields[s]; return ok }

// controlStatuses maps each status to whether it blocks.
var controlStatuses = map[string]bool{
	StatusPassed: false, StatusSkipped: false,
	"required": true, "pending": true, StatusFailed: true, "blocked": true, "needs_approval": true,
}

// IsControlStatus reports whether s is one of the seven control statuses.
func IsControlStatus(s string) bool { _, ok := controlStatuses[s]; return ok }

// BlockingStatus reports whether s is a status that blocks; an unknown one is
// none of the seven and does not.
func BlockingStatus(s string) bool { return controlStatuses[s] }

// producerOf maps each trust tier to the producer kind it requires.
var producerOf = map[string]string{
	TrustLocal: "tool", TrustCI: ProducerCI, TrustProvider: "provider", TrustHuman: "human",
}

// technicalRank orders the tiers that count as technical trust; a tier that is
// not here, human-approved included, is below every one of them.
var technicalRank = map[string]int{TrustLocal: 0, TrustCI: 1, TrustProvider: 2}

// belowMinimum reports whether a trust tier is lower than a minimum. A minimum
// that is no technical tier is satisfied by nothing.
func belowMinimum(tier, minimum string) bool {
	have, ok := technicalRank[tier]
	need, known := technicalRank[minimum]
	return !ok || !known || have < need
}

func isProducerKind(s string) bool {
	for _, kind := range producerOf {
		if kind == s {
			return true
		}
	}
	return false
}

var tierNames = []string{"T0", "T1", "T2", "T3"}

// A TierPolicy is what an effective assurance tier asks of evidence
// (contract 07, section 2).
type TierPolicy struct {
	Profile      string // evidence profile
	MinimumTrust string // minimum technical trust
	// ExternalAttestation is enforced by the aggregate only, not per control.
	ExternalAttestation bool
}

var tierPolicies = map[string]TierPolicy{
	"T0": {Profile: ProfilePrototype, MinimumTrust: TrustLocal},
	"T1": {Profile: ProfileProduction, MinimumTrust: TrustLocal},
	"T2": {Profile: ProfileEnterprise, MinimumTrust: TrustCI},
	"T3": {Profile: ProfileRegulated, MinimumTrust: TrustCI, ExternalAttestation: true},
}

// PolicyOf returns the policy of an effective tier, T0 to T3. Anything else has
// none.
func PolicyOf(tier string) (TierPolicy, bool) {
	p, ok := tierPolicies[tier]
	return p, ok
}

// An Operator compares a measured value with its target.
type operator func(value, target float64) bool

var operators = map[string]operator{
	"<":  func(v, t float64) bool { return v < t },
	"<=": func(v, t float64) bool { return v <= t },
	"=":  func(v, t float64) bool { return v == t },
	">=": func(v, t float64) bool { return v >= t },
	">":  func(v, t float64) bool { return v > t },
}

// IsOperator reports whether s is one of "<", "<=", "=", ">=" and ">".
func IsOperator(s string) bool { _, ok := operators[s]; return ok }

// Satisfies reports whether "value op target" holds, on doubles and without
// tolerance. An unknown operator is never satisfied.
func Satisfies(value float64, op string, target float64) bool {
	compare, ok := operators[op]
	return ok && compare(value, target)
}
