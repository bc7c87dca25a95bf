package pack

import (
	"fmt"
	"slices"
	"strings"

	"finishline/canon"
	"finishline/verify"
)

// Declared is what a packet says about its validation runtime.
type Declared struct {
	Artifact string     // the packet's path
	Runtime  canon.Node // its member validationRuntime
	Level    verify.Level
}

func (d Declared) place(n canon.Node) verify.Place { return verify.At(d.Artifact, n.Pointer) }

// Compare holds a declaration against a binding (06 §8), for a v3 packet whose
// commit is HEAD. bound and found are what [Bind] returned: without a binding
// the base rule in found is the cause of runtime.declared.untrusted, with one
// the strict findings in found are taken over. All rules that fail are
// reported.
func Compare(d Declared, bound *Binding, found *verify.Findings) *verify.Findings {
	out := Table.Collect(d.Level)
	if !declares(d, out) {
		return out
	}
	if bound == nil {
		out.Wrap(ruleDeclaredUntrusted, d.place(d.Runtime), verify.What{
			Found: because(found), Expected: "a pack that can be bound"}, found.List())
		return out
	}
	out.Merge(found)
	d.schema(out)
	if source := d.Runtime.At("source"); !canon.Equal(source.Value, bound.source()) {
		out.Add(ruleDeclaredSource, d.place(source), differingMembers(source.Value, bound.source()))
	}
	d.files(out, bound)
	for _, m := range []struct{ name, rule, want string }{
		{"runtimeSha256", ruleDeclaredRuntimeDigest, bound.RuntimeSHA256},
		{"reviewTrustSha256", ruleDeclaredTrustDigest, bound.ReviewTrustSHA256},
		{"setSha256", ruleDeclaredSetDigest, bound.SetSHA256},
	} {
		if n := d.Runtime.At(m.name); !n.Is(m.want) {
			out.Add(m.rule, d.place(n), verify.What{Found: verify.Show(n.Value), Expected: verify.Quote(m.want)})
		}
	}
	return out
}

// declares evaluates runtime.declared.missing.
func declares(d Declared, out *verify.Findings) bool {
	if d.Runtime.IsObject() {
		return true
	}
	out.Add(ruleDeclaredMissing, d.place(d.Runtime), verify.What{Found: verify.Show(d.Runtime.Value), Expected: "an object"})
	return false
}

func (d Declared) schema(out *verify.Findings) {
	if n := d.Runtime.At("schema"); !n.Is(Schema) {
		out.Add(ruleDeclaredSchema, d.place(n), verify.What{Found: verify.Show(n.Value), Expected: verify.Quote(Schema)})
	}
}

// because names the rule that ended the binding.
func because(found *verify.Findings) string {
	for _, f := range slices.Backward(found.List()) {
		if f.Severity == verify.Error {
			return "the pack at hand is refused by " + f.Rule
		}
	}
	return "the pack at hand was not bound"
}

// differingMembers says which members of two objects differ.
func differingMembers(got, want canon.Value) verify.What {
	if !got.IsObject() {
		return verify.What{Found: verify.Show(got), Expected: "an object"}
	}
	var found, expected []string
	for _, m := range want.Members() {
		if v := got.Get(m.Name); !canon.Equal(v, m.Value) {
			found = append(found, m.Name+" "+verify.Show(v))
			expected = append(expected, m.Name+" "+verify.Show(m.Value))
		}
	}
	for _, m := range got.Members() {
		if !want.Has(m.Name) {
			found = append(found, "a member "+verify.Quote(m.Name))
			expected = append(expected, "no other member")
			break
		}
	}
	return verify.What{Found: strings.Join(found, ", "), Expected: strings.Join(expected, ", ")}
}

func (d Declared) files(out *verify.Findings, bound *Binding) {
	files := d.Runtime.At("files")
	if !files.IsArray() {
		out.Add(ruleDeclaredFilesNotArray, d.place(files), verify.What{Found: verify.Show(files.Value), Expected: "an array"})
	}
	want := fileValues(bound.Files)
	if canon.Equal(files.Value, want) {
		return
	}
	place, what := firstDifferingFile(files, bound.Files)
	out.Add(ruleDeclaredFiles, verify.At(d.Artifact, place), what)
}

// firstDifferingFile points at the first entry that is not the computed one.
func firstDifferingFile(files canon.Node, want []File) (pointer string, what verify.What) {
	expected := fileValues(want).Elems()
	items := files.Items()
	i := 0
	for i < len(items) && i < len(expected) && canon.Equal(items[i].Value, expected[i]) {
		i++
	}
	pointer = files.Pointer
	found, wanted := fmt.Sprintf("%d entries", len(items)), fmt.Sprintf("%d entries", len(expected))
	if i < len(items) {
		pointer = items[i].Pointer
		found = "path " + verify.Show(items[i].At("path").Value) + ", sha256 " + verify.Show(items[i].At("sha256").Value)
	}
	if i < len(expected) {
		wanted = "path " + verify.Quote(want[i].Path) + ", sha256 " + verify.Quote(want[i].SHA256)
	}
	return pointer, verify.What{Found: found, Expected: wanted}
}
