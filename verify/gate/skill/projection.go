package skill

import (
	"errors"
	"strings"
	"unicode/utf8"

	"finishline/canon"
)

// ErrNoSelection says that a registry cannot be projected because its selection
// is not there.
var ErrNoSelection = errors.New("the registry has no selection")

// Projection renders the routing projection of a registry (contract 09b,
// section 4.3). describe gives the front-matter description of an entry of
// skills or lifecycleSkills, "" where there is none. Lines end with LF.
func Projection(registry canon.Value, describe func(entry canon.Value) string) (string, error) {
	selection := registry.Get("selection")
	if !selection.Present() || selection.IsNull() {
		return "", ErrNoSelection
	}
	p := &projection{describe: describe}
	p.line(0, "schema", `"uash.codex-skill-routing.v1"`)
	p.line(0, "version", quoted(registry.Get("version")))
	p.line(0, "source_registry", `"skills/registry.json"`)
	p.heading("selection")
	p.line(2, "max_primary", canon.TextForm(selection.Get("maxPrimary")))
	p.line(2, "max_supporting", canon.TextForm(selection.Get("maxSupporting")))
	p.line(2, "ambiguity_fallback", `"`+IntakeRoute+`"`)
	p.line(2, "finish_skill", `"`+ProofHandoff+`"`)
	p.line(2, "implicit_invocation", "true")
	p.list(2, "tie_break_order", selection.Get("tieBreakOrder"))
	p.heading("skills")
	for _, s := range registry.Get("skills").Elems() {
		p.skill(s)
	}
	p.lifecycleSelection(registry.Get("lifecycleSelection"))
	p.heading("lifecycle_skills")
	for _, s := range registry.Get("lifecycleSkills").Elems() {
		p.lifecycleSkill(s)
	}
	return p.out.String(), nil
}

type projection struct {
	out      strings.Builder
	describe func(canon.Value) string
}

func (p *projection) heading(key string) { p.out.WriteString(key + ":\n") }

func (p *projection) line(indent int, key, text string) {
	p.out.WriteString(strings.Repeat(" ", indent) + key + ": " + text + "\n")
}

// first starts an entry of a list.
func (p *projection) first(key, text string) { p.out.WriteString("  - " + key + ": " + text + "\n") }

// list writes a list member: [] for everything that lists nothing; a text
// lists its characters.
func (p *projection) list(indent int, key string, v canon.Value) {
	values := v.Elems()
	if s, ok := v.Str(); ok {
		values = characters(s)
	}
	if len(values) == 0 {
		p.line(indent, key, "[]")
		return
	}
	margin := strings.Repeat(" ", indent)
	p.out.WriteString(margin + key + ":\n")
	for _, e := range values {
		p.out.WriteString(margin + "  - " + quoted(e) + "\n")
	}
}

// A field is a key of the projection and the registry's member that it shows.
type field struct{ key, member string }

var (
	primaryFor  = field{"primary_for", "primaryFor"}
	triggers    = field{"triggers", "triggers"}
	gates       = field{"required_gates", "requiredGates"}
	conditional = field{"conditional_gates", "conditionalGates"}

	skillLists     = []field{primaryFor, triggers, gates, conditional, {"red_zone_triggers", "redZoneTriggers"}}
	lifecycleLists = []field{primaryFor, triggers, {"required_inputs", "requiredInputs"},
		{"required_outputs", "requiredOutputs"}, gates, conditional}
)

func (p *projection) lists(entry canon.Value, fields []field) {
	for _, f := range fields {
		p.list(4, f.key, entry.Get(f.member))
	}
}

// described writes what both kinds of entries have after their head.
func (p *projection) described(entry canon.Value) {
	p.line(4, "description", quoted(canon.NewString(p.describe(entry))))
	p.line(4, "path", quoted(entry.Get("path")))
	p.line(4, "implicit_invocation", "true")
}

func (p *projection) skill(entry canon.Value) {
	p.first("name", quoted(entry.Get("name")))
	p.described(entry)
	p.lists(entry, skillLists)
}

func (p *projection) lifecycleSelection(v canon.Value) {
	p.heading("lifecycle_selection")
	most := v.Get("maxPrimary")
	if !most.Present() || most.IsNull() {
		most = canon.NewNumber(1)
	}
	p.line(2, "max_primary", canon.TextForm(most))
	p.line(2, "ambiguity_fallback", quoted(canon.FirstTruthy(v.Get("ambiguityFallback"), canon.NewString(RouteGoal))))
	p.line(2, "policy", quoted(canon.FirstTruthy(v.Get("policy"), canon.NewString(""))))
	p.line(2, "deterministic_sequence", "true")
	p.list(2, "tie_break_order", v.Get("tieBreakOrder"))
}

func (p *projection) lifecycleSkill(entry canon.Value) {
	p.first("sequence", canon.TextForm(entry.Get("sequence")))
	p.line(4, "name", quoted(entry.Get("name")))
	p.line(4, "system", quoted(entry.Get("system")))
	p.described(entry)
	p.lists(entry, lifecycleLists)
	next := "null"
	if v := entry.Get("next"); v.Truthy() {
		next = quoted(v)
	}
	p.line(4, "next", next)
}

// quoted is the text form of a value as a JSON string.
func quoted(v canon.Value) string {
	return string(canon.Compact(canon.NewString(canon.TextForm(v))))
}

// characters are the code points of a text, an unpaired surrogate being one.
func characters(s string) []canon.Value {
	var all []canon.Value
	for len(s) > 0 {
		_, n := utf8.DecodeRuneInString(s)
		if n == 1 && len(s) >= 3 && canon.HasLoneSurrogate(s[:3]) {
			n = 3
		}
		all = append(all, canon.NewString(s[:n]))
		s = s[n:]
	}
	return all
}
