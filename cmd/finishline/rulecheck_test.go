package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"finishline/internal/vectors"
)

// The contracts in docs/contracts define every rule in a table: in a column
// headed ID, rule or Suffix. This test reads those tables, so that a rule of
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
	{"05-run-packet.md", []string{`^packet\.create\.`}},
	{"06-validation-runtime.md", nil},
	{"07-typed-evidence-and-waivers.md", nil},
	{"09a-document-gates.md", nil},
	{"09b-workload-classifier-and-registry.md", nil},
}

// notRules are tokens of id columns that are no rule ids: names of readings
// (07 §9) and words.
var notRules = regexp.MustCompile(`^(time\.strict-form|tier\.own-key|digest\.raw-form|path\.canonical|path\.no-symlink-component|status\.untrimmed|type\.untrimmed)$`)

var (
	idToken   = regexp.MustCompile("`([^`]+)`")
	fullID    = regexp.MustCompile(`^(?:[a-z0-9]+(?:-[a-z0-9]+)*)(?:\.(?:[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*|<field>))+$`)
	suffixID  = regexp.MustCompile(`^[a-z0-9]+(?:[.-][a-zA-Z0-9]+)*(?:\.<field>)?$`)
	gateTitle = regexp.MustCompile("^## [0-9]+\\. ([a-z-]+)")
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
