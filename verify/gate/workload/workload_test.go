package workload

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"finishline/canon"
	"finishline/internal/vectors"
)

// plain is the expression of contract 09b, section 2.2, as it is written there:
// the reference for the matcher.
func plain(t testing.TB, fragments []string) *regexp.Regexp {
	t.Helper()
	if len(fragments) == 0 {
		return regexp.MustCompile(`$^x`)
	}
	re, err := regexp.Compile(`\b(?:` + strings.Join(fragments, "|") + `)\b`)
	if err != nil {
		t.Fatal(err)
	}
	return re
}

type reference struct{ signals, words map[string]*regexp.Regexp }

func newReference(t testing.TB, rules *Rules) reference {
	ref := reference{map[string]*regexp.Regexp{}, map[string]*regexp.Regexp{}}
	for name, fragments := range rules.file.Signals {
		ref.signals[name] = plain(t, fragments)
	}
	for name, set := range rules.triggerSets() {
		var words []string
		for _, w := range set.Words {
			words = append(words, w+"(?:s|es)?")
		}
		ref.words[name] = plain(t, words)
	}
	return ref
}

func (ref reference) check(t interface{ Errorf(string, ...any) }, rules *Rules, text string) {
	compare := func(kind string, got map[string]bool, want map[string]*regexp.Regexp, view string) {
		for name, re := range want {
			if got[name] != re.MatchString(view) {
				t.Errorf("%s %s on %q: fires %v, RE2 says %v", kind, name, view, got[name], !got[name])
			}
		}
	}
	compare("signal", rules.signals.match(fold(text)), ref.signals, fold(text))
	compare("words", rules.words.match(lower(text)), ref.words, lower(text))
}

// pieces are what hostile and ordinary request texts are made of.
func pieces(rules *Rules) []string {
	list := []string{" ", "-", "_", ".", "\n", "\u00A0", "\u0130", "\u212A", "\u017F", "é", "s", "es", "x", "0", "sev-12", "gpt-4.o", "", "\xED\xA0\x80", "\uFEFF"}
	for _, fragments := range rules.file.Signals {
		for _, f := range fragments {
			list = append(list, regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(f, ""))
		}
	}
	for _, set := range rules.triggerSets() {
		list = append(append(list, set.Words...), set.Substrings...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func randomText(rules *Rules) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces(rules)), 0, 12).Draw(t, "pieces"), rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "glue"))
	})
}

func TestMatcherAgreesWithRE2(t *testing.T) {
	rules := mustLoad(t)
	ref := newReference(t, rules)
	for _, c := range textCases(t) {
		ref.check(t, rules, c.text)
	}
	for _, p := range pieces(rules) {
		ref.check(t, rules, p)
	}
	texts := randomText(rules)
	rapid.Check(t, func(t *rapid.T) { ref.check(t, rules, texts.Draw(t, "text")) })
}

func TestMatcherExpandsNearlyEverything(t *testing.T) {
	rules := mustLoad(t)
	if n := len(rules.signals.loops); n > 3 {
		t.Errorf("%d fragments stay regular expressions; the cost of a text grows with them", n)
	}
	if n := len(rules.words.loops); n != 0 {
		t.Errorf("%d trigger words stay regular expressions, want none", n)
	}
}

func TestDerivationIsDeterministicAndConsistent(t *testing.T) {
	rules := mustLoad(t)
	texts := randomText(rules)
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		profile := rapid.SampledFrom([]string{"prototype", "production", "enterprise", "regulated"}).Draw(t, "profile")
		first, second := document(t, rules, text, profile), document(t, rules, text, profile)
		if !canon.Same(first, second) {
			t.Fatalf("%q gives two classifications:\n%s\n%s", text, canon.Compact(first), canon.Compact(second))
		}
		checkConsistent(t, rules, first)
	})
}

type fataler interface{ Fatalf(string, ...any) }

func document(t fataler, rules *Rules, text, profile string) canon.Value {
	derived, err := rules.Analyse(text).Classify(profile)
	if err != nil {
		t.Fatalf("classify %q: %v", text, err)
	}
	var members []canon.Member
	for _, name := range Members {
		v, err := derived.Member(name, namedTexts())
		if err != nil || !v.Present() {
			t.Fatalf("member %s of %q: %v", name, text, err)
		}
		members = append(members, member(name, v))
	}
	return canon.Build(members...)
}

// checkConsistent holds for every classification, whatever the text.
func checkConsistent(t fataler, rules *Rules, doc canon.Value) {
	demand := func(ok bool, what string) {
		if !ok {
			t.Fatalf("%s: %s", what, canon.Compact(doc))
		}
	}
	demand(rules.IsTaskType(doc.Get("taskType")), "unknown task type")
	demand(doc.Get("effectiveTier").Text() >= doc.Get("profileTierFloor").Text(), "tier below its floor")
	demand(doc.Get("productionLayers").Len() == len(rules.Layers()), "a layer is missing")
	demand(rules.Budget(doc).Len() == len(BudgetFields), "no budget")
	demand(len(rules.Supporting(doc)) <= maxSupporting, "too many supporting skills")
	demand(doc.Get("primaryArchetype").Text() != "", "no archetype")
	demand((doc.Get("unknowns").Len() == 0) == doc.Get("confidence").Is("high"), "confidence contradicts unknowns")
	demand(doc.Get("materialUnknowns").Len() <= doc.Get("unknowns").Len(), "a material unknown that is no unknown")
	docs := doc.Get("taskType").Is(taskDocsOnly)
	demand(docs || !doc.Get("controlledDocumentation").IsBool(true), "controlled, but no documentation")
	demand(!docs || doc.Get("requiredGates").Get("production").IsBool(false), "documentation that needs production")
	detected := doc.Get("ai").Get("workloadDetected").IsBool(true)
	demand(detected != doc.Get("ai").Get("aiProfile").Is(aiNone), "AI profile contradicts detection")
	for _, name := range []string{"workloadProfiles", "crossCuttingConcerns", "domainPacks", "matchedSignals"} {
		seen := map[string]bool{}
		for _, v := range doc.Get(name).Elems() {
			demand(!seen[v.Text()], name+" repeats "+v.Text())
			seen[v.Text()] = true
		}
	}
}

func TestClassifyRefusesUnknownProfiles(t *testing.T) {
	for _, profile := range []string{"", "Production", "prototype ", "constructor"} {
		_, err := mustLoad(t).Analyse("fix the bug").Classify(profile)
		var unknown *UnknownProfileError
		if !errors.As(err, &unknown) || unknown.Profile != profile {
			t.Errorf("profile %q: got error %v", profile, err)
		}
	}
}

func TestMemberNeedsItsFixedText(t *testing.T) {
	rules := mustLoad(t)
	derived, err := rules.Analyse("update the readme").Classify("prototype")
	if err != nil {
		t.Fatal(err)
	}
	var missing *UnknownTextError
	if _, err := derived.Member("productionLayers", Texts{}); !errors.As(err, &missing) || missing.Key != textLayerDocs {
		t.Errorf("layers without the text: got error %v", err)
	}
	forged := rules.TextsIn(canon.NewString(strings.Repeat("x", missing.Bytes)))
	if _, err := derived.Member("productionLayers", forged); err == nil {
		t.Error("a text of the right length and the wrong digest was taken")
	}
}

// The fixtures of the gates carry real fixed texts; each must be recognised.
func TestTextsInRecognisesRealDocuments(t *testing.T) {
	rules := mustLoad(t)
	paths, err := filepath.Glob(filepath.Join(vectors.Dir(t, "gates"), "_fixtures", "*", "run", "workload-classification.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	found := map[string]bool{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := canon.Read(data, canon.MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		for key := range rules.TextsIn(doc.Root).byKey {
			found[key] = true
		}
	}
	for _, key := range []string{textLayerDocs, textFoundationDocs, unknownPrefix + keyNoProfile, unknownPrefix + keyScope} {
		if !found[key] {
			t.Errorf("no fixture has the fixed text %s", key)
		}
	}
}

func TestCompileRefusesBrokenRules(t *testing.T) {
	broken := map[string][2]string{
		"unknown member":     {`"format":`, `"formatted":`},
		"unknown format":     {`classifier-rules.v1`, `classifier-rules.v9`},
		"misspelt signal":    {`"when": ["handoff"]`, `"when": ["hand-off"]`},
		"unknown need":       {`"needs": ["security"]`, `"needs": ["secrecy"]`},
		"broken expression":  {`"sev[- ]?[0-9]+"`, `"sev[- ?[0-9+"`},
		"broken pattern":     {`^(?:please )?help`, `^(?:please ?help`},
		"view nobody builds": {`"on": "squeezed"`, `"on": "squashed"`},
	}
	for name, edit := range broken {
		text := strings.Replace(string(rulesJSON), edit[0], edit[1], 1)
		if text == string(rulesJSON) {
			t.Errorf("%s: nothing to replace", name)
		}
		if _, err := compile([]byte(text)); err == nil {
			t.Errorf("%s: compiled", name)
		}
	}
}

// hostileTexts are built to cost the most: nearly matching, or matching late.
func hostileTexts(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1)[:size] }
	return map[string]string{
		"words":       fill("row level securit "),
		"one word":    fill("a"),
		"short words": fill("a "),
		"near sev":    fill("sev sev- "),
		"digits":      "sev" + fill("1") + "x",
		"near data":   fill("manually production data"),
		"spaces":      "please" + fill(" ") + "help me x",
		"invalid":     fill("\xED\xA0\x80 gpt"),
		"punctuation": "help" + fill(".") + "x",
	}
}

func TestHostileTextStaysLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; the run without -short has it")
	}
	rules := mustLoad(t)
	const size, limit = 1 << 20, 10 * time.Second // a run on an idle machine takes well under one second each
	for name, text := range hostileTexts(size) {
		start := time.Now()
		if _, err := rules.Analyse(text).Classify("regulated"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > limit {
			t.Errorf("%s: %v for %d bytes", name, took, size)
		}
	}
}

func FuzzClassify(f *testing.F) {
	rules := mustLoad(f)
	ref := newReference(f, rules)
	for _, c := range textCases(f) {
		f.Add(c.text, c.profile)
	}
	f.Fuzz(func(t *testing.T, text, profile string) {
		ref.check(t, rules, text)
		if _, known := rules.ProfileFloor(canon.NewString(profile)); known {
			checkConsistent(t, rules, document(t, rules, text, profile))
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	rules := mustLoad(b)
	texts := hostileTexts(1 << 20)
	texts["ordinary request"] = "Fix the double charge in the billing service when a customer retries a payment from the iOS app, and add a regression test."
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(texts[name])))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rules.Analyse(texts[name]).Classify("enterprise"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
