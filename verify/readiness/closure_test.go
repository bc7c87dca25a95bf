package readiness_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/internal/proptest"
	"finishline/internal/vectors/casefile"
	"finishline/verify"
	"finishline/verify/readiness"
)

// member is one member of a built object.
func member(name, value string) canon.Member {
	return canon.Member{Name: name, Value: canon.NewString(value)}
}

func notApplicable(layer string) canon.Value {
	return canon.Build(member("layer", layer), member("applicability", "not-applicable"), member("status", "skipped"),
		member("owner", "o"), member("reason", "not reached"))
}

// Whatever layers are required, the rules that compare layers with each other
// fire exactly as the contract's own table of edges says.
func TestClosure(t *testing.T) {
	s := current(t, "t2-enterprise")
	facts := contractLayers(t)
	whole := map[string]canon.Value{}
	for _, e := range s.doc.Get("layers").Elems() {
		whole[e.Get("layer").Text()] = e
	}
	cross := []string{"security", "cicd-version-control", "error-tracking-logs-observability"}
	seen := proptest.Need(1, "a pass")
	seen.Until(t, func(r *rapid.T) {
		profile := rapid.SampledFrom([]string{"prototype", "production", "enterprise", "regulated"}).Draw(r, "profile")
		few := rapid.SampledFrom([]float64{0.1, 0.5, 0.95}).Draw(r, "share")
		required := map[string]bool{}
		var layers []canon.Value
		for _, l := range facts {
			required[l.ID] = rapid.Float64Range(0, 1).Draw(r, l.ID) < few
			if required[l.ID] {
				layers = append(layers, whole[l.ID])
				continue
			}
			layers = append(layers, notApplicable(l.ID))
		}
		want := map[string]bool{}
		any := false
		for _, l := range facts {
			any = any || required[l.ID]
			for _, need := range l.Hard {
				if required[l.ID] && !required[need] {
					want["readiness.v2.dependency.unsatisfied"] = true
				}
			}
			if slices.Contains(cross, l.ID) && !required[l.ID] && profile != "prototype" {
				want["readiness.v2.cross-cutting"] = true
			}
		}
		if !any {
			want["readiness.v2.no-required-layer"] = true
		}
		s.classify(t, canon.With(s.cls, "requestedProfile", canon.NewString(profile)))
		layers = rapid.Permutation(layers).Draw(r, "order")
		doc := canon.With(canon.With(s.doc, "profile", canon.NewString(profile)), "layers", canon.NewArray(layers...))
		for _, level := range levels {
			o := s.document(t, doc, level)
			for _, id := range errorIDs(o) {
				if !want[id] {
					r.Errorf("%s: %s fires", level, id)
				}
			}
			if len(errorIDs(o)) != len(want) {
				r.Errorf("%s: rules %q, want %v", level, errorIDs(o), want)
			}
			if len(want) == 0 {
				seen.Add("a pass")
			}
		}
	})
}

// A classification of something else is refused by the digest, and one that
// belongs to the digest by the member that differs.
func TestBindings(t *testing.T) {
	other := map[string]string{"runId": "run-id", "requestedProfile": "profile", "effectiveTier": "effective-tier", "commit": "commit", "environment": "environment"}
	values := map[string]string{"requestedProfile": "regulated", "effectiveTier": "T1"}
	for name, suffix := range other {
		s := current(t, "t2-enterprise")
		value := values[name]
		if value == "" {
			value = "elsewhere"
		}
		changed := canon.With(s.cls, name, canon.NewString(value))
		s.write(t, clsFile, string(canon.Compact(changed)))
		wantRules(t, s.judge(t, readiness.Input{}), name+" changed afterwards", "readiness.classification.digest-mismatch")
		s.classify(t, changed)
		wantRules(t, s.document(t, s.doc, verify.Strict), name, "readiness.v2.binding."+suffix)
	}
	// The digest of another file of the run is no digest of the classification.
	s := current(t, "t2-enterprise")
	proof := at(s.doc, "/layers/0/controls/0/evidence/0/outputDigest")
	wantRules(t, s.document(t, canon.With(s.doc, "workloadClassificationSha256", proof), verify.Base), "digest of a proof", "readiness.classification.digest-mismatch")
}

// An evidence file that changes is noticed, whatever it is evidence of.
func TestEvidenceFilesAreBound(t *testing.T) {
	for _, fixture := range []string{"t1-production", "t2-enterprise", "t3-regulated"} {
		for file, want := range map[string]string{
			"proof/cmd-output.log":  "evidence.command.digest-mismatch",
			"proof/lamp-report.txt": "evidence.artifact.sha256-mismatch",
		} {
			s := current(t, fixture)
			wantRules(t, s.judge(t, readiness.Input{}), fixture)
			s.write(t, file, "another run\n")
			if got := errorIDs(s.judge(t, readiness.Input{})); !slices.Contains(got, want) {
				t.Errorf("%s: %s changed, rules %q", fixture, file, got)
			}
		}
	}
}

// The tier of the classification sets the policy, whatever the assessment says
// of itself: raising it never makes a refused assessment pass.
func TestTierIsTheClassifications(t *testing.T) {
	s := current(t, "t1-production")
	passed := true
	for _, tier := range []string{"T0", "T1", "T2", "T3"} {
		s.classify(t, canon.With(s.cls, "effectiveTier", canon.NewString(tier)))
		o := s.document(t, canon.With(s.doc, "effectiveTier", canon.NewString(tier)), verify.Strict)
		if o.Verdict() == verify.Pass && !passed {
			t.Errorf("%s passes what a lower tier refuses", tier)
		}
		passed = o.Verdict() == verify.Pass
		if tier == "T2" { // evidence of the author's own machine, and artifacts without commit
			wantRules(t, s.document(t, canon.With(s.doc, "effectiveTier", canon.NewString("T1")), verify.Strict), "a lower claim",
				append(errorIDs(o), "readiness.v2.binding.effective-tier")...)
		}
	}
	if passed {
		t.Error("evidence of T1 passes at T3")
	}
}

// Every change of a catalog's structure is refused, and changes of its words
// are not.
func TestCatalogMutations(t *testing.T) {
	s := current(t, "t1-catalog")
	good := s.read(t, catalogFile)
	words := []string{"title", "description", "requirement"}
	places := pointers(canon.Node{Value: good})
	rapid.Check(t, func(r *rapid.T) {
		pointer := rapid.SampledFrom(places).Draw(r, "pointer")
		m := mutations[rapid.IntRange(0, len(mutations)-1).Draw(r, "mutation")]
		doc, ok, err := mutate(good, pointer, m)
		if err != nil {
			r.Fatal(err)
		}
		if !ok {
			return
		}
		name := pointer[lastSlash(pointer)+1:]
		isFree := slices.Contains(words, name) && slices.Contains([]string{"other", "upper", "padded", "cut"}, m.name) ||
			name == "version" || name == "profiles" || len(pointer) > 9 && pointer[:9] == "/profiles"
		s.write(t, catalogFile, string(canon.Compact(doc)))
		for _, level := range levels {
			o := s.judge(t, readiness.Input{Catalog: catalogFile, Level: level})
			if (o.Verdict() == verify.Pass) != isFree {
				r.Fatalf("%s %s at %s level: %s\n%s", pointer, m.name, level, o.Verdict(), describe(o))
			}
		}
	})
}

// Two layers, capabilities, controls, edges or types that change places are
// another structure.
func TestCatalogOrder(t *testing.T) {
	s := current(t, "t1-catalog")
	good := s.read(t, catalogFile)
	for _, list := range []string{"/layers", "/layers/0/capabilities", "/layers/4/controls", "/layers/5/dependencies", "/layers/12/conditionalDependencies", "/layers/1/controls/2/proofPolicy/types"} {
		elems := slices.Clone(at(good, list).Elems())
		elems[0], elems[1] = elems[1], elems[0]
		doc, err := casefile.Edit(good, "replace", list, canon.NewArray(elems...))
		if err != nil {
			t.Fatal(err)
		}
		s.write(t, catalogFile, string(canon.Compact(doc)))
		for _, level := range levels {
			wantRules(t, s.judge(t, readiness.Input{Catalog: catalogFile, Level: level}), list, "catalog.structure-mismatch")
		}
	}
}

func lastSlash(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '/' {
			return i
		}
	}
	return -1
}
