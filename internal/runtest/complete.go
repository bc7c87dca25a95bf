package runtest

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing/fstest"

	"finishline/canon"
	"finishline/verify/catalog"
)

// CompleteNow is a moment at which the run of [Complete] is fresh.
const CompleteNow = "2026-05-11T12:05:00Z"

// Complete is the plan of a run with every document of the format but a
// root-cause analysis and a closure: an enterprise release at tier T3, with
// foundation, production, AI and domain assurance, a code graph, an evaluation
// and a smoke proof, and an installed pack. It comes from the fixtures orrery
// and pack-plain of the vector area gates, which fixtures holds.
func Complete(fixtures fs.FS) (Plan, error) {
	documents, product := fstest.MapFS{}, fstest.MapFS{}
	if err := takeTree(documents, fixtures, "orrery"); err != nil {
		return Plan{}, err
	}
	if err := takeTree(product, fixtures, "pack-plain"); err != nil {
		return Plan{}, err
	}
	for name, file := range product {
		if strings.HasPrefix(name, "skills/") {
			for _, mirror := range []string{".agents/", ".claude/"} {
				product[mirror+name] = file
			}
		}
	}
	if err := change(documents, "project-adapter.json", installed); err != nil {
		return Plan{}, err
	}
	foundation, err := fs.ReadFile(catalog.House(), catalog.Foundation)
	if err != nil {
		return Plan{}, err
	}
	err = change(documents, "foundation/assessment.json", func(v canon.Value) canon.Value {
		return with(v, "catalogSha256", canon.SHA256(foundation))
	})
	return Plan{Documents: documents, Product: product}, err
}

// installed is an adapter as the installer of a pack writes it.
func installed(v canon.Value) canon.Value {
	v = with(v, "schema", "uash.project-adapter.v2")
	v = with(v, "reviewTrust", obj("path", "controls/review-trust.v1.json"))
	return with(v, "skillRouter", obj("schema", "uash.skill-registry.v2", "registry", "skills/registry.json",
		"codexRouting", "skills/codex-routing.yaml", "implicitInvocation", true, "workflowCatalogSize", 8, "lifecycleCatalogSize", 7,
		"lifecycleRouteCommand", `node scripts/route-lifecycle-skill.mjs --repo . --request "<request>"`))
}

func takeTree(to fstest.MapFS, from fs.FS, dir string) error {
	tree, err := fs.Sub(from, dir)
	if err != nil {
		return err
	}
	files, err := textFiles(tree)
	for name, text := range files {
		to[path.Clean(name)] = &fstest.MapFile{Data: []byte(text)}
	}
	return err
}

func change(files fstest.MapFS, name string, by func(canon.Value) canon.Value) error {
	file, ok := files[name]
	if !ok {
		return fmt.Errorf("no fixture file %s", name)
	}
	doc, err := canon.Read(file.Data, canon.MaxDocument)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	files[name] = &fstest.MapFile{Data: canon.Pretty(by(doc.Root))}
	return nil
}
