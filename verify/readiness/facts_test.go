package readiness_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"finishline/internal/vectors"
	"finishline/verify/gate/workload"
	"finishline/verify/readiness"
)

// contractLayers reads section 1 of the contract: the tables of layers and of
// controls.
func contractLayers(t *testing.T) []readiness.Layer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectors.ProjectRoot(), "docs", "contracts", "08-production-readiness.md"))
	if err != nil {
		t.Fatal(err)
	}
	proof := map[string][]string{"C": {"command"}, "M": {"metric"}, "AP": {"artifact", "provider-report"}}
	var layers []readiness.Layer
	for _, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, "## 2.") {
			break
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		switch {
		case len(cells) == 4 && cells[0] != "#":
			layers = append(layers, readiness.Layer{ID: cells[1], Hard: edges(cells[2]), Conditional: edges(cells[3])})
		case len(cells) == 5 && proof[cells[3]] != nil:
			i := slices.IndexFunc(layers, func(l readiness.Layer) bool { return l.ID == cells[1] })
			l := &layers[i]
			l.Controls = append(l.Controls, readiness.Control{ID: cells[0], Capability: cells[2], Types: proof[cells[3]]})
			if !slices.Contains(l.Capabilities, cells[2]) {
				l.Capabilities = append(l.Capabilities, cells[2])
			}
		}
	}
	return layers
}

func edges(cell string) []string {
	if cell == "—" {
		return []string{}
	}
	return strings.Split(cell, ", ")
}

// What is embedded is what the contract says: layers and edges in order,
// controls, capabilities and proof types.
func TestFacts(t *testing.T) {
	got, err := readiness.Layers()
	if err != nil {
		t.Fatal(err)
	}
	want := contractLayers(t)
	controls, capabilities := 0, 0
	for i := range got {
		controls += len(got[i].Controls)
		capabilities += len(got[i].Capabilities)
		if got[i].Title == "" {
			t.Errorf("%s has no title", got[i].ID)
		}
		got[i].Title = ""
		for k := range got[i].Controls {
			if got[i].Controls[k].Requirement == "" {
				t.Errorf("%s asks for nothing", got[i].Controls[k].ID)
			}
			got[i].Controls[k].Requirement = ""
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the embedded structure is not that of the contract (-contract +embedded):\n%s", diff)
	}
	if len(got) != readiness.LayerCount || controls != 39 || capabilities != 38 {
		t.Errorf("%d layers, %d controls, %d capabilities", len(got), controls, capabilities)
	}
}

// The classifier knows the same layers in the same order.
func TestClassifierKnowsTheLayers(t *testing.T) {
	rules, err := workload.Load()
	if err != nil {
		t.Fatal(err)
	}
	layers, err := readiness.Layers()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range layers {
		names = append(names, l.ID)
	}
	if got := rules.Layers(); !slices.Equal(got, names) {
		t.Errorf("the classifier has %q, the catalog %q", got, names)
	}
}

// A caller that changes what Layers returned changes nothing here.
func TestLayersAreCopies(t *testing.T) {
	first, _ := readiness.Layers()
	for i := range first {
		first[i].ID = "x"
		for k := range first[i].Hard {
			first[i].Hard[k] = "x"
		}
		for k := range first[i].Controls {
			first[i].Controls[k].ID, first[i].Controls[k].Types[0] = "x", "x"
		}
	}
	s := current(t, "t2-enterprise")
	wantRules(t, s.judge(t, readiness.Input{}), "after a change")
}
