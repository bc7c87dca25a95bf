package packet

import (
	"fmt"
	"slices"
	"strings"

	"finishline/canon"
)

// A Derivation is what the required gates of a run follow from (contract 05,
// §4.2). Documents that were not loaded are absent values.
type Derivation struct {
	Intake, Classification, Route canon.Value
	// AssuranceLevel is the packet's member; absent or falsy derives like
	// structural.
	AssuranceLevel canon.Value
	// RCAExists says that rca/rca.json exists below the target, in any form.
	RCAExists bool
}

// An UnderivableError says why there is no list of required gates.
type UnderivableError struct {
	// Rule is packet.gates.unknown-gate or packet.assurance-level.invalid, or
	// "" when there is no route to derive from.
	Rule string
	// Gates are the keys of route.gateApplicability that are no route gates.
	Gates []string
}

func (e *UnderivableError) Error() string {
	switch e.Rule {
	case "":
		return "the required gates follow from the route, and there is none"
	case ruleUnknownGate:
		return fmt.Sprintf("the route names gates that do not exist: %s (%s)", strings.Join(e.Gates, ", "), e.Rule)
	}
	return fmt.Sprintf("the assurance level is none of the three (%s)", e.Rule)
}

const (
	ruleUnknownGate  = "packet.gates.unknown-gate"
	ruleLevelInvalid = "packet.assurance-level.invalid"
)

// RequiredGates derives the sorted list of gates that a run must pass. The
// error, if any, is an *UnderivableError; the list is then empty.
func (d Derivation) RequiredGates() ([]string, error) {
	level, known := derivedLevel(d.AssuranceLevel)
	if !known {
		return nil, &UnderivableError{Rule: ruleLevelInvalid}
	}
	if !d.Route.Present() {
		return nil, &UnderivableError{}
	}
	gates := []string{GateProof, GateReview}
	if d.RCAExists || d.NeedsRCA() {
		gates = append(gates, GateRCA)
	}
	byRoute, unknown := applicable(d.Route.Get("gateApplicability"))
	if len(unknown) > 0 {
		return nil, &UnderivableError{Rule: ruleUnknownGate, Gates: unknown}
	}
	gates = append(gates, byRoute...)
	if level != Structural {
		gates = append(gates, GateEval, GateTrajectory, GateSmoke, GateClosure)
	}
	slices.SortFunc(gates, canon.CompareUTF16)
	return slices.Compact(gates), nil
}

func derivedLevel(v canon.Value) (level string, known bool) {
	if !v.Truthy() {
		return Structural, true
	}
	return v.Text(), isLevel(v.Text())
}

// applicable reads route.gateApplicability: the gates it requires, and the
// keys that are no route gates. The elements of an array and the UTF-16 units
// of a string count as members named by their index, which is no gate.
func applicable(v canon.Value) (required, unknown []string) {
	if v.Len() > 0 && v.IsArray() || v.Text() != "" {
		return nil, []string{"0"}
	}
	for _, m := range v.Members() {
		if s, known := specOf(m.Name); !known || !s.isRouteGate() {
			unknown = append(unknown, m.Name)
		} else if m.Value.Get("status").Is("required") {
			required = append(required, m.Name)
		}
	}
	return required, unknown
}

// NeedsRCA reports whether the inputs demand a root-cause analysis (contract
// 05, §4.3), whatever the file system says.
func (d Derivation) NeedsRCA() bool {
	classified := lowText(d.Classification.Get("taskType"))
	if corrective(classified) {
		return true
	}
	text := joined(d.Route.Get("requestSignals")) + " " +
		joined(d.Classification.Get("matchedSignals")) + " " + truthyText(d.Intake.Get("requestText"))
	if signalsCorrection(text) {
		return true
	}
	if d.classificationBound() && classified != "" {
		return false
	}
	return corrective(lowText(d.Route.Get("taskType")))
}

// classificationBound reports whether the classification was made from this
// very request.
func (d Derivation) classificationBound() bool {
	s, isString := d.Classification.Get("requestSha256").Str()
	return isString && canon.IsHex64(s) && d.Intake.Get("requestSha256").Is(s)
}

func corrective(taskType string) bool {
	switch taskType {
	case "bug", "regression", "incident", "self-heal", "self_heal":
		return true
	}
	return false
}

func truthyText(v canon.Value) string {
	if !v.Truthy() {
		return ""
	}
	return canon.TextForm(v)
}

// lowText is low(x) of contract 05, §4.3. Lower-casing beyond ASCII cannot
// make a corrective task type out of another text: no letter outside ASCII has
// one of their letters alone as its lower case.
func lowText(v canon.Value) string { return canon.LowerASCII(truthyText(v)) }

// joined joins the elements of an array with one space; anything else is "".
func joined(v canon.Value) string {
	texts := make([]string, 0, v.Len())
	for _, e := range v.Elems() {
		if e.IsNull() {
			texts = append(texts, "")
			continue
		}
		texts = append(texts, canon.TextForm(e))
	}
	return strings.Join(texts, " ")
}
