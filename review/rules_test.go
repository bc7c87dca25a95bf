package review

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"finishline/verify"
)

// TestRulesAreEvaluated: every rule of the two tables is named by the code that
// evaluates it, and says in full why it exists and what to do.
func TestRulesAreEvaluated(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	literal := regexp.MustCompile(`"((?:trust|review|strict)\.[a-z0-9.-]+)"`)
	used := map[string]bool{}
	for _, file := range files {
		if strings.HasPrefix(file, "rules") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range literal.FindAllStringSubmatch(string(source), -1) {
			used[m[1]] = true
			if _, known := Table.Lookup(m[1]); !known {
				t.Errorf("%s uses %s, which no table has", file, m[1])
			}
		}
	}
	rules := append(TrustTable.Rules(), Table.Rules()...)
	if len(rules) < 80 {
		t.Errorf("only %d rules", len(rules))
	}
	for _, r := range rules {
		if !used[r.ID] {
			t.Errorf("%s is registered and never evaluated", r.ID)
		}
		for _, text := range []string{r.Contract, r.Fails, r.Why, r.Do} {
			if text == "" || strings.HasSuffix(text, ".") {
				t.Errorf("%s: incomplete or not in the house's style: %q", r.ID, text)
			}
		}
	}
	if _, err := verify.NewRegistry(TrustTable, Table); err != nil {
		t.Error(err)
	}
}
