package packet

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"finishline/verify"
)

// Every rule is evaluated somewhere, and every id in the code is a rule.
func TestRulesAreThoseOfTheCode(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`"((?:strict\.)?packet\.[a-z-]+\.?[a-z-]*)"`)
	used := map[string]bool{}
	for _, file := range files {
		if file == "rules.go" || file == "create_rules.go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range id.FindAllStringSubmatch(string(text), -1) {
			used[m[1]] = true
		}
	}
	if len(used) < 90 {
		t.Fatalf("only %d ids found; the pattern is wrong", len(used))
	}
	for _, r := range slices.Concat(Table.Rules(), CreateTable.Rules()) {
		if !used[r.ID] {
			t.Errorf("rule %s is registered and never evaluated", r.ID)
		}
		delete(used, r.ID)
		for _, text := range []string{r.Contract, r.Fails, r.Why, r.Do} {
			if text == "" || strings.HasSuffix(text, ".") || text[0] >= 'A' && text[0] <= 'Z' {
				t.Errorf("rule %s: %q is no sentence of the house", r.ID, text)
			}
		}
		warning := slices.Contains([]string{"packet.historical.not-closure", "strict.packet.unknown-member", "strict.packet.evidence-unlisted"}, r.ID)
		if (r.Severity == verify.Warning) != warning {
			t.Errorf("rule %s has severity %v", r.ID, r.Severity)
		}
	}
	for id := range used {
		t.Errorf("id %s is used and not registered", id)
	}
}
