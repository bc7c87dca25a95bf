package packet

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
	"finishline/verify/evidence"
)

// loadedInput is an input of the packet as far as it was read.
type loadedInput struct {
	spec  InputSpec
	entry canon.Node
	doc   *document // nil when not loaded
}

// declared is the digest by which the packet binds the input.
func (i *loadedInput) declared() canon.Value { return i.entry.Get("sha256") }

// inputSet is what §4.1 made of the four inputs.
type inputSet struct {
	list  []*loadedInput
	nodes []Node
}

func (s *inputSet) get(name InputName) *loadedInput {
	i := slices.IndexFunc(s.list, func(in *loadedInput) bool { return in.spec.Name == name })
	return s.list[i]
}

func (s *inputSet) value(name InputName) canon.Value {
	if d := s.get(name).doc; d != nil {
		return d.Value
	}
	return canon.Value{}
}

// loadInputs reads the inputs and evaluates the rules of §4.1 that need nothing
// else.
func (v *verification) loadInputs(out *verify.Findings) *inputSet {
	set := &inputSet{}
	for _, spec := range inputSpecs {
		in := &loadedInput{spec: spec, entry: v.doc.At("inputs").At(string(spec.Name))}
		set.list = append(set.list, in)
		set.nodes = append(set.nodes, v.loadInput(out, in))
	}
	return set
}

func (v *verification) loadInput(out *verify.Findings, in *loadedInput) Node {
	path, sum := in.entry.At("path"), in.entry.At("sha256")
	node := Node{Kind: "input", Name: string(in.spec.Name), Path: path.Text(), Declared: sum.Text(), State: Unreadable}
	if _, isString := path.Str(); !isString || !canon.IsDigest(sum.Value) {
		found := verify.Show(in.entry.Value)
		if in.entry.IsObject() {
			found = "path " + verify.Show(path.Value) + ", sha256 " + verify.Show(sum.Value)
		}
		out.Add("packet.input.binding-invalid", v.at(in.entry), verify.What{Found: found, Expected: "path " + in.spec.Path + ", sha256 " + expectDigest})
		return node
	}
	f := v.fetch(out, v.at(path), path.Text(), canon.MaxDocument)
	if f.pathErr == nil && (path.Text() != in.spec.Path || f.res.Rel != in.spec.Path) {
		out.Add("packet.input.path-not-canonical", v.at(path), verify.What{Found: verify.Show(path.Value), Expected: in.spec.Path})
	}
	if f.artifact != nil {
		node.Actual = f.artifact.SHA256
		node.State = stateOf(node.Declared, node.Actual)
		v.reportDigest(out, "packet.input.digest-mismatch", sum, f.artifact)
	}
	if why, unlooked := f.failed(); why != "" {
		out.Wrap("packet.input.unreadable", v.at(path), verify.What{
			Found: verify.Quote(path.Text()) + ": " + why, Expected: "a JSON document", Unevaluated: unlooked}, f.causes)
		return node
	}
	in.doc = f.doc
	return node
}

// reportDigest adds rule when an artifact has other bytes than declared.
func (v *verification) reportDigest(out *verify.Findings, rule string, declared canon.Node, a *evidence.Artifact) {
	if declared.Is(a.SHA256) {
		return
	}
	out.Add(rule, v.at(declared), verify.What{
		Found:    verify.Quote(a.Path) + " has " + a.SHA256,
		Expected: verify.Show(declared.Value),
		Hint:     evidence.LineEndHint(a.Data, declared.Text()),
	})
}

// inputChecks evaluates the rest of §4.1 for one input that was loaded: its
// subject, its schema and the scans. The validator of its kind comes later.
func (v *verification) inputChecks(out *verify.Findings, in *loadedInput) {
	if in.doc == nil {
		return
	}
	v.subject.report(out, "packet.input.subject-mismatch", in.doc.path, in.doc.Node)
	if schema := in.doc.At("schema"); !schema.Is(in.spec.Schema) {
		out.Add("packet.input.schema-mismatch", verify.At(in.doc.path, schema.Pointer), verify.What{Found: verify.Show(schema.Value), Expected: in.spec.Schema})
	}
	v.strictJSON(out, in.doc)
	v.scan(out, in.doc)
}

// crossChecks evaluates the bindings between inputs. The digest that counts is
// the one the packet declares.
func (v *verification) crossChecks(out *verify.Findings, set *inputSet) {
	bound := func(rule string, from, to InputName, member string) {
		holder, target := set.get(from), set.get(to)
		if holder.doc == nil || target.doc == nil {
			return
		}
		if n := holder.doc.At(member); !sameText(target.declared(), n.Value) {
			out.Add(rule, verify.At(holder.doc.path, n.Pointer), verify.What{
				Found: verify.Show(n.Value), Expected: verify.Show(target.declared()) + ", the digest of " + target.spec.Path})
		}
	}
	bound("packet.cross.route-intake", Route, Intake, "intakeSha256")
	bound("packet.cross.route-classification", Route, Classification, "workloadClassificationSha256")
	bound("packet.cross.goal-classification", Goal, Classification, "workloadClassificationSha256")
	bound("packet.cross.goal-route", Goal, Route, "initialRouteSha256")
	goal, intake := set.get(Goal).doc, set.get(Intake).doc
	if goal == nil || intake == nil {
		return
	}
	if n := goal.At("requestSha256"); !sameText(intake.Get("requestSha256"), n.Value) {
		out.Add("packet.cross.goal-request", verify.At(goal.path, n.Pointer), verify.What{
			Found: verify.Show(n.Value), Expected: verify.Show(intake.Get("requestSha256")) + ", as the intake has it"})
	}
}

// deriveGates evaluates §4.2: the derived list, or nil, and its comparison with
// the declared one.
func (v *verification) deriveGates(out *verify.Findings, set *inputSet) []string {
	gates, err := Derivation{
		Intake: set.value(Intake), Classification: set.value(Classification), Route: set.value(Route),
		AssuranceLevel: v.doc.Get("assuranceLevel"), RCAExists: v.rcaExists(),
	}.RequiredGates()
	if e, underivable := err.(*UnderivableError); underivable && e.Rule == ruleUnknownGate {
		at := set.get(Route).doc.At("gateApplicability")
		for _, g := range e.Gates {
			out.Add(ruleUnknownGate, verify.At(set.get(Route).doc.path, at.At(g).Pointer), verify.What{
				Found: verify.Quote(g), Expected: "one of " + strings.Join(RouteGates(), " ")})
		}
	}
	declared := v.doc.At("requiredGates")
	if listed := sortedTexts(declared.Value); !slices.Equal(listed, gates) {
		expected := "[" + strings.Join(gates, " ") + "], which follow from the inputs"
		if err != nil {
			expected = "none can be derived: " + err.Error()
		}
		out.Add("packet.gates.required-set-mismatch", v.at(declared), verify.What{Found: "[" + strings.Join(listed, " ") + "]", Expected: expected})
	}
	return gates
}

// sortedTexts is a list as a set of texts, in order.
func sortedTexts(list canon.Value) []string {
	var texts []string
	for _, e := range list.Elems() {
		texts = append(texts, canon.TextForm(e))
	}
	slices.SortFunc(texts, canon.CompareUTF16)
	return slices.Compact(texts)
}

// rcaExists reports whether anything is at rca/rca.json. Links are followed;
// what the operating system will not tell counts as there, so that the gate is
// required rather than skipped.
func (v *verification) rcaExists() bool {
	_, err := os.Stat(filepath.Join(v.root.Dir(), "rca", "rca.json"))
	return err == nil || !evidence.IsAbsent(err)
}

// inputDelegates are the validators of the inputs that may run now: the intake's
// always, the others when the runtime check passed.
func (v *verification) inputDelegates(set *inputSet, runtimePassed bool) []*delegation {
	var list []*delegation
	for _, in := range set.list {
		if in.doc == nil || in.spec.Name != Intake && !runtimePassed {
			continue
		}
		list = append(list, &delegation{
			gate: string(in.spec.Name), path: in.spec.Path, at: v.at(in.entry), rule: "packet.input.native-invalid",
		})
	}
	return list
}
