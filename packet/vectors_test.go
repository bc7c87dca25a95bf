package packet

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"finishline/canon"
	"finishline/internal/vectors"
)

// vectorCase is one file of the area, all kinds together.
type vectorCase struct {
	Case        string `json:"case"`
	Kind        string `json:"kind"`
	Description string `json:"description"`

	// required-gates
	Route          json.RawMessage `json:"route"`
	Intake         json.RawMessage `json:"intake"`
	Classification json.RawMessage `json:"classification"`
	AssuranceLevel json.RawMessage `json:"assuranceLevel"`
	RCAPresent     bool            `json:"rcaPresent"`

	// packet-digests, intake
	Document json.RawMessage `json:"document"`

	Expect       vectorExpect  `json:"expect"`
	ExpectStrict *vectorExpect `json:"expect_strict"`
}

type vectorExpect struct {
	vectors.Expect
	AtLeast                bool              `json:"atLeast"`
	Causes                 []string          `json:"causes"`
	Historical             bool              `json:"historical"`
	AssuranceLevel         string            `json:"assuranceLevel"`
	RecordedAssuranceLevel string            `json:"recordedAssuranceLevel"`
	RequiredGates          []string          `json:"requiredGates"`
	StrictWarnings         []string          `json:"strict_warnings"`
	EvidenceBundle         string            `json:"evidenceBundleSha256"`
	AcceptedGates          string            `json:"acceptedGateArtifactsSha256"`
	Bindings               map[string]string `json:"bindings"`
}

// caseFiles reads the cases of the area that have one of the kinds.
func caseFiles(t *testing.T, kinds ...string) map[string]vectorCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(vectors.Dir(t, "packet"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]vectorCase{}
	for _, file := range files {
		var c vectorCase
		vectors.Read(t, file, &c)
		if slices.Contains(kinds, c.Kind) {
			cases[strings.TrimSuffix(filepath.Base(file), ".json")] = c
		}
	}
	return cases
}

func parse(t testing.TB, raw []byte) canon.Value {
	t.Helper()
	if len(raw) == 0 {
		return canon.Value{}
	}
	doc, err := canon.Read(raw, canon.MaxDocument)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root
}

func TestVectorsRequiredGates(t *testing.T) {
	tally := vectors.NewTally(t, "packet (required-gates)")
	for name, c := range caseFiles(t, "required-gates") {
		tally.Case(name, func(t *testing.T) {
			gates, err := Derivation{
				Intake: parse(t, c.Intake), Classification: parse(t, c.Classification), Route: parse(t, c.Route),
				AssuranceLevel: parse(t, c.AssuranceLevel), RCAExists: c.RCAPresent,
			}.RequiredGates()
			var rules []string
			var underivable *UnderivableError
			if errors.As(err, &underivable) {
				rules = []string{underivable.Rule}
			}
			if (err == nil) != c.Expect.Valid || !vectors.SameRules(rules, c.Expect.Rules) {
				t.Fatalf("%s: got %v (%v), want %+v", c.Description, rules, err, c.Expect.Expect)
			}
			if !slices.Equal(gates, c.Expect.RequiredGates) {
				t.Errorf("%s: gates %v, want %v", c.Description, gates, c.Expect.RequiredGates)
			}
		})
	}
}

func TestVectorsPacketDigests(t *testing.T) {
	tally := vectors.NewTally(t, "packet (packet-digests)")
	for name, c := range caseFiles(t, "packet-digests") {
		tally.Case(name, func(t *testing.T) {
			d := DigestsOf(parse(t, c.Document))
			if d.BundleSHA256 != c.Expect.EvidenceBundle {
				t.Errorf("bundle %s, want %s", d.BundleSHA256, c.Expect.EvidenceBundle)
			}
			if d.AcceptedGatesSHA256 != c.Expect.AcceptedGates {
				t.Errorf("accepted gates %s, want %s", d.AcceptedGatesSHA256, c.Expect.AcceptedGates)
			}
			got := map[string]string{}
			for _, b := range d.Bindings {
				got[b.Name] = b.SHA256
			}
			if len(got) != len(c.Expect.Bindings) {
				t.Errorf("%d bindings, want %d", len(got), len(c.Expect.Bindings))
			}
			for name, want := range c.Expect.Bindings {
				if got[name] != want {
					t.Errorf("%s = %s, want %s", name, got[name], want)
				}
			}
		})
	}
}
