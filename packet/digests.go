package packet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"finishline/canon"
)

// bundleSchema names the built object whose digest a review signs.
const bundleSchema = "valdris.review-evidence-bundle.v1"

// Digests are the values of contract 05, §6, that follow from a packet alone.
// A producer writes them, a verifier compares them.
type Digests struct {
	// Bundle is the evidence bundle: all that a review accepts. It is a built
	// object, so members that the packet lacks are absent in it, not missing.
	Bundle canon.Value
	// BundleSHA256 is its digest; the review signs it.
	BundleSHA256 string
	// AcceptedGatesSHA256 is the digest of the gate entries that precede the
	// closure and the review; the closure names it.
	AcceptedGatesSHA256 string
	// Bindings are the expected members of packet.bindings, in the order of
	// the contract; nil when Missing is not empty.
	Bindings []Binding
	// Missing are JSON pointers of members without which the bindings cannot
	// be computed.
	Missing []string
}

// A Binding is one expected member of packet.bindings. SHA256 is "" when the
// packet lacks the member that it copies; nothing equals it then.
type Binding struct{ Name, SHA256 string }

// DigestsOf computes the digests of a packet document. The members that only
// v3 has enter them when its schema is exactly v3.
func DigestsOf(doc canon.Value) *Digests {
	d := &digester{doc: doc, v3: doc.Get("schema").Is(SchemaV3)}
	gates := doc.Get("gateArtifacts")
	bundle := d.bundle()
	out := &Digests{
		Bundle:              bundle,
		BundleSHA256:        canon.Digest(bundle),
		AcceptedGatesSHA256: canon.Digest(GateValue(without(gates, GateReview, GateClosure))),
		Missing:             d.missing(),
	}
	if len(out.Missing) > 0 {
		return out
	}
	for _, m := range d.bindings(out.BundleSHA256) {
		out.Bindings = append(out.Bindings, Binding{m.Name, m.Value.Text()})
	}
	return out
}

// GateValue is the built array that stands for gate entries in every digest:
// exactly the hashed members of each entry, supporting artifacts reduced and
// sorted, the list sorted by gate. Anything but an array counts as empty.
func GateValue(list canon.Value) canon.Value {
	entries := sortedBy(list.Elems(), "gate")
	for i, e := range entries {
		entries[i] = gateValue(e)
	}
	return canon.NewArray(entries...)
}

func gateValue(entry canon.Value) canon.Value {
	value := canon.Pick(entry, "gate", "path", "sha256", "required", "runId", "commit", "environment")
	support := entry.Get("supportingArtifacts")
	if !support.IsArray() {
		return value
	}
	return canon.Build(append(slices.Clone(value.Members()), canon.Member{Name: "supportingArtifacts", Value: supportValue(support)})...)
}

// supportValue reduces supporting artifacts to what is hashed, in canonical
// order.
func supportValue(list canon.Value) canon.Value {
	elems := make([]canon.Value, 0, list.Len())
	for _, e := range list.Elems() {
		elems = append(elems, canon.Pick(e, "kind", "path", "sha256"))
	}
	return canon.NewArray(sortedBy(elems, "kind", "path")...)
}

// sortedBy is a copy of a list in stable UTF-16 order of the texts of members,
// or of the elements themselves when no member is named. Texts are made once
// per element, because a hostile one may be long.
func sortedBy(list []canon.Value, names ...string) []canon.Value {
	type keyed struct {
		value canon.Value
		keys  []string
	}
	decorated := make([]keyed, len(list))
	for i, v := range list {
		decorated[i].value = v
		if len(names) == 0 {
			decorated[i].keys = []string{canon.TextForm(v)}
		}
		for _, n := range names {
			decorated[i].keys = append(decorated[i].keys, canon.TextForm(v.Get(n)))
		}
	}
	slices.SortStableFunc(decorated, func(a, b keyed) int { return slices.CompareFunc(a.keys, b.keys, canon.CompareUTF16) })
	sorted := make([]canon.Value, len(list))
	for i, d := range decorated {
		sorted[i] = d.value
	}
	return sorted
}

// without is the array of the entries for other gates than these.
func without(list canon.Value, gates ...string) canon.Value {
	return canon.NewArray(slices.DeleteFunc(slices.Clone(list.Elems()), func(e canon.Value) bool {
		gate, isString := e.Get("gate").Str()
		return isString && slices.Contains(gates, gate)
	})...)
}

type digester struct {
	doc canon.Value
	v3  bool

	catalogs string // sha(CJ(catalogSnapshots)), v3 only, once computed
}

func (d *digester) catalogsSHA256() string {
	if d.catalogs == "" {
		d.catalogs = canon.Digest(d.doc.Get("catalogSnapshots"))
	}
	return d.catalogs
}

func (d *digester) bundle() canon.Value {
	inputs := make([]canon.Member, len(inputSpecs))
	for i, s := range inputSpecs {
		inputs[i] = canon.Member{Name: string(s.Name), Value: canon.Pick(d.input(s.Name), "path", "sha256")}
	}
	members := []canon.Member{
		{Name: "schema", Value: canon.NewString(bundleSchema)},
		{Name: "runId", Value: d.doc.Get("runId")},
		{Name: "commit", Value: d.doc.Get("commit")},
		{Name: "environment", Value: d.doc.Get("environment")},
		{Name: "validationRuntimeSha256", Value: d.doc.Get("validationRuntime").Get("setSha256")},
		{Name: "inputs", Value: canon.Build(inputs...)},
		{Name: "requiredGates", Value: d.sortedGates()},
		{Name: "gateArtifacts", Value: GateValue(without(d.doc.Get("gateArtifacts"), GateReview))},
	}
	if d.v3 {
		members = append(members,
			canon.Member{Name: "assuranceLevel", Value: d.doc.Get("assuranceLevel")},
			canon.Member{Name: "catalogSnapshotsSha256", Value: canon.NewString(d.catalogsSHA256())})
	}
	if inventory := d.doc.Get("artifactInventory"); inventory.IsArray() {
		members = append(members, canon.Member{Name: "artifactInventory", Value: inventory})
	}
	return canon.Build(members...)
}

func (d *digester) input(name InputName) canon.Value {
	return d.doc.Get("inputs").Get(string(name))
}

// sortedGates is requiredGates in UTF-16 order, duplicates kept.
func (d *digester) sortedGates() canon.Value {
	return canon.NewArray(sortedBy(d.doc.Get("requiredGates").Elems())...)
}

// missing lists what the bindings cannot do without: the texts that are hashed
// as such, and the containers that copies are taken from.
func (d *digester) missing() []string {
	var list []string
	texts := []string{"generatedAt", "runId", "commit", "environment"}
	if d.v3 {
		texts = append(texts, "assuranceLevel")
	}
	for _, name := range texts {
		if _, isString := d.doc.Get(name).Str(); !isString {
			list = append(list, "/"+name)
		}
	}
	for _, s := range inputSpecs {
		if v := d.input(s.Name); !v.Present() || v.IsNull() {
			list = append(list, "/inputs/"+string(s.Name))
		}
	}
	if v := d.doc.Get("validationRuntime"); !v.Present() || v.IsNull() {
		list = append(list, "/validationRuntime")
	}
	return list
}

// bindings are the members of bindings, the envelope last. A copy that the
// packet lacks is an absent member, in the envelope too.
func (d *digester) bindings(bundleSHA256 string) []canon.Member {
	var list []canon.Member
	add := func(name string, v canon.Value) { list = append(list, canon.Member{Name: name, Value: v}) }
	text := func(member string) canon.Value {
		return canon.NewString(canon.TextDigest(d.doc.Get(member).Text()))
	}
	add("generatedAtSha256", text("generatedAt"))
	add("runSha256", text("runId"))
	add("commitSha256", text("commit"))
	add("environmentSha256", text("environment"))
	for _, s := range inputSpecs {
		add(string(s.Name)+"Sha256", d.input(s.Name).Get("sha256"))
	}
	add("gateArtifactsSha256", canon.NewString(canon.Digest(GateValue(d.doc.Get("gateArtifacts")))))
	add("validationRuntimeSha256", d.doc.Get("validationRuntime").Get("setSha256"))
	add("evidenceBundleSha256", canon.NewString(bundleSHA256))
	add("roleProvenanceSha256", d.doc.Get("roleProvenanceSha256"))
	if inventory := d.doc.Get("artifactInventory"); inventory.IsArray() {
		add("artifactInventorySha256", canon.NewString(canon.Digest(inventory)))
	}
	if d.v3 {
		add("assuranceLevelSha256", text("assuranceLevel"))
		add("catalogSnapshotsSha256", canon.NewString(d.catalogsSHA256()))
	}
	envelope := append([]canon.Member{
		{Name: "schema", Value: d.doc.Get("schema")},
		{Name: "requiredGates", Value: d.sortedGates()},
	}, list...)
	add("envelopeSha256", canon.NewString(canon.Digest(canon.Build(envelope...))))
	return list
}

// RoleProvenanceSHA256 is the digest that a packet records of the role
// provenance of its review.
func RoleProvenanceSHA256(review canon.Value) string {
	return canon.Digest(review.Get("roleProvenance"))
}

// An IncomputableError says that a packet lacks members without which its
// bindings mean nothing.
type IncomputableError struct{ Missing []string }

func (e *IncomputableError) Error() string {
	return fmt.Sprintf("the bindings cannot be computed without %s", strings.Join(e.Missing, ", "))
}

// BindingsValue is the member bindings that the packet should have: what a
// producer writes. The error is an *IncomputableError.
func (d *Digests) BindingsValue() (canon.Value, error) {
	if len(d.Missing) > 0 {
		return canon.Value{}, &IncomputableError{d.Missing}
	}
	members := make([]canon.Member, len(d.Bindings))
	for i, b := range d.Bindings {
		if b.SHA256 == "" {
			return canon.Value{}, &IncomputableError{[]string{"the member that " + b.Name + " copies"}}
		}
		members[i] = canon.Member{Name: b.Name, Value: canon.NewString(b.SHA256)}
	}
	return canon.Build(members...), nil
}

// absentHashed lists, sorted, the JSON pointers of members that the digests of
// §6 hash though the packet lacks them (strict.canon.absent-member).
func absentHashed(doc canon.Value) []string {
	v3 := doc.Get("schema").Is(SchemaV3)
	var list []string
	need := func(at canon.Node, names ...string) {
		for _, n := range names {
			if m := at.At(n); !m.Present() {
				list = append(list, m.Pointer)
			}
		}
	}
	root := canon.Node{Value: doc}
	need(root, "runId", "commit", "environment", "roleProvenanceSha256")
	if v3 {
		need(root, "assuranceLevel", "catalogSnapshots")
	}
	need(root.At("validationRuntime"), "setSha256")
	for _, s := range inputSpecs {
		need(root.At("inputs").At(string(s.Name)), "path", "sha256")
	}
	for _, entry := range root.At("gateArtifacts").Items() {
		need(entry, "gate", "path", "sha256", "required", "runId", "commit", "environment")
		for _, s := range entry.At("supportingArtifacts").Items() {
			need(s, "kind", "path", "sha256")
		}
	}
	slices.SortFunc(list, cmp.Compare[string])
	return list
}
