package gate

import (
	"errors"
	"slices"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/catalog"
	"finishline/verify/evidence"
	"finishline/verify/gate/skill"
	"finishline/verify/gate/workload"
)

var routeGate = newGate("route", routePath, routeTable, func(c *checker) {
	r := &route{checker: c}
	if r.inputs() {
		r.check()
	}
})

// A route is a route under judgement, with what it was made from.
type route struct {
	*checker
	intake         *document
	classification *document
	adapter        canon.Node // of the project adapter, absent when there is none

	registry     canon.Node // absent when no registry is at hand
	registryPath string
	names        map[string]bool // registered skill names

	analysis *workload.Analysis // of the request text
	docs     bool               // the route's task type is docs-only
	layers   map[string]canon.Node
	packs    canon.Node
	packIDs  []string // that the format knows
}

// inputs reads what the route is judged by; each of them stops the gate.
func (r *route) inputs() bool {
	r.intake, r.classification = r.run.existing(intakePath), r.run.existing(classificationPath)
	if !r.need("inputs", r.intake) || !r.need("inputs", r.classification) {
		return false
	}
	return r.readRegistry() && r.readAdapter()
}

// check is contract 09a, section 4, row by row.
func (r *route) check() {
	r.prepare()
	if n := r.doc.At("schema"); n.Is("uash.route.v1") {
		r.fail("legacy", n, "uash.route.v2")
	} else {
		r.oneOf("schema", n, "uash.route.v2")
	}
	r.members(header)
	r.taskType()
	if n := r.doc.At("requestSignals"); !presentTexts(n.Value) || n.Len() == 0 {
		r.fail("signals", n, "a non-empty array of texts that are not blank")
	}
	r.fileDigest("intake-digest", r.doc.At("intakeSha256"), r.intake)
	r.fileDigest("classification-digest", r.doc.At("workloadClassificationSha256"), r.classification)
	r.bound("binding.run-id", r.doc.At("runId"), r.intake.node.Get("runId"))
	r.bound("binding.run-id", r.doc.At("runId"), r.classification.node.Get("runId"))
	r.registryDigest()
	if !r.registryContent() {
		return
	}
	r.routeCatalogs()
	if !r.skillPhases() || !r.productionLayers() {
		return
	}
	r.fromClassification()
	r.budgets()
	r.concerns()
	r.aiForm()
	r.domainPacks()
	r.mobile()
	r.requestText()
	r.gates()
	r.authority()
}

func (r *route) prepare() {
	r.analysis = r.run.analysis()
	r.docs = r.doc.Get("taskType").Is("docs-only")
	r.packs, r.packIDs = r.doc.At("domainPacks"), r.run.rules.Packs()
	r.layers = map[string]canon.Node{}
	for n := range r.doc.At("productionLayers").All() {
		r.layers[n.Get("layer").Text()] = n // of repeated layers the last counts
	}
	r.names = map[string]bool{}
	if !r.registry.Present() {
		for _, name := range skill.Primary { // the content of every valid registry, by its counts
			r.names[name] = true
		}
	}
	for n := range r.registry.At("skills").All() {
		if name, ok := n.Get("name").Str(); ok {
			r.names[name] = true
		}
	}
}

// knownRegistries are the semantic digests of registries whose content is
// known to satisfy the rules on it (contract 09b, section 3.1).
var knownRegistries = []string{
	"0bf5eb0a10d47a7b6c3629caeb6713636499c75aa7f6b6754dedfaf2667e45d0", // version 2.0.0
}

// readRegistry takes the registry of the pack, or one that was handed over. It
// stops the gate when there must be one and it cannot be read.
func (r *route) readRegistry() bool {
	switch {
	case r.run.opt.Pack.Present:
		d := r.run.load(r.run.pack, registryPath, verify.Base, ownFile, canon.MaxDocument)
		if d.problem != readable {
			r.out.Add("route.registry-content", d.place(), d.what)
			return false
		}
		r.registry, r.registryPath = d.node, d.path
	case r.run.opt.Registry != nil:
		doc, err := canon.Read(r.run.opt.Registry, canon.MaxDocument)
		if err != nil {
			line := 0
			var syntax *canon.ReadError
			if errors.As(err, &syntax) {
				line = syntax.Line
			}
			r.out.Add("route.registry-content", verify.AtLine("skill registry", line), verify.What{Found: err.Error(), Expected: "a skill registry"})
			return false
		}
		r.registry, r.registryPath = doc.Node(), "skill registry"
	}
	return true
}

// registryDigest is contract 09b, section 3.1.
func (r *route) registryDigest() {
	n := r.doc.At("registrySha256")
	digest := n.Text()
	switch {
	case !canon.IsHex64(digest) || canon.HasUpperHex(digest):
		r.fail("registry-digest", n, "64 lower-case hexadecimal digits")
	case r.registry.Present():
		if want := canon.SemanticDigest(r.registry.Value); digest != want {
			r.fail("registry-digest", n, want+", the semantic digest of the registry")
		}
	case !slices.Contains(knownRegistries, digest):
		r.skip(ReasonRegistry)
	}
}

// registryContent demands of a registry at hand what every route relies on.
func (r *route) registryContent() (goOn bool) {
	if !r.registry.Present() {
		return true
	}
	add := func(n canon.Node, expected string) {
		r.out.Add("route.registry-content", verify.At(r.registryPath, n.Pointer), verify.What{Found: verify.Show(n.Value), Expected: expected})
	}
	if n := r.registry.At("selection").At("phaseTransitions"); !canon.Same(n.Value, textArray(skill.Phases)) {
		add(n, alternatives(skill.Phases)+" in this order")
	}
	list := r.registry.At("skills")
	for n := range list.All() {
		if n.IsNull() {
			r.out.Add("route.json", verify.At(r.registryPath, n.Pointer), verify.What{Found: "null", Expected: "an object"})
			return false
		}
	}
	for _, name := range skill.Primary {
		if !r.names[name] {
			add(list, "a skill named "+name)
		}
	}
	return true
}

// readAdapter takes the first project adapter that exists; one that is there
// must be readable.
func (r *route) readAdapter() bool {
	for _, path := range []string{adapterPath, commissionedDir + "/" + adapterPath} {
		exists, err := r.run.opt.Target.Exists(path)
		if err != nil {
			r.out.Add("route.adapter", verify.At(path, ""), verify.What{Found: err.Error(), Expected: "a JSON document", Unevaluated: true})
			return false
		}
		if !exists {
			continue
		}
		d := r.run.existing(path)
		switch {
		case d.problem != readable:
			r.out.Add("route.adapter", d.place(), d.what)
			return false
		case d.node.IsNull():
			r.out.Add("route.adapter", d.place(), verify.What{Found: "null", Expected: "an object"})
			return false
		}
		evidence.ReadFindings(r.out, d.path, d.doc, nil)
		r.adapter = d.node
		return true
	}
	return true
}

// routeCatalogs demands the digests of the catalogs, and of the catalog of
// each pack of the route.
func (r *route) routeCatalogs() {
	r.catalogDigests()
	digests := r.doc.At("catalogDigests").At("domainPacks")
	for p := range r.packs.All() {
		id := p.Text()
		if n := digests.At(id); r.knownPack(p) {
			r.catalogDigest(n, catalog.DomainPack(id))
		} else {
			r.fail("catalog-digest", p, "a pack with a catalog")
		}
	}
}

func (r *route) knownPack(n canon.Node) bool { return isOneOf(n.Value, r.packIDs...) }

// textArray makes an array of texts.
func textArray(list []string) canon.Value {
	values := make([]canon.Value, len(list))
	for i, s := range list {
		values[i] = canon.NewString(s)
	}
	return canon.NewArray(values...)
}
