package catalog

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"finishline/canon"
	"finishline/internal/vectors"
)

func TestEveryHouseCatalogIsKnown(t *testing.T) {
	if _, err := houseEditions(); err != nil {
		t.Fatal(err)
	}
	var found []string
	err := fs.WalkDir(House(), "controls", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	if diff := cmp.Diff(Paths(), found); diff != "" {
		t.Fatalf("embedded files differ from the list of catalogs:\n%s", diff)
	}
	for _, path := range found {
		data, _ := fs.ReadFile(House(), path)
		doc, err := canon.Read(data, canon.MaxDocument)
		if err != nil || len(doc.Defects) > 0 {
			t.Fatalf("%s: %v %v", path, err, doc)
		}
		if !Known(path, canon.SemanticDigest(doc.Root)) || !KnownRaw(path, canon.SHA256(data)) {
			t.Errorf("%s is not known by its digests", path)
		}
		if Known(path, strings.ToUpper(HouseDigest(path))) || Known(path, "") || Known("controls/other.json", HouseDigest(path)) {
			t.Errorf("%s: something else than its digest is known", path)
		}
	}
}

// The reference data lies beside the project and is never embedded. Where it
// is at hand: the digests are right, and the house edition has the same ids,
// edges, tiers and proof types, and no text in common.
func TestHouseEditionHasTheReferenceStructure(t *testing.T) {
	dir := filepath.Join(vectors.ProjectRoot(), "..", "shared", "catalogs")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the reference data is not at hand (looked for ../shared/catalogs)")
	}
	for _, path := range []string{Taxonomy, Foundation, Production, AI, DomainIndex,
		DomainPack("saas"), DomainPack("mobile-ios"), DomainPack("youth-ai-safety"), DomainPack("digital-commerce"), DomainPack("multiplayer-realtime")} {
		data, err := os.ReadFile(filepath.Join(dir, strings.TrimPrefix(path, "controls/")))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := canon.Read(data, canon.MaxDocument)
		if err != nil {
			t.Fatal(err)
		}
		if !Known(path, canon.SemanticDigest(doc.Root)) || !KnownRaw(path, canon.SHA256(data)) {
			t.Errorf("%s: the reference edition is not known", path)
		}
		own, _ := fs.ReadFile(House(), path)
		if diff := cmp.Diff(structure(t, data), structure(t, own)); diff != "" {
			t.Errorf("%s: structure differs (-reference +house):\n%s", path, diff)
		}
	}
}

// structure is a catalog without its words.
func structure(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return strip(v)
}

func strip(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for _, words := range []string{"title", "description", "requirement", "use", "label", "version", "triggers"} {
			delete(x, words)
		}
		for k := range x {
			x[k] = strip(x[k])
		}
	case []any:
		for i := range x {
			x[i] = strip(x[i])
		}
	}
	return v
}
