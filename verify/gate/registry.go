package gate

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate/skill"
)

const registryName = "skill-registry"

var skillRegistryGate = Gate{Name: registryName, Artifact: registryPath, Table: registryTable, Validate: validateRegistry}

// Bounds of contract 09b, section 5. What is beyond them is not read.
const (
	maxSkillFile   = 1 << 20 // bytes of a skill or agent file
	maxSkillDirs   = 64      // directories directly below R/skills
	maxDirEntries  = 4096    // entries of any kind looked at in one directory, and directories of a mirror
	maxSkillsShown = 64      // entries of one list that are walked; valid lists have at most 8
)

// A registry is the pack's skill registry under judgement.
type registry struct {
	*checker
	ctx  context.Context
	root *evidence.Root
	own  *packFile // the registry itself

	skills     []*skillEntry // of both lists, skills first
	registered map[string]bool
	inPolicy   map[string]bool // keys of the gates that gatePolicy has
	pathFailed bool            // some skill's path leads to no pack file

	files map[string]*packFile
	used  []usedFile
}

// A skillEntry is one entry of skills or lifecycleSkills.
type skillEntry struct {
	node      canon.Node
	name      string // trimmed
	lifecycle bool
	dir       string // of its file, below R; "" when the path leads to no pack file
	matter    skill.Matter
}

// validateRegistry is contract 09b, section 4. Everything it looks at lies
// below the pack root.
func validateRegistry(ctx context.Context, run *Run) Result {
	c := &checker{run: run, out: registryTable.Collect(run.Level()), gate: registryName, path: registryPath}
	switch {
	case ctx.Err() != nil:
	case !run.opt.Pack.Present:
		c.skip(ReasonRegistry)
	default:
		d := run.load(run.pack, registryPath, run.Level(), ownFile, canon.MaxDocument)
		if c.open(d) {
			r := &registry{checker: c, ctx: ctx, root: run.pack, registered: map[string]bool{},
				inPolicy: policyGates(c.doc.Get("gatePolicy")), files: map[string]*packFile{}}
			r.own = &packFile{rel: d.artifact.Path, text: canon.DecodeUTF8(d.artifact.Data)}
			r.use(d.artifact)
			r.check()
			r.committed()
		}
	}
	return c.result(ctx)
}

// check takes the registry through the tables of section 4 in their order. A
// part that says false stops the gate.
func (r *registry) check() {
	r.counts()
	if !r.names() {
		return
	}
	r.lifecycleOrder()
	r.handoffGates()
	if !r.directories("skills", "unregistered", maxSkillDirs) {
		return
	}
	for _, s := range r.skills {
		if r.ctx.Err() != nil || !r.skill(s) {
			return
		}
	}
	if !r.projection() || !r.adapter() {
		return
	}
	r.metaSkill()
}

// stop reports that the gate cannot go on.
func (r *registry) stop(n canon.Node, what verify.What) bool {
	r.add("json", n, what)
	return false
}

var lifecycleTieBreak = []string{
	"explicit lifecycle skill invocation", "requested Valdris system or owned artifact",
	"furthest downstream requested outcome", "route and goal control when lifecycle intent remains ambiguous",
}

const reviewPolicyStart = "Every completion requires an Ed25519-attested independent review artifact"

// counts judges sizes, selections and policy, the rows before any entry is
// looked at.
func (r *registry) counts() {
	r.oneOf("schema", r.doc.At("schema"), "uash.skill-registry.v2")
	skills, lifecycle := r.doc.At("skills"), r.doc.At("lifecycleSkills")
	if n := skills.Len(); !skills.IsArray() || n < 5 || n > len(skill.Primary) {
		r.fail("skills", skills, "an array of 5 to 8 skills")
	}
	if !lifecycle.IsArray() || lifecycle.Len() != len(skill.Lifecycle) {
		r.fail("lifecycle", lifecycle, "an array of the seven lifecycle skills")
	}
	selection := r.doc.At("selection")
	r.number("selection", selection.At("maxPrimary"), 1)
	r.number("selection", selection.At("maxSupporting"), maxSupporting)
	r.number("selection", selection.At("catalogSize"), len(skills.Elems()))

	l := r.doc.At("lifecycleSelection")
	r.number("lifecycle-selection", l.At("catalogSize"), len(skill.Lifecycle))
	r.number("lifecycle-selection", l.At("catalogSize"), len(lifecycle.Elems()))
	r.number("lifecycle-selection", l.At("maxPrimary"), 1)
	r.present("lifecycle-selection", l.At("policy"))
	r.oneOf("lifecycle-selection", l.At("ambiguityFallback"), skill.RouteGoal)
	r.same("lifecycle-selection", l.At("tieBreakOrder"), textArray(lifecycleTieBreak))
	r.same("lifecycle-selection", l.At("sequence"), textArray(skill.Lifecycle))

	r.same("phases", selection.At("phaseTransitions"), textArray(skill.Phases))
	review := r.doc.At("gatePolicy").At("review")
	if !strings.HasPrefix(evidence.Trimmed(review.Value), reviewPolicyStart) {
		r.fail("review-policy", review, "a text that starts with "+verify.Quote(reviewPolicyStart))
	}
}

func (r *registry) number(suffix string, n canon.Node, want int) {
	if f, ok := n.Num(); !ok || f != float64(want) {
		r.fail(suffix, n, verify.Show(canon.NewNumber(float64(want))))
	}
}

// names takes the entries of both lists and demands the primary skills.
func (r *registry) names() (goOn bool) {
	for _, member := range []string{"skills", "lifecycleSkills"} {
		list := r.doc.At(member)
		if len(list.Elems()) > maxSkillsShown {
			return r.stop(list, verify.What{Found: verify.Show(list.Value), Expected: "at most 64 entries"})
		}
		for n := range list.All() {
			if r.broken(n) {
				return false
			}
			s := &skillEntry{node: n, name: evidence.Trimmed(n.Get("name")), lifecycle: member == "lifecycleSkills"}
			r.skills = append(r.skills, s)
			r.registered[s.name] = true
		}
	}
	for _, name := range skill.Primary {
		if !slices.ContainsFunc(r.skills, func(s *skillEntry) bool { return !s.lifecycle && s.name == name }) {
			r.add("primary-missing", r.doc.At("skills"), verify.What{Found: "no skill " + name, Expected: name})
		}
	}
	return true
}

// lifecycleOrder demands the seven lifecycle skills in their order, each with
// a system of its own and a link to the next.
func (r *registry) lifecycleOrder() {
	list := r.doc.At("lifecycleSkills")
	items := list.Items()
	systems := map[string]bool{}
	for i, name := range skill.Lifecycle {
		if !slices.ContainsFunc(items, func(n canon.Node) bool { return evidence.Trimmed(n.Get("name")) == name }) {
			r.add("lifecycle-order", list, verify.What{Found: "no lifecycle skill " + name, Expected: name})
		}
		entry := canon.Node{Pointer: list.Pointer}
		if i < len(items) {
			entry = items[i]
		}
		r.oneOf("lifecycle-order", entry.At("name"), name)
		r.number("lifecycle-order", entry.At("sequence"), i+1)
		system := entry.At("system")
		r.present("lifecycle-order", system)
		if s := system.Text(); s != "" && systems[s] {
			r.fail("lifecycle-order", system, "a system that no earlier lifecycle skill has")
		}
		systems[system.Text()] = true
		next := entry.At("next")
		switch last := i == len(skill.Lifecycle)-1; {
		case !last:
			r.oneOf("lifecycle-order", next, skill.Lifecycle[i+1])
		case next.Present() && !next.IsNull():
			r.fail("lifecycle-order", next, "null, after the last lifecycle skill")
		}
	}
}

var handoffGates = []string{"run-packet", "review", "proof"}

func (r *registry) handoffGates() {
	n := r.doc.At("skills")
	i := slices.IndexFunc(r.skills, func(s *skillEntry) bool { return !s.lifecycle && s.node.Get("name").Is(skill.ProofHandoff) })
	var gates canon.Node
	if i >= 0 {
		gates = r.skills[i].node.At("requiredGates")
		n = gates
	}
	for _, gate := range lacking(gates.Value, handoffGates) {
		r.add("handoff-gates", n, verify.What{Found: "no gate " + gate, Expected: alternatives(handoffGates) + " for " + skill.ProofHandoff})
	}
}

// directories demands that every valdris- directory below dir is a registered
// skill. More directories than the bound stop the gate, and so does one that
// cannot be listed.
func (r *registry) directories(dir, suffix string, bound int) (goOn bool) {
	names, err := r.subdirectories(dir, bound)
	if err != nil {
		r.out.Add(registryName+".json", verify.At(dir, ""), verify.What{
			Found: err.Error(), Expected: fmt.Sprintf("a directory of at most %d directories", bound), Unevaluated: err.Trouble})
		return false
	}
	for _, name := range names {
		if strings.HasPrefix(name, "valdris-") && !r.registered[name] {
			r.out.Add(registryName+"."+suffix, verify.At(path.Join(dir, name), ""), verify.What{
				Found: "a directory " + verify.Quote(name), Expected: "directories of registered skills"})
		}
	}
	return true
}
