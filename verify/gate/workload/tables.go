package workload

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed rules.json
var rulesJSON []byte

// ruleFile is the shape of rules.json.
type ruleFile struct {
	Format      string `json:"format"`
	DescribedIn string `json:"describedIn"`
	BoundTo     Bound  `json:"boundTo"`

	Macros   map[string]string   `json:"macros"`
	Signals  map[string][]string `json:"signals"`
	Patterns map[string]pattern  `json:"patterns"`

	Intent                  []intentRule      `json:"intent"`
	AIFeatures              []string          `json:"aiFeatures"`
	ControlledDocumentation []string          `json:"controlledDocumentation"`
	ProfileFloors           map[string]string `json:"profileFloors"`
	Profiles                []profileRule     `json:"profiles"`
	Concerns                []concernRule     `json:"concerns"`
	Packs                   []packRule        `json:"packs"`
	ProfileActivatesPack    map[string]string `json:"profileActivatesPack"`
	Layers                  []layerRule       `json:"layers"`
	AlwaysLayers            []string          `json:"alwaysLayers"`
	Archetypes              []archetypeRule   `json:"archetypes"`

	FixedTexts      map[string]fixedText `json:"fixedTexts"`
	DeliveryPrimary map[string]string    `json:"deliveryPrimary"`
	Supporting      []supportingRule     `json:"supporting"`
	Budgets         []budgetRule         `json:"budgets"`
}

// A Bound names the catalogs that the rules belong to, by semantic digest
// (contract 09b, introduction).
type Bound struct {
	Taxonomy    string `json:"taxonomySemanticSha256"`
	DomainIndex string `json:"domainIndexSemanticSha256"`
	Production  string `json:"productionSemanticSha256"`
}

type pattern struct {
	On  string `json:"on"`
	RE2 string `json:"re2"`
}

// condition holds when every name of When fires and none of Unless.
type condition struct {
	When   []string `json:"when"`
	Unless []string `json:"unless"`
}

type intentRule struct {
	TaskType string `json:"taskType"`
	condition
}

type triggers struct {
	Words      []string `json:"words"`
	Substrings []string `json:"substrings"`
}

type profileRule struct {
	ID          string   `json:"id"`
	MinimumTier string   `json:"minimumTier"`
	Rule        string   `json:"rule"`
	Packs       []string `json:"packs"`
	triggers
}

type concernRule struct {
	ID     string   `json:"id"`
	Layers []string `json:"layers"`
	Rule   string   `json:"rule"`
	triggers
}

type packRule struct {
	ID string `json:"id"`
	triggers
}

type layerRule struct {
	ID    string   `json:"id"`
	Needs []string `json:"needs"`
}

type archetypeRule struct {
	Archetype  string `json:"archetype"`
	Pack       string `json:"pack"`
	TaskType   string `json:"taskType"`
	AIDetected bool   `json:"aiDetected"`
	condition
}

type fixedText struct {
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}

type supportingRule struct {
	Skill    string   `json:"skill"`
	AI       bool     `json:"ai"`
	Concerns []string `json:"concerns"`
	Profiles []string `json:"profiles"`
	Packs    []string `json:"packs"`
}

type budgetRule struct {
	TaskTypes  []string  `json:"taskTypes"`
	Controlled *bool     `json:"controlled"`
	Tier       string    `json:"tier"`
	Budget     []float64 `json:"budget"`
}

// Rules are the rules of the classifier, compiled. They never change and may be
// shared.
type Rules struct {
	file     ruleFile
	signals  *wordMatcher              // on the folded view; names are signals
	words    *wordMatcher              // on the lowered view; names are trigger sets
	subs     map[string][]string       // trigger set -> substrings
	patterns map[string]*regexp.Regexp // by name
}

// Names of trigger sets: the kind of list and the id in it.
const (
	profileSet = "profile:"
	concernSet = "concern:"
	packSet    = "pack:"
)

// Load returns the embedded rules, compiled once. An error would be a defect of
// this package; a test shows that there is none.
func Load() (*Rules, error) { return load() }

var load = sync.OnceValues(func() (*Rules, error) { return compile(rulesJSON) })

func compile(data []byte) (*Rules, error) {
	t := &Rules{subs: map[string][]string{}, patterns: map[string]*regexp.Regexp{}}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&t.file); err != nil {
		return nil, fmt.Errorf("workload rules: %w", err)
	}
	if t.file.Format != "finishline.workload-classifier-rules.v1" {
		return nil, fmt.Errorf("workload rules: unknown format %q", t.file.Format)
	}
	if err := t.compileExpressions(); err != nil {
		return nil, fmt.Errorf("workload rules: %w", err)
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("workload rules: %w", err)
	}
	return t, nil
}

func (t *Rules) compileExpressions() (err error) {
	if t.signals, err = newWordMatcher(t.file.Signals); err != nil {
		return err
	}
	words := map[string][]string{}
	for name, set := range t.triggerSets() {
		t.subs[name] = set.Substrings
		words[name] = nil
		for _, w := range set.Words {
			words[name] = append(words[name], regexp.QuoteMeta(w)+"(?:s|es)?")
		}
	}
	if t.words, err = newWordMatcher(words); err != nil {
		return err
	}
	for name, p := range t.file.Patterns {
		if p.On != viewFolded && p.On != viewSqueezed {
			return fmt.Errorf("pattern %s: unknown view %q", name, p.On)
		}
		if t.patterns[name], err = regexp.Compile(t.expand(p.RE2)); err != nil {
			return fmt.Errorf("pattern %s: %w", name, err)
		}
	}
	return nil
}

// expand replaces the macros of an expression.
func (t *Rules) expand(expr string) string {
	for macro, class := range t.file.Macros {
		expr = strings.ReplaceAll(expr, macro, class)
	}
	return expr
}

func (t *Rules) triggerSets() map[string]triggers {
	sets := map[string]triggers{}
	for _, r := range t.file.Profiles {
		sets[profileSet+r.ID] = r.triggers
	}
	for _, r := range t.file.Concerns {
		sets[concernSet+r.ID] = r.triggers
	}
	for _, r := range t.file.Packs {
		sets[packSet+r.ID] = r.triggers
	}
	return sets
}

// check refuses rules that name something that does not exist, so that a
// misspelt name can never silently mean "does not fire".
func (t *Rules) check() error {
	for _, c := range t.conditions() {
		for _, name := range slices.Concat(c.When, c.Unless) {
			if !t.fires(name) {
				return fmt.Errorf("no signal or pattern is named %q", name)
			}
		}
	}
	for _, name := range signalNames {
		if _, ok := t.file.Signals[name]; !ok {
			return fmt.Errorf("no signal is named %q", name)
		}
	}
	for _, f := range t.file.AIFeatures {
		if _, ok := t.file.Signals["ai."+f]; !ok {
			return fmt.Errorf("no signal for AI feature %q", f)
		}
	}
	for _, l := range t.file.Layers {
		if _, ok := t.file.Signals["layer."+l.ID]; !ok {
			return fmt.Errorf("no signal for layer %q", l.ID)
		}
		for _, need := range l.Needs {
			if !t.isLayer(need) {
				return fmt.Errorf("layer %s needs unknown layer %q", l.ID, need)
			}
		}
	}
	for _, c := range t.file.Concerns {
		for _, l := range c.Layers {
			if !t.isLayer(l) {
				return fmt.Errorf("concern %s names unknown layer %q", c.ID, l)
			}
		}
	}
	for _, key := range fixedTextKeys {
		if _, ok := t.file.FixedTexts[key]; !ok {
			return fmt.Errorf("no fixed text is named %q", key)
		}
	}
	if n := len(t.file.Intent); n == 0 || len(t.file.Intent[n-1].When)+len(t.file.Intent[n-1].Unless) > 0 {
		return fmt.Errorf("the last intent rule does not always hold")
	}
	if n := len(t.file.Archetypes); n == 0 || len(t.file.Archetypes[n-1].When)+len(t.file.Archetypes[n-1].Unless) > 0 {
		return fmt.Errorf("the last archetype rule does not always hold")
	}
	for _, b := range t.file.Budgets {
		if len(b.Budget) != len(BudgetFields) {
			return fmt.Errorf("a budget has %d numbers", len(b.Budget))
		}
	}
	return nil
}

func (t *Rules) conditions() []condition {
	var all []condition
	for _, r := range t.file.Intent {
		all = append(all, r.condition)
	}
	for _, r := range t.file.Archetypes {
		all = append(all, r.condition)
	}
	return append(all, condition{When: t.file.ControlledDocumentation})
}

func (t *Rules) fires(name string) bool {
	_, signal := t.file.Signals[name]
	_, pattern := t.file.Patterns[name]
	return signal != pattern
}

func (t *Rules) isLayer(id string) bool {
	return slices.ContainsFunc(t.file.Layers, func(l layerRule) bool { return l.ID == id })
}
