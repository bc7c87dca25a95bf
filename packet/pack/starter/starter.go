package starter

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"finishline/canon"
	"finishline/packet/pack"
	"finishline/review"
	"finishline/verify/catalog"
	"finishline/verify/gate"
	"finishline/verify/gate/skill"
)

// A Layout says where the pack lies.
type Layout int

const (
	// Plain: scripts, controls and skills directly in the target. The zero
	// value.
	Plain Layout = iota
	// Commissioned: everything in .valdris-harness below the target, with a
	// project adapter, and discovery blocks in the target's loaders.
	Commissioned
)

// Dir is the pack root relative to the target, "." for a plain pack.
func (l Layout) Dir() string {
	if l == Commissioned {
		return review.HarnessDir
	}
	return "."
}

const (
	registryPath = "skills/registry.json"
	routingPath  = "skills/codex-routing.yaml"
	adapterPath  = "project-adapter.json"
	storePath    = "controls/review-trust.v1.json"
	agentFile    = "agents/openai.yaml"
)

// A File is a file of the pack, at its path below the target.
type File struct {
	Path string
	Data []byte
}

// New makes the files of a pack. Description says whose trust store it is, for
// people.
func New(layout Layout, description string) ([]File, error) {
	b := &builder{layout: layout}
	for _, step := range []func() error{b.catalogs, b.skills, b.scripts, func() error { return b.store(description) }} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("make a pack: %w", err)
		}
	}
	if layout == Commissioned {
		b.installation()
	}
	return b.files, nil
}

type builder struct {
	layout Layout
	files  []File
}

// add takes a file of the pack root.
func (b *builder) add(name string, data []byte) {
	b.files = append(b.files, File{path.Join(b.layout.Dir(), name), data})
}

func (b *builder) catalogs() error {
	for _, name := range catalog.Paths() {
		data, err := fs.ReadFile(catalog.House(), name)
		if err != nil {
			return err
		}
		b.add(name, data)
	}
	return nil
}

// skills are the registry, each skill with its agent file, and the routing
// projection.
func (b *builder) skills() error {
	doc := registry()
	routing, err := skill.Projection(doc, func(entry canon.Value) string { return descriptionOf(entry.Get("name").Text()) })
	if err != nil {
		return err
	}
	b.mirrored("registry.json", canon.Pretty(doc))
	b.mirrored("codex-routing.yaml", []byte(routing))
	for _, list := range [][]skillText{workflowSkills, lifecycleSkills} {
		for _, s := range list {
			b.mirrored(s.name+"/SKILL.md", []byte(s.document()))
			b.mirrored(s.name+"/"+agentFile, []byte(s.agent()))
		}
	}
	return nil
}

// mirrored adds a file of skills, and in an installed pack its mirrors.
func (b *builder) mirrored(name string, data []byte) {
	b.add("skills/"+name, data)
	if b.layout != Commissioned {
		return
	}
	for _, dir := range gate.Mirrors() {
		b.add(dir+"/"+name, data)
	}
}

// descriptionOf is what the front matter of a skill says, as the projection
// quotes it.
func descriptionOf(name string) string {
	for _, list := range [][]skillText{workflowSkills, lifecycleSkills} {
		for _, s := range list {
			if s.name == name {
				return skill.FrontMatter(s.document())["description"]
			}
		}
	}
	return ""
}

func (b *builder) scripts() error {
	for _, name := range pack.RequiredScripts() {
		gate := strings.TrimSuffix(path.Base(name), ".mjs")
		b.add(name, []byte("// The place of the validator "+gate+" in this pack. finishline judges what it\n"+
			"// stands for; nothing runs this file.\nexport const judgedBy = \"finishline\";\n"))
	}
	return nil
}

// store trusts nobody: keys are enrolled by people, one by one.
func (b *builder) store(description string) error {
	edit, findings := review.NewStore(path.Join(b.layout.Dir(), storePath), description)
	if edit == nil {
		return &RefusedError{findings.List()}
	}
	b.add(storePath, edit.Data)
	return nil
}

// installation is what only a commissioned pack has.
func (b *builder) installation() {
	b.add(adapterPath, canon.Pretty(object(
		text("schema", "uash.project-adapter.v2"),
		member("reviewTrust", object(text("path", path.Join(b.layout.Dir(), storePath)))),
		member("skillRouter", object(gate.RouterMembers(b.layout.Dir())...)),
	)))
	b.add("scripts/route-lifecycle-skill.mjs", []byte("// The place of the lifecycle router in this pack. An installation that routes by\n"+
		"// itself puts its own here; finishline never runs it.\nexport const judgedBy = \"finishline\";\n"))
	for _, name := range pack.Loaders() {
		b.add(name, []byte("# Working in this repository\n\nThe skills are in `skills/`, and `skills/registry.json` says which one to take. `project-adapter.json` holds what is\n"+
			"particular to this project. A run is begun with `finishline intake new` and may end when `finishline verify` passes.\n"))
	}
}
