package workload

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
)

// mustLoad returns the embedded rules.
func mustLoad(t testing.TB) *Rules {
	t.Helper()
	rules, err := Load()
	if err != nil {
		t.Fatalf("embedded rules: %v", err)
	}
	return rules
}

// namedTexts stands in for the fixed texts, each by its key: the vectors name
// them by key too.
func namedTexts() Texts {
	texts := Texts{map[string]string{}}
	for _, key := range fixedTextKeys {
		texts.byKey[key] = "fixed text " + key
	}
	return texts
}

type textCase struct {
	name, text, profile string
	expect              canon.Value
}

func textCases(t testing.TB) []textCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectors.Dir(t, "classifier"), "texts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []textCase
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte{'\n'}) {
		doc, err := canon.Read(line, canon.MaxDocument)
		if err != nil {
			t.Fatalf("texts.jsonl, case %d: %v", len(cases)+1, err)
		}
		cases = append(cases, textCase{
			doc.Root.Get("case").Text(), doc.Root.Get("text").Text(),
			doc.Root.Get("requestedProfile").Text(), doc.Root.Get("expect"),
		})
	}
	return cases
}

func TestVectorsClassifier(t *testing.T) {
	rules := mustLoad(t)
	tally := vectors.NewTally(t, "classifier")
	for _, c := range textCases(t) {
		tally.Case(c.name, func(t *testing.T) { checkText(t, rules, c) })
	}
}

func checkText(t *testing.T, rules *Rules, c textCase) {
	analysis := rules.Analyse(c.text)
	derived, err := analysis.Classify(c.profile)
	if err != nil {
		t.Fatal(err)
	}
	var document []canon.Member
	for _, name := range Members {
		got, err := derived.Member(name, namedTexts())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		document = append(document, member(name, got))
		if want := longForm(rules, name, c.expect.Get(name)); !canon.Same(got, want) {
			t.Errorf("%s of %q:\n got %s\nwant %s", name, c.text, canon.Compact(got), canon.Compact(want))
		}
	}
	doc := canon.Build(document...)
	others := map[string]canon.Value{
		"deliveryPrimary": canon.NewString(rules.DeliveryPrimary(doc.Get("taskType"))),
		"supporting":      list(rules.Supporting(doc)),
		"budget":          budgetNumbers(rules.Budget(doc)),
		"fullStack":       canon.NewBool(analysis.FullStack()),
		"liveSmoke":       canon.NewBool(analysis.LiveSmoke()),
	}
	for name, got := range others {
		if want := c.expect.Get(name); !canon.Same(got, want) {
			t.Errorf("%s of %q: got %s, want %s", name, c.text, canon.Compact(got), canon.Compact(want))
		}
	}
	for _, m := range c.expect.Members() {
		if _, other := others[m.Name]; !other && !slices.Contains(Members, m.Name) {
			t.Errorf("the case expects %q, which nothing checks", m.Name)
		}
	}
}

func budgetNumbers(budget canon.Value) canon.Value {
	var numbers []canon.Value
	for _, m := range budget.Members() {
		numbers = append(numbers, m.Value)
	}
	return canon.NewArray(numbers...)
}

// longForm expands the short forms of the vectors' README.
func longForm(rules *Rules, name string, short canon.Value) canon.Value {
	text := func(key string) canon.Value { return canon.NewString("fixed text " + key) }
	switch name {
	case "productionLayers":
		words := map[byte]string{'r': Required, 'p': PotentiallyAffected, 'n': NotApplicable}
		var layers []canon.Value
		for i, id := range rules.Layers() {
			members := []canon.Member{
				member("layer", canon.NewString(id)),
				member("initialApplicability", canon.NewString(words[short.Text()[i]])),
			}
			if short.Text()[i] == 'n' {
				members = append(members, member("reason", text("layer.docs-only")))
			}
			layers = append(layers, canon.Build(members...))
		}
		return canon.NewArray(layers...)
	case "foundation":
		members := []canon.Member{member("initialApplicability", short)}
		if short.Is(NotApplicable) {
			members = append(members, member("reason", text("foundation.docs-only")))
		}
		return canon.Build(members...)
	case "unknowns":
		var all []canon.Value
		for _, key := range short.Elems() {
			all = append(all, text("unknown."+key.Text()))
		}
		return canon.NewArray(all...)
	case "materialUnknowns":
		var all []canon.Value
		for _, id := range short.Elems() {
			all = append(all, canon.Build(member("id", id),
				member("resolution", canon.NewString("human-acknowledgement")),
				member("summary", text("unknown."+id.Text()))))
		}
		return canon.NewArray(all...)
	}
	return short
}
