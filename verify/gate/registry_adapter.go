package gate

import (
	"path"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
	"finishline/verify/gate/skill"
)

// Where the runtimes of an installation look for skills, below R.
var mirrors = []string{".agents/skills", ".claude/skills"}

// frontDoors are what makes a pack root an installation, below R.
var frontDoors = append([]string{"00_MAP.md", "CONTEXT.md", "commissioning-review.md"}, mirrors...)

const adapterSchema = "uash.project-adapter.v2"

// exists looks whether something lies below R; what cannot be looked at stops
// the gate.
func (r *registry) exists(rel string) (there, goOn bool) {
	there, err := r.root.Exists(rel)
	if err != nil {
		r.out.Add(registryName+".json", verify.At(rel, ""), verify.What{Found: err.Error(), Expected: "a path that can be looked at", Unevaluated: true})
		return false, false
	}
	return there, true
}

// adapter judges the project adapter and the mirrors (section 4.4).
func (r *registry) adapter() (goOn bool) {
	doors := false
	for _, rel := range frontDoors {
		there, ok := r.exists(rel)
		if !ok {
			return false
		}
		doors = doors || there
	}
	there, ok := r.exists(adapterPath)
	if !ok {
		return false
	}
	mirrored := doors
	switch {
	case there:
		v2, ok := r.judgeAdapter()
		if !ok {
			return false
		}
		mirrored = doors || v2
	case doors:
		r.in("adapter-missing", adapterPath, "no project adapter", "a project adapter, because the pack is installed")
	}
	if !mirrored {
		return true
	}
	for _, dir := range mirrors {
		if r.ctx.Err() != nil || !r.mirror(dir) {
			return false
		}
	}
	return true
}

func (r *registry) judgeAdapter() (v2, goOn bool) {
	d := r.run.load(r.root, adapterPath, verify.Base, ownFile, canon.MaxDocument)
	if d.problem != readable {
		r.out.Add(registryName+".json", d.place(), d.what)
		return false, false
	}
	r.use(d.artifact)
	evidence.ReadFindings(r.out, d.path, d.doc, nil)
	if d.node.IsNull() {
		r.out.Add(registryName+".json", d.place(), verify.What{Found: "null", Expected: "an object"})
		return false, false
	}
	before := r.out.Errors()
	v2 = r.router(d)
	if r.out.Errors() == before {
		r.linked(adapterPath)
	}
	return v2, true
}

// router holds the adapter's skillRouter against this pack, when the adapter is
// of the version that has one.
func (r *registry) router(d *document) (v2 bool) {
	if n := d.node.At("schema"); !n.Is(adapterSchema) {
		r.out.Add(registryName+".adapter-schema", verify.At(d.path, n.Pointer), verify.What{Found: verify.Show(n.Value), Expected: adapterSchema})
		return false
	}
	for _, m := range RouterMembers(r.run.opt.Pack.Dir) {
		if n := d.node.At("skillRouter").At(m.Name); !evidence.Identical(n.Value, m.Value) {
			r.out.Add(registryName+".adapter-router", verify.At(d.path, n.Pointer), verify.What{Found: verify.Show(n.Value), Expected: text(m.Value)})
		}
	}
	return true
}

// mirror demands that a mirror holds the registered skills and nothing else.
func (r *registry) mirror(dir string) (goOn bool) {
	there, ok := r.exists(dir)
	if !ok {
		return false
	}
	if !there {
		r.in("mirror", dir, "no such directory", "a mirror of skills/")
		return true
	}
	if !r.directories(dir, "mirror", maxDirEntries) { // a project keeps skills of its own there
		return false
	}
	for _, s := range r.skills {
		if s.dir == "" {
			continue
		}
		own := dir + "/" + s.name
		for _, name := range []string{"SKILL.md", agentFile} { // each like the one beside the registered file
			if !r.mirrored(own+"/"+name, r.file(path.Join(s.dir, name), maxSkillFile), maxSkillFile) {
				return false
			}
		}
	}
	return r.mirrored(dir+"/registry.json", r.own, canon.MaxDocument) &&
		r.mirrored(dir+"/codex-routing.yaml", r.file(routingPath, canon.MaxDocument), canon.MaxDocument)
}

// mirrored demands that a file of a mirror has the text of the original. An
// original that is not there to be compared stops the gate.
func (r *registry) mirrored(file string, original *packFile, maxBytes int64) (goOn bool) {
	f := r.file(file, maxBytes)
	switch {
	case r.tooLarge(f), r.tooLarge(original):
		return false
	case f.problem != readable:
		r.out.Add(registryName+".mirror", verify.At(file, ""), f.what)
	case original.problem != readable:
		r.out.Add(registryName+".json", verify.At(file, ""), original.what)
		return false
	case f.text != original.text:
		line := differingLine(f.text, original.text)
		r.out.Add(registryName+".mirror", verify.AtLine(file, line), verify.What{
			Found: lineOf(f.text, line), Expected: lineOf(original.text, line)})
	}
	return true
}

// metaSkill judges the skill of the harness itself, where a pack has it.
func (r *registry) metaSkill() {
	const dir = "meta-skills/" + skill.Harness
	const file = dir + "/SKILL.md"
	there, ok := r.exists(file)
	if !ok || !there {
		return
	}
	artifact, fail := r.run.read(r.root, file, verify.Base, ownFile, maxSkillFile)
	if fail != nil {
		suffix := ".meta"
		if fail.problem == notJSON { // beyond its bound
			suffix = ".json"
		}
		r.out.Add(registryName+suffix, verify.At(file, ""), fail.what)
		return
	}
	r.use(artifact)
	matter := skill.FrontMatter(canon.DecodeUTF8(artifact.Data))
	before := r.out.Errors()
	if got := matter["name"]; got != skill.Harness {
		r.in("meta", file, "name "+verify.Quote(got), skill.Harness)
	}
	if matter["description"] == "" {
		r.in("meta", file, "no description in the front matter", expPresent)
	}
	if r.out.Errors() == before {
		r.linked(file)
	}
	agent := r.file(dir+"/"+agentFile, maxSkillFile)
	switch {
	case r.tooLarge(agent):
	case agent.problem != readable:
		r.out.Add(registryName+".meta", verify.At(dir+"/"+agentFile, ""), agent.what)
	case !skill.ImplicitInvocation(agent.text):
		r.in("meta", dir+"/"+agentFile, "no policy of implicit invocation", "policy: allow_implicit_invocation: true")
	}
}
