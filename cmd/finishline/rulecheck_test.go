package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"finishline/internal/vectors"
	"finishline/privacy/secret"
	"finishline/verify"
)

// The contracts in docs/contracts define every rule in a table: in a column
// headed ID, rule or Suffix; contract 05 §12 in a sentence. This test reads those tables, so that a rule of
// the code that no contract knows, or a rule of an implemented contract that
// the code does not have, is found.

// implemented lists the contracts whose every rule the code must have, with
// the families or sections that come later.
var implemented = []struct {
	file  string
	later []string // regular expressions of ids that are not built yet
}{
	{"01-canonical-json-and-trust.md", nil},
	{"02-review-v2.md", nil},
	{"03-proofs.md", nil},
	{"04-rca.md", nil},
	{"05-run-packet.md", nil},
	{"06-validation-runtime.md", nil},
	{"07-typed-evidence-and-waivers.md", nil},
	{"08-production-readiness.md", nil},
	{"09-aggregate-finish-line.md", []string{`^finish\.(runtime|root|aggregate|rca|review|packet)\.`}}, // the bridge's other steps
	{"09a-document-gates.md", nil},
	{"09b-workload-classifier-and-registry.md", nil},
	{"10-privacy-scan.md", nil},
	// What a running bridge refuses, and what only its process can see.
	{"11-bridge-storage-and-journal.md", []string{`^bridge\.(pin\.missing|key\.missing|credential\.|limit\.)`,
		`^lease\.(foreign-host|held|changed|recovery-changed|stale-reclaimed)$`, `^(append|write|commissioned)\.`, `^ext\.highwater\.`}},
	{"13-events-and-node-states.md", []string{`^event\.state\.`, `^event\.approval\.(human-token|no-pending|route-|release-)`, `^event\.self-heal\.(artifact|url|file-url|unbacked)`}},
	{"20-harness-v2-journal.md", nil},
	{"21-hux-events.md", nil},
	{"22-bridge-daemon-and-breezing.md", []string{`^(mem|wake|card|floor|autoapprove|boundary)\.`}}, // the daemon's other parts
}

// notRules are tokens of id columns that are no rule ids: names of readings
// (07 §9) and words.
var notRules = regexp.MustCompile(`^(time\.strict-form|tier\.own-key|digest\.raw-form|path\.canonical|path\.no-symlink-component|status\.untrimmed|type\.untrimmed|` +
	// 08 and 09 §6: never reported under their own ids
	`readiness\.hardening\.status-untrimmed|` +
	`aggregate\.hardening\.(pool-applicable-only|route-object|single-snapshot))$`)

var (
	idToken   = regexp.MustCompile("`([^`]+)`")
	fullID    = regexp.MustCompile(`^(?:[a-z0-9]+(?:-[a-z0-9]+)*)(?:\.(?:[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*|<field>))+$`)
	suffixID  = regexp.MustCompile(`^[a-z0-9]+(?:[.-][a-zA-Z0-9]+)*(?:\.<field>)?$`)
	gateTitle = regexp.MustCompile(`^## [0-9]+\. ([a-z-]+)`)
	// refusals are ids listed in a sentence: Refusals (`packet.create.*`): ...
	refusals = regexp.MustCompile("^Refusals \\(`([a-z.-]+\\.)\\*`\\):(.*)")
)

// contractIDs reads the ids a contract defines. Ids with <field> stand for one
// id per field and come back as they are.
func contractIDs(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectors.ProjectRoot(), "docs", "contracts", file))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	gate, prefix := "", ""
	var columns []int
	header := true
	for _, line := range strings.Split(string(data), "\n") {
		if m := gateTitle.FindStringSubmatch(line); m != nil {
			gate = m[1] + "."
		} else if strings.HasPrefix(line, "## ") {
			gate = ""
		}
		if m := refusals.FindStringSubmatch(line); m != nil {
			ids = append(ids, cellIDs(m[2], m[1])...)
		}
		if !strings.HasPrefix(line, "|") {
			header = true
			continue
		}
		cells := splitRow(line)
		if header {
			columns, prefix = idColumns(cells, gate)
			header = false
			continue
		}
		for _, c := range columns {
			if c < len(cells) {
				ids = append(ids, cellIDs(cells[c], prefix)...)
			}
		}
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), notRules.MatchString)
}

func splitRow(line string) []string {
	line = strings.ReplaceAll(line, `\|`, "¦")
	return strings.Split(strings.Trim(line, "|"), "|")
}

// idColumns finds the columns of a table that hold ids, and the prefix of its
// suffixes.
func idColumns(header []string, gate string) (columns []int, prefix string) {
	for i, cell := range header {
		name := strings.TrimSpace(cell)
		switch {
		case strings.HasSuffix(name, "ID") && !strings.Contains(name, "Capability") && !strings.Contains(name, "Layer"),
			strings.EqualFold(name, "rule"), strings.HasPrefix(name, "Rule ("), name == "Rule":
			columns = append(columns, i)
		case strings.HasPrefix(name, "Suffix"):
			columns, prefix = append(columns, i), gate
			if m := idToken.FindStringSubmatch(name); m != nil {
				prefix += m[1]
			}
		case strings.HasPrefix(name, "`") && strings.HasSuffix(name, "` +"):
			columns, prefix = append(columns, i), idToken.FindStringSubmatch(name)[1]
		}
	}
	return columns, prefix
}

// cellIDs expands "`packet.support.kind-invalid` / `.kind-duplicate`".
func cellIDs(cell, prefix string) (ids []string) {
	last := ""
	for _, m := range idToken.FindAllStringSubmatch(cell, -1) {
		token := strings.TrimPrefix(m[1], "…")
		switch {
		case strings.HasPrefix(token, ".") && last != "":
			keep := strings.Split(last, ".")
			keep = keep[:len(keep)-strings.Count(token, ".")]
			token = strings.Join(keep, ".") + token
			ids = append(ids, token)
		case prefix != "" && suffixID.MatchString(token) && !strings.ContainsAny(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") || prefix != "" && strings.HasPrefix(token, "classification."):
			last = prefix + token
			ids = append(ids, last)
		case prefix == "" && fullID.MatchString(token):
			last = token
			ids = append(ids, token)
		}
	}
	return ids
}

func TestContractIDsAreRead(t *testing.T) {
	for _, c := range implemented {
		ids := contractIDs(t, c.file)
		if len(ids) < 20 {
			t.Errorf("%s: only %d rule ids were read; the reader of this test misses its tables", c.file, len(ids))
		}
		if os.Getenv("SHOW_IDS") != "" {
			t.Log(c.file, len(ids), strings.Join(ids, " "))
		}
	}
}

// sharedBlocks are the ids that 09a §1 gives a gate by naming a block instead
// of listing its suffixes.
var sharedBlocks = map[string][]string{
	"H": {"run-id", "environment", "commit", "profile", "generated-at"},
	"T": {"classification.missing", "classification.tier-unknown", "effective-tier", "binding.run-id", "binding.profile",
		"binding.effective-tier", "binding.commit", "binding.environment", "binding.classification-digest"},
}

// notSuffixes are tokens of the suffix columns of 09a that name members,
// constants or block ids, not rules.
var notSuffixes = map[string]bool{
	"intake.generated-at":       true, // "received-at instead of generated-at"
	"ai-assurance.features.rag": true, "ai-assurance.features.tools": true, "ai-assurance.features.memory": true,
	"goal.budgets": true, "skill-registry.skill.triggers": true,
	"binding.classification-digest": true, "binding.commit": true, "binding.effective-tier": true, "binding.environment": true,
	"binding.profile": true, "binding.run-id": true, "classification.missing": true, "classification.tier-unknown": true,
	"regression.postFixCommit": true, "symptom.id": true, "valdris.rca.v1": true,
	"command.argv": true, "run.commit": true, "valdris.review.v2": true, "valdris.proof-execution-inputs.v1": true,
	"waiver.hardening.duplicate-trimmed": true, // 07 §9: reported as waiver.entry.duplicate
	"privacy.strict.ascii-case":          true, // 10 §13: reported as privacy.content.secret-assignment
}

// Every rule of the code is in a contract: by its full id somewhere in
// docs/contracts, or built from a suffix table or a shared block of 09a.
func TestRulesOfTheCodeAreInTheContracts(t *testing.T) {
	text := contractText(t)
	defined := map[string]bool{}
	for _, c := range contractFiles(t) {
		for _, id := range contractIDs(t, c) {
			defined[id] = true
		}
	}
	registry, err := registry()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range registry.Rules() {
		if !defined[r.ID] && !strings.Contains(text, "`"+r.ID+"`") && !fromPattern(r.ID, defined, text) {
			t.Errorf("%s is in no contract", r.ID)
		}
	}
}

// fromPattern accepts ids that a contract defines by a pattern: <field>, a
// block of 09a §1, or the three that every gate has.
func fromPattern(id string, defined map[string]bool, text string) bool {
	gate, suffix, _ := strings.Cut(id, ".")
	if detector, ok := strings.CutPrefix(id, "privacy.content."); ok { // 10 §4 names the pattern, §6 the detectors
		return strings.Contains(text, "| `"+detector+"` |")
	}
	for _, block := range sharedBlocks {
		if slices.Contains(block, suffix) {
			return true
		}
	}
	if slices.Contains([]string{"missing", "json", "object"}, suffix) {
		return true
	}
	if rest, ok := strings.CutPrefix(id, "hux."); ok && defined["harness."+rest] { // 21 §1: those of 20 §2
		return true
	}
	cut := strings.LastIndexByte(id, '.')
	if _, isGate := gate09a[gate]; isGate && strings.Contains(text, "`"+suffix+"`") {
		return true // in the prose of its section
	}
	return defined[id[:cut]+".<field>"]
}

// gate09a are the gates whose sections of 09a name some suffixes in prose only.
var gate09a = map[string]bool{
	"workload-classification": true, "route": true, "goal": true, "foundation": true, "ai-assurance": true,
	"domain-assurance": true, "context": true, "eval": true,
}

// Every rule of an implemented contract is in the code, and its text is there
// for finishline explain.
func TestRulesOfTheContractsAreInTheCode(t *testing.T) {
	registry, err := registry()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, r := range registry.Rules() {
		ids[r.ID] = true
	}
	for _, c := range implemented {
		for _, id := range contractIDs(t, c.file) {
			if notSuffixes[id] || matchesAny(id, c.later) {
				continue
			}
			if pattern, isPattern := strings.CutSuffix(id, "<field>"); isPattern {
				if !slices.ContainsFunc(registry.Rules(), func(r verify.Rule) bool { return strings.HasPrefix(r.ID, pattern) }) {
					t.Errorf("%s: no rule of the pattern %s", c.file, id)
				}
				continue
			}
			if !ids[id] {
				t.Errorf("%s: %s is not in the code", c.file, id)
			}
		}
	}
}

func matchesAny(id string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return regexp.MustCompile(p).MatchString(id) })
}

// Every rule says what fails it, why it matters and what to do, in the tone of
// the house: lower case, no full stop.
func TestRulesAreExplained(t *testing.T) {
	registry, err := registry()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range registry.Rules() {
		for name, text := range map[string]string{"fails": r.Fails, "why": r.Why, "do": r.Do, "contract": r.Contract} {
			switch {
			case text == "":
				t.Errorf("%s: %s is empty", r.ID, name)
			case secret.Mask(text) != text:
				t.Errorf("%s: %s would be masked as a secret: %s", r.ID, name, text)
			case strings.HasSuffix(text, ".") && !strings.HasSuffix(text, ".."):
				t.Errorf("%s: %s ends with a full stop", r.ID, name)
			case name != "contract" && text[0] >= 'A' && text[0] <= 'Z' && !startsWithName(text):
				t.Errorf("%s: %s starts with a capital: %s", r.ID, name, text)
			}
		}
	}
}

// startsWithName allows what is written with a capital anyway: Git, JSON, HEAD.
func startsWithName(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return strings.HasPrefix(word, "Git") || strings.HasPrefix(word, "SQLite") || word == strings.ToUpper(word)
}

func contractFiles(t *testing.T) (files []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(vectors.ProjectRoot(), "docs", "contracts", "[0-9]*.md"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no contracts: %v", err)
	}
	for _, p := range paths {
		files = append(files, filepath.Base(p))
	}
	return files
}

func contractText(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, file := range contractFiles(t) {
		data, err := os.ReadFile(filepath.Join(vectors.ProjectRoot(), "docs", "contracts", file))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}
