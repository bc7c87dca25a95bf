package proof

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/internal/proptest"
	"finishline/internal/vectors"
	"finishline/internal/vectors/casefile"
	"finishline/verify"
)

// freeMembers are all members whose value a valid proof may change without any
// rule noticing (03 B.5, "not covered by any binding"), and another value that
// base level accepts. execution.shell, outcome and persistedBytes are not bound
// either, but a rule fixes their value; every other member is bound.
var freeMembers = map[string]canon.Value{
	"/generatedAt":                               canon.NewString("1999-12-31T23:59:59Z"),
	"/execution/maxOutputBytes":                  canon.NewNumber(MaxOutputBytes - 1),
	"/execution/attempts/*/durationMs":           canon.NewNumber(1),
	"/execution/attempts/*/stdout/observedBytes": canon.NewNumber(1 << 30),
	"/execution/attempts/*/stdout/truncated":     canon.NewBool(true),
	"/execution/attempts/*/stderr/observedBytes": canon.NewNumber(1 << 30),
	"/execution/attempts/*/stderr/truncated":     canon.NewBool(true),
}

// openObjects accept unknown members at base level. All others do not: their
// member set is exact, or a binding covers all of it.
var openObjects = []string{"", "/run", "/command", "/execution", "/execution/attempts/*",
	"/execution/attempts/*/stdout", "/execution/attempts/*/stderr", "/outcome", "/bindings"}

func free(pointer string) (canon.Value, bool) {
	for pattern, v := range freeMembers {
		if ok, _ := path.Match(pattern, pointer); ok {
			return v, true
		}
	}
	return canon.Value{}, false
}

func open(pointer string) bool {
	return slices.ContainsFunc(openObjects, func(pattern string) bool { ok, _ := path.Match(pattern, pointer); return ok })
}

// pointers lists every value of a document, containers included.
func pointers(n canon.Node) []canon.Node {
	list := []canon.Node{n}
	for _, m := range n.Members() {
		list = append(list, pointers(n.At(m.Name))...)
	}
	for _, e := range n.Items() {
		list = append(list, pointers(e)...)
	}
	return list
}

func TestGeneratedProofsPassStrict(t *testing.T) {
	seen := proptest.Need(1, string(Flaky), string(TimedOut), string(SpawnFailed), string(SourceMutated), string(RedConfirmed),
		string(UnexpectedGreen), string(Passed), string(Failed))
	seen.Until(t, func(t *rapid.T) {
		p, out := portable(genProof(t), verify.Strict)
		if list := out.List(); len(list) > 0 || !p.Valid() {
			t.Fatalf("a proof as a producer makes it is refused: %+v", list)
		}
		seen.Add(string(p.Outcome().Status))
	})
}

// TestEveryMemberIsBound: whatever one member of a valid proof is changed to,
// or when it is removed, base level refuses, except where freeMembers says so.
func TestEveryMemberIsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genProof(t)
		nodes := pointers(canon.Node{Value: v})[1:]
		at := nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, "member")]
		if _, ok := free(at.Pointer); ok {
			return
		}
		mutant, edit := mutate(t, v, at)
		if !mutant.Present() || canon.Equal(mutant, v) {
			return
		}
		if p, out := portable(mutant, verify.Base); p == nil || p.Valid() || out.Verdict() == verify.Pass {
			t.Fatalf("base accepts %s at %s", edit, at.Pointer)
		}
	})
}

// TestEachMemberOfAVectorIsBound does the same for every member of one proof,
// leaving none to chance: removed, replaced by a neighbour of the same type,
// and by each other type.
func TestEachMemberOfAVectorIsBound(t *testing.T) {
	v := vector(t, "proof-portable", "valid-rich")
	tried := 0
	for _, at := range pointers(canon.Node{Value: v})[1:] {
		if _, ok := free(at.Pointer); ok {
			continue
		}
		for _, other := range append(otherTypes(at.Value), neighbours(at.Value)...) {
			if canon.Equal(other, at.Value) {
				continue
			}
			tried++
			if p, _ := portable(edit(t, v, "replace", at.Pointer, other), verify.Base); p.Valid() {
				t.Errorf("base accepts %s at %s", canon.Compact(other), at.Pointer)
			}
		}
		tried++
		if p, _ := portable(edit(t, v, "remove", at.Pointer, canon.Value{}), verify.Base); p.Valid() {
			t.Errorf("base accepts a proof without %s", at.Pointer)
		}
	}
	if tried < 500 {
		t.Errorf("only %d changes tried", tried)
	}
}

// TestFreeMembers is the positive control: the members listed as free are.
func TestFreeMembers(t *testing.T) {
	v := vector(t, "proof-portable", "valid-rich")
	used := map[string]bool{}
	for _, at := range pointers(canon.Node{Value: v})[1:] {
		other, ok := free(at.Pointer)
		if !ok {
			continue
		}
		used[generalise(at.Pointer)] = true
		if p, out := portable(edit(t, v, "replace", at.Pointer, other), verify.Base); !p.Valid() {
			t.Errorf("%s is listed as free, but base refuses another value: %v", at.Pointer, errorsOf(out))
		}
	}
	if len(used) != len(freeMembers) {
		t.Errorf("free members seen: %v", used)
	}
}

func generalise(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i := range parts {
		if _, err := strconv.Atoi(parts[i]); err == nil {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// TestUnknownMembers: base accepts them exactly in openObjects, strict nowhere
// but in host.
func TestUnknownMembers(t *testing.T) {
	v := vector(t, "proof-portable", "valid-rich")
	for _, at := range pointers(canon.Node{Value: v}) {
		if !at.IsObject() {
			continue
		}
		mutant := edit(t, v, "add", at.Pointer+"/harmless", canon.NewNumber(1))
		if p, _ := portable(mutant, verify.Base); p.Valid() != open(at.Pointer) {
			t.Errorf("base accepts an unknown member of %q: %v, want %v", at.Pointer, p.Valid(), open(at.Pointer))
		}
		if !strings.HasPrefix(at.Pointer, "/bindings") && !strings.HasPrefix(at.Pointer, "/outcome") {
			mutant = rebind(t, mutant)
		}
		_, out := portable(mutant, verify.Strict)
		if refused := out.Verdict() != verify.Pass; refused == (at.Pointer == "/host") {
			t.Errorf("strict refuses an unknown member of %q: %v", at.Pointer, refused)
		}
	}
}

// TestBindingOfSomethingElse: for every digest, a valid digest of something
// else fails exactly its own rule.
func TestBindingOfSomethingElse(t *testing.T) {
	v := vector(t, "proof-portable", "valid-rich")
	other := vector(t, "proof-portable", "valid-red-baseline")
	stated := v.Get("bindings")
	for i, b := range bindingTable {
		neighbour := bindingTable[(i+1)%len(bindingTable)].member
		forgeries := map[string]canon.Value{
			"of the neighbour":   stated.Get(neighbour),
			"in upper case":      str(strings.ToUpper(stated.Get(b.member).Text())),
			"in an array":        canon.NewArray(stated.Get(b.member)),
			"of an empty string": str(canon.TextDigest("")),
			"empty":              str(""),
			"null":               canon.NewNull(),
		}
		if theirs := other.Get("bindings").Get(b.member); !canon.Equal(theirs, stated.Get(b.member)) {
			forgeries["of another proof"] = theirs
		} else if b.member != "runSha256" && b.member != "commitSha256" && b.member != "environmentSnapshotSha256" {
			t.Errorf("both proofs have the same %s; this test shows less than it should", b.member)
		}
		for name, digest := range forgeries {
			_, out := portable(edit(t, v, "replace", "/bindings/"+b.member, digest), verify.Base)
			if got := errorsOf(out); !vectors.SameRules(got, []string{b.rule}) {
				t.Errorf("%s %s: %v, want %s", b.member, name, got, b.rule)
			}
		}
		_, out := portable(edit(t, v, "remove", "/bindings/"+b.member, canon.Value{}), verify.Base)
		if got := errorsOf(out); !vectors.SameRules(got, []string{b.rule}) {
			t.Errorf("%s absent: %v, want %s", b.member, got, b.rule)
		}
	}
}

// boundParts are the parts of a proof that one binding covers each.
var boundParts = map[string]string{
	"proof.binding.command": "/command", "proof.binding.execution-inputs": "/command/executionInputs", "proof.binding.output": "/execution/attempts/0",
	"proof.binding.causal-inputs": "/causalInputs", "proof.binding.run": "/run/id", "proof.binding.commit": "/run/commit",
	"proof.binding.environment": "/run/environment", "proof.binding.host": "/host", "proof.binding.source": "/source",
	envelopeRule: "/execution/timeoutMs",
}

// TestPartsOfAnotherProof: a well-formed part of another valid proof does not
// fit, and taking its digest along only moves the failure to the envelope.
func TestPartsOfAnotherProof(t *testing.T) {
	var rules []string
	for _, b := range bindingTable {
		rules = append(rules, b.rule)
	}
	hit := proptest.Need(1, rules...)
	hit.Until(t, func(t *rapid.T) {
		mine, theirs := genProof(t), genProof(t)
		for _, b := range bindingTable {
			part := boundParts[b.rule]
			spliced := splice(t, mine, theirs, part)
			if canon.Equal(spliced, mine) {
				continue
			}
			p, out := portable(spliced, verify.Base)
			if p.Valid() && bound(b, mine, spliced) {
				t.Fatalf("a %s of another proof is accepted", part)
			}
			if out.Has(b.rule) {
				hit.Add(b.rule)
			}
			digest := DeriveBindings(spliced).Value().Get(b.member)
			spliced, err := casefile.Edit(spliced, "replace", "/bindings/"+b.member, digest)
			if err != nil {
				t.Fatal(err)
			}
			if p, out := portable(spliced, verify.Base); b.rule != envelopeRule && bound(b, mine, spliced) && (p.Valid() || out.Has(b.rule)) {
				t.Fatalf("a %s of another proof with its own digest: %v", part, errorsOf(out))
			}
		}
	})
}

// splice puts a part of another proof into a proof, and keeps source.gitHead
// in step with run.commit so that structure stays right.
func splice(t *rapid.T, mine, theirs canon.Value, part string) canon.Value {
	spliced, err := casefile.Edit(mine, "replace", part, at(theirs, part))
	if err == nil {
		spliced, err = casefile.Edit(spliced, "replace", "/source/gitHead", at(spliced, "/run/commit"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return spliced
}

// bound reports whether two proofs differ in what a binding covers: attempts
// may differ in their duration only.
func bound(b binding, x, y canon.Value) bool {
	return b.digest(DeriveBindings(x)) != b.digest(DeriveBindings(y))
}

func at(v canon.Value, pointer string) canon.Value {
	for _, token := range strings.Split(pointer, "/")[1:] {
		if i, err := strconv.Atoi(token); err == nil && v.IsArray() {
			v = v.Elems()[i]
			continue
		}
		v = v.Get(token)
	}
	return v
}

// TestLevels: strict refuses whatever base refuses, base never reports a strict
// rule, and binding rules are silent about a malformed document.
func TestLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genProof(t)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			nodes := pointers(canon.Node{Value: v})
			node := nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, "member")]
			if mutant, _ := mutate(t, v, node); mutant.Present() {
				v = mutant
			}
		}
		_, base := portable(v, verify.Base)
		_, strict := portable(v, verify.Strict)
		checkLevels(t, base, strict)
	})
}

type fataler interface{ Fatalf(string, ...any) }

// checkLevels are the invariants of every verification.
func checkLevels(t fataler, base, strict *verify.Findings) {
	baseRules, strictRules := errorsOf(base), errorsOf(strict)
	if slices.ContainsFunc(baseRules, isStrict) {
		t.Fatalf("base reports %v", baseRules)
	}
	for _, id := range baseRules {
		if !slices.Contains(strictRules, id) {
			t.Fatalf("base reports %s and strict does not: %v", id, strictRules)
		}
	}
	if (base.Verdict() == verify.Pass) != (len(baseRules) == 0) {
		t.Fatalf("verdict %v with the errors %v", base.Verdict(), baseRules)
	}
	structural := func(id string) bool {
		r, ok := Table.Lookup(id)
		return ok && !isStrict(id) && strings.HasPrefix(id, "proof.") && !derivedRule(r.ID)
	}
	if slices.ContainsFunc(baseRules, structural) && slices.ContainsFunc(baseRules, derivedRule) {
		t.Fatalf("stage 2 was evaluated although stage 1 found something: %v", baseRules)
	}
}

func derivedRule(id string) bool {
	return strings.HasPrefix(id, "proof.binding") || strings.HasPrefix(id, "proof.outcome.")
}

// mutate changes one value of a document: to another type, to a neighbour, or
// away.
func mutate(t *rapid.T, v canon.Value, at canon.Node) (canon.Value, string) {
	var mutant canon.Value
	var err error
	choices := append(otherTypes(at.Value), neighbours(at.Value)...)
	n := rapid.IntRange(0, len(choices)).Draw(t, "mutation")
	what := "nothing"
	if n == len(choices) {
		mutant, err = casefile.Edit(v, "remove", at.Pointer, canon.Value{})
	} else {
		what = string(canon.Compact(choices[n]))
		mutant, err = casefile.Edit(v, "replace", at.Pointer, choices[n])
	}
	if err != nil {
		t.Fatal(err)
	}
	return mutant, what
}

func otherTypes(v canon.Value) []canon.Value {
	all := []canon.Value{canon.NewNull(), canon.NewBool(true), canon.NewBool(false), num(0), str(""), canon.NewArray(), canon.Build(), canon.NewArray(v)}
	return slices.DeleteFunc(all, func(o canon.Value) bool { return canon.Equal(o, v) })
}

// neighbours are plausible other values of the same type.
func neighbours(v canon.Value) []canon.Value {
	switch v.Kind() {
	case canon.Number:
		f, _ := v.Num()
		return []canon.Value{canon.NewNumber(f + 1), canon.NewNumber(f - 1), canon.NewNumber(f + 0.5)}
	case canon.String:
		s := v.Text()
		list := []canon.Value{str(s + "x"), str(strings.ToUpper(s)), str(s + "\n"), str(" " + s)}
		if canon.IsHex64(s) {
			list = append(list, str(canon.SHA256([]byte(s))))
		}
		return list
	case canon.Array:
		elems := v.Elems()
		if len(elems) == 0 {
			return []canon.Value{canon.NewArray(str("x"))}
		}
		return []canon.Value{
			canon.NewArray(elems[1:]...),
			canon.NewArray(append(slices.Clone(elems), elems[0])...),
			canon.NewArray(append(slices.Clone(elems[1:]), elems[0])...),
		}
	case canon.Object:
		if v.Len() > 0 {
			return []canon.Value{canon.Build(v.Members()[1:]...)}
		}
	}
	return nil
}
