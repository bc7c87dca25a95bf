package readiness_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/readiness"
)

// basis makes a route for the scene's classification: layers apply as given,
// the others may be affected.
func (s *scene) basis(t testing.TB, applies map[string]string) readiness.Basis {
	t.Helper()
	layers, err := readiness.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var list []canon.Value
	for _, l := range layers {
		entry := canon.Build(member("layer", l.ID), member("initialApplicability", "potentially-affected"))
		if a := applies[l.ID]; a != "" {
			entry = canon.With(entry, "initialApplicability", canon.NewString(a))
		}
		if applies[l.ID] == "not-applicable" {
			entry = canon.With(entry, "reason", canon.NewString("nobody caches anything"))
		}
		list = append(list, entry)
	}
	sum := canon.SHA256(canon.Compact(s.cls))
	s.classify(t, s.cls)
	route := canon.Build(canon.Member{Name: "runId", Value: s.cls.Get("runId")}, member("workloadClassificationSha256", sum),
		canon.Member{Name: "productionLayers", Value: canon.NewArray(list...)})
	return readiness.Basis{Route: route, Classification: s.cls, ClassificationSHA256: sum}
}

// A skeleton is bound to its run, decides only what is decided already, and
// claims nothing.
func TestNew(t *testing.T) {
	s := current(t, "t1-production")
	doc, err := readiness.New(s.basis(t, map[string]string{"frontend": "required", "caching-cdn": "not-applicable", "security": "not-applicable"}))
	if err != nil {
		t.Fatal(err)
	}
	o := s.document(t, doc, verify.Strict)
	wantRules(t, o, "a skeleton",
		"control.status.blocking", "readiness.v2.dependency.unsatisfied", "readiness.v2.generated-at", "readiness.v2.layer.applicability",
		"readiness.v2.layer.owner", "readiness.v2.layer.required-status", "readiness.v2.status", "readiness.v2.summary")
	want := map[string]string{"frontend": "required", "security": "required", "cicd-version-control": "required",
		"error-tracking-logs-observability": "required", "caching-cdn": "not-applicable"}
	for _, e := range doc.Get("layers").Elems() {
		id, applies := e.Get("layer").Text(), e.Get("applicability").Text()
		if w := want[id]; w == "" && applies != "undecided" || w != "" && applies != w {
			t.Errorf("%s is %s", id, applies)
		}
		if applies == "not-applicable" && (!e.Get("reason").Is("nobody caches anything") || e.Has("controls")) {
			t.Errorf("%s: %s", id, canon.Compact(e))
		}
	}
	claimsNothing(t, doc)
}

// claimsNothing demands that nothing in a skeleton has passed.
func claimsNothing(t testing.TB, doc canon.Value) {
	t.Helper()
	if doc.Get("status").Is("passed") {
		t.Error("the skeleton has passed")
	}
	for _, e := range doc.Get("layers").Elems() {
		if e.Get("status").Is("passed") || e.Get("owner").Text() != "" {
			t.Errorf("%s: %s, owner %s", e.Get("layer").Text(), e.Get("status").Text(), e.Get("owner").Text())
		}
		for _, c := range e.Get("controls").Elems() {
			if !c.Get("status").Is("pending") || c.Get("evidence").Len() != 0 {
				t.Errorf("%s", canon.Compact(c))
			}
		}
	}
}

// filled fills a skeleton in with the evidence of the complete assessment. What
// is undecided becomes what decide says.
func filled(t testing.TB, skeleton, complete canon.Value, decide string) canon.Value {
	t.Helper()
	whole := map[string]canon.Value{}
	for _, e := range complete.Get("layers").Elems() {
		whole[e.Get("layer").Text()] = e
	}
	var layers []canon.Value
	for _, e := range skeleton.Get("layers").Elems() {
		id := e.Get("layer").Text()
		applies := e.Get("applicability").Text()
		if applies == "undecided" {
			applies = decide
		}
		e = canon.With(e, "owner", canon.NewString("o"))
		if applies == "required" {
			e = canon.With(canon.With(e, "applicability", canon.NewString(applies)), "status", canon.NewString("passed"))
			e = canon.With(e, "controls", whole[id].Get("controls"))
		} else if !e.Get("applicability").Is("not-applicable") {
			e = notApplicable(id)
		}
		layers = append(layers, e)
	}
	for _, name := range []string{"generatedAt", "summary", "status"} {
		skeleton = canon.With(skeleton, name, complete.Get(name))
	}
	return canon.With(skeleton, "layers", canon.NewArray(layers...))
}

// Whatever the route says, a skeleton never passes; once each blank is filled
// in with what was shown it does, however the open layers are decided.
func TestSkeletonsNeedWork(t *testing.T) {
	s := current(t, "t2-enterprise")
	complete := s.doc
	rapid.Check(t, func(r *rapid.T) {
		applies := map[string]string{}
		for _, e := range complete.Get("layers").Elems() {
			id := e.Get("layer").Text()
			applies[id] = rapid.SampledFrom([]string{"required", "potentially-affected", "not-applicable"}).Draw(r, id)
		}
		s.cls = canon.With(s.cls, "requestedProfile", canon.NewString(rapid.SampledFrom([]string{"prototype", "enterprise"}).Draw(r, "profile")))
		doc, err := readiness.New(s.basis(t, applies))
		if err != nil {
			r.Fatal(err)
		}
		claimsNothing(t, doc)
		if o := s.document(t, doc, verify.Base); o.Verdict() != verify.Fail {
			r.Fatal("a skeleton passes")
		}
		decide := rapid.SampledFrom([]string{"required", "not-applicable"}).Draw(r, "decision")
		o := s.document(t, filled(t, doc, complete, decide), verify.Strict)
		for _, id := range errorIDs(o) {
			// Open layers may depend on ones that the route excludes, and a
			// prototype may be left with no layer at all: the author's decisions.
			if id != "readiness.v2.dependency.unsatisfied" && id != "readiness.v2.no-required-layer" || decide == "not-applicable" && id == "readiness.v2.dependency.unsatisfied" {
				r.Fatalf("a filled skeleton fails %s\n%s", id, describe(o))
			}
		}
	})
}

// No skeleton is made from documents that do not belong together.
func TestBasisErrors(t *testing.T) {
	s := current(t, "t1-production")
	good := s.basis(t, nil)
	if _, err := readiness.New(good); err != nil {
		t.Fatal(err)
	}
	route := func(verb, pointer, value string) readiness.Basis {
		return readiness.Basis{Route: edited(t, good.Route, verb, pointer, value), Classification: good.Classification, ClassificationSHA256: good.ClassificationSHA256}
	}
	cls := func(verb, pointer, value string) readiness.Basis {
		return readiness.Basis{Route: good.Route, Classification: edited(t, good.Classification, verb, pointer, value), ClassificationSHA256: good.ClassificationSHA256}
	}
	for want, b := range map[string]readiness.Basis{
		"classification/runId":                             cls("remove", "/runId", ""),
		"classification/environment":                       cls("replace", "/environment", `" "`),
		"classification/commit":                            cls("replace", "/commit", `7`),
		"classification/requestedProfile":                  cls("replace", "/requestedProfile", `"gold"`),
		"classification/effectiveTier":                     cls("replace", "/effectiveTier", `"toString"`),
		"route/runId":                                      route("replace", "/runId", `"other"`),
		"route/workloadClassificationSha256":               route("replace", "/workloadClassificationSha256", `"`+strings.ToUpper(good.ClassificationSHA256)+`"`),
		"route/productionLayers":                           route("remove", "/productionLayers/3", ""),
		"route/productionLayers/0/layer":                   route("replace", "/productionLayers/0/layer", `"blockchain"`),
		"route/productionLayers/1/layer":                   route("replace", "/productionLayers/1/layer", `"frontend"`),
		"route/productionLayers/2/initialApplicability":    route("replace", "/productionLayers/2/initialApplicability", `"maybe"`),
		"route/productionLayers/2/reason":                  route("replace", "/productionLayers/2/initialApplicability", `"not-applicable"`),
		"route/workloadClassificationSha256: found absent": {Route: canon.Build(canon.Member{Name: "runId", Value: good.Classification.Get("runId")}), Classification: good.Classification},
	} {
		_, err := readiness.New(b)
		var refused *readiness.BasisError
		if !errors.As(err, &refused) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("want an error at %s, got %v", want, err)
		}
		if _, err := readiness.Migrate(historical(t).doc, &b); !errors.As(err, &refused) {
			t.Errorf("migrating with a bad basis: %v", err)
		}
	}
}

// A migrated record keeps what it said for its reader, and claims none of it.
func TestMigrate(t *testing.T) {
	old := historical(t)
	s := current(t, "t1-production")
	b := s.basis(t, map[string]string{"caching-cdn": "not-applicable"})
	for name, basis := range map[string]*readiness.Basis{"bound": &b, "unbound": nil} {
		doc, err := readiness.Migrate(old.doc, basis)
		if err != nil {
			t.Fatal(err)
		}
		claimsNothing(t, doc)
		if o := s.document(t, doc, verify.Base); o.Verdict() != verify.Fail {
			t.Errorf("%s: a migrated record passes", name)
		}
		list := doc.Get("layers").Elems()
		if len(list) != readiness.LayerCount {
			t.Fatalf("%s: %d layers", name, len(list))
		}
		for i, e := range list {
			if said := (canon.Node{Value: old.doc}).At("layers").Index(i).Value; !canon.Same(e.Get("legacy"), said) {
				t.Errorf("%s: %s said %s, now %s", name, e.Get("layer").Text(), canon.Compact(said), canon.Compact(e.Get("legacy")))
			}
			if basis == nil && !e.Get("applicability").Is("undecided") {
				t.Errorf("%s is %s without a route", e.Get("layer").Text(), e.Get("applicability").Text())
			}
		}
		if basis == nil && doc.Get("runId").Text()+doc.Get("commit").Text()+doc.Get("effectiveTier").Text() != "" {
			t.Errorf("bound to nothing, and names %s", canon.Compact(doc))
		}
		if basis != nil && !slices.EqualFunc([]string{"runId", "commit", "environment", "effectiveTier"}, []string{"runId", "commit", "environment", "effectiveTier"},
			func(a, b string) bool { return canon.Same(doc.Get(a), s.cls.Get(b)) }) {
			t.Errorf("not bound to the classification: %s", canon.Compact(doc))
		}
	}
}

// Map entries are told apart by their names; what cannot be told apart is not
// migrated.
func TestMigrateRefuses(t *testing.T) {
	s := historical(t)
	var refused *readiness.BasisError
	for pointer, text := range map[string]string{
		"/schema":         fmt.Sprintf(`{"schema":%q}`, readiness.Schema),
		"/layers/0":       `{"schema":"uash.production-readiness.v1","layers":[7]}`,
		"/layers/0/layer": `{"schema":"uash.production-readiness.v1","layers":[{"layer":"blockchain"}]}`,
		"/layers/1/slug":  `{"schema":"uash.production-readiness.v1","layers":[{"layer":"frontend"},{"slug":"frontend"}]}`,
	} {
		if _, err := readiness.Migrate(parse(t, text), nil); !errors.As(err, &refused) || !strings.HasPrefix(refused.Pointer, pointer) {
			t.Errorf("%s: %v", text, err)
		}
	}
	doc, err := readiness.Migrate(edited(t, s.doc, "replace", "/layers", `{"frontend":"skipped","x":{"layer":"security","status":"passed"}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if said := at(doc, "/layers/0/legacy"); !said.Is("skipped") {
		t.Errorf("frontend said %s", canon.Compact(said))
	}
	if said := at(doc, "/layers/7/legacy/status"); !said.Is("passed") {
		t.Errorf("security said %s", canon.Compact(said))
	}
}
