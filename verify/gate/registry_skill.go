package gate

import (
	"path"
	"regexp"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/gate/skill"
)

var skillName = regexp.MustCompile(`^[a-z0-9-]+$`)

// agentFile is where a skill's agent file lies, beside the skill file.
const agentFile = "agents/openai.yaml"

// Bounds of a short description, in UTF-16 units.
const (
	minShortDescription = 25
	maxShortDescription = 64
)

// skill judges one entry (section 4.2).
func (r *registry) skill(s *skillEntry) (goOn bool) {
	name := s.node.At("name")
	if !skillName.MatchString(s.name) {
		r.fail("skill.name", name, "lower-case letters, digits and hyphens")
	}
	for _, earlier := range r.skills {
		if earlier == s {
			break
		}
		if earlier.name == s.name {
			r.fail("skill.duplicate", name, "a name that no earlier skill has")
			break
		}
	}
	at := s.node.At("path")
	f := r.file(at.Text(), maxSkillFile)
	if r.tooLarge(f) {
		return false
	}
	if f.problem != readable {
		r.pathFailed = true
		r.add("skill.path", at, f.what)
		return true
	}
	s.dir, s.matter = path.Dir(f.rel), skill.FrontMatter(f.text)
	r.frontMatter(s, f.rel)
	if !r.agent(s) {
		return false
	}
	r.skillLists(s)
	return true
}

// in reports a rule of a skill at one of its files.
func (r *registry) in(suffix, file, found, expected string) {
	r.out.Add(registryName+"."+suffix, verify.At(file, ""), verify.What{Found: found, Expected: expected})
}

func (r *registry) frontMatter(s *skillEntry, file string) {
	if got := s.matter["name"]; got != s.name {
		r.in("skill.front-matter-name", file, "name "+verify.Quote(got), verify.Quote(s.name))
	}
	if s.matter["description"] == "" {
		r.in("skill.description", file, "no description in the front matter", expPresent)
	}
}

func (r *registry) agent(s *skillEntry) (goOn bool) {
	file := path.Join(s.dir, agentFile)
	f := r.file(file, maxSkillFile)
	if r.tooLarge(f) {
		return false
	}
	if f.problem != readable {
		r.out.Add(registryName+".skill.agent-file", verify.At(file, ""), f.what)
		return true
	}
	if skill.Field(f.text, "display_name") == "" {
		r.in("skill.display-name", file, "no display_name", "a quoted text that is not empty")
	}
	short := skill.Field(f.text, "short_description")
	if n := canon.UTF16Len(short); n < minShortDescription || n > maxShortDescription {
		r.in("skill.short-description", file, "short_description "+verify.Quote(short), "25 to 64 characters")
	}
	if prompt := skill.Field(f.text, "default_prompt"); !strings.Contains(prompt, "$"+s.name) {
		r.in("skill.default-prompt", file, "default_prompt "+verify.Quote(prompt), "a prompt with "+verify.Quote("$"+s.name))
	}
	if !skill.ImplicitInvocation(f.text) {
		r.in("skill.implicit", file, "no policy of implicit invocation", "policy: allow_implicit_invocation: true")
	}
	return true
}

func (r *registry) skillLists(s *skillEntry) {
	for _, member := range []string{"primaryFor", "triggers", "requiredGates"} {
		r.filled("skill.lists", s.node.At(member))
	}
	if !s.lifecycle {
		r.array("skill.red-zone", s.node.At("redZoneTriggers"))
		return
	}
	r.filled("skill.lifecycle-lists", s.node.At("requiredInputs"))
	r.filled("skill.lifecycle-lists", s.node.At("requiredOutputs"))
	r.array("skill.lifecycle-lists", s.node.At("conditionalGates"))
	for gate := range s.node.At("requiredGates").All() {
		if key, ok := scalarKey(gate.Value); !ok || !r.inPolicy[key] {
			r.fail("skill.lifecycle-gate", gate, "a gate of gatePolicy")
		}
	}
}

// policyGates are the keys of the gates that are always asked for or have a
// policy of their own.
func policyGates(policy canon.Value) map[string]bool {
	const always = "always"
	gates := map[string]bool{}
	add := func(v canon.Value) {
		if key, ok := scalarKey(v); ok {
			gates[key] = true
		}
	}
	for _, m := range policy.Members() {
		if m.Name != always {
			add(canon.NewString(m.Name))
		}
	}
	for _, v := range policy.Get(always).Elems() {
		add(v)
	}
	return gates
}

// projection holds the routing projection against the registry (section 4.3).
func (r *registry) projection() (goOn bool) {
	f := r.file(routingPath, canon.MaxDocument)
	if r.tooLarge(f) {
		return false
	}
	if f.problem != readable {
		r.out.Add(registryName+".routing-missing", verify.At(routingPath, ""), f.what)
		return true
	}
	if r.pathFailed {
		return true
	}
	next := 0
	want, err := skill.Projection(r.doc.Value, func(canon.Value) string {
		next++ // the projection visits the entries in the order of r.skills
		return r.skills[next-1].matter["description"]
	})
	if err != nil {
		return r.stop(r.doc.At("selection"), verify.What{Found: err.Error(), Expected: "an object"})
	}
	if got := strings.ReplaceAll(f.text, "\r\n", "\n"); got != want {
		line := differingLine(got, want)
		r.out.Add(registryName+".routing", verify.AtLine(routingPath, line), verify.What{
			Found: lineOf(got, line), Expected: lineOf(want, line)})
	}
	return true
}

// differingLine is the first line in which two texts differ, 1-based.
func differingLine(a, b string) int {
	line := 1
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		if a[i] == '\n' {
			line++
		}
	}
	return line
}

// lineOf is one line of a text, 1-based.
func lineOf(text string, line int) string {
	for l := range strings.SplitSeq(text, "\n") {
		if line--; line == 0 {
			return verify.Quote(l)
		}
	}
	return "the end of the text"
}
