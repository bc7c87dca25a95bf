package packet

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
)

func digestDocument(t testing.TB, name string) canon.Value {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectors.Dir(t, "packet"), name))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, data).Get("document")
}

// leaves lists the JSON pointers of all scalars below v.
func leaves(v canon.Value, at string) []string {
	if !v.IsObject() && !v.IsArray() {
		return []string{at}
	}
	var list []string
	for i, e := range v.Elems() {
		list = append(list, leaves(e, at+"/"+strconv.Itoa(i))...)
	}
	for _, m := range v.Members() {
		list = append(list, leaves(m.Value, at+"/"+canon.EscapePointer(m.Name))...)
	}
	return list
}

// unhashed are the members that no digest covers: the bindings themselves, the
// status, which must be "ready", and of the runtime everything that its own
// digest covers.
func unhashed(pointer string) bool {
	if strings.HasPrefix(pointer, "/validationRuntime/") {
		return pointer != "/validationRuntime/setSha256"
	}
	return pointer == "/status" || strings.HasPrefix(pointer, "/bindings/")
}

// Changing any one hashed value changes the envelope; what the review signs
// changes unless the value is about the review or later than it.
func TestEveryHashedValueIsBound(t *testing.T) {
	for _, name := range []string{"digests-v3.json", "digests-v3-unicode.json", "digests-v2.json"} {
		doc := digestDocument(t, name)
		before := DigestsOf(doc)
		seen := 0
		for _, pointer := range leaves(doc, "") {
			if unhashed(pointer) {
				continue
			}
			changed, err := casefile.Edit(doc, "replace", pointer, canon.NewString("something else"))
			if err != nil {
				t.Fatal(err)
			}
			seen++
			after := DigestsOf(changed)
			if binding(before, "envelopeSha256") == binding(after, "envelopeSha256") {
				t.Errorf("%s: %s is not bound by the envelope", name, pointer)
			}
			if strings.HasSuffix(pointer, "/gate") && isEntryFor(doc, pointer, GateReview) {
				continue // it is no review entry any more, and in the bundle
			}
			ofReview := slices.Contains([]string{"/generatedAt", "/roleProvenanceSha256"}, pointer) || isEntryFor(doc, pointer, GateReview)
			if same := before.BundleSHA256 == after.BundleSHA256; same != ofReview && pointer != "/schema" {
				t.Errorf("%s: %s: bundle unchanged: %v", name, pointer, same)
			}
			accepted := strings.HasPrefix(pointer, "/gateArtifacts/") && !isEntryFor(doc, pointer, GateReview) && !isEntryFor(doc, pointer, GateClosure)
			if accepted && before.AcceptedGatesSHA256 == after.AcceptedGatesSHA256 {
				t.Errorf("%s: %s: accepted gate set unchanged", name, pointer)
			}
		}
		if seen < 20 {
			t.Errorf("%s: only %d values changed", name, seen)
		}
	}
}

func binding(d *Digests, name string) string {
	i := slices.IndexFunc(d.Bindings, func(b Binding) bool { return b.Name == name })
	if i < 0 {
		return ""
	}
	return d.Bindings[i].SHA256
}

// isEntryFor reports whether a pointer leads into the entry of a gate.
func isEntryFor(doc canon.Value, pointer, gate string) bool {
	parts := strings.Split(pointer, "/")
	if len(parts) < 3 || parts[1] != "gateArtifacts" {
		return false
	}
	i, err := strconv.Atoi(parts[2])
	return err == nil && doc.Get("gateArtifacts").Elems()[i].Get("gate").Is(gate)
}

// The order of gate entries, of members and of required gates is free; that of
// snapshots and inventory is not.
func TestWhichOrdersCount(t *testing.T) {
	doc := digestDocument(t, "digests-v3.json")
	before := DigestsOf(doc)
	free := map[string]bool{"gateArtifacts": true, "requiredGates": true, "artifactInventory": false, "catalogSnapshots": false}
	for member, isFree := range free {
		list := slices.Clone(doc.Get(member).Elems())
		if len(list) < 2 {
			list = append(list, list...)
			doc := with(doc, member, canon.NewArray(list...))
			if DigestsOf(doc).BundleSHA256 == before.BundleSHA256 {
				t.Errorf("%s: a repeated element does not count", member)
			}
			continue
		}
		slices.Reverse(list)
		after := DigestsOf(with(doc, member, canon.NewArray(list...)))
		if same := after.BundleSHA256 == before.BundleSHA256; same != isFree {
			t.Errorf("%s reversed: bundle unchanged: %v", member, same)
		}
		if same := binding(after, "envelopeSha256") == binding(before, "envelopeSha256"); same != isFree {
			t.Errorf("%s reversed: envelope unchanged: %v", member, same)
		}
	}
}

func with(doc canon.Value, name string, v canon.Value) canon.Value {
	members := slices.Clone(doc.Members())
	i := slices.IndexFunc(members, func(m canon.Member) bool { return m.Name == name })
	if i < 0 {
		return canon.Build(append(members, canon.Member{Name: name, Value: v})...)
	}
	members[i].Value = v
	return canon.Build(members...)
}

// A producer gets what a verifier compares, or is told what is missing.
func TestBindingsValue(t *testing.T) {
	doc := digestDocument(t, "digests-v2.json")
	v, err := DigestsOf(doc).BindingsValue()
	if err != nil || !canon.Equal(v, doc.Get("bindings")) {
		t.Errorf("bindings %s, %v", canon.Canonical(v), err)
	}
	doc = digestDocument(t, "digests-v3.json")
	for _, pointer := range []string{"/inputs/goal", "/generatedAt", "/validationRuntime", "/assuranceLevel", "/roleProvenanceSha256", "/inputs/route/sha256"} {
		lacking, err := casefile.Edit(doc, "remove", pointer, canon.Value{})
		if err != nil {
			t.Fatal(err)
		}
		if v, err := DigestsOf(lacking).BindingsValue(); err == nil {
			t.Errorf("without %s: %s", pointer, canon.Canonical(v))
		} else if _, named := err.(*IncomputableError); !named {
			t.Errorf("without %s: %v", pointer, err)
		}
	}
}

// A member that is absent is neither null nor dropped in what is hashed.
func TestAbsentIsNotNull(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"gate", "path", "sha256", "required", "runId", "commit", "environment"}).Draw(t, "member")
		entry := canon.Build(canon.Member{Name: "gate", Value: canon.NewString("eval")}, canon.Member{Name: "path", Value: canon.NewString("x")})
		null := canon.Digest(GateValue(canon.NewArray(with(entry, name, canon.NewNull()))))
		absent := canon.Digest(GateValue(canon.NewArray(without1(entry, name))))
		if null == absent {
			t.Fatalf("%s: null and absent have the same digest", name)
		}
	})
}

func without1(v canon.Value, name string) canon.Value {
	return canon.Build(slices.DeleteFunc(slices.Clone(v.Members()), func(m canon.Member) bool { return m.Name == name })...)
}
